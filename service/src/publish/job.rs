//! The publish job: six steps, each recorded and safe to repeat.
//!
//! After a crash the job is claimed again and continues after the last recorded step. The job keeps
//! the plan of step 1 (the canonical content), so every attempt publishes the same. The plan also
//! says if the switch has begun. A job that fails after that ends only when the previous files are
//! live again.

use std::{collections::BTreeMap, sync::Arc};

use domain::{documents, error_code::ErrorCode};
use futures::stream::{self, TryStreamExt};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Publish,
    content::Content,
    evidence::{self, TakePictures},
    files::{self, Files, LiveObjects},
    images::{self, Images, Payer},
    progress::{Step, StepName, StepStatus},
    remarks::{DocumentError, DocumentWarning},
    stop::Stop,
    store::{self, Completion, Failure, Stamp},
    switch::Switch,
    upload::put_packed,
    wait::{Until, digest, wait},
};
use crate::{
    billing::{Billing, Tier},
    clock::Timestamp,
    consents::IP_KEY_BYTES,
    db::{DbError, Tx},
    error::{Error, Result},
    events::Event,
    jobs::{Claim, Ended, Job},
    quota::For,
    random,
    render::{self, Addresses},
    tcf::{Decided, Needs},
    turns::{Owner, Turn},
    vault::Document,
};

/// Files that are sent at one time.
const UPLOADS_AT_ONCE: usize = 4;
/// Bytes of content from which on making and storing its files takes seconds.
const LARGE: usize = 1_000_000;
/// Owner of the jobs that render live content again. All of them together are one among the owners.
const OF_THE_PRODUCT: Owner = Owner::nil();

/// The decisions of step 1. Later steps and later attempts follow them.
#[derive(Serialize, Deserialize)]
struct Plan {
    content: Content,
    /// Published copies of pictures and files.
    #[serde(default)]
    images: Images,
    /// The documents that are published.
    documents: Vec<Uuid>,
    /// The project's own consent management platform, when it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own_cmp: Option<u16>,
    /// The decisions about TCF, where a configuration asks by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tcf: Option<Decided>,
    /// Stands in the pointer.
    published_at: i64,
    /// True if the switch has begun. A job that fails then must make the previous files live again.
    #[serde(default)]
    switching: bool,
    /// Why the job fails. The plan keeps it while the job makes the previous files live again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failed>,
}

/// The content that a job published.
pub(super) fn published_by(row: &store::JobRow) -> Option<Content> {
    let plan: Plan = serde_json::from_str(row.plan.as_deref()?).ok()?;
    Some(plan.content)
}

/// The failure of the job.
#[derive(Clone, Serialize, Deserialize)]
struct Failed {
    step: StepName,
    code: ErrorCode,
    message: String,
    /// The fields of documents that caused it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<DocumentError>,
}

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
    /// True if the job renders the live content again. It refuses nothing: the limits were checked
    /// when the owner published, and a fix of the SDK, or the demo banner, must reach every site.
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
        let Some(row) = store::lookup(&self.db, project, job).await? else {
            return Ok(None);
        };
        if row.status != "started" {
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
    fn crash_point(&self, point: &str) {
        if cfg!(debug_assertions) && self.crash_at.as_deref() == Some(point) {
            std::process::abort();
        }
    }
}

impl Run<'_> {
    async fn run(&mut self) -> std::result::Result<(), Stop> {
        let failure = self.plan.as_ref().and_then(|plan| plan.failure.clone());
        if let Some(failed) = failure {
            return self.end_in_error(failed).await;
        }
        for index in 0..self.steps.len() {
            let Some(step) = self.steps.get(index) else {
                break;
            };
            if step.status == StepStatus::Complete {
                continue;
            }
            let name = step.name;
            let waits = name == StepName::Upload && self.waits();
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
                Err(Stop::Fail { code, message }) => (code, message, Vec::new()),
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
    async fn end_in_error(&mut self, failed: Failed) -> std::result::Result<(), Stop> {
        if let Some(plan) = self.plan.as_mut().filter(|plan| plan.switching) {
            plan.failure = Some(failed.clone());
            self.keep_plan().await?;
            self.put_back().await?;
        }
        self.fail(&failed).await
    }

    /// Ends the job after its last attempt. Leaves files that it cannot restore now to the next
    /// publish.
    async fn give_up(&mut self, cause: &str) -> std::result::Result<(), Stop> {
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
            errors: Vec::new(),
        }
    }

    async fn put_back(&mut self) -> std::result::Result<(), Stop> {
        let files = self.files().await?;
        let switch = Switch::open(self.publish, self.project, self.job, &files).await?;
        switch.back().await.map_err(Stop::Later)
    }

    async fn step(&mut self, index: usize, name: StepName) -> std::result::Result<(), Stop> {
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

    /// Records the plan with the progress.
    async fn keep_plan(&self) -> std::result::Result<(), Stop> {
        let plan = serde_json::to_string(self.plan()?);
        let plan = plan.map_err(|error| Stop::Later(error.to_string()))?;
        store::progress(&self.publish.db, self.job, &self.steps, Some(&plan)).await?;
        Ok(())
    }

    fn waits(&self) -> bool {
        let until = &self.until;
        until.approval || until.time.is_some_and(|at| at > self.publish.clock.now())
    }

    /// Lets the job wait with the content that it has.
    async fn wait(&self) -> std::result::Result<(), Stop> {
        match wait(&self.publish.db, self.job, &self.steps).await {
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

    async fn build(&mut self) -> std::result::Result<String, Stop> {
        let waited = self.plan.take();
        let is_new = waited.is_none();
        let own_cmp = match &waited {
            Some(plan) => plan.own_cmp,
            None => self.own_cmp().await?,
        };
        let (content, images) = match (waited, self.rollback_to) {
            (Some(plan), _) => self.again(plan).await?,
            (None, Some(job)) if self.anew => self.live(job).await?,
            (None, Some(job)) => self.earlier(job).await?,
            (None, None) => self.drafts().await?,
        };
        let warnings = if self.anew {
            Vec::new()
        } else {
            content.warnings()
        };
        if !warnings.is_empty() {
            store::warn(&self.publish.db, self.job, &warnings).await?;
        }
        let configurations = content.cookies.len();
        let tcf = self.decide(&content, own_cmp, warnings).await?;
        self.plan = Some(Plan {
            own_cmp,
            images,
            tcf,
            documents: documents(&content, self.project),
            content,
            published_at: self.publish.clock.now().0,
            switching: false,
            failure: None,
        });
        self.files = None;
        // Asked before the turn, in which nobody waits for a provider.
        self.tier().await?;
        let bytes = self.files().await?.size();
        if is_new {
            let kept = self.files().await?.weight();
            // The plan and the live row have the content.
            let content = self.plan()?.content.canonical().len();
            self.payer().pay(kept + 2 * content).await?;
        }
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

    fn payer(&self) -> Payer<'_> {
        Payer {
            publish: self.publish,
            person: self.initiated_by,
            purpose: For::of(self.rollback_to.is_some()),
        }
    }

    async fn tier(&mut self) -> std::result::Result<Tier, Stop> {
        if let Some(tier) = self.tier {
            return Ok(tier);
        }
        let tier = self.publish.billing.tier(self.project).await;
        let tier = tier.map_err(|error| Stop::Later(error.to_string()))?;
        Ok(*self.tier.insert(tier))
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
        if self.anew {
            return Ok("What is live stays.".to_owned());
        }
        let files = self.files().await?;
        let publications = files.publications.iter();
        let sizes: Vec<usize> = publications.map(|one| one.payload.len()).collect();
        let cookies = &self.plan()?.content.cookies;
        match self.publish.billing.limit(tier, cookies, &sizes) {
            Some(limit) => Err(limit.into()),
            None => Ok("Within the free tier.".to_owned()),
        }
    }

    async fn organization(&mut self) -> std::result::Result<String, Stop> {
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
        let unpaid = Billing::unpaid(tier, &self.plan()?.content.cookies);
        if let Some(limit) = unpaid.filter(|_| !self.anew) {
            return Err(limit.into());
        }
        let is_test = self.plan()?.tcf.as_ref().is_some_and(Decided::is_test);
        let active = tier.is_active() && !is_test;
        if let Some(plan) = self
            .plan
            .as_mut()
            .filter(|plan| plan.content.active != active)
        {
            plan.content.active = active;
            self.files = None;
            self.keep_plan().await?;
        }
        Ok(match (tier, active) {
            _ if is_test => "The consent management platform is one for tests: the widget shows the demo banner.",
            (Tier::Unlimited, _) => "Not limited.",
            (_, true) => "The subscription is active.",
            (_, false) => "No active subscription: the widget shows the demo banner.",
        }
        .to_owned())
    }

    /// The project's own consent management platform.
    async fn own_cmp(&self) -> std::result::Result<Option<u16>, Stop> {
        let project = store::project(&self.publish.db, self.project).await?;
        let own = |project: Document| documents::read::<documents::Project>(&project.data);
        Ok(project.and_then(|project| own(project).tcf_cmp_id))
    }

    /// The list and the rounds of the configurations that ask by TCF. Content that is rendered again gets the list
    /// of today, because visitors must be shown it. Adds remarks on them to the job's warnings.
    async fn decide(
        &self,
        content: &Content,
        own_cmp: Option<u16>,
        mut warnings: Vec<DocumentWarning>,
    ) -> std::result::Result<Option<Decided>, Stop> {
        let mut needs = Needs::default();
        for asking in content.widgets().filter(|one| one.asks_by_tcf()) {
            needs.add(asking, [asking.language.clone()]);
        }
        if needs.is_empty() {
            return Ok(None);
        }
        let publish = self.publish;
        let sources = publish.tcf.sources(own_cmp, &needs).await?;
        let refuse = |message: String| Stop::Fail {
            code: ErrorCode::BuildFailed,
            message,
        };
        let sources = sources.map_err(|unready| refuse(format!("{}.", unready.sentence())))?;
        let live = match store::live(&publish.db, self.project).await? {
            Some(live) => store::lookup(&publish.db, self.project, live.job_id).await?,
            None => None,
        };
        let live = live.and_then(|row| serde_json::from_str::<Plan>(&row.plan?).ok()?.tcf);
        let mut earlier = BTreeMap::new();
        for one in content.cookies.iter().filter(|one| one.asks_by_tcf()) {
            let id = &one.identifier;
            let is_live = live
                .as_ref()
                .is_some_and(|live| live.asked.contains_key(id));
            if let Some(configuration) = Uuid::parse_str(id).ok().filter(|_| !is_live)
                && let Some(round) =
                    store::last_round(&publish.db, self.project, configuration).await?
            {
                earlier.insert(id.clone(), round);
            }
        }
        let sources = sources.following(self.anew);
        let decided = sources.decide(&content.cookies, live.as_ref(), &earlier);
        let (decided, remarks) = decided.map_err(|errors| {
            let sentences = errors
                .iter()
                .map(|error| format!("{}: {}", error.pointer, error.detail));
            refuse(sentences.collect::<Vec<_>>().join(" "))
        })?;
        if !remarks.is_empty() {
            warnings.extend(content.remarked(remarks));
            store::warn(&publish.db, self.job, &warnings).await?;
        }
        Ok(Some(decided))
    }

    /// The documents as they are now; the copies of their pictures are stored.
    async fn drafts(&self) -> std::result::Result<(Content, Images), Stop> {
        let publish = self.publish;
        let turn = publish.turns.turn(self.owner).await?;
        let (_, draft) = publish.draft(turn, self.project).await?;
        let content = draft.whole()?;
        let asked = self.until.content.as_ref();
        if asked.is_some_and(|asked| *asked != digest(&content)) {
            return Err(Stop::Fail {
                code: ErrorCode::EditedMeanwhile,
                message: "Somebody changed a draft just after this was asked for. Ask again."
                    .to_owned(),
            });
        }
        let images = images::copy(&self.payer(), self.project, &content, &Images::new()).await?;
        Ok((content, images))
    }

    /// Reads the live content now: another publish may have ended since this job was queued behind
    /// `job`.
    async fn live(&mut self, job: Uuid) -> std::result::Result<(Content, Images), Stop> {
        let live = store::live(&self.publish.db, self.project).await?;
        let live = live.ok_or_else(|| Stop::Fail {
            code: ErrorCode::BuildFailed,
            message: "Nothing is live any longer.".to_owned(),
        })?;
        if live.job_id != job {
            store::set_earlier(&self.publish.db, self.job, live.job_id).await?;
            self.rollback_to = Some(live.job_id);
        }
        self.earlier(live.job_id).await
    }

    /// Reads the content that another job published.
    async fn earlier(&self, job: Uuid) -> std::result::Result<(Content, Images), Stop> {
        let row = store::lookup(&self.publish.db, self.project, job).await?;
        let plan: Option<Plan> = row
            .and_then(|row| row.plan)
            .and_then(|plan| serde_json::from_str(&plan).ok());
        let plan = plan.ok_or_else(|| Stop::Fail {
            code: ErrorCode::BuildFailed,
            message: "The earlier publish has no content to put back.".to_owned(),
        })?;
        self.again(plan).await
    }

    /// The content of a plan. The store may have lost the copies of its pictures.
    async fn again(&self, plan: Plan) -> std::result::Result<(Content, Images), Stop> {
        if store::project(&self.publish.db, self.project)
            .await?
            .is_none()
        {
            return Err(Stop::Fail {
                code: ErrorCode::BuildFailed,
                message: "The project has been deleted.".to_owned(),
            });
        }
        let images = images::copy(&self.payer(), self.project, &plan.content, &plan.images).await?;
        Ok((plan.content, images))
    }

    /// Makes the files of the plan.
    async fn files(&mut self) -> std::result::Result<Arc<Files>, Stop> {
        if let Some(files) = &self.files {
            return Ok(files.clone());
        }
        let turn = if let Some(turn) = self.turn.take() {
            turn
        } else {
            let is_large = self.plan()?.content.canonical().len() > LARGE;
            let turns = &self.publish.turns;
            turns.turn_for(self.owner, is_large).await?
        };
        let tcf = match self.plan()?.tcf.clone() {
            Some(decided) => Some(self.publish.tcf.recall(decided).await?),
            None => None,
        };
        let plan = self.plan()?;
        let stamp = Stamp {
            project: self.project,
            job: self.job,
            at: Timestamp(plan.published_at),
        };
        let (content, images) = (plan.content.clone(), plan.images.clone());
        let (api_url, cdn_url) = (self.publish.base_url.clone(), self.publish.cdn_url.clone());
        let made = turn.compute(move || {
            let addresses = Addresses {
                api_url: &api_url,
                cdn_url: &cdn_url,
            };
            files::make(content, &images, tcf.as_ref(), &stamp, &addresses)
        });
        let (turn, made) = made.await?;
        self.turn = Some(turn);
        Ok(self.files.insert(Arc::new(made?)).clone())
    }

    /// Puts the immutable files, makes them provable, then switches the mutable ones.
    async fn upload(&mut self) -> std::result::Result<String, Stop> {
        let (publish, files) = (self.publish, self.files().await?);
        stream::iter(files.immutable.iter().map(Ok))
            .try_for_each_concurrent(UPLOADS_AT_ONCE, |(key, packed)| {
                put_packed(publish, key, packed)
            })
            .await?;
        // Before the switch, so that no consent arrives for a publication that is not known.
        let at = Timestamp(self.plan()?.published_at);
        let stamp = Stamp {
            project: self.project,
            job: self.job,
            at,
        };
        let (new, logged) = (&files.publications, publish.ledger.is_on());
        store::add_publications(&publish.db, &stamp, new, logged).await?;
        if let Some(plan) = &mut self.plan {
            plan.switching = true;
        }
        self.keep_plan().await?;
        let switch = Switch::open(publish, self.project, self.job, &files).await?;
        switch.forth().await?;
        let stored = files.immutable.len();
        self.files = Some(Arc::new(files.stored()));
        self.turn = None;
        Ok(format!("{stored} files."))
    }

    /// Makes caches forget the switched files.
    async fn invalidate(&mut self) -> std::result::Result<String, Stop> {
        if self.publish.delivery.is_absent() {
            return Ok("No delivery network to clear.".to_owned());
        }
        let files = self.files().await?;
        let switch = Switch::open(self.publish, self.project, self.job, &files).await?;
        match switch.clear(&self.job.to_string()).await {
            Ok(addresses) => Ok(format!("{addresses} addresses cleared.")),
            Err(cause) => Err(Stop::Fail {
                code: ErrorCode::InvalidationFailed,
                message: format!("The delivery network did not follow: {cause}."),
            }),
        }
    }

    /// Asks for pictures of the publications that go live, if this server has a browser. A publish of the product
    /// itself asks for none: all projects at once would keep the pictures of people waiting for days.
    async fn ask_for_pictures(
        &self,
        tx: &mut Tx,
        files: &Files,
        now: Timestamp,
    ) -> std::result::Result<(), Stop> {
        if self.anew || !self.publish.takes_pictures() {
            return Ok(());
        }
        for (configuration, publication) in &files.shown {
            let key = evidence::Key {
                project: self.project,
                configuration: *configuration,
                publication,
            };
            if evidence::store::ask(tx, key, self.initiated_by, now).await? {
                let (id, job) = (self.publish.ids.next(), TakePictures::of(key));
                let jobs = &self.publish.jobs;
                jobs.enqueue_for(tx, id, self.initiated_by, &job).await?;
            }
        }
        Ok(())
    }

    async fn fail(&mut self, failed: &Failed) -> std::result::Result<(), Stop> {
        let Failed {
            step,
            code,
            message,
            errors,
        } = failed;
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
            errors,
        };
        let now = self.publish.clock.now();
        store::fail(&self.publish.db, self.job, &self.steps, &failure, now).await?;
        Ok(())
    }

    async fn complete(&mut self) -> std::result::Result<(), Stop> {
        let files = self.files().await?;
        let plan = self.plan()?;
        let edition = plan.tcf.as_ref().map(Decided::edition);
        let objects = LiveObjects {
            sdk: render::sdk_hash().unwrap_or_default().to_owned(),
            files: files.mutable.clone(),
            heads: Some(files.heads.clone()),
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
        }
        tracing::info!(job.id = %self.job, project.id = %self.project, "published");
        Ok(())
    }
}

fn documents(content: &Content, project: Uuid) -> Vec<Uuid> {
    let cookies = content
        .cookies
        .iter()
        .map(|configuration| configuration.identifier.as_str());
    let boxes = content.boxes().into_iter().flat_map(|(_, boxes)| boxes);
    let boxes = boxes.filter_map(documents::identifier);
    let ids = cookies
        .chain(boxes)
        .filter_map(|id| Uuid::parse_str(id).ok());
    ids.chain([project]).collect()
}
