//! Projects with large documents: pages of the admin UI show them all the same.

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, both};

/// The answer of a server function of the admin UI.
async fn ask(client: &Client, path: &str, body: Value) -> Value {
    let request = client.of_page(Method::POST, &format!("/ui/{path}"));
    client.send(request.json(&body)).await.expect(200).json()
}

async fn project(client: &Client) -> String {
    let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    client.create("projects", &document).await
}

fn length(list: &Value) -> usize {
    list.as_array().unwrap().len()
}

both!(
    pages_list_documents_however_large_they_are,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let steps = json!([{"name": "welcome", "layout": "welcome", "title": "Hello", "message": "You decide."}]);
        let notes = "x".repeat(900_000);
        let mut made = Vec::new();
        for number in 0..5 {
            let document = json!({"projectId": project, "name": format!("c-{number}"), "language": "en",
            "steps": steps, "notes": notes});
            made.push(ada.create("cookies", &document).await);
        }
        let of_project = json!({"project": project});

        let asked = json!({"text": "", "sort": "title", "page": 1});
        let list = json!({"project": project, "asked": asked});
        let list = ask(&ada, "widget/list", list).await;
        assert_eq!((&list["total"], length(&list["rows"])), (&json!(5), 5));
        assert_eq!(list["rows"][4]["content"], json!([1, 0]));
        let design = ask(&ada, "widget/design", of_project.clone()).await;
        assert_eq!(design["configuration"]["id"], made[0]);
        let overview = ask(&ada, "projects/overview", of_project.clone()).await;
        assert_eq!(overview["first_configuration"], made[0]);
        assert_eq!(
            (&overview["configurations"], &overview["vendors"]),
            (&json!(5), &json!(0))
        );
        let install = ask(&ada, "install/data", of_project.clone()).await;
        assert_eq!(length(&install["configurations"]), 5);
        let third = json!({"project": project, "configuration": made[2]});
        let snippet = ask(&ada, "install/snippet", third).await;
        assert_eq!(snippet["configuration"], made[2]);
        let consents = json!({"project": project, "filter": {"page": 1}});
        let consents = ask(&ada, "proofs/list", consents).await;
        assert_eq!(consents["asked"][1], json!({"id": made[1], "name": "c-1"}));
        let asked = json!({"text": "", "sort": "", "page": 1});
        let publish = json!({"project": project, "listing": asked});
        let publish = ask(&ada, "publish/data", publish).await;
        assert_eq!(publish["configurations"], 5);

        // Steps of that size are not counted, and keep no page from opening.
        let large = json!([{"name": "welcome", "layout": "welcome", "notes": notes}]);
        for id in &made {
            let path = format!("/v1/vault/cookies/{id}");
            let change = json!({"steps": large, "notes": null});
            ada.patch(&path, &change).await.expect(200);
        }
        let asked = json!({"text": "", "sort": "changed", "page": 1});
        let list = json!({"project": project, "asked": asked});
        let list = ask(&ada, "widget/list", list).await;
        assert_eq!(list["rows"][0]["id"], made[4]);
        assert_eq!(list["rows"][0]["content"], Value::Null);
        let overview = ask(&ada, "projects/overview", of_project.clone()).await;
        assert_eq!(
            (&overview["configurations"], &overview["vendors"]),
            (&json!(5), &Value::Null)
        );
        let install = ask(&ada, "install/data", of_project).await;
        assert_eq!(
            (
                length(&install["configurations"]),
                length(&install["services"])
            ),
            (5, 0)
        );
    }
);

both!(
    html_with_too_many_tags_is_told_by_a_code,
    |app| async move {
        let ada = app.user("ada").await;
        let step = |tags: usize| json!([{"name": "a", "layout": "welcome", "message": "<p>".repeat(tags)}]);
        let project = project(&ada).await;
        let mut document =
            json!({"projectId": project, "name": "en", "language": "en", "steps": step(200)});
        let id = ada.create("cookies", &document).await;
        let path = format!("/v1/vault/cookies/{id}");
        let change = async |change: Value| ada.patch(&path, &change).await;
        let refused = change(json!({"steps": step(201)})).await;
        let error = &refused.problem(422, "invalid")["errors"][0];
        assert_eq!(error["pointer"], "/steps/0/message");
        assert_eq!(error["code"], "too_many_tags");
        // A text that was stored before the bound stays, beside changes of other fields.
        document["steps"] = step(201);
        let write = app
            .placet
            .db
            .query("UPDATE documents SET data = $1 WHERE id = $2")
            .bind(&document)
            .bind(uuid::Uuid::parse_str(&id).unwrap());
        assert_eq!(write.exec().await.unwrap(), 1);
        change(json!({"title": "English"})).await.expect(200);
        change(json!({"steps": step(202)}))
            .await
            .problem(422, "invalid");
    }
);
