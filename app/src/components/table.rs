//! The foot of a list: where one is in it, and the way on.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::address::{address, page_number};
use crate::i18n::{Texts, count, fill, number, texts};
use crate::icon::{Icon, icon};

/// "Show all 31", for a list that is there whole and shows its first entries, until it is pressed.
pub fn show_all(
    t: &'static Texts,
    total: usize,
    first: usize,
    all: RwSignal<bool>,
) -> Option<impl IntoView> {
    (total > first && !all.get()).then(|| {
        view! {
            <button type="button" class="button" on:click=move |_| all.set(true)>
                {count(total as u64, t.show_all, t.show_all)}
            </button>
        }
    })
}

/// The head of a column that sorts its table: a link, and the direction if the table is sorted by it.
pub fn sort_head(
    label: &'static str,
    class: &'static str,
    direction: Option<&'static str>,
    href: String,
    title: Option<&'static str>,
) -> AnyView {
    view! {
        <th scope="col" class=class aria-sort=direction>
            <a class="sort" href=href title=title>
                {label}
                {direction.map(|_| icon(Icon::ChevronDown))}
            </a>
        </th>
    }
    .into_any()
}

/// The page number in the address.
pub fn page_of_address() -> Memo<u32> {
    let query = use_query_map();
    Memo::new(move |_| {
        let page = query.with(|query| query.get("page").unwrap_or_default());
        page.parse::<u32>().unwrap_or(1).max(1)
    })
}

/// [`pager`] of a list under an address, where it is needed.
pub fn pages(page: u32, per_page: u32, total: u64, base: &str) -> Option<AnyView> {
    has_pager(page, per_page, total).then(|| {
        pager(page, per_page, total, |number| {
            address(base, &[("page", &page_number(number))])
        })
    })
}

/// True if a list has more than one page, or the address names one that it does not have.
pub fn has_pager(page: u32, per_page: u32, total: u64) -> bool {
    total > u64::from(per_page) || page > 1
}

/// "26–50 of 1,234" with links to the previous and the next page. Past the end, a link to the last one.
pub fn pager(page: u32, per_page: u32, total: u64, href: impl Fn(u32) -> String) -> AnyView {
    let t = texts();
    let first = u64::from(page.saturating_sub(1)) * u64::from(per_page) + 1;
    if first > total && page > 1 {
        let last = total.div_ceil(u64::from(per_page).max(1)).max(1);
        let link = href(u32::try_from(last).unwrap_or(1));
        return view! { <div class="table-foot"><a href=link>{t.past_end}</a></div> }.into_any();
    }
    let last = (first + u64::from(per_page) - 1).min(total);
    let range = fill(
        t.range_of,
        &[
            ("first", &number(first)),
            ("last", &number(last)),
            ("total", &number(total)),
        ],
    );
    let link = |enabled: bool, page: u32, label: &'static str, picture: Icon| {
        if enabled {
            view! {
                <a class="button button-small button-icon" href=href(page) aria-label=label>
                    {icon(picture)}
                </a>
            }
            .into_any()
        } else {
            view! {
                <button type="button" class="button button-small button-icon" disabled aria-label=label>
                    {icon(picture)}
                </button>
            }
            .into_any()
        }
    };
    let previous = link(
        page > 1,
        page.saturating_sub(1),
        t.previous_page,
        Icon::ChevronLeft,
    );
    let next = link(last < total, page + 1, t.next_page, Icon::ChevronRight);
    view! {
        <div class="table-foot">
            <span>{range}</span>
            <nav class="pager" aria-label=t.pages>{previous} {next}</nav>
        </div>
    }
    .into_any()
}
