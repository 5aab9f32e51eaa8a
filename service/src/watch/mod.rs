//! Looks at projects once an hour for what their people should know, and writes the weekly digest.

mod digest;
mod projects;
mod silence;
mod store;
mod wish;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    access::{self, Actor, Need},
    answers::Answers,
    clock::{SharedClock, Timestamp},
    concerns::{Concern, ConcernKind, Concerns},
    consents::Consents,
    context::Context,
    db::Db,
    error::Result,
    ids,
    jobs::{Claim, Ended, Job, Jobs},
    mail::Mail,
    publish::{Publish, waits_since},
};

pub(crate) use digest::Digest;
pub use wish::{Named, Order, Wish};

const HOUR: i64 = 3_600;

/// Looks at all projects that somebody has published, or tried to.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Look;

impl Job for Look {
    const KIND: &'static str = "watch.look";
    const AT_ONCE: usize = 1;
    type Worker = Watch;

    fn lane(&self, _: Uuid) -> String {
        "watch".to_owned()
    }

    async fn run(self, watch: &Watch, _: Claim) -> Ended {
        watch.look().await.into()
    }
}

/// Looks at the sites of projects. It may take long, so nothing else waits for it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LookAtSites;

impl Job for LookAtSites {
    const KIND: &'static str = "watch.sites";
    const AT_ONCE: usize = 1;
    type Worker = Watch;

    fn lane(&self, _: Uuid) -> String {
        "watch.sites".to_owned()
    }

    async fn run(self, watch: &Watch, _: Claim) -> Ended {
        watch.publish.check_sites().await.into()
    }
}

/// The sub-service `watch`.
pub struct Watch {
    db: Db,
    clock: SharedClock,
    jobs: Arc<Jobs>,
    mail: Arc<Mail>,
    concerns: Arc<Concerns>,
    publish: Arc<Publish>,
    consents: Arc<Consents>,
    answers: Answers,
    base_url: String,
}

/// The sub-services that [`Watch`] works with.
pub(crate) struct Dependencies {
    pub mail: Arc<Mail>,
    pub concerns: Arc<Concerns>,
    pub publish: Arc<Publish>,
    pub consents: Arc<Consents>,
    pub base_url: String,
}

impl Watch {
    pub(crate) fn new(context: &Context, dependencies: Dependencies) -> Self {
        Self {
            db: context.db.clone(),
            clock: context.clock.clone(),
            jobs: context.jobs.clone(),
            mail: dependencies.mail,
            concerns: dependencies.concerns,
            publish: dependencies.publish,
            consents: dependencies.consents,
            answers: context.answers.clone(),
            base_url: dependencies.base_url,
        }
    }

    /// The concerns of a project now.
    pub async fn concerns(&self, actor: Actor, project: Uuid) -> Result<Vec<Concern>> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let mut found = self.of(project).await?;
        // It tells when the last consent came.
        if !access::allowed(access::project(&self.db, actor, project, Need::READ_CONSENTS).await)? {
            found.retain(|concern| concern.kind != ConcernKind::NoConsents);
        }
        Ok(found)
    }

    async fn of(&self, project: Uuid) -> Result<Vec<Concern>> {
        let mut found = Vec::new();
        let mut add = |kind, since: Option<Timestamp>, by| {
            found.extend(since.map(|since| Concern { kind, since, by }));
        };
        if store::is_live(&self.db, project).await? {
            let today = self.clock.now().day();
            let days = store::days(&self.db, project, silence::first_day(today)).await?;
            add(ConcernKind::NoConsents, silence::since(&days, today), None);
            let gone = self.publish.snippet_gone(project).await?;
            add(ConcernKind::SnippetGone, gone, None);
        }
        let ended = store::last_publish(&self.db, project).await?;
        let failed = ended.filter(store::Ended::is_concern);
        add(
            ConcernKind::PublishFailed,
            failed.map(|job| job.completed_at),
            None,
        );
        let waiting = store::publish_to_approve(&self.db, project).await?;
        let by = waiting.as_ref().and_then(|job| job.initiated_by);
        add(
            ConcernKind::PublishWaits,
            waiting.map(|job| waits_since(job.started_at, job.publish_at, self.clock.now())),
            by,
        );
        let off = store::webhook_off(&self.db, project).await?;
        add(ConcernKind::WebhookOff, off, None);
        Ok(found)
    }

    /// Queues the look of this hour and the digest of this week, each once, however many processes ask.
    pub(crate) async fn schedule(&self) -> Result<()> {
        let now = self.clock.now();
        let hour = Timestamp(0).plus_seconds(now.seconds().div_euclid(HOUR) * HOUR);
        let jobs = &self.jobs;
        jobs.enqueue_once(ids::at(hour, b"watch-look"), &Look)
            .await?;
        let sites = ids::at(hour, b"watch-site");
        jobs.enqueue_once(sites, &LookAtSites).await?;
        if let Some(digest) = Digest::due(now) {
            // Each hour of its day, in case that the one before failed. Nobody gets two.
            let is_day = now.day() == digest.begins().day();
            let of = if is_day { hour } else { digest.begins() };
            jobs.enqueue_once(ids::at(of, b"watch-week"), &digest)
                .await?;
        }
        Ok(())
    }

    /// The failure at one project keeps no other waiting.
    async fn look(&self) -> Result<()> {
        self.concerns.forget_deleted().await?;
        let (mut after, mut done) = (Uuid::nil(), Ok(()));
        loop {
            let some = store::to_look_at(&self.db, after).await?;
            let Some(last) = some.last() else {
                return done;
            };
            after = *last;
            for project in some {
                done = done.and(self.look_at(project).await);
            }
        }
    }

    async fn look_at(&self, project: Uuid) -> Result<()> {
        let read_at = self.clock.now();
        let found = self.of(project).await?;
        self.concerns.settle(project, &found, read_at).await
    }
}
