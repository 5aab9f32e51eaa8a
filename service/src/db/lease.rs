//! Leases: the right of one process to do a piece of work, until a time. Work whose lease is over is free again, so
//! a process that dies keeps nothing.

use std::time::Duration;

use uuid::Uuid;

use super::Db;
use crate::clock::Timestamp;

/// The right of an owner to a piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    /// The worker. Each claim of a job has an owner of its own.
    pub owner: Uuid,
    /// When the lease was asked for. Work that is due then may be claimed.
    pub from: Timestamp,
    /// When the lease ends.
    pub until: Timestamp,
}

impl Lease {
    /// A lease of a length from a time on.
    pub fn new(owner: Uuid, from: Timestamp, length: Duration) -> Self {
        let millis = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
        Self {
            owner,
            from,
            until: from.plus_millis(millis),
        }
    }
}

impl Db {
    /// SQL behind the selection of rows that a worker claims. On PostgreSQL it skips rows that another process has
    /// locked. On SQLite the single writer is the lock.
    pub fn skip_locked(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "",
            Self::Postgres(_) => " FOR UPDATE SKIP LOCKED",
        }
    }

    /// Waits between two transactions of long work, which took so long. On SQLite there is one writer, and those who wait for
    /// it look for it now and then; so it is free at least as long as it was taken.
    pub async fn leave_to_others(&self, taken: Duration) {
        const LEAST: Duration = Duration::from_millis(150);
        if matches!(self, Self::Sqlite { .. }) {
            tokio::time::sleep(taken.max(LEAST)).await;
        }
    }

    /// True if no other process works on this database: whatever is claimed at the start belongs to a process
    /// that died.
    pub fn is_alone(&self) -> bool {
        matches!(self, Self::Sqlite { .. })
    }
}
