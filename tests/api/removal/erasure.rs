//! Erasure of the consents of a token.

use reqwest::Method;
use serde_json::json;
use service::db::Db;
use sqlx::AssertSqlSafe;
use tests::{Engine, Receiver, Reply, TestApp, both, until};

use super::Shop;
use crate::shop::PUBLICATION;

/// The columns of consents that a tombstone keeps.
const KEPT: [&str; 17] = [
    "project_id",
    "seq",
    "consent_id",
    "collection",
    "identifier",
    "accept",
    "outcome",
    "publication",
    "received_at",
    "decided_at",
    "imported",
    "token_signed",
    "erased_at",
    // A tombstone has a new salt. It opens the entry of the erasure alone.
    "salt",
    // Its new content is zeros.
    "body_hash",
    "batch",
    "erasure_batch",
];

/// The other columns that hold something in a tombstone.
async fn left(app: &TestApp) -> Vec<String> {
    let db = &app.placet.db;
    let columns = match db {
        Db::Sqlite { .. } => "SELECT name FROM pragma_table_info('consents')",
        Db::Postgres(_) => {
            "SELECT column_name::TEXT FROM information_schema.columns \
             WHERE table_schema = CURRENT_SCHEMA() AND table_name = 'consents'"
        }
    };
    let columns: Vec<String> = db.query(columns).all_values().await.expect("columns");
    assert!(
        KEPT.iter()
            .all(|kept| columns.iter().any(|one| one == kept))
    );
    let mut left = Vec::new();
    for column in columns.iter().filter(|one| !KEPT.contains(&one.as_str())) {
        let sql = format!(
            "SELECT COUNT(*) FROM consents WHERE erased_at IS NOT NULL \
             AND COALESCE(CAST({column} AS TEXT), '') NOT IN ('', '{{}}')"
        );
        let holding = db.query(AssertSqlSafe(sql)).count().await.expect("a count");
        if holding > 0 {
            left.push(column.clone());
        }
    }
    left
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

/// Has the consents of a shop delivered. Returns the path of the list of deliveries.
async fn deliveries_to(receiver: &Receiver, shop: &Shop) -> String {
    let event = format!("consent/{}", shop.project);
    let hook = json!({"method": "POST", "url": receiver.url(), "event": event});
    let made = shop.owner.post("/v1/webhooks", &hook).await.expect(201);
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    format!("/v1/webhooks/{id}/deliveries")
}

both!(
    an_erased_token_leaves_tombstones_and_nothing_else,
    |app| async move {
        let shop = Shop::forever(&app).await;
        let receiver = Receiver::start(Reply::Status(200)).await;
        let deliveries = deliveries_to(&receiver, &shop).await;
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
        assert_eq!(left(&app).await, Vec::<String>::new());
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
        "value": "said by zoe", "preferences": {"vendors": {"ads": true}, "tcString": "of zoe", "config": {"language": "en"}}});
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
        let deliveries = deliveries_to(&receiver, &shop).await;
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
