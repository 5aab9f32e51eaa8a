//! Permissions of API keys.

crate::words! {
    /// A permission of an API key.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum Scope {
        /// Reads documents and publish jobs.
        "read" Read,
        /// Makes, changes and deletes documents.
        "write" Write,
        /// Publishes.
        "publish" Publish,
        /// Reads consents and tokens of end users; with `write`, imports and erases them.
        "consents" Consents,
    }
}
