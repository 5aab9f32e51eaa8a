//! The publications of a project, and the changes that the next publish makes.

use serde_json::{Value, json};
use tests::both;

use super::publish::shop;
use crate::http::UNKNOWN;

both!(
    publications_are_listed_and_read_with_their_manifests,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, id) = shop(&ada, "en").await;
        let path = format!("/v1/publish/publications/{project}");
        let list = async |query: &str| ada.get(&format!("{path}{query}")).await.expect(200);
        assert_eq!(list("").await.json(), json!([]));
        let first = ada.publish(&project).await;
        app.clock.advance_seconds(60);
        // The same again is no other publication.
        ada.publish(&project).await;
        let cookies = format!("/v1/vault/cookies/{id}");
        let document = ada.get(&cookies).await.expect(200).json();
        let mut steps = document["data"]["steps"].clone();
        steps[0]["title"] = json!("Biscuits");
        let change = json!({"steps": steps, "title": "Banner"});
        ada.patch(&cookies, &change).await.expect(200);
        let second = ada.publish(&project).await;

        let listed = list("").await;
        assert_eq!(listed.header("x-total-count"), "2");
        let listed = listed.json();
        let told: Vec<_> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                assert_eq!(one["configuration"], id.as_str());
                assert_eq!(one["collection"], "cookies");
                assert_eq!(one["language"], "en");
                (&one["jobId"], &one["title"])
            })
            .collect();
        let (banner, name) = (json!("Banner"), &document["data"]["name"]);
        assert_eq!(told, [(&second["_id"], &banner), (&first["_id"], name)]);
        let page = list("?page=2&perPage=1").await;
        assert_eq!(page.json(), json!([listed[1]]));
        assert!(page.header("link").contains("rel=\"prev\""));

        let one = format!("{path}/{id}/{}", listed[1]["publication"].as_str().unwrap());
        let shown = ada.get(&one).await.expect(200).json();
        let title = &shown["manifest"]["configuration"]["steps"][0]["title"];
        assert_eq!(title, "Cookies");
        assert_eq!(shown["publishedAt"], listed[1]["publishedAt"]);
        let eve = app.user("eve").await;
        eve.get(&path).await.problem(404, "not_found");
        eve.get(&one).await.problem(404, "not_found");
        let unknown = format!("{path}/{id}/{UNKNOWN}");
        ada.get(&unknown).await.problem(404, "not_found");
    }
);

both!(
    changes_are_told_field_by_field_before_they_become_live,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, id) = shop(&ada, "en").await;
        let path = format!("/v1/publish/changes/{project}");
        let changes = async |query: &str| -> Value {
            ada.get(&format!("{path}{query}")).await.expect(200).json()
        };
        let of = |changes: &Value, collection: &str| -> Value {
            let changes = changes.as_array().unwrap();
            let found = changes
                .iter()
                .find(|change| change["collection"] == collection);
            found.cloned().unwrap_or_default()
        };
        // Nothing is live yet.
        let new = changes("").await;
        assert_eq!(of(&new, "cookies")["change"], "new");
        assert_eq!(of(&new, "cookies")["id"], id);
        assert_eq!(of(&new, "cookies")["fields"], json!([]));
        let first = ada.publish(&project).await;
        let first = format!("?job={}", first["_id"].as_str().unwrap());
        assert_eq!(changes("").await, json!([]));
        assert_eq!(changes(&first).await, json!([]));

        ada.patch(
            &format!("/v1/vault/projects/{project}"),
            &json!({"colors": {"main": "#c01c28"}}),
        )
        .await
        .expect(200);
        let cookies = format!("/v1/vault/cookies/{id}");
        let document = ada.get(&cookies).await.expect(200).json();
        let mut steps = document["data"]["steps"].clone();
        steps[0]["title"] = json!("Biscuits");
        let change = json!({"steps": steps, "settings": {"position": "bottom-right"}});
        ada.patch(&cookies, &change).await.expect(200);
        let changed = changes("").await;
        let look = of(&changed, "projects");
        let main = json!([{"path": ["client", "colors", "main"], "before": "#1a5fb4", "after": "#c01c28"}]);
        assert_eq!(look["fields"], main, "{look}");
        let fields = of(&changed, "cookies")["fields"].clone();
        let title =
            json!({"path": ["steps", "hello", "title"], "before": "Cookies", "after": "Biscuits"});
        assert!(fields.as_array().unwrap().contains(&title), "{fields}");
        let position = fields.as_array().unwrap().iter();
        let mut position =
            position.filter(|field| field["path"] == json!(["settings", "position"]));
        assert_eq!(
            position.next().unwrap()["after"],
            "bottom-right",
            "{fields}"
        );
        // The live content has not changed.
        assert_eq!(changes(&first).await, json!([]));

        // Putting the first file back is the way back.
        assert_eq!(ada.publish(&project).await["status"], "complete");
        assert_eq!(changes("").await, json!([]));
        let back = of(&changes(&first).await, "cookies")["fields"].clone();
        let title =
            json!({"path": ["steps", "hello", "title"], "before": "Biscuits", "after": "Cookies"});
        assert!(back.as_array().unwrap().contains(&title), "{back}");

        // A configuration that is deleted, and one that cannot be published.
        ada.delete(&cookies).await.expect(204);
        let broken = json!({"projectId": project, "title": "News", "purpose": "News"});
        ada.create("processings", &broken).await;
        let changed = changes("").await;
        assert_eq!(of(&changed, "cookies")["change"], "removed");
        let news = of(&changed, "processings");
        assert_eq!(news["change"], "broken");
        assert!(!news["errors"].as_array().unwrap().is_empty(), "{news}");

        let eve = app.user("eve").await;
        eve.get(&path).await.problem(404, "not_found");
        let unknown = format!("{path}?job={UNKNOWN}");
        ada.get(&unknown).await.problem(404, "not_found");
        ada.get(&format!("{path}?job=x"))
            .await
            .problem(400, "bad_request");
        let failed = ada.publish(&project).await;
        assert_eq!(failed["status"], "error", "{failed}");
        let failed = failed["_id"].as_str().unwrap();
        ada.get(&format!("{path}?job={failed}"))
            .await
            .problem(409, "not_published");
    }
);
