//! Deleted documents: who finds them, who restores them, and their end.

use serde_json::{Value, json};
use service::clock::{Clock as _, Timestamp};
use tests::{Client, both};

use super::project;

both!(
    deleted_documents_come_back_for_thirty_days,
    |app| async move {
        let ada = app.user("ada").await;
        let path = format!("/v1/vault/projects/{}", project(&ada).await);
        ada.delete(&path).await.expect(204);
        ada.get(&path).await.problem(404, "not_found");
        ada.delete(&path).await.problem(404, "not_found");
        ada.post(&format!("{path}/restore"), &json!({}))
            .await
            .expect(200);
        ada.get(&path).await.expect(200);
        ada.delete(&path).await.expect(204);
        app.clock.advance_days(14);
        let mut ada = ada;
        for _ in 0..2 {
            let session = app
                .nobody()
                .post(
                    "/v1/auth/local/signin",
                    &json!({"username": "ada", "password": "ada's password"}),
                )
                .await
                .json();
            ada.token = session["token"].as_str().map(str::to_owned);
            app.clock.advance_days(9);
        }
        let session = app
            .nobody()
            .post(
                "/v1/auth/local/signin",
                &json!({"username": "ada", "password": "ada's password"}),
            )
            .await
            .json();
        ada.token = session["token"].as_str().map(str::to_owned);
        ada.post(&format!("{path}/restore"), &json!({}))
            .await
            .problem(404, "not_found");
    }
);

both!(deleted_documents_are_gone_after_a_month, |app| async move {
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    ada.delete(&format!("/v1/vault/projects/{project}"))
        .await
        .expect(204);
    app.clock.advance_days(31);
    app.placet.forget_expired().await.unwrap();
    app.clock.advance_days(-31);
    ada.post(&format!("/v1/vault/projects/{project}/restore"), &json!({}))
        .await
        .problem(404, "not_found");
});

both!(
    a_name_that_was_taken_meanwhile_keeps_a_document_deleted,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let named = json!({"projectId": project, "name": "en"});
        let first = ada.create("cookies", &named).await;
        let first = format!("/v1/vault/cookies/{first}");
        ada.delete(&first).await.expect(204);
        let second = ada.create("cookies", &named).await;
        let restore = format!("{first}/restore");
        let problem = ada.post(&restore, &json!({})).await;
        let problem = problem.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["code"], "name_taken");
        ada.delete(&format!("/v1/vault/cookies/{second}"))
            .await
            .expect(204);
        ada.post(&restore, &json!({})).await.expect(200);
        ada.get(&first).await.expect(200);
    }
);

both!(
    the_trash_shows_what_can_be_restored_and_to_whom,
    |app| async move {
        let ada = app.user("ada").await;
        let eve = app.user("eve").await;
        let viewer = app.user("viewer").await;
        let project = project(&ada).await;
        let steps = json!([{"name": "welcome", "layout": "welcome"}]);
        let cookies = ada
            .create(
                "cookies",
                &json!({"projectId": project, "name": "en", "steps": steps}),
            )
            .await;
        let there = ada
            .create(
                "cookies",
                &json!({"projectId": project, "name": "fr", "steps": steps}),
            )
            .await;
        ada.post(
            &format!("/v1/vault/projects/{project}/users"),
            &json!({"userId": viewer.user_id, "role": "viewer"}),
        )
        .await
        .expect(201);
        let ids = async |client: &Client, query: &str| -> Vec<String> {
            let list = client
                .get(&format!("/v1/vault/{query}"))
                .await
                .expect(200)
                .json();
            let id = |entry: &Value| entry["id"].as_str().unwrap().to_owned();
            list.as_array().unwrap().iter().map(id).collect()
        };
        assert!(ids(&ada, "cookies?deleted=true").await.is_empty());
        let before = app.clock.now();
        ada.delete(&format!("/v1/vault/cookies/{cookies}"))
            .await
            .expect(204);
        assert_eq!(
            ids(&ada, "cookies?deleted=true").await,
            std::slice::from_ref(&cookies)
        );
        assert_eq!(ids(&ada, "cookies").await, [there]);
        assert_eq!(
            ids(&viewer, "cookies?deleted=true").await,
            std::slice::from_ref(&cookies)
        );
        assert!(ids(&eve, "cookies?deleted=true").await.is_empty());
        let list = ada
            .get("/v1/vault/cookies?deleted=true&with=metadata")
            .await
            .expect(200)
            .json();
        let deleted_at = list[0]["metadata"]["deletedAt"].as_str().unwrap();
        let deleted_at = Timestamp::parse(deleted_at).unwrap();
        // To the millisecond.
        assert!(deleted_at.plus_millis(1) > before && deleted_at <= app.clock.now());
        ada.get("/v1/vault/cookies?deleted=perhaps")
            .await
            .expect(400);

        // Members see the trash. Only editors and owners restore.
        let trash = async |client: &Client, of: Option<&str>| {
            let actor = service::Actor::User(client.user_id.parse().unwrap());
            let of = of.map(|id| id.parse().unwrap());
            let found = app
                .placet
                .vault
                .trash(actor, of, &service::db::page::Asked::default())
                .await;
            found.map(|found| {
                let of = |one: service::vault::Trashed| (one.id.to_string(), one.can_restore);
                found.items.into_iter().map(of).collect::<Vec<_>>()
            })
        };
        assert_eq!(
            trash(&ada, Some(&project)).await.unwrap(),
            [(cookies.clone(), true)]
        );
        assert_eq!(
            trash(&viewer, Some(&project)).await.unwrap(),
            [(cookies.clone(), false)]
        );
        assert!(trash(&eve, Some(&project)).await.is_err());
        assert!(trash(&ada, None).await.unwrap().is_empty());
        ada.delete(&format!("/v1/vault/projects/{project}"))
            .await
            .expect(204);
        assert_eq!(trash(&ada, None).await.unwrap(), [(project.clone(), true)]);
        assert_eq!(
            trash(&viewer, None).await.unwrap(),
            [(project.clone(), false)]
        );
        // Documents of a deleted project wait for it.
        assert!(ids(&ada, "cookies?deleted=true").await.is_empty());

        // After 30 days nothing is left to restore.
        app.clock.advance_days(31);
        assert!(trash(&ada, None).await.unwrap().is_empty());
    }
);
