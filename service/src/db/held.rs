//! Connections of statements, and what a statement keeps until the engine has ended it.
//!
//! A caller that leaves drops the statement that it waits for, but the engine goes on with it. If the caller's turn
//! were free at once, somebody who asks and leaves again and again would take every connection. So a statement
//! outside of a transaction keeps the turns and shares that its request has taken. SQLite is told to end one that reads;
//! PostgreSQL has a time-out.

use std::{
    any::Any,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use sqlx::{Connection, Database, Sqlite, pool::PoolConnection};

use super::DbError;

/// Instructions of SQLite between two looks whether the caller has left. One of them may search a whole document.
const INSTRUCTIONS: i32 = 100;

/// Something that is free for others when the last owner drops it.
type Kept = dyn Any + Send + Sync;

tokio::task_local! {
    /// The turns and shares that the current request has taken.
    static TAKEN: Mutex<Vec<Weak<Kept>>>;
}

/// Work on a request, which its caller may leave. Its statements keep the turns and shares that it takes.
pub fn keeping<W: Future>(work: W) -> impl Future<Output = W::Output> {
    TAKEN.scope(Mutex::default(), work)
}

/// Lets each statement of the current request that begins from now on keep `taken` until the engine has ended it.
pub(crate) fn keep<T: Any + Send + Sync>(taken: &Arc<T>) {
    let taken: Arc<Kept> = taken.clone();
    // Nobody leaves work that is on no request.
    let _ = TAKEN.try_with(|all| {
        let mut all = lock(all);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(&taken));
    });
}

fn lock(all: &Mutex<Vec<Weak<Kept>>>) -> MutexGuard<'_, Vec<Weak<Kept>>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection for one statement.
pub(super) struct Held<D: Database> {
    /// Only the drop takes it.
    connection: Option<PoolConnection<D>>,
    kept: Vec<Arc<Kept>>,
    /// Tells SQLite that the caller has left.
    left: Option<Arc<AtomicBool>>,
}

impl<D: Database> Held<D> {
    pub(super) fn new(connection: PoolConnection<D>) -> Self {
        let kept = TAKEN.try_with(|all| lock(all).iter().filter_map(Weak::upgrade).collect());
        Self {
            connection: Some(connection),
            kept: kept.unwrap_or_default(),
            left: None,
        }
    }

    /// The connection.
    #[expect(clippy::expect_used, reason = "only the drop takes the connection")]
    pub(super) fn get(&mut self) -> &mut D::Connection {
        self.connection
            .as_deref_mut()
            .expect("a connection until the drop")
    }

    /// Ends the use of the connection after the engine has ended the statement.
    pub(super) fn end(mut self) {
        self.kept.clear();
    }
}

impl Held<Sqlite> {
    /// Has SQLite end the statement when the caller leaves.
    pub(super) async fn ending_with_the_caller(mut self) -> Result<Self, DbError> {
        if self.kept.is_empty() {
            return Ok(self);
        }
        let left = Arc::new(AtomicBool::new(false));
        let seen = left.clone();
        let mut handle = self.get().lock_handle().await?;
        handle.set_progress_handler(INSTRUCTIONS, move || !seen.load(Ordering::Relaxed));
        drop(handle);
        self.left = Some(left);
        Ok(self)
    }
}

impl<D: Database> Drop for Held<D> {
    fn drop(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        if kept.is_empty() {
            return;
        }
        let Some(mut connection) = self.connection.take() else {
            return;
        };
        let left = self.left.take();
        if let Some(left) = &left {
            left.store(true, Ordering::Relaxed);
        }
        tokio::spawn(async move {
            // The engine answers after it has ended the statement. If it does not answer, the pool finds out, too.
            let answered = connection.ping().await;
            if let Some(left) = left {
                left.store(false, Ordering::Relaxed);
            }
            drop((answered, connection, kept));
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::db::Db;

    /// Gives a row at once, and the next one never.
    const ENDLESS: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
         SELECT 1 UNION ALL SELECT COUNT(*) FROM n";
    const LONG: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) \
         SELECT COUNT(*) FROM n";

    /// True once the first row has come.
    static BEGUN: AtomicBool = AtomicBool::new(false);

    /// On one thread nothing happens beside the test until it waits.
    #[tokio::test]
    async fn a_statement_keeps_a_turn_until_sqlite_has_ended_it_and_it_ends_with_its_caller() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::open(&format!("sqlite:{}/test.db", folder.path().display()))
            .await
            .unwrap();
        let left = async {
            // More often than there are connections.
            for _ in 0..8 {
                let turn = Arc::new(());
                let mut asked = Box::pin(keeping(async {
                    keep(&turn);
                    let size: fn(&(i64,)) -> u64 = |_| {
                        BEGUN.store(true, Ordering::Relaxed);
                        0
                    };
                    db.query(ENDLESS).all_within((size, 1)).await
                }));
                while !BEGUN.swap(false, Ordering::Relaxed) {
                    assert!(futures::poll!(&mut asked).is_pending());
                    tokio::task::yield_now().await;
                }
                drop(asked);
                assert_eq!(Arc::strong_count(&turn), 2, "SQLite is still at it");
                while Arc::strong_count(&turn) > 1 {
                    tokio::task::yield_now().await;
                }
                // The connection goes on with later statements.
                let counted = db.query(LONG).one_value::<i64>().await;
                assert_eq!(counted.unwrap(), 10_000);
            }
            let turn = Arc::new(());
            let counted = keeping(async {
                keep(&turn);
                db.query(LONG).one_value::<i64>().await
            });
            assert_eq!(counted.await.unwrap(), 10_000);
            assert_eq!(Arc::strong_count(&turn), 1);
        };
        let left = tokio::time::timeout(Duration::from_mins(1), left).await;
        assert!(left.is_ok(), "SQLite goes on for nobody");
    }
}
