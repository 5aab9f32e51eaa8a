//! Makes the published files of deleted projects inert.

use std::sync::Arc;

use futures::future::BoxFuture;
use uuid::Uuid;

use super::{Publish, WITHDRAW, stop::Stop, store, switch::retire};
use crate::{
    delivery::Switched,
    jobs::{Ended, Handler, Job},
};

/// Runs the jobs of deleted projects.
pub struct WithdrawHandler(pub Arc<crate::Placet>);

impl Handler for WithdrawHandler {
    fn kind(&self) -> &'static str {
        WITHDRAW
    }

    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            match self.0.publish.withdraw(job).await {
                Ok(()) => Ended::Done,
                Err(stop) => Ended::Retry(stop.cause()),
            }
        })
    }

    fn give_up<'a>(&'a self, job: &'a Job, cause: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            tracing::error!(
                project.id = job.payload,
                cause,
                "a deleted project is still published"
            );
        })
    }
}

impl Publish {
    async fn withdraw(&self, job: &Job) -> Result<(), Stop> {
        let project =
            Uuid::parse_str(&job.payload).map_err(|error| Stop::Later(error.to_string()))?;
        // Restored meanwhile: it stays live.
        if store::project_exists(&self.db, project).await? {
            return Ok(());
        }
        let Some(live) = store::live(&self.db, project).await? else {
            return Ok(());
        };
        let files = live.files();
        for file in &files {
            retire(self, file).await?;
        }
        let keys: Vec<String> = files.into_iter().map(|file| file.key).collect();
        let switched = Switched {
            project,
            keys: &keys,
            reference: &job.id.to_string(),
        };
        self.delivery.clear(&switched).await.map_err(Stop::Later)?;
        store::forget_live(&self.db, project).await?;
        tracing::info!(project.id = %project, "a deleted project was withdrawn");
        Ok(())
    }
}
