//! The common parts of editors: they save while somebody types, undo and redo changes, and
//! lead on to publishing, which is another page.

use leptos::prelude::*;
use leptos_meta::Title;

use super::autosave::{save_at_once, save_by_itself, save_on_leaving};
use super::history::History;
use super::layout::crumbs;
use super::save::{Saver, status_of};
use super::unsaved::{Flush, guard_or_flush};
use crate::i18n::texts;
use crate::icon::{Icon, icon};
use crate::map::Page;

/// The head above the form of an editor.
pub struct Head {
    /// The project's id and title.
    pub project: (String, String),
    /// The page with the document's list.
    pub list: Page,
    pub title: Memo<String>,
    pub can_edit: bool,
    /// The button that opens the preview.
    pub preview: AnyView,
}

/// The head of an editor's page. From here on the page's document is saved by itself, and with it
/// `other`, which can be changed there, too.
pub fn editor_head(saver: Saver, other: Option<Saver>, head: Head) -> AnyView {
    let t = texts();
    let Head {
        project: (project, project_title),
        list,
        title,
        can_edit,
        preview,
    } = head;
    let savers: Vec<Saver> = std::iter::once(saver).chain(other).collect();
    let history = History::new(&savers);
    let status = status_of(savers.clone());
    let conflicts = keep_saved(savers, can_edit);
    history.keys();
    // The server writes the title when the rest of the page is done, and its signals may be gone by then.
    let first = title.get_untracked();
    let page_title = move || title.try_get().unwrap_or_else(|| first.clone());
    let publish = Page::Publish.at(&[&project]);
    let above = vec![
        (Page::Overview.at(&[&project]), project_title),
        (list.at(&[&project]), list.title(t).to_owned()),
    ];
    let trail = crumbs(above, title.get_untracked());
    view! {
        {conflicts}
        <Title text=page_title />
        <header class="page-head">
            <div class="stack-tight">
                {trail}
                <h1>{title}</h1>
            </div>
            <div class="page-actions">
                {status}
                {can_edit.then(|| history.buttons(t))}
                {preview}
                {can_edit.then(|| view! {
                    <a class="button button-primary" href=publish>
                        {icon(Icon::Publish)}
                        {t.publish}
                    </a>
                })}
            </div>
        </header>
    }
    .into_any()
}

/// From here on the documents are saved by themselves: after a pause in typing, and before a link is followed. Gives the
/// dialogs about changes of somebody else.
pub fn keep_saved(savers: Vec<Saver>, can_edit: bool) -> AnyView {
    for saver in &savers {
        saver.draft.read_only.set(!can_edit);
        save_by_itself(*saver);
        save_on_leaving(*saver);
    }
    let conflicts = savers.iter().copied().map(Saver::conflict_dialog);
    let conflicts = conflicts.collect_view();
    let savers = StoredValue::new(savers);
    let dirty = Signal::derive(move || {
        savers.with_value(|savers| savers.iter().any(|saver| saver.draft.dirty()))
    });
    let flush = Flush {
        save: Callback::new(move |()| {
            savers.with_value(|savers| savers.iter().copied().for_each(save_at_once));
        }),
        stuck: Signal::derive(move || {
            savers.with_value(|savers| savers.iter().any(|saver| saver.stuck()))
        }),
        discard: Callback::new(move |()| {
            savers.with_value(|savers| savers.iter().for_each(|saver| saver.discard()));
        }),
    };
    guard_or_flush(dirty, Some(flush));
    conflicts.into_any()
}

/// A part of an editor's form, with its title and a sentence about it.
pub fn section(title: &'static str, text: &'static str, fields: AnyView) -> AnyView {
    view! {
        <section class="card card-pad form form-wide" aria-label=title>
            <div class="stack-tight">
                <h2>{title}</h2>
                <p class="muted">{text}</p>
            </div>
            {fields}
        </section>
    }
    .into_any()
}
