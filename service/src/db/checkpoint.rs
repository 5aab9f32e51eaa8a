//! SQLite's write-ahead log, brought into the database file beside the writer.
//!
//! By default SQLite does it inside a commit, each time that the log has a thousand pages. All
//! callers of that commit wait some ten milliseconds more for the disk, and a page that each commit
//! changes is brought in again and again. Here a connection of its own does it while the writer
//! continues.
//!
//! The log keeps earlier contents of pages until it begins again. After an erasure it is emptied.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use tokio::sync::Notify;

/// Pages of the log (64 MB) at which the writer brings them in after all. Under a load that never
/// rests something new is in the log whenever the other connection is through; only when nothing is
/// does the log begin again.
pub(super) const MOST_PAGES: &str = "16000";

/// Transactions from one time to the next.
const TRANSACTIONS: u32 = 16;

/// Time until the log is emptied if somebody reads from it. A writer waits as long for the attempt.
const ATTEMPT: Duration = Duration::from_millis(100);
/// Time between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Counts the writer's transactions.
#[derive(Debug, Default)]
pub struct Written {
    transactions: AtomicU32,
    enough: Notify,
    /// True if something was erased that is still in the log.
    erased: AtomicBool,
}

impl Written {
    /// Tells of a transaction.
    pub(super) fn count(&self) {
        if self.transactions.fetch_add(1, Ordering::Relaxed) + 1 >= TRANSACTIONS {
            self.transactions.store(0, Ordering::Relaxed);
            self.enough.notify_one();
        }
    }

    /// Tells of an erasure.
    pub(super) fn erase(&self) {
        self.erased.store(true, Ordering::Relaxed);
        self.enough.notify_one();
    }
}

/// Starts to bring the log in whenever enough was written, until the pool that it gives is closed.
pub(super) fn keep_short(options: SqliteConnectOptions, written: Arc<Written>) -> SqlitePool {
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(Duration::from_secs(10))
        .test_before_acquire(false)
        .connect_lazy_with(options.busy_timeout(ATTEMPT));
    tokio::spawn({
        let pool = pool.clone();
        async move {
            let closed = pool.close_event();
            tokio::pin!(closed);
            loop {
                tokio::select! {
                    () = &mut closed => return,
                    () = written.enough.notified() => {}
                    () = tokio::time::sleep(PAUSE), if written.erased.load(Ordering::Relaxed) => {}
                }
                let empty = written.erased.swap(false, Ordering::Relaxed);
                match bring_in(&pool, empty).await {
                    Ok(true) => {}
                    Ok(false) => drop(written.erased.fetch_or(empty, Ordering::Relaxed)),
                    Err(error) => {
                        written.erased.fetch_or(empty, Ordering::Relaxed);
                        tracing::warn!(%error, "the database's log could not be brought in");
                    }
                }
            }
        }
    });
    pool
}

/// Brings the log in. Returns false if somebody still needed a part of it.
async fn bring_in(pool: &SqlitePool, empty: bool) -> Result<bool, sqlx::Error> {
    let statement = if empty {
        "PRAGMA wal_checkpoint(TRUNCATE)"
    } else {
        // Waits for no other connection: pages that others still need stay in the log.
        "PRAGMA wal_checkpoint(PASSIVE)"
    };
    let (busy, _, _): (i64, i64, i64) = sqlx::query_as(statement).fetch_one(pool).await?;
    Ok(busy == 0)
}
