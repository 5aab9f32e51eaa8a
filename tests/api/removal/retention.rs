//! Removal of consents at the end of their retention, and with their project.

use serde_json::{Value, json};
use service::Placet;
use tests::{Client, TestApp, both, until};

use super::Shop;
use crate::shop;

/// Signs in with an API key, because access tokens do not last for months.
async fn lasting(app: &TestApp, owner: &Client) -> Client {
    let key = json!({"name": "Read", "scopes": ["read", "write", "consents"]});
    let key = owner.post("/v1/auth/keys", &key).await.expect(201).json();
    let mut program = app.nobody();
    program.token = key["secret"].as_str().map(str::to_owned);
    program
}

/// Waits until all queued jobs have ended.
async fn jobs_end(placet: &Placet) {
    until("the jobs end", async || {
        (placet.jobs.unfinished().await.expect("a count") == 0).then_some(())
    })
    .await;
}

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
