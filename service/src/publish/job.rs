//! The publish job: six steps, each recorded and safe to repeat.
//!
//! After a crash the job is claimed again and goes on behind the last recorded step. The plan of
//! step 1 (the canonical content) is kept, so that every try publishes the same.

use std::sync::Arc;

use futures::{
    future::BoxFuture,
    stream::{self, TryStreamExt},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Content, KIND, Publish, Step, StepName, StepStatus, WITHDRAW, content,
    files::{self, File, Files, Stamp},
    images::{self, Images},
    store::{self, Completion, Failure, LiveObjects, LiveRow},
};
use crate::{
    billing::{Billing, Limit, Tier},
    clock::Timestamp,
    db::{Db, DbError},
    delivery::Switched,
    error::{Error, Result},
    jobs::{Ended, Handler, Job},
    objects, random, render,
    vendors::Vendors,
};

/// Tries of one upload before the job fails.
const UPLOAD_TRIES: u32 = 3;
/// Files that are sent at one time.
const UPLOADS_AT_ONCE: usize = 4;

/// What step 1 decides; later steps and later tries follow it.
#[derive(Serialize, Deserialize)]
struct Plan {
    content: Content,
    /// Published copies of pictures and files.
    #[serde(default)]
    images: Images,
    /// The documents that are published.
    documents: Vec<Uuid>,
    /// Stands in the pointer.
    published_at: i64,
}

/// How a step ended when it did not succeed.
enum Stop {
    /// The job ends in `error`.
    Fail { code: &'static str, message: String },
    /// Something passing: the job is tried again.
    Later(String),
}

impl From<DbError> for Stop {
    fn from(error: DbError) -> Self {
        Self::Later(error.to_string())
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Self::Fail {
            code: limit.code,
            message: limit.message,
        }
    }
}

/// Runs publish jobs.
pub struct PublishHandler(pub Arc<crate::Placet>);

impl Handler for PublishHandler {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            let ended = self.0.publish.run(job).await;
            // Consents are checked against what is live now.
            if let Ok(project) = Uuid::parse_str(&job.payload) {
                self.0.consents.forget(project);
            }
            self.0.webhooks.wake();
            match ended {
                Ok(()) => Ended::Done,
                Err(cause) => Ended::Retry(cause),
            }
        })
    }

    fn give_up<'a>(&'a self, job: &'a Job, cause: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.0.publish.give_up(job, cause).await;
            self.0.webhooks.wake();
        })
    }
}

/// Makes the published files of deleted projects inert.
pub struct WithdrawHandler(pub Arc<crate::Placet>);

impl Handler for WithdrawHandler {
    fn kind(&self) -> &'static str {
        WITHDRAW
    }

    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            match self.0.publish.withdraw(job).await {
                Ok(()) => Ended::Done,
                Err(Stop::Fail { message, .. } | Stop::Later(message)) => Ended::Retry(message),
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

struct Run<'a> {
    publish: &'a Publish,
    project: Uuid,
    job: Uuid,
    rollback_to: Option<Uuid>,
    steps: Vec<Step>,
    plan: Option<Plan>,
    files: Option<Files>,
}

impl Publish {
    async fn withdraw(&self, job: &Job) -> std::result::Result<(), Stop> {
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

    async fn run(&self, job: &Job) -> std::result::Result<(), String> {
        self.crash_point("begin");
        let Some(mut run) = self
            .open_run(job)
            .await
            .map_err(|error| error.to_string())?
        else {
            return Ok(());
        };
        for index in 0..run.steps.len() {
            let Some(step) = run.steps.get(index).cloned() else {
                break;
            };
            if step.status == StepStatus::Complete {
                continue;
            }
            match run.step(index, step.name).await {
                Ok(()) => {}
                Err(Stop::Later(cause)) => return Err(cause),
                Err(Stop::Fail { code, message }) => {
                    return run
                        .fail(index, step.name, code, &message)
                        .await
                        .map_err(|error| error.to_string());
                }
            }
            self.crash_point(step.name.as_str());
        }
        run.complete().await.map_err(|error| error.to_string())
    }

    async fn open_run(&self, job: &Job) -> Result<Option<Run<'_>>> {
        let project = Uuid::parse_str(&job.payload).map_err(Error::internal)?;
        let Some(row) = store::lookup(&self.db, project, job.id).await? else {
            return Ok(None);
        };
        if row.status != "started" {
            return Ok(None);
        }
        Ok(Some(Run {
            publish: self,
            project,
            job: job.id,
            rollback_to: row.rollback_to,
            steps: serde_json::from_str(&row.steps).map_err(Error::internal)?,
            plan: row
                .plan
                .as_deref()
                .and_then(|plan| serde_json::from_str(plan).ok()),
            files: None,
        }))
    }

    async fn give_up(&self, job: &Job, cause: &str) {
        let Ok(Some(mut run)) = self.open_run(job).await else {
            return;
        };
        let index = run
            .steps
            .iter()
            .position(|step| step.status != StepStatus::Complete)
            .unwrap_or(0);
        let name = run
            .steps
            .get(index)
            .map_or(StepName::Build, |step| step.name);
        let code = match name {
            StepName::Upload => "upload_failed",
            StepName::Invalidate => "invalidation_failed",
            _ => "build_failed",
        };
        if let Err(error) = run
            .fail(index, name, code, &format!("Given up: {cause}."))
            .await
        {
            tracing::error!(%error, job.id = %job.id, "the end of a publish could not be recorded");
        }
    }

    /// Dies here when a fault test asks for it; release builds cannot be asked.
    fn crash_point(&self, point: &str) {
        if cfg!(debug_assertions) && self.crash_at.as_deref() == Some(point) {
            std::process::abort();
        }
    }
}

impl Run<'_> {
    async fn step(&mut self, index: usize, name: StepName) -> std::result::Result<(), Stop> {
        self.mark(index, |step, now| {
            step.status = StepStatus::Started;
            step.started = Some(now);
        });
        store::progress(&self.publish.db, self.job, &self.steps, None).await?;
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
        let plan = match name {
            StepName::Build | StepName::Subscription => self
                .plan
                .as_ref()
                .and_then(|plan| serde_json::to_string(plan).ok()),
            _ => None,
        };
        store::progress(&self.publish.db, self.job, &self.steps, plan.as_deref()).await?;
        Ok(())
    }

    fn mark(&mut self, index: usize, change: impl FnOnce(&mut Step, Timestamp)) {
        let now = self.publish.clock.now();
        if let Some(step) = self.steps.get_mut(index) {
            change(step, now);
        }
    }

    async fn build(&mut self) -> std::result::Result<String, Stop> {
        let (db, vendors) = (&self.publish.db, &self.publish.vendors);
        let made = match self.rollback_to {
            Some(job) => self.earlier(job).await,
            None => self.drafts(db, vendors).await,
        };
        let (content, images) = made.map_err(stop_build)?;
        let plan = Plan {
            images,
            documents: documents(&content, self.project),
            content,
            published_at: self.publish.clock.now().0,
        };
        let files = self.make(&plan)?;
        let configurations = plan.content.cookies.len();
        let bytes: usize = files.immutable.values().map(Vec::len).sum();
        self.files = Some(files);
        self.plan = Some(plan);
        let noun = if configurations == 1 {
            "configuration"
        } else {
            "configurations"
        };
        Ok(format!(
            "{configurations} {noun}, {} KB.",
            bytes.div_ceil(1_000)
        ))
    }

    async fn tier(&self) -> std::result::Result<Tier, Stop> {
        let tier = self.publish.billing.tier(self.project).await;
        tier.map_err(|error| Stop::Later(error.to_string()))
    }

    fn plan(&self) -> std::result::Result<&Plan, Stop> {
        let plan = self.plan.as_ref();
        plan.ok_or_else(|| Stop::Later("the plan is lost".to_owned()))
    }

    async fn free_tier(&mut self) -> std::result::Result<String, Stop> {
        let tier = self.tier().await?;
        if tier != Tier::Free {
            return Ok("Not limited.".to_owned());
        }
        let files = match self.files.take() {
            Some(files) => files,
            None => self.make(self.plan()?)?,
        };
        let sizes: Vec<usize> = files
            .publications
            .iter()
            .map(|publication| publication.payload.len())
            .collect();
        self.files = Some(files);
        let cookies = &self.plan()?.content.cookies;
        match self.publish.billing.limit(tier, cookies, &sizes) {
            Some(limit) => Err(limit.into()),
            None => Ok("Within the free tier.".to_owned()),
        }
    }

    async fn organization(&self) -> std::result::Result<String, Stop> {
        Ok(match self.tier().await? {
            Tier::Unlimited => "Not limited.",
            Tier::Free => "No organization: the free tier.",
            Tier::Organization(_) => "An organization is attached.",
        }
        .to_owned())
    }

    /// Decides on the demo banner; the files that are made from now on have it or not.
    async fn subscription(&mut self) -> std::result::Result<String, Stop> {
        let tier = self.tier().await?;
        let active =
            Billing::subscribed(tier, &self.plan()?.content.cookies).map_err(Stop::from)?;
        if let Some(plan) = self
            .plan
            .as_mut()
            .filter(|plan| plan.content.active != active)
        {
            plan.content.active = active;
            self.files = None;
        }
        Ok(match (tier, active) {
            (Tier::Unlimited, _) => "Not limited.",
            (_, true) => "The subscription is active.",
            (_, false) => "No active subscription: the widget shows the demo banner.",
        }
        .to_owned())
    }

    /// The documents as they are now; the copies of their pictures are stored.
    async fn drafts(&self, db: &Db, vendors: &Vendors) -> Result<(Content, Images)> {
        let content = content::read(db, vendors, self.project).await?;
        let images = images::copy(self.publish, self.project, &content, &Images::new()).await?;
        Ok((content, images))
    }

    /// What another job published. The copies of its pictures may have gone from the store.
    async fn earlier(&self, job: Uuid) -> Result<(Content, Images)> {
        let row = store::lookup(&self.publish.db, self.project, job).await?;
        let plan: Option<Plan> = row
            .and_then(|row| row.plan)
            .and_then(|plan| serde_json::from_str(&plan).ok());
        let plan = plan.ok_or_else(|| {
            Error::field(
                "",
                "build_failed",
                "The earlier publish has no content to put back.",
            )
        })?;
        let images = images::copy(self.publish, self.project, &plan.content, &plan.images).await?;
        Ok((plan.content, images))
    }

    fn make(&self, plan: &Plan) -> std::result::Result<Files, Stop> {
        let stamp = Stamp {
            project: self.project,
            job: self.job,
            at: Timestamp(plan.published_at),
        };
        files::make(
            &plan.content,
            &plan.images,
            &stamp,
            &self.publish.addresses(),
        )
        .map_err(stop_build)
    }

    /// Puts the immutable files, makes them provable, then switches the mutable ones.
    async fn upload(&mut self) -> std::result::Result<String, Stop> {
        let Some(plan) = self.plan.take() else {
            return Err(Stop::Fail {
                code: "upload_failed",
                message: "The plan is lost.".to_owned(),
            });
        };
        let files = match self.files.take() {
            Some(files) => files,
            None => self.make(&plan)?,
        };
        let uploaded = self.put_all(&plan, &files).await;
        self.plan = Some(plan);
        let message = format!("{} files.", files.immutable.len());
        self.files = Some(files);
        uploaded.map(|()| message)
    }

    /// Makes caches forget what was switched; where one does not, what was live is put back.
    async fn invalidate(&mut self) -> std::result::Result<String, Stop> {
        if self.publish.delivery.is_absent() {
            return Ok("No delivery network to clear.".to_owned());
        }
        let files = match (self.files.take(), &self.plan) {
            (Some(files), _) => files,
            (None, Some(plan)) => self.make(plan)?,
            (None, None) => return Err(Stop::Later("the plan is lost".to_owned())),
        };
        let before = store::live(&self.publish.db, self.project).await?;
        let reference = self.job.to_string();
        let cleared = self.clear(&files, before.as_ref(), &reference).await;
        if cleared.is_err() {
            self.put_back(&files, before.as_ref()).await;
        }
        self.files = Some(files);
        match cleared {
            Ok(addresses) => Ok(format!("{addresses} addresses cleared.")),
            Err(cause) => Err(Stop::Fail {
                code: "invalidation_failed",
                message: format!("The delivery network did not follow: {cause}."),
            }),
        }
    }

    /// Clears what is switched between `before` and `files`; returns how many addresses.
    async fn clear(
        &self,
        files: &Files,
        before: Option<&LiveRow>,
        reference: &str,
    ) -> std::result::Result<usize, String> {
        let mut keys: Vec<String> = files.mutable.iter().map(|file| file.key.clone()).collect();
        let gone = before.map(LiveRow::files).unwrap_or_default();
        keys.extend(gone.into_iter().map(|file| file.key));
        keys.sort();
        keys.dedup();
        let switched = Switched {
            project: self.project,
            keys: &keys,
            reference,
        };
        self.publish.delivery.clear(&switched).await?;
        Ok(keys.len())
    }

    async fn put_all(&self, plan: &Plan, files: &Files) -> std::result::Result<(), Stop> {
        stream::iter(files.immutable.iter().map(Ok))
            .try_for_each_concurrent(UPLOADS_AT_ONCE, |(key, bytes)| {
                put(self.publish, key, bytes)
            })
            .await?;
        // Before the switch, so that no consent arrives for a publication that is not known.
        let at = Timestamp(plan.published_at);
        store::add_publications(
            &self.publish.db,
            self.project,
            self.job,
            &files.publications,
            at,
        )
        .await?;
        let before = store::live(&self.publish.db, self.project).await?;
        let switched = self.switch(files, before.as_ref()).await;
        if let Err(Stop::Fail { .. }) = &switched {
            self.put_back(files, before.as_ref()).await;
        }
        switched
    }

    async fn switch(
        &self,
        files: &Files,
        before: Option<&LiveRow>,
    ) -> std::result::Result<(), Stop> {
        for file in &files.mutable {
            let bytes = files
                .immutable
                .get(&file.immutable)
                .cloned()
                .unwrap_or_default();
            put(self.publish, &file.key, &bytes).await?;
        }
        let kept = |file: &File| files.mutable.iter().any(|new| new.key == file.key);
        for gone in before
            .map(LiveRow::files)
            .unwrap_or_default()
            .iter()
            .filter(|file| !kept(file))
        {
            retire(self.publish, gone).await?;
        }
        Ok(())
    }

    /// Puts back what was live; what fails here is left to the next publish and logged.
    async fn put_back(&self, files: &Files, before: Option<&LiveRow>) {
        let earlier = before.map(LiveRow::files).unwrap_or_default();
        let kept = |file: &File| earlier.iter().any(|other| other.key == file.key);
        for file in files.mutable.iter().filter(|file| !kept(file)) {
            if let Err(Stop::Fail { message, .. } | Stop::Later(message)) =
                retire(self.publish, file).await
            {
                tracing::error!(key = file.key, message, "a file could not be taken back");
            }
        }
        for file in &earlier {
            let restored = match self.publish.objects.get(&file.immutable).await {
                Ok(Some(bytes)) => self.publish.objects.put(&file.key, bytes.into()).await,
                Ok(None) => Err(std::io::Error::other("its immutable copy is gone")),
                Err(error) => Err(error),
            };
            if let Err(error) = restored {
                tracing::error!(%error, key = file.key, "a published file could not be put back");
            }
        }
        let reference = format!("{}-back", self.job);
        if let Err(cause) = self.clear(files, before, &reference).await {
            tracing::error!(cause, project.id = %self.project, "what was put back is not seen yet");
        }
    }

    async fn fail(
        &mut self,
        index: usize,
        name: StepName,
        code: &'static str,
        message: &str,
    ) -> Result<()> {
        self.mark(index, |step, now| {
            step.status = StepStatus::Error;
            step.completed = Some(now);
            step.message = Some(message.to_owned());
        });
        tracing::warn!(job.id = %self.job, project.id = %self.project, code, message, "publish failed");
        let failure = Failure {
            code,
            step: name,
            message,
        };
        store::fail(
            &self.publish.db,
            self.job,
            &self.steps,
            &failure,
            self.publish.clock.now(),
        )
        .await?;
        Ok(())
    }

    async fn complete(&mut self) -> Result<()> {
        let plan = self
            .plan
            .take()
            .ok_or_else(|| Error::internal("the plan is lost"))?;
        let files = match self.files.take() {
            Some(files) => files,
            None => files::make(
                &plan.content,
                &plan.images,
                &Stamp {
                    project: self.project,
                    job: self.job,
                    at: Timestamp(plan.published_at),
                },
                &self.publish.addresses(),
            )?,
        };
        let objects = LiveObjects {
            sdk: render::sdk_hash().unwrap_or_default().to_owned(),
            files: files.mutable,
        };
        let objects = serde_json::to_string(&objects).map_err(Error::internal)?;
        let message = if self.rollback_to.is_some() {
            "An earlier version is live again."
        } else {
            "The configuration is live."
        };
        let mut ip_key = [0_u8; 32];
        random::fill(&mut ip_key);
        let done = Completion {
            project: self.project,
            job: self.job,
            content: &plan.content.canonical(),
            objects: &objects,
            message,
            url: &self.publish.pointer_url(self.project),
            documents: &plan.documents,
        };
        store::complete(
            &self.publish.db,
            &done,
            &self.steps,
            &ip_key,
            self.publish.clock.now(),
        )
        .await?;
        tracing::info!(job.id = %self.job, project.id = %self.project, "published");
        Ok(())
    }
}

fn stop_build(error: Error) -> Stop {
    match content::refusal(&error) {
        Some(message) => Stop::Fail {
            code: "build_failed",
            message: message.to_owned(),
        },
        None => Stop::Later(error.to_string()),
    }
}

fn documents(content: &Content, project: Uuid) -> Vec<Uuid> {
    let cookies = content
        .cookies
        .iter()
        .map(|configuration| configuration.identifier.as_str());
    let boxes = content.processings.iter().chain(&content.contracts);
    let boxes = boxes.filter_map(|document| document.get("identifier")?.as_str());
    let ids = cookies
        .chain(boxes)
        .filter_map(|id| Uuid::parse_str(id).ok());
    ids.chain([project]).collect()
}

async fn put(publish: &Publish, key: &str, bytes: &[u8]) -> std::result::Result<(), Stop> {
    let mut last = String::new();
    for _ in 0..UPLOAD_TRIES {
        match publish.objects.put(key, bytes.to_vec()).await {
            Ok(()) => return Ok(()),
            Err(error) => last = error.to_string(),
        }
    }
    Err(Stop::Fail {
        code: "upload_failed",
        message: format!("{key} could not be stored: {last}."),
    })
}

/// A file that is no longer published: scripts are made inert, since sites still load them.
async fn retire(publish: &Publish, file: &File) -> std::result::Result<(), Stop> {
    if objects::content_type(&file.key).starts_with("text/javascript") {
        return put(publish, &file.key, render::inert_script().as_bytes()).await;
    }
    publish
        .objects
        .delete(&file.key)
        .await
        .map_err(|error| Stop::Fail {
            code: "upload_failed",
            message: format!("{} could not be removed: {error}.", file.key),
        })
}
