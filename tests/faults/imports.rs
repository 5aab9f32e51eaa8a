//! An import is complete or has no effect, whatever dies, and takes the same memory for every size.

use std::{fmt::Write, time::Duration};

use futures::stream::{self, StreamExt};
use reqwest::Method;
use serde_json::json;
use tests::{Client, Engine, Process, on_both, until};

on_both!(an_import_takes_the_same_memory_whatever_its_size);

const ROWS: usize = 15_000;
/// Rows of a first file, some 330 bytes each: more than the caches of SQLite's connections hold (16 MB each).
const FIRST_ROWS: usize = 80_000;
/// Rows of a larger file: 40 MB.
const MANY_ROWS: usize = 120_000;
/// Most memory that the larger file takes beyond the first in kilobytes: memory that allocators keep. Keeping
/// 100 bytes of each row would exceed it.
const MOST_KB: u64 = 12_000;
/// Rows that are sent in one piece.
const PIECE: usize = 500;

struct Shop {
    owner: Client,
    project: String,
    cookies: String,
}

impl Shop {
    async fn open(process: &Process) -> Self {
        let owner = process.user("ada").await;
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = owner.create("projects", &document).await;
        let cookies = json!({"projectId": project, "name": "en"});
        let cookies = owner.create("cookies", &cookies).await;
        Self {
            owner,
            project,
            cookies,
        }
    }

    fn rows(&self) -> String {
        let mut file = String::new();
        for row in 0..ROWS {
            let line = json!({"token": format!("t{row}"), "collection": "cookies", "accept": true,
                "identifier": self.cookies, "createdAt": "2026-02-01T00:00:00Z"});
            writeln!(file, "{line}").expect("a string");
        }
        file
    }

    fn request(&self, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        let path = format!("/v1/app/imports/{}", self.project);
        self.owner
            .request(Method::POST, &path)
            .header("content-type", "application/x-ndjson")
            .body(body)
    }

    async fn total(&self) -> usize {
        let path = format!("/v1/app/consents/{}?perPage=1", self.project);
        let answer = self.owner.get(&path).await.expect(200);
        answer.header("x-total-count").parse().expect("a count")
    }

    /// Waits until this many are stored.
    async fn until(&self, least: usize) {
        until("they are stored", async || {
            (self.total().await >= least).then_some(())
        })
        .await;
    }
}

async fn an_import_is_whole_or_not_at_all(engine: Engine) {
    let flags = ["--job-lease", "1"];
    let mut process = Process::start(engine, &flags).await;
    let shop = Shop::open(&process).await;
    let file = shop.rows();

    // The server dies while it reads: nothing of the incomplete file stays.
    let (first, rest) = file.split_at(file.len() / 2);
    let first = first.to_owned();
    let (sent, arrived) = tokio::sync::oneshot::channel();
    let pieces = stream::once(async move { Ok::<_, std::io::Error>(first) }).chain(stream::once(
        async move {
            let _ = sent.send(());
            std::future::pending().await
        },
    ));
    let request = shop.request(reqwest::Body::wrap_stream(pieces));
    let sending = tokio::spawn(request.send());
    arrived.await.expect("half of it was sent");
    process.kill();
    assert!(sending.await.expect("no panic").is_err());
    process.restart(&flags);
    assert_eq!(shop.total().await, 0);

    // The server dies while it moves the rows: another process finishes the import.
    let file = format!("{}{rest}", &file[..file.len() / 2]);
    let sending = tokio::spawn(shop.request(file.clone()).send());
    shop.until(1).await;
    process.kill();
    let answered = sending.await.expect("no panic");
    // The dead process's lease ends soon. The new process keeps its own, however long a part takes.
    process.restart(&[]);
    shop.until(ROWS).await;
    assert!(answered.is_err(), "it was killed before the end");
    assert_eq!(shop.total().await, ROWS);

    // A second import, like that of a caller who got no answer.
    let again = shop.owner.send(shop.request(file)).await.expect(200).json();
    assert_eq!(
        (&again["imported"], &again["skipped"]),
        (&json!(0), &json!(ROWS))
    );
    assert_eq!(shop.total().await, ROWS);
}

on_both!(an_import_is_whole_or_not_at_all);

/// A piece of a large file.
fn piece(cookies: &str, rows: std::ops::Range<usize>) -> String {
    let mut piece = String::new();
    for row in rows {
        let line = json!({"token": format!("visitor-{row}"), "collection": "cookies", "accept": true,
            "identifier": cookies, "createdAt": "2026-02-01T00:00:00Z", "value": "v".repeat(160)});
        writeln!(piece, "{line}").expect("a string");
    }
    piece
}

async fn an_import_takes_the_same_memory_whatever_its_size(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let shop = Shop::open(&process).await;
    let import = async |rows: std::ops::Range<usize>| {
        let (cookies, expected) = (shop.cookies.clone(), rows.len());
        let pieces = rows.clone().step_by(PIECE).map(move |first| {
            let last = rows.end.min(first + PIECE);
            Ok::<_, std::io::Error>(piece(&cookies, first..last))
        });
        let body = reqwest::Body::wrap_stream(stream::iter(pieces));
        let mut sending = tokio::spawn(shop.request(body).send());
        let mut most = 0;
        let answer = loop {
            tokio::select! {
                answer = &mut sending => break answer.expect("no panic").expect("an answer"),
                () = tokio::time::sleep(Duration::from_millis(20)) => {
                    most = most.max(process.anonymous_kb());
                }
            }
        };
        let answer: serde_json::Value = answer.json().await.expect("JSON");
        assert_eq!(answer["imported"], expected, "{answer}");
        most
    };
    // The first import takes what every import needs, and fills the caches of the database.
    let first = import(0..FIRST_ROWS).await;
    let most = import(FIRST_ROWS..FIRST_ROWS + MANY_ROWS).await;
    let taken = most.saturating_sub(first);
    assert!(taken < MOST_KB, "{taken} kB for {MANY_ROWS} rows");
    assert_eq!(shop.total().await, FIRST_ROWS + MANY_ROWS);
}
