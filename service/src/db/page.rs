//! Paging of lists.

/// A page of a list, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Number of the page, from 1.
    pub number: u32,
    /// Entries on a page; callers ask for 1 to 100.
    pub size: u32,
}

impl Page {
    /// Entries on a page when the caller does not say.
    pub const DEFAULT_SIZE: u32 = 25;
    /// Most entries on a page; more is clamped.
    pub const MAX_SIZE: u32 = 100;

    /// A page from a caller's query. Missing values get defaults, and values out of range the
    /// nearest limit.
    pub fn new(number: Option<u32>, size: Option<u32>) -> Self {
        Self {
            number: number.unwrap_or(1).max(1),
            size: size.unwrap_or(Self::DEFAULT_SIZE).clamp(1, Self::MAX_SIZE),
        }
    }

    /// The first so many entries of a list whose entries are small.
    pub fn first(size: u32) -> Self {
        Self { number: 1, size }
    }

    /// Rows before this page, for `OFFSET`.
    pub fn offset(self) -> i64 {
        i64::from(self.number - 1) * i64::from(self.size)
    }

    /// Rows on this page, for `LIMIT`.
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::new(None, None)
    }
}

/// A page of a list in the order of time: its narrowing, its direction, its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The page of the list, counted after the search has narrowed it.
    pub page: Page,
    /// Only entries that hold every word of this text.
    pub text: String,
    /// Oldest first, in place of newest first.
    pub oldest_first: bool,
}

impl Asked {
    /// One of two orders of SQL: for newest first, and for oldest first.
    pub(crate) fn order(&self, newest: &'static str, oldest: &'static str) -> &'static str {
        if self.oldest_first { oldest } else { newest }
    }
}

impl From<Page> for Asked {
    fn from(page: Page) -> Self {
        Self {
            page,
            ..Self::default()
        }
    }
}

/// The entries of one page and how many there are in all.
#[derive(Clone, Debug)]
pub struct Listed<T> {
    /// Entries of this page, in order.
    pub items: Vec<T>,
    /// Entries of all pages.
    pub total: u64,
    /// The page that this is.
    pub page: Page,
}

/// The entries that follow a named entry, in place of a numbered page. They cost the same at any
/// distance from the start, and nothing is counted.
#[derive(Clone, Debug)]
pub struct Slice<T> {
    /// Entries of this slice, in order.
    pub items: Vec<T>,
    /// The requested number of entries.
    pub size: u32,
    /// True if others follow.
    pub more: bool,
}

impl<T> Slice<T> {
    /// A slice of `size` entries, from [`Slice::limit`] rows or all that there are.
    pub fn new(mut rows: Vec<T>, size: u32) -> Self {
        let most = usize::try_from(size).unwrap_or(usize::MAX);
        let more = rows.len() > most;
        rows.truncate(most);
        Self {
            items: rows,
            size,
            more,
        }
    }

    /// Rows to read for a slice of `size` entries: one more tells whether others follow.
    pub fn limit(size: u32) -> i64 {
        i64::from(size) + 1
    }

    /// The same slice with other entries.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Slice<U> {
        Slice {
            items: self.items.into_iter().map(f).collect(),
            size: self.size,
            more: self.more,
        }
    }
}

impl<T> Listed<T> {
    /// Number of the last page, at least 1.
    pub fn last_page(&self) -> u64 {
        self.total.div_ceil(u64::from(self.page.size)).max(1)
    }

    /// The same page with other entries.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Listed<U> {
        Listed {
            items: self.items.into_iter().map(f).collect(),
            total: self.total,
            page: self.page,
        }
    }
}
