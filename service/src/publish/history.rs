//! The publish jobs of a project, as callers read them.

use domain::{error_code::ErrorCode, publish::JobStatus};
use uuid::Uuid;

use super::{
    Publish,
    progress::{JobError, JobLinks, PublishJob},
    remarks::{DocumentError, DocumentWarning, Remarks},
    store,
};
use crate::{
    access::{self, Actor, Need},
    db::page::{Asked, Listed, Slice},
    error::{Error, Result},
    search,
};

/// Milliseconds that a client waits between two polls of a job.
const POLLING_INTERVAL_MS: u64 = 500;

impl Publish {
    /// A job as it stands now.
    pub async fn read(&self, actor: Actor, project: Uuid, job: Uuid) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let row = store::lookup(&self.db, project, job)
            .await?
            .ok_or(Error::NotFound)?;
        self.record(row)
    }

    /// A job as it stands now, for the product itself.
    pub(crate) async fn lookup(&self, project: Uuid, job: Uuid) -> Result<Option<PublishJob>> {
        let row = store::lookup(&self.db, project, job).await?;
        row.map(|row| self.record(row)).transpose()
    }

    /// The oldest job of a project that runs, or is about to.
    pub async fn running(&self, actor: Actor, project: Uuid) -> Result<Option<PublishJob>> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let row = store::running(&self.db, project).await?;
        row.map(|row| self.record(row)).transpose()
    }

    /// Jobs of a project. Words of a search are found in the note, in the message, and in the name of the person
    /// who began it; the id of a job finds that one.
    pub async fn list(
        &self,
        actor: Actor,
        project: Uuid,
        asked: &Asked,
    ) -> Result<Listed<PublishJob>> {
        search::check(&asked.text, 0)?;
        access::project(&self.db, actor, project, Need::READ).await?;
        let _turn = self.answers.turn(actor).await?;
        let rows = store::list(&self.db, project, asked).await?;
        let (total, page) = (rows.total, rows.page);
        let items = rows
            .items
            .into_iter()
            .map(|row| self.record(row))
            .collect::<Result<_>>()?;
        Ok(Listed { items, total, page })
    }

    /// Those behind a job; costs the same however far that is, unless they are searched.
    pub async fn list_after(
        &self,
        actor: Actor,
        project: Uuid,
        after: Uuid,
        asked: &Asked,
    ) -> Result<Slice<PublishJob>> {
        search::check(&asked.text, 0)?;
        access::project(&self.db, actor, project, Need::READ).await?;
        if store::lookup(&self.db, project, after).await?.is_none() {
            return Err(Error::BadRequest(
                "`after` must be the id of a job of this project.".to_owned(),
            ));
        }
        let _turn = self.answers.turn(actor).await?;
        let Slice { items, size, more } =
            store::list_after(&self.db, project, after, asked).await?;
        let items = items
            .into_iter()
            .map(|row| self.record(row))
            .collect::<Result<_>>()?;
        Ok(Slice { items, size, more })
    }

    /// The job of a row.
    pub(super) fn record(&self, row: store::JobRow) -> Result<PublishJob> {
        let steps = serde_json::from_str(&row.steps).map_err(Error::internal)?;
        let errors = row.error_documents.as_deref().map(serde_json::from_str);
        let errors: Option<Remarks<DocumentError>> = errors.transpose().map_err(Error::internal)?;
        let errors = errors.unwrap_or_default();
        let warnings = row.warnings.as_deref().map(serde_json::from_str);
        let warnings: Option<Remarks<DocumentWarning>> =
            warnings.transpose().map_err(Error::internal)?;
        let warnings = warnings.unwrap_or_default();
        let omitted = |number: usize| (number > 0).then_some(number);
        Ok(PublishJob {
            id: row.id,
            links: JobLinks {
                this: format!(
                    "{}/v1/publish/jobs/{}/{}",
                    self.base_url, row.project_id, row.id
                ),
            },
            timeout: POLLING_INTERVAL_MS,
            initiator: Vec::new(),
            started: row.started_at,
            project_id: row.project_id,
            initiated_by: row
                .initiated_by
                .map_or_else(|| "system".to_owned(), |user| user.to_string()),
            waits_for: match row.status {
                JobStatus::Waiting => row.waits_for(self.clock.now()),
                _ => Vec::new(),
            },
            publish_at: row.publish_at,
            decided_by: row.decided_by,
            decided_at: row.decided_at,
            status: row.status,
            steps,
            rollback_to: row.rollback_to,
            warnings: warnings.told,
            warnings_omitted: omitted(warnings.omitted),
            reason: row.reason,
            message: row.message,
            completed: row.completed_at,
            url: row.url,
            error: row
                .error_code
                .and_then(|code| ErrorCode::parse(&code))
                .zip(row.error_step)
                .map(|(code, step)| JobError {
                    code,
                    step,
                    errors: errors.told,
                    omitted: omitted(errors.omitted),
                }),
        })
    }
}
