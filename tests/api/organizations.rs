//! Organizations, the permissions of their roles on projects, and invitations by mail.

use std::{pin::pin, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use tests::{
    Client, both, both_with_mail,
    oracle::{MailServer, token_of},
};
use uuid::Uuid;

use crate::audit::log;

pub async fn organization(owner: &Client, name: &str) -> String {
    let made = owner
        .post("/v1/organizations", &json!({"name": name}))
        .await
        .expect(201);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert!(
        made.header("location")
            .ends_with(&format!("/v1/organizations/{id}"))
    );
    id
}

pub async fn join(owner: &Client, organization: &str, user: &Client, role: &str) {
    let body = json!({"userId": user.user_id, "role": role});
    owner
        .post(&format!("/v1/organizations/{organization}/users"), &body)
        .await
        .expect(201);
}

pub fn project(organization: Option<&str>) -> Value {
    let mut project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    if let Some(id) = organization {
        project["organizationId"] = json!(id);
    }
    project
}

both!(
    an_organization_is_made_named_left_and_deleted,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let id = organization(&ada, " Shop Ltd ").await;
        organization(&ada, "Another").await;
        let path = format!("/v1/organizations/{id}");
        let read = ada.get(&path).await.expect(200).json();
        assert_eq!(
            (&read["name"], &read["role"]),
            (&json!("Shop Ltd"), &json!("owner"))
        );
        let list = ada
            .get("/v1/organizations?perPage=1&page=2")
            .await
            .expect(200);
        assert_eq!(list.header("x-total-count"), "2");
        assert_eq!(list.json()[0]["id"], json!(id));
        assert_eq!(
            eve.get("/v1/organizations").await.expect(200).json(),
            json!([])
        );
        eve.get(&path).await.problem(404, "not_found");
        ada.put(&path, &json!({"name": ""}))
            .await
            .problem(422, "invalid");
        assert_eq!(
            ada.put(&path, &json!({"name": "Shop SE"}))
                .await
                .expect(200)
                .json()["name"],
            "Shop SE"
        );

        let users = format!("{path}/users");
        ada.post(
            &users,
            &json!({"userId": "0190b6a0-0000-7000-8000-000000000000"}),
        )
        .await
        .problem(422, "invalid");
        let mine = format!("{users}/{}", ada.user_id);
        ada.delete(&mine).await.problem(409, "last_owner");
        ada.post(&users, &json!({"userId": ada.user_id, "role": "editor"}))
            .await
            .problem(409, "last_owner");
        join(&ada, &id, &eve, "owner").await;
        ada.delete(&mine).await.expect(204);
        ada.get(&path).await.problem(404, "not_found");
        eve.delete(&path).await.expect(204);
        eve.get(&path).await.problem(404, "not_found");
    }
);

both!(
    a_role_on_an_organization_counts_on_its_projects,
    |app| async move {
        let ada = app.user("ada").await;
        let id = organization(&ada, "Shop Ltd").await;
        let mut people = Vec::new();
        for role in ["viewer", "editor", "owner"] {
            let person = app.user(role).await;
            join(&ada, &id, &person, role).await;
            people.push(person);
        }
        let [viewer, editor, owner] = &people[..] else {
            unreachable!()
        };
        let shop = ada.create("projects", &project(Some(&id))).await;
        let path = format!("/v1/vault/projects/{shop}");
        let document = ada.create("cookies", &json!({"projectId": shop})).await;
        let cookies = format!("/v1/vault/cookies/{document}");
        for person in &people {
            person.get(&path).await.expect(200);
            person.get(&cookies).await.expect(200);
            person.get(&format!("/v1/client/{shop}")).await.expect(200);
            assert_eq!(
                person
                    .get("/v1/vault/projects")
                    .await
                    .header("x-total-count"),
                "1"
            );
            assert_eq!(
                person
                    .get("/v1/vault/cookies")
                    .await
                    .header("x-total-count"),
                "1"
            );
            assert_eq!(
                person
                    .get("/v1/client/")
                    .await
                    .json()
                    .as_array()
                    .unwrap()
                    .len(),
                1
            );
        }
        let body = json!({"projectId": shop});
        viewer
            .put(&cookies, &body)
            .await
            .problem(403, "role_too_weak");
        editor.put(&cookies, &body).await.expect(200);
        let publish = format!("/v1/publish/jobs/{shop}");
        viewer
            .post(&publish, &json!({}))
            .await
            .problem(403, "role_too_weak");
        editor.post(&publish, &json!({})).await.expect(202);
        let members = format!("{path}/users");
        let whom = json!({"userId": viewer.user_id, "role": "editor"});
        editor
            .post(&members, &whom)
            .await
            .problem(403, "role_too_weak");
        // The stronger of two roles counts.
        owner.post(&members, &whom).await.expect(201);
        viewer.put(&cookies, &body).await.expect(200);

        // Leaving the organization ends the role on its projects.
        ada.delete(&format!("/v1/organizations/{id}/users/{}", editor.user_id))
            .await
            .expect(204);
        editor.get(&path).await.problem(404, "not_found");
        assert_eq!(
            editor
                .get("/v1/vault/cookies")
                .await
                .header("x-total-count"),
            "0"
        );

        // It cannot be deleted while something belongs to it.
        ada.delete(&format!("/v1/organizations/{id}"))
            .await
            .problem(409, "organization_in_use");
        ada.put(&path, &project(None)).await.expect(200);
        owner.get(&path).await.problem(404, "not_found");
        ada.delete(&format!("/v1/organizations/{id}"))
            .await
            .expect(204);
    }
);

both_with_mail!(
    joining_and_leaving_are_for_owners_and_the_others_get_letters,
    |app, mail| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let grace = app.user("grace").await;
        let foreign = organization(&eve, "Eve's").await;
        let refused = |answer: tests::Answer, code: &str| {
            let problem = answer.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["pointer"], "/organizationId");
            assert_eq!(problem["errors"][0]["code"], code);
        };
        let joined = project(Some(&foreign));
        refused(
            ada.post("/v1/vault/projects", &joined).await,
            "unknown_organization",
        );
        join(&eve, &foreign, &ada, "viewer").await;
        refused(
            ada.post("/v1/vault/projects", &joined).await,
            "unknown_organization",
        );

        // Eve edits Ada's project and owns an organization. An editor cannot give others access.
        let shop = ada.create("projects", &project(None)).await;
        let path = format!("/v1/vault/projects/{shop}");
        let people = format!("{path}/users");
        ada.post(&people, &json!({"userId": eve.user_id, "role": "editor"}))
            .await
            .expect(201);
        join(&eve, &foreign, &grace, "owner").await;
        let wish = json!({"organizationId": foreign});
        refused(eve.patch(&path, &wish).await, "not_yours_to_move");
        grace.get(&path).await.problem(404, "not_found");
        // An owner of the project who only edits the organization cannot either.
        join(&eve, &foreign, &ada, "editor").await;
        refused(ada.patch(&path, &wish).await, "not_yours_to_move");
        // A new document can be made in it.
        ada.create("projects", &joined).await;

        // An owner of both can join them, and an API key cannot.
        let own = organization(&ada, "Ada's").await;
        let wish = json!({"organizationId": own});
        let made = json!({"name": "CI", "scopes": ["read", "write"]});
        let made = ada.post("/v1/auth/keys", &made).await.expect(201).json();
        let mut key = app.nobody();
        key.token = made["secret"].as_str().map(str::to_owned);
        key.patch(&path, &wish).await.problem(403, "not_a_user");
        let link = mail.letter("eve@shop.example", "Confirm").await;
        let proof = json!({"token": token_of(&link)});
        eve.post("/v1/auth/local/verify", &proof).await.expect(204);
        ada.post(&people, &json!({"userId": eve.user_id, "role": "owner"}))
            .await
            .expect(201);
        ada.patch(&path, &wish).await.expect(200);
        let letter = mail.letter("eve@shop.example", "Who has access").await;
        let text = letter["text"].as_str().unwrap();
        assert!(
            text.contains("Your project Shop joined an organization"),
            "{text}"
        );
        ada.patch(&path, &json!({"title": "Mine"}))
            .await
            .expect(200);

        // An editor of the organization cannot take it out either.
        ada.post(&people, &json!({"userId": eve.user_id, "role": "editor"}))
            .await
            .expect(201);
        join(&ada, &own, &grace, "editor").await;
        let leave = json!({"organizationId": null});
        for person in [&eve, &grace] {
            refused(person.patch(&path, &leave).await, "not_yours_to_move");
        }
        key.patch(&path, &leave).await.problem(403, "not_a_user");
        join(&ada, &own, &grace, "owner").await;
        grace.patch(&path, &leave).await.expect(200);
        grace.get(&path).await.problem(404, "not_found");
        ada.delete(&path).await.expect(204);
    }
);

both!(
    an_owner_who_is_removed_while_a_request_waits_adds_nobody,
    |app| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let eve = app.user("eve").await;
        let shop = ada.create("projects", &project(None)).await;
        let owners = organization(&ada, "Shop Ltd").await;
        let id = |text: &str| text.parse::<Uuid>().unwrap();
        for (members, group, lock, remove) in [
            (
                format!("/v1/vault/projects/{shop}/users"),
                id(&shop),
                "UPDATE documents SET created_at = created_at WHERE id = $1",
                "DELETE FROM members WHERE document_id = $1 AND user_id = $2",
            ),
            (
                format!("/v1/organizations/{owners}/users"),
                id(&owners),
                "UPDATE organizations SET created_at = created_at WHERE id = $1",
                "DELETE FROM organization_members WHERE organization_id = $1 AND user_id = $2",
            ),
        ] {
            let owner = |user: &Client| json!({"userId": user.user_id, "role": "owner"});
            ada.post(&members, &owner(&bob)).await.expect(201);
            let mut tx = app.placet.db.begin().await.unwrap();
            tx.query(lock).bind(group).exec().await.unwrap();
            let whom = owner(&eve);
            let mut adding = pin!(bob.post(&members, &whom));
            let early = tokio::time::timeout(Duration::from_millis(300), &mut adding).await;
            assert!(early.is_err(), "it waits for the transaction");
            let removed = tx.query(remove).bind(group).bind(id(&bob.user_id));
            assert_eq!(removed.exec().await.unwrap(), 1);
            tx.commit().await.unwrap();
            adding.await.problem(404, "not_found");
            eve.get(&members).await.problem(404, "not_found");
        }
    }
);

both!(
    a_member_who_is_removed_while_a_request_waits_changes_nothing,
    |app| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let shop = ada.create("projects", &project(None)).await;
        let owners = organization(&ada, "Shop Ltd").await;
        let member = json!({"userId": bob.user_id, "role": "owner"});
        let id = |text: &str| text.parse::<Uuid>().unwrap();
        let project = (
            format!("/v1/vault/projects/{shop}"),
            "UPDATE documents SET created_at = created_at WHERE id = $1",
            "DELETE FROM members WHERE document_id = $1 AND user_id = $2",
        );
        let organization = (
            format!("/v1/organizations/{owners}"),
            "UPDATE organizations SET created_at = created_at WHERE id = $1",
            "DELETE FROM organization_members WHERE organization_id = $1 AND user_id = $2",
        );
        for (method, change, (path, lock, remove)) in [
            (Method::PATCH, json!({"title": "Bob's"}), &project),
            (Method::DELETE, json!({}), &project),
            (Method::PUT, json!({"name": "Bob's"}), &organization),
            (Method::DELETE, json!({}), &organization),
        ] {
            ada.post(&format!("{path}/users"), &member)
                .await
                .expect(201);
            let group = id(path.rsplit('/').next().unwrap());
            let mut tx = app.placet.db.begin().await.unwrap();
            tx.query(*lock).bind(group).exec().await.unwrap();
            let asked = bob.request(method, path).json(&change);
            let mut changing = pin!(bob.send(asked));
            let early = tokio::time::timeout(Duration::from_millis(300), &mut changing).await;
            assert!(early.is_err(), "it waits for the transaction");
            let removed = tx.query(*remove).bind(group).bind(id(&bob.user_id));
            assert_eq!(removed.exec().await.unwrap(), 1);
            tx.commit().await.unwrap();
            changing.await.problem(404, "not_found");
            assert!(!ada.get(path).await.expect(200).text.contains("Bob's"));
        }
    }
);

both!(
    an_editor_who_is_removed_there_while_a_request_waits_moves_nothing,
    |app| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let shop = ada.create("projects", &project(None)).await;
        let own = bob.create("projects", &project(None)).await;
        let banner = json!({"projectId": own, "title": "Bob's"});
        let banner = bob.create("cookies", &banner).await;
        let id = |text: &str| text.parse::<Uuid>().unwrap();
        let editor = json!({"userId": bob.user_id, "role": "editor"});
        let members = format!("/v1/vault/projects/{shop}/users");
        ada.post(&members, &editor).await.expect(201);
        let mut tx = app.placet.db.begin().await.unwrap();
        let lock = "UPDATE documents SET created_at = created_at WHERE id = $1";
        tx.query(lock).bind(id(&banner)).exec().await.unwrap();
        let (path, there) = (
            format!("/v1/vault/cookies/{banner}"),
            json!({"projectId": shop}),
        );
        let mut moving = pin!(bob.patch(&path, &there));
        let early = tokio::time::timeout(Duration::from_millis(300), &mut moving).await;
        assert!(early.is_err(), "it waits for the transaction");
        let removed = tx.query("DELETE FROM members WHERE document_id = $1 AND user_id = $2");
        let removed = removed.bind(id(&shop)).bind(id(&bob.user_id));
        assert_eq!(removed.exec().await.unwrap(), 1);
        tx.commit().await.unwrap();
        let refused = moving.await.problem(422, "invalid");
        assert_eq!(refused["errors"][0]["code"], "unknown_project");
        let kept = bob.get(&path).await.expect(200).json();
        assert_eq!(kept["data"]["projectId"], json!(own));
    }
);

both!(
    an_owner_of_an_organization_takes_a_project_out_where_the_role_is_less,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let owners = organization(&ada, "Shop Ltd").await;
        let shop = ada.create("projects", &project(Some(&owners))).await;
        let owner = json!({"userId": eve.user_id, "role": "owner"});
        let people = format!("/v1/organizations/{owners}/users");
        ada.post(&people, &owner).await.expect(201);
        // Members of the organization are editors of the project at most.
        let less = "UPDATE documents SET organization_role = 'editor' WHERE id = $1";
        let less = app
            .placet
            .db
            .query(less)
            .bind(shop.parse::<Uuid>().unwrap());
        less.exec().await.unwrap();
        let path = format!("/v1/vault/projects/{shop}");
        let alone = json!({"organizationId": null});
        eve.patch(&path, &alone).await.expect(200);
        eve.get(&path).await.problem(404, "not_found");
        assert_eq!(
            ada.get(&path).await.expect(200).json()["organizationId"],
            Value::Null
        );
    }
);

both!(
    an_editor_who_is_removed_while_a_request_waits_changes_no_webhook,
    |app| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let shop = ada.create("projects", &project(None)).await;
        let id = |text: &str| text.parse::<Uuid>().unwrap();
        let hook = json!({"method": "POST", "url": "https://hooks.example/", "event": format!("consent/{shop}")});
        let made = ada.post("/v1/webhooks", &hook).await.expect(201).json();
        let path = format!("/v1/webhooks/{}", made["id"].as_str().unwrap());
        let kept = ada.get(&path).await.expect(200).json();
        let elsewhere = json!({"url": "https://elsewhere.example/"});
        let webhook = (
            "UPDATE webhooks SET created_at = created_at WHERE id = $1",
            id(made["id"].as_str().unwrap()),
        );
        let document = (
            "UPDATE documents SET created_at = created_at WHERE id = $1",
            id(&shop),
        );
        for (method, path, body, (lock, held)) in [
            (Method::POST, "/v1/webhooks", &hook, document),
            (Method::PUT, &path, &elsewhere, webhook),
            (Method::POST, &format!("{path}/rotate"), &json!({}), webhook),
            (Method::DELETE, &path, &json!({}), webhook),
        ] {
            let editor = json!({"userId": bob.user_id, "role": "editor"});
            let members = format!("/v1/vault/projects/{shop}/users");
            ada.post(&members, &editor).await.expect(201);
            let mut tx = app.placet.db.begin().await.unwrap();
            tx.query(lock).bind(held).exec().await.unwrap();
            let asked = bob.request(method, path).json(body);
            let mut changing = pin!(bob.send(asked));
            let early = tokio::time::timeout(Duration::from_millis(300), &mut changing).await;
            assert!(early.is_err(), "it waits for the transaction");
            let removed = tx.query("DELETE FROM members WHERE document_id = $1 AND user_id = $2");
            let removed = removed.bind(id(&shop)).bind(id(&bob.user_id));
            assert_eq!(removed.exec().await.unwrap(), 1);
            tx.commit().await.unwrap();
            changing.await.problem(404, "not_found");
        }
        assert_eq!(ada.get(&path).await.expect(200).json(), kept);
        let all = ada.get("/v1/webhooks").await.expect(200);
        assert_eq!(all.header("x-total-count"), "1");
    }
);

both!(
    a_project_comes_back_without_an_organization_that_is_gone,
    |app| async move {
        let ada = app.user("ada").await;
        let id = organization(&ada, "Shop Ltd").await;
        let shop = ada.create("projects", &project(Some(&id))).await;
        let path = format!("/v1/vault/projects/{shop}");
        ada.delete(&path).await.expect(204);
        let gone = format!("/v1/organizations/{id}");
        ada.delete(&gone).await.expect(204);
        let back = ada.post(&format!("{path}/restore"), &json!({})).await;
        let back = back.expect(200).json();
        assert!(back["data"].get("organizationId").is_none(), "{back}");
        assert_eq!(back["data"]["title"], project(None)["title"]);
        ada.patch(&path, &json!({"title": "Another"}))
            .await
            .expect(200);
    }
);

async fn invite(mail: &MailServer, owner: &Client, body: &Value) -> (Value, String) {
    let made = owner
        .post("/v1/auth/invitations", body)
        .await
        .expect(201)
        .json();
    let letter = mail
        .letter(body["email"].as_str().unwrap(), "invites you")
        .await;
    (made, token_of(&letter))
}

async fn accept(user: &Client, token: &str) -> tests::Answer {
    user.send(user.request(
        Method::POST,
        &format!("/v1/auth/invitations/{token}/accept"),
    ))
    .await
}

both_with_mail!(
    invitations_are_no_way_to_write_to_strangers,
    |app, mail| async move {
        let ada = app.user("ada").await;
        app.verify(&ada).await;
        let spam = "Win at https://evil.example now";
        let renamed = json!({"displayName": spam});
        ada.put("/v1/auth/me", &renamed).await.expect(200);
        let site = json!({"websiteURL": "https://shop.example", "title": spam});
        let shop = ada.create("projects", &site).await;
        let wish = json!({"email": "grace@shop.example", "projectId": shop});
        for _ in 0..3 {
            let made = ada.post("/v1/auth/invitations", &wish).await.expect(201);
            let letter = mail.letter("grace@shop.example", "invites you").await;
            assert_eq!(letter["subject"], "Somebody invites you to work together");
            let text = letter["text"].as_str().unwrap();
            assert!(
                text.contains("Win at") && !text.contains("evil.example"),
                "{text}"
            );
            // A revoked invitation counts, because its letter was sent.
            let id = made.json()["id"].as_str().unwrap().to_owned();
            let path = format!("/v1/auth/invitations/{id}");
            ada.delete(&path).await.expect(204);
        }
        let again = |email: &str| json!({"email": email, "projectId": shop});
        let post = async |email| ada.post("/v1/auth/invitations", &again(email)).await;
        post("Grace@Shop.example")
            .await
            .problem(429, "too_many_requests");
        post("bob@shop.example").await.expect(201);
        app.clock.advance_days(1);
        post("grace@shop.example").await.expect(201);
        // So is one that gives way to the next one of its address, as the log says.
        post("Bob@shop.example").await.expect(201);
        let revoked = log(&ada, &shop, "?action=invitation_revoked").await;
        assert_eq!(revoked.len(), 4);
        assert_eq!(revoked[0]["title"], "bob@shop.example");
    }
);

both_with_mail!(
    an_invitation_is_mailed_read_and_accepted_once,
    |app, mail| async move {
        let ada = app.user("ada").await;
        app.verify(&ada).await;
        let shop = ada.create("projects", &project(None)).await;
        let own = organization(&ada, "Shop\u{2028}Ltd").await;
        let body = json!({"email": "Grace@shop.example", "projectId": shop, "role": "viewer"});
        let (made, token) = invite(&mail, &ada, &body).await;
        assert_eq!(
            (&made["role"], &made["projectId"]),
            (&json!("viewer"), &json!(shop))
        );
        let shown = app
            .nobody()
            .get(&format!("/v1/auth/invitations/{token}"))
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&shown["name"], &shown["invitedBy"]),
            (&json!("Shop"), &json!("ada"))
        );

        // Only an account with the invited address may accept.
        let eve = app.user("eve").await;
        accept(&eve, &token).await.problem(403, "other_address");
        let grace = app.user("grace").await;
        accept(&grace, &token).await.expect(200);
        grace
            .get(&format!("/v1/vault/projects/{shop}"))
            .await
            .expect(200);
        assert_eq!(grace.get("/v1/auth/me").await.json()["emailVerified"], true);
        accept(&grace, &token).await.problem(404, "not_found");
        app.nobody()
            .get(&format!("/v1/auth/invitations/{token}"))
            .await
            .problem(404, "not_found");

        // To an organization. A stronger role that the user has already stays.
        let body = json!({"email": "grace@shop.example", "organizationId": own, "role": "owner"});
        let (_, token) = invite(&mail, &ada, &body).await;
        accept(&grace, &token).await.expect(200);
        let body = json!({"email": "grace@shop.example", "organizationId": own});
        let (_, token) = invite(&mail, &ada, &body).await;
        accept(&grace, &token).await.expect(200);
        let read = grace
            .get(&format!("/v1/organizations/{own}"))
            .await
            .expect(200)
            .json();
        assert_eq!(read["role"], "owner");
    }
);

both_with_mail!(invitations_expire, |app, mail| async move {
    let (ada, grace, eve) = (
        app.user("ada").await,
        app.user("grace").await,
        app.user("eve").await,
    );
    for sender in [&ada, &eve] {
        app.verify(sender).await;
    }
    let own = organization(&ada, "Shop Ltd").await;
    join(&ada, &own, &eve, "owner").await;
    let body = json!({"email": "grace@shop.example", "organizationId": own});
    let list = format!("/v1/auth/invitations?organizationId={own}");

    // A second invitation replaces the first.
    let (_, first) = invite(&mail, &ada, &body).await;
    let (second, token) = invite(&mail, &ada, &body).await;
    accept(&grace, &first).await.problem(404, "not_found");
    let listed = eve.get(&list).await.expect(200);
    assert_eq!(listed.header("x-total-count"), "1");
    assert_eq!(listed.json()[0]["id"], second["id"]);
    assert_eq!(
        eve.get("/v1/auth/invitations").await.json(),
        json!([]),
        "she sent none"
    );
    // Revocation.
    let path = format!("/v1/auth/invitations/{}", second["id"].as_str().unwrap());
    grace.delete(&path).await.problem(404, "not_found");
    eve.delete(&path).await.expect(204);
    accept(&grace, &token).await.problem(404, "not_found");
    // An invitation ends when its sender no longer owns the organization.
    let (_, token) = invite(&mail, &ada, &body).await;
    eve.delete(&format!("/v1/organizations/{own}/users/{}", ada.user_id))
        .await
        .expect(204);
    accept(&grace, &token).await.problem(404, "not_found");
    // Expiry.
    let (_, token) = invite(&mail, &eve, &body).await;
    app.clock.advance_days(7);
    app.clock.advance_seconds(60);
    accept(&grace, &token).await.problem(404, "not_found");
    assert_eq!(grace.get("/v1/organizations").await.json(), json!([]));
    assert_eq!(eve.get(&list).await.json(), json!([]));
});

both_with_mail!(only_owners_invite_to_one_target, |app, _mail| async move {
    let (ada, eve) = (app.user("ada").await, app.user("eve").await);
    let shop = ada.create("projects", &project(None)).await;
    let own = organization(&ada, "Shop Ltd").await;
    join(&ada, &own, &eve, "editor").await;
    let to = |target: Value| {
        let mut body = json!({"email": "new@shop.example"});
        body.as_object_mut()
            .unwrap()
            .extend(target.as_object().unwrap().clone());
        body
    };
    let code = |problem: Value| problem["errors"][0]["code"].as_str().unwrap().to_owned();
    let post =
        async |client: &Client, body: Value| client.post("/v1/auth/invitations", &body).await;
    let refused = post(&eve, to(json!({"projectId": shop})))
        .await
        .problem(422, "invalid");
    assert_eq!(code(refused), "unknown_project");
    post(&eve, to(json!({"organizationId": own})))
        .await
        .problem(403, "role_too_weak");
    let both = to(json!({"organizationId": own, "projectId": shop}));
    assert_eq!(
        code(post(&ada, both).await.problem(422, "invalid")),
        "required"
    );
    assert_eq!(
        code(post(&ada, to(json!({}))).await.problem(422, "invalid")),
        "required"
    );
    let bad = json!({"email": "nobody", "projectId": shop, "role": "editor"});
    assert_eq!(
        code(post(&ada, bad).await.problem(422, "invalid")),
        "invalid_email"
    );
    let bad = json!({"email": "a@b.example", "projectId": shop, "role": "king"});
    assert_eq!(
        post(&ada, bad).await.problem(422, "invalid")["errors"][0]["pointer"],
        "/role"
    );
});

both!(without_a_mail_server_nobody_is_invited, |app| async move {
    let ada = app.user("ada").await;
    let shop = ada.create("projects", &project(None)).await;
    let body = json!({"email": "new@shop.example", "projectId": shop});
    let refused = ada
        .post("/v1/auth/invitations", &body)
        .await
        .problem(422, "invalid");
    assert_eq!(refused["errors"][0]["code"], "mail_off");
});
