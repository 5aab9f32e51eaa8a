//! Objects of deleted files. A job removes them, because the storage may be away when the rows go.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Assets;
use crate::jobs::{Claim, Ended, Job};

/// Removes objects that no row names any more.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RemoveObjects(pub(super) Vec<String>);

impl Job for RemoveObjects {
    const KIND: &'static str = "assets.removal";
    type Worker = Assets;

    fn lane(&self, id: Uuid) -> String {
        format!("assets:{id}")
    }

    async fn run(self, assets: &Assets, claim: Claim) -> Ended {
        match assets.files.remove(&self.0).await {
            Ok(()) => Ended::Done,
            Err(error) => Ended::patiently(error.to_string(), claim.attempts),
        }
    }
}
