//! Every route × {nobody, stranger, viewer, dpo, editor, owner, operator}.
//!
//! The table has the permissions. The test fails if the router has an operation that the table lacks. A
//! refused caller gets 403 without credentials, 404 without a role, and 403 with a role that is too weak. A
//! permitted caller gets none of these.

mod table;

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, TestApp, both_with_mail, gvl, seed, tcf};
use uuid::Uuid;

use self::table::{
    Need::{Dpo, Editor, Operator, Owner, Public, User, Viewer},
    OWN, READS_CONSENTS, Row, UNRECORDED, table,
};
use crate::openapi::document;

/// A project with one member of each role. It is new for each row, because some rows delete things.
struct Fixture {
    replace: Vec<(&'static str, String)>,
}

impl Fixture {
    async fn make(app: &TestApp, actors: &Actors, path: &str) -> Self {
        let owner = &actors.owner;
        let project = owner
            .create(
                "projects",
                &json!({"websiteURL": "https://shop.example", "title": "Shop",
                    "retention": {"visitorErasure": true}}),
            )
            .await;
        actors
            .join(&format!("/v1/vault/projects/{project}/users"))
            .await;
        let document = owner
            .create("cookies", &json!({"projectId": project}))
            .await;
        let deleted = owner
            .create("cookies", &json!({"projectId": project}))
            .await;
        owner
            .delete(&format!("/v1/vault/cookies/{deleted}"))
            .await
            .expect(204);
        let published = seed::Published {
            collection: "cookies",
            id: &document,
            publication: tests::PUBLICATION,
            vendors: &[],
        };
        seed::publish(&app.placet.db, &project, &json!({}), &[published]).await;
        if path.contains("/pictures/") {
            seed::pictures(&app.placet.db, &project, &published).await;
        }
        let consent = actors
            .nobody
            .post(
                &format!("/v1/app/consents/{project}/cookies/{document}"),
                &json!({"accept": true, "token": "t"}),
            )
            .await
            .expect(201)
            .json();
        let consent = consent["consentId"].as_str().expect("an id").to_owned();
        // A publish takes time, so only rows about publishing make one.
        let job = if path.contains("{job}") {
            let job = owner
                .post(&format!("/v1/publish/jobs/{project}"), &json!({}))
                .await
                .expect(202)
                .json();
            job["_id"].as_str().expect("an id").to_owned()
        } else {
            String::new()
        };
        let (webhook, delivery) = if path.contains("{webhook}") {
            let body = json!({"method": "POST", "url": "http://127.0.0.1:9/", "event": format!("consent/{project}")});
            let webhook = owner.post("/v1/webhooks", &body).await.expect(201).json();
            let webhook = webhook["id"].as_str().expect("an id").to_owned();
            let test = format!("/v1/webhooks/{webhook}/test");
            let delivery = owner.post(&test, &json!({})).await.expect(202).json();
            (webhook, delivery["id"].as_str().expect("an id").to_owned())
        } else {
            Default::default()
        };
        let organization = if path.contains("{organization}") {
            let made = owner
                .post("/v1/organizations", &json!({"name": "Shop Ltd"}))
                .await
                .expect(201)
                .json();
            let id = made["id"].as_str().expect("an id").to_owned();
            actors.join(&format!("/v1/organizations/{id}/users")).await;
            id
        } else {
            String::new()
        };
        let invitation = if path.contains("{invitation}") {
            let body = json!({"email": "new@shop.example", "projectId": project});
            let made = owner.post("/v1/auth/invitations", &body).await.expect(201);
            made.json()["id"].as_str().expect("an id").to_owned()
        } else {
            String::new()
        };
        let asset = if path.contains("{asset}") {
            let answer = owner
                .upload(&project, "a.pdf", b"%PDF-1.4\n".to_vec())
                .await;
            answer.expect(201).json()["id"]
                .as_str()
                .expect("an id")
                .to_owned()
        } else {
            String::new()
        };
        let vendor = app
            .placet
            .vendors
            .ids_by_name(&["matomo"])
            .await
            .expect("the database answers");
        Self {
            replace: vec![
                ("{vendor}", vendor.first().expect("an entry").to_string()),
                ("{project}", project),
                ("{document}", document),
                ("{deleted}", deleted),
                ("{job}", job),
                ("{organization}", organization),
                ("{invitation}", invitation),
                ("{publication}", tests::PUBLICATION.to_owned()),
                ("{consent}", consent),
                ("{asset}", asset),
                ("{webhook}", webhook),
                ("{delivery}", delivery),
                ("{other}", actors.other.user_id.clone()),
                ("{member}", actors.member.user_id.clone()),
            ],
        }
    }

    fn fill(&self, text: &str) -> String {
        self.replace
            .iter()
            .fold(text.to_owned(), |text, (key, value)| {
                text.replace(key, value)
            })
    }
}

struct Actors {
    nobody: Client,
    stranger: Client,
    viewer: Client,
    dpo: Client,
    editor: Client,
    owner: Client,
    operator: Client,
    member: Client,
    other: Client,
}

impl Actors {
    async fn make(app: &TestApp) -> Self {
        Self {
            nobody: app.nobody(),
            stranger: app.user("stranger").await,
            viewer: app.user("viewer").await,
            dpo: app.user("dpo").await,
            editor: app.user("editor").await,
            owner: app.user("owner").await,
            operator: app.operator().await,
            member: app.user("member").await,
            other: app.user("other").await,
        }
    }

    /// Gives one of each role to a project or an organization, by the path of its members.
    async fn join(&self, path: &str) {
        for (client, role) in [
            (&self.viewer, "viewer"),
            (&self.dpo, "dpo"),
            (&self.editor, "editor"),
            (&self.member, "viewer"),
        ] {
            let body = json!({"userId": client.user_id, "role": role});
            self.owner.post(path, &body).await.expect(201);
        }
    }
}

fn method_of(document: &Value, operation: &str) -> Method {
    let paths = document["paths"].as_object().expect("paths");
    let found = paths
        .values()
        .flat_map(|item| item.as_object().expect("operations"))
        .find(|(_, value)| value["operationId"] == operation);
    let (method, _) = found.unwrap_or_else(|| panic!("the router does not know {operation}"));
    method.to_uppercase().parse().expect("a method")
}

fn operations(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().expect("paths");
    paths
        .values()
        .flat_map(|item| item.as_object().expect("operations").values())
        .filter_map(|operation| operation["operationId"].as_str())
        // Those of one collection are the generic ones with a schema of their own (`vault.cookies.read`).
        .filter(|id| id.matches('.').count() == 1)
        .map(str::to_owned)
        .collect()
}

/// Headers of Placet, besides those that begin with `x-`.
const HEADERS: [&str; 6] = [
    "location",
    "etag",
    "link",
    "content-language",
    "content-disposition",
    "www-authenticate",
];

/// The document describes every answer and its headers.
fn is_told(document: &Value, operation: &str, answer: &Answer) {
    let paths = document["paths"].as_object().expect("paths");
    let mut operations = paths
        .values()
        .flat_map(|item| item.as_object().expect("operations").values());
    let found = operations.find(|found| found["operationId"] == operation);
    let status = answer.status.as_u16().to_string();
    let told = &found.expect("the operation")["responses"][&status]["headers"];
    let told = told.as_object();
    let told = told.unwrap_or_else(|| panic!("{operation} is not told to answer {status}"));
    for name in answer
        .headers
        .keys()
        .map(reqwest::header::HeaderName::as_str)
    {
        let ours = name.starts_with("x-") && name != "x-content-type-options";
        assert!(
            !(ours || HEADERS.contains(&name))
                || told.keys().any(|known| known.eq_ignore_ascii_case(name)),
            "{operation} {status}: {name} is not told"
        );
    }
}

/// Files that an operator imports.
fn lists() -> Vec<(String, Vec<u8>)> {
    vec![
        tcf::file(tcf::LIST, &gvl::list(1, 20)),
        ("providers.csv".to_owned(), b"89,Measurewell".to_vec()),
    ]
}

/// Entries of a person in all audit logs. Those of others may come meanwhile: publishes end, and Placet erases.
async fn recorded(app: &TestApp, by: &Client) -> u64 {
    let Ok(id) = by.user_id.parse::<Uuid>() else {
        return 0;
    };
    let count = "SELECT COUNT(*) FROM audit WHERE user_id = $1";
    let count = app.placet.db.query(count).bind(id).count();
    count.await.expect("the database answers")
}

both_with_mail!(
    every_route_answers_every_role_as_the_table_says,
    |app, mail| async move {
        let document = document(&app).await;
        let known: BTreeSet<String> = table().iter().map(|row| row.0.to_owned()).collect();
        assert_eq!(
            operations(&document),
            known,
            "the router and the table know the same operations"
        );

        let actors = Actors::make(&app).await;
        app.verify(&actors.owner).await;
        let imported = app.placet.tcf.import(lists(), false).await;
        imported.expect("there is a list");
        for Row(operation, need, path, body) in table() {
            let method = method_of(&document, operation);
            // Refused and reading callers change nothing, so the next caller uses the same project.
            let mut fixture = Fixture::make(&app, &actors, path).await;
            for (name, client, role) in [
                ("nobody", &actors.nobody, None),
                ("stranger", &actors.stranger, Some(User)),
                ("viewer", &actors.viewer, Some(Viewer)),
                ("dpo", &actors.dpo, Some(Dpo)),
                ("editor", &actors.editor, Some(Editor)),
                ("owner", &actors.owner, Some(Owner)),
                ("operator", &actors.operator, Some(Operator)),
            ] {
                // The operator has no role on the project.
                if role == Some(Operator) && ![User, Operator].contains(&need) {
                    continue;
                }
                if OWN.contains(&operation) && (role.is_some() || need == Public) {
                    continue;
                }
                let mut request = client.request(method.clone(), &fixture.fill(path));
                if let Some(body) = &body {
                    let body: Value =
                        serde_json::from_str(&fixture.fill(&body.to_string())).expect("JSON");
                    request = request.json(&body);
                }
                if operation == "assets.upload" {
                    // A form instead of JSON.
                    let pdf = b"%PDF-1.4\n".to_vec();
                    request = client.upload_request(&fixture.fill("{project}"), "a.pdf", pdf);
                }
                if operation == "operator.importVendorList" {
                    request = client.list_request(&lists(), false);
                }
                let entries = recorded(&app, client).await;
                let answer = client.send(request).await;
                is_told(&document, operation, &answer);
                let status = answer.status.as_u16();
                let what = format!("{operation} {path} as {name}: {status} {}", answer.text);
                let allowed = match role {
                    None => need == Public,
                    Some(role) => role >= need,
                };
                let of_project = need >= Viewer && need != Operator;
                let changes = method != Method::GET && of_project;
                let records = changes && !UNRECORDED.contains(&operation)
                    || READS_CONSENTS.contains(&operation);
                if records && answer.status.is_success() {
                    assert!(
                        recorded(&app, client).await > entries,
                        "{what} leaves no entry"
                    );
                } else if !allowed {
                    assert_eq!(
                        recorded(&app, client).await,
                        entries,
                        "{what} leaves an entry"
                    );
                }
                if allowed {
                    assert!(!matches!(status, 403 | 404 | 405 | 500..=599), "{what}");
                    if method != Method::GET {
                        fixture = Fixture::make(&app, &actors, path).await;
                    }
                } else if role.is_none() {
                    assert_eq!(answer.json()["code"], "unauthenticated", "{what}");
                } else if need == Operator {
                    let code = answer.json()["code"].as_str().unwrap_or("").to_owned();
                    assert_eq!((status, code.as_str()), (403, "not_operator"), "{what}");
                } else if role == Some(User) {
                    // A stranger is told that nothing exists. A project in a body is an invalid field.
                    assert!(
                        status == 404 || (status == 422 && answer.text.contains("unknown_project")),
                        "{what}"
                    );
                } else {
                    assert_eq!(
                        (status, answer.json()["code"].as_str().unwrap_or("")),
                        (403, "role_too_weak"),
                        "{what}"
                    );
                }
            }
        }
    }
);
