//! Copies of configurations and boxes, as the admin UI makes them: what goes along, and who may.

use std::time::Duration;

use image::ImageFormat;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use service::quota::Limits;
use tests::{Answer, Client, Engine, TestApp, both, on_both, pictures::picture, until};

use super::organizations::organization;

/// The request for a copy, in another project if one is named.
fn wish(
    client: &Client,
    (collection, id): (&str, &str),
    project: Option<&str>,
    title: Option<&str>,
) -> RequestBuilder {
    let request = client.of_page(Method::POST, "/ui/documents/copy");
    let body = json!({"collection": collection, "id": id, "project": project, "title": title});
    request.json(&body)
}

async fn copy(
    client: &Client,
    original: (&str, &str),
    project: Option<&str>,
    title: Option<&str>,
) -> Answer {
    client.send(wish(client, original, project, title)).await
}

async fn project(client: &Client, title: &str) -> String {
    let project = json!({"websiteURL": "https://shop.example", "title": title});
    client.create("projects", &project).await
}

async fn own(client: &Client, project: &str, name: &str) -> String {
    let vendor = json!({"projectId": project, "name": name, "title": name, "company": "Own Ltd"});
    client.create("vendors", &vendor).await
}

async fn image(client: &Client, project: &str) -> String {
    let png = picture(60, 40, ImageFormat::Png);
    let kept = client.upload(project, "shop.png", png).await.expect(201);
    kept.json()["id"].as_str().unwrap().to_owned()
}

/// The documents of a project in a collection, oldest first.
async fn held(client: &Client, collection: &str, project: &str) -> Vec<Value> {
    let path = format!("/v1/vault/{collection}?projectId={project}");
    let list = client.get(&path).await.expect(200).json();
    list.as_array().unwrap().clone()
}

async fn files(client: &Client, project: &str) -> Vec<Value> {
    let path = format!("/v1/assets?projectId={project}");
    let list = client.get(&path).await.expect(200).json();
    list.as_array().unwrap().clone()
}

fn ids(documents: &[Value]) -> Vec<&Value> {
    documents.iter().map(|document| &document["id"]).collect()
}

both!(
    a_copy_in_another_project_brings_its_services_and_files,
    |app| async move {
        let ada = app.user("ada").await;
        let (here, there) = (project(&ada, "Here").await, project(&ada, "There").await);
        let (chat, maps) = (
            own(&ada, &here, "chat").await,
            own(&ada, &here, "maps").await,
        );
        let gone = own(&ada, &here, "gone").await;
        let chat_there = own(&ada, &there, "chat").await;
        let listed = ada.get("/v1/vendors/solutions?data.name=matomo").await;
        let listed = listed.expect(200).json()[0]["id"].clone();
        let (shown, lost) = (image(&ada, &here).await, image(&ada, &here).await);
        let vendors = json!([{"id": chat, "optional": true}, maps, gone, listed]);
        let configuration = json!({"projectId": here, "name": "en", "title": "English", "isDefault": true, "steps": [
            {"name": "welcome", "layout": "welcome", "title": "Hello", "image": shown},
            {"name": "services", "layout": "category", "title": "Services", "image": lost, "vendors": vendors},
        ]});
        let id = ada.create("cookies", &configuration).await;
        ada.delete(&format!("/v1/vault/vendors/{gone}"))
            .await
            .expect(204);
        ada.delete(&format!("/v1/assets/{lost}")).await.expect(204);

        let made = copy(&ada, ("cookies", &id), Some(&there), None).await;
        let made = made.expect(200).json();
        assert_eq!(made["left_out"], 2, "{made}");
        let vendors = held(&ada, "vendors", &there).await;
        assert_eq!(vendors.len(), 2, "{vendors:?}");
        assert_eq!(vendors[0]["id"], chat_there.as_str());
        assert_eq!(vendors[1]["data"]["name"], "maps");
        let pictures = files(&ada, &there).await;
        assert_eq!(pictures.len(), 1, "{pictures:?}");
        assert_eq!(pictures[0]["originalName"], "shop.png");
        let copies = held(&ada, "cookies", &there).await;
        assert_eq!(ids(&copies), [&made["id"]]);
        let expected = json!({"projectId": there, "name": "en", "title": "English", "steps": [
            {"name": "welcome", "layout": "welcome", "title": "Hello", "image": pictures[0]["id"]},
            {"name": "services", "layout": "category", "title": "Services",
             "vendors": [{"id": chat_there, "optional": true}, vendors[1]["id"], listed]},
        ]});
        assert_eq!(copies[0]["data"], expected);
        // The original is as it was, and the copy is published with what came along.
        let original = ada
            .get(&format!("/v1/vault/cookies/{id}"))
            .await
            .expect(200);
        assert_eq!(original.json()["data"], configuration);
        let path = format!("/v1/publish/jobs/{there}");
        let job = ada.post(&path, &json!({})).await.expect(202).json();
        let job = ada.ended(&job).await;
        assert_eq!(job["status"], "complete", "{job}");

        // Again: its services are there, and its name is taken.
        let again = copy(&ada, ("cookies", &id), Some(&there), Some("Again")).await;
        let again = again.expect(200).json();
        assert_eq!(held(&ada, "vendors", &there).await.len(), 2);
        let copies = held(&ada, "cookies", &there).await;
        let second = copies.iter().find(|copy| copy["id"] == again["id"]);
        let second = &second.unwrap()["data"];
        assert_eq!(
            (&second["name"], &second["title"]),
            (&json!("en-copy"), &json!("Again"))
        );

        // Beside the original nothing is copied along.
        copy(&ada, ("cookies", &id), None, None).await.expect(200);
        assert_eq!(files(&ada, &here).await.len(), 1);
        assert_eq!(held(&ada, "vendors", &here).await.len(), 2);
        let beside = &held(&ada, "cookies", &here).await[1]["data"];
        assert_eq!(beside["name"], "en-copy");
        assert_eq!(beside["steps"][0]["image"], shown.as_str());
        assert_eq!(
            beside["steps"][1]["vendors"],
            json!([{"id": chat, "optional": true}, maps, listed])
        );
    }
);

both!(boxes_are_copied_with_their_files, |app| async move {
    let ada = app.user("ada").await;
    let (here, there) = (project(&ada, "Here").await, project(&ada, "There").await);
    let terms = ada.upload(&here, "terms.pdf", b"%PDF-1.7 terms".to_vec());
    let terms = terms.await.expect(201).json();
    let contract = json!({"projectId": here, "title": "Terms", "file": terms["id"]});
    let id = ada.create("contracts", &contract).await;
    copy(&ada, ("contracts", &id), Some(&there), None)
        .await
        .expect(200);
    let (kept, made) = (
        files(&ada, &there).await,
        held(&ada, "contracts", &there).await,
    );
    assert_eq!(made[0]["data"]["file"], kept[0]["id"]);
    assert_ne!(kept[0]["id"], terms["id"]);
    // Projects, and documents of other collections, have no copies.
    for (collection, id) in [("projects", &here), ("contracts", &there)] {
        let refused = copy(&ada, (collection, id), Some(&there), None).await;
        assert!(!refused.status.is_success(), "{collection}");
    }
    assert_eq!(held(&ada, "contracts", &there).await.len(), 1);
});

both!(
    copies_need_a_reader_here_and_an_editor_there,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let (here, there) = (project(&ada, "Here").await, project(&eve, "There").await);
        let (chat, shown) = (own(&ada, &here, "chat").await, image(&ada, &here).await);
        let configuration = json!({"projectId": here, "name": "en", "title": "English", "steps": [
            {"name": "services", "layout": "category", "title": "Services", "image": shown, "vendors": [chat]},
        ]});
        let id = ada.create("cookies", &configuration).await;
        let refused = async |who: &Client, status: u16| {
            let answer = copy(who, ("cookies", &id), Some(&there), None).await;
            assert_eq!(answer.status.as_u16(), status);
            for collection in ["cookies", "vendors"] {
                assert_eq!(held(&eve, collection, &there).await.len(), 0);
            }
            assert_eq!(files(&eve, &there).await.len(), 0);
        };
        // Not for somebody who may write there and not read here, nor the other way round.
        refused(&eve, 404).await;
        refused(&ada, 404).await;
        let members = format!("/v1/vault/projects/{there}/users");
        let as_viewer = json!({"userId": ada.user_id, "role": "viewer"});
        eve.post(&members, &as_viewer).await.expect(201);
        refused(&ada, 403).await;

        let members = format!("/v1/vault/projects/{here}/users");
        let as_viewer = json!({"userId": eve.user_id, "role": "viewer"});
        ada.post(&members, &as_viewer).await.expect(201);
        copy(&eve, ("cookies", &id), Some(&there), None)
            .await
            .expect(200);
        // The bytes count for the person who copies.
        assert_eq!(files(&eve, &there).await.len(), 1);
        // A viewer copies nothing within the project.
        let beside = copy(&eve, ("cookies", &id), None, None).await;
        assert_eq!(beside.status.as_u16(), 403);
    }
);

both!(
    services_that_others_may_not_use_are_copied_or_left_out,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let firm = organization(&ada, "Firm").await;
        let here =
            json!({"websiteURL": "https://shop.example", "title": "Here", "organizationId": firm});
        let here = ada.create("projects", &here).await;
        let there = project(&eve, "There").await;
        let as_viewer = json!({"userId": eve.user_id, "role": "viewer"});
        ada.post(&format!("/v1/organizations/{firm}/users"), &as_viewer)
            .await
            .expect(201);
        let shared = json!({"organizationId": firm, "name": "shared", "title": "Shared"});
        let shared = ada.create("vendors", &shared).await;
        let configuration = json!({"projectId": here, "name": "en", "title": "English", "steps": [
            {"name": "services", "layout": "category", "title": "Services", "vendors": [shared]},
        ]});
        let id = ada.create("cookies", &configuration).await;
        // One of the organization serves its projects alone.
        let made = copy(&eve, ("cookies", &id), Some(&there), None)
            .await
            .expect(200);
        assert_eq!(made.json()["left_out"], 0);
        let vendors = held(&eve, "vendors", &there).await;
        assert_eq!(
            vendors[0]["data"],
            json!({"projectId": there, "name": "shared", "title": "Shared"})
        );
        let named =
            |copies: &[Value]| copies.last().unwrap()["data"]["steps"][0]["vendors"].clone();
        assert_eq!(
            named(&held(&eve, "cookies", &there).await),
            json!([vendors[0]["id"]])
        );
        copy(&ada, ("cookies", &id), None, None).await.expect(200);
        assert_eq!(named(&held(&ada, "cookies", &here).await), json!([shared]));

        // One of a person alone is left out for others.
        let personal = ada
            .create("vendors", &json!({"name": "mine", "title": "Mine"}))
            .await;
        let patch = json!({"steps": [{"name": "services", "layout": "category", "title": "Services", "vendors": [personal]}]});
        ada.patch(&format!("/v1/vault/cookies/{id}"), &patch)
            .await
            .expect(200);
        let members = format!("/v1/vault/projects/{here}/users");
        let as_editor = json!({"userId": eve.user_id, "role": "editor"});
        ada.post(&members, &as_editor).await.expect(201);
        let made = copy(&eve, ("cookies", &id), None, None).await.expect(200);
        assert_eq!(made.json()["left_out"], 1);
        assert_eq!(named(&held(&eve, "cookies", &here).await), json!([]));
    }
);

both!(
    a_copy_that_would_be_refused_copies_nothing_along,
    |app| async move {
        let ada = app.user("ada").await;
        let (here, there) = (project(&ada, "Here").await, project(&ada, "There").await);
        let (chat, shown) = (own(&ada, &here, "chat").await, image(&ada, &here).await);
        let configuration = json!({"projectId": here, "name": "EN", "title": "English", "steps": [
            {"name": "services", "layout": "category", "title": "Services", "image": shown, "vendors": [chat]},
        ]});
        let id = ada.create("cookies", &configuration).await;
        let taken = ["en", "en-copy"].map(str::to_owned).into_iter();
        for name in taken.chain((2..50).map(|number| format!("en-copy-{number}"))) {
            ada.create("cookies", &json!({"projectId": there, "name": name}))
                .await;
        }
        let long = "x".repeat(5_000);
        for title in [None, Some(long.as_str())] {
            let refused = copy(&ada, ("cookies", &id), Some(&there), title).await;
            assert_eq!(refused.status.as_u16(), 422);
            assert_eq!(files(&ada, &there).await.len(), 0);
            assert_eq!(held(&ada, "vendors", &there).await.len(), 0);
        }
    }
);

async fn a_copy_without_room_leaves_nothing_behind(engine: Engine) {
    let app = TestApp::set_up(engine, None, |config| {
        config.quota.limits = Some(Limits {
            held: 60_000,
            ..Limits::default()
        });
    })
    .await;
    let ada = app.user("ada").await;
    app.clock.advance_days(8);
    let (here, there) = (project(&ada, "Here").await, project(&ada, "There").await);
    let chat = own(&ada, &here, "chat").await;
    let configuration = json!({"projectId": here, "name": "en", "note": "x".repeat(28_000), "steps": [
        {"name": "services", "layout": "category", "title": "Services", "vendors": [chat]},
    ]});
    let id = ada.create("cookies", &configuration).await;
    // There is room for the service, and not for the configuration.
    let refused = copy(&ada, ("cookies", &id), Some(&there), None).await;
    assert_eq!(refused.status.as_u16(), 409, "{}", refused.text);
    for path in ["vendors?", "cookies?", "vendors?deleted=true&"] {
        let path = format!("/v1/vault/{path}projectId={there}");
        assert_eq!(ada.get(&path).await.expect(200).json(), json!([]), "{path}");
    }
}

on_both!(a_copy_without_room_leaves_nothing_behind);

both!(a_copy_is_whole_if_its_caller_leaves, |app| async move {
    let ada = app.user("ada").await;
    let (here, there) = (project(&ada, "Here").await, project(&ada, "There").await);
    let terms = [b"%PDF-1.7 ".as_slice(), &vec![0; 4 * 1024 * 1024]].concat();
    let terms = ada
        .upload(&here, "terms.pdf", terms)
        .await
        .expect(201)
        .json();
    let contract = json!({"projectId": here, "title": "Terms", "file": terms["id"]});
    let id = ada.create("contracts", &contract).await;
    // Some leave before anything is done, some in the midst of it.
    for millis in [1, 3, 6, 9, 12, 15, 20] {
        let asking = wish(&ada, ("contracts", &id), Some(&there), None).send();
        let _ = tokio::time::timeout(Duration::from_millis(millis), asking).await;
    }
    let folder = app.config().data_dir.join("cdn/assets");
    until("each copy has its file, and each file a copy", async || {
        let documents = held(&ada, "contracts", &there).await;
        let kept = files(&ada, &there).await;
        let objects = std::fs::read_dir(&folder).unwrap().count();
        (documents.len() == kept.len() && objects == kept.len() + 1).then_some(())
    })
    .await;
});

both!(
    a_project_begins_like_another_with_its_files,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let shop = project(&ada, "Shop").await;
        let (logo, lost) = (image(&ada, &shop).await, image(&ada, &shop).await);
        let look = json!({"logo": logo, "darkLogo": lost, "colors": {"main": "#0a7"}, "domains": ["shop.example"]});
        let path = format!("/v1/vault/projects/{shop}");
        ada.patch(&path, &look).await.expect(200);
        ada.delete(&format!("/v1/assets/{lost}")).await.expect(204);
        let given = json!({"title": "Blog", "websiteURL": "https://blog.example"});
        let begin = async |who: &Client, given: &Value| {
            let request = who.of_page(Method::POST, "/ui/projects/begin-like");
            let body = json!({"from": shop, "data": given});
            who.send(request.json(&body)).await
        };

        let begun = begin(&ada, &given).await.expect(200).json();
        assert_eq!(begun["left_out"], 1, "{begun}");
        assert_eq!(begun["content"], json!([]));
        let blog = begun["id"].as_str().unwrap();
        let copied = files(&ada, blog).await;
        assert_eq!(copied.len(), 1, "{copied:?}");
        let path = format!("/v1/vault/projects/{blog}");
        let data = ada.get(&path).await.expect(200).json()["data"].clone();
        let expected = json!({"title": "Blog", "websiteURL": "https://blog.example", "logo": copied[0]["id"], "colors": {"main": "#0a7"}});
        assert_eq!(data, expected);

        // Refused data leave no project behind, and a stranger learns nothing.
        let titles = async |who: &Client| {
            let list = who.get("/v1/vault/projects").await.expect(200).json();
            list.as_array().unwrap().len()
        };
        begin(&ada, &json!({"title": "", "websiteURL": "x"}))
            .await
            .expect(422);
        assert_eq!(titles(&ada).await, 2);
        begin(&eve, &given).await.expect(404);
        assert_eq!(titles(&eve).await, 0);
    }
);
