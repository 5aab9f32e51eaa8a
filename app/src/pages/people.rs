//! Members and invitations: the same page for a project and for an organization.

mod own_role;

use domain::role::Role;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use serde_json::json;

use own_role::own_role;

use super::project_id;
use crate::components::dialog::{confirm, dialog};
use crate::components::draft::Draft;
use crate::components::field::{select, select_control, text};
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge, notice, page_head};
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{
    block_skeleton, empty_state, error_message, live, loaded, table_skeleton,
};
use crate::components::role::{role_name, role_text};
use crate::components::table::show_all;
use crate::components::time::{ago, day};
use crate::components::toast::toasts;
use crate::fns::listing::Listing;
use crate::fns::people::{
    BY_NAME, Circle, Invited, InvitedPage, Member, People, invite, read_invitations, read_people,
    remove_member, revoke_invitation, set_member,
};
use crate::i18n::{ListingTexts, Texts, fill, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

/// Members that are shown before one asks for all.
const FIRST: u32 = 25;

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let circle = Memo::new(move |_| Circle::Project(project.get()));
    let base = Signal::derive(move || Page::People.at(&[&project.get()]));
    view! {
        <div class="page">
            {page_head(t.people, t.people().people_text, ())}
            {people(circle, base)}
        </div>
    }
    .into_any()
}

/// Members and invitations of a circle; `base` is the path of its page.
pub fn people(circle: Memo<Circle>, base: Signal<String>) -> AnyView {
    let listing = listing_of_address();
    // Pages are those of invitations.
    let narrowed = Memo::new(move |_| Listing {
        page: 1,
        ..listing.get()
    });
    let found = following(
        move || (circle.get(), narrowed.get()),
        |(circle, listing)| read_people(circle, listing),
    );
    let waiting = following(
        move || (circle.get(), listing.get()),
        |(circle, listing)| read_invitations(circle, listing),
    );
    let refresh = Callback::new(move |()| {
        found.refetch();
        waiting.refetch();
    });
    live(found, table_skeleton, move |people: Memo<People>| {
        // The address may name another one before its members are there.
        let circle = Memo::new(move |_| people.with(|people| people.circle.clone()));
        let owner = Memo::new(move |_| people.with(|people| people.governs));
        let organization = Memo::new(move |_| people.with(|people| people.organization.clone()));
        let all = Memo::new(move |_| people.with(|people| people.all));
        let invitations = move || {
            owner.get().then(|| {
                loaded(waiting, block_skeleton, move |page: InvitedPage| {
                    invitations(
                        page,
                        refresh,
                        &base.get_untracked(),
                        &listing.get_untracked(),
                        all.get_untracked() > u64::from(FIRST),
                    )
                })
            })
        };
        view! {
            <div class="stack-loose">
                {move || organization.get().map(shared)}
                {move || people.with(|people| people.reads_audit.then(|| audit_link(&circle.get())))}
                {move || search(all.get(), &base.get(), &narrowed.get())}
                {members(people, owner, circle, refresh)}
                {invitations}
            </div>
        }
        .into_any()
    })
}

/// The search for members and invitations, where not all members are shown at first.
fn search(members: u64, base: &str, listing: &Listing) -> Option<AnyView> {
    let w = ListingTexts::of_this_page();
    let list = Shown {
        base,
        listing,
        kept: Vec::new(),
        per_page: FIRST,
        total: members,
    };
    let orders = [
        ("", w.by_role),
        (BY_NAME, w.by_name),
        (Listing::OLDEST, w.oldest_first),
    ];
    list.search(w.search_people, orders)
}

/// Says that the members of an organization take part too.
fn shared((id, name): (String, String)) -> AnyView {
    let t = texts();
    let text = fill(t.people().people_of_organization, &[("name", &name)]);
    let content = view! {
        <p>{text} " " <a href=Page::Organization.at(&[&id])>{t.people().see_organization}</a></p>
    };
    notice(Tone::Neutral, content)
}

/// The way to the audit log of a project.
fn audit_link(circle: &Circle) -> Option<AnyView> {
    let Circle::Project(project) = circle else {
        return None;
    };
    let href = Page::Audit.at(&[&project]);
    let link = view! {
        <p>
            <a class="button" href=href>
                {icon(Icon::Eye)}
                {texts().audit}
            </a>
        </p>
    };
    Some(link.into_any())
}

fn members(
    people: Memo<People>,
    owner: Memo<bool>,
    circle: Memo<Circle>,
    refresh: Callback<()>,
) -> AnyView {
    let t = texts();
    let mail = people.with_untracked(|people| people.mail);
    let open = RwSignal::new(false);
    let all = RwSignal::new(false);
    let total = Memo::new(move |_| people.with(|people| people.members.len()));
    let shown = move || {
        let most = if all.get() {
            usize::MAX
        } else {
            FIRST as usize
        };
        people.with(|people| {
            people
                .members
                .iter()
                .take(most)
                .cloned()
                .collect::<Vec<_>>()
        })
    };
    let nothing_fits = ListingTexts::of_this_page().nothing_fits;
    let form = move || add_form(circle, mail, open, refresh);
    let title = if mail {
        t.people().invite
    } else {
        t.people().add_member
    };
    view! {
        {dialog(open, title, false, form)}
        <section class="card" aria-labelledby="members-title">
            <div class="card-head">
                <h2 id="members-title">{t.people().members}</h2>
                {move || {
                    owner
                        .get()
                        .then(|| {
                            view! {
                                <button
                                    type="button"
                                    class="button button-primary"
                                    on:click=move |_| open.set(true)
                                >
                                    {icon(Icon::Plus)}
                                    {title}
                                </button>
                            }
                        })
                }}
            </div>
            <div class="card-body">
                {move || (total.get() == 0).then(|| view! { <p class="muted">{nothing_fits}</p> })}
                <ul class="card-rows">
                    <For
                        each=shown
                        key=|member| (member.id.clone(), member.name.clone(), member.email.clone())
                        let:member
                    >
                        {member_row(t, member, people, owner, circle, refresh)}
                    </For>
                </ul>
                {move || show_all(t, total.get(), FIRST as usize, all).map(|more| view! { <div>{more}</div> })}
            </div>
        </section>
    }
    .into_any()
}

fn member_row(
    t: &'static Texts,
    member: Member,
    people: Memo<People>,
    owner: Memo<bool>,
    circle: Memo<Circle>,
    refresh: Callback<()>,
) -> AnyView {
    let toasts = toasts();
    let navigate = StoredValue::new(use_navigate());
    let Member {
        id,
        name,
        email,
        role,
        since,
        me,
    } = member;
    let saved = {
        let id = id.clone();
        Memo::new(move |_| {
            people.with(|people| {
                let now = people.members.iter().find(|member| member.id == id);
                now.map_or(role, |member| member.role)
            })
        })
    };
    let current = RwSignal::new(role.as_str().to_owned());
    Effect::new(move |_| current.set(saved.get().as_str().to_owned()));
    let send = sender(id.clone(), circle, saved, current, refresh);
    let change = asking_first(&name, current, send);
    let remove = {
        let id = id.clone();
        move || {
            let (Some(circle), id) = (circle.try_get_untracked(), id.clone()) else {
                return;
            };
            spawn_local(async move {
                match remove_member(circle, id).await {
                    Ok(()) if me => {
                        navigate.try_with_value(|navigate| {
                            navigate(Page::Projects.path(), NavigateOptions::default());
                        });
                    }
                    Ok(()) => {
                        toasts.done(t.member_removed);
                        refresh.try_run(());
                    }
                    Err(error) => toasts.problem(error_message(t, &error)),
                }
            });
        }
    };
    let (title, text, action) = if me {
        (t.leave, t.people().leave_circle_text.to_owned(), t.leave)
    } else {
        let text = fill(t.people().remove_member_text, &[("name", &name)]);
        (t.people().remove_member, text, t.remove)
    };
    let label = format!("{action}: {name}");
    let ask = confirm(title, text, action, true, remove);
    let select_id = format!("role-{id}");
    let role_label = format!("{}: {name}", t.role);
    let role_view = move || {
        if owner.get() && me {
            own_role(id.clone(), saved, circle, refresh)
        } else if owner.get() {
            view! {
                <label class="quiet" for=select_id.clone()>{role_label.clone()}</label>
                {select_control(
                    select_id.clone(),
                    role_options(t),
                    current.into(),
                    move |word| change.run(word),
                    Signal::stored(false),
                )}
            }
            .into_any()
        } else {
            badge(Tone::Neutral, role_name(t, saved.get()))
        }
    };
    let removal = move || {
        let (ask, label) = (ask.clone(), label.clone());
        (owner.get() || me).then(|| {
            view! {
                <button
                    type="button"
                    class="button button-small"
                    aria-label=label
                    on:click=move |_| ask()
                >
                    {action}
                </button>
            }
        })
    };
    view! {
        <li class="row-between">
            <div class="grow">
                <p class="row">
                    <span class="strong">{name}</span>
                    {me.then(|| badge(Tone::Accent, t.you))}
                </p>
                <p class="row">
                    <span class="muted wrap-anywhere">
                        {email.unwrap_or_else(|| t.people().added_by_id.to_owned())}
                    </span>
                    <span class="hint">{t.people().member_since} " " {ago(since)}</span>
                </p>
            </div>
            <div class="row">
                {role_view}
                {removal}
            </div>
        </li>
    }
    .into_any()
}

/// Sends each role that is chosen for a member, one request at a time.
fn sender(
    id: String,
    circle: Memo<Circle>,
    saved: Memo<Role>,
    current: RwSignal<String>,
    refresh: Callback<()>,
) -> Callback<Role> {
    let (t, toasts) = (texts(), toasts());
    // Arrow keys choose faster than the server answers: the last choice waits for the request before it.
    let wish = StoredValue::new(None::<Role>);
    let is_sending = StoredValue::new(false);
    Callback::new(move |role: Role| {
        current.set(role.as_str().to_owned());
        wish.set_value(Some(role));
        if is_sending.get_value() {
            return;
        }
        is_sending.set_value(true);
        let (circle, id) = (circle.get_untracked(), id.clone());
        spawn_local(async move {
            while let Some(role) = wish.try_update_value(Option::take).flatten() {
                match set_member(circle.clone(), id.clone(), role).await {
                    Ok(()) => toasts.done(t.people().role_changed),
                    Err(error) => {
                        toasts.problem(error_message(t, &error));
                        if let Some(role) = saved.try_get_untracked() {
                            current.set(role.as_str().to_owned());
                        }
                    }
                }
            }
            is_sending.try_set_value(false);
            refresh.try_run(());
        });
    })
}

/// Hears the role that somebody chooses for another member. Asks before it is sent, if it is that of an owner.
fn asking_first(name: &str, current: RwSignal<String>, send: Callback<Role>) -> Callback<String> {
    let w = texts().people();
    let title = fill(w.make_owner_title, &[("name", name)]);
    let make = move || {
        send.try_run(Role::Owner);
    };
    let ask = confirm(title, w.make_owner_text, w.make_owner_action, true, make);
    Callback::new(move |word: String| {
        let Some(role) = Role::parse(&word) else {
            return;
        };
        if role == Role::Owner {
            // The present role stays shown until somebody has answered.
            current.update(|_| ());
            ask();
        } else {
            send.run(role);
        }
    })
}

fn role_options(t: &'static Texts) -> Vec<(String, String)> {
    Role::ALL
        .map(|role| (role.as_str().to_owned(), role_name(t, role).to_owned()))
        .into()
}

/// Invites by e-mail. A server without e-mail adds an account by its ID.
fn add_form(
    circle: Memo<Circle>,
    mail: bool,
    open: RwSignal<bool>,
    refresh: Callback<()>,
) -> AnyView {
    let t = texts();
    let toasts = toasts();
    let draft = Draft::new(json!({"role": "editor"}));
    let send = move |_| async move {
        let word = |pointer| untrack(|| draft.text(pointer)).trim().to_owned();
        let role = Role::parse(&word("/role")).unwrap_or(Role::Editor);
        let circle = circle.get_untracked();
        if mail {
            invite(circle, word("/email"), role).await
        } else {
            set_member(circle, word("/userId"), role).await
        }
    };
    let done = move |()| {
        open.set(false);
        toasts.done(if mail {
            t.invited
        } else {
            t.people().member_added
        });
        refresh.try_run(());
    };
    let who = if mail {
        text(draft, "/email", t.email).kind("email").view()
    } else {
        text(draft, "/userId", t.people().account_id)
            .hint(t.people().account_id_hint)
            .view()
    };
    let role_words = Role::ALL.map(|role| {
        view! { <li><span class="strong">{role_name(t, role)}</span> " " {role_text(t, role)}</li> }
    });
    let fields = view! {
        {who}
        {select(draft, "/role", t.role, role_options(t), None)}
        <ul class="hint stack-tight">{role_words.into_iter().collect_view()}</ul>
    };
    let label = if mail {
        t.people().send_invitation
    } else {
        t.add
    };
    Form::sending(draft, label, send, done).dialog(open, fields.into_any())
}

fn invitations(
    page: InvitedPage,
    refresh: Callback<()>,
    base: &str,
    listing: &Listing,
    has_search: bool,
) -> AnyView {
    let t = texts();
    let list = Shown {
        base,
        listing,
        kept: Vec::new(),
        per_page: page.per_page,
        total: page.total,
    };
    // One search is for both lists.
    let search = (!has_search && !list.is_searched())
        .then(|| list.search_by_time(ListingTexts::of_this_page().search_people));
    let search = search
        .flatten()
        .map(|search| view! { <div class="card-pad">{search}</div> });
    let content = if list.is_empty() {
        empty_state(
            Icon::Account,
            t.people().no_invitations_title,
            t.people().no_invitations_text,
            ().into_any(),
        )
    } else if page.total == 0 {
        list.nothing_fits()
    } else {
        let rows = page
            .items
            .iter()
            .map(|invited| invitation_row(t, invited.clone(), refresh))
            .collect_view();
        view! {
            <div class="card-body"><ul class="card-rows">{rows}</ul></div>
            {list.pages()}
        }
        .into_any()
    };
    view! {
        <section class="card" aria-labelledby="invitations-title">
            <div class="card-head"><h2 id="invitations-title">{t.people().invitations}</h2></div>
            {search}
            {content}
        </section>
    }
    .into_any()
}

fn invitation_row(t: &'static Texts, invited: Invited, refresh: Callback<()>) -> AnyView {
    let toasts = toasts();
    let label = format!("{}: {}", t.revoke, invited.email);
    let id = invited.id.clone();
    let take_back = move |_| {
        let id = id.clone();
        spawn_local(async move {
            match revoke_invitation(id).await {
                Ok(()) => toasts.done(t.people().taken_back),
                Err(error) => toasts.problem(error_message(t, &error)),
            }
            refresh.try_run(());
        });
    };
    view! {
        <li class="row-between">
            <div class="grow">
                <p class="strong wrap-anywhere">{invited.email}</p>
                <p class="row">
                    <span class="hint">{t.sent} " " {ago(invited.sent_at)}</span>
                    <span class="hint">{t.good_until} " " {day(invited.expires_at)}</span>
                </p>
            </div>
            <div class="row">
                {badge(Tone::Neutral, role_name(t, invited.role))}
                <button type="button" class="button button-small" aria-label=label on:click=take_back>
                    {t.revoke}
                </button>
            </div>
        </li>
    }
    .into_any()
}
