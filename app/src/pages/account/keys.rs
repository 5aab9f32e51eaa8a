//! API keys: what programs sign in with.

use domain::scope::Scope;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};

use crate::components::checks::{check, is_listed};
use crate::components::copy::code_block;
use crate::components::debounce::debounced;
use crate::components::dialog::{confirm, dialog};
use crate::components::draft::Draft;
use crate::components::field::{id_of, problem, select, text};
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge, notice, page_head};
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{
    block_skeleton, empty_state, error_message, live, table_skeleton,
};
use crate::components::search;
use crate::components::table::show_all;
use crate::components::time::{ago, day};
use crate::components::toast::toasts;
use crate::fns::keys::{BY_NAME, BY_USE, KeyRow, KeyWish, list_keys, make_key, revoke_key};
use crate::fns::listing::Listing;
use crate::fns::projects::{ProjectLink, find_projects};
use crate::i18n::{ListingTexts, Texts, count, fill, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

/// Keys that are shown before one asks for all.
const FIRST: u32 = 20;
/// Lifetimes to choose from, in days.
const LIFETIMES: [u32; 4] = [30, 90, 180, 365];

pub fn page() -> AnyView {
    let t = texts();
    let listing = listing_of_address();
    let found = following(move || listing.get(), list_keys);
    let open = RwSignal::new(false);
    let secret = RwSignal::new(None::<String>);
    let refresh = Callback::new(move |()| found.refetch());
    let all = RwSignal::new(false);
    let new = move || {
        view! {
            <button
                type="button"
                class="button button-primary"
                on:click=move |_| {
                    secret.set(None);
                    open.set(true);
                }
            >
                {icon(Icon::Plus)}
                {t.account().new_key}
            </button>
        }
        .into_any()
    };
    let content = live(
        found,
        table_skeleton,
        move |found: Memo<(Vec<KeyRow>, u64)>| {
            let total = Memo::new(move |_| found.with(|(keys, _)| keys.len()));
            let all_keys = Memo::new(move |_| found.with(|(_, all)| *all));
            let none = Memo::new(move |_| total.get() == 0);
            let has_no_key = Memo::new(move |_| all_keys.get() == 0);
            let shown = move || {
                let most = if all.get() {
                    usize::MAX
                } else {
                    FIRST as usize
                };
                found.with(|(keys, _)| keys.iter().take(most).cloned().collect::<Vec<_>>())
            };
            let list = move || {
                if none.get() {
                    return listed(&listing.get(), 0).nothing_fits();
                }
                view! {
                <div class="card-body">
                    <ul class="card-rows">
                        <For each=shown key=|key| (key.id.clone(), key.last_used_at) let:key>
                            {row(t, key, refresh)}
                        </For>
                    </ul>
                    {move || {
                        show_all(t, total.get(), FIRST as usize, all).map(|more| view! { <div>{more}</div> })
                    }}
                </div>
            }
            .into_any()
            };
            let content = move || {
                if has_no_key.get() {
                    return view! {
                    <div class="card">
                        {empty_state(Icon::Code, t.account().no_keys_title, t.account().no_keys_text, new())}
                    </div>
                }
                .into_any();
                }
                view! {
                    {move || search(&listing.get(), all_keys.get())}
                    <section class="card" aria-label=t.api_keys>{list}</section>
                }
                .into_any()
            };
            view! { <div class="stack">{content}</div> }.into_any()
        },
    );
    let form = move || match secret.get() {
        Some(secret) => made(t, secret, open),
        None => make_form(open, secret, refresh),
    };
    view! {
        <div class="page page-narrow">
            {page_head(t.api_keys, t.account().api_keys_text, new())}
            {dialog(open, t.account().new_key, false, move || view! { {form} }.into_any())}
            {content}
        </div>
    }
    .into_any()
}

/// The list as its address names it. It is there whole: nobody has more than 100 keys.
fn listed(listing: &Listing, total: u64) -> Shown<'_> {
    Shown {
        base: Page::Keys.path(),
        listing,
        kept: Vec::new(),
        per_page: FIRST,
        total,
    }
}

fn search(listing: &Listing, total: u64) -> Option<AnyView> {
    let w = ListingTexts::of_this_page();
    let orders = [
        ("", w.newest_first),
        (Listing::OLDEST, w.oldest_first),
        (BY_NAME, w.by_name),
        (BY_USE, w.by_use),
    ];
    listed(listing, total).search(w.search_keys, orders)
}

fn scope_name(t: &'static Texts, scope: Scope) -> &'static str {
    match scope {
        Scope::Read => t.account().scope_read,
        Scope::Write => t.account().scope_write,
        Scope::Publish => t.account().scope_publish,
        Scope::Consents => t.account().scope_consents,
    }
}

fn scope_text(t: &'static Texts, scope: Scope) -> &'static str {
    match scope {
        Scope::Read => t.account().scope_read_text,
        Scope::Write => t.account().scope_write_text,
        Scope::Publish => t.account().scope_publish_text,
        Scope::Consents => t.account().scope_consents_text,
    }
}

fn row(t: &'static Texts, key: KeyRow, refresh: Callback<()>) -> AnyView {
    let toasts = toasts();
    let id = key.id.clone();
    let run = move || {
        let id = id.clone();
        spawn_local(async move {
            match revoke_key(id).await {
                Ok(()) => toasts.done(t.account().key_revoked),
                Err(error) => toasts.problem(error_message(t, &error)),
            }
            refresh.try_run(());
        });
    };
    let scopes = key
        .scopes
        .iter()
        .map(|scope| badge(Tone::Neutral, scope_name(t, *scope)))
        .collect_view();
    let reach = key.projects.as_ref().map_or_else(
        || t.account().all_my_projects.to_owned(),
        |titles| titles.join(", "),
    );
    let used = match key.last_used_at {
        Some(at) => view! { <span class="hint">{t.last_used} " " {ago(at)}</span> }.into_any(),
        None => view! { <span class="hint">{t.never_used}</span> }.into_any(),
    };
    let ends = key.expires_at.map(|at| {
        view! { <span class="hint">{t.good_until} " " {day(at)}</span> }
    });
    let label = format!("{}: {}", t.revoke, key.name);
    let text = fill(t.account().revoke_key_text, &[("name", &key.name)]);
    let ask = confirm(t.account().revoke_key, text, t.revoke, true, run);
    view! {
        <li class="row-between">
            <div class="grow stack-tight">
                <p class="row">
                    <span class="strong wrap-anywhere">{key.name}</span>
                    <code class="muted">{key.prefix} "…"</code>
                </p>
                <p class="row">{scopes}</p>
                <p class="row">
                    <span class="hint">{reach}</span>
                    {used}
                    {ends}
                </p>
            </div>
            <button
                type="button"
                class="button button-small"
                aria-label=label
                on:click=move |_| ask()
            >
                {t.revoke}
            </button>
        </li>
    }
    .into_any()
}

/// The secret, which is shown this once.
fn made(t: &'static Texts, secret: String, open: RwSignal<bool>) -> AnyView {
    view! {
        <div class="dialog-body">
            <div role="status">{notice(Tone::Warn, t.account().key_once)}</div>
            {code_block(Signal::stored(secret), t.account().key_secret)}
            <p class="hint">{t.account().key_how}</p>
        </div>
        <div class="dialog-foot">
            <button type="button" class="button button-primary" on:click=move |_| open.set(false)>
                {t.done_button}
            </button>
        </div>
    }
    .into_any()
}

fn make_form(
    open: RwSignal<bool>,
    secret: RwSignal<Option<String>>,
    refresh: Callback<()>,
) -> AnyView {
    let t = texts();
    let start = json!({"scopes": ["read"], "reach": "some", "projects": [], "days": "90"});
    let draft = Draft::new(start);
    let send = |sent: Value| make_key(wish_of(&sent));
    let made = move |made: String| {
        secret.set(Some(made));
        refresh.try_run(());
    };
    let scopes = Scope::ALL.iter().map(|scope| {
        let (name, text) = (scope_name(t, *scope).to_owned(), scope_text(t, *scope));
        check(draft, "/scopes", scope.as_str(), name, Some(text))
    });
    let scopes = scopes.collect_view();
    let mut lifetimes = LIFETIMES
        .map(|days| (days.to_string(), format!("{days} {}", t.days)))
        .to_vec();
    lifetimes.push((String::new(), t.never.to_owned()));
    let fields = view! {
        {text(draft, "/name", t.account().key_name).hint(t.account().key_name_hint).view()}
        <fieldset class="field" id=id_of("/scopes") tabindex="-1">
            <legend class="label">{t.account().scopes}</legend>
            <div class="checks">{scopes}</div>
            {problem("scopes-problem".to_owned(), move || draft.problem("/scopes"))}
        </fieldset>
        <fieldset class="field" id=id_of("/projects") tabindex="-1">
            <legend class="label">{t.account().key_projects}</legend>
            {reach(draft, "some", t.account().key_some, None)}
            {project_choices(draft)}
            {reach(draft, "all", t.account().key_all, Some(t.account().key_all_hint))}
            {problem("projects-problem".to_owned(), move || draft.problem("/projects"))}
        </fieldset>
        {select(draft, "/days", t.account().key_lifetime, lifetimes, None)}
    };
    Form::sending(draft, t.account().make_key, send, made).dialog(open, fields.into_any())
}

/// One of the two answers to which projects the key reaches.
fn reach(
    draft: Draft,
    value: &'static str,
    label: &'static str,
    hint: Option<&'static str>,
) -> AnyView {
    let id = format!("{}-{value}", id_of("/reach"));
    view! {
        <div class="check">
            <input
                type="radio"
                name="reach"
                id=id.clone()
                prop:checked=move || draft.text("/reach") == value
                on:change=move |_| {
                    draft.set_text("/reach", value);
                    draft.set("/projects", Some(json!([])));
                }
            />
            <div>
                <label for=id>{label}</label>
                {hint.map(|hint| view! { <p class="hint">{hint}</p> })}
            </div>
        </div>
    }
    .into_any()
}

/// The projects that were chosen, then those that fit the search.
fn project_choices(draft: Draft) -> AnyView {
    let t = texts();
    let query = RwSignal::new(String::new());
    let asked = debounced(query);
    let found = following(move || asked.get(), find_projects);
    let chosen = RwSignal::new(Vec::<ProjectLink>::new());
    let content = live(found, block_skeleton, move |found| {
        let links = move || {
            let first = chosen.get();
            let others = found.with(|(links, _)| links.clone()).into_iter();
            let is_new = |link: &ProjectLink| first.iter().all(|other| other.id != link.id);
            let others: Vec<ProjectLink> = others.filter(is_new).collect();
            [first, others].concat()
        };
        let choice = move |link: ProjectLink| {
            let (id, title) = (link.id.clone(), link.title.clone());
            let keep = move |_| {
                // Below the search until it is asked again: nothing moves under the pointer.
                chosen.update_untracked(|chosen| {
                    chosen.retain(|other| other.id != link.id);
                    if untrack(|| is_listed(draft, "/projects", &link.id)) {
                        chosen.push(link.clone());
                    }
                });
            };
            view! { <div on:change=keep>{check(draft, "/projects", &id, title, None)}</div> }
        };
        let more = move || {
            let (shown, total) = found.with(|(links, total)| (links.len() as u64, *total));
            (total > shown).then(|| {
                let count = count(total, t.account().n_project, t.account().n_projects);
                view! { <p class="hint" role="status">{count} " – " {t.search_to_narrow}</p> }
            })
        };
        view! {
            <div class="checks">
                <For each=links key=|link| link.id.clone() children=choice />
            </div>
            {more}
        }
        .into_any()
    });
    view! {
        <div class="stack-tight" hidden=move || draft.text("/reach") != "some">
            {search::typed(None, t.account().find_project, query, || ())}
            {content}
        </div>
    }
    .into_any()
}

fn wish_of(draft: &Value) -> KeyWish {
    let words = |key: &str| {
        let list = draft.get(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    };
    let text = |key: &str| draft.get(key).and_then(Value::as_str).unwrap_or_default();
    KeyWish {
        name: text("name").to_owned(),
        scopes: words("scopes").filter_map(Scope::parse).collect(),
        all_projects: text("reach") == "all",
        projects: words("projects").map(str::to_owned).collect(),
        days: text("days").parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_was_chosen() {
        let draft = json!({"name": "Export", "scopes": ["read"], "reach": "all", "projects": [], "days": "30"});
        let wish = wish_of(&draft);
        assert!(wish.all_projects);
        assert_eq!((wish.days, wish.scopes), (Some(30), vec![Scope::Read]));
        let wish = wish_of(&json!({"name": "x", "reach": "some", "days": ""}));
        assert_eq!((wish.days, wish.all_projects), (None, false));
    }
}
