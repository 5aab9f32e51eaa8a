//! What every sub-service works with, as one argument of its constructor.

use std::sync::Arc;

use crate::{
    clock::SharedClock, config::Config, db::Db, events::Events, ids::Ids, jobs::Jobs,
    secret::SecretKey,
};

/// Database, time, ids, background work, events and the secret key of this process.
#[derive(Clone)]
pub(crate) struct Context {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: Arc<Ids>,
    pub jobs: Arc<Jobs>,
    pub events: Arc<Events>,
    pub secret: SecretKey,
}

impl Context {
    pub(crate) fn new(db: Db, config: &Config) -> Self {
        let clock = config.clock.clone();
        let ids = Arc::new(Ids::new(clock.clone()));
        let jobs = Jobs::new(db.clone(), clock.clone(), ids.clone(), config.job_lease);
        Self {
            db,
            clock,
            ids,
            jobs: Arc::new(jobs),
            events: Arc::default(),
            secret: config.secret.clone(),
        }
    }
}
