//! Databases and files that come back from backups of different times.

use std::fs;

use tests::{Engine, Process, on_both, until};

use super::{
    Answered, Backup, EVERY, begins_with, checkpoint, folder, sizes, stays_stopped, stopped,
};

/// Backups of before and after `more` answers, and the consents of before. The process is stopped at the end.
async fn two_backups(
    process: &mut Process,
    shop: &mut Answered,
    more: usize,
) -> (Backup, Vec<String>, Backup) {
    process.kill();
    let older = Backup::of(process).await;
    let early = shop.consents.clone();
    process.restart(&EVERY);
    shop.answer(process, more).await;
    shop.is_proven(process).await;
    process.kill();
    (older, early, Backup::of(process).await)
}

async fn an_older_database_beside_newer_files_goes_on_without_a_fork(engine: Engine) {
    let (mut process, mut shop) = Answered::proven(engine, 5).await;
    let (older, early, _) = two_backups(&mut process, &mut shop, 7).await;
    let data = process.folder().to_owned();
    let newer = checkpoint(&data).expect("a checkpoint");
    older.restore_database().await;
    shop.consents = early;
    process.restart(&EVERY);
    shop.answer(&process, 3).await;
    shop.is_proven(&process).await;
    begins_with(&data, &newer);
    let now = checkpoint(&data).expect("a checkpoint");
    // The restored event and the three new ones.
    assert!(
        now.size >= newer.size + 4,
        "{} after {}",
        now.size,
        newer.size
    );
    let entries = fs::read(folder(&data).join(format!("tile/entries/000.p/{}", now.size)));
    let entries = String::from_utf8_lossy(&entries.expect("entries")).into_owned();
    assert!(entries.contains("\"event\":\"restored\""));
}

on_both!(an_older_database_beside_newer_files_goes_on_without_a_fork);

async fn a_database_from_before_the_end_of_its_ledger_does_not_revive_it(engine: Engine) {
    let (mut process, mut shop) = Answered::proven(engine, 3).await;
    process.terminate();
    assert!(process.wait_for_death().await.success());
    let older = Backup::of(&process).await;
    let flags = [&["--yes"], &EVERY[2..]].concat();
    let ran = process.program(&["ledger", "retire"], &flags, "");
    assert_eq!(ran.code, Some(0), "{}", ran.complained);
    let data = process.folder().to_owned();
    let ended = checkpoint(&data).expect("a checkpoint");
    older.restore_database().await;
    process.restart(&EVERY);
    shop.answer(&process, 1).await;
    stopped(&process, "the published ledger has ended").await;
    assert_eq!(checkpoint(&data).expect("a checkpoint").size, ended.size);
}

on_both!(a_database_from_before_the_end_of_its_ledger_does_not_revive_it);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ledger_whose_files_are_missing_gives_no_index_until_they_are_back() {
    let (mut process, mut shop) = Answered::proven(Engine::Sqlite, 3).await;
    let data = process.folder().to_owned();
    let old = checkpoint(&data).expect("a checkpoint");
    let before = sizes(&process).await;
    let (there, away) = (data.join("cdn/ledger"), data.join("away"));
    fs::rename(&there, &away).expect("moved");
    shop.answer(&process, 4).await;
    stopped(&process, "its files are missing").await;
    assert_eq!(shop.consents.len(), 7, "consents go on");
    assert_eq!(sizes(&process).await, before);
    assert!(!there.exists(), "nothing was published");
    fs::rename(&away, &there).expect("moved back");
    shop.is_proven(&process).await;
    begins_with(&data, &old);
    // Older files than the database's are no better.
    let (older, _, newer) = two_backups(&mut process, &mut shop, 2).await;
    older.restore_files(&data);
    process.restart(&EVERY);
    let before = sizes(&process).await;
    shop.answer(&process, 2).await;
    stopped(&process, "older than its database").await;
    stays_stopped(&process, &mut shop, "older than its database").await;
    assert_eq!(sizes(&process).await, before);
    newer.restore_files(&data);
    shop.is_proven(&process).await;
    begins_with(&data, &old);
    // A late write of another process leaves an older note beside newer tiles. It is put right.
    let note = folder(&data).join("checkpoint");
    let before = checkpoint(&data).expect("a checkpoint");
    let (_, earlier) = older
        .files
        .iter()
        .find(|(path, _)| *path == note)
        .expect("a note");
    fs::write(&note, earlier).expect("written");
    shop.answer(&process, 1).await;
    shop.is_proven(&process).await;
    begins_with(&data, &before);
}

async fn entries_whose_indexes_are_taken_in_newer_files_get_others(engine: Engine) {
    let (mut process, mut shop) = Answered::proven(engine, 3).await;
    let data = process.folder().to_owned();
    // The backup has entries with indexes that no checkpoint covers yet.
    let assigning = [&EVERY[..], &["--crash-at", "ledger-assign"]].concat();
    process.restart(&assigning);
    shop.answer(&process, 3).await;
    assert!(!process.wait_for_death().await.success());
    let older = Backup::of(&process).await;
    let early = shop.consents.clone();
    let before = early.len();
    process.restart(&EVERY);
    shop.answer(&process, 5).await;
    shop.is_proven(&process).await;
    process.kill();
    let newer = Backup::of(&process).await;
    let published = checkpoint(&data).expect("a checkpoint");
    // Restored with its own files, it gives further indexes.
    older.restore_database().await;
    older.restore_files(&data);
    shop.consents = early;
    process.restart(&assigning);
    shop.answer(&process, 4).await;
    assert!(!process.wait_for_death().await.success());
    newer.restore_files(&data);
    process.restart(&EVERY);
    shop.answer(&process, 2).await;
    until("the ledger follows its files", async || {
        let now = checkpoint(&data)?;
        (now.size > published.size).then_some(())
    })
    .await;
    shop.is_proven(&process).await;
    begins_with(&data, &published);
    // The restored event, those that were displaced, and two new ones. Those of the backup are there once. The process may
    // have died between storing a consent and its answer.
    let now = checkpoint(&data).expect("a checkpoint");
    let acknowledged = published.size + 1 + (shop.consents.len() - before) as u64;
    assert!(shop.consents.len() > before + 2, "some were displaced");
    assert!(
        (acknowledged..=acknowledged + 1).contains(&now.size),
        "{}",
        now.size
    );
}

on_both!(entries_whose_indexes_are_taken_in_newer_files_get_others);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_do_not_begin_as_the_database_stop_the_ledger() {
    let (mut process, mut shop) = Answered::proven(Engine::Sqlite, 3).await;
    let (older, early, lost) = two_backups(&mut process, &mut shop, 2).await;
    let data = process.folder().to_owned();
    // Restored from an old backup, it signs another history than the lost one, which nobody can know.
    let larger = (1, "does not begin as this database's does");
    for (more, said) in [larger, (6, "or of another history")] {
        older.restore_database().await;
        older.restore_files(&data);
        shop.consents.clone_from(&early);
        process.restart(&EVERY);
        shop.answer(&process, more).await;
        shop.is_proven(&process).await;
        process.kill();
        // Then the lost files come back: larger than its tree, and smaller.
        lost.restore_files(&data);
        process.restart(&EVERY);
        shop.answer(&process, 2).await;
        stopped(&process, said).await;
        process.kill();
    }
}
