//! The pace of checkpoints: under load, and when clocks are put right.

use service::clock::Clock;
use tests::{Engine, TestApp, on_both, until};

/// An entry in these tests.
pub const ENTRY: &[u8] = &[9];

/// Entries that stand in the table as transactions leave them: `batches` of so many leaves each.
pub async fn wait_for_indexes(app: &TestApp, batches: usize, leaves: usize) {
    let mut bytes = Vec::new();
    for _ in 0..leaves {
        proof::tile::add_entry(&mut bytes, ENTRY).unwrap();
    }
    let mut tx = app.placet.db.begin().await.unwrap();
    for _ in 0..batches {
        tx.query("INSERT INTO ledger_batches (kind, leaves, entries) VALUES (1, $1, $2)")
            .bind(i64::try_from(leaves).unwrap())
            .bind(bytes.clone())
            .exec()
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

/// Waits until all entries are published, and returns their number.
pub async fn all_published(app: &TestApp) -> u64 {
    until("all entries are published", async || {
        let status = app.placet.ledger.status().await.unwrap()?;
        (status.published > 0 && status.to_publish() == 0).then_some(status.published)
    })
    .await
}

/// A ledger with a checkpoint an hour, after its first one, which tells of its key as well.
async fn hourly(engine: Engine) -> (TestApp, u64) {
    let app = TestApp::set_up(engine, None, |config| {
        config.ledger.every = std::time::Duration::from_hours(1);
    })
    .await;
    wait_for_indexes(&app, 1, 1).await;
    let published = all_published(&app).await;
    (app, published)
}

async fn one_checkpoint_covers_many_small_transactions_and_a_backlog_is_published_at_once(
    engine: Engine,
) {
    let (app, before) = hourly(engine).await;
    wait_for_indexes(&app, 1_100, 1).await;
    let status = until("all have an index", async || {
        let status = app.placet.ledger.status().await.unwrap().unwrap();
        (status.waiting == 0).then_some(status)
    })
    .await;
    assert_eq!(status.published, before, "it is not time for a checkpoint");
    app.clock.advance_seconds(3_600);
    // The next one is due in an hour, so one must have covered all of them.
    assert_eq!(all_published(&app).await, before + 1_100);
    wait_for_indexes(&app, 1, 65_536).await;
    wait_for_indexes(&app, 1, 65_536).await;
    assert_eq!(all_published(&app).await, before + 1_100 + 2 * 65_536);
}

on_both!(one_checkpoint_covers_many_small_transactions_and_a_backlog_is_published_at_once);

async fn a_clock_that_is_set_back_holds_no_checkpoint_up(engine: Engine) {
    let (app, before) = hourly(engine).await;
    // As a process leaves it that was killed.
    let taken = "UPDATE ledger SET holder = $1, held_until = $2";
    app.clock.advance_days(-1);
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query(taken)
        .bind(uuid::Uuid::nil())
        .bind(app.clock.now().plus_days(1))
        .exec()
        .await
        .unwrap();
    tx.commit().await.unwrap();
    wait_for_indexes(&app, 1, 1).await;
    assert_eq!(all_published(&app).await, before + 1);
}

on_both!(a_clock_that_is_set_back_holds_no_checkpoint_up);

/// The checkpoint and the lease of a year ahead must not hold up those of today.
async fn a_clock_that_runs_ahead_and_is_put_right_holds_no_checkpoint_up(engine: Engine) {
    let (app, before) = hourly(engine).await;
    for (days, published) in [(365, before + 1), (-365, before + 2)] {
        app.clock.advance_days(days);
        wait_for_indexes(&app, 1, 1).await;
        assert_eq!(all_published(&app).await, published, "{days}");
    }
    let status = app.placet.ledger.status().await.unwrap().unwrap();
    assert_eq!(status.stopped, None);
}

on_both!(a_clock_that_runs_ahead_and_is_put_right_holds_no_checkpoint_up);
