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
    /// Also erases consents and reads the audit log: a data protection officer, who changes no document.
    Dpo,
    /// Changes documents and publishes.
    Editor,
    /// Also changes members and deletes the project.
    Owner,
}

impl Role {
    /// Every role, the weakest first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Dpo, Self::Editor, Self::Owner];

    /// The word used in JSON and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Dpo => "dpo",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// Reads the word of [`Role::as_str`].
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}
