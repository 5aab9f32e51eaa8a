//! Permissions of API keys.

crate::words! {
    /// A permission of an API key.
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
    pub enum Scope {
        /// Reads documents and publish jobs.
        Read = "read",
        /// Makes, changes and deletes documents, except what decides about consents that are there.
        Write = "write",
        /// Publishes.
        Publish = "publish",
        /// Reads consents and tokens of end users; with `write`, imports and erases them, changes what decides about
        /// them, and deletes projects.
        Consents = "consents",
    }
}

#[cfg(all(test, feature = "schema"))]
mod tests {
    use utoipa::PartialSchema;

    use super::Scope;

    #[test]
    fn the_schema_has_the_words_of_the_values() {
        let schema = serde_json::to_value(Scope::schema()).unwrap();
        assert_eq!(schema["enum"], serde_json::json!(Scope::WORDS));
        assert_eq!(
            serde_json::json!(Scope::ALL),
            serde_json::json!(Scope::WORDS)
        );
    }
}
