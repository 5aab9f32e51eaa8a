//! Publishing: makes files on the content delivery network from a project's documents.
//!
//! A publish is a durable job with six ordered steps ([`job`]). [`reading`] reads the documents and
//! makes the canonical content. [`files`] makes the files from it. The live files change only when
//! every new file is stored, and come back if the change fails ([`switch`]).
//!
//! Callers read jobs ([`progress`], [`history`]), the difference between drafts and live content ([`live`]), and
//! previews ([`preview`]).

mod content;
mod draft;
mod entries;
mod evidence;
mod files;
mod history;
mod iab;
mod images;
pub mod job;
mod leads;
mod live;
mod moved;
mod older;
mod payer;
mod plan;
mod preview;
mod progress;
mod publications;
mod published;
mod reading;
mod remarks;
mod site_check;
mod stop;
mod store;
mod switch;
mod upload;
mod wait;
mod waiting;
pub mod withdraw;

use std::{sync::Arc, time::Duration};

use domain::{
    audit::Action, collection::Collection, documents, error_code::ErrorCode, publish::JobStatus,
};
use uuid::Uuid;

pub use content::Content;
use draft::Draft;
pub(crate) use evidence::TakePictures;
pub use evidence::{
    DrawnScene, PictureFile, Pictures, PicturesState, SceneFile, SceneSet, TakenElsewhere,
    TakenFile, take_elsewhere,
};
pub(crate) use job::PublishProject;
pub(crate) use leads::leads;
pub use live::{Bundle, Live, State};
pub use plan::{Counts, DraftPlan, ListState};
pub use progress::{JobError, JobLinks, PublishJob, Step};
pub use publications::{ListedPublication, Publication, PublicationKey};
use reading::Documents;
pub use remarks::{DocumentError, DocumentWarning, Remarks};
pub use wait::MOST_DAYS_AHEAD;
use wait::Until;
pub(crate) use wait::{GoOn, waits_since};
pub use waiting::{Change, Waiting};

use crate::{
    access::{self, Actor, Need},
    answers::Answers,
    assets::Assets,
    audit::{Audit, Subject},
    billing::Billing,
    chromium::Chromium,
    clock::{SharedClock, Timestamp},
    concerns::Concerns,
    consents::IP_KEY_BYTES,
    context::Context,
    db::{Db, Locked},
    error::{Error, Result},
    events::Events,
    ids::Ids,
    installation,
    jobs::Jobs,
    ledger::Ledger,
    network::Delivery,
    objects::Objects,
    outbound::Outbound,
    quota::{self, For, Quota},
    render::{self, Addresses},
    secret::SecretKey,
    tcf::{Edition, Tcf},
    turns::{Bounds, Turn, Turns},
    vault,
    vendors::Vendors,
};

/// Publishes that one process has begun at once. Those of little projects never wait for a place. They take
/// [turns](crate::turns) for everything that computes or holds many bytes.
const AT_ONCE: usize = 24;
/// Most publishes of a project that wait or run. Jobs of a project run one after the other.
const MOST_OF_PROJECT: i64 = 5;
/// Most publishes that wait or run and that one person has started, so that others come soon.
const MOST_OF_PERSON: i64 = 10;
/// Bytes of a job that publishes nothing.
const OF_A_JOB: u64 = 2 * quota::OF_A_ROW;
/// Time after which a refused publish may be tried again.
const RETRY_SECONDS: u64 = 10;
/// Most characters of a reason.
const MOST_REASON: usize = documents::field::LINE;

/// Bounds of the turns of publishing. Several are kept for people who have published little: a turn also lasts
/// while the disk, or the object store, takes the files.
fn bounds() -> Bounds {
    let of_the_busy = Bounds::of_the_busy();
    Bounds {
        at_once: of_the_busy + 3,
        of_the_busy,
        // That of a few ordinary projects.
        little: Duration::from_secs(5),
        // Every publish that has begun may wait.
        most_waiting: AT_ONCE,
        most_of_one: AT_ONCE,
    }
}

/// The queue's lane of a project: its publishes, and its withdrawal, never interleave.
fn lane(project: Uuid) -> String {
    format!("publish:{project}")
}

/// The note about a publish as it is kept.
fn noted(reason: Option<&str>) -> Result<Option<&str>> {
    let Some(reason) = reason.map(str::trim).filter(|reason| !reason.is_empty()) else {
        return Ok(None);
    };
    if reason.chars().count() > MOST_REASON {
        let detail = format!("At most {MOST_REASON} characters.");
        return Err(Error::field("/reason", ErrorCode::TooLong, detail));
    }
    if reason.contains('\0') {
        let detail = "U+0000 is not allowed.";
        return Err(Error::field("/reason", ErrorCode::InvalidCharacter, detail));
    }
    Ok(Some(reason))
}

fn not_published() -> Error {
    let detail = "Only a publish that completed can be put back.";
    Error::conflict(None, ErrorCode::NotPublished, detail)
}

/// A publish job that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartedJob {
    /// Its project.
    pub project: Uuid,
    /// Its id.
    pub job: Uuid,
}

/// The sub-service `publish`.
pub struct Publish {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    jobs: Arc<Jobs>,
    events: Arc<Events>,
    secret: SecretKey,
    vendors: Arc<Vendors>,
    tcf: Arc<Tcf>,
    objects: Arc<Objects>,
    delivery: Delivery,
    assets: Arc<Assets>,
    billing: Arc<Billing>,
    ledger: Arc<Ledger>,
    outbound: Outbound,
    site_looks: site_check::Asked,
    concerns: Arc<Concerns>,
    /// Takes the pictures of publications, if there is one.
    chromium: Option<Chromium>,
    turns: Arc<Turns>,
    answers: Answers,
    audit: Arc<Audit>,
    quota: Arc<Quota>,
    base_url: String,
    cdn_url: String,
    crash_at: Option<String>,
    /// The state that [`Publish::follow_list`] has followed last.
    followed: tokio::sync::Mutex<Option<Edition>>,
}

/// The sub-services and the edges that [`Publish`] works with.
pub(crate) struct Dependencies {
    pub vendors: Arc<Vendors>,
    pub tcf: Arc<Tcf>,
    pub objects: Arc<Objects>,
    pub delivery: Delivery,
    pub assets: Arc<Assets>,
    pub billing: Arc<Billing>,
    pub ledger: Arc<Ledger>,
    pub outbound: Outbound,
    pub concerns: Arc<Concerns>,
    pub chromium: Option<Chromium>,
    pub base_url: String,
    pub cdn_url: String,
    pub crash_at: Option<String>,
}

impl Publish {
    pub(crate) fn new(context: &Context, dependencies: Dependencies) -> Self {
        let Context {
            db,
            clock,
            ids,
            jobs,
            events,
            secret,
            answers,
            audit,
            quota,
        } = context.clone();
        Self {
            db,
            clock,
            ids,
            jobs,
            events,
            secret,
            vendors: dependencies.vendors,
            tcf: dependencies.tcf,
            objects: dependencies.objects,
            delivery: dependencies.delivery,
            assets: dependencies.assets,
            billing: dependencies.billing,
            ledger: dependencies.ledger,
            outbound: dependencies.outbound,
            site_looks: site_check::Asked::default(),
            concerns: dependencies.concerns,
            chromium: dependencies.chromium,
            turns: Turns::new(bounds()),
            answers,
            audit,
            quota,
            base_url: dependencies.base_url,
            cdn_url: dependencies.cdn_url,
            crash_at: dependencies.crash_at,
            followed: tokio::sync::Mutex::default(),
        }
    }

    fn addresses(&self) -> Addresses<'_> {
        Addresses {
            api_url: &self.base_url,
            cdn_url: &self.cdn_url,
        }
    }

    /// Reads a project's documents and makes their content, in a turn that is given back.
    async fn draft(&self, turn: Turn, project: Uuid) -> Result<(Turn, Draft)> {
        let documents = Documents::read(&self.db, &self.vendors, &self.tcf, project).await?;
        let (turn, draft) = turn.compute(move || documents.draft()).await?;
        Ok((turn, draft?))
    }

    /// Tells why this process must not publish: the installation has other addresses. `None` if it may.
    pub async fn refusal(&self) -> Result<Option<String>> {
        let here = installation::Addresses {
            base_url: self.base_url.clone(),
            cdn_url: self.cdn_url.clone(),
        };
        installation::refusal(&self.db, &here).await
    }

    /// Seals the keys of addresses that an earlier version stored in plain.
    pub(crate) async fn seal_keys(&self) -> Result<()> {
        for (project, key) in store::plain_keys(&self.db, IP_KEY_BYTES).await? {
            let sealed = self.secret.seal(project.as_bytes(), &key);
            store::seal_key(&self.db, project, &key, &sealed).await?;
        }
        Ok(())
    }

    /// Starts a publish of the project as it is when the job's first step begins. The `reason` to
    /// publish in spite of warnings is kept with the job. With `at` it goes live at that time, and after the approval
    /// of a second person where the project asks for one; its content is fixed all the same.
    pub async fn start(
        &self,
        actor: Actor,
        project: Uuid,
        reason: Option<&str>,
        at: Option<Timestamp>,
    ) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Need::PUBLISH).await?;
        let reason = noted(reason)?;
        let until = self.until(actor, project, at).await?;
        self.enqueue(actor, project, None, reason, until).await
    }

    /// Starts a job that puts an earlier published file back; the `reason` is kept with it. If a second person approves
    /// publishes here, it waits for that unless it undoes the last one. An API key needs the rights to change
    /// consents if they would be kept for another time, or if a box is not live.
    pub async fn rollback(
        &self,
        actor: Actor,
        project: Uuid,
        job: Uuid,
        reason: Option<&str>,
    ) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Need::PUBLISH).await?;
        let reason = noted(reason)?;
        self.completed(project, job).await?;
        self.check_rules(actor, project, job).await?;
        let until = self.until_back(project, job).await?;
        self.enqueue(actor, project, Some(job), reason, until).await
    }

    /// Refuses an API key that may only publish, if what an earlier job published decides otherwise about consents
    /// that are there than what is live, or may do so.
    async fn check_rules(&self, actor: Actor, project: Uuid, job: Uuid) -> Result<()> {
        let may = vault::may_rule(&self.db, actor, Collection::Projects, project, Need::EDIT);
        let refusal = match may.await {
            Ok(()) => return Ok(()),
            Err(refusal @ Error::Forbidden { .. }) => refusal,
            Err(error) => return Err(error),
        };
        let live = store::live(&self.db, project).await?;
        let turn = self.answers.turn(actor).await?;
        let row = self.with_content(project, job).await?;
        let work = move || {
            let live = live.and_then(|live| Content::parse(&live.content));
            job::published_by(&row).is_some_and(|earlier| earlier.rules_alike(live.as_ref()))
        };
        let (_turn, alike) = turn.compute(work).await?;
        if alike { Ok(()) } else { Err(refusal) }
    }

    /// A job whose file can be put back.
    async fn completed(&self, project: Uuid, job: Uuid) -> Result<()> {
        let row = store::lookup(&self.db, project, job).await?;
        if row.ok_or(Error::NotFound)?.status != JobStatus::Complete {
            return Err(not_published());
        }
        Ok(())
    }

    /// A job that was published, or waits to be.
    async fn with_content(&self, project: Uuid, job: Uuid) -> Result<store::JobRow> {
        let row = store::with_plan(&self.db, project, job).await?;
        let row = row.ok_or(Error::NotFound)?;
        if !matches!(row.status, JobStatus::Complete | JobStatus::Waiting) {
            return Err(not_published());
        }
        Ok(row)
    }

    /// Follows a new Global Vendor List, because visitors are shown the latest, and a new order to ask them again.
    /// Each is followed once in the life of a process, so that a project that cannot follow is not tried every few
    /// minutes.
    pub(crate) async fn follow_list(&self) -> Result<()> {
        let Some(edition) = self.tcf.edition().await? else {
            return Ok(());
        };
        if self.followed.lock().await.as_ref() == Some(&edition) {
            return Ok(());
        }
        self.republish(None, false).await?;
        *self.followed.lock().await = Some(edition);
        Ok(())
    }

    /// Starts jobs that render live content again with the current SDK and the current Global Vendor List. Takes
    /// one project, or all (those with older ones, unless `always`). Returns the jobs.
    pub async fn republish(&self, only: Option<Uuid>, always: bool) -> Result<Vec<StartedJob>> {
        if let Some(project) = only {
            let live = store::live(&self.db, project).await?;
            return self.render_again(live.as_slice(), always).await;
        }
        let (mut started, mut after) = (Vec::new(), Uuid::nil());
        loop {
            let some = store::some_live(&self.db, after).await?;
            let Some(last) = some.last() else {
                return Ok(started);
            };
            after = last.project_id;
            started.extend(self.render_again(&some, always).await?);
        }
    }

    /// True if a job has ended and failed; `None` while it works.
    pub async fn has_failed(
        &self,
        StartedJob { project, job }: StartedJob,
    ) -> Result<Option<bool>> {
        let found = store::lookup(&self.db, project, job).await?;
        let Some(row) = found else {
            // Its project was deleted for good meanwhile.
            return Ok(Some(false));
        };
        Ok((row.status != JobStatus::Started).then(|| row.status != JobStatus::Complete))
    }

    async fn render_again(&self, live: &[store::LiveRow], always: bool) -> Result<Vec<StartedJob>> {
        let mut started = Vec::new();
        let edition = self.tcf.edition().await?;
        for live in live {
            if always || live.is_outdated(render::sdk_hash(), edition.as_ref()) {
                let (project, earlier) = (live.project_id, Some(live.job_id));
                let job = self
                    .enqueue(Actor::System, project, earlier, None, Until::default())
                    .await?
                    .id;
                started.push(StartedJob { project, job });
            }
        }
        Ok(started)
    }

    async fn enqueue(
        &self,
        actor: Actor,
        project: Uuid,
        rollback_to: Option<Uuid>,
        reason: Option<&str>,
        until: Until,
    ) -> Result<PublishJob> {
        let id = self.ids.next();
        let (by, reason) = (actor.responsible(), reason.map(str::to_owned));
        let told = until.told(id);
        let mut row = store::JobRow::new(id, project, by, rollback_to, reason, self.clock.now());
        row.publish_at = until.time;
        row.approval = until.approval.then(|| store::WANTED.to_owned());
        row.asked_content = until.content;
        let mut tx = self.db.begin().await?;
        if let Some(person) = by {
            // Others of the project and of the person wait here before they count.
            tx.lock(Locked::Document(project)).await?;
            let purpose = For::of(rollback_to.is_some());
            self.quota.spend(&mut tx, person, OF_A_JOB, purpose).await?;
            let waiting = store::unfinished(&mut tx, project, person).await?;
            if waiting.of_project >= MOST_OF_PROJECT || waiting.of_person >= MOST_OF_PERSON {
                return Err(Error::QueueFull {
                    retry_after: RETRY_SECONDS,
                });
            }
        }
        store::add(&mut tx, &row).await?;
        if by.is_some() {
            access::document_in(&mut tx, actor, project, Need::PUBLISH).await?;
        }
        if told.0 == Action::PublishAsked {
            // A release that knows nothing of waiting does not know this kind either, and publishes nothing.
            let job = GoOn { project, job: id };
            self.jobs.enqueue_for(&mut tx, id, by, &job).await?;
        } else {
            let job = PublishProject(project);
            self.jobs.enqueue_for(&mut tx, id, by, &job).await?;
        }
        let (action, subject) = match rollback_to {
            Some(earlier) if told.0 == Action::Published => {
                (Action::RolledBack, Subject::new(earlier))
            }
            _ => told,
        };
        self.audit
            .record(&mut tx, actor, project, action, subject)
            .await?;
        tx.commit().await?;
        self.jobs.wake();
        self.record(row)
    }

    /// A published file's bytes, for the server's own `/cdn`.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The version-independent SDK, for `/sdk.js`.
    pub fn generic_sdk(&self) -> Option<String> {
        render::generic_sdk(&self.addresses())
    }

    fn pointer_url(&self, project: Uuid) -> String {
        format!("{}/{project}.json", self.cdn_url)
    }
}
