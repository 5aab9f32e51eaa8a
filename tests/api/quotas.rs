//! Bounds of the bytes that accounts make a server keep, and of its disk.

use futures::{StreamExt, stream};
use image::ImageFormat;
use reqwest::Method;
use serde_json::{Value, json};
use service::quota::{Limits, Settings};
use tests::{Answer, Client, Engine, TestApp, on_both, pictures::picture, until};
use tokio::sync::oneshot;

use crate::{
    publish::{project, shop},
    takeover::Office,
};

/// A server whose accounts hold 60 kilobytes and write 300 on a day, a tenth of it in their first week.
async fn bounded(engine: Engine) -> TestApp {
    with(engine, |_| {}).await
}

async fn with(engine: Engine, change: impl FnOnce(&mut Limits)) -> TestApp {
    let mut limits = Limits {
        held: 60_000,
        written: 300_000,
        ..Limits::default()
    };
    change(&mut limits);
    TestApp::set_up(engine, None, |config| {
        config.quota = Settings {
            limits: Some(limits),
            keep_free: 0,
        };
    })
    .await
}

/// A week later nothing is new.
fn settle(app: &TestApp) {
    app.clock.advance_days(8);
}

/// A vendor with so many kilobytes of text.
fn vendor(project: &str, name: &str, kilobytes: usize) -> Value {
    let text = "x".repeat(kilobytes * 1_000);
    json!({"projectId": project, "name": name, "title": "Own", "note": text})
}

async fn add(owner: &Client, project: &str, name: &str, kilobytes: usize) -> u16 {
    let document = vendor(project, name, kilobytes);
    let answer = owner.post("/v1/vault/vendors", &document).await;
    let status = answer.status.as_u16();
    if status != 201 {
        answer.problem(status, "account_full");
    }
    status
}

async fn an_account_holds_so_many_bytes(engine: Engine) {
    let app = bounded(engine).await;
    let (mut ada, bob) = (app.user("ada").await, app.user("bob").await);
    // In its first week, a tenth.
    let shop = project(&ada).await;
    assert_eq!(add(&ada, &shop, "early", 5).await, 409);
    settle(&app);
    assert_eq!(add(&ada, &shop, "one", 25).await, 201);
    let two = ada.create("vendors", &vendor(&shop, "two", 20)).await;
    assert_eq!(add(&ada, &shop, "three", 20).await, 409);
    // A document that exists may not grow beyond it either, but shrink.
    let path = format!("/v1/vault/vendors/{two}");
    let larger = vendor(&shop, "two", 40);
    ada.put(&path, &larger).await.problem(409, "account_full");
    ada.put(&path, &vendor(&shop, "two", 18)).await.expect(200);
    ada.patch(&path, &json!({"note": "x".repeat(40_000)}))
        .await
        .problem(409, "account_full");
    // Files count like documents, and others have bounds of their own.
    let pdf = [b"%PDF-1.7\n".as_slice(), &[b'x'; 20_000]].concat();
    ada.upload(&shop, "terms.pdf", pdf.clone())
        .await
        .problem(409, "account_full");
    let theirs = project(&bob).await;
    bob.upload(&theirs, "terms.pdf", pdf).await.expect(201);
    assert_eq!(add(&bob, &theirs, "four", 45).await, 409);
    assert_eq!(add(&bob, &theirs, "four", 25).await, 201);
    // A deleted document can be restored for 30 days, and counts as long.
    ada.delete(&path).await.expect(204);
    assert_eq!(add(&ada, &shop, "three", 20).await, 409);
    app.clock.advance_days(31);
    app.placet.forget_expired().await.expect("housekeeping");
    let credentials = json!({"username": "ada", "password": "ada's password"});
    let session = ada.post("/v1/auth/local/signin", &credentials).await;
    ada.token = session.expect(200).json()["token"]
        .as_str()
        .map(str::to_owned);
    assert_eq!(add(&ada, &shop, "three", 20).await, 201);
}

on_both!(an_account_holds_so_many_bytes);

async fn end_of(owner: &Client, path: &str) -> Value {
    let job = owner.post(path, &json!({})).await.expect(202).json();
    owner.ended(&job).await
}

async fn an_account_publishes_so_many_bytes_a_day(engine: Engine) {
    let app = bounded(engine).await;
    let ada = app.user("ada").await;
    let (shop, _) = shop(&ada, "en").await;
    settle(&app);
    let path = format!("/v1/publish/jobs/{shop}");
    let first = end_of(&ada, &path).await;
    assert_eq!(first["status"], "complete");
    // Each publish is a new one, until the day is full. The live one stays.
    let mut full = Value::Null;
    for _ in 0..30 {
        let job = end_of(&ada, &path).await;
        if job["status"] == "error" {
            full = job;
            break;
        }
    }
    assert_eq!(full["error"]["code"], "day_full", "{full}");
    assert!(app.placet.usage(5).await.expect("usage")[0].written > 200_000);
    // An earlier publish can be put back all the same, within as much again.
    let id = first["_id"].as_str().expect("an id");
    let back = end_of(&ada, &format!("{path}/{id}/rollback")).await;
    assert_eq!(back["status"], "complete");
    ada.post(&path, &json!({})).await.problem(409, "day_full");
    app.clock.advance_days(1);
    let next = end_of(&ada, &path).await;
    assert_eq!(next["status"], "complete");
}

on_both!(an_account_publishes_so_many_bytes_a_day);

/// Consents to a configuration, one for each visitor.
fn lines(cookies: &str, visitors: std::ops::Range<u32>) -> String {
    let line = |visitor| {
        json!({"collection": "cookies", "identifier": cookies, "accept": true, "token": format!("visitor-{visitor}"),
            "createdAt": "2026-01-01T00:00:00Z"})
        .to_string()
            + "\n"
    };
    visitors.map(line).collect()
}

async fn import(owner: &Client, project: &str, query: &str, file: String) -> Answer {
    let path = format!("/v1/app/imports/{project}{query}");
    let request = owner.request(Method::POST, &path);
    let request = request.header("content-type", "application/x-ndjson");
    owner.send(request.body(file)).await
}

async fn an_account_imports_so_many_bytes_a_day(engine: Engine) {
    let app = bounded(engine).await;
    let ada = app.user("ada").await;
    let (shop, cookies) = shop(&ada, "en").await;
    settle(&app);
    ada.publish(&shop).await;
    let send = async |rows: std::ops::Range<u32>, query: &str| {
        import(&ada, &shop, query, lines(&cookies, rows)).await
    };
    send(0..100, "").await.expect(200);
    // Half a kilobyte each: the day ends within these.
    let refused = send(100..1_000, "").await.problem(422, "rows_invalid");
    let detail = refused["errors"][0]["detail"].to_string();
    assert!(
        detail.contains("900 rows were not imported") && detail.contains("Go on tomorrow"),
        "{refused}"
    );
    app.clock.advance_days(1);
    let part = send(100..1_000, "?partial=true").await.expect(200).json();
    assert_eq!(part["imported"], 500, "{part}");
    assert_eq!(part["errorCount"], 400);
    app.clock.advance_days(1);
    // Those that were stored before cost nothing, so the rest fits.
    let rest = send(100..1_000, "?partial=true").await.expect(200).json();
    assert_eq!(
        (&rest["imported"], &rest["skipped"]),
        (&json!(400), &json!(500))
    );
    app.clock.advance_days(1);
    let rest = send(100..500, "").await.expect(200).json();
    assert_eq!(
        (&rest["imported"], &rest["skipped"]),
        (&json!(0), &json!(400))
    );
}

on_both!(an_account_imports_so_many_bytes_a_day);

async fn imports_that_fail_pay_after_the_fifth_of_a_day(engine: Engine) {
    let app = bounded(engine).await;
    let ada = app.user("ada").await;
    let (shop, cookies) = shop(&ada, "en").await;
    settle(&app);
    ada.publish(&shop).await;
    app.clock.advance_days(1);
    // A part was kept aside when the last row turns out to be broken.
    let good = lines(&cookies, 0..510);
    let broken = good.clone() + "{}\n";
    let send = async |file: &str| import(&ada, &shop, "", file.to_owned()).await;
    let written = async || app.placet.usage(5).await.expect("usage")[0].written;
    let before = written().await;
    for _ in 0..5 {
        send(&broken).await.problem(422, "rows_invalid");
        assert_eq!(written().await, before);
    }
    send(&broken).await.problem(422, "rows_invalid");
    assert!(written().await > before + 100_000, "{}", written().await);
    // The price is that of the rows, so the day is full soon.
    let refused = send(&good).await.problem(422, "rows_invalid");
    assert!(refused.to_string().contains("Go on tomorrow"), "{refused}");
    app.clock.advance_days(1);
    send(&good).await.expect(200);
}

on_both!(imports_that_fail_pay_after_the_fifth_of_a_day);

async fn bytes_come_back_for_the_day_that_they_counted_for(engine: Engine) {
    let app = bounded(engine).await;
    let ada = app.user("ada").await;
    let (shop, cookies) = shop(&ada, "en").await;
    settle(&app);
    ada.publish(&shop).await;
    let written = async || app.placet.usage(5).await.expect("usage")[0].written;
    // A day begins after the first part of the file is paid.
    let send = async |first: String, rest: String| {
        app.clock.advance_days(1);
        let before = written().await;
        let (begun, begins) = oneshot::channel();
        let first = stream::once(async move { Ok::<_, std::io::Error>(first) });
        let rest = stream::once(async move {
            begins.await.expect("the day");
            Ok(rest)
        });
        let request = ada.request(Method::POST, &format!("/v1/app/imports/{shop}"));
        let request = request.header("content-type", "application/x-ndjson");
        let body = reqwest::Body::wrap_stream(first.chain(rest));
        let sending = tokio::spawn(request.body(body).send());
        until("a part is paid", async || {
            (written().await > before).then_some(())
        })
        .await;
        app.clock.advance_days(1);
        begun.send(()).expect("the file goes on");
        let answer = sending.await.expect("no panic").expect("an answer");
        (answer.status().as_u16(), written().await - before)
    };
    let (most, last) = (lines(&cookies, 0..505), lines(&cookies, 505..510));
    assert_eq!(send(most.clone(), "{}\n".to_owned()).await, (422, 0));
    let (status, cost) = send(most.clone(), last.clone()).await;
    assert!(status == 200 && cost > 250_000, "{status} {cost}");
    // All are stored already.
    assert_eq!(send(most, last).await, (200, 0));
}

on_both!(bytes_come_back_for_the_day_that_they_counted_for);

async fn rows_that_are_skipped_pay_nothing_for_large_ones(engine: Engine) {
    let app = bounded(engine).await;
    let ada = app.user("ada").await;
    let (shop, cookies) = shop(&ada, "en").await;
    settle(&app);
    ada.publish(&shop).await;
    let row = |id: String, text: usize| {
        json!({"consentId": id, "collection": "cookies", "identifier": cookies, "accept": true, "token": "visitor",
            "createdAt": "2026-01-01T00:00:00Z", "preferences": {"vendors": {}, "tcString": "x".repeat(text)}})
        .to_string()
            + "\n"
    };
    // Each part has a large row and many short ones, which are one consent.
    let large = |part: usize| row(format!("019aa3f3-0d4e-7a51-8c3b-{part:012}"), 60_000);
    let short = row("019aa3f3-0d4e-7a51-8c3b-5f6a7b8c9d0e".to_owned(), 0).repeat(499);
    let file: String = (0..10).map(|part| large(part) + &short).collect();
    let path = format!("/v1/app/imports/{shop}?partial=true");
    let request = ada.request(Method::POST, &path);
    let request = request.header("content-type", "application/x-ndjson");
    let told = ada.send(request.body(file)).await.expect(200).json();
    assert!(told["imported"].as_u64() <= Some(6), "{told}");
    assert!(told["errorCount"].as_u64() > Some(0), "{told}");
}

on_both!(rows_that_are_skipped_pay_nothing_for_large_ones);

async fn a_nearly_full_disk_takes_consents_alone(engine: Engine) {
    let mut app = TestApp::start(engine).await;
    let ada = app.user("ada").await;
    let (shop, cookies) = shop(&ada, "en").await;
    ada.publish(&shop).await;
    // No disk has so much left.
    app.restart_with(|config| config.quota.keep_free = u64::MAX)
        .await;
    let nobody = app.nobody();
    let document = json!({"websiteURL": "https://two.example", "title": "Two"});
    ada.post("/v1/vault/projects", &document)
        .await
        .problem(507, "disk_low");
    ada.upload(&shop, "terms.pdf", b"%PDF-1.7\n".to_vec())
        .await
        .problem(507, "disk_low");
    ada.post(&format!("/v1/publish/jobs/{shop}"), &json!({}))
        .await
        .problem(507, "disk_low");
    let account =
        json!({"username": "eve", "email": "eve@shop.example", "password": "a password of eve"});
    nobody
        .post("/v1/auth/local/signup", &account)
        .await
        .problem(507, "disk_low");
    let answer =
        json!({"accept": true, "token": "visitor-of-a-full-disk", "preferences": {"vendors": {}}});
    let path = format!("/v1/app/consents/{shop}/cookies/{cookies}");
    nobody.post(&path, &answer).await.expect(201);
    // Reading, shrinking and deleting go on.
    ada.get(&format!("/v1/app/consents/{shop}"))
        .await
        .expect(200);
    ada.delete(&format!("/v1/vault/cookies/{cookies}"))
        .await
        .expect(204);
}

on_both!(a_nearly_full_disk_takes_consents_alone);

#[tokio::test]
async fn an_address_makes_so_many_accounts_a_day() {
    let app = with(Engine::Sqlite, |limits| limits.accounts = 2).await;
    app.user("ada").await;
    let nobody = app.nobody();
    let sign_up = async |name: &str, password: &str| {
        let account = json!({"username": name, "email": format!("{name}@shop.example"), "password": password});
        nobody.post("/v1/auth/local/signup", &account).await
    };
    // A mistake is no account.
    sign_up("", "a password of nobody")
        .await
        .problem(422, "invalid");
    sign_up("ada", "a password of ada").await.expect(409);
    sign_up("bob", "a password of bob").await.expect(201);
    let refused = sign_up("eve", "a password of eve").await;
    refused.problem(403, "too_many_accounts");
    app.clock.advance_days(1);
    sign_up("eve", "a password of eve").await.expect(201);
}

/// Each address may make one account a day.
async fn one_account_a_day() -> Office {
    let office = Office::open_with(Engine::Sqlite, |config| {
        config.quota = Settings {
            limits: Some(Limits {
                accounts: 1,
                ..Limits::default()
            }),
            keep_free: 0,
        };
    });
    office.await
}

#[tokio::test]
async fn an_invitation_counts_for_who_comes_by_a_provider() {
    let office = one_account_a_day().await;
    let ada = office.confirmed("ada").await;
    let site = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &site).await;
    let wish = json!({"email": "bob@shop.example", "projectId": project, "role": "viewer"});
    ada.post("/v1/auth/invitations", &wish).await.expect(201);
    let stranger = office.by_provider("e1", "eve@shop.example").await;
    stranger.problem(403, "too_many_accounts");
    let invited = office.by_provider("b1", "bob@shop.example").await;
    invited.expect(200);
}

#[tokio::test]
async fn an_invitation_lets_nobody_else_in_beside_that_limit() {
    let office = one_account_a_day().await;
    let ada = office.confirmed("ada").await;
    let site = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &site).await;
    let wish = json!({"email": "bob@shop.example", "projectId": project, "role": "viewer"});
    let invited = ada.post("/v1/auth/invitations", &wish).await;
    invited.expect(201);
    let invitation = office.letter("bob@shop.example", "invites you").await;
    let sign_up = async |name: &str| {
        let account = json!({"username": name, "email": format!("{name}@shop.example"),
            "password": format!("a password of {name}"), "invitation": invitation});
        office.post("/v1/auth/local/signup", account).await
    };
    sign_up("eve").await.problem(403, "too_many_accounts");
    sign_up("bob").await.expect(201);

    // Those who are invited have a bound of their own, or accounts would invite accounts without end.
    for number in 1..=5 {
        let name = format!("guest-{number}");
        let wish = json!({"email": format!("{name}@shop.example"), "projectId": project, "role": "viewer"});
        ada.post("/v1/auth/invitations", &wish).await.expect(201);
        let address = format!("{name}@shop.example");
        let letter = office.letter(&address, "invites you");
        let account = json!({"username": name, "email": format!("{name}@shop.example"),
            "password": format!("a password of {name}"), "invitation": letter.await});
        let answer = office.post("/v1/auth/local/signup", account).await;
        if number < 5 {
            answer.expect(201);
        } else {
            answer.problem(403, "too_many_accounts");
        }
    }
}

async fn bytes_are_counted_for_whoever_makes_something_grow(engine: Engine) {
    let app = bounded(engine).await;
    let (ada, bob) = (app.user("ada").await, app.user("bob").await);
    let shop = project(&ada).await;
    settle(&app);
    let one = ada.create("vendors", &vendor(&shop, "one", 25)).await;
    assert_eq!(add(&ada, &shop, "two", 25).await, 201);
    assert_eq!(add(&ada, &shop, "three", 25).await, 409);
    let members = format!("/v1/vault/projects/{shop}/users");
    let member = json!({"userId": bob.user_id, "role": "editor"});
    ada.post(&members, &member).await.expect(201);
    let path = format!("/v1/vault/vendors/{one}");
    bob.put(&path, &vendor(&shop, "one", 30)).await.expect(200);
    assert_eq!(add(&ada, &shop, "three", 25).await, 201);
    bob.put(&path, &vendor(&shop, "one", 60))
        .await
        .problem(409, "account_full");
}

on_both!(bytes_are_counted_for_whoever_makes_something_grow);

async fn copies_and_renders_are_counted(engine: Engine) {
    let app = with(engine, |limits| {
        limits.held = 2_000_000;
        limits.written = 2_000_000;
    })
    .await;
    let ada = app.user("ada").await;
    let shop = project(&ada).await;
    settle(&app);
    let usage = async || {
        let usage = app.placet.usage(1).await.expect("usage");
        (usage[0].held, usage[0].written)
    };
    let pdf = [b"%PDF-1.7\n".as_slice(), &[b'x'; 900_000]].concat();
    let file = ada.upload(&shop, "terms.pdf", pdf).await.expect(201).json();
    let file = file["id"].as_str().expect("an id");
    let terms = json!({"projectId": shop, "title": "Terms", "name": "terms", "file": file});
    ada.create("contracts", &terms).await;
    // The copy stays when the file goes, so its publish is charged for it: once, as the second finds it there.
    assert_eq!(ada.publish(&shop).await["status"], "complete");
    let first = usage().await.1;
    assert!(first > 900_000, "{first}");
    assert_eq!(ada.publish(&shop).await["status"], "complete");
    assert!(usage().await.1 < first + 900_000);
    let (before, _) = usage().await;
    let logo = picture(600, 300, ImageFormat::Png);
    let size = logo.len() as i64;
    let logo = ada.upload(&shop, "logo.png", logo).await.expect(201).json();
    let logo = format!("/v1/assets/{}", logo["id"].as_str().expect("an id"));
    let nobody = app.nobody();
    nobody.get(&format!("{logo}?w=128")).await.expect(200);
    let (after, _) = usage().await;
    assert!(after > before + size);
    nobody.get(&format!("{logo}?w=128")).await.expect(200);
    assert_eq!(usage().await.0, after);
    // Of those who delete it at once one has deleted it, and its bytes are counted once.
    let deleted = futures::future::join_all((0..8).map(|_| ada.delete(&logo))).await;
    let deleted = deleted.iter().filter(|answer| answer.status == 204);
    assert_eq!(deleted.count(), 1);
    assert_eq!(usage().await.0, before);
    app.placet.forget_expired().await.expect("housekeeping");
    assert_eq!(usage().await.0, before, "the count is the sum");
}

on_both!(copies_and_renders_are_counted);

async fn renders_that_strangers_ask_for_leave_room(engine: Engine) {
    let app = with(engine, |limits| limits.held = 1_000_000).await;
    let ada = app.user("ada").await;
    let shop = project(&ada).await;
    settle(&app);
    let held = async || app.placet.usage(1).await.expect("usage")[0].held;
    let pdf = [b"%PDF-1.7\n".as_slice(), &[b'x'; 600_000]].concat();
    ada.upload(&shop, "terms.pdf", pdf).await.expect(201);
    let [logo, second] = [600, 60].map(|width| picture(width, 300, ImageFormat::Png));
    let logo = ada.upload(&shop, "logo.png", logo).await.expect(201).json();
    let render = format!("/v1/assets/{}?w=128", logo["id"].as_str().expect("an id"));
    let before = held().await;
    for _ in 0..2 {
        app.nobody().get(&render).await.expect(200);
        assert_eq!(held().await, before);
    }
    ada.upload(&shop, "second.png", second).await.expect(201);
}

on_both!(renders_that_strangers_ask_for_leave_room);
