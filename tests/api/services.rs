//! The services of a project, as the admin UI lists them.

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, both};

/// Calls a server function of the admin UI as a signed-in person.
async fn ask(client: &Client, path: &str, body: &Value) -> Answer {
    let request = client.of_page(Method::POST, &format!("/ui/vendors/{path}"));
    client.send(request.json(body)).await
}

async fn list(client: &Client, project: &str, text: &str, page: u32) -> Value {
    let query = json!({"catalogue": false, "text": text, "page": page});
    let body = json!({"project": project, "query": query, "language": "en"});
    ask(client, "list", &body).await.expect(200).json()
}

async fn read(client: &Client, project: &str, service: &str) -> Answer {
    let body = json!({"project": project, "service": service, "language": "en"});
    ask(client, "read", &body).await
}

/// The names in a list, in its order; of a service that is gone its id.
fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            let key = if item["card"]["missing"] == true {
                "id"
            } else {
                "name"
            };
            item["card"][key].as_str().unwrap()
        })
        .collect()
}

async fn project(client: &Client) -> String {
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    client.create("projects", &project).await
}

async fn own(client: &Client, project: &str, name: &str, title: &str) -> String {
    let cookies = json!([{"name": "a", "maxAgeSeconds": 60}, {"name": "b", "maxAgeSeconds": 3600}]);
    let vendor = json!({"projectId": project, "name": name, "title": title, "company": "Own Ltd", "country": "IE",
        "categories": ["analytics", "our own"], "cookieFacts": cookies});
    client.create("vendors", &vendor).await
}

/// The id of an entry of the catalogue.
async fn listed(client: &Client, name: &str) -> String {
    let path = format!("/v1/vendors/solutions?data.name={name}");
    let found = client.get(&path).await.expect(200).json();
    found[0]["id"].as_str().unwrap().to_owned()
}

async fn configuration(client: &Client, project: &str, name: &str, vendors: &[&str]) -> String {
    let steps = json!([
        {"name": "welcome", "layout": "welcome"},
        {"name": "all", "layout": "category", "title": "Our services", "vendors": vendors},
    ]);
    let configuration = json!({"projectId": project, "name": name, "title": "Shop", "language": "fr", "steps": steps});
    client.create("cookies", &configuration).await
}

both!(
    services_in_use_are_listed_first_with_the_steps_that_ask_for_them,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        assert_eq!(list(&ada, &project, "", 1).await["total"], 0);
        own(&ada, &project, "unused", "A tool").await;
        let chat = own(&ada, &project, "chat", "Our Chat").await;
        let matomo = listed(&ada, "matomo").await;
        let youtube = listed(&ada, "youtube").await;
        let id = configuration(&ada, &project, "en", &[&chat, &youtube, &matomo]).await;
        configuration(&ada, &project, "de", &[&chat]).await;

        let all = list(&ada, &project, "", 1).await;
        assert_eq!(names(&all), ["matomo", "chat", "youtube", "unused"]);
        assert_eq!(all["total"], 4);
        assert_eq!(all["can_edit"], true);
        let [first, second, _, last] = all["items"].as_array().unwrap().as_slice() else {
            panic!("four services");
        };
        assert_eq!(first["card"]["category"], "Analytics");
        assert!(first["cookies"].as_u64().unwrap() > 3 && first["longest"].is_u64());
        let step =
            json!({"configuration": id, "title": "Shop", "step": 2, "step_title": "Our services"});
        assert_eq!(first["steps"], json!([step]));
        assert_eq!(second["total_steps"], 2);
        assert_eq!(second["card"]["category"], "Analytics, our own");
        assert_eq!(
            (&second["cookies"], &second["longest"]),
            (&json!(2), &json!(3600))
        );
        assert_eq!(second["country"], "IE");
        assert_eq!(last["total_steps"], 0);

        // Every word of a search is looked for, in capitals or not; `%` stands for itself.
        for (text, found) in [
            ("CHAT", vec!["chat"]),
            ("own chat", vec!["chat"]),
            ("google", vec!["youtube"]),
            ("chat%", vec![]),
            ("own tool chat", vec![]),
        ] {
            assert_eq!(names(&list(&ada, &project, text, 1).await), found, "{text}");
        }

        // Texts of the catalogue speak the language of the project, categories that of the page.
        let service = read(&ada, &project, &youtube).await.expect(200).json();
        assert_eq!(service["language"], "fr");
        assert_eq!(service["row"]["card"]["category"], "Video");
        assert_eq!(service["row"]["is_frame"], true);
        assert!(service["description"].as_str().unwrap().contains("vidéo"));
        assert!(service["domains"].as_array().unwrap().len() > 1);
        assert_eq!(service["can_edit"], false);
        let service = read(&ada, &project, &chat).await.expect(200).json();
        assert_eq!(service["can_edit"], true);
        assert_eq!(service["cookies"][1], json!({"name": "b", "max_age": 3600}));
        assert_eq!(service["row"]["steps"].as_array().unwrap().len(), 2);

        // A card is asked for by one id.
        let wish = json!({"id": chat, "language": "fr"});
        let card = ask(&ada, "card", &wish).await.expect(200).json();
        assert_eq!(
            (&card["name"], &card["custom"]),
            (&json!("chat"), &json!(true))
        );

        // The catalogue says which of its services the project uses.
        let query = json!({"catalogue": true, "text": "matomo", "page": 1});
        let body = json!({"project": project, "query": query, "language": "en"});
        let found = ask(&ada, "list", &body).await.expect(200).json();
        assert_eq!(names(&found)[0], "matomo");
        assert_eq!(found["items"][0]["steps"], json!([step]));
    }
);

both!(
    a_step_that_names_a_service_which_is_gone_is_told,
    |app| async move {
        let ada = app.user("ada").await;
        let (one, other) = (project(&ada).await, project(&ada).await);
        let chat = own(&ada, &one, "chat", "Our Chat").await;
        let elsewhere = own(&ada, &other, "elsewhere", "Another project's").await;
        let configuration = configuration(&ada, &one, "en", &[&chat, &elsewhere]).await;
        ada.delete(&format!("/v1/vault/vendors/{chat}"))
            .await
            .expect(204);

        let all = list(&ada, &one, "", 1).await;
        let mut gone = [chat.as_str(), elsewhere.as_str()];
        gone.sort_unstable();
        assert_eq!(names(&all), gone);
        let service = read(&ada, &one, &chat).await.expect(200).json();
        assert_eq!(service["row"]["card"]["missing"], true);
        assert_eq!(service["row"]["steps"][0]["configuration"], configuration);
        assert_eq!(list(&ada, &other, "", 1).await["total"], 1);
        // Nothing asks for it there.
        read(&ada, &other, &chat).await.expect(404);
    }
);

both!(a_long_list_of_own_services_has_pages, |app| async move {
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    for number in 0..27 {
        own(
            &ada,
            &project,
            &format!("s-{number:02}"),
            &format!("S {number:02}"),
        )
        .await;
    }
    let first = list(&ada, &project, "", 1).await;
    assert_eq!((names(&first).len(), &first["total"]), (25, &json!(27)));
    assert_eq!(names(&list(&ada, &project, "", 2).await), ["s-25", "s-26"]);
    assert_eq!(names(&list(&ada, &project, "s-26", 1).await), ["s-26"]);
});

both!(
    members_alone_read_the_services_of_a_project,
    |app| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let project = project(&ada).await;
        let chat = own(&ada, &project, "chat", "Our Chat").await;
        let query = json!({"catalogue": false, "text": "", "page": 1});
        let body = json!({"project": project, "query": query, "language": "en"});
        ask(&bob, "list", &body).await.expect(404);
        read(&bob, &project, &chat).await.expect(404);
        let users = format!("/v1/vault/projects/{project}/users");
        let member = json!({"userId": bob.user_id, "role": "viewer"});
        ada.post(&users, &member).await.expect(201);
        assert_eq!(list(&bob, &project, "", 1).await["can_edit"], false);
        let service = read(&bob, &project, &chat).await.expect(200).json();
        assert_eq!(service["can_edit"], false);
        let long = json!({"catalogue": false, "text": "x".repeat(201), "page": 1});
        let body = json!({"project": project, "query": long, "language": "en"});
        ask(&bob, "list", &body).await.expect(400);
    }
);
