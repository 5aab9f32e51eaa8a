//! The five collections of the vault, and the three of them that collect consents.

/// A vault collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Collection {
    /// Projects.
    Projects,
    /// Cookie configurations.
    Cookies,
    /// Custom vendors.
    Vendors,
    /// Consent boxes.
    Processings,
    /// Contract boxes.
    Contracts,
}

impl Collection {
    /// All collections.
    pub const ALL: [Self; 5] = [
        Self::Projects,
        Self::Cookies,
        Self::Vendors,
        Self::Processings,
        Self::Contracts,
    ];

    /// The path segment, also used in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Projects => "projects",
            Self::Cookies => "cookies",
            Self::Vendors => "vendors",
            Self::Processings => "processings",
            Self::Contracts => "contracts",
        }
    }

    /// Reads the path segment of [`Collection::as_str`].
    pub fn parse(segment: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|collection| collection.as_str() == segment)
    }

    /// True if visitors give consents to documents of this collection.
    pub fn collects_consents(self) -> bool {
        matches!(self, Self::Cookies | Self::Processings | Self::Contracts)
    }
}
