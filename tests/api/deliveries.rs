//! Deliveries to endpoints with faults, and the record of deliveries.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{
    Engine, Receiver, Reply, TestApp, both, both_with_mail, on_both, oracle::token_of, until,
};
use uuid::Uuid;

use crate::webhooks::{newest, path, shop, tried};

both_with_mail!(
    an_endpoint_that_is_dead_for_three_days_is_turned_off,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let proof = token_of(&mail.letter("ada@shop.example", "Confirm").await);
        let proof = json!({"token": proof});
        ada.post("/v1/auth/local/verify", &proof).await.expect(204);
        let shop = shop(&app, &ada).await;
        let endpoint = Receiver::start(Reply::Status(500)).await;
        let hook = shop.hook(&ada, &endpoint.url()).await;
        shop.consent(&app, "visitor").await;
        let schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
        let mut id = String::new();
        for (tries, wait) in schedule.into_iter().enumerate() {
            let call = endpoint.next().await;
            if tries == 0 {
                id = call.header("webhook-id").to_owned();
            }
            assert_eq!(call.header("webhook-id"), id, "the same over all tries");
            let delivery = newest(&ada, &hook, tried(tries + 1)).await;
            assert_eq!(delivery["status"], "waiting");
            assert_eq!(delivery["attempts"][tries]["status"], 500);
            assert_eq!(delivery["attempts"][tries]["answer"], "I say 500");
            let at = |text: &Value| {
                service::clock::Timestamp::parse(text.as_str().unwrap())
                    .unwrap()
                    .millis()
            };
            let attempt = &delivery["attempts"][tries];
            let ended = at(&attempt["at"]) + attempt["latencyMs"].as_i64().unwrap();
            let planned = at(&delivery["nextAttemptAt"]) - ended;
            assert!(
                planned >= wait * 1_000 && planned <= wait * 1_100 + 3_000,
                "try {tries}: {planned} ms"
            );
            app.clock.advance_seconds(wait * 11 / 10 + 1);
        }
        endpoint.next().await;
        let delivery = newest(&ada, &hook, |newest| newest["status"] == "failed").await;
        assert_eq!(delivery["attempts"].as_array().unwrap().len(), 10);
        let off = ada.get(&path(&hook)).await.expect(200).json();
        assert_eq!(
            (&off["active"], &off["inactiveReason"]),
            (&json!(false), &json!("failing"))
        );
        let letter = mail.letter("ada@shop.example", "turned off").await;
        let text = letter["text"].as_str().unwrap();
        assert!(
            text.contains(hook["id"].as_str().unwrap()) && text.contains("for 3 days"),
            "{text}"
        );

        // An endpoint that is off gets no new deliveries. Given up ones can be retried when it is on again.
        shop.consent(&app, "meanwhile").await;
        let retry = format!("{}/deliveries/{id}/retry", path(&hook));
        ada.post(&retry, &json!({}))
            .await
            .problem(409, "webhook_inactive");
        endpoint.answers(Reply::Status(200));
        let on = json!({"method": "POST", "url": endpoint.url(), "event": hook["event"], "active": true});
        let on = ada.put(&path(&hook), &on).await.expect(200).json();
        assert!(on.get("inactiveReason").is_none() && on.get("failingSince").is_none());
        ada.post(&retry, &json!({})).await.expect(202);
        assert_eq!(endpoint.next().await.header("webhook-id"), id);
        let delivery = newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
        assert_eq!(delivery["id"], id, "nothing was added while it was off");
    }
);

both!(
    an_endpoint_asks_for_a_later_retry_or_says_that_it_is_gone,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        let endpoint = Receiver::start(Reply::With(503, "retry-after", "3600".to_owned())).await;
        let hook = shop.hook(&ada, &endpoint.url()).await;
        shop.consent(&app, "visitor").await;
        endpoint.next().await;
        let delivery = newest(&ada, &hook, tried(1)).await;
        let at = |text: &Value| {
            service::clock::Timestamp::parse(text.as_str().unwrap())
                .unwrap()
                .seconds()
        };
        let attempt = &delivery["attempts"][0];
        let took = attempt["latencyMs"].as_i64().unwrap() / 1_000;
        let wait = at(&delivery["nextAttemptAt"]) - at(&attempt["at"]) - took;
        assert!((3_600..=3_970).contains(&wait), "{wait} s");

        endpoint.answers(Reply::Status(410));
        let test = ada
            .post(&format!("{}/test", path(&hook)), &json!({}))
            .await
            .expect(202)
            .json();
        assert_eq!(test["type"], "webhook.test");
        let call = endpoint.next().await;
        assert_eq!(call.json()["type"], "webhook.test");
        newest(&ada, &hook, |newest| newest["status"] == "failed").await;
        let off = ada.get(&path(&hook)).await.expect(200).json();
        assert_eq!(
            (&off["active"], &off["inactiveReason"]),
            (&json!(false), &json!("gone"))
        );
        let failed = ada
            .get(&format!("{}/deliveries?status=failed", path(&hook)))
            .await;
        assert_eq!(
            failed.header("x-total-count"),
            "2",
            "what waited is given up"
        );
    }
);

both!(
    what_the_server_cannot_send_is_no_fault_of_the_endpoint,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        let endpoint = Receiver::start(Reply::Status(200)).await;
        let hook = shop.hook(&ada, &endpoint.url()).await;
        let id: Uuid = hook["id"].as_str().unwrap().parse().unwrap();
        let db = &app.placet.db;
        let read = "SELECT secret FROM webhooks WHERE id = $1";
        let secret: Vec<u8> = db.query(read).bind(id).one_value().await.unwrap();
        let seal = async |secret: &[u8]| {
            let write = "UPDATE webhooks SET secret = $2 WHERE id = $1";
            let write = db.query(write).bind(id).bind(secret.to_vec());
            assert_eq!(write.exec().await.unwrap(), 1);
        };
        // As if it was sealed with the key of another installation.
        seal(&[0; 64]).await;
        shop.consent(&app, "visitor").await;
        let delivery = newest(&ada, &hook, tried(1)).await;
        assert_eq!(delivery["status"], "waiting");
        assert_eq!(delivery["attempts"][0]["error"], "server_fault");
        let told = ada.get(&path(&hook)).await.expect(200).json();
        assert_eq!(told["active"], true);
        assert!(told.get("failingSince").is_none(), "{told}");

        seal(&secret).await;
        app.clock.advance_seconds(10);
        endpoint.next().await;
        let delivered = newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
        assert_eq!(delivered["id"], delivery["id"]);

        // An event of a later version waits for that version.
        db.query(
            "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, by_hand, next_at, created_at) \
             VALUES ($1, $1, 'consent.later', $1, 'waiting', 0, FALSE, 0, 0)",
        )
        .bind(id)
        .exec()
        .await
        .unwrap();
        shop.consent(&app, "another").await;
        endpoint.next().await;
        let read = "SELECT attempts FROM webhook_deliveries WHERE webhook_id = $1 AND id = $1";
        let attempts: i64 = db.query(read).bind(id).one_value().await.unwrap();
        assert_eq!(attempts, 0);
    }
);

both!(a_slow_endpoint_delays_no_other, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let slow = Receiver::start(Reply::Never).await;
    let quick = Receiver::start(Reply::Status(200)).await;
    let slow_hook = shop.hook(&ada, &slow.url()).await;
    for n in 0..20 {
        shop.consent(&app, &format!("visitor {n}")).await;
    }
    slow.next().await;
    // The slow endpoint's places are taken, and its time-out is ten seconds, so twenty calls take at least
    // fifty.
    let quick_hook = shop.hook(&ada, &quick.url()).await;
    let begun = tokio::time::Instant::now();
    for n in 0..20 {
        shop.consent(&app, &format!("another {n}")).await;
        quick.next().await;
    }
    assert!(
        begun.elapsed() < Duration::from_secs(40),
        "{:?}",
        begun.elapsed()
    );
    newest(&ada, &quick_hook, |newest| newest["status"] == "delivered").await;
    let waiting = ada
        .get(&format!("{}/deliveries?status=waiting", path(&slow_hook)))
        .await;
    assert_eq!(waiting.header("x-total-count"), "40");
    // The oldest is called first.
    let list = format!("{}/deliveries?perPage=1&page=40", path(&slow_hook));
    until("a time-out is recorded", async || {
        let list = ada.get(&list).await.expect(200).json();
        list.as_array()
            .unwrap()
            .iter()
            .flat_map(|delivery| delivery["attempts"].as_array().unwrap())
            .any(|attempt| attempt["error"] == "timeout")
            .then_some(())
    })
    .await;
});

/// More hanging endpoints than places, in projects of one account.
async fn endpoints_that_hang_delay_no_others(engine: Engine) {
    // The endpoints hang longer than the test waits.
    let app = TestApp::set_up(engine, None, |config| {
        config.webhooks.timeout = Duration::from_secs(600);
    })
    .await;
    let ada = app.user("ada").await;
    let bob = app.user("bob").await;
    let slow = Receiver::start(Reply::Never).await;
    let quick = Receiver::start(Reply::Status(200)).await;
    for _ in 0..4 {
        let shop = shop(&app, &ada).await;
        for _ in 0..18 {
            shop.hook(&ada, &slow.url()).await;
        }
        for n in 0..4 {
            shop.consent(&app, &format!("visitor {n}")).await;
        }
    }
    for _ in 0..64 {
        slow.next().await;
    }
    let other = shop(&app, &bob).await;
    let hook = other.hook(&bob, &quick.url()).await;
    for n in 0..3 {
        other.consent(&app, &format!("another {n}")).await;
        quick.next().await;
    }
    newest(&bob, &hook, |newest| newest["status"] == "delivered").await;
    assert!(slow.unseen().await.is_none(), "a quarter of all places");
}

on_both!(endpoints_that_hang_delay_no_others);

both_with_mail!(
    owners_through_an_organization_learn_of_a_webhook_turned_off,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let (bob, carol) = (app.user("bob").await, app.user("carol").await);
        for (user, client) in [("bob", &bob), ("carol", &carol)] {
            let letter = mail
                .letter(&format!("{user}@shop.example"), "Confirm")
                .await;
            let proof = json!({"token": token_of(&letter)});
            client
                .post("/v1/auth/local/verify", &proof)
                .await
                .expect(204);
        }
        let organization = ada
            .post("/v1/organizations", &json!({"name": "Shop Ltd"}))
            .await
            .expect(201)
            .json();
        let organization = organization["id"].as_str().unwrap();
        let members = format!("/v1/organizations/{organization}/users");
        let body = json!({"userId": bob.user_id, "role": "owner"});
        ada.post(&members, &body).await.expect(201);
        let project = json!({"websiteURL": "https://shop.example", "title": "Shop",
            "organizationId": organization});
        let project = ada.create("projects", &project).await;
        let endpoint = Receiver::start(Reply::Status(410)).await;
        let hook = json!({"method": "POST", "url": endpoint.url(),
            "event": format!("consent/{project}")});
        let hook = ada.post("/v1/webhooks", &hook).await.expect(201).json();
        ada.post(&format!("{}/test", path(&hook)), &json!({}))
            .await
            .expect(202);
        let letter = mail.letter("bob@shop.example", "turned off").await;
        let text = letter["text"].as_str().unwrap();
        assert!(
            text.contains("410")
                && text.contains("your project Shop was")
                && !text.contains(&endpoint.url()),
            "{text}"
        );

        // Turned on and called again and again it fills no mailbox.
        for _ in 0..24 {
            let mut on = hook.clone();
            on["active"] = json!(true);
            ada.put(&path(&hook), &on).await.expect(200);
            ada.post(&format!("{}/test", path(&hook)), &json!({}))
                .await
                .expect(202);
            until("it is turned off", async || {
                let found = ada.get(&path(&hook)).await.expect(200).json();
                (found["active"] == false).then_some(())
            })
            .await;
        }
        let letters = app.placet.mail.outcome("bob@shop.example").await.unwrap();
        let news = letters.iter().filter(|letter| letter.kind == "plain");
        assert_eq!(news.count(), 20);
    }
);

both!(
    an_endless_answer_is_read_to_its_cap_only,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        let endpoint = Receiver::start(Reply::Gigabyte).await;
        let hook = shop.hook(&ada, &endpoint.url()).await;
        ada.post(&format!("{}/test", path(&hook)), &json!({}))
            .await
            .expect(202);
        let delivery = newest(&ada, &hook, tried(1)).await;
        assert_eq!(delivery["status"], "delivered");
        assert_eq!(
            delivery["attempts"][0]["answer"].as_str().unwrap().len(),
            2_048
        );
        assert!(
            endpoint.sent() < 64 * 1024 * 1024,
            "{} bytes were taken",
            endpoint.sent()
        );
    }
);

both!(old_deliveries_are_deleted, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let endpoint = Receiver::start(Reply::Status(200)).await;
    let hook = shop.hook(&ada, &endpoint.url()).await;
    ada.post(&format!("{}/test", path(&hook)), &json!({}))
        .await
        .expect(202);
    newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
    app.clock.advance_days(6);
    let list = format!("{}/deliveries", path(&hook));
    app.placet.forget_expired().await.unwrap();
    assert_eq!(ada.get(&list).await.header("x-total-count"), "1");
    app.clock.advance_days(2);
    app.placet.forget_expired().await.unwrap();
    assert_eq!(ada.get(&list).await.header("x-total-count"), "0");
});

both!(
    a_delivery_that_nobody_holds_ends_with_its_webhook,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        let endpoint = Receiver::start(Reply::Status(200)).await;
        let hook = shop.hook(&ada, &endpoint.url()).await;
        shop.consent(&app, "visitor").await;
        newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
        // As if a process held it, which then died.
        let held = app.placet.db.query(
            "UPDATE webhook_deliveries SET status = 'waiting', finished_at = NULL, \
             claimed_by = webhook_id",
        );
        held.exec().await.unwrap();
        let off = json!({"active": false});
        ada.put(&path(&hook), &off).await.expect(200);
        app.clock.advance_days(1);
        app.placet.forget_expired().await.unwrap();
        let list = format!("{}/deliveries", path(&hook));
        let delivery = ada.get(&list).await.expect(200).json()[0].clone();
        assert_eq!(delivery["status"], "failed", "{delivery}");
        assert!(delivery.get("nextAttemptAt").is_none(), "{delivery}");
    }
);

both!(deliveries_are_listed_after_a_cursor, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let endpoint = Receiver::start(Reply::Status(204)).await;
    let hook = shop.hook(&ada, &endpoint.url()).await;
    for index in 0..6 {
        if index == 3 {
            newest(&ada, &hook, |newest| newest["status"] == "delivered").await;
            endpoint.answers(Reply::Status(500));
        }
        let test = format!("{}/test", path(&hook));
        ada.post(&test, &json!({})).await.expect(202);
        // One after the other, so that each result is known.
        newest(&ada, &hook, |newest| newest["status"] != "waiting").await;
    }
    let ids = |list: &Value| -> Vec<String> {
        let deliveries = list.as_array().expect("a list");
        let id = |delivery: &Value| delivery["id"].as_str().expect("an id").to_owned();
        deliveries.iter().map(id).collect()
    };
    let list = format!("{}/deliveries", path(&hook));
    let all = ids(&ada.get(&list).await.expect(200).json());
    assert_eq!(all.len(), 6);
    let after = format!("{list}?perPage=2&after={}", all[0]);
    let part = ada.get(&after).await.expect(200);
    assert_eq!(part.json()[0]["attempts"][0]["status"], 500);
    assert_eq!(part.header("x-per-page"), "2");
    assert_eq!(part.header("x-total-count"), "", "nothing is counted");
    assert_eq!(ada.follow(&after, ids).await, all[1..]);
    let delivered = format!("{after}&status=delivered");
    assert_eq!(ada.follow(&delivered, ids).await, all[3..]);
    // An id contains its time, so a cursor whose delivery was deleted still works.
    let forgotten = format!("{list}?after=ffffffff-ffff-7fff-bfff-ffffffffffff");
    let everything = ada.get(&forgotten).await.expect(200).json();
    assert_eq!(ids(&everything), all);
    for wrong in ["after=x", "after=1&status=failed"] {
        let answer = ada.get(&format!("{list}?{wrong}")).await;
        answer.problem(400, "bad_request");
    }
    let answer = ada.get(&format!("{after}&status=lost")).await;
    answer.problem(400, "bad_request");
    let bob = app.user("bob").await;
    bob.get(&after).await.problem(404, "not_found");
});

/// An endpoint is turned off, or removed, during a call.
async fn an_endpoint_goes_during_a_call(engine: Engine) {
    let app = TestApp::set_up(engine, None, |config| {
        config.webhooks.timeout = Duration::from_secs(3);
    })
    .await;
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let endpoint = Receiver::start(Reply::Never).await;
    let hook = shop.hook(&ada, &endpoint.url()).await;
    shop.consent(&app, "visitor").await;
    endpoint.next().await;
    let off =
        json!({"method": "POST", "url": endpoint.url(), "event": hook["event"], "active": false});
    ada.put(&path(&hook), &off).await.expect(200);
    let delivery = newest(&ada, &hook, tried(1)).await;
    assert_eq!(delivery["attempts"][0]["error"], "timeout");
    assert_eq!(delivery["status"], "failed", "{delivery}");

    let hook = shop.hook(&ada, &endpoint.url()).await;
    let attempts = async || -> i64 {
        let id = hook["id"]
            .as_str()
            .and_then(|id| uuid::Uuid::parse_str(id).ok());
        app.placet
            .db
            .query("SELECT COUNT(*) FROM webhook_attempts WHERE webhook_id = $1")
            .bind(id.expect("an id"))
            .one_value()
            .await
            .expect("a count")
    };
    shop.consent(&app, "another").await;
    endpoint.next().await;
    ada.delete(&path(&hook)).await.expect(204);
    until("the call has ended", async || {
        (attempts().await == 1).then_some(())
    })
    .await;
    app.placet.forget_expired().await.expect("housekeeping");
    assert_eq!(attempts().await, 0);
}

on_both!(an_endpoint_goes_during_a_call);
