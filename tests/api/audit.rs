//! The audit log: who did what in a project. `roles.rs` goes through all operations and checks that each leaves an
//! entry; here is what an entry tells, and who may read it.

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, TestApp, both};

use crate::shop::{Shop, choice};

pub(crate) async fn log(reader: &Client, project: &str, query: &str) -> Vec<Value> {
    let list = reader.get(&format!("/v1/audit/{project}{query}")).await;
    list.expect(200).json().as_array().unwrap().clone()
}

/// Actions with the title and the details of their entries, oldest first.
fn told(entries: &[Value]) -> Vec<(String, String, Vec<String>)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let told = entries.iter().map(|entry| {
        let details = entry["details"].as_array().unwrap();
        (
            word(&entry["action"]),
            word(&entry["title"]),
            details.iter().map(word).collect(),
        )
    });
    let mut told: Vec<_> = told.collect();
    told.reverse();
    told
}

pub(crate) async fn member(
    app: &TestApp,
    owner: &Client,
    project: &str,
    name: &str,
    role: &str,
) -> Client {
    let user = app.user(name).await;
    let body = json!({"userId": user.user_id, "role": role});
    let path = format!("/v1/vault/projects/{project}/users");
    owner.post(&path, &body).await.expect(201);
    user
}

both!(
    an_entry_tells_who_did_what_to_which_thing,
    |app| async move {
        let ada = app.user("ada").await;
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = ada.create("projects", &document).await;
        let document = json!({"projectId": project, "title": "Banner"});
        let banner = ada.create("cookies", &document).await;
        let path = format!("/v1/vault/cookies/{banner}");
        ada.patch(&path, &json!({"title": "Cookies"}))
            .await
            .expect(200);
        let colors = json!({"settings": {"scheme": "dark"}});
        ada.patch(&path, &colors).await.expect(200);
        let eve = member(&app, &ada, &project, "eve", "dpo").await;
        let members = format!("/v1/vault/projects/{project}/users");
        ada.delete(&path).await.expect(204);
        ada.post(&format!("{path}/restore"), &json!({}))
            .await
            .expect(200);
        let address = |client: &Client| {
            let path = "/v1/auth/me".to_owned();
            let me = client.request(Method::GET, &path);
            let client = client.clone();
            async move {
                let me = client.send(me).await.expect(200).json();
                me["email"].as_str().unwrap().to_owned()
            }
        };
        let (of_ada, of_eve) = (address(&ada).await, address(&eve).await);
        let expected = [
            ("made", "Shop", vec![]),
            ("made", "Banner", vec![]),
            // Two changes within an hour.
            ("changed", "Cookies", vec!["settings", "title"]),
            ("member_set", of_eve.as_str(), vec!["dpo"]),
            ("deleted", "Cookies", vec![]),
            ("restored", "Cookies", vec![]),
        ]
        .map(|(action, title, details)| {
            let details: Vec<String> = details.into_iter().map(str::to_owned).collect();
            (action.to_owned(), title.to_owned(), details)
        });
        let entries = log(&ada, &project, "").await;
        let mut seen = told(&entries);
        // A title is that of the first change: the entry stands for the hour.
        assert_eq!(seen[2].1, "Cookies");
        assert_eq!(seen, expected);
        for entry in &entries {
            assert_eq!(entry["by"], json!({"userId": ada.user_id, "email": of_ada}));
        }
        assert_eq!(entries[0]["collection"], "cookies");
        assert_eq!(entries[0]["subjectId"], json!(banner));

        // After an hour a change is an entry of its own. Each change of a role is one.
        app.clock.advance_seconds(3_600);
        ada.patch(&path, &json!({"title": "Banner"}))
            .await
            .expect(200);
        for role in ["viewer", "editor", "viewer"] {
            let body = json!({"userId": eve.user_id, "role": role});
            ada.post(&members, &body).await.expect(201);
        }
        seen = told(&log(&ada, &project, "").await);
        let later: Vec<&str> = seen.iter().skip(6).map(|(action, ..)| &**action).collect();
        assert_eq!(later, ["changed", "member_set", "member_set", "member_set"]);
        let filtered = ada
            .get(&format!("/v1/audit/{project}?action=member_set&perPage=3"))
            .await
            .expect(200);
        assert_eq!(filtered.header("x-total-count"), "4");
        assert_eq!(filtered.json().as_array().unwrap().len(), 3);
        ada.get(&format!("/v1/audit/{project}?action=looked"))
            .await
            .problem(400, "bad_request");
        // A change that is refused leaves none.
        let total = seen.len();
        ada.patch(&path, &json!({"title": 7}))
            .await
            .problem(422, "invalid");
        assert_eq!(log(&ada, &project, "?perPage=100").await.len(), total);
    }
);

both!(
    reading_consents_is_recorded_once_an_hour_for_each_reader,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        shop.collect(&app, &choice("visitor-7", true, true))
            .await
            .expect(201);
        let project = &shop.project;
        let dpo = member(&app, &shop.owner, project, "eve", "dpo").await;
        let key = json!({"name": "Nightly export", "scopes": ["consents"]});
        let made = shop
            .owner
            .post("/v1/auth/keys", &key)
            .await
            .expect(201)
            .json();
        let key = made["secret"].as_str().unwrap();
        let before = log(&dpo, project, "").await.len();
        let list = format!("/v1/app/consents/{project}");
        for _ in 0..3 {
            dpo.get(&list).await.expect(200);
            dpo.get(&format!("{list}?token=visitor-7"))
                .await
                .expect(200);
        }
        let program = app.nobody();
        let request = program
            .request(
                Method::GET,
                &format!("/v1/app/exports/{project}.csv?start=2020-01-01"),
            )
            .bearer_auth(key);
        program.send(request).await.expect(200);
        let erase = format!("{list}/tokens/visitor-7");
        dpo.delete(&erase).await.expect(200);
        dpo.delete(&erase).await.problem(404, "not_found");
        let entries = log(&dpo, project, "").await;
        let new = entries.len() - before;
        let told = told(&entries[..new]);
        let actions: Vec<&str> = told.iter().map(|(action, ..)| &**action).collect();
        assert_eq!(
            actions,
            ["consents_read", "consents_exported", "consents_erased"]
        );
        let export = &entries[1];
        assert_eq!(export["by"]["keyName"], "Nightly export");
        assert_eq!(export["by"]["userId"], json!(shop.owner.user_id));
        let span = export["details"][0].as_str().unwrap();
        assert!(span.starts_with("csv 2020-01-01T00:00:00.000Z/"), "{span}");
        // Nothing leads to the visitor.
        let text = serde_json::to_string(&entries).unwrap();
        assert!(!text.contains("visitor-7"), "{text}");
        // The reader comes back after an hour.
        app.clock.advance_seconds(3_600);
        dpo.get(&list).await.expect(200);
        let reads = log(&dpo, project, "?action=consents_read").await;
        assert_eq!(reads.len(), 2);
    }
);

both!(
    entries_go_after_a_year_and_with_their_project,
    |app| async move {
        let person = app.user("ada").await;
        // A key outlives the session.
        let input = json!({"name": "all", "scopes": ["read", "write", "consents"]});
        let made = person.post("/v1/auth/keys", &input).await.expect(201);
        let mut ada = app.nobody();
        ada.token = made.json()["secret"].as_str().map(str::to_owned);
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = ada.create("projects", &document).await;
        let other = ada.create("projects", &document).await;
        app.clock.advance_days(300);
        ada.create("cookies", &json!({"projectId": project})).await;
        app.placet.forget_expired().await.unwrap();
        assert_eq!(log(&ada, &project, "").await.len(), 2);
        app.clock.advance_days(70);
        app.placet.forget_expired().await.unwrap();
        let left = log(&ada, &project, "").await;
        assert_eq!(left.len(), 1);
        assert_eq!(left[0]["collection"], "cookies");
        ada.patch(
            &format!("/v1/vault/projects/{other}"),
            &json!({"title": "Other"}),
        )
        .await
        .expect(200);
        ada.delete(&format!("/v1/vault/projects/{other}"))
            .await
            .expect(204);
        app.clock.advance_days(31);
        app.placet.forget_expired().await.unwrap();
        let count = app
            .placet
            .db
            .query("SELECT COUNT(DISTINCT group_id) FROM audit")
            .count();
        assert_eq!(count.await.unwrap(), 1);
    }
);

both!(
    the_log_of_a_project_has_that_of_its_organization,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let made = ada
            .post("/v1/organizations", &json!({"name": "Shop Ltd"}))
            .await;
        let id = made.expect(201).json()["id"].as_str().unwrap().to_owned();
        let document =
            json!({"websiteURL": "https://shop.example", "title": "Shop", "organizationId": id});
        let project = ada.create("projects", &document).await;
        let body = json!({"userId": eve.user_id, "role": "dpo"});
        let people = format!("/v1/organizations/{id}/users");
        ada.post(&people, &body).await.expect(201);
        ada.put(
            &format!("/v1/organizations/{id}"),
            &json!({"name": "Shops Ltd"}),
        )
        .await
        .expect(200);
        let left = format!("{people}/{}", eve.user_id);
        let seen = told(&log(&eve, &project, "").await);
        let actions: Vec<&str> = seen.iter().map(|(action, ..)| &**action).collect();
        assert_eq!(actions, ["made", "member_set", "organization_changed"]);
        eve.delete(&left).await.expect(204);
        assert_eq!(log(&ada, &project, "?action=member_removed").await.len(), 1);
        // A project of somebody else has no part in it.
        let document = json!({"websiteURL": "https://shop.example", "title": "Other"});
        let other = eve.create("projects", &document).await;
        assert_eq!(log(&eve, &other, "").await.len(), 1);
    }
);

both!(
    nobody_buries_or_bloats_what_was_done_before,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let (ada, project) = (&shop.owner, &shop.project);
        let path = format!("/v1/vault/cookies/{}", shop.cookies);
        // Names of fields that Placet does not know are a member's words, long ones and many.
        for round in 0..3 {
            let mut change = json!({"title": format!("Banner {round}")});
            for number in 0..60 {
                let key = format!("aaa {round} {number} {}", "x".repeat(200));
                change[key] = json!(1);
            }
            ada.patch(&path, &change).await.expect(200);
        }
        let changed = log(ada, project, "?action=changed").await;
        assert_eq!(changed.len(), 1);
        assert_eq!(changed[0]["details"], json!(["title", "…"]));

        // Each export is an entry of its own.
        for day in 1..=3 {
            let path = format!("/v1/app/exports/{project}.csv?start=2020-01-0{day}");
            ada.get(&path).await.expect(200);
        }
        ada.get(&format!("/v1/app/exports/{project}.ndjson"))
            .await
            .expect(200);
        let exports = log(ada, project, "?action=consents_exported").await;
        assert_eq!(exports.len(), 4);
        assert!(
            exports[0]["details"][0]
                .as_str()
                .unwrap()
                .starts_with("ndjson")
        );

        // A member who does the same again and again fills no log.
        let editor = member(&app, ada, project, "eve", "editor").await;
        let made = editor
            .create(
                "processings",
                &json!({"projectId": project, "title": "Box"}),
            )
            .await;
        let path = format!("/v1/vault/processings/{made}");
        for _ in 0..270 {
            editor.delete(&path).await.expect(204);
            editor
                .post(&format!("{path}/restore"), &json!({}))
                .await
                .expect(200);
        }
        let count = async |action: &str| {
            let list = format!("/v1/audit/{project}?action={action}&perPage=1");
            let list = ada.get(&list).await.expect(200);
            list.header("x-total-count").parse::<u32>().unwrap()
        };
        // By an API key as well: it is the same person.
        let key = json!({"name": "again", "scopes": ["read", "write", "consents"]});
        let key = editor.post("/v1/auth/keys", &key).await.expect(201).json();
        let mut program = app.nobody();
        program.token = key["secret"].as_str().map(str::to_owned);
        program.delete(&path).await.expect(204);
        program
            .post(&format!("{path}/restore"), &json!({}))
            .await
            .expect(200);
        // 500 of an hour, and one for each action that follows.
        let sum = count("deleted").await + count("restored").await;
        assert_eq!(sum, 499 + 2);
        // None of them hides where consents go from now on.
        let hook = json!({"method": "POST", "url": "https://hooks.example/", "event": format!("consent/{project}")});
        editor.post("/v1/webhooks", &hook).await.expect(201);
        let hook = &log(ada, project, "?action=webhook_made").await[0];
        assert_eq!(hook["title"], "hooks.example");
        let last = &log(ada, project, "?action=deleted&perPage=1").await[0];
        assert_eq!(
            (&last["title"], &last["details"]),
            (&json!(""), &json!(["…"]))
        );
        // Others are still told one by one, and so is the next hour.
        ada.delete(&path).await.expect(204);
        assert_eq!(
            log(ada, project, "?action=deleted&perPage=1").await[0]["title"],
            "Box"
        );
        app.clock.advance_seconds(3_600);
        editor
            .post(&format!("{path}/restore"), &json!({}))
            .await
            .expect(200);
        assert_eq!(
            log(ada, project, "?action=restored&perPage=1").await[0]["title"],
            "Box"
        );
    }
);

both!(
    an_agency_of_one_project_reads_nothing_of_its_organization,
    |app| async move {
        let ada = app.user("ada").await;
        let made = ada
            .post("/v1/organizations", &json!({"name": "Shop Ltd"}))
            .await;
        let id = made.expect(201).json()["id"].as_str().unwrap().to_owned();
        let document =
            json!({"websiteURL": "https://shop.example", "title": "Shop", "organizationId": id});
        let project = ada.create("projects", &document).await;
        let agency = member(&app, &ada, &project, "eve", "dpo").await;
        let of = |entries: &[Value]| -> Vec<String> {
            let told = told(entries).into_iter();
            told.map(|(action, ..)| action).collect()
        };
        ada.put(
            &format!("/v1/organizations/{id}"),
            &json!({"name": "Shop Ltd", "requiresSecondFactor": false}),
        )
        .await
        .expect(200);
        assert_eq!(
            of(&log(&agency, &project, "").await),
            ["made", "member_set"]
        );
        let all = log(&ada, &project, "").await;
        let all = of(&all);
        assert!(all.contains(&"organization_changed".to_owned()), "{all:?}");
        // A key that is limited to the project reaches no organization.
        let key = json!({"name": "Log", "scopes": ["read"], "projects": [project]});
        let made = ada.post("/v1/auth/keys", &key).await.expect(201).json();
        let mut program = app.nobody();
        program.token = made["secret"].as_str().map(str::to_owned);
        let seen = of(&log(&program, &project, "").await);
        assert!(
            !seen.contains(&"organization_changed".to_owned()),
            "{seen:?}"
        );
    }
);

both!(changes_of_what_protects_are_named, |app| async move {
    let ada = app.user("ada").await;
    let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &document).await;
    let path = format!("/v1/vault/projects/{project}");
    for secret in [json!("0123456789abcdef0123456789abcdef"), Value::Null] {
        ada.patch(&path, &json!({"tokenSecret": secret}))
            .await
            .expect(200);
        let changed = log(&ada, &project, "?action=changed&perPage=1").await;
        assert_eq!(changed[0]["details"], json!(["tokenSecret"]));
        app.clock.advance_seconds(3_600);
    }
});
