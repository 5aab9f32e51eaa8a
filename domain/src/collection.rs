//! The collections of the vault, in one table.

/// Declares the collections: path segment, name of a document's schema, a document and several in words.
macro_rules! collections {
    ($($(#[$about:meta])+ $name:ident = $segment:literal, $schema:literal, $one:literal, $many:literal;)+) => {
        /// A vault collection.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(rename_all = "lowercase")
        )]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        pub enum Collection {
            $($(#[$about])+ $name,)+
        }

        impl Collection {
            /// All collections.
            pub const ALL: [Self; [$($segment),+].len()] = [$(Self::$name),+];

            /// The path segment, also used in the database.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $segment,)+
                }
            }

            /// Name of its documents among the schemas of the OpenAPI document.
            pub const fn schema_name(self) -> &'static str {
                match self {
                    $(Self::$name => $schema,)+
                }
            }

            /// A document of it, in English.
            pub const fn one(self) -> &'static str {
                match self {
                    $(Self::$name => $one,)+
                }
            }

            /// Its documents, in English.
            pub const fn many(self) -> &'static str {
                match self {
                    $(Self::$name => $many,)+
                }
            }
        }
    };
}

collections! {
    /// Projects.
    Projects = "projects", "ProjectDocument", "a project", "projects";
    /// Cookie configurations.
    Cookies = "cookies", "CookieConfiguration", "a cookie configuration", "cookie configurations";
    /// Custom vendors.
    Vendors = "vendors", "CustomVendor", "a custom vendor", "custom vendors";
    /// Consent boxes.
    Processings = "processings", "ConsentBox", "a consent box", "consent boxes";
    /// Contract boxes.
    Contracts = "contracts", "ContractBox", "a contract box", "contract boxes";
}

impl Collection {
    /// Reads the path segment of [`Collection::as_str`].
    pub fn parse(segment: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|collection| collection.as_str() == segment)
    }
}
