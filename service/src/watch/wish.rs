//! The wishes for a list of projects, and its entries.

use uuid::Uuid;

use crate::db::page::Page;

/// Most projects that are named by their ids.
pub const MOST_IDS: usize = 20;

/// The order of a list of projects; ties go by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By title: without regard to case and accents, numbers by their value.
    #[default]
    Name,
    /// Most consents of the last seven days first.
    Consents,
    /// Most concerns first, as the last look found them.
    Concerns,
    /// Live for the longest time without a publish first, behind those that are not live.
    Published,
}

/// A list of projects.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Only projects in whose title or site each word of this text occurs.
    pub text: String,
    /// Only projects of this organization.
    pub organization: Option<Uuid>,
    /// Only projects to which the reader came by an own act.
    pub is_own: bool,
    /// Only these projects, at most [`MOST_IDS`] of them.
    pub ids: Option<Vec<Uuid>>,
    /// In which order.
    pub order: Order,
    /// Which page.
    pub page: Page,
}

/// A project by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its id.
    pub id: Uuid,
    /// Its title.
    pub title: String,
    /// The address of its site.
    pub site: String,
}
