//! Partial tiles: they stay for a day beside the full one, where readers of older trees find their leaves afterwards.

use proof::{
    checkpoint::Checkpoint,
    note::Note,
    promise::{ReadFile, find},
    tree,
};
use tests::{Engine, TestApp, on_both, until};

use super::{
    about,
    pace::{ENTRY, all_published, wait_for_indexes},
};

async fn partial_files_go_a_day_after_the_full_one_and_their_readers_read_that(engine: Engine) {
    let app = TestApp::start(engine).await;
    wait_for_indexes(&app, 1, 199).await;
    // With the key of the ledger.
    assert_eq!(all_published(&app).await, 200);
    let prefix = about(&app).await["prefix"].as_str().unwrap().to_owned();
    let path = prefix.strip_prefix(&app.base).unwrap().to_owned();
    let (_, folder) = path.split_once("/cdn/").unwrap();
    let folder = app.placet.config.data_dir.join("cdn").join(folder);
    let older = std::fs::read_to_string(folder.join("checkpoint")).unwrap();
    let parts = ["tile/0/000.p/200", "tile/entries/000.p/200"];
    let served = async |file: &str| app.nobody().get(&format!("{path}{file}")).await.status;

    wait_for_indexes(&app, 1, 100).await;
    assert_eq!(all_published(&app).await, 300);
    let kept = "SELECT COUNT(*) FROM ledger_batches WHERE entries IS NOT NULL";
    let kept = app.placet.db.query(kept).count().await.unwrap();
    assert_eq!(kept, 0, "the files alone have what is published");
    for part in parts {
        assert_eq!(served(part).await, 200, "{part} stays for its readers");
        let (full, _) = part.split_once(".p/").unwrap();
        let [part, full] = [part, full].map(|file| std::fs::read(folder.join(file)).unwrap());
        assert!(full.len() > part.len() && full.starts_with(&part));
    }
    app.clock.advance_seconds(24 * 3_600 + 1);
    // A round that began before the day was over may publish the first one.
    for published in [301, 302] {
        wait_for_indexes(&app, 1, 1).await;
        assert_eq!(all_published(&app).await, published);
    }
    until("the partial files go", async || {
        let mut gone = true;
        for part in parts {
            gone &= served(part).await == 404;
        }
        gone.then_some(())
    })
    .await;
    for file in [
        "tile/0/000",
        "tile/entries/000",
        "tile/0/001.p/46",
        "tile/1/000.p/1",
    ] {
        assert_eq!(served(file).await, 200, "{file}");
    }

    // A reader with the older checkpoint asks for the file of its size, and then for the full one.
    let read = |file: &str| -> proof::Result<Option<Vec<u8>>> {
        Ok(std::fs::read(folder.join(file)).ok())
    };
    let read: &ReadFile<'_> = &read;
    let checkpoint = Checkpoint::read(Note::parse(&older).unwrap().text).unwrap();
    assert_eq!(checkpoint.size, 200);
    let found = find(&tree::leaf(ENTRY), 5, &checkpoint, read);
    assert_eq!(found, Ok(Some(5)));
    assert_eq!(find(&[7; 32], 0, &checkpoint, read), Ok(None));
}

on_both!(partial_files_go_a_day_after_the_full_one_and_their_readers_read_that);
