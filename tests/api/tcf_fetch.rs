//! The Global Vendor List, fetched from a server as IAB Europe runs one.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use service::{
    LISTS,
    clock::Clock,
    doctor::{self, Verdict},
    tcf::{File, Origins},
};
use tests::{
    Engine, Shelf, TestApp, gvl, on_both,
    tcf::{self, LIST},
    until,
};

use crate::{publish::project, tcf_publish::refused};

/// Seconds for which the answers hold.
const HOLDS: i64 = 7_200;
const HOLDS_TEXT: &str = "public, max-age=7200";

async fn app(engine: Engine, shelf: &Shelf) -> TestApp {
    tcf::start(engine, |config| {
        config.tcf_origins = Origins {
            list: Some(shelf.url("")),
            providers: None,
        };
    })
    .await
}

fn list(version: u16) -> Value {
    let mut list = gvl::list(1, 20);
    list["vendorListVersion"] = version.into();
    list
}

fn put(shelf: &Shelf, tag: &str, list: &Value) {
    put_holding(shelf, tag, list, HOLDS_TEXT);
}

/// Puts a list whose answer holds as `control` says.
fn put_holding(shelf: &Shelf, tag: &str, list: &Value, control: &str) {
    let headers = [("cache-control", control), ("etag", tag)];
    shelf.put(LIST, &headers, list.to_string());
}

async fn version(app: &TestApp) -> Option<u16> {
    let list = app.placet.tcf.status().await.unwrap().list;
    list.map(|list| list.version)
}

/// The state of a file's fetches.
async fn file(app: &TestApp, url: &str) -> File {
    let status = app.placet.tcf.status().await.unwrap();
    let mut files = status.fetches.into_iter();
    files.find(|file| file.url == url).unwrap_or_default()
}

/// Waits for the first fetch, which a server begins when it starts.
async fn first(app: &TestApp) {
    until("the first list is here", async || version(app).await).await;
    idle(app).await;
}

/// Waits until every job has ended; the clock of a test brings jobs of others, too.
async fn idle(app: &TestApp) {
    until("nothing is left to do", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
}

/// Lets the time of the last answer end, and waits for the next try.
async fn next(app: &TestApp, url: &str) -> File {
    let before = file(app, url).await;
    app.clock
        .advance_seconds(1 + (before.due_at - app.clock.now().0).max(0) / 1_000_000);
    app.placet.tcf.schedule_fetches().await.unwrap();
    until("the file was tried again", async || {
        let now = file(app, url).await;
        (now.tried_at > before.tried_at).then_some(now)
    })
    .await
}

on_both!(a_list_is_fetched_when_its_time_is_over_and_never_before);
async fn a_list_is_fetched_when_its_time_is_over_and_never_before(engine: Engine) {
    let shelf = Shelf::start().await;
    put(&shelf, "\"a\"", &list(200));
    let app = app(engine, &shelf).await;
    first(&app).await;
    let status = app.placet.tcf.status().await.unwrap();
    let facts = status.list.unwrap();
    assert_eq!((facts.version, facts.source), (200, shelf.url(LIST)));
    let calls = shelf.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0].header("accept-encoding"), "gzip");
    assert_eq!(calls[0].header("if-none-match"), "");
    // Its time is not over.
    app.clock.advance_seconds(HOLDS - 600);
    app.placet.tcf.schedule_fetches().await.unwrap();
    idle(&app).await;
    assert!(shelf.calls().is_empty());
    // It is over, and nothing has changed.
    let url = shelf.url(LIST);
    let same = next(&app, &url).await;
    assert_eq!((same.failure, same.fetched_at), (None, same.tried_at));
    let calls = shelf.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0].header("if-none-match"), "\"a\"");
    // A later list.
    put(&shelf, "\"b\"", &list(201));
    assert_eq!(next(&app, &url).await.failure, None);
    assert_eq!(version(&app).await, Some(201));
    assert_eq!(shelf.calls().len(), 1);
}

on_both!(the_answer_alone_says_when_the_list_is_asked_for_again);
async fn the_answer_alone_says_when_the_list_is_asked_for_again(engine: Engine) {
    const WEEK: i64 = 7 * 86_400;
    /// Thursday, 16:10 UTC: 1970 began on a Thursday.
    const THURSDAY: i64 = 16 * 3_600 + 600;
    let shelf = Shelf::start().await;
    put(&shelf, "\"a\"", &list(200));
    let app = app(engine, &shelf).await;
    first(&app).await;
    let url = shelf.url(LIST);
    let looked_after = async |seconds: i64| {
        app.clock.advance_seconds(seconds);
        app.placet.tcf.schedule_fetches().await.unwrap();
        idle(&app).await;
        shelf.calls().len()
    };
    // Under another time, the same looks ask too early, or not at all.
    for (control, asked) in [
        (HOLDS_TEXT, (0, 1)),
        ("max-age=3600", (1, 0)),
        ("max-age=14400", (0, 0)),
    ] {
        put_holding(&shelf, &format!("\"{control}\""), &list(200), control);
        assert_eq!(next(&app, &url).await.failure, None);
        shelf.calls();
        let early = looked_after(HOLDS - 600).await;
        let late = looked_after(601).await;
        assert_eq!((early, late), asked, "{control}");
    }
    // An answer that does not say it holds until the evening on which lists come.
    shelf.put(LIST, &[], list(200).to_string());
    let file = next(&app, &url).await;
    assert_eq!(file.failure, None);
    let due = file.due_at / 1_000_000;
    let (came, late) = (file.fetched_at.unwrap(), (due - THURSDAY).rem_euclid(WEEK));
    assert!((0..3_600).contains(&late), "{late}");
    assert!(
        (1..=WEEK + 3_600).contains(&(due - came.seconds())),
        "{due}"
    );
}

on_both!(a_list_that_nobody_may_take_leaves_the_last_one);
async fn a_list_that_nobody_may_take_leaves_the_last_one(engine: Engine) {
    let shelf = Shelf::start().await;
    put(&shelf, "\"a\"", &list(200));
    let app = app(engine, &shelf).await;
    first(&app).await;
    let url = shelf.url(LIST);
    // Faults of the server; the pauses become longer.
    let mut pauses = Vec::new();
    for _ in 0..2 {
        shelf.fail(LIST, 500);
        let failed = next(&app, &url).await;
        assert_eq!(failed.failure.as_deref(), Some("the server answers 500"));
        pauses.push(failed.due_at - failed.tried_at.unwrap().0);
    }
    assert_eq!(pauses, [3_600_000_000, 7_200_000_000]);
    // The doctor says it.
    let findings = doctor::examine(&app.config()).await;
    let finding = findings
        .iter()
        .find(|finding| finding.part == "vendor list");
    let finding = finding.unwrap();
    assert_eq!(finding.verdict, Verdict::Doubtful);
    assert!(
        finding.detail.contains("the server answers 500"),
        "{finding:?}"
    );
    let mut other = list(200);
    other["unknown"] = json!(2);
    let mut broken = list(201);
    broken["gvlSpecificationVersion"] = json!(4);
    for (list, why) in [
        (list(100), "lower than 200"),
        (other, "here already"),
        (broken, "specification 4"),
    ] {
        put(&shelf, "\"b\"", &list);
        let refused = next(&app, &url).await;
        let failure = refused.failure.unwrap();
        assert!(failure.contains(why), "{failure}");
        // The copy that is here keeps its validator.
        assert_eq!(refused.etag.as_deref(), Some("\"a\""));
        assert!(refused.due_at - refused.tried_at.unwrap().0 >= HOLDS * 1_000_000);
    }
    let large = vec![b' '; service::tcf::MOST_BYTES + 1];
    shelf.put(LIST, &[], large);
    let failure = next(&app, &url).await.failure.unwrap();
    assert!(failure.contains("larger than"), "{failure}");
    shelf.put(LIST, &[("content-encoding", "gzip")], "no gzip");
    let failure = next(&app, &url).await.failure.unwrap();
    assert!(failure.contains("gzip is broken"), "{failure}");
    assert_eq!(version(&app).await, Some(200));
    // It recovers.
    put(&shelf, "\"c\"", &list(202));
    assert_eq!(next(&app, &url).await.failures, 0);
    assert_eq!(version(&app).await, Some(202));
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// Most bytes of memory that this process has had.
fn most_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<usize>().unwrap() * 1_024
}

on_both!(a_packed_list_is_read_within_its_bounds);
async fn a_packed_list_is_read_within_its_bounds(engine: Engine) {
    const GZIP: (&str, &str) = ("content-encoding", "gzip");
    let shelf = Shelf::start().await;
    let plain = list(200).to_string().into_bytes();
    shelf.put(LIST, &[GZIP], packed(&plain));
    let app = app(engine, &shelf).await;
    first(&app).await;
    let facts = app.placet.tcf.status().await.unwrap().list.unwrap();
    let hash = service::objects::sha256_hex(&plain);
    assert_eq!((facts.version, facts.sha256), (200, hash));
    // Names of encodings have no case, and a body may have several members.
    let plain = list(201).to_string().into_bytes();
    let (start, end) = plain.split_at(plain.len() / 2);
    let members = [packed(start), packed(end)].concat();
    shelf.put(LIST, &[("content-encoding", "GZip")], members);
    let url = shelf.url(LIST);
    assert_eq!(next(&app, &url).await.failure, None);
    assert_eq!(version(&app).await, Some(201));
    // Gigabytes in a body that is small enough: as many members as fit.
    let member = packed(&vec![b' '; 1_000_000]);
    let bomb = member.repeat(service::tcf::MOST_BYTES / member.len());
    assert!(bomb.len() / member.len() > 4_000, "{}", member.len());
    shelf.put(LIST, &[GZIP], bomb);
    let before = most_memory();
    let failure = next(&app, &url).await.failure.unwrap();
    assert!(failure.contains("larger than 8000000 bytes"), "{failure}");
    let taken = most_memory() - before;
    assert!(taken < 100_000_000, "{taken} bytes of memory");
    // A body that is too large is not read to its end, whatever its content.
    let noise: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..))
        .take(service::tcf::MOST_BYTES + 1)
        .collect();
    shelf.put(LIST, &[GZIP], noise);
    let failure = next(&app, &url).await.failure.unwrap();
    assert!(failure.contains("larger than 8000000 bytes"), "{failure}");
    assert_eq!(version(&app).await, Some(201));
}

on_both!(a_failed_fetch_is_repeated_after_an_hour);
async fn a_failed_fetch_is_repeated_after_an_hour(engine: Engine) {
    let shelf = Shelf::start().await;
    put(&shelf, "\"a\"", &list(200));
    let app = app(engine, &shelf).await;
    first(&app).await;
    let url = shelf.url(LIST);
    shelf.fail(LIST, 500);
    // The looks of a server, at their times.
    app.clock.advance_seconds(HOLDS);
    let start = app.clock.now();
    app.placet.keep_list().await;
    let failed = until("the fetch has failed", async || {
        let file = file(&app, &url).await;
        file.failure.is_some().then_some(file)
    })
    .await;
    let hour = 3_600_000_000;
    let pause = i64::try_from(LISTS.as_micros()).unwrap();
    shelf.calls();
    let mut looks = 0;
    let again = loop {
        looks += 1;
        let ahead = start.0 + looks * pause - app.clock.now().0;
        app.clock.advance_seconds(ahead.div_euclid(1_000_000));
        app.placet.keep_list().await;
        idle(&app).await;
        if !shelf.calls().is_empty() {
            break app.clock.now().0 - failed.tried_at.unwrap().0;
        }
    };
    assert!(again >= hour, "{again}");
    assert!(again <= hour + pause, "{again}");
    let repeated = file(&app, &url).await;
    assert_eq!(repeated.failures, 2);
    assert!(repeated.tried_at > failed.tried_at);
}

on_both!(a_publish_that_misses_a_translation_has_it_fetched);
async fn a_publish_that_misses_a_translation_has_it_fetched(engine: Engine) {
    let shelf = Shelf::start().await;
    put(&shelf, "\"a\"", &list(200));
    let headers = [("cache-control", HOLDS_TEXT)];
    let german = gvl::translation("de").to_string();
    shelf.put("purposes-de.json", &headers, german);
    let app = app(engine, &shelf).await;
    first(&app).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let document = |language: &str| {
        json!({"projectId": project, "name": language, "language": language,
            "tcf": {"vendors": "all", "publisherCC": "DE"}, "steps": [{"name": "ask", "layout": "iab"}]})
    };
    let detail = async || {
        let job = ada.publish(&project).await;
        let detail = job["error"]["errors"][0]["detail"].as_str();
        detail.unwrap_or_default().to_owned()
    };
    let id = ada.create("cookies", &document("de")).await;
    let said = detail().await;
    assert!(said.contains("publish again in a minute"), "{said}");
    until("the translation is here", async || {
        let languages = app.placet.tcf.status().await.unwrap().languages;
        (languages == ["de"]).then_some(())
    })
    .await;
    assert_eq!(detail().await, "");
    // No translation, and a language of nobody's.
    let path = format!("/v1/vault/cookies/{id}");
    ada.put(&path, &document("pt")).await.expect(200);
    assert!(detail().await.contains("publish again in a minute"));
    let url = shelf.url("purposes-pt-pt.json");
    until("the server has asked", async || {
        file(&app, &url).await.failure
    })
    .await;
    let said = detail().await;
    assert!(
        said.contains("could not fetch it") && !said.contains("404"),
        "{said}"
    );
    ada.put(&path, &document("xx")).await.expect(200);
    let said = detail().await;
    assert!(said.contains("`placet gvl import`"), "{said}");
    // The list itself is in English.
    ada.put(&path, &document("en")).await.expect(200);
    assert_eq!(detail().await, "");
    let asked = shelf.calls();
    let asked = asked.iter().map(|call| call.target.as_str());
    let expected = [
        "/vendor-list.json",
        "/purposes-de.json",
        "/purposes-pt-pt.json",
    ];
    assert_eq!(asked.collect::<Vec<_>>(), expected);
}

on_both!(a_server_without_a_list_says_that_it_fetches_one);
async fn a_server_without_a_list_says_that_it_fetches_one(engine: Engine) {
    let shelf = Shelf::start().await;
    shelf.hang(LIST);
    let app = app(engine, &shelf).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let document = json!({"projectId": project, "name": "en", "tcf": {"vendors": "all", "publisherCC": "DE"},
        "steps": [{"name": "ask", "layout": "iab"}]});
    ada.create("cookies", &document).await;
    let refusal = refused(&ada, &project).await;
    let detail = refusal["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("placet gvl status"), "{detail}");
    // The call ends although nobody answers.
    let failed = until("the call has ended", async || {
        let file = file(&app, &shelf.url(LIST)).await;
        file.failure.is_some().then_some(file)
    })
    .await;
    assert_eq!((failed.fetched_at, failed.sha256), (None, None));
    assert_eq!(version(&app).await, None);
}

on_both!(the_operator_reads_the_state_of_fetching);
async fn the_operator_reads_the_state_of_fetching(engine: Engine) {
    let shelf = Shelf::start().await;
    shelf.fail(LIST, 503);
    let app = app(engine, &shelf).await;
    let url = shelf.url(LIST);
    until("the fetch has failed", async || {
        file(&app, &url).await.failure
    })
    .await;
    let operator = app.operator().await;
    let read = async || {
        let read = operator.get("/v1/operator/vendor-list").await;
        read.expect(200).json()
    };
    // There is no list yet.
    let state = read().await;
    assert_eq!(state["list"], Value::Null);
    let failed = file(&app, &url).await;
    let expected = json!({"url": url, "fetchedAt": null, "triedAt": failed.tried_at, "nextAt": failed.due(),
        "failure": "the server answers 503"});
    assert_eq!(state["fetches"], json!([expected]));
    // The next attempt is due.
    app.clock.advance_seconds(3_601);
    assert_eq!(read().await["fetches"][0]["nextAt"], Value::Null);
    put(&shelf, "\"a\"", &list(200));
    let good = next(&app, &url).await;
    idle(&app).await;
    let state = read().await;
    assert_eq!(state["list"]["version"], 200);
    let expected = json!({"url": url, "fetchedAt": good.fetched_at, "triedAt": good.tried_at, "nextAt": good.due(),
        "failure": null});
    assert_eq!(state["fetches"], json!([expected]));
    // Others are none of its concern, and a server that fetches nothing has no state.
    let ada = app.user("ada").await;
    let answer = ada.get("/v1/operator/vendor-list").await;
    answer.problem(403, "not_operator");
    let mut app = app;
    app.restart_with(|config| config.tcf_origins = Origins::default())
        .await;
    assert_eq!(read().await["fetches"], json!([]));
}
