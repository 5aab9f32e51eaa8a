//! A process that dies at each step of a round.

use tests::{Engine, on_both};

use super::{Answered, EVERY, begins_with, checkpoint, has_each_entry_once};

async fn a_ledger_that_is_killed_at_any_step_proves_everything_afterwards(engine: Engine) {
    let (mut process, mut shop) = Answered::proven(engine, 3).await;
    let mut old = checkpoint(process.folder()).expect("a checkpoint");
    for step in ["assign", "integrate", "put", "sign", "publish", "forget"] {
        process.kill();
        let point = format!("ledger-{step}");
        process.restart(&[&EVERY[..], &["--crash-at", &point]].concat());
        // The process dies in a round with something to do; what it acknowledges until then counts.
        shop.answer(&process, 4).await;
        let ended = process.wait_for_death().await;
        assert!(!ended.success(), "{step}");
        process.restart(&EVERY);
        shop.answer(&process, 2).await;
        shop.is_proven(&process).await;
        has_each_entry_once(&process).await;
        begins_with(process.folder(), &old);
        old = checkpoint(process.folder()).expect("a checkpoint");
    }
}

on_both!(a_ledger_that_is_killed_at_any_step_proves_everything_afterwards);
