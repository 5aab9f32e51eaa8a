//! Removal of consents: erased with their token, or at the end of their retention.

use reqwest::Method;
use serde_json::{Value, json};
use service::Placet;
use tests::{Client, Engine, Receiver, Reply, TestApp, both, until};

use crate::shop::{self, PUBLICATION};

/// A live project with a cookie configuration and a consent box.
struct Shop {
    owner: Client,
    project: String,
    cookies: String,
    newsletter: String,
}

impl Shop {
    async fn open(app: &TestApp, owner: &Client, retention: Value, months: Value) -> Self {
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop",
            "retention": retention});
        let project = owner.create("projects", &document).await;
        let cookies = owner
            .create(
                "cookies",
                &json!({"projectId": project, "title": "Cookies"}),
            )
            .await;
        let newsletter =
            json!({"projectId": project, "title": "Newsletter", "storageDuration": months});
        let newsletter = owner.create("processings", &newsletter).await;
        let documents = (cookies.as_str(), newsletter.as_str());
        shop::publish(
            app,
            &project,
            &json!({"ipMode": "full"}),
            documents,
            &["ads"],
        )
        .await;
        let owner = owner.clone();
        Self {
            owner,
            project,
            cookies,
            newsletter,
        }
    }

    async fn forever(app: &TestApp) -> Self {
        let owner = app.user("ada").await;
        Self::open(app, &owner, json!({}), json!(null)).await
    }

    async fn collect(&self, app: &TestApp, collection: &str, token: &str, accept: bool) -> Value {
        let id = match collection {
            "cookies" => &self.cookies,
            _ => &self.newsletter,
        };
        let path = format!("/v1/app/consents/{}/{collection}/{id}", self.project);
        let who = if token.starts_with("zoe") {
            "zoe"
        } else {
            "kim"
        };
        let preferences = if collection == "cookies" {
            json!({"vendors": {"ads": accept}, "tcString": format!("of {who}")})
        } else {
            json!({})
        };
        let body = json!({"accept": accept, "token": token, "value": format!("said by {who}"),
            "publication": PUBLICATION, "preferences": preferences});
        let request = app
            .nobody()
            .request(Method::POST, &path)
            .header("user-agent", format!("Browser of {who}"))
            .header("origin", format!("https://{who}.example"))
            .json(&body);
        app.nobody().send(request).await.expect(201).json()
    }

    async fn list(&self) -> Vec<Value> {
        let path = format!(
            "/v1/app/consents/{}?perPage=100&sort=decidedAt",
            self.project
        );
        let answer = self.owner.get(&path).await.expect(200);
        let list = answer.json().as_array().expect("a list").clone();
        assert_eq!(answer.header("x-total-count"), list.len().to_string());
        list
    }

    async fn tokens(&self) -> Vec<String> {
        let path = format!("/v1/client/{}/tokens", self.project);
        let answer = self.owner.get(&path).await.expect(200);
        let list = answer.json();
        let tokens: Vec<String> = list["data"]
            .as_array()
            .expect("tokens")
            .iter()
            .map(|entry| entry["token"].as_str().expect("a token").to_owned())
            .collect();
        assert_eq!(answer.header("x-total-count"), tokens.len().to_string());
        tokens
    }

    async fn latest(&self, app: &TestApp, token: &str) -> Value {
        let path = format!(
            "/v1/app/consent/{}?token={token}&service=cookies&identifier={}",
            self.project, self.cookies
        );
        app.nobody().get(&path).await.expect(200).json()
    }

    fn erasure(&self, token: &str) -> String {
        format!("/v1/app/consents/{}/tokens/{token}", self.project)
    }

    async fn export(&self, suffix: &str) -> String {
        let path = format!("/v1/app/exports/{}.{suffix}", self.project);
        self.owner.get(&path).await.expect(200).text
    }

    async fn import(&self, media: &str, file: String) -> Value {
        let path = format!("/v1/app/imports/{}", self.project);
        let request = self.owner.request(Method::POST, &path);
        let request = request.header("content-type", media).body(file);
        self.owner.send(request).await.expect(200).json()
    }
}

/// Signs in with an API key, because access tokens do not last for months.
async fn lasting(app: &TestApp, owner: &Client) -> Client {
    let key = json!({"name": "Read", "scopes": ["read", "write", "consents"]});
    let key = owner.post("/v1/auth/keys", &key).await.expect(201).json();
    let mut program = app.nobody();
    program.token = key["secret"].as_str().map(str::to_owned);
    program
}

/// All rows of consents and deliveries in the database, as text.
async fn everything(app: &TestApp) -> String {
    let mut all = String::new();
    for sql in [
        "SELECT token || preferences || COALESCE(value, '') || COALESCE(page_host, '') || \
         COALESCE(ip, '') || COALESCE(country, '') || COALESCE(user_agent, '') FROM consents",
        "SELECT COALESCE(answer, '') FROM webhook_attempts",
        "SELECT records FROM consent_import_parts",
    ] {
        let rows: Vec<String> = app.placet.db.query(sql).all_values().await.expect("rows");
        all += &rows.join("\n");
    }
    all
}

/// Waits until all queued jobs have ended.
async fn jobs_end(placet: &Placet) {
    until("the jobs end", async || {
        (placet.jobs.unfinished().await.expect("a count") == 0).then_some(())
    })
    .await;
}

both!(
    an_erased_token_leaves_tombstones_and_nothing_else,
    |app| async move {
        let shop = Shop::forever(&app).await;
        let receiver = Receiver::start(Reply::Status(200)).await;
        let hook = json!({"method": "POST", "url": receiver.url(),
        "event": format!("consent/{}", shop.project)});
        let hook = shop
            .owner
            .post("/v1/webhooks", &hook)
            .await
            .expect(201)
            .json();
        let deliveries = format!(
            "/v1/webhooks/{}/deliveries",
            hook["id"].as_str().expect("an id")
        );
        let token = "zoe/1?é";
        shop.collect(&app, "cookies", token, true).await;
        shop.collect(&app, "cookies", token, false).await;
        shop.collect(&app, "processings", token, true).await;
        shop.collect(&app, "cookies", "kim", true).await;
        for _ in 0..4 {
            receiver.next().await;
        }
        until("answers are kept", async || {
            let list = shop.owner.get(&deliveries).await.expect(200).json();
            let list = list.as_array().expect("a list").iter();
            let delivered = list.filter(|one| one["status"] == "delivered");
            (delivered.count() == 4).then_some(())
        })
        .await;
        let before = shop.list().await;
        let (csv, ndjson) = (shop.export("csv").await, shop.export("ndjson").await);
        assert!(everything(&app).await.contains("I say 200"));

        let path = shop.erasure("zoe%2F1%3F%C3%A9");
        let erased = shop.owner.delete(&path).await.expect(200).json();
        assert_eq!(erased["erased"], 3);
        // The token has no answer and is unknown.
        assert_eq!(
            shop.latest(&app, "zoe%2F1%3F%C3%A9").await,
            json!({"accept": false})
        );
        assert_eq!(shop.tokens().await, ["kim"]);
        let history = format!("/v1/client/{}/consents/zoe%2F1%3F%C3%A9", shop.project);
        let history = shop.owner.get(&history).await.expect(200).json();
        assert_eq!(history["history"], json!([]));
        for path in [&shop.cookies, &shop.newsletter] {
            let path = format!("/v1/client/{}/tokens/accepted/{path}", shop.project);
            let list = shop.owner.get(&path).await.expect(200).text;
            assert!(!list.contains("zoe"), "{list}");
            let counted = shop
                .owner
                .get(&format!("{path}?perPage=10"))
                .await
                .expect(200);
            assert!(
                counted.json()["data"]
                    .as_array()
                    .expect("tokens")
                    .iter()
                    .all(|one| one["token"] == "kim")
            );
            let total = counted.header("x-total-count").to_owned();
            assert!(
                total == "1" && path.contains(&shop.cookies) || total == "0",
                "{total}"
            );
        }
        shop.owner.delete(&path).await.problem(404, "not_found");

        // A tombstone keeps the collection, the identifier and the time.
        let after = shop.list().await;
        assert_eq!(after.len(), 4);
        for (was, is) in before.iter().zip(&after).take(3) {
            assert_eq!(
                is,
                &json!({"consentId": was["consentId"], "projectId": shop.project,
                "collection": was["collection"], "identifier": was["identifier"], "token": "",
                "accept": was["accept"], "outcome": was["outcome"], "createdAt": was["createdAt"],
                "decidedAt": was["decidedAt"], "receivedAt": was["receivedAt"],
                "preferences": {}, "value": null, "publication": PUBLICATION,
                "publicationVerified": true, "pageHost": null, "ip": null, "country": null,
                "userAgent": null, "imported": false, "erasedAt": erased["erasedAt"]})
            );
            let id = is["consentId"].as_str().expect("an id");
            let proof = format!("/v1/app/consents/{}/{id}", shop.project);
            let proof = shop.owner.get(&proof).await.expect(200).json();
            assert_eq!(proof["erasedAt"], erased["erasedAt"]);
            // Deliveries have no content to send.
            let list = shop.owner.get(&deliveries).await.expect(200).json();
            let list = list.as_array().expect("a list").clone();
            for one in list {
                let one = format!("{deliveries}/{}", one["id"].as_str().expect("an id"));
                let text = shop.owner.get(&one).await.expect(200).text;
                assert!(!text.contains("zoe"), "{text}");
            }
        }
        assert_eq!(after[3], before[3]);
        let all = everything(&app).await;
        assert!(!all.contains("zoe") && all.contains("kim"), "{all}");
        // The endpoint's answer to another person's consent stays.
        assert_eq!(all.matches("I say 200").count(), 1);

        // NDJSON exports have the tombstones, and importing an old export does not restore the consents under
        // their ids.
        assert_eq!(shop.export("csv").await.lines().count(), 2);
        let exported = shop.export("ndjson").await;
        assert_eq!(exported.matches("erasedAt").count(), 3);
        let told = shop.import("application/x-ndjson", ndjson).await;
        assert_eq!(
            (&told["imported"], &told["skipped"], &told["erased"]),
            (&json!(0), &json!(4), &json!(3))
        );
        assert_eq!(shop.list().await, after);
        // A browser that retries is told so, and a new decision is a new consent.
        let id = after[0]["consentId"].as_str().expect("an id");
        let path = format!("/v1/app/consents/{}/cookies/{}", shop.project, shop.cookies);
        let retry = json!({"accept": true, "token": token, "consentId": id, "publication": PUBLICATION,
        "value": "said by zoe", "preferences": {"vendors": {"ads": true}, "tcString": "of zoe"}});
        app.nobody()
            .post(&path, &retry)
            .await
            .problem(409, "idempotency_conflict");
        shop.collect(&app, "cookies", token, false).await;
        assert_eq!(shop.list().await.len(), 5);

        // Tombstones are imported with the rest. CSV has no ids, so its rows are new consents.
        let copy = Shop::open(&app, &shop.owner, json!({}), json!(null)).await;
        let moved = exported
            .replace(&shop.cookies, &copy.cookies)
            .replace(&shop.newsletter, &copy.newsletter);
        assert_eq!(
            copy.import("application/x-ndjson", moved).await["imported"],
            4
        );
        let list = copy.list().await;
        assert_eq!(
            list.iter()
                .filter(|one| one["erasedAt"] == erased["erasedAt"])
                .count(),
            3
        );
        assert_eq!(copy.tokens().await, ["kim"]);
        assert_eq!(csv.lines().count(), 5);
    }
);

both!(
    a_consent_erased_meanwhile_is_delivered_no_longer,
    |app| async move {
        let shop = Shop::forever(&app).await;
        // Otherwise it would be retried in five seconds, even if it was erased by then.
        let later = Reply::With(503, "retry-after", "3600".to_owned());
        let receiver = Receiver::start(later).await;
        let hook = json!({"method": "POST", "url": receiver.url(),
        "event": format!("consent/{}", shop.project)});
        let hook = shop
            .owner
            .post("/v1/webhooks", &hook)
            .await
            .expect(201)
            .json();
        let deliveries = format!(
            "/v1/webhooks/{}/deliveries",
            hook["id"].as_str().expect("an id")
        );
        shop.collect(&app, "cookies", "zoe", true).await;
        receiver.next().await;
        let tries = async |least: usize| {
            until("it is tried", async || {
                let one = shop.owner.get(&deliveries).await.expect(200).json()[0].clone();
                let tries = one["attempts"].as_array().map_or(0, Vec::len);
                (tries >= least).then_some(one)
            })
            .await
        };
        tries(1).await;
        shop.owner.delete(&shop.erasure("zoe")).await.expect(200);
        app.clock.advance_seconds(2 * 3_600);
        let ended = tries(2).await;
        assert_eq!(ended["status"], "failed");
        assert_eq!(
            ended["attempts"]
                .as_array()
                .expect("tries")
                .iter()
                .filter(|one| one["answer"].is_string())
                .count(),
            0
        );
        assert!(receiver.unseen().await.is_none());
    }
);

both!(only_both_scopes_erase, |app| async move {
    let shop = Shop::forever(&app).await;
    shop.collect(&app, "cookies", "zoe", true).await;
    let path = shop.erasure("zoe");
    for scopes in [json!(["consents"]), json!(["write", "read"])] {
        let key = json!({"name": "Erase", "scopes": scopes});
        let key = shop
            .owner
            .post("/v1/auth/keys", &key)
            .await
            .expect(201)
            .json();
        let mut program = app.nobody();
        program.token = key["secret"].as_str().map(str::to_owned);
        program.delete(&path).await.problem(403, "scope_missing");
    }
    // A token of another project, and texts that cannot be a token.
    let other = Shop::open(&app, &shop.owner, json!({}), json!(null)).await;
    for path in [
        other.erasure("zoe"),
        shop.erasure("%00"),
        shop.erasure(&"x".repeat(256)),
    ] {
        shop.owner.delete(&path).await.problem(404, "not_found");
    }
    // Pages of other origins may not erase, unlike a visitor's consent.
    let preflight = app
        .nobody()
        .request(Method::OPTIONS, &path)
        .header("origin", "https://shop.example")
        .header("access-control-request-method", "DELETE");
    let preflight = app.nobody().send(preflight).await;
    assert_eq!(preflight.header("access-control-allow-origin"), "");
    assert_eq!(shop.latest(&app, "zoe").await["accept"], true);
});

both!(
    a_token_with_many_consents_is_erased_whole,
    |app| async move {
        let shop = Shop::forever(&app).await;
        let mut file = String::new();
        for second in 0..450 {
            let line = json!({"token": "all", "collection": "cookies", "identifier": shop.cookies,
            "accept": true, "createdAt": format!("2026-02-01T00:{:02}:{:02}Z", second / 60, second % 60)});
            file += &format!("{line}\n");
        }
        shop.import("application/x-ndjson", file).await;
        let erased = shop
            .owner
            .delete(&shop.erasure("all"))
            .await
            .expect(200)
            .json();
        assert_eq!(erased["erased"], 450);
        assert!(shop.tokens().await.is_empty());
    }
);

both!(consents_are_removed_after_retention, |app| async move {
    let owner = lasting(&app, &app.user("ada").await).await;
    // A year by default, a month for the newsletter.
    let shop = Shop::open(&app, &owner, json!({"consentMonths": 12}), json!(1)).await;
    let forever = Shop::open(&app, &owner, json!({}), json!(null)).await;
    for shop in [&shop, &forever] {
        shop.collect(&app, "cookies", "t", true).await;
        shop.collect(&app, "processings", "t", true).await;
    }
    let overview = format!("/v1/app/overviews/{}", shop.project);
    app.clock.advance_days(20);
    // The latest decision on the newsletter is 20 days younger than the first.
    shop.collect(&app, "processings", "t", false).await;
    shop.collect(&app, "cookies", "t", false).await;
    app.placet.forget_expired().await.expect("housekeeping");
    jobs_end(&app.placet).await;
    assert_eq!(shop.list().await.len(), 4);

    app.clock.advance_days(12);
    app.placet.forget_expired().await.expect("housekeeping");
    jobs_end(&app.placet).await;
    let left: Vec<(Value, Value)> = shop
        .list()
        .await
        .iter()
        .map(|one| (one["collection"].clone(), one["accept"].clone()))
        .collect();
    let expected = [
        ("cookies", true),
        ("processings", false),
        ("cookies", false),
    ];
    assert_eq!(
        left,
        expected.map(|(of, accept)| (json!(of), json!(accept)))
    );
    // Charts still count removed consents.
    let counted = owner.get(&overview).await.expect(200).json();
    assert_eq!(counted["total"], 4);

    app.clock.advance_days(20);
    app.placet.forget_expired().await.expect("housekeeping");
    jobs_end(&app.placet).await;
    assert_eq!(shop.list().await.len(), 2);
    let state = format!("/v1/client/{}/consents/t", shop.project);
    let state = owner.get(&state).await.expect(200).json();
    let answers: Vec<&Value> = state["state"]
        .as_array()
        .expect("states")
        .iter()
        .map(|one| &one["accept"])
        .collect();
    assert_eq!(answers, [&json!(null), &json!(false)]);

    // After a year the last decision lapses, too.
    app.clock.advance_days(366);
    app.placet.forget_expired().await.expect("housekeeping");
    jobs_end(&app.placet).await;
    assert_eq!(shop.list().await.len(), 0);
    assert_eq!(shop.latest(&app, "t").await, json!({"accept": false}));
    assert_eq!(forever.list().await.len(), 2);
});

both!(the_time_of_a_box_outlives_the_box, |app| async move {
    let owner = lasting(&app, &app.user("ada").await).await;
    // Consents of the project are kept for ever, those to the newsletter for three months.
    let shop = Shop::open(&app, &owner, json!({}), json!(3)).await;
    for of in ["cookies", "processings"] {
        shop.collect(&app, of, "t", true).await;
    }
    let path = format!("/v1/vault/processings/{}", shop.newsletter);
    owner.delete(&path).await.expect(204);
    for (days, left) in [(1, 2), (40, 2), (60, 1)] {
        app.clock.advance_days(days);
        app.placet.forget_expired().await.expect("housekeeping");
        jobs_end(&app.placet).await;
        assert_eq!(shop.list().await.len(), left);
    }
    let rules = async || {
        let count = app.placet.db.query("SELECT COUNT(*) FROM box_retention");
        count.count().await.expect("the database answers")
    };
    assert_eq!(rules().await, 1);
    let path = format!("/v1/vault/projects/{}", shop.project);
    owner.delete(&path).await.expect(204);
    app.clock.advance_days(31);
    app.placet.forget_expired().await.expect("housekeeping");
    jobs_end(&app.placet).await;
    assert_eq!(rules().await, 0);
    // Nothing of the project is left, also of documents that nobody had deleted.
    let documents = app.placet.db.query("SELECT COUNT(*) FROM documents");
    assert_eq!(documents.count().await.expect("a count"), 0);
});

both!(
    consents_are_kept_for_the_months_that_visitors_were_told_of,
    |app| async move {
        let owner = lasting(&app, &app.user("ada").await).await;
        let shop = Shop::open(&app, &owner, json!({}), json!(1)).await;
        let live = json!({"processings": [{"identifier": shop.newsletter, "storageDuration": 12}]});
        let documents = (shop.cookies.as_str(), shop.newsletter.as_str());
        shop::publish(&app, &shop.project, &live, documents, &["ads"]).await;
        shop.collect(&app, "processings", "t", true).await;
        let left = async |days| {
            app.clock.advance_days(days);
            app.placet.forget_expired().await.expect("housekeeping");
            jobs_end(&app.placet).await;
            shop.list().await.len()
        };
        // The draft has another time, and nobody has published it.
        assert_eq!(left(40).await, 1);
        // Then the box moves to another project, where it gets another time.
        let other = json!({"websiteURL": "https://other.example", "title": "Other"});
        let other = owner.create("projects", &other).await;
        let path = format!("/v1/vault/processings/{}", shop.newsletter);
        let moved = json!({"projectId": other, "storageDuration": 2});
        owner.patch(&path, &moved).await.expect(200);
        shop::publish(&app, &shop.project, &json!({}), documents, &["ads"]).await;
        assert_eq!(left(40).await, 1);
        assert_eq!(left(1).await, 1);
        assert_eq!(left(300).await, 0);
    }
);

both!(
    an_erasure_takes_what_a_clock_that_is_ahead_has_stored,
    |app| async move {
        let shop = Shop::forever(&app).await;
        shop.collect(&app, "cookies", "kim", true).await;
        app.clock.advance_seconds(-60);
        let path = shop.erasure("kim");
        let erased = shop.owner.delete(&path).await.expect(200).json();
        assert_eq!(erased["erased"], 1);
        assert!(erased["erasedAt"].as_str() >= shop.list().await[0]["createdAt"].as_str());
    }
);

both!(
    many_are_removed_in_daily_batches_and_after_a_crash,
    |app| async move {
        let owner = lasting(&app, &app.user("ada").await).await;
        let shop = Shop::open(&app, &owner, json!({"consentMonths": 1}), json!(null)).await;
        let mut file = String::new();
        for row in 0..950 {
            // Several of one moment, so that batches end between equal times.
            let line = json!({"token": format!("t{row}"), "collection": "cookies", "accept": true,
            "identifier": shop.cookies, "createdAt": format!("2025-01-01T00:00:{:02}Z", row / 100)});
            file += &format!("{line}\n");
        }
        shop.import("application/x-ndjson", file).await;
        shop.collect(&app, "cookies", "new", true).await;
        app.clock.advance_to_window(86_400);
        app.clock.advance_days(2);
        // Two processes queue the same day's job, and a dead process had begun it.
        let beside = Placet::open(app.config()).await.expect("another process");
        app.placet.forget_expired().await.expect("housekeeping");
        beside.forget_expired().await.expect("housekeeping");
        jobs_end(&app.placet).await;
        let jobs = |status: &'static str| {
            let db = app.placet.db.clone();
            async move {
                let count: i64 = db.query(
"SELECT COUNT(*) FROM jobs WHERE kind = 'consents.retention' AND status = $1")
                .bind(status).one_value().await
                .expect("a count");
                count
            }
        };
        assert_eq!(shop.tokens().await, ["new"]);
        let done = jobs("done").await;
        // The same day queues nothing new, the next day does.
        beside.forget_expired().await.expect("housekeeping");
        jobs_end(&app.placet).await;
        assert_eq!(jobs("done").await, done);
        beside.close().await;

        app.clock.advance_days(40);
        let mut tx = app.placet.db.begin().await.expect("a transaction");
        tx.query(
            "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, lease_until, \
         created_at) VALUES ($1, 'consents.retention', 'consents.retention', '', 'running', \
         0, 1, 0, 0)",
        )
        .bind(uuid::Uuid::from_u128(1))
        .exec()
        .await
        .expect("a job of a process that died");
        tx.commit().await.expect("a commit");
        app.placet.jobs.wake();
        jobs_end(&app.placet).await;
        assert_eq!(shop.list().await.len(), 0);
    }
);

both!(
    consents_of_a_deleted_project_are_removed_with_it,
    |app| async move {
        let shop = Shop::forever(&app).await;
        let kept = Shop::open(&app, &shop.owner, json!({}), json!(null)).await;
        for shop in [&shop, &kept] {
            // More than one batch.
            for index in 0..210 {
                shop.collect(&app, "cookies", &format!("zoe {index}"), true)
                    .await;
            }
        }
        let rows = async |shop: &Shop| -> (i64, i64) {
            let id = uuid::Uuid::parse_str(&shop.project).expect("an id");
            app.placet
                .db
                .query(
                    "SELECT (SELECT COUNT(*) FROM consents WHERE project_id = $1), \
                 (SELECT COUNT(*) FROM consent_days WHERE project_id = $1)",
                )
                .bind(id)
                .one()
                .await
                .expect("counts")
        };
        let path = format!("/v1/vault/projects/{}", shop.project);
        shop.owner.delete(&path).await.expect(204);
        // The project can be restored for thirty days.
        for (days, left) in [(29, 210), (2, 0)] {
            app.clock.advance_days(days);
            app.placet.forget_expired().await.expect("housekeeping");
            jobs_end(&app.placet).await;
            assert_eq!(rows(&shop).await.0, left);
            assert_eq!(rows(&kept).await.0, 210);
        }
        assert_eq!(rows(&shop).await.1, 0);
        assert!(rows(&kept).await.1 > 0);
    }
);

both!(
    housekeeping_goes_on_when_a_part_of_it_fails,
    |app| async move {
        let queued = async || -> i64 {
            app.placet
                .db
                .query("SELECT COUNT(*) FROM jobs WHERE kind = 'consents.retention'")
                .one_value()
                .await
                .expect("a count")
        };
        until("today's is queued", async || {
            (queued().await == 1).then_some(())
        })
        .await;
        app.clock.advance_days(1);
        let mut tx = app.placet.db.begin().await.expect("a transaction");
        let rename = "ALTER TABLE letters RENAME TO letters_away";
        tx.query(rename).exec().await.expect("another name");
        tx.commit().await.expect("a commit");
        assert!(app.placet.forget_expired().await.is_err());
        assert_eq!(queued().await, 2);
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_erased_is_in_no_file_of_sqlite() {
    let app = TestApp::start(Engine::Sqlite).await;
    let shop = Shop::forever(&app).await;
    let tokens = ["zoe-1", "zoe-2"];
    for index in 0..40 {
        for token in tokens {
            shop.collect(&app, "cookies", token, true).await;
        }
        let other = format!("kim-{index}");
        shop.collect(&app, "processings", &other, true).await;
    }
    let config = app.config();
    let path = config.database_url.trim_start_matches("sqlite:");
    let files = ["", "-wal"].map(|suffix| format!("{path}{suffix}"));
    let holds = |text: &str| {
        files.iter().any(|file| {
            let bytes = std::fs::read(file).unwrap_or_default();
            bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        })
    };
    let of_zoe = ["zoe-1", "zoe-2", "said by zoe", "of zoe", "zoe.example"];
    for text in of_zoe {
        assert!(holds(text), "{text}");
    }
    for token in tokens {
        shop.owner.delete(&shop.erasure(token)).await.expect(200);
    }
    until("nothing of it is left", async || {
        (!of_zoe.into_iter().any(holds)).then_some(())
    })
    .await;
    assert!(holds("kim-7") && holds("said by kim"));
}
