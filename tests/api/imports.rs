//! Imports of consents: accepted rows, refused rows, and no partial effects.

use std::time::Duration;

use axum::body::Bytes;
use futures::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Value, json};
use server::connections::Bounds;
use service::consents::{Format, Import, Span};
use tests::{Answer, Client, Engine, Reach, TestApp, both, seed};
use tokio::{sync::oneshot, task::JoinHandle};
use uuid::Uuid;

use crate::shop::{self, PUBLICATION};

mod older;
mod sender;
mod waiting;

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";

/// A live project with a cookie configuration and a consent box.
struct Shop {
    owner: Client,
    project: String,
    cookies: String,
    newsletter: String,
}

impl Shop {
    async fn open(app: &TestApp, owner: &Client) -> Self {
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = owner.create("projects", &document).await;
        let of = |title: &str| json!({"projectId": project, "title": title});
        let cookies = owner.create("cookies", &of("Cookies")).await;
        let newsletter = owner.create("processings", &of("Newsletter")).await;
        let documents = (cookies.as_str(), newsletter.as_str());
        shop::publish(app, &project, &json!({}), documents, &["ads", "stats"]).await;
        let owner = owner.clone();
        Self {
            owner,
            project,
            cookies,
            newsletter,
        }
    }

    async fn send(&self, media: &str, query: &str, file: impl Into<reqwest::Body>) -> Answer {
        let path = format!("/v1/app/imports/{}{query}", self.project);
        let request = self.owner.request(Method::POST, &path);
        let request = request.header("content-type", media).body(file);
        self.owner.send(request).await
    }

    /// Imports a file. Returns the numbers of imported, skipped, erased and broken rows.
    async fn import(&self, media: &str, file: impl Into<reqwest::Body>) -> [u64; 4] {
        let told = self.send(media, "", file).await.expect(200).json();
        ["imported", "skipped", "erased", "errorCount"]
            .map(|field| told[field].as_u64().expect("a count"))
    }

    async fn collect(&self, app: &TestApp, body: &Value) -> Value {
        let path = format!("/v1/app/consents/{}/cookies/{}", self.project, self.cookies);
        app.nobody().post(&path, body).await.expect(201).json()
    }

    async fn export(&self, suffix: &str) -> String {
        let path = format!("/v1/app/exports/{}.{suffix}", self.project);
        self.owner.get(&path).await.expect(200).text
    }

    async fn list(&self) -> Vec<Value> {
        let path = format!(
            "/v1/app/consents/{}?perPage=100&sort=decidedAt",
            self.project
        );
        let answer = self.owner.get(&path).await.expect(200);
        let list = answer.json().as_array().expect("a list").clone();
        if list.len() < 100 {
            assert_eq!(answer.header("x-total-count"), list.len().to_string());
        }
        list
    }

    async fn total(&self) -> String {
        let path = format!("/v1/app/consents/{}?perPage=1", self.project);
        let answer = self.owner.get(&path).await.expect(200);
        answer.header("x-total-count").to_owned()
    }

    async fn latest(&self, app: &TestApp, token: &str) -> Value {
        let path = format!(
            "/v1/app/consent/{}?token={token}&service=cookies&identifier={}",
            self.project, self.cookies
        );
        app.nobody().get(&path).await.expect(200).json()
    }

    fn line(&self, token: &str, accept: bool, at: &str) -> Value {
        json!({"token": token, "collection": "cookies", "identifier": self.cookies,
            "accept": accept, "createdAt": at})
    }
}

async fn parts(app: &TestApp) -> i64 {
    app.placet
        .db
        .query("SELECT COUNT(*) FROM consent_import_parts")
        .one_value()
        .await
        .expect("a count")
}

/// The fields of a consent that a CSV row contains.
fn facts(list: &[Value]) -> Vec<Value> {
    list.iter()
        .map(|one| {
            json!([
                one["token"],
                one["collection"],
                one["accept"],
                one["createdAt"],
                one["value"],
                one["preferences"],
                one["outcome"]
            ])
        })
        .collect()
}

both!(an_export_can_be_imported_again, |app| async move {
    let owner = app.user("ada").await;
    let shop = Shop::open(&app, &owner).await;
    for (index, token) in [
        "=cmd|'/c calc'!A1",
        "'=x",
        "a;\"b\",=1\r\n'＝c",
        "plain",
        "plain",
    ]
    .into_iter()
    .enumerate()
    {
        let body = json!({"accept": index % 2 == 0, "token": token, "age": 1_000 * (9 - index),
            "value": if index == 1 { json!("+1\n\"yes\"") } else { Value::Null },
            "publication": PUBLICATION,
            "preferences": {"vendors": {"ads": true, "stats": index == 3},
                "googleConsentMode": {"z": "granted", "a": ["x"]}, "tcString": "\tTC"}});
        shop.collect(&app, &body).await;
    }
    let before = shop.list().await;
    let (csv, ndjson) = (shop.export("csv").await, shop.export("ndjson").await);
    // Into the same project: every row exists already.
    assert_eq!(shop.import(NDJSON, ndjson.clone()).await, [0, 5, 0, 0]);
    assert_eq!(shop.import(CSV, csv.clone()).await, [0, 5, 0, 0]);
    assert_eq!(shop.list().await, before);

    // Into other projects with the same questions.
    let moved = |text: &str, to: &Shop| text.replace(&shop.cookies, &to.cookies);
    let (one, two) = (
        Shop::open(&app, &owner).await,
        Shop::open(&app, &owner).await,
    );
    assert_eq!(one.import(NDJSON, moved(&ndjson, &one)).await, [5, 0, 0, 0]);
    assert_eq!(two.import(CSV, moved(&csv, &two)).await, [5, 0, 0, 0]);
    for copy in [&one, &two] {
        let list = copy.list().await;
        assert_eq!(facts(&list), facts(&before));
        assert!(list.iter().all(|one| one["imported"] == true));
        assert!(list.iter().all(|one| one["identifier"] == copy.cookies));
    }
    // NDJSON has all fields.
    for (before, copy) in before.iter().zip(one.list().await) {
        for field in [
            "consentId",
            "publication",
            "publicationVerified",
            "pageHost",
            "ip",
            "userAgent",
        ] {
            assert_eq!(copy[field], before[field], "{field}");
        }
    }
    // A second import of either file adds nothing.
    assert_eq!(one.import(NDJSON, moved(&ndjson, &one)).await, [0, 5, 0, 0]);
    assert_eq!(one.import(CSV, moved(&csv, &one)).await, [0, 5, 0, 0]);
    assert_eq!(two.import(CSV, moved(&csv, &two)).await, [0, 5, 0, 0]);
    let exported = one.export("ndjson").await;
    let back = exported.replace(&one.cookies, &shop.cookies);
    assert_eq!(shop.import(NDJSON, back).await, [0, 5, 0, 0]);
    assert_eq!(parts(&app).await, 0);
});

both!(
    spreadsheet_files_are_read_in_pieces_of_any_size,
    |app| async move {
        let owner = app.user("ada").await;
        let shop = Shop::open(&app, &owner).await;
        let file = format!(
            "\u{feff}Date;accept;token;identifier;collection\r\n\
         2026-01-02;1;\"line\r\nbreak; \"\"é\"\"\";{0};cookies\r\n\
         ;;;;\r\n\
         2026-01-01T10:00:00+02:00;FALSE;t;{1};processings",
            shop.cookies, shop.newsletter
        );
        // Pieces split the byte order mark, characters and line ends.
        let pieces: Vec<Result<Vec<u8>, std::io::Error>> = file
            .as_bytes()
            .chunks(2)
            .map(|piece| Ok(piece.to_vec()))
            .collect();
        let body = reqwest::Body::wrap_stream(stream::iter(pieces));
        assert_eq!(
            shop.import("text/csv; charset=utf-8", body).await,
            [2, 0, 0, 0]
        );
        let list = shop.list().await;
        assert_eq!(list[0]["createdAt"], "2026-01-01T08:00:00.000Z");
        assert_eq!(
            (&list[0]["token"], &list[0]["collection"]),
            (&json!("t"), &json!("processings"))
        );
        assert_eq!(list[1]["token"], "line\r\nbreak; \"é\"");
        assert_eq!(list[1]["value"], Value::Null);
        assert_eq!(list[1]["outcome"], "accepted");
        // Counted on the day of the decision.
        let path = format!("/v1/app/overviews/{}", shop.project);
        let overview = owner.get(&path).await.expect(200).json();
        assert_eq!(
            (&overview["total"], &overview["acceptRate"]),
            (&json!(2), &Value::Null)
        );

        for (file, detail) in [
            ("", "header"),
            ("token,collection\n", "divided by `;`"),
            ("token;collection;identifier\n", "lacks the column accept"),
        ] {
            let problem = shop.send(CSV, "", file).await.problem(422, "rows_invalid");
            assert_eq!(problem["errors"][0]["row"], 1);
            let told = problem["errors"][0]["detail"].as_str().expect("a detail");
            assert!(told.contains(detail), "{told}");
        }
        assert_eq!(shop.import(NDJSON, "").await, [0, 0, 0, 0]);
    }
);

both!(
    a_broken_row_stops_the_import_unless_partial_is_set,
    |app| async move {
        let owner = app.user("ada").await;
        let shop = Shop::open(&app, &owner).await;
        let other = Shop::open(&app, &app.user("bob").await).await;
        let mut file = String::new();
        for row in 1..=1_300 {
            let mut line = shop.line(&format!("t{row}"), true, "2026-02-01T00:00:00Z");
            match row {
                600 => line["identifier"] = json!(other.cookies),
                1_299 => line["token"] = json!(""),
                1_300 => {
                    line["accept"] = json!("yes");
                    line["createdAt"] = json!("2999-01-01T00:00:00Z");
                }
                _ => {}
            }
            file += &format!("{line}\n");
        }
        let problem = shop
            .send(NDJSON, "", file.clone())
            .await
            .problem(422, "rows_invalid");
        assert_eq!(
            (
                &problem["imported"],
                &problem["skipped"],
                &problem["errorCount"]
            ),
            (&json!(0), &json!(0), &json!(3))
        );
        let rows = |told: &Value| -> Vec<(u64, String)> {
            let errors = told["errors"].as_array().expect("errors");
            errors
                .iter()
                .map(|error| {
                    let detail = error["detail"].as_str().expect("a detail");
                    let field = detail.split(':').next().unwrap_or_default().to_owned();
                    (error["row"].as_u64().expect("a row"), field)
                })
                .collect()
        };
        let expected = [(600, "identifier"), (1_299, "token"), (1_300, "accept")];
        let expected = expected.map(|(row, field)| (row, field.to_owned()));
        assert_eq!(rows(&problem), expected);
        assert_eq!(shop.list().await.len(), 0);
        assert_eq!(shop.total().await, "0");
        assert_eq!(parts(&app).await, 0);

        let told = shop
            .send(NDJSON, "?partial=true", file)
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&told["imported"], &told["skipped"], &told["errorCount"]),
            (&json!(1_297), &json!(0), &json!(3))
        );
        assert_eq!(rows(&told), expected);
        assert_eq!(shop.total().await, "1297");
        assert_eq!(other.total().await, "0");

        // The answer names the first hundred broken rows.
        let broken = "{}\n".repeat(250);
        let problem = shop
            .send(NDJSON, "", broken)
            .await
            .problem(422, "rows_invalid");
        assert_eq!(problem["errorCount"], 250);
        assert_eq!(problem["errors"].as_array().expect("errors").len(), 100);
    }
);

both!(tombstones_keep_their_outcomes, |app| async move {
    let owner = app.user("ada").await;
    let shop = Shop::open(&app, &owner).await;
    let mut file = String::new();
    for (number, outcome) in (1..).zip(["partial", "refused", "accepted"]) {
        let mut line = shop.line("", true, "2026-02-01T00:00:00Z");
        line["consentId"] = json!(Uuid::from_u128(number));
        line["erasedAt"] = json!("2026-02-02T00:00:00Z");
        line["outcome"] = json!(outcome);
        file += &format!("{line}\n");
    }
    assert_eq!(shop.import(NDJSON, file.clone()).await, [3, 0, 0, 0]);
    let list = shop.list().await;
    let mut outcomes: Vec<&str> = list
        .iter()
        .filter_map(|one| one["outcome"].as_str())
        .collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes, ["accepted", "partial", "refused"]);
    let wrong = file.replace("partial", "perhaps");
    let problem = shop
        .send(NDJSON, "", wrong)
        .await
        .problem(422, "rows_invalid");
    let told = problem["errors"][0]["detail"].as_str().expect("a detail");
    assert!(told.starts_with("outcome:"), "{told}");
});

both!(an_import_never_undoes_a_newer_decision, |app| async move {
    let owner = app.user("ada").await;
    let shop = Shop::open(&app, &owner).await;
    let refused = shop
        .collect(&app, &json!({"accept": false, "token": "t"}))
        .await;
    let at = refused["createdAt"].as_str().expect("a time");
    let mut file = String::new();
    // Before the existing decision, and in the same millisecond.
    for at in ["2025-01-01T00:00:00Z", "2026-03-01T12:00:00.5Z", at] {
        file += &format!("{}\n", shop.line("t", true, at));
    }
    // Within a file, the later row of the same moment counts.
    for accept in [true, false] {
        file += &format!("{}\n", shop.line("u", accept, "2026-03-01T12:00:00Z"));
    }
    assert_eq!(shop.import(NDJSON, file).await, [5, 0, 0, 0]);
    assert_eq!(shop.latest(&app, "u").await["accept"], false);
    assert_eq!(
        shop.latest(&app, "t").await["consentId"],
        refused["consentId"]
    );
    assert_eq!(shop.latest(&app, "t").await["accept"], false);
    let history = format!("/v1/client/{}/consents/t", shop.project);
    let history = owner.get(&history).await.expect(200).json();
    let imported: Vec<&Value> = history["history"]
        .as_array()
        .expect("a history")
        .iter()
        .map(|one| &one["imported"])
        .collect();
    assert_eq!(imported, [false, true, true, true]);
    assert_eq!(
        history["history"][2]["createdAt"],
        "2026-03-01T12:00:00.500Z"
    );
    let id = history["history"][2]["consentId"].as_str().expect("an id");
    let proof = format!("/v1/app/consents/{}/{id}", shop.project);
    assert_eq!(owner.get(&proof).await.expect(200).json()["imported"], true);
    // A newer decision counts.
    let now = shop.line("t", true, &app.placet.config.clock.now().to_string());
    assert_eq!(shop.import(NDJSON, now.to_string()).await, [1, 0, 0, 0]);
    assert_eq!(shop.latest(&app, "t").await["accept"], true);
});

both!(ids_make_a_second_import_harmless, |app| async move {
    let owner = app.user("ada").await;
    let shop = Shop::open(&app, &owner).await;
    let id = "5f0c9d2e-8b7a-4c6d-9e1f-2a3b4c5d6e7f";
    let mut line = shop.line("t", true, "2026-02-01T00:00:00Z");
    line["consentId"] = json!(id);
    let twice = format!("{line}\n{line}\n");
    assert_eq!(shop.import(NDJSON, twice).await, [1, 1, 0, 0]);
    line["accept"] = json!(false);
    assert_eq!(shop.import(NDJSON, line.to_string()).await, [0, 1, 0, 0]);
    assert_eq!(shop.latest(&app, "t").await["accept"], true);
    // A visitor's browser that retries this consent is told that it exists.
    let body = json!({"accept": true, "token": "t", "consentId": id});
    assert_eq!(
        shop.collect(&app, &body).await["createdAt"],
        "2026-02-01T00:00:00.000Z"
    );
    // A file without times and ids can be sent twice, too.
    let mut bare = shop.line("u", true, "");
    bare.as_object_mut().expect("an object").remove("createdAt");
    assert_eq!(shop.import(NDJSON, bare.to_string()).await, [1, 0, 0, 0]);
    app.clock.advance_seconds(60);
    assert_eq!(shop.import(NDJSON, bare.to_string()).await, [0, 1, 0, 0]);
    // The same id in another project is another consent.
    let other = Shop::open(&app, &owner).await;
    let line = line.to_string().replace(&shop.cookies, &other.cookies);
    assert_eq!(other.import(NDJSON, line).await, [1, 0, 0, 0]);
});

both!(a_file_follows_the_rules_of_its_project, |app| async move {
    let owner = app.user("ada").await;
    let shop = Shop::open(&app, &owner).await;
    let live = json!({"ipMode": "none"});
    seed::publish(&app.placet.db, &shop.project, &live, &[]).await;
    app.clock.advance_seconds(2);
    let mut line = shop.line("t", true, "2026-02-01T00:00:00Z");
    line["ip"] = json!("203.0.113.77");
    line["publication"] = json!("f".repeat(64));
    line["country"] = json!("Fra");
    let refused = shop.send(NDJSON, "", line.to_string()).await;
    refused.problem(422, "rows_invalid");
    line["country"] = json!("fr");
    line["userAgent"] = json!("Browser/1");
    // The server sets the fields about receipt itself.
    line["receivedAt"] = json!("2020-01-01T00:00:00Z");
    line["imported"] = json!(false);
    line["projectId"] = json!(Uuid::nil());
    assert_eq!(shop.import(NDJSON, line.to_string()).await, [1, 0, 0, 0]);
    let stored = &shop.list().await[0];
    assert_eq!(stored["ip"], Value::Null);
    assert_eq!(
        (&stored["publication"], &stored["publicationVerified"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(
        (&stored["country"], &stored["userAgent"]),
        (&json!("FR"), &json!("Browser/1"))
    );
    assert_eq!(
        (&stored["imported"], &stored["projectId"]),
        (&json!(true), &json!(shop.project))
    );
    assert!(stored["receivedAt"].as_str() > Some("2026"));
    assert_eq!(stored["tokenKind"], "unsigned");

    // An imported decision is accepted without a signature, and marked.
    let secret = json!({"tokenSecret": "a secret of the shop"});
    let project = format!("/v1/vault/projects/{}", shop.project);
    owner.patch(&project, &secret).await.expect(200);
    // By Python: hmac.new(b"a secret of the shop", b"customer-42", "sha256").hexdigest()
    let signed = "customer-42.8e9df604b8e96edb6421ca107e063c9dedfebfc30a54576515dff2e5e302255d";
    let file: Vec<String> = [signed, "customer-42"]
        .iter()
        .map(|token| {
            let mut line = shop.line(token, true, "2026-03-01T00:00:00Z");
            line["tokenKind"] = json!("signed");
            line.to_string()
        })
        .collect();
    assert_eq!(shop.import(NDJSON, file.join("\n")).await, [2, 0, 0, 0]);
    for stored in shop.list().await.iter().filter(|one| one["token"] != "t") {
        let kind = if stored["token"] == signed {
            "signed"
        } else {
            "unsigned"
        };
        assert_eq!(stored["tokenKind"], kind);
    }
});

both!(imports_need_both_scopes_and_a_file, |app| async move {
    let owner = app.user("ada").await;
    let shop = Shop::open(&app, &owner).await;
    for (media, query, status, code) in [
        ("application/json", "", 415, "unsupported_media_type"),
        ("text/plain", "", 415, "unsupported_media_type"),
        (NDJSON, "?partial=maybe", 400, "bad_request"),
    ] {
        shop.send(media, query, "{}").await.problem(status, code);
    }
    let large = vec![b'\n'; 4 * 1024 * 1024 + 1];
    shop.send(NDJSON, "", large.clone())
        .await
        .problem(413, "body_too_large");
    // The limit also holds without an announced length, and nothing of the file is stored.
    let line = format!("{}\n", shop.line("t", true, "2026-02-01T00:00:00Z"));
    let pieces = [line.repeat(600).into_bytes(), large];
    let pieces = pieces.map(Ok::<_, std::io::Error>);
    let body = reqwest::Body::wrap_stream(stream::iter(pieces));
    shop.send(NDJSON, "", body)
        .await
        .problem(413, "body_too_large");
    assert_eq!((shop.list().await.len(), parts(&app).await), (0, 0));

    // API keys need both scopes.
    let path = format!("/v1/app/imports/{}", shop.project);
    for (scopes, status) in [
        (json!(["consents"]), 403),
        (json!(["write"]), 403),
        (json!(["consents", "write"]), 200),
    ] {
        let key = json!({"name": "Import", "scopes": scopes});
        let key = owner.post("/v1/auth/keys", &key).await.expect(201).json();
        let mut program = app.nobody();
        program.token = key["secret"].as_str().map(str::to_owned);
        let request = program.request(Method::POST, &path);
        let request = request.header("content-type", NDJSON).body(line.clone());
        let answer = program.send(request).await;
        assert_eq!(answer.status, status, "{scopes} {}", answer.text);
    }
    assert_eq!(shop.total().await, "1");
});

/// A file that has begun to come and ends when the sender is dropped.
struct Sending {
    end: oneshot::Sender<()>,
    import: JoinHandle<()>,
}

impl Sending {
    async fn begin(app: &TestApp, shop: &Shop) -> Self {
        let line = shop.line("t", true, "2026-02-01T00:00:00Z").to_string();
        let (begin, has_begun) = oneshot::channel();
        let (end, has_ended) = oneshot::channel::<()>();
        let file = stream::once(async move {
            begin.send(()).expect("the test waits");
            let _ = has_ended.await;
            Ok(Bytes::from(line))
        });
        let import = Import {
            project: shop.project.parse().unwrap(),
            format: Format::Ndjson,
            partial: false,
        };
        let actor = service::Actor::User(shop.owner.user_id.parse().unwrap());
        let consents = app.placet.consents.clone();
        let import = tokio::spawn(async move {
            let file = file.boxed();
            let imported = consents.import(actor, import, file, Box::new(|_| {}));
            imported.await.expect("a good file");
        });
        has_begun.await.expect("it has a place");
        Self { end, import }
    }
}

/// Places are in memory.
#[tokio::test]
async fn an_account_sends_two_files_at_a_time_and_all_together_eight() {
    let app = TestApp::start(Engine::Sqlite).await;
    let mut sending = Vec::new();
    for name in ["ada", "bob", "cyd", "dan"] {
        let shop = Shop::open(&app, &app.user(name).await).await;
        for _ in 0..2 {
            sending.push(Sending::begin(&app, &shop).await);
        }
        let third = shop.send(NDJSON, "", "\n").await;
        third.problem(503, "unavailable");
    }
    let eve = Shop::open(&app, &app.user("eve").await).await;
    let line = eve.line("t", true, "2026-02-01T00:00:00Z").to_string();
    let first = eve.send(NDJSON, "", line.clone()).await;
    first.problem(503, "unavailable");
    let Sending { end, import } = sending.remove(0);
    drop(end);
    import.await.expect("it ends");
    eve.send(NDJSON, "", line).await.expect(200);
}

#[tokio::test]
async fn a_file_that_stops_coming_is_given_up() {
    let reach = Reach::default();
    let reach = Reach {
        connections: Bounds {
            idle: Duration::from_millis(200),
            ..reach.connections
        },
        ..reach
    };
    let app = TestApp::reached(Engine::Sqlite, reach, |_| {}).await;
    let shop = Shop::open(&app, &app.user("ada").await).await;
    let line = format!("{}\n", shop.line("t", true, "2026-02-01T00:00:00Z"));
    let first = stream::iter([Ok::<_, std::io::Error>(line.repeat(600))]);
    let body = reqwest::Body::wrap_stream(first.chain(stream::pending()));
    shop.send(NDJSON, "", body).await.problem(408, "timeout");
    assert_eq!((shop.list().await.len(), parts(&app).await), (0, 0));
}

both!(an_account_is_sent_two_files_at_a_time, |app| async move {
    let ada = app.user("ada").await;
    let shop = Shop::open(&app, &ada).await;
    let actor = service::Actor::User(ada.user_id.parse().unwrap());
    let project: Uuid = shop.project.parse().unwrap();
    let (consents, audit) = (&app.placet.consents, &app.placet.audit);
    let consents = || consents.export(actor, project, Format::Ndjson, Span::default());
    let first = consents().await.ok();
    let log = audit.export(actor, project, None, String::new()).await.ok();
    assert!(first.is_some() && log.is_some());
    // Nobody reads them, and a third waits for its turn.
    assert!(matches!(consents().await, Err(service::Error::Busy)));
    let tokens = app
        .placet
        .client
        .all_accepted(actor, project, shop.cookies.parse().unwrap());
    assert!(matches!(tokens.await, Err(service::Error::Busy)));
    ada.get(&format!("/v1/app/exports/{project}.csv"))
        .await
        .problem(503, "unavailable");
    drop(log);
    let second = consents().await.ok();
    drop((first, second));
    drop(consents().await.expect("both have ended"));
});
