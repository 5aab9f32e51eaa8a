//! The trash: what was deleted and can be restored, of the account and of a project.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::collections::kind;
use super::project_id;
use crate::components::following::following;
use crate::components::layout::page_head;
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{empty_state, error_message, loaded, table_skeleton};
use crate::components::time::{ago, day};
use crate::components::toast::toasts;
use crate::fns::documents::restore_document;
use crate::fns::trash::{Deleted, TrashPage, trash};
use crate::frame::Rail;
use crate::i18n::{ListingTexts, Texts, fill, texts};
use crate::icon::Icon;
use crate::map::Page;

/// Deleted projects.
pub fn of_account() -> AnyView {
    page(Signal::stored(None), Page::Trash.path().to_owned().into())
}

/// Deleted documents of a project.
pub fn of_project() -> AnyView {
    let project = project_id();
    let base = Signal::derive(move || Page::ProjectTrash.at(&[&project.get()]));
    page(Signal::derive(move || Some(project.get())), base)
}

fn page(project: Signal<Option<String>>, base: Signal<String>) -> AnyView {
    let t = texts();
    let listing = listing_of_address();
    let found = following(
        move || (project.get(), listing.get()),
        |(project, listing)| trash(project, listing),
    );
    let rail = Rail::refresher();
    let changed = Callback::new(move |()| {
        found.refetch();
        rail();
    });
    let content = loaded(found, table_skeleton, move |page: TrashPage| {
        let (base, listing) = (base.get_untracked(), listing.get_untracked());
        let list = Shown {
            base: &base,
            listing: &listing,
            kept: Vec::new(),
            per_page: page.per_page,
            total: page.total,
        };
        if list.is_empty() {
            return view! {
                <div class="card">
                    {empty_state(Icon::Trash, t.trash().trash_empty_title, t.trash().trash_empty_text, ().into_any())}
                </div>
            }
            .into_any();
        }
        let search = list.search_by_time(ListingTexts::of_this_page().search_trash);
        let content = if page.total == 0 {
            list.nothing_fits()
        } else {
            let rows = page
                .items
                .into_iter()
                .map(|deleted| row(t, deleted, changed))
                .collect_view();
            view! { <div class="card-body"><ul class="card-rows">{rows}</ul></div> }.into_any()
        };
        view! {
            {search}
            <section class="card" aria-label=t.trash>
                {content}
                {list.pages()}
            </section>
        }
        .into_any()
    });
    view! {
        <div class="page page-narrow">
            {page_head(t.trash, t.trash().trash_text, ().into_any())}
            {content}
        </div>
    }
    .into_any()
}

fn row(t: &'static Texts, deleted: Deleted, changed: Callback<()>) -> AnyView {
    let toasts = toasts();
    let Deleted {
        id,
        collection,
        title,
        ..
    } = deleted;
    let kind = kind(t, collection);
    let until = fill(
        t.trash().restorable_until,
        &[("day", &day(deleted.restorable_until))],
    );
    let label = format!("{}: {title}", t.restore);
    let restore = move |_| {
        let id = id.clone();
        spawn_local(async move {
            match restore_document(collection, id).await {
                Ok(_) => toasts.done(t.restored),
                Err(error) => toasts.problem(error_message(t, &error)),
            }
            changed.try_run(());
        });
    };
    view! {
        <li class="row-between">
            <div class="grow stack-tight">
                <p class="strong wrap-anywhere">{title}</p>
                <p class="row">
                    <span class="hint">{kind}</span>
                    <span class="hint">{t.deleted} " " {ago(deleted.deleted_at)}</span>
                    <span class="hint">{until}</span>
                </p>
            </div>
            {deleted
                .can_restore
                .then(|| {
                    view! {
                        <button type="button" class="button button-small" aria-label=label on:click=restore>
                            {t.restore}
                        </button>
                    }
                })}
        </li>
    }
    .into_any()
}
