//! Puts the demo banner on projects whose plan stayed with an organization that they have left.

use uuid::Uuid;

use super::Publish;
use crate::{
    error::Result,
    events::ProjectMoved,
    jobs::{Claim, Ended, Job},
};

impl Job for ProjectMoved {
    const KIND: &'static str = "moved";
    type Worker = Publish;

    fn lane(&self, _: Uuid) -> String {
        super::lane(self.0)
    }

    async fn run(self, publish: &Publish, claim: Claim) -> Ended {
        match publish.follow_plan(self.0).await {
            Ok(()) => Ended::Done,
            Err(error) => Ended::patiently(error.to_string(), claim.attempts),
        }
    }

    async fn give_up(self, _: &Publish, _: Claim, cause: &str) {
        tracing::error!(project.id = %self.0, cause, "a project that was moved keeps its banner or lack of one");
    }
}

impl Publish {
    /// Publishes a live project again if its plan no longer allows it without the banner. In the other direction the next
    /// publish follows, which somebody pays for: so moving to and fro makes no work.
    async fn follow_plan(&self, project: Uuid) -> Result<()> {
        if self.billing.has_lost_its_plan(project).await? {
            self.republish(Some(project), true).await?;
        }
        Ok(())
    }
}
