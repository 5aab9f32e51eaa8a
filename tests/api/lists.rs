//! Lists in the order of time: each turns with `sort`, narrows with `q`, counts what is left, and goes on behind a cursor.
//! One test for all of them, so that none is left out.

use serde_json::{Value, json};
use tests::{Client, both, both_with_mail};

use super::organizations::organization;
use super::publish::shop;

/// A list, and the words that find one or no entry of it.
struct List {
    path: String,
    /// The field by which it is sorted.
    time: &'static str,
    /// Finds the oldest entry alone.
    oldest: String,
    /// True if it goes on behind an id.
    has_cursor: bool,
}

async fn read(client: &Client, list: &List, query: &str) -> (Vec<String>, String) {
    let mark = if list.path.contains('?') { '&' } else { '?' };
    let answer = client.get(&format!("{}{mark}{query}", list.path)).await;
    let answer = answer.expect(200);
    let total = if query.contains("after=") {
        String::new()
    } else {
        answer.header("x-total-count").to_owned()
    };
    // States of deliveries change meanwhile.
    let id = |one: &Value| {
        let keys = ["publication", "_id", "id"];
        let id = keys.into_iter().find_map(|key| one[key].as_str());
        id.unwrap().to_owned()
    };
    (
        answer.json().as_array().unwrap().iter().map(id).collect(),
        total,
    )
}

both_with_mail!(
    every_list_by_time_is_turned_searched_and_continued,
    |app, _mail| async move {
        let ada = app.user("ada").await;
        app.verify(&ada).await;
        let (project, id) = shop(&ada, "en").await;
        for number in 0..3 {
            let note = json!({"reason": format!("Note {number}: 100%")});
            let path = format!("/v1/publish/jobs/{project}");
            let started = ada.post(&path, &note).await.expect(202).json();
            ada.ended(&started).await;
            app.clock.advance_seconds(3_601);
            let change = json!({"title": format!("Banner {number}")});
            let path = format!("/v1/vault/cookies/{id}");
            ada.patch(&path, &change).await.expect(200);
        }
        let mut hooks = Vec::new();
        for name in ["first", "second", "third"] {
            let hook = json!({
                "method": "POST", "url": format!("http://{name}.invalid/hook"), "event": format!("publish/{project}"),
            });
            hooks.push(ada.post("/v1/webhooks", &hook).await.expect(201).json());
        }
        let hook = hooks[0]["id"].as_str().unwrap();
        let deliveries = format!("/v1/webhooks/{hook}/deliveries");
        let mut tests = Vec::new();
        for _ in 0..3 {
            let path = format!("/v1/webhooks/{hook}/test");
            tests.push(ada.post(&path, &json!({})).await.expect(202).json());
            // As if its call had failed: one at a time waits.
            let ended = "UPDATE webhook_deliveries SET status = 'failed', finished_at = created_at";
            app.placet.db.query(ended).exec().await.unwrap();
        }
        let owners = organization(&ada, "Shop Ltd").await;
        for name in ["first", "second", "third"] {
            let email = format!("{name}@shop.example");
            let invitation = json!({"organizationId": owners, "email": email, "role": "editor"});
            let path = "/v1/auth/invitations";
            ada.post(path, &invitation).await.expect(201);
            app.clock.advance_seconds(1);
        }
        let publications = format!("/v1/publish/publications/{project}");
        let listed = ada.get(&publications).await.expect(200).json();
        let hash = listed[2]["publication"].as_str().unwrap();
        let lists = [
            List {
                path: format!("/v1/publish/jobs/{project}"),
                time: "started",
                oldest: "100%25%20NOTE%200:".to_owned(),
                has_cursor: true,
            },
            List {
                path: publications,
                time: "publishedAt",
                oldest: hash[..12].to_uppercase(),
                has_cursor: false,
            },
            List {
                path: format!("/v1/webhooks?projectId={project}"),
                time: "createdAt",
                oldest: "FIRST".to_owned(),
                has_cursor: false,
            },
            List {
                path: deliveries,
                time: "createdAt",
                oldest: tests[0]["id"].as_str().unwrap().to_owned(),
                has_cursor: true,
            },
            List {
                path: format!("/v1/audit/{project}?action=webhook_made"),
                time: "at",
                oldest: "ADA@%20first.".to_owned(),
                has_cursor: false,
            },
            List {
                path: "/v1/auth/invitations".to_owned(),
                time: "createdAt",
                oldest: "SHOP.%20first@".to_owned(),
                has_cursor: false,
            },
        ];
        for list in &lists {
            let path = &list.path;
            let (newest, total) = read(&ada, list, "perPage=50").await;
            assert_eq!((newest.len(), total.as_str()), (3, "3"), "{path}");
            let (named, _) = read(&ada, list, &format!("sort=-{}", list.time)).await;
            assert_eq!(named, newest, "{path}");
            let (mut oldest, _) = read(&ada, list, &format!("sort={}", list.time)).await;
            let first = oldest[0].clone();
            oldest.reverse();
            assert_eq!(oldest, newest, "{path}");
            let query = format!("q={}&sort={}&perPage=1", list.oldest, list.time);
            assert_eq!(
                read(&ada, list, &query).await,
                (vec![first], "1".to_owned()),
                "{path}"
            );
            let none = read(&ada, list, "q=nobody_wrote%25this").await;
            assert_eq!(none, (vec![], "0".to_owned()), "{path}");
            let mark = if path.contains('?') { '&' } else { '?' };
            for query in ["sort=title".to_owned(), format!("q={}", "x".repeat(201))] {
                ada.get(&format!("{path}{mark}{query}"))
                    .await
                    .problem(400, "bad_request");
            }
            if list.has_cursor {
                let query = format!("sort={}&after={}&perPage=1", list.time, newest[2]);
                let next = read(&ada, list, &query).await.0;
                assert_eq!(next, [newest[1].clone()], "{path}");
            }
        }
    }
);

both!(
    organizations_invitations_and_the_trash_are_searched,
    |app| async move {
        let ada = app.user("ada").await;
        for name in ["Shop Ltd", "Bakery 100%", "Bakery 100 km"] {
            organization(&ada, name).await;
        }
        let found = ada
            .get("/v1/organizations?q=100%25%20bakery")
            .await
            .expect(200);
        assert_eq!(found.header("x-total-count"), "1");
        assert_eq!(found.json()[0]["name"], "Bakery 100%");
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = ada.create("projects", &document).await;
        for title in ["First banner", "Second banner"] {
            let document = json!({"projectId": project, "title": title});
            let id = ada.create("cookies", &document).await;
            let path = format!("/v1/vault/cookies/{id}");
            ada.delete(&path).await.expect(204);
            app.clock.advance_seconds(1);
        }
        let trash = async |asked: service::db::page::Asked| {
            let user = ada.user_id.parse().unwrap();
            let actor = service::access::Actor::User(user);
            let of = Some(project.parse().unwrap());
            let found = app.placet.vault.trash(actor, of, &asked).await.unwrap();
            let titles = found.items.into_iter().map(|one| one.title);
            (titles.collect::<Vec<_>>(), found.total)
        };
        let asked = |text: &str, oldest_first: bool| service::db::page::Asked {
            text: text.to_owned(),
            oldest_first,
            ..Default::default()
        };
        let both = ["First banner", "Second banner"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(trash(asked("BANNER", true)).await, (both.clone(), 2));
        let turned = both.into_iter().rev().collect();
        assert_eq!(trash(asked("", false)).await, (turned, 2));
        let first = vec!["First banner".to_owned()];
        assert_eq!(trash(asked("banner first", false)).await, (first, 1));
    }
);
