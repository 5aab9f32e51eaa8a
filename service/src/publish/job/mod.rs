//! The publish job: six steps, each recorded and safe to repeat.
//!
//! After a crash the job is claimed again and continues after the last recorded step. The job keeps
//! the plan of step 1 (the canonical content), so every attempt publishes the same. The plan also
//! says if the switch has begun. A job that fails after that ends only when the previous files are
//! live again.

mod gather;
mod plan;
mod steps;

use std::sync::Arc;

use domain::{
    error_code::ErrorCode,
    publish::{JobStatus, StepName, StepStatus},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::plan::{Failed, Plan};
pub(super) use self::plan::{placed_by, published_by};
use super::{
    PublicationKey, Publish,
    files::{Files, LiveObjects},
    payer::FAILURE,
    progress::Step,
    remarks::{Remarks, short},
    stop::{Done, Stop},
    store::{self, Completion, Failure},
    switch::Switch,
    wait::{Until, wait},
};
use crate::{
    billing::Tier,
    clock::Timestamp,
    consents::IP_KEY_BYTES,
    db::{DbError, Tx},
    error::{Error, Result},
    events::Event,
    jobs::{Claim, Ended, Job},
    random, render,
    tcf::Decided,
    turns::{Owner, Turn},
};

/// Owner of the jobs that render live content again. All of them together are one among the owners.
const OF_THE_PRODUCT: Owner = Owner::nil();

/// Publishes a project. The row of the job in `publish_jobs`, which has its id, holds the task.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PublishProject(pub Uuid);

impl Job for PublishProject {
    const KIND: &'static str = "publish";
    const AT_ONCE: usize = super::AT_ONCE;
    type Worker = Publish;

    fn lane(&self, _: Uuid) -> String {
        super::lane(self.0)
    }

    async fn run(self, publish: &Publish, claim: Claim) -> Ended {
        publish.attempt(self.0, claim.id).await
    }

    async fn give_up(self, publish: &Publish, claim: Claim, cause: &str) {
        publish.give_up(self.0, claim.id, cause).await;
    }
}

struct Run<'a> {
    publish: &'a Publish,
    project: Uuid,
    job: Uuid,
    rollback_to: Option<Uuid>,
    initiated_by: Option<Uuid>,
    until: Until,
    /// True if a second person was asked, whatever the rule is now.
    is_decided: bool,
    /// True if the job renders the live content again. It refuses nothing but a widget that is too large to be drawn: the
    /// limits were checked when the owner published, and a fix of the SDK, or the demo banner, must reach every site.
    anew: bool,
    steps: Vec<Step>,
    plan: Option<Plan>,
    /// Made files. Their bytes are in memory only during a turn.
    files: Option<Arc<Files>>,
    owner: Owner,
    /// The turn from the making of the files to their upload.
    turn: Option<Turn>,
    /// The project's tier, once it is known.
    tier: Option<Tier>,
}

impl Publish {
    /// Tries a job.
    pub(super) async fn attempt(&self, project: Uuid, job: Uuid) -> Ended {
        let ended = self.run(project, job).await;
        self.events.tell(Event::ProjectChanged(project));
        self.events.tell(Event::OutboxFilled);
        match ended {
            Ok(()) => Ended::Done,
            Err(cause) => Ended::Retry(cause),
        }
    }

    async fn run(&self, project: Uuid, job: Uuid) -> std::result::Result<(), String> {
        self.crash_point("begin");
        match self.open_run(project, job).await {
            Ok(Some(mut run)) => run.run().await.map_err(Stop::cause),
            Ok(None) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The job, unless it has ended.
    async fn open_run(&self, project: Uuid, job: Uuid) -> Result<Option<Run<'_>>> {
        let Some(row) = store::with_plan(&self.db, project, job).await? else {
            return Ok(None);
        };
        if row.status != JobStatus::Started {
            return Ok(None);
        }
        Ok(Some(Run {
            publish: self,
            project,
            job,
            rollback_to: row.rollback_to,
            initiated_by: row.initiated_by,
            until: Until {
                time: row.publish_at,
                approval: row.approval.as_deref() == Some(store::WANTED),
                content: row.asked_content,
            },
            is_decided: row.approval.is_some(),
            anew: row.initiated_by.is_none(),
            steps: serde_json::from_str(&row.steps).map_err(Error::internal)?,
            plan: row
                .plan
                .as_deref()
                .and_then(|plan| serde_json::from_str(plan).ok()),
            files: None,
            owner: row.initiated_by.unwrap_or(OF_THE_PRODUCT),
            turn: None,
            tier: None,
        }))
    }

    /// Ends a job after its last attempt.
    pub(super) async fn give_up(&self, project: Uuid, job: Uuid, cause: &str) {
        let ended = match self.open_run(project, job).await {
            Ok(Some(mut run)) => run.give_up(cause).await.map_err(Stop::cause),
            Ok(None) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = ended {
            tracing::error!(error, job.id = %job, "the end of a publish could not be recorded");
        }
        self.events.tell(Event::OutboxFilled);
    }

    /// Dies here when a fault test asks for it; release builds cannot be asked.
    pub(super) fn crash_point(&self, point: &str) {
        if cfg!(debug_assertions) && self.crash_at.as_deref() == Some(point) {
            std::process::abort();
        }
    }
}
impl Run<'_> {
    async fn run(&mut self) -> Done {
        let failure = self.plan.as_ref().and_then(|plan| plan.failure.clone());
        if let Some(failed) = failure {
            return self.end_in_error(failed).await;
        }
        self.upload_again_if_changed().await?;
        for index in 0..self.steps.len() {
            let Some(step) = self.steps.get(index) else {
                break;
            };
            if step.status == StepStatus::Complete {
                continue;
            }
            let name = step.name;
            let waits = name == StepName::Upload && self.waits().await?;
            let done = if waits {
                self.wait().await
            } else {
                self.step(index, name).await
            };
            let (code, message, errors) = match done {
                Ok(()) if waits => return Ok(()),
                Ok(()) => {
                    self.publish.crash_point(name.as_str());
                    continue;
                }
                Err(Stop::Fail { code, message }) => (code, message, Remarks::default()),
                Err(Stop::Refused { message, errors }) => (ErrorCode::BuildFailed, message, errors),
                Err(later) => return Err(later),
            };
            let failed = Failed {
                step: name,
                code,
                message,
                errors,
            };
            return self.end_in_error(failed).await;
        }
        self.complete().await
    }

    /// Ends the job in `error`, once the previous files are live again.
    async fn end_in_error(&mut self, failed: Failed) -> Done {
        if let Some(plan) = self.plan.as_mut().filter(|plan| plan.switching) {
            plan.failure = Some(failed.clone());
            self.keep_plan().await?;
            self.put_back().await?;
        }
        self.fail(&failed).await
    }

    /// Ends the job after its last attempt. Leaves files that it cannot restore now to the next
    /// publish.
    async fn give_up(&mut self, cause: &str) -> Done {
        let failure = self.plan.as_ref().and_then(|plan| plan.failure.clone());
        let mut failed = failure.unwrap_or_else(|| self.given_up(cause));
        if self.plan.as_ref().is_some_and(|plan| plan.switching)
            && let Err(stop) = self.put_back().await
        {
            tracing::error!(
                cause = stop.cause(), job.id = %self.job, project.id = %self.project,
                "what was live is not whole"
            );
            failed.message += " What was live could not be put back whole: publish again.";
        }
        self.fail(&failed).await
    }

    fn given_up(&self, cause: &str) -> Failed {
        let open = |step: &&Step| step.status != StepStatus::Complete;
        let step = self.steps.iter().find(open).or(self.steps.last());
        let step = step.map_or(StepName::Build, |step| step.name);
        let code = match step {
            StepName::Upload => ErrorCode::UploadFailed,
            StepName::Invalidate => ErrorCode::InvalidationFailed,
            _ => ErrorCode::BuildFailed,
        };
        Failed {
            step,
            code,
            message: format!("Given up: {cause}."),
            errors: Remarks::default(),
        }
    }

    async fn put_back(&mut self) -> Done {
        let files = self.files().await?;
        let switch = Switch::open(self.publish, self.project, self.job, &files).await?;
        switch.back().await.map_err(Stop::Later)
    }

    async fn step(&mut self, index: usize, name: StepName) -> Done {
        self.mark(index, |step, now| {
            step.status = StepStatus::Started;
            step.started = Some(now);
        });
        store::progress(&self.publish.db, self.job, &self.steps, None).await?;
        // Another process may have begun the job.
        if matches!(name, StepName::Build | StepName::Upload)
            && let Some(message) = self.publish.refusal().await?
        {
            let code = ErrorCode::BuildFailed;
            return Err(Stop::Fail { code, message });
        }
        let message = match name {
            StepName::Build => self.build().await?,
            StepName::FreeTier => self.free_tier().await?,
            StepName::Organization => self.organization().await?,
            StepName::Subscription => self.subscription().await?,
            StepName::Upload => self.upload().await?,
            StepName::Invalidate => self.invalidate().await?,
        };
        self.mark(index, |step, now| {
            step.status = StepStatus::Complete;
            step.completed = Some(now);
            step.message = Some(message);
        });
        if matches!(name, StepName::Build) {
            self.keep_plan().await?;
        } else {
            store::progress(&self.publish.db, self.job, &self.steps, None).await?;
        }
        Ok(())
    }

    /// True if the job stores nothing yet. The rule that a second person approves may be younger than the job, and another
    /// version may have gone live meanwhile.
    async fn waits(&mut self) -> Done<bool> {
        if self.plan.as_ref().is_some_and(|plan| plan.switching) {
            return Ok(false);
        }
        if self.initiated_by.is_some() && !self.is_decided {
            let (publish, project) = (self.publish, self.project);
            self.until.approval |= match self.rollback_to {
                None => publish.needs_approval(project).await?,
                Some(earlier) => publish.needs_approval_to_go_back(project, earlier).await?,
            };
        }
        let until = &self.until;
        Ok(until.approval || until.time.is_some_and(|at| at > self.publish.clock.now()))
    }

    /// Lets the job wait with the content that it has.
    async fn wait(&self) -> Done {
        let needs_approval = self.until.approval;
        match wait(&self.publish.db, self.job, &self.steps, needs_approval).await {
            Err(DbError::Duplicate(_)) => Err(Stop::Fail {
                code: ErrorCode::PublishWaits,
                message: "Another publish of this project waits.".to_owned(),
            }),
            waited => {
                waited?;
                if self.until.approval {
                    self.publish.ask_for_approval(self.project, self.job).await;
                }
                Ok(())
            }
        }
    }

    fn mark(&mut self, index: usize, change: impl FnOnce(&mut Step, Timestamp)) {
        let now = self.publish.clock.now();
        if let Some(step) = self.steps.get_mut(index) {
            change(step, now);
        }
    }

    /// Asks for pictures of the publications that go live, if this server has a browser. A publish of the product
    /// itself asks for none: all projects at once would keep the pictures of people waiting for days.
    async fn ask_for_pictures(&self, tx: &mut Tx, files: &Files, now: Timestamp) -> Done {
        if self.anew || !self.publish.takes_pictures() {
            return Ok(());
        }
        for (configuration, publication) in &files.shown {
            let key = PublicationKey {
                project: self.project,
                configuration: *configuration,
                publication,
            };
            self.publish
                .ask_for(tx, key, self.initiated_by, now)
                .await?;
        }
        Ok(())
    }

    /// A failure as the job keeps it: with few words where its account has no bytes left for them.
    async fn paid(&self, failed: &Failed) -> Done<Failed> {
        let mut kept = failed.clone();
        // The message stands in the step, too.
        let bytes = 2 * kept.message.len() + store::json(&kept.errors).len();
        match self.payer().pay_for_words(FAILURE, bytes).await {
            Ok(()) => {}
            Err(Stop::Later(cause)) => return Err(Stop::Later(cause)),
            Err(Stop::Fail { .. } | Stop::Refused { .. }) => {
                kept.message = short(&kept.message).into_owned();
                kept.errors = Remarks::default();
            }
        }
        Ok(kept)
    }

    async fn fail(&mut self, failed: &Failed) -> Done {
        let Failed {
            step,
            code,
            message,
            errors,
        } = &self.paid(failed).await?;
        if let Some(index) = self.steps.iter().position(|other| other.name == *step) {
            self.mark(index, |step, now| {
                step.status = StepStatus::Error;
                step.completed = Some(now);
                step.message = Some(message.clone());
            });
        }
        tracing::warn!(job.id = %self.job, project.id = %self.project, %code, message, "publish failed");
        let failure = Failure {
            code: *code,
            step: *step,
            message,
            errors: Some(errors),
        };
        let now = self.publish.clock.now();
        store::fail(&self.publish.db, self.job, &self.steps, &failure, now).await?;
        Ok(())
    }

    async fn complete(&mut self) -> Done {
        let files = self.files().await?;
        let plan = self.plan()?;
        let edition = plan.tcf.as_ref().map(Decided::edition);
        let objects = LiveObjects {
            sdk: render::sdk_hash().unwrap_or_default().to_owned(),
            files: files.mutable.clone(),
            heads: Some(files.heads.clone()),
            left: Vec::new(),
            orders: edition.as_ref().map_or(0, |edition| edition.orders),
            providers: edition
                .as_ref()
                .and_then(|edition| edition.providers.clone()),
            vendor_list: edition.map(|edition| edition.list),
        };
        let objects =
            serde_json::to_string(&objects).map_err(|error| Stop::Later(error.to_string()))?;
        let message = match self.rollback_to {
            Some(_) if self.anew => "What is live was made again. Its content is the same.",
            Some(_) => "An earlier version is live again.",
            None => "The configuration is live.",
        };
        let mut ip_key = [0_u8; IP_KEY_BYTES];
        random::fill(&mut ip_key);
        let done = Completion {
            project: self.project,
            job: self.job,
            content: &plan.content.canonical(),
            objects: &objects,
            message,
            url: &self.publish.pointer_url(self.project),
            documents: &plan.documents,
            overtakes: !self.anew,
        };
        let now = self.publish.clock.now();
        let ip_key = self.publish.secret.seal(self.project.as_bytes(), &ip_key);
        let ended = store::complete(&self.publish.db, &done, &self.steps, &ip_key, now).await?;
        if let Some(mut tx) = ended {
            self.ask_for_pictures(&mut tx, &files, now).await?;
            tx.commit().await?;
            self.publish.jobs.wake();
            tracing::info!(job.id = %self.job, project.id = %self.project, "published");
        }
        Ok(())
    }
}
