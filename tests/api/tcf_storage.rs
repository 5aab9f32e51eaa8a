//! Descriptions of storage, which vendors of the list keep on servers of theirs.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use futures::future::join_all;
use serde_json::{Value, json};
use service::tcf::{MOST_STORAGE_BYTES, Origins};
use tests::{Answer, Engine, Shelf, TestApp, gvl, on_both, tcf, until};

const FILE: &str = "storage.json";

/// A server with a list whose vendors have their files on the shelf, and the ids of its vendors.
async fn app(engine: Engine, shelf: &Shelf, allowed: bool) -> (TestApp, Vec<u16>) {
    let app = tcf::start(engine, |config| {
        config.tcf_origins = Origins {
            // Nobody answers there.
            list: Some("http://127.0.0.1:9/".to_owned()),
            providers: None,
        };
        if !allowed {
            config.outbound_allow = Vec::new();
        }
    })
    .await;
    let mut list = gvl::list(1, 20);
    let vendors = list["vendors"].as_object_mut().unwrap();
    let mut ids = Vec::new();
    for (id, vendor) in vendors.iter_mut() {
        let name = if ids.is_empty() {
            FILE.to_owned()
        } else {
            format!("{id}.json")
        };
        vendor["deviceStorageDisclosureUrl"] = shelf.url(&name).into();
        if vendor.get("deletedDate").is_none() {
            ids.push(id.parse().unwrap());
        }
    }
    tcf::import(&app, &[(tcf::LIST, &list)]).await;
    (app, ids)
}

fn path(vendor: u16) -> String {
    format!("/v1/app/tcf/vendors/{vendor}/storage")
}

async fn ask(app: &TestApp, vendor: u16) -> Answer {
    let request = app.nobody().request(reqwest::Method::GET, &path(vendor));
    let request = request.header("origin", "https://shop.example");
    app.nobody().send(request).await
}

fn file(identifier: &str) -> Value {
    json!({"disclosures": [{"identifier": identifier, "type": "cookie", "maxAgeSeconds": 60, "cookieRefresh": false,
        "domain": "*.ads.example", "purposes": [1, 3], "unknown": true}],
        "domains": [{"domain": "ads.example", "purposes": [1], "use": "Ads"}], "sdks": []})
}

fn name(answer: &Answer) -> Value {
    answer.json()["disclosures"][0]["identifier"].clone()
}

on_both!(a_vendor_is_asked_once_in_its_own_time);
async fn a_vendor_is_asked_once_in_its_own_time(engine: Engine) {
    let shelf = Shelf::start().await;
    let (app, ids) = app(engine, &shelf, true).await;
    let id = ids[0];
    let hours = [("cache-control", "public, max-age=7200"), ("etag", "\"a\"")];
    shelf.put(FILE, &hours, file("one").to_string());
    // Many visitors at once cause one call, and all are answered.
    let answers = join_all((0..10).map(|_| ask(&app, id))).await;
    for answer in answers {
        let answer = answer.expect(200);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("content-type"), "application/json");
        let expected = json!({"disclosures": [{"identifier": "one", "type": "cookie", "maxAgeSeconds": 60,
            "cookieRefresh": false, "domains": ["*.ads.example"], "purposes": [1, 3], "specialPurposes": [],
            "description": null, "optOut": false}],
            "domains": [{"domain": "ads.example", "purposes": [1], "specialPurposes": [], "use": "Ads"}]});
        assert_eq!(answer.json(), expected);
        let cached = answer.header("cache-control").to_owned();
        let seconds = cached.strip_prefix("public, max-age=").unwrap();
        assert!(
            (7_100..=7_200).contains(&seconds.parse().unwrap()),
            "{cached}"
        );
    }
    assert_eq!(shelf.calls().len(), 1);
    // The time that the vendor gave is not over.
    shelf.put(FILE, &hours, file("two").to_string());
    app.clock.advance_seconds(7_000);
    assert_eq!(name(&ask(&app, id).await.expect(200)), "one");
    assert!(shelf.calls().is_empty());
    // It is over, and nothing has changed as far as the vendor's server says.
    app.clock.advance_seconds(300);
    assert_eq!(name(&ask(&app, id).await.expect(200)), "one");
    let calls = shelf.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0].header("if-none-match"), "\"a\"");
    // Without a time it holds for a day.
    shelf.put(FILE, &[], file("three").to_string());
    app.clock.advance_seconds(7_300);
    assert_eq!(name(&ask(&app, id).await.expect(200)), "three");
    app.clock.advance_seconds(86_000);
    shelf.put(
        FILE,
        &[("cache-control", "no-store")],
        file("four").to_string(),
    );
    assert_eq!(name(&ask(&app, id).await.expect(200)), "three");
    assert_eq!(shelf.calls().len(), 1);
    app.clock.advance_seconds(500);
    assert_eq!(name(&ask(&app, id).await.expect(200)), "four");
    // Nobody asks more than once an hour, whatever the answer says.
    app.clock.advance_seconds(3_000);
    ask(&app, id).await.expect(200);
    assert_eq!(shelf.calls().len(), 1);
}

on_both!(a_vendor_that_fails_leaves_its_last_description);
async fn a_vendor_that_fails_leaves_its_last_description(engine: Engine) {
    let shelf = Shelf::start().await;
    let (app, ids) = app(engine, &shelf, true).await;
    let id = ids[0];
    // Nothing is known yet.
    shelf.fail(FILE, 500);
    for _ in 0..3 {
        let problem = ask(&app, id).await;
        let again: u64 = problem.header("retry-after").parse().unwrap();
        assert!((3_500..=3_600).contains(&again), "{again}");
        problem.problem(503, "unavailable");
    }
    assert_eq!(shelf.calls().len(), 1);
    shelf.put(FILE, &[], file("one").to_string());
    app.clock.advance_seconds(3_601);
    assert_eq!(name(&ask(&app, id).await.expect(200)), "one");
    shelf.calls();
    // Bodies that nobody may take: each is asked for once.
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![b' '; 1_000_000]).unwrap();
    let bomb = packed.finish().unwrap().repeat(500);
    assert!(bomb.len() < MOST_STORAGE_BYTES);
    let large = vec![b' '; MOST_STORAGE_BYTES + 1];
    let item = |number: u32| json!({"identifier": format!("{number:0100}"), "type": "cookie"});
    let items: Vec<_> = (0..2_000).map(item).collect();
    let long = json!({"disclosures": items}).to_string();
    assert!(long.len() < MOST_STORAGE_BYTES);
    for (is_packed, body) in [
        (false, b"{".to_vec()),
        (false, b"{\"disclosures\": 1}".to_vec()),
        (false, large),
        (false, long.into_bytes()),
        (true, b"no gzip".to_vec()),
        (true, bomb),
    ] {
        // A mistake may be said to hold for a year; it is worth a day.
        let year = ("cache-control", "max-age=31536000");
        let headers = [year, ("content-encoding", "gzip")];
        shelf.put(FILE, if is_packed { &headers } else { &headers[..1] }, body);
        app.clock.advance_seconds(86_401);
        for _ in 0..2 {
            assert_eq!(name(&ask(&app, id).await.expect(200)), "one");
        }
        assert_eq!(shelf.calls().len(), 1);
    }
    // It recovers.
    shelf.put(FILE, &[], file("two").to_string());
    app.clock.advance_seconds(86_401);
    assert_eq!(name(&ask(&app, id).await.expect(200)), "two");
}

on_both!(nobody_is_asked_but_vendors_of_the_list);
async fn nobody_is_asked_but_vendors_of_the_list(engine: Engine) {
    let shelf = Shelf::start().await;
    let (mut app, ids) = app(engine, &shelf, true).await;
    shelf.put(FILE, &[], file("one").to_string());
    let mut list = gvl::list(1, 20);
    let vendors = list["vendors"].as_object_mut().unwrap();
    vendors.retain(|id, _| ids.iter().any(|known| known.to_string() == *id));
    let [gone, silent, odd] = [ids[1], ids[2], ids[3]].map(|id| id.to_string());
    let url = shelf.url(FILE);
    for vendor in vendors.values_mut() {
        vendor["deviceStorageDisclosureUrl"] = url.clone().into();
    }
    vendors[&gone]["deletedDate"] = "2020-01-01T00:00:00Z".into();
    vendors[&silent]["deviceStorageDisclosureUrl"] = Value::Null;
    vendors[&odd]["deviceStorageDisclosureUrl"] = "file:///etc/passwd".into();
    list["vendorListVersion"] = 201.into();
    tcf::import(&app, &[(tcf::LIST, &list)]).await;
    let absent = (1..).find(|id| !ids.contains(id)).unwrap();
    for id in [absent, ids[1], ids[2], ids[3]] {
        ask(&app, id).await.problem(404, "not_found");
    }
    for id in ["0", "70000", "x", "+1"] {
        let path = format!("/v1/app/tcf/vendors/{id}/storage");
        app.nobody().get(&path).await.problem(404, "not_found");
    }
    assert!(shelf.calls().is_empty());
    ask(&app, ids[0]).await.expect(200);
    assert_eq!(shelf.calls().len(), 1);
    // A server that fetches nothing has what it got before.
    app.restart_with(|config| config.tcf_origins = Origins::default())
        .await;
    app.clock.advance_seconds(86_401);
    assert_eq!(name(&ask(&app, ids[0]).await.expect(200)), "one");
    ask(&app, ids[4]).await.problem(404, "not_found");
    assert!(shelf.calls().is_empty());
}

on_both!(strangers_cause_few_calls_and_none_into_private_networks);
async fn strangers_cause_few_calls_and_none_into_private_networks(engine: Engine) {
    let shelf = Shelf::start().await;
    let (app, ids) = app(engine, &shelf, true).await;
    for id in &ids {
        shelf.hang(&format!("{id}.json"));
    }
    // Calls of one address, which nobody answers and which go on without those who asked.
    let asking = ids[1..3].iter().map(|id| {
        let (visitor, path) = (app.nobody(), path(*id));
        tokio::spawn(async move { visitor.get(&path).await })
    });
    let asking: Vec<_> = asking.collect();
    until("two vendors are asked", async || {
        (shelf.seen() == 2).then_some(())
    })
    .await;
    asking.iter().for_each(tokio::task::JoinHandle::abort);
    for id in &ids[3..6] {
        let answer = ask(&app, *id).await;
        assert_eq!(answer.header("retry-after"), "5");
        answer.problem(503, "unavailable");
    }
    assert_eq!(shelf.calls().len(), 2);

    let (guarded, _) = self::app(engine, &shelf, false).await;
    shelf.put(FILE, &[], file("one").to_string());
    ask(&guarded, ids[0]).await.problem(503, "unavailable");
    assert!(shelf.calls().is_empty());
}
