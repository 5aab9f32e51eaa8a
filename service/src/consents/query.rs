//! The filters and pages of lists of consents.

use std::fmt;

use domain::{
    choices::Outcome,
    consent::{Consent, ConsentCollection},
};
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::page::{Listed, Page, Slice},
};

/// A time from `start` up to, and without, `end`; by the time of decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First moment.
    pub start: Option<Timestamp>,
    /// First moment after it.
    pub end: Option<Timestamp>,
}

impl fmt::Display for Span {
    /// An interval of ISO 8601-2, open where a side is absent: `2026-11-01T00:00:00.000Z/..`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |time: Option<Timestamp>| time.map_or("..".to_owned(), |time| time.to_string());
        write!(formatter, "{}/{}", side(self.start), side(self.end))
    }
}

/// A list's page, order and filters.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// Which page; only its size counts with `after`.
    pub page: Page,
    /// Id of the consent after which to go on: costs the same however far that is.
    pub after: Option<Uuid>,
    /// Only consents decided then.
    pub span: Span,
    /// Only consents of this token.
    pub token: Option<String>,
    /// Only consents to this collection.
    pub collection: Option<ConsentCollection>,
    /// Only consents to this configuration or box.
    pub identifier: Option<Uuid>,
    /// Only consents with this outcome.
    pub outcome: Option<Outcome>,
    /// Oldest first.
    pub ascending: bool,
}

impl ListQuery {
    /// True if the query has no filter and so means every consent of the project.
    pub(super) fn is_unfiltered(&self) -> bool {
        self.span == Span::default()
            && self.token.is_none()
            && self.collection.is_none()
            && self.identifier.is_none()
            && self.outcome.is_none()
    }
}

/// A page or a slice of a list.
#[derive(Clone, Debug)]
pub enum Listing {
    /// A numbered page, with the count of all.
    Page(Listed<Consent>),
    /// The consents after the named one.
    After(Slice<Consent>),
}

impl Listing {
    /// Its consents.
    pub fn items(&self) -> &[Consent] {
        match self {
            Self::Page(list) => &list.items,
            Self::After(slice) => &slice.items,
        }
    }
}
