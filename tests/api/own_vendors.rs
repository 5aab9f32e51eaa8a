//! Custom vendors: the project or the organization that one follows, and the people who lose or get access by a move.

use serde_json::{Value, json};
use tests::both;
use uuid::Uuid;

use crate::organizations::{join, organization, project};

both!(
    the_former_owner_of_a_vendor_has_the_roles_of_its_new_project,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let shop = ada.create("projects", &project(None)).await;
        let people = format!("/v1/vault/projects/{shop}/users");
        ada.post(&people, &json!({"userId": eve.user_id, "role": "editor"}))
            .await
            .expect(201);
        let vendor = json!({"name": "own-stats", "title": "Statistics"});
        let vendor = eve.create("vendors", &vendor).await;
        let path = format!("/v1/vault/vendors/{vendor}");
        eve.patch(&path, &json!({"projectId": shop}))
            .await
            .expect(200);
        eve.patch(&path, &json!({"title": "Ours"}))
            .await
            .expect(200);
        ada.delete(&format!("{people}/{}", eve.user_id))
            .await
            .expect(204);
        eve.get(&path).await.problem(404, "not_found");
        ada.get(&path).await.expect(200);

        // Her role on the vendor from before the migration that ended such roles.
        let db = &app.placet.db;
        let id = |text: &str| text.parse::<Uuid>().unwrap();
        db.query("INSERT INTO members (document_id, user_id, role, created_at) VALUES ($1, $2, 'owner', 0)")
            .bind(id(&vendor))
            .bind(id(&eve.user_id))
            .exec()
            .await
            .unwrap();
        eve.get(&path).await.expect(200);
        let again = "DELETE FROM _sqlx_migrations WHERE version = 15";
        db.query(again).exec().await.unwrap();
        db.migrate().await.unwrap();
        eve.get(&path).await.problem(404, "not_found");
        ada.get(&path).await.expect(200);
    }
);

both!(
    members_of_a_document_stay_behind_when_it_goes_to_another_project,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let outsider = app.user("mallory").await;
        let shop = ada.create("projects", &project(None)).await;
        ada.post(
            &format!("/v1/vault/projects/{shop}/users"),
            &json!({"userId": eve.user_id, "role": "editor"}),
        )
        .await
        .expect(201);
        let own = eve.create("projects", &project(None)).await;
        let vendor = json!({"name": "own-stats", "title": "Statistics", "projectId": own});
        let vendor = eve.create("vendors", &vendor).await;
        let path = format!("/v1/vault/vendors/{vendor}");
        let member = json!({"userId": outsider.user_id, "role": "owner"});
        eve.post(&format!("{path}/users"), &member)
            .await
            .expect(201);
        outsider.get(&path).await.expect(200);
        eve.patch(&path, &json!({"projectId": shop}))
            .await
            .expect(200);
        outsider.get(&path).await.problem(404, "not_found");
        eve.get(&path).await.expect(200);
    }
);

both!(
    custom_vendors_of_an_organization_are_shared,
    |app| async move {
        let (ada, grace) = (app.user("ada").await, app.user("grace").await);
        let id = organization(&ada, "Shop Ltd").await;
        join(&ada, &id, &grace, "editor").await;
        let vendor = json!({"name": "own-stats", "title": "Statistics", "organizationId": id});
        let vendor = ada.create("vendors", &vendor).await;
        grace
            .get(&format!("/v1/vault/vendors/{vendor}"))
            .await
            .expect(200);
        let shop = grace.create("projects", &project(Some(&id))).await;
        let steps =
            json!([{"name": "all", "layout": "category", "title": "t", "vendors": [vendor]}]);
        grace
            .create(
                "cookies",
                &json!({"projectId": shop, "name": "main", "steps": steps}),
            )
            .await;
        let job = grace.publish(&shop).await;
        assert_eq!(job["status"], "complete", "{job}");
    }
);

both!(a_vendor_of_a_project_follows_it_alone, |app| async move {
    let (ada, eve, mallory) = (
        app.user("ada").await,
        app.user("eve").await,
        app.user("mallory").await,
    );
    let shop = ada.create("projects", &project(None)).await;
    let members = format!("/v1/vault/projects/{shop}/users");
    let editor = json!({"userId": eve.user_id, "role": "editor"});
    ada.post(&members, &editor).await.expect(201);
    let own = organization(&eve, "Evil Ltd").await;
    join(&eve, &own, &mallory, "owner").await;

    // Nobody of the project would have agreed to the roles of its members.
    let vendor = json!({"name": "stats", "title": "Statistics"});
    let with = |more: Value| {
        let mut whole = vendor.clone();
        let more = more.as_object().unwrap().clone();
        whole.as_object_mut().unwrap().extend(more);
        whole
    };
    let list = "/v1/vault/vendors";
    let both = with(json!({"projectId": shop, "organizationId": own}));
    let refused = eve.post(list, &both).await.problem(422, "invalid");
    assert_eq!(refused["errors"][0]["pointer"], "/organizationId");
    assert_eq!(refused["errors"][0]["code"], "not_allowed");
    let made = eve
        .create("vendors", &with(json!({"organizationId": own})))
        .await;
    let path = format!("{list}/{made}");
    let refused = eve.patch(&path, &json!({"projectId": shop})).await;
    refused.problem(422, "invalid");
    let follow = json!({"projectId": shop, "organizationId": null});
    eve.patch(&path, &follow).await.expect(200);
    mallory.get(&path).await.problem(404, "not_found");

    // A row of a release before names both.
    let db = &app.placet.db;
    let row = db.query(
        "UPDATE documents SET organization_id = $2, organization_role = 'owner' WHERE id = $1",
    );
    let ids = [&made, &own].map(|id| Uuid::parse_str(id).unwrap());
    row.bind(ids[0]).bind(ids[1]).exec().await.unwrap();
    ada.delete(&format!("{members}/{}", eve.user_id))
        .await
        .expect(204);
    for stranger in [&eve, &mallory] {
        stranger.get(&path).await.problem(404, "not_found");
        stranger.delete(&path).await.problem(404, "not_found");
        let change = stranger.patch(&path, &json!({"title": "Mine"})).await;
        change.problem(404, "not_found");
        let mine = json!({"userId": mallory.user_id, "role": "owner"});
        let joined = stranger.post(&format!("{path}/users"), &mine).await;
        joined.problem(404, "not_found");
        assert_eq!(stranger.get(list).await.expect(200).json(), json!([]));
    }
    assert_eq!(
        ada.get(&path).await.expect(200).json()["data"]["title"],
        "Statistics"
    );
});

both!(
    an_editor_takes_no_vendor_away_from_its_owners,
    |app| async move {
        let (ada, grace) = (app.user("ada").await, app.user("grace").await);
        let id = organization(&ada, "Shop Ltd").await;
        join(&ada, &id, &grace, "editor").await;
        let foreign = grace.create("projects", &project(None)).await;
        let shared = json!({"name": "shared", "title": "Shared", "organizationId": id});
        let shared = ada.create("vendors", &shared).await;
        let own = ada
            .create("vendors", &json!({"name": "own", "title": "Own"}))
            .await;
        let path = |vendor: &str| format!("/v1/vault/vendors/{vendor}");
        let editor = json!({"userId": grace.user_id, "role": "editor"});
        let members = format!("{}/users", path(&own));
        ada.post(&members, &editor).await.expect(201);
        let wishes = [
            (
                &shared,
                json!({"projectId": foreign, "organizationId": null}),
            ),
            (&own, json!({"projectId": foreign})),
        ];
        for (vendor, wish) in wishes {
            let refused = grace.patch(&path(vendor), &wish).await;
            let refused = refused.problem(422, "invalid");
            assert_eq!(refused["errors"][0]["code"], "not_yours_to_move");
            ada.get(&path(vendor)).await.expect(200);
        }
        // Its owner may.
        let shop = ada.create("projects", &project(None)).await;
        let follow = json!({"projectId": shop});
        ada.patch(&path(&own), &follow).await.expect(200);
    }
);
