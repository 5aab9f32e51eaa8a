//! Concerns: states of a project that its people should look at.

use serde::{Deserialize, Serialize};

/// A kind of concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    NoConsents,
    SnippetGone,
    PublishFailed,
    PublishWaits,
    WebhookOff,
}

/// A concern of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concern {
    pub kind: Kind,
    /// Milliseconds since 1970 at its beginning.
    pub since: i64,
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use service::concerns;
    use uuid::Uuid;

    use super::{Concern, Kind};
    use crate::error::UiError;
    use crate::fns::server::{actor, placet, refuse};

    /// The concerns of a project now.
    pub async fn concerns(project: Uuid) -> Result<Vec<Concern>, UiError> {
        let found = placet()?.watch.concerns(actor()?, project).await;
        Ok(found.map_err(refuse)?.into_iter().map(shown).collect())
    }

    fn shown(concern: concerns::Concern) -> Concern {
        Concern {
            kind: match concern.kind {
                concerns::ConcernKind::NoConsents => Kind::NoConsents,
                concerns::ConcernKind::SnippetGone => Kind::SnippetGone,
                concerns::ConcernKind::PublishFailed => Kind::PublishFailed,
                concerns::ConcernKind::PublishWaits => Kind::PublishWaits,
                concerns::ConcernKind::WebhookOff => Kind::WebhookOff,
            },
            since: concern.since.millis(),
        }
    }
}
