//! The pages, orders and filters of lists of the catalogue.

use crate::db::page::Page;

/// A list's page, order, filters and form.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// Which page.
    pub page: Page,
    /// In which order.
    pub sort: Sort,
    /// Only entries that can be chosen, or cannot.
    pub enabled: Option<bool>,
    /// Only entries that are deprecated, or are not.
    pub deprecated: Option<bool>,
    /// Only entries in which every word of this text occurs.
    pub text: String,
    /// Only entries that fit all of these.
    pub filters: Vec<Filter>,
    /// The entries to embed.
    pub embed: Embed,
    /// Language of the descriptions.
    pub language: String,
}

/// The entries that are embedded instead of their ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Embed {
    /// Categories.
    pub categories: bool,
    /// The company.
    pub company: bool,
}

/// A condition on a field of `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The field.
    pub field: Field,
    /// It must be, or hold, one of these.
    pub one_of: Vec<String>,
}

/// A field that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The slug.
    Name,
    /// The title, without regard to case and accents.
    Title,
    /// A category's id or name.
    Categories,
    /// The company's id or name.
    Company,
    /// A host.
    Domains,
}

impl Field {
    /// Reads the name of a field.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "name" => Self::Name,
            "title" => Self::Title,
            "categories" => Self::Categories,
            "company" => Self::Company,
            "domains" => Self::Domains,
            _ => return None,
        })
    }
}

/// The order of a list; ties go by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// The field to compare.
    pub by: Order,
    /// Greatest first.
    pub descending: bool,
}

/// The sort keys of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The title, without regard to case and accents.
    #[default]
    Title,
    /// The slug.
    Name,
    /// The id.
    Id,
}

impl Sort {
    /// Reads `title`, `-name`, `data.title` or `id`.
    pub fn parse(text: &str) -> Option<Self> {
        let (descending, name) = text
            .strip_prefix('-')
            .map_or((false, text), |name| (true, name));
        let by = match name.strip_prefix("data.").unwrap_or(name) {
            "title" => Order::Title,
            "name" => Order::Name,
            "id" => Order::Id,
            _ => return None,
        };
        Some(Self { by, descending })
    }
}
