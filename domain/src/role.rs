//! Roles on a project, an organization or one document.

/// Permission of a member; each role includes the roles before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Role {
    /// Reads everything of the project.
    Viewer,
    /// Changes documents and publishes.
    Editor,
    /// Also changes members and deletes the project.
    Owner,
}

impl Role {
    /// The word used in JSON and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// Reads the word of [`Role::as_str`].
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Viewer, Self::Editor, Self::Owner]
            .into_iter()
            .find(|role| role.as_str() == word)
    }
}
