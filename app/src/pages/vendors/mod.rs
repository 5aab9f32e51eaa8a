//! The project's own services: those that the catalogue does not have.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::project_id;
use crate::components::deletion::deletion;
use crate::components::dialog::dialog;
use crate::components::icon::{Icon, icon};
use crate::components::layout::page_head;
use crate::components::loading::{empty_state, error_message, loaded, shown_if, table_skeleton};
use crate::components::table::{page_of_address, pages};
use crate::components::toast::toasts;
use crate::fns::documents::{Document, read_document};
use crate::fns::vendors::{OwnVendors, VendorCard, list_own_vendors};
use crate::i18n::texts;
use crate::pages::widget::{vendor_form, vendor_row};

/// The service in the dialog.
#[derive(Clone, Debug, PartialEq)]
enum Subject {
    New,
    Existing(Box<Document>),
}

pub fn page() -> AnyView {
    let t = texts();
    let toasts = toasts();
    let project = project_id();
    let page = page_of_address();
    let data = Resource::new(
        move || (project.get(), page.get()),
        |(project, page)| list_own_vendors(project, page),
    );
    let open = RwSignal::new(false);
    let subject = RwSignal::new(Subject::New);
    let new = move || {
        view! {
            <button
                type="button"
                class="button button-primary"
                on:click=move |_| {
                    subject.set(Subject::New);
                    open.set(true);
                }
            >
                {icon(Icon::Plus)}
                {t.own_service_new}
            </button>
        }
        .into_any()
    };
    let refresh = Callback::new(move |()| data.refetch());
    let edit = Callback::new(move |id: String| {
        spawn_local(async move {
            match read_document(Collection::Vendors, id).await {
                Ok(document) => {
                    subject.set(Subject::Existing(Box::new(document)));
                    open.set(true);
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    });
    let remove = deletion(Collection::Vendors, t.service_deleted, refresh);
    let content = loaded(data, table_skeleton, move |own: OwnVendors| {
        if own.total == 0 {
            let action = if own.can_edit { new() } else { ().into_any() };
            return view! {
                <div class="card">
                    {empty_state(Icon::Bolt, t.no_own_services_title, t.no_own_services_text, action)}
                </div>
            }
            .into_any();
        }
        let base = format!("/projects/{}/vendors", project.get_untracked());
        let foot = pages(own.page, own.per_page, own.total, &base);
        let rows = own
            .items
            .into_iter()
            .map(|card| row(card, own.can_edit, edit, remove))
            .collect_view();
        view! {
            <ul class="vendor-list">{rows}</ul>
            {foot}
        }
        .into_any()
    });
    let saved = Callback::new(move |_| {
        open.set(false);
        toasts.done(t.saved);
        data.refetch();
    });
    let form = move || {
        let cancel = Callback::new(move |()| open.set(false));
        let existing = match subject.get_untracked() {
            Subject::New => None,
            Subject::Existing(document) => Some(*document),
        };
        let form = vendor_form(
            project.get_untracked(),
            existing,
            String::new(),
            saved,
            cancel,
        );
        view! { <div class="dialog-body">{form}</div> }.into_any()
    };
    view! {
        <div class="page">
            {page_head(t.vendors, t.vendors_text, shown_if(data, |own| own.can_edit, new))}
            {dialog(open, t.own_service, true, form)}
            {content}
        </div>
    }
    .into_any()
}

fn row(
    card: VendorCard,
    can_edit: bool,
    edit: Callback<String>,
    remove: Callback<String>,
) -> AnyView {
    let t = texts();
    let title = card.title.clone();
    let actions = can_edit.then(|| {
        let (edited, removed) = (card.id.clone(), card.id.clone());
        view! {
            <button
                type="button"
                class="button button-small"
                aria-label=format!("{}: {title}", t.edit)
                on:click=move |_| edit.run(edited.clone())
            >
                {t.edit}
            </button>
            <button
                type="button"
                class="button button-quiet button-small button-icon"
                aria-label=format!("{}: {title}", t.remove)
                on:click=move |_| remove.run(removed.clone())
            >
                {icon(Icon::Trash)}
            </button>
        }
    });
    vendor_row(&card, view! { {actions} }.into_any())
}
