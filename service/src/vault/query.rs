//! The filters, orders and pages of lists of documents.

use uuid::Uuid;

use crate::db::page::Page;

/// Most documents that are named by their ids in one list.
pub const MOST_CHOSEN: usize = 1_000;

/// A list's page, order and filters.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// Which page.
    pub page: Page,
    /// In which order.
    pub sort: Sort,
    /// Only documents of this project.
    pub project_id: Option<Uuid>,
    /// Only these documents, at most [`MOST_CHOSEN`] of them.
    pub ids: Option<Vec<Uuid>>,
    /// Only documents that hold this text.
    pub text: Option<String>,
    /// Only documents whose fields fit, all of them.
    pub filters: Vec<Filter>,
    /// Documents that are deleted and can be restored, in place of the others.
    pub deleted: bool,
}

/// The page and the filters of a list of vendors.
#[derive(Clone, Debug, Default)]
pub struct VendorQuery {
    /// Which page.
    pub page: Page,
    /// Only vendors in whose title, name, company or domains every word of this text occurs.
    pub text: String,
    /// Only some of them.
    pub only: Option<Only>,
    /// Language of descriptions and categories.
    pub language: String,
}

/// Some of the vendors of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Those that a configuration names.
    Named,
    /// Custom vendors.
    Custom,
}

/// A condition on a field of `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Name of the field: letters, digits and `_`.
    pub field: String,
    /// JSON texts of which the field's must be one.
    pub one_of: Vec<String>,
}

impl Filter {
    /// A field that equals one of these words, as a string or as a literal (`5`, `true`).
    pub fn words<'a>(field: &str, words: impl IntoIterator<Item = &'a str>) -> Self {
        let one_of = words
            .into_iter()
            .flat_map(|word| [serde_json::Value::from(word).to_string(), word.to_owned()])
            .collect();
        Self {
            field: field.to_owned(),
            one_of,
        }
    }

    /// A field that is this truth value.
    pub fn flag(field: &str, value: bool) -> Self {
        Self {
            field: field.to_owned(),
            one_of: vec![value.to_string()],
        }
    }
}

/// The order of a list; ties go by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// The field to compare.
    pub by: SortKey,
    /// Greatest first.
    pub descending: bool,
}

/// The sort keys of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKey {
    /// First written.
    CreatedAt,
    /// Last written.
    UpdatedAt,
    /// A field of `data`, compared as JSON text.
    Field(String),
}

impl Default for Sort {
    fn default() -> Self {
        Self {
            by: SortKey::CreatedAt,
            descending: false,
        }
    }
}

impl Sort {
    /// Reads `createdAt`, `-updatedAt`, `data.title` or `title`.
    pub fn parse(text: &str) -> Option<Self> {
        let (descending, name) = text
            .strip_prefix('-')
            .map_or((false, text), |name| (true, name));
        let by = match name {
            "createdAt" | "id" => SortKey::CreatedAt,
            "updatedAt" => SortKey::UpdatedAt,
            name => {
                let field = name.strip_prefix("data.").unwrap_or(name);
                SortKey::Field(is_field(field).then(|| field.to_owned())?)
            }
        };
        Some(Self { by, descending })
    }
}

/// True if this can be the name of a field of `data` in a query.
pub fn is_field(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
