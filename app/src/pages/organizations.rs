//! Organizations: the list, and one with its people.

mod plans;
mod subscription;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_params_map, use_query_map};
use serde_json::{Value, json};

use super::people::people;
use super::projects::bare;
use crate::address::{address, page_number};
use crate::components::copy::copyable;
use crate::components::danger::danger;
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::{switch, text};
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge, page_head};
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{
    block_skeleton, empty_state, error_message, loaded, table_skeleton,
};
use crate::components::role::role_name;
use crate::components::search::Search;
use crate::components::table::{has_pager, pager};
use crate::components::toast::toasts;
use crate::fns::organizations::{
    Organization, OrganizationPage, create_organization, delete_organization, organizations,
    read_organization, update_organization,
};
use crate::fns::people::Circle;
use crate::fns::projects::{LinkPage, projects_of_organization};
use crate::i18n::{ListingTexts, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

pub fn list() -> AnyView {
    let t = texts();
    let listing = listing_of_address();
    let found = following(move || listing.get(), organizations);
    let open = RwSignal::new(false);
    let new = move || {
        view! {
            <button type="button" class="button button-primary" on:click=move |_| open.set(true)>
                {icon(Icon::Plus)}
                {t.organizations().new_organization}
            </button>
        }
        .into_any()
    };
    let content = loaded(found, table_skeleton, move |page: OrganizationPage| {
        let listing = listing.get_untracked();
        let list = Shown {
            base: Page::Organizations.path(),
            listing: &listing,
            kept: Vec::new(),
            per_page: page.per_page,
            total: page.total,
        };
        if list.is_empty() {
            return view! {
                <div class="card">
                    {empty_state(
                        Icon::Account,
                        t.organizations().no_organizations_title,
                        t.organizations().no_organizations_text,
                        new(),
                    )}
                </div>
            }
            .into_any();
        }
        let rows = page
            .items
            .iter()
            .map(|organization| {
                view! {
                    <li class="row-between">
                        <a class="strong wrap-anywhere" href=Page::Organization.at(&[&organization.id])>
                            {organization.name.clone()}
                        </a>
                        <span class="row">
                            {organization.awaits_second_factor.then(|| badge(Tone::Warn, t.organizations().second_factor_awaited))}
                            {badge(Tone::Neutral, role_name(t, organization.role))}
                        </span>
                    </li>
                }
            })
            .collect_view();
        // They are in the order of their names.
        let search = list.search(ListingTexts::of_this_page().search_organizations, []);
        let content = if page.total == 0 {
            list.nothing_fits()
        } else {
            view! { <div class="card-body"><ul class="card-rows">{rows}</ul></div> }.into_any()
        };
        view! {
            {search}
            <section class="card" aria-label=t.organizations>
                {content}
                {list.pages()}
            </section>
        }
        .into_any()
    });
    let navigate = StoredValue::new(use_navigate());
    let form = move || {
        let made = Callback::new(move |organization: Organization| {
            let path = Page::Organization.at(&[&organization.id]);
            navigate.try_with_value(|navigate| navigate(&path, NavigateOptions::default()));
        });
        name_form(None, made, Some(open))
    };
    view! {
        <div class="page page-narrow">
            {page_head(t.organizations, t.organizations().organizations_text, new())}
            {dialog(open, t.organizations().new_organization, false, form)}
            {content}
        </div>
    }
    .into_any()
}

pub fn one() -> AnyView {
    let t = texts();
    let params = use_params_map();
    let id =
        Memo::new(move |_| params.with(|params| params.get("organization").unwrap_or_default()));
    let found = following(move || id.get(), read_organization);
    let query = use_query_map();
    let word = move |name: &str| query.with(|query| query.get(name).unwrap_or_default());
    let sought = Memo::new(move |_| word("project").trim().to_owned());
    let projects_page = Memo::new(move |_| word("projects").parse().unwrap_or(1_u32).max(1));
    let projects = following(
        move || (id.get(), sought.get(), projects_page.get()),
        |(id, text, page)| projects_of_organization(id, text, page),
    );
    let billing = subscription::read(id);
    let circle = Memo::new(move |_| Circle::Organization(id.get()));
    let base = Signal::derive(move || Page::Organization.at(&[&id.get()]));
    let content = loaded(found, block_skeleton, move |organization: Organization| {
        let owner = organization.governs;
        let name = RwSignal::new(organization.name.clone());
        let renamed = Callback::new(move |organization: Organization| name.set(organization.name));
        let settings = owner.then(|| {
            view! {
                <section class="card" aria-labelledby="name-title">
                    <div class="card-head">
                        <h2 id="name-title">{t.settings}</h2>
                        {copyable(organization.id.clone(), t.organizations().organization_id)}
                    </div>
                    <div class="card-body">{name_form(Some(organization.clone()), renamed, None)}</div>
                </section>
            }
        });
        view! {
            <Title text=move || name.get() />
            {move || page_head(name.get(), t.organizations().organization_text, ())}
            {loaded(projects, block_skeleton, move |found| projects_card(&found, &base.get_untracked(), &sought.get_untracked()))}
            {people(circle, base)}
            {subscription::card(billing, id, owner)}
            {settings}
            {owner.then(|| deletion(organization.id.clone(), name))}
        }
        .into_any()
    });
    view! { <div class="page">{content}</div> }.into_any()
}

/// The projects that its members take part in; `sought` are the words that narrow them.
fn projects_card(found: &LinkPage, base: &str, sought: &str) -> AnyView {
    let t = texts();
    let is_long = has_pager(found.page, found.per_page, found.total);
    let search = (is_long || !sought.is_empty()).then(|| {
        let search = Search {
            action: base.to_owned(),
            name: "project",
            label: t.search_projects,
            text: sought.to_owned(),
            kept: Vec::new(),
            order: ().into_any(),
            whole: (!sought.is_empty()).then(|| base.to_owned()),
        };
        search.view()
    });
    let rows = found
        .items
        .iter()
        .map(|link| {
            view! {
                <li class="row-between">
                    <a class="strong wrap-anywhere" href=Page::Overview.at(&[&link.id])>{link.title.clone()}</a>
                    <span class="muted small wrap-anywhere">{bare(&link.site)}</span>
                </li>
            }
        })
        .collect_view();
    let body = if found.total == 0 {
        let text = if sought.is_empty() {
            t.organizations().organization_has_no_project
        } else {
            ListingTexts::of_this_page().nothing_fits
        };
        view! { <p class="muted">{text}</p> }.into_any()
    } else {
        view! { <ul class="card-rows">{rows}</ul> }.into_any()
    };
    let foot = is_long.then(|| {
        pager(found.page, found.per_page, found.total, |page| {
            address(
                base,
                &[("project", sought), ("projects", &page_number(page))],
            )
        })
    });
    view! {
        <section class="card" aria-labelledby="projects-title">
            <div class="card-head"><h2 id="projects-title">{t.projects}</h2></div>
            <div class="card-body stack">{search} {body}</div>
            {foot}
        </section>
    }
    .into_any()
}

/// Names a new organization in a dialog, or changes an existing one.
fn name_form(
    existing: Option<Organization>,
    done: Callback<Organization>,
    dialog: Option<RwSignal<bool>>,
) -> AnyView {
    let t = texts();
    let toasts = toasts();
    let (value, id, label) = match existing {
        Some(Organization {
            id,
            name,
            requires_second_factor,
            ..
        }) => {
            let value = json!({"name": name, "requiresSecondFactor": requires_second_factor});
            (value, Some(id), t.save)
        }
        None => (
            json!({"name": ""}),
            None,
            t.organizations().create_organization,
        ),
    };
    let draft = Draft::new(value);
    let changes = id.is_some();
    let send = move |sent: Value| {
        let (id, name) = (id.clone(), untrack(|| draft.text("/name")));
        let requires = sent.get("requiresSecondFactor") == Some(&Value::Bool(true));
        async move {
            match id {
                Some(id) => update_organization(id, name, requires).await,
                None => create_organization(name).await,
            }
        }
    };
    let saved = move |organization| {
        if changes {
            toasts.done(t.saved);
        }
        done.run(organization);
    };
    let form = Form::sending(draft, label, send, saved);
    let field = text(draft, "/name", t.organizations().organization_name).view();
    if let Some(open) = dialog {
        return form.dialog(open, field);
    }
    let (label, hint) = (
        t.organizations().require_second_factor,
        Some(t.organizations().require_second_factor_hint),
    );
    let required = switch(draft, "/requiresSecondFactor", label, hint, false);
    form.view(view! { {field} {required} }.into_any())
}

/// Deletes it for good, which needs its name.
fn deletion(id: String, name: RwSignal<String>) -> AnyView {
    let t = texts();
    let w = t.organizations();
    let toasts = toasts();
    let navigate = StoredValue::new(use_navigate());
    let run = move || {
        let id = id.clone();
        spawn_local(async move {
            match delete_organization(id).await {
                Ok(()) => {
                    toasts.done(w.organization_deleted);
                    navigate.try_with_value(|navigate| {
                        navigate(Page::Organizations.path(), NavigateOptions::default());
                    });
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    };
    danger(
        name.into(),
        w.delete_organization_text,
        w.delete_organization,
        run,
    )
}
