//! Checkpoints of the past: one a day stays, and every one that somebody else has signed.

use service::clock::Clock;
use tests::{Engine, TestApp, on_both};

use super::pace::{all_published, wait_for_indexes};

on_both!(of_old_checkpoints_one_a_day_stays_and_those_that_others_signed);
async fn of_old_checkpoints_one_a_day_stays_and_those_that_others_signed(engine: Engine) {
    let app = TestApp::start(engine).await;
    let db = &app.placet.db;
    let publish = async || {
        wait_for_indexes(&app, 1, 1).await;
        i64::try_from(all_published(&app).await).unwrap()
    };
    // The days begin at midnight, wherever the clock stands.
    let into_day = app.clock.now().seconds().rem_euclid(86_400);
    app.clock.advance_seconds(86_400 - into_day + 60);
    let mut first_day = Vec::new();
    for _ in 0..5 {
        first_day.push(publish().await);
    }
    app.clock.advance_days(1);
    let second_day = publish().await;
    app.clock.advance_days(1);
    let last = publish().await;
    let [plain, cosigned, stamped, other, newest] = first_day[..] else {
        panic!("five checkpoints");
    };
    let mut tx = db.begin().await.unwrap();
    let cosign =
        "INSERT INTO ledger_cosignatures (size, witness, line, signed_at) VALUES ($1, 'w', 'l', 1)";
    tx.query(cosign).bind(cosigned).exec().await.unwrap();
    let stamp =
        "INSERT INTO ledger_timestamps (size, url, token, stamped_at) VALUES ($1, 'u', $2, 1)";
    let stamp = tx.query(stamp).bind(stamped).bind(vec![1_u8]);
    stamp.exec().await.unwrap();
    // As after 256 entries, when partial files have gone.
    let swept = tx.query("UPDATE ledger SET swept = $1").bind(last);
    swept.exec().await.unwrap();
    tx.commit().await.unwrap();
    let kept = async || -> Vec<i64> {
        app.placet.forget_expired().await.unwrap();
        db.query("SELECT size FROM ledger_checkpoints WHERE size >= $1 ORDER BY size")
            .bind(plain)
            .all_values()
            .await
            .unwrap()
    };
    let all = [plain, cosigned, stamped, other, newest, second_day, last];
    // The first day is not over for a week yet.
    app.clock.advance_days(4);
    assert_eq!(kept().await, all);
    app.clock.advance_days(5);
    assert_eq!(kept().await, [cosigned, stamped, newest, second_day, last]);
}
