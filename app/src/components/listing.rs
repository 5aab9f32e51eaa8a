//! The tools of a list: its search, its order, its pages, and the words where nothing fits. The address names all of
//! them, so that going back, reloading and sharing work.
//!
//! A list that has more than a page gets the search. One that its bounds keep shorter than a page needs none.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::loading::empty_state;
use super::search::{Search, order};
use super::table::{has_pager, page_of_address, pager, sort_head};
use crate::address::{address, page_number};
use crate::fns::listing::Listing;
use crate::i18n::{ListingTexts, texts};
use crate::icon::Icon;

/// The state of the list of this page.
pub fn listing_of_address() -> Memo<Listing> {
    let query = use_query_map();
    let page = page_of_address();
    Memo::new(move |_| {
        let word = |name: &str| query.with(|query| query.get(name).unwrap_or_default());
        Listing {
            text: word("q").trim().to_owned(),
            sort: word("sort"),
            page: page.get(),
        }
    })
}

/// A list as it is shown.
pub struct Shown<'a> {
    /// Its path.
    pub base: &'a str,
    pub listing: &'a Listing,
    /// Further names and values of its address. Empty values are left out.
    pub kept: Vec<(&'static str, &'static str)>,
    pub per_page: u32,
    pub total: u64,
}

impl Shown<'_> {
    /// True if a search left entries out.
    pub fn is_searched(&self) -> bool {
        !self.listing.text.is_empty()
    }

    /// True if there is nothing, and not because of a search.
    pub fn is_empty(&self) -> bool {
        self.total == 0 && !self.is_searched()
    }

    fn address(&self, listing: &Listing) -> String {
        let page = page_number(listing.page);
        let mut query = vec![
            ("q", listing.text.as_str()),
            ("sort", listing.sort.as_str()),
        ];
        query.extend(&self.kept);
        query.push(("page", &page));
        address(self.base, &query)
    }

    /// The address of the list without a search.
    fn whole(&self) -> String {
        self.address(&Listing {
            text: String::new(),
            page: 1,
            ..self.listing.clone()
        })
    }

    /// The search, where there is something to search. `orders` are those of a list without heads that turn it.
    pub fn search<const N: usize>(
        &self,
        label: &'static str,
        orders: [(&'static str, &'static str); N],
    ) -> Option<AnyView> {
        let listing = self.listing;
        if !has_pager(listing.page, self.per_page, self.total) && !self.is_searched() {
            return None;
        }
        let w = ListingTexts::of_this_page();
        let mut kept = self.kept.clone();
        let order = if N == 0 {
            let sort = listing.is_oldest_first().then_some(Listing::OLDEST);
            kept.push(("sort", sort.unwrap_or_default()));
            ().into_any()
        } else {
            order(w.order, orders, &listing.sort)
        };
        let search = Search {
            action: self.base.to_owned(),
            name: "q",
            label,
            text: listing.text.clone(),
            kept,
            order,
            whole: self.is_searched().then(|| self.whole()),
        };
        Some(search.view())
    }

    /// [`Shown::search`] of a list by time without heads.
    pub fn search_by_time(&self, label: &'static str) -> Option<AnyView> {
        let w = ListingTexts::of_this_page();
        let orders = [("", w.newest_first), (Listing::OLDEST, w.oldest_first)];
        self.search(label, orders)
    }

    /// The head of the column of times, which turns the list.
    pub fn time_head(&self, label: &'static str) -> AnyView {
        let is_oldest_first = self.listing.is_oldest_first();
        let sort = if is_oldest_first { "" } else { Listing::OLDEST };
        let turned = Listing {
            sort: sort.to_owned(),
            page: 1,
            ..self.listing.clone()
        };
        time_head(label, is_oldest_first, self.address(&turned))
    }

    /// The words of a search without result, with the way to the whole list.
    pub fn nothing_fits(&self) -> AnyView {
        let t = texts();
        let clear = view! { <a class="button" href=self.whole()>{t.clear_filter}</a> };
        let text = ListingTexts::of_this_page().nothing_fits;
        empty_state(Icon::Search, t.nothing_fits_title, text, clear.into_any())
    }

    /// The pages, where there are several.
    pub fn pages(&self) -> Option<AnyView> {
        let page = self.listing.page;
        has_pager(page, self.per_page, self.total).then(|| {
            pager(page, self.per_page, self.total, |page| {
                let listing = self.listing.clone();
                self.address(&Listing { page, ..listing })
            })
        })
    }
}

/// The head of a column of times: a link to the list in the other direction.
pub fn time_head(label: &'static str, is_oldest_first: bool, turned: String) -> AnyView {
    let w = ListingTexts::of_this_page();
    let (direction, title) = if is_oldest_first {
        ("ascending", w.newest_first)
    } else {
        ("descending", w.oldest_first)
    };
    sort_head(label, "", Some(direction), turned, Some(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_only_what_is_not_usual() {
        let listing = Listing {
            page: 1,
            ..Listing::default()
        };
        let mut shown = Shown {
            base: "/trash",
            listing: &listing,
            kept: vec![("action", "")],
            per_page: 25,
            total: 26,
        };
        assert_eq!(shown.address(&listing), "/trash");
        assert_eq!(shown.whole(), "/trash");
        let other = Listing {
            text: "a&b".to_owned(),
            sort: Listing::OLDEST.to_owned(),
            page: 2,
        };
        shown.listing = &other;
        shown.kept = vec![("action", "made")];
        assert_eq!(
            shown.address(&other),
            "/trash?q=a%26b&sort=oldest&action=made&page=2"
        );
        assert_eq!(shown.whole(), "/trash?sort=oldest&action=made");
        assert!(!shown.is_empty());
    }
}
