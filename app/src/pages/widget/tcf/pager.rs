//! The pages of a list that stands in the section. They are none of the address.

use leptos::prelude::*;

use crate::components::focus::focus_when_there;
use crate::components::search::typed;
use crate::i18n::{fill, number, texts};
use crate::icon::{Icon, icon};

/// Rows of a page.
pub const PER_PAGE: u32 = 10;

/// Ids of a list's controls.
pub struct Names {
    pub search: &'static str,
    pub previous: &'static str,
    pub next: &'static str,
}

/// The field that searches the list. A new text leads to its first page.
pub fn search(
    names: &'static Names,
    label: &'static str,
    text: RwSignal<String>,
    page: RwSignal<u32>,
) -> AnyView {
    typed(Some(names.search.to_owned()), label, text, move || {
        page.set(1);
    })
}

/// In place of the rows of a page past the end: the way to the last page. The list may have become shorter since the
/// page before.
pub fn past_end(names: &'static Names, page: RwSignal<u32>, total: u64) -> Option<AnyView> {
    let last = total.div_ceil(u64::from(PER_PAGE));
    let last = u32::try_from(last).unwrap_or(1);
    (last > 0 && page.get_untracked() > last).then(|| {
        let back = move |_| {
            page.set(last);
            focus_when_there(vec![names.previous.to_owned(), names.search.to_owned()]);
        };
        view! {
            <p>
                <button type="button" class="button button-small" on:click=back>
                    {texts().past_end}
                </button>
            </p>
        }
        .into_any()
    })
}

/// "21–40 of 1,214" with buttons: the page is none of the address.
pub fn pager(names: &'static Names, page: RwSignal<u32>, total: u64) -> Option<AnyView> {
    let t = texts();
    let size = u64::from(PER_PAGE);
    if total <= size {
        return None;
    }
    let now = page.get_untracked();
    let first = u64::from(now.saturating_sub(1)) * size + 1;
    let last = (first + size - 1).min(total);
    let values = [number(first), number(last), number(total)];
    let [from, to, of] = &values;
    let range = fill(t.range_of, &[("first", from), ("last", to), ("total", of)]);
    let button = |id: &'static str, to: u32, off: bool, label: &'static str, picture: Icon| {
        view! {
            <button
                type="button"
                class="button button-small button-icon"
                id=id
                aria-label=label
                disabled=off
                on:click=move |_| {
                    page.set(to);
                    // The buttons are drawn anew with the rows.
                    focus_when_there(vec![id.to_owned(), names.search.to_owned()]);
                }
            >
                {icon(picture)}
            </button>
        }
    };
    let foot = view! {
        <div class="row-between">
            <span class="muted small" role="status">{range}</span>
            <div class="pager" role="group" aria-label=t.pages>
                {button(names.previous, now.saturating_sub(1), now <= 1, t.previous_page, Icon::ChevronLeft)}
                {button(names.next, now + 1, last >= total, t.next_page, Icon::ChevronRight)}
            </div>
        </div>
    };
    Some(foot.into_any())
}
