//! Publishes that wait: for a time, for the approval of a second person, or for both.
//!
//! Such a job keeps the content that was asked for, so that people approve what goes live, and stops before it stores
//! anything. A project has one at most. Another publish that goes live meanwhile ends it, because it would undo that
//! one.

mod store;

use store::Completed;
pub(super) use store::wait;

use domain::{
    audit::Action,
    documents,
    error_code::ErrorCode,
    publish::{JobStatus, StepName},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Publish,
    content::Content,
    lane,
    progress::{PublishJob, Step},
    store::{self as jobs, Failure, JobRow},
};
use crate::{
    access::{self, Actor, Need},
    audit::Subject,
    clock::Timestamp,
    concerns::{Concern, ConcernKind},
    db::Tx,
    error::{Error, Result},
    jobs::{Claim, Ended, Job},
    objects::sha256_hex,
    vault::Document,
};

/// Most days that a publish waits for its time.
pub const MOST_DAYS_AHEAD: i64 = 366;
/// Publishes that go on at one look. Others follow at the next.
const AT_A_LOOK: i64 = 60;

/// The events that a publish is to wait for.
#[derive(Clone, Debug, Default)]
pub(super) struct Until {
    pub time: Option<Timestamp>,
    pub approval: bool,
    /// SHA-256 of the content of this moment.
    pub content: Option<String>,
}

impl Until {
    /// The entry of the audit log about a job that starts.
    pub fn told(&self, job: Uuid) -> (Action, Subject) {
        let mut subject = Subject::new(job);
        if self.approval {
            subject = subject.with("approval");
        }
        if self.time.is_some() {
            subject = subject.with("time");
        }
        let action = if self.approval || self.time.is_some() {
            Action::PublishAsked
        } else {
            Action::Published
        };
        (action, subject)
    }
}

/// Works on a publish that is to wait, and goes on with one that waited. The queue keeps the first job as done, so that
/// there is a second one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct GoOn {
    pub project: Uuid,
    pub job: Uuid,
}

impl Job for GoOn {
    const KIND: &'static str = "publish.go_on";
    const AT_ONCE: usize = super::AT_ONCE;
    type Worker = Publish;

    fn lane(&self, _: Uuid) -> String {
        lane(self.project)
    }

    async fn run(self, publish: &Publish, _: Claim) -> Ended {
        publish.attempt(self.project, self.job).await
    }

    async fn give_up(self, publish: &Publish, _: Claim, cause: &str) {
        publish.give_up(self.project, self.job, cause).await;
    }
}

impl JobRow {
    /// The end of a publish that waits, when it will not go live: its steps, of which none has failed, and why.
    fn ended(&self, code: ErrorCode, message: &'static str) -> (Vec<Step>, Failure<'static>) {
        let steps = serde_json::from_str(&self.steps).unwrap_or_default();
        let failure = Failure {
            code,
            // The step that it waited before.
            step: StepName::Upload,
            message,
            errors: None,
        };
        (steps, failure)
    }

    /// The end of a publish that waits, when another one has gone live.
    pub(super) fn overtaken(&self) -> (Vec<Step>, Failure<'static>) {
        let message = "Another publish went live meanwhile, which this one would have undone.";
        self.ended(ErrorCode::Overtaken, message)
    }
}

/// SHA-256 of content.
pub(super) fn digest(content: &Content) -> String {
    sha256_hex(content.canonical().as_bytes())
}

/// True if putting back what a job published changes nothing, or undoes the last publish of drafts and nothing else.
/// `latest` are the publishes that were complete, newest first.
fn undoes(latest: &[Completed], job: Uuid) -> bool {
    // The job that made a version first. Jobs that put it back, or make it anew, lead there.
    let version = |job: Uuid| {
        let mut at = job;
        while let Some(earlier) = latest.iter().find(|one| one.id == at)
            && let Some(back) = earlier.rollback_to
        {
            at = back;
        }
        at
    };
    let wanted = version(job);
    let Some(live) = latest.first().map(|newest| version(newest.id)) else {
        return false;
    };
    if wanted == live {
        return true;
    }
    let mut others = latest.iter().skip_while(|one| version(one.id) == live);
    let before = others.next().map(|one| version(one.id));
    let mut same = latest.iter().take_while(|one| version(one.id) == live);
    // Somebody approved it, or a publish of the drafts made it live.
    let is_first = same.any(|one| one.approved || one.id == live);
    is_first && before == Some(wanted)
}

fn asks_for_approval(document: &Document) -> bool {
    let project: documents::Project = documents::read(&document.data);
    project.approval
}

/// The time since which people should look at a publish that waits for approval: again when its own time has come.
pub(crate) fn waits_since(
    started_at: Timestamp,
    publish_at: Option<Timestamp>,
    now: Timestamp,
) -> Timestamp {
    publish_at.filter(|at| *at <= now).unwrap_or(started_at)
}

fn not_waiting() -> Error {
    let detail = "This publish waits for no such thing, or no longer.";
    Error::conflict(None, ErrorCode::NotWaiting, detail)
}

impl Publish {
    /// The events that a new publish of the drafts waits for.
    pub(super) async fn until(
        &self,
        actor: Actor,
        project: Uuid,
        at: Option<Timestamp>,
    ) -> Result<Until> {
        let now = self.clock.now();
        if at.is_some_and(|at| at <= now || at > now.plus_days(MOST_DAYS_AHEAD)) {
            let detail = format!("The time lies ahead, by at most {MOST_DAYS_AHEAD} days.");
            return Err(Error::field("/at", ErrorCode::OutOfRange, detail));
        }
        let approval = actor.responsible().is_some() && self.needs_approval(project).await?;
        if !approval && at.is_none() {
            return Ok(Until::default());
        }
        self.none_waits(project).await?;
        let turn = self.answers.turn(actor).await?;
        let (_, draft) = self.draft(turn, project).await?;
        Ok(Until {
            time: at,
            approval,
            content: Some(digest(&draft.content)),
        })
    }

    /// The events that putting an earlier version back waits for.
    pub(super) async fn until_back(&self, project: Uuid, job: Uuid) -> Result<Until> {
        let approval = self.needs_approval_to_go_back(project, job).await?;
        if approval {
            self.none_waits(project).await?;
        }
        Ok(Until {
            approval,
            ..Until::default()
        })
    }

    /// True if what a person puts back waits for approval.
    pub async fn waits_to_go_back(&self, actor: Actor, project: Uuid, job: Uuid) -> Result<bool> {
        access::project(&self.db, actor, project, Need::READ).await?;
        self.needs_approval_to_go_back(project, job).await
    }

    /// A mistake must be undone at once, so the version before the present one needs nobody's approval. One that somebody
    /// has undone already needs it again.
    pub(super) async fn needs_approval_to_go_back(&self, project: Uuid, job: Uuid) -> Result<bool> {
        if !self.needs_approval(project).await? {
            return Ok(false);
        }
        Ok(!undoes(&store::latest(&self.db, project).await?, job))
    }

    async fn none_waits(&self, project: Uuid) -> Result<()> {
        if store::waiting(&self.db, project).await?.is_some() {
            let detail = "A publish of this project waits already. Cancel it first.";
            return Err(Error::conflict(None, ErrorCode::PublishWaits, detail));
        }
        Ok(())
    }

    pub(super) async fn needs_approval(&self, project: Uuid) -> Result<bool> {
        let document = jobs::project(&self.db, project).await?;
        Ok(document.is_some_and(|document| asks_for_approval(&document)))
    }

    /// The publish of a project that waits.
    pub async fn waiting(&self, actor: Actor, project: Uuid) -> Result<Option<PublishJob>> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let row = store::waiting(&self.db, project).await?;
        row.map(|row| self.record(row)).transpose()
    }

    /// Approves the publish that somebody else has asked for. It goes live at its time, or at once.
    pub async fn approve(&self, actor: Actor, project: Uuid, job: Uuid) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Need::APPROVE).await?;
        let row = jobs::lookup(&self.db, project, job).await?;
        let row = row.ok_or(Error::NotFound)?;
        let person = actor.user()?;
        if row.status != JobStatus::Waiting || row.approval.as_deref() != Some(jobs::WANTED) {
            return Err(not_waiting());
        }
        if row.initiated_by == Some(person) {
            let detail = "The person who asked for a publish cannot approve it.";
            return Err(Error::forbidden(ErrorCode::SecondPersonNeeded, detail));
        }
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        if !store::approve(&mut tx, job, person, now).await? {
            return Err(not_waiting());
        }
        access::document_in(&mut tx, actor, project, Need::APPROVE).await?;
        if row.publish_at.is_none_or(|at| at <= now) {
            self.go_on(&mut tx, &row).await?;
        }
        let subject = Subject::new(job);
        self.audit
            .record(&mut tx, actor, project, Action::PublishApproved, subject)
            .await?;
        tx.commit().await?;
        self.jobs.wake();
        self.read(actor, project, job).await
    }

    /// Ends a publish that waits. Nothing goes live.
    pub async fn cancel(&self, actor: Actor, project: Uuid, job: Uuid) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Need::PUBLISH).await?;
        let row = jobs::lookup(&self.db, project, job).await?;
        let row = row.ok_or(Error::NotFound)?;
        let (steps, failure) = row.ended(ErrorCode::Cancelled, "Cancelled.");
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let by = actor.responsible();
        if !store::cancel(&mut tx, job, by, now).await? {
            return Err(not_waiting());
        }
        access::document_in(&mut tx, actor, project, Need::PUBLISH).await?;
        jobs::fail_in(&mut tx, job, &steps, &failure, now).await?;
        let subject = Subject::new(job);
        self.audit
            .record(&mut tx, actor, project, Action::PublishCancelled, subject)
            .await?;
        tx.commit().await?;
        self.events.tell(crate::events::Event::OutboxFilled);
        self.read(actor, project, job).await
    }

    /// Goes on with publishes whose time has come.
    pub async fn go_on_in_time(&self) -> Result<()> {
        for row in store::due(&self.db, self.clock.now(), AT_A_LOOK).await? {
            if row.approval.is_none() && self.needs_second_look(&row).await? {
                store::want_approval(&self.db, row.id).await?;
                self.ask_for_approval(row.project_id, row.id).await;
                continue;
            }
            let mut tx = self.db.begin().await?;
            self.go_on(&mut tx, &row).await?;
            tx.commit().await?;
            self.jobs.wake();
        }
        Ok(())
    }

    /// True if somebody has to approve a publish that waited for its time alone. The rule may be younger than the publish,
    /// and holds for all that goes live. Nothing goes live in the name of a person who may no longer publish.
    async fn needs_second_look(&self, row: &JobRow) -> Result<bool> {
        let Some(document) = jobs::project(&self.db, row.project_id).await? else {
            // It is deleted, and the publish fails by that.
            return Ok(false);
        };
        if asks_for_approval(&document) {
            return Ok(true);
        }
        let Some(person) = row.initiated_by else {
            return Ok(false);
        };
        let role = access::project_role(&self.db, Actor::User(person), row.project_id).await?;
        Ok(role.is_none_or(|role| !Need::PUBLISH.is_met_by_role(role)))
    }

    /// Tells those who may approve that a publish waits. A letter that fails is written within the hour by `watch`.
    pub(super) async fn ask_for_approval(&self, project: Uuid, job: Uuid) {
        let told = async {
            let Some(row) = jobs::lookup(&self.db, project, job).await? else {
                return Ok(());
            };
            let waits = Concern {
                kind: ConcernKind::PublishWaits,
                since: waits_since(row.started_at, row.publish_at, self.clock.now()),
                by: row.initiated_by,
            };
            self.concerns.tell(project, waits).await
        };
        if let Err(error) = told.await {
            tracing::warn!(%error, project.id = %project, "nobody was told yet that a publish waits for approval");
        }
    }

    /// Queues the rest of a publish that waits. Its first steps run again with the content that it has: a subscription
    /// may have ended meanwhile, and visitors must be shown the vendor list of that day.
    async fn go_on(&self, tx: &mut Tx, row: &JobRow) -> Result<()> {
        if !store::go_on(tx, row.id).await? {
            return Ok(());
        }
        let next = GoOn {
            project: row.project_id,
            job: row.id,
        };
        let id = self.ids.next();
        Ok(self
            .jobs
            .enqueue_for(tx, id, row.initiated_by, &next)
            .await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Publishes from the oldest to the newest: of drafts, or with the number of the publish that it put back.
    fn latest(jobs: &[Option<u128>], approved: &[u128]) -> Vec<Completed> {
        let all = (1..).zip(jobs).map(|(id, back)| Completed {
            id: Uuid::from_u128(id),
            rollback_to: back.map(Uuid::from_u128),
            approved: approved.contains(&id),
        });
        let mut all: Vec<Completed> = all.collect();
        all.reverse();
        all
    }

    #[test]
    fn only_the_last_publish_is_undone_freely() {
        let free = |jobs: &[Option<u128>], approved: &[u128]| -> Vec<u128> {
            let latest = latest(jobs, approved);
            let jobs = 1..=latest.len() as u128;
            jobs.filter(|job| undoes(&latest, Uuid::from_u128(*job)))
                .collect()
        };
        let draft = None;
        assert!(free(&[], &[]).is_empty());
        assert_eq!(free(&[draft], &[]), [1]);
        assert_eq!(free(&[draft, draft, draft], &[]), [2, 3]);
        // Put back: the version that was undone needs a second person, and so does what was before.
        assert_eq!(free(&[draft, draft, Some(1)], &[]), [1, 3]);
        // Unless a second person has approved that it was put back.
        assert_eq!(free(&[draft, draft, Some(1)], &[3]), [1, 2, 3]);
        // The present version put back, by a person or by the product, takes nothing away.
        assert_eq!(free(&[draft, draft, Some(2)], &[]), [1, 2, 3]);
        assert_eq!(free(&[draft, draft, Some(2), Some(3)], &[]), [1, 2, 3, 4]);
        // A version that came back and went away again is undone by what was before.
        assert_eq!(free(&[draft, draft, Some(1), draft], &[]), [1, 3, 4]);
    }
}
