//! Concerns of projects, the letters about them, and the weekly digest.

use serde_json::{Value, json};
use service::{Actor, Error, clock::Clock};
use tests::{Client, Receiver, Reply, TestApp, both, both_with_mail, oracle::MailServer};
use uuid::Uuid;

use crate::audit::member;
use crate::publish::shop;
use crate::recovery::{jobs_end, me, sent};
use crate::shop::{Shop, choice};

/// The concerns of a project, by kind.
async fn concerns(reader: &Client, project: &str) -> Vec<Value> {
    let list = reader.get(&format!("/v1/concerns/{project}")).await;
    let list = list.expect(200).json();
    let kinds = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].clone());
    kinds.collect()
}

/// An hour and its housekeeping.
async fn hour(app: &TestApp) {
    app.clock.advance_seconds(3_600);
    app.placet.forget_expired().await.expect("housekeeping");
    jobs_end(app).await;
}

async fn plain_letters(app: &TestApp, email: &str) -> usize {
    jobs_end(app).await;
    sent(app, email, "plain").await
}

both_with_mail!(a_silent_project_is_told_of_once, |app, mail| async move {
    let shop = Shop::open(&app, "ada").await;
    app.verify(&shop.owner).await;
    // Days are those of UTC: an hour later it must still be the same one.
    app.clock.advance_to_window(86_400);
    for day in 0..7 {
        for visitor in 0..8 {
            let token = format!("{day}-{visitor}");
            shop.collect(&app, &choice(&token, true, true))
                .await
                .expect(201);
        }
        app.clock.advance_days(1);
    }
    hour(&app).await;
    assert_eq!(
        concerns(&shop.owner, &shop.project).await,
        Vec::<Value>::new()
    );

    app.clock.advance_days(1);
    hour(&app).await;
    assert_eq!(
        concerns(&shop.owner, &shop.project).await,
        [json!("no_consents")]
    );
    let letter = mail.letter("ada@shop.example", "No consents").await;
    let text = letter["text"].as_str().unwrap();
    assert!(
        text.contains(&format!("/projects/{}/install", shop.project)),
        "{text}"
    );
    hour(&app).await;
    assert_eq!(plain_letters(&app, "ada@shop.example").await, 1);

    // One consent ends it, and the next silence is another.
    shop.collect(&app, &choice("back", true, true))
        .await
        .expect(201);
    hour(&app).await;
    assert_eq!(
        concerns(&shop.owner, &shop.project).await,
        Vec::<Value>::new()
    );
    for day in 0..7 {
        app.clock.advance_days(1);
        for visitor in 0..8 {
            let token = format!("again-{day}-{visitor}");
            let choice = choice(&token, true, true);
            shop.collect(&app, &choice).await.expect(201);
        }
    }
    app.clock.advance_days(2);
    hour(&app).await;
    mail.letter("ada@shop.example", "No consents").await;
    assert_eq!(plain_letters(&app, "ada@shop.example").await, 2);
});

both_with_mail!(
    a_site_without_its_snippet_is_told_of_after_two_looks,
    |app, mail| async move {
        let shop = Shop::open(&app, "ada").await;
        app.verify(&shop.owner).await;
        let snippet = format!(
            "<script src=https://consent.example/cdn/{}/en.js>",
            shop.project
        );
        let site = Receiver::start(Reply::Page(snippet.clone())).await;
        let path = format!("/v1/vault/projects/{}", shop.project);
        let address = json!({"websiteURL": site.url()});
        shop.owner.patch(&path, &address).await.expect(200);

        // A site that never had it is not looked at.
        app.clock.advance_days(1);
        hour(&app).await;
        assert!(site.unseen().await.is_none());
        let (actor, project) = (
            Actor::User(Uuid::parse_str(&shop.owner.user_id).unwrap()),
            Uuid::parse_str(&shop.project).unwrap(),
        );
        assert!(
            app.placet
                .publish
                .snippet_found(actor, project)
                .await
                .unwrap()
        );

        let gone = vec![json!("snippet_gone")];
        let none = Vec::<Value>::new();
        let looks = [
            (Reply::Page("<p>Under construction</p>".to_owned()), &none),
            // A site that is down says nothing of its snippet.
            (Reply::Status(503), &none),
            (Reply::Page("<p>A new site</p>".to_owned()), &gone),
            (Reply::Page(snippet), &none),
        ];
        for (reply, expected) in looks {
            site.answers(reply);
            app.clock.advance_days(1);
            // Looks at sites and at projects do not wait for each other.
            hour(&app).await;
            hour(&app).await;
            assert_eq!(concerns(&shop.owner, &shop.project).await, *expected);
        }
        mail.letter("ada@shop.example", "snippet is missing").await;
        assert_eq!(plain_letters(&app, "ada@shop.example").await, 1);

        // Another site is another matter.
        let other = Receiver::start(Reply::Page("<p>Moved</p>".to_owned())).await;
        let address = json!({"websiteURL": other.url()});
        shop.owner.patch(&path, &address).await.expect(200);
        for _ in 0..3 {
            app.clock.advance_days(1);
            hour(&app).await;
        }
        assert!(other.unseen().await.is_none());
        assert_eq!(concerns(&shop.owner, &shop.project).await, none);
    }
);

both_with_mail!(
    those_who_may_approve_are_told_that_a_publish_waits,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        let vic = member(&app, &ada, &project, "vic", "viewer").await;
        let una = member(&app, &ada, &project, "una", "editor").await;
        for person in [&ada, &eve, &vic] {
            app.verify(person).await;
        }
        let path = format!("/v1/vault/projects/{project}");
        ada.patch(&path, &json!({"approval": true}))
            .await
            .expect(200);
        let jobs = format!("/v1/publish/jobs/{project}");
        let ask = async || {
            let job = eve.post(&jobs, &json!({})).await.expect(202).json();
            eve.ended(&job).await
        };

        let mut job = ask().await;
        assert_eq!(concerns(&vic, &project).await, [json!("publish_waits")]);
        mail.letter("ada@shop.example", "waits for your approval")
            .await;
        // Asked again and again it is one letter within the hour.
        for _ in 0..2 {
            let cancel = format!("{jobs}/{}/cancel", job["_id"].as_str().unwrap());
            eve.post(&cancel, &json!({})).await.expect(200);
            job = ask().await;
        }
        assert_eq!(plain_letters(&app, "ada@shop.example").await, 1);
        // The next one, by somebody else, is told within the hour.
        let cancel = format!("{jobs}/{}/cancel", job["_id"].as_str().unwrap());
        eve.post(&cancel, &json!({})).await.expect(200);
        app.clock.advance_seconds(1);
        let next = una.post(&jobs, &json!({})).await.expect(202).json();
        una.ended(&next).await;
        assert_eq!(plain_letters(&app, "eve@shop.example").await, 0);
        hour(&app).await;
        mail.letter("eve@shop.example", "waits for your approval")
            .await;
        mail.letter("ada@shop.example", "waits for your approval")
            .await;
        assert_eq!(plain_letters(&app, "ada@shop.example").await, 2);
        // Nobody tells those who cannot approve, nor an address that nobody has proved.
        for person in ["vic", "una"] {
            let email = format!("{person}@shop.example");
            assert_eq!(plain_letters(&app, &email).await, 0, "{person}");
        }
    }
);

both_with_mail!(
    a_publish_that_fails_at_its_time_is_told_of,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        app.verify(&ada).await;
        let jobs = format!("/v1/publish/jobs/{project}");
        // Refused before the eyes of the person who publishes it.
        let broken = json!({"projectId": project, "name": "empty", "language": "en", "steps": []});
        let broken = ada.create("cookies", &broken).await;
        let job = ada.post(&jobs, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&job).await["status"], "error");
        hour(&app).await;
        assert_eq!(concerns(&ada, &project).await, Vec::<Value>::new());

        ada.delete(&format!("/v1/vault/cookies/{broken}"))
            .await
            .expect(204);

        let at = json!({"at": app.clock.now().plus_seconds(600)});
        ada.post(&jobs, &at).await.expect(202);
        jobs_end(&app).await;
        let document = format!("/v1/vault/projects/{project}");
        ada.delete(&document).await.expect(204);
        app.clock.advance_seconds(600);
        app.placet.publish.go_on_in_time().await.unwrap();
        jobs_end(&app).await;
        let restore = format!("{document}/restore");
        ada.post(&restore, &json!({})).await.expect(200);
        hour(&app).await;
        assert_eq!(concerns(&ada, &project).await, [json!("publish_failed")]);
        mail.letter("ada@shop.example", "A publish failed").await;
        let job = ada.post(&jobs, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&job).await["status"], "complete");
        assert_eq!(concerns(&ada, &project).await, Vec::<Value>::new());
    }
);

both_with_mail!(
    an_account_chooses_its_letters_and_gets_one_digest_a_week,
    |app, mail| async move {
        let shop = Shop::open(&app, "ada").await;
        let ada = &shop.owner;
        app.verify(ada).await;
        // Digests are written from six o'clock on.
        app.clock.advance_to_window(86_400);
        app.clock.advance_seconds(6 * 3_600);
        let account = me(ada).await;
        assert_eq!(
            (&account["concernLetters"], &account["digestLetters"]),
            (&json!(true), &json!(false))
        );
        let wish = json!({"displayName": "Ada", "concernLetters": false, "digestLetters": true});
        let account = ada.put("/v1/auth/me", &wish).await.expect(200).json();
        assert_eq!(
            (&account["concernLetters"], &account["digestLetters"]),
            (&json!(false), &json!(true))
        );
        // A choice that is not named stays.
        ada.put("/v1/auth/me", &json!({"displayName": "Ada"}))
            .await
            .expect(200);
        assert_eq!(me(ada).await["digestLetters"], true);

        let to_monday = |app: &TestApp| {
            // 1970-01-01 was a Thursday.
            let ahead = 7 - (app.clock.now().day() + 3).rem_euclid(7);
            app.clock.advance_days(ahead);
        };
        to_monday(&app);
        hour(&app).await;
        for (token, accepts) in [("a", true), ("b", true), ("c", false)] {
            shop.collect(&app, &choice(token, accepts, accepts))
                .await
                .expect(201);
        }
        to_monday(&app);
        for _ in 0..8 {
            hour(&app).await;
        }
        let digests = async |mail: &MailServer| mail.letter("ada@shop.example", "last week").await;
        digests(&mail).await;
        let second = digests(&mail).await;
        let text = second["text"].as_str().unwrap();
        assert!(
            text.contains(
                "Shop\n  3 consents; 66 % of those who answered accepted all (the week before: 0)"
            ),
            "{text}"
        );
        assert_eq!(plain_letters(&app, "ada@shop.example").await, 2);
    }
);

both_with_mail!(
    a_digest_tells_first_of_the_projects_of_its_reader,
    |app, mail| async move {
        let shop = Shop::open(&app, "ada").await;
        let (ada, eve) = (&shop.owner, app.user("eve").await);
        app.verify(ada).await;
        let wish = json!({"displayName": "Ada", "digestLetters": true});
        ada.put("/v1/auth/me", &wish).await.expect(200);
        // As many as one letter tells of, and before hers in the alphabet.
        for number in 0..50 {
            let site = json!({"websiteURL": "https://a.example", "title": format!("A {number}")});
            let members = format!(
                "/v1/vault/projects/{}/users",
                eve.create("projects", &site).await
            );
            let body = json!({"userId": ada.user_id, "role": "viewer"});
            eve.post(&members, &body).await.expect(201);
        }
        app.clock.advance_days(7);
        for _ in 0..8 {
            hour(&app).await;
        }
        let letter = mail.letter("ada@shop.example", "last week").await;
        let text = letter["text"].as_str().unwrap();
        let told: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("/projects/"))
            .collect();
        assert_eq!(told.len(), 50, "{text}");
        assert!(told[0].contains(&shop.project), "{text}");
        assert!(text.contains("1 more project"), "{text}");
    }
);

both_with_mail!(
    a_mailbox_is_not_filled_with_concerns_of_many_projects,
    |app, _mail| async move {
        let eve = app.user("eve").await;
        let ada = app.user("ada").await;
        app.verify(&ada).await;
        for _ in 0..24 {
            let (project, _) = shop(&eve, "en").await;
            let members = format!("/v1/vault/projects/{project}/users");
            let body = json!({"userId": ada.user_id, "role": "editor"});
            eve.post(&members, &body).await.expect(201);
            let path = format!("/v1/vault/projects/{project}");
            eve.patch(&path, &json!({"approval": true}))
                .await
                .expect(200);
            let jobs = format!("/v1/publish/jobs/{project}");
            eve.post(&jobs, &json!({})).await.expect(202);
        }
        jobs_end(&app).await;
        // Strangers can ask for letters with links, so these keep no news away.
        let letters = app.placet.mail.outcome("ada@shop.example").await.unwrap();
        let news = letters.iter().filter(|letter| letter.kind == "plain");
        // Those of one moment may pass the bound.
        assert!((20..24).contains(&news.count()));
    }
);

both!(
    people_have_their_sites_looked_at_so_often_an_hour,
    |app| async move {
        let (ada, bob) = (Shop::open(&app, "ada").await, Shop::open(&app, "bob").await);
        let site = Receiver::start(Reply::Page("<p>Nothing</p>".to_owned())).await;
        let look = async |shop: &Shop| {
            let actor = Actor::User(Uuid::parse_str(&shop.owner.user_id).unwrap());
            let project = Uuid::parse_str(&shop.project).unwrap();
            app.placet.publish.snippet_found(actor, project).await
        };
        for shop in [&ada, &bob] {
            let path = format!("/v1/vault/projects/{}", shop.project);
            let address = json!({"websiteURL": site.url()});
            shop.owner.patch(&path, &address).await.expect(200);
        }
        for _ in 0..60 {
            assert!(!look(&ada).await.unwrap());
        }
        let refused = look(&ada).await.unwrap_err();
        assert!(matches!(refused, Error::TooMany { .. }), "{refused}");
        assert!(!look(&bob).await.unwrap());
        app.clock.advance_seconds(3_600);
        assert!(!look(&ada).await.unwrap());
    }
);

both_with_mail!(
    owners_are_told_that_somebody_else_sends_consents_elsewhere,
    |app, mail| async move {
        let shop = Shop::open(&app, "ada").await;
        app.verify(&shop.owner).await;
        let editor = member(&app, &shop.owner, &shop.project, "bob", "editor").await;
        let told = async || plain_letters(&app, "ada@shop.example").await;
        let hook = |host: &str, topic: &str| {
            json!({"method": "POST", "url": format!("https://{host}.example/"),
                "event": format!("{topic}/{}", shop.project)})
        };
        let make = async |who: &Client, hook: Value| {
            let made = who.post("/v1/webhooks", &hook).await.expect(201).json();
            format!("/v1/webhooks/{}", made["id"].as_str().unwrap())
        };
        make(&editor, hook("builds", "publish")).await;
        make(&shop.owner, hook("own", "consent")).await;
        assert_eq!(told().await, 0);
        let made = make(&editor, hook("crm", "consent")).await;
        let letter = mail.letter("ada@shop.example", "Consents go").await;
        let text = letter["text"].as_str().unwrap();
        let page = format!("/projects/{}/webhooks", shop.project);
        assert!(text.contains(&page) && !text.contains("crm"), "{text}");
        for (change, letters) in [
            (json!({"method": "PUT"}), 1),
            (hook("elsewhere", "consent"), 2),
            (json!({"active": false}), 2),
            (json!({"active": true}), 3),
        ] {
            editor.put(&made, &change).await.expect(200);
            assert_eq!(told().await, letters, "{change}");
        }
    }
);
