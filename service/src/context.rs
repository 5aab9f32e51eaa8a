//! Dependencies of every sub-service, as one argument of its constructor.

use std::{sync::Arc, time::Duration};

use crate::{
    answers::Answers, audit::Audit, clock::SharedClock, db::Db, events::Events, ids::Ids,
    jobs::Jobs, quota::Quota, secret::SecretKey,
};

/// Database, time, ids, background work, events, the secret key, the turns of this process, the audit log
/// and the quotas of accounts.
#[derive(Clone)]
pub(crate) struct Context {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: Arc<Ids>,
    pub jobs: Arc<Jobs>,
    pub events: Arc<Events>,
    pub secret: SecretKey,
    pub answers: Answers,
    pub audit: Arc<Audit>,
    pub quota: Arc<Quota>,
}

impl Context {
    /// For a process that claims jobs for `lease` at a time.
    pub(crate) fn new(
        db: Db,
        clock: SharedClock,
        secret: SecretKey,
        lease: Duration,
        quota: Quota,
    ) -> Self {
        let ids = Arc::new(Ids::new(clock.clone()));
        let answers = Answers::new(&db);
        let audit = Audit::new(db.clone(), clock.clone(), ids.clone(), answers.clone());
        let jobs = Jobs::new(db.clone(), clock.clone(), ids.clone(), lease);
        Self {
            db,
            clock,
            ids,
            jobs: Arc::new(jobs),
            events: Arc::default(),
            secret,
            answers,
            audit: Arc::new(audit),
            quota: Arc::new(quota),
        }
    }
}
