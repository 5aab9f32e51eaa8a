//! Makes the published files of deleted projects inert.

use uuid::Uuid;

use super::{Publish, stop::Stop, store, upload::retire};
use crate::{
    events::ProjectDeleted,
    jobs::{Claim, Ended, Job},
    network::Switched,
};

impl Job for ProjectDeleted {
    const KIND: &'static str = "withdraw";
    type Worker = Publish;

    fn lane(&self, _: Uuid) -> String {
        super::lane(self.0)
    }

    async fn run(self, publish: &Publish, claim: Claim) -> Ended {
        let Err(stop) = publish.withdraw(self.0, claim.id).await else {
            return Ended::Done;
        };
        match publish.is_restored(self.0).await {
            // Its publishes would wait for the next attempt.
            Ok(true) => Ended::Done,
            Ok(false) | Err(_) => Ended::patiently(stop.cause(), claim.attempts),
        }
    }

    async fn give_up(self, _: &Publish, _: Claim, cause: &str) {
        tracing::error!(project.id = %self.0, cause, "a deleted project is still published");
    }
}

impl Publish {
    /// Withdraws deleted projects that are still published, since their job was given up. Each gets one more, whose id is
    /// the project's.
    pub(crate) async fn withdraw_deleted(&self) -> crate::error::Result<()> {
        for project in store::live_and_deleted(&self.db).await? {
            self.jobs
                .enqueue_once(project, &ProjectDeleted(project))
                .await?;
        }
        Ok(())
    }

    /// True if the project is there again. It stays live then.
    async fn is_restored(&self, project: Uuid) -> Result<bool, Stop> {
        Ok(store::project(&self.db, project).await?.is_some())
    }

    async fn withdraw(&self, project: Uuid, job: Uuid) -> Result<(), Stop> {
        if self.is_restored(project).await? {
            return Ok(());
        }
        let Some(live) = store::live(&self.db, project).await? else {
            return Ok(());
        };
        let keys = live.files().into_iter().map(|file| file.key);
        let keys: Vec<String> = keys.chain(live.left()).collect();
        for key in &keys {
            retire(self, key).await?;
        }
        let switched = Switched {
            project,
            keys: &keys,
            reference: &job.to_string(),
        };
        self.delivery.clear(&switched).await.map_err(Stop::Later)?;
        store::forget_live(&self.db, project).await?;
        tracing::info!(project.id = %project, "a deleted project was withdrawn");
        Ok(())
    }
}
