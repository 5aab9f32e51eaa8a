//! Every route × {nobody, stranger, viewer, dpo, editor, owner, operator}.
//!
//! The table has the permissions. The test fails if the router has an operation that the table lacks. A
//! refused caller gets 403 without credentials, 404 without a role, and 403 with a role that is too weak. A
//! permitted caller gets none of these.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, TestApp, both_with_mail, gvl, seed, tcf};

use crate::openapi::document;

/// The required role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// Everybody, without credentials.
    Public,
    /// Every signed-in user, for data of their own.
    User,
    /// A role on the project.
    Viewer,
    Dpo,
    Editor,
    Owner,
    /// An account of the operator of the server; no role on a project is one.
    Operator,
}

use Need::{Dpo, Editor, Operator, Owner, Public, User, Viewer};

/// Operations on data of the caller, operations that end the caller's session, operations with a mailed token or a
/// provider's, and operations with a file of somebody else. `auth.rs`, `keys.rs`, `organizations.rs`, `oidc.rs` and
/// `tcf_storage.rs` test their permissions.
const OWN: [&str; 9] = [
    "app.vendorStorage",
    "auth.beginLogin",
    "auth.finishLogin",
    "auth.unlinkIdentity",
    "auth.readInvitation",
    "auth.signOut",
    "auth.endSession",
    "auth.revokeKey",
    "auth.acceptInvitation",
];

/// Operations on a project or an organization that leave no entry in the audit log: they send again what was stored
/// already, concern what the organization pays, which the billing provider records, or remove the log.
const UNRECORDED: [&str; 5] = [
    "webhooks.test",
    "webhooks.retry",
    "billing.checkout",
    "billing.portal",
    "organizations.delete",
];

/// Operations that only read, and tell of visitors.
const READS_CONSENTS: [&str; 7] = [
    "app.list",
    "app.read",
    "app.prove",
    "app.export",
    "client.tokens",
    "client.consents",
    "client.accepted",
];

/// One call of an operation: its id, required role, path and body.
struct Row(&'static str, Need, &'static str, Option<Value>);

fn table() -> Vec<Row> {
    let some = || Some(json!({}));
    let project_body = || Some(json!({"websiteURL": "https://shop.example", "title": "Shop"}));
    let webhook = |topic: &str| json!({"method": "POST", "url": "http://127.0.0.1:9/", "event": format!("{topic}/{{project}}")});
    let configuration_body = || Some(json!({"projectId": "{project}"}));
    vec![
        Row("health.live", Public, "/health/live", None),
        Row("health.ready", Public, "/health/ready", None),
        Row("auth.signUp", Public, "/v1/auth/local/signup", some()),
        Row("auth.signIn", Public, "/v1/auth/local/signin", some()),
        Row("auth.forgot", Public, "/v1/auth/local/forgot", some()),
        Row("auth.reset", Public, "/v1/auth/local/reset", some()),
        Row("auth.verifyEmail", Public, "/v1/auth/local/verify", some()),
        Row(
            "auth.askVerification",
            User,
            "/v1/auth/me/verification",
            None,
        ),
        Row(
            "auth.beginPasskeySignIn",
            Public,
            "/v1/auth/local/signin/passkey",
            some(),
        ),
        Row("auth.jwks", Public, "/.well-known/jwks.json", None),
        Row("auth.me", User, "/v1/auth/me", None),
        Row("auth.updateMe", User, "/v1/auth/me", some()),
        Row(
            "auth.changePassword",
            User,
            "/v1/auth/local/password",
            some(),
        ),
        Row("auth.secondFactor", User, "/v1/auth/me/second-factor", None),
        Row(
            "auth.beginSecondFactor",
            User,
            "/v1/auth/me/second-factor",
            some(),
        ),
        Row(
            "auth.confirmSecondFactor",
            User,
            "/v1/auth/me/second-factor/confirm",
            some(),
        ),
        Row(
            "auth.renewRecoveryCodes",
            User,
            "/v1/auth/me/second-factor/recovery-codes",
            some(),
        ),
        Row(
            "auth.endSecondFactor",
            User,
            "/v1/auth/me/second-factor/end",
            some(),
        ),
        Row(
            "auth.beginPasskey",
            User,
            "/v1/auth/me/second-factor/passkeys/begin",
            some(),
        ),
        Row(
            "auth.addPasskey",
            User,
            "/v1/auth/me/second-factor/passkeys",
            some(),
        ),
        Row(
            "auth.endPasskey",
            User,
            "/v1/auth/me/second-factor/passkeys/{other}/end",
            some(),
        ),
        Row("auth.sessions", User, "/v1/auth/sessions", None),
        Row("auth.endOtherSessions", User, "/v1/auth/sessions", None),
        Row("auth.endSession", User, "/v1/auth/sessions/{other}", None),
        Row("auth.keys", User, "/v1/auth/keys", None),
        Row("auth.makeKey", User, "/v1/auth/keys", some()),
        Row("auth.revokeKey", User, "/v1/auth/keys/{other}", None),
        Row(
            "auth.invite",
            Owner,
            "/v1/auth/invitations",
            Some(json!({"email": "new@shop.example", "projectId": "{project}"})),
        ),
        Row("auth.invitations", User, "/v1/auth/invitations", None),
        Row(
            "auth.invitations",
            Owner,
            "/v1/auth/invitations?projectId={project}",
            None,
        ),
        Row(
            "auth.invitations",
            Owner,
            "/v1/auth/invitations?organizationId={organization}",
            None,
        ),
        Row(
            "auth.readInvitation",
            Public,
            "/v1/auth/invitations/{token}",
            None,
        ),
        Row(
            "auth.revokeInvitation",
            Owner,
            "/v1/auth/invitations/{invitation}",
            None,
        ),
        Row(
            "auth.acceptInvitation",
            User,
            "/v1/auth/invitations/{token}/accept",
            None,
        ),
        Row("auth.providers", Public, "/v1/auth/oidc", None),
        Row("auth.beginLogin", Public, "/v1/auth/oidc/none", None),
        Row(
            "auth.finishLogin",
            Public,
            "/v1/auth/oidc/none/callback",
            None,
        ),
        Row("auth.identities", User, "/v1/auth/identities", None),
        Row("auth.linkIdentity", User, "/v1/auth/identities", some()),
        Row(
            "auth.unlinkIdentity",
            User,
            "/v1/auth/identities/{other}",
            None,
        ),
        Row("organizations.list", User, "/v1/organizations", None),
        Row("organizations.create", User, "/v1/organizations", some()),
        Row(
            "organizations.read",
            Viewer,
            "/v1/organizations/{organization}",
            None,
        ),
        Row(
            "organizations.update",
            Owner,
            "/v1/organizations/{organization}",
            Some(json!({"name": "Other"})),
        ),
        Row(
            "organizations.delete",
            Owner,
            "/v1/organizations/{organization}",
            None,
        ),
        Row(
            "organizations.listMembers",
            Viewer,
            "/v1/organizations/{organization}/users",
            None,
        ),
        Row(
            "organizations.addMember",
            Owner,
            "/v1/organizations/{organization}/users",
            Some(json!({"userId": "{other}"})),
        ),
        Row(
            "organizations.removeMember",
            Owner,
            "/v1/organizations/{organization}/users/{member}",
            None,
        ),
        Row("auth.signOut", User, "/v1/auth/signout", None),
        Row("vault.list", User, "/v1/vault/cookies", None),
        Row("vault.create", User, "/v1/vault/projects", project_body()),
        Row(
            "vault.create",
            Editor,
            "/v1/vault/cookies",
            configuration_body(),
        ),
        Row("vault.read", Viewer, "/v1/vault/cookies/{document}", None),
        Row("vault.read", Viewer, "/v1/vault/projects/{project}", None),
        Row(
            "vault.update",
            Editor,
            "/v1/vault/cookies/{document}",
            configuration_body(),
        ),
        Row(
            "vault.update",
            Editor,
            "/v1/vault/projects/{project}",
            project_body(),
        ),
        Row(
            "vault.patch",
            Editor,
            "/v1/vault/cookies/{document}",
            some(),
        ),
        Row("vault.delete", Editor, "/v1/vault/cookies/{document}", None),
        Row("vault.delete", Owner, "/v1/vault/projects/{project}", None),
        Row(
            "vault.restore",
            Editor,
            "/v1/vault/cookies/{deleted}/restore",
            None,
        ),
        Row(
            "vault.listMembers",
            Viewer,
            "/v1/vault/projects/{project}/users",
            None,
        ),
        Row(
            "vault.listMembers",
            Viewer,
            "/v1/vault/cookies/{document}/users",
            None,
        ),
        Row(
            "vault.addMember",
            Owner,
            "/v1/vault/projects/{project}/users",
            Some(json!({"userId": "{other}"})),
        ),
        Row(
            "vault.addMember",
            Owner,
            "/v1/vault/cookies/{document}/users",
            Some(json!({"userId": "{other}"})),
        ),
        Row(
            "vault.removeMember",
            Owner,
            "/v1/vault/projects/{project}/users/{member}",
            None,
        ),
        Row("vendors.list", User, "/v1/vendors/solutions", None),
        Row("vendors.read", User, "/v1/vendors/solutions/{vendor}", None),
        Row("vendors.categories", User, "/v1/vendors/categories", None),
        Row("vendors.companies", User, "/v1/vendors/companies", None),
        Row("tcf.list", User, "/v1/tcf/list", None),
        Row("tcf.vendors", User, "/v1/tcf/vendors", None),
        Row("tcf.providers", User, "/v1/tcf/providers", None),
        Row("ledger.checkpoints", User, "/v1/ledger/checkpoints", None),
        Row("operator.ledger", Operator, "/v1/operator/ledger", None),
        Row(
            "operator.vendorList",
            Operator,
            "/v1/operator/vendor-list",
            None,
        ),
        Row(
            "operator.importVendorList",
            Operator,
            "/v1/operator/vendor-list",
            None,
        ),
        Row("publish.start", Editor, "/v1/publish/jobs/{project}", None),
        Row(
            "publish.changes",
            Viewer,
            "/v1/publish/changes/{project}",
            None,
        ),
        Row(
            "publish.publications",
            Viewer,
            "/v1/publish/publications/{project}",
            None,
        ),
        Row(
            "publish.publication",
            Viewer,
            "/v1/publish/publications/{project}/{document}/made%20by%20hand",
            None,
        ),
        Row(
            "publish.prove",
            Viewer,
            "/v1/publish/publications/{project}/{document}/made%20by%20hand/proof",
            None,
        ),
        Row(
            "publish.pictures",
            Viewer,
            "/v1/publish/publications/{project}/{document}/made%20by%20hand/pictures",
            None,
        ),
        Row(
            "publish.picture",
            Viewer,
            "/v1/publish/publications/{project}/{document}/made%20by%20hand/pictures/list",
            None,
        ),
        Row(
            "publish.scenes",
            Editor,
            "/v1/publish/publications/{project}/{document}/made%20by%20hand/evidence",
            None,
        ),
        Row(
            "publish.addPictures",
            Editor,
            "/v1/publish/publications/{project}/{document}/made%20by%20hand/evidence",
            some(),
        ),
        Row(
            "publish.takePictures",
            Editor,
            "/v1/publish/publications/{project}/{document}/made%20by%20hand/pictures",
            None,
        ),
        Row("publish.list", Viewer, "/v1/publish/jobs/{project}", None),
        Row(
            "publish.read",
            Viewer,
            "/v1/publish/jobs/{project}/{job}",
            None,
        ),
        Row(
            "publish.rollback",
            Editor,
            "/v1/publish/jobs/{project}/{job}/rollback",
            None,
        ),
        Row(
            "publish.approve",
            Editor,
            "/v1/publish/jobs/{project}/{job}/approve",
            None,
        ),
        Row(
            "publish.cancel",
            Editor,
            "/v1/publish/jobs/{project}/{job}/cancel",
            None,
        ),
        Row(
            "app.collect",
            Public,
            "/v1/app/consents/{project}/cookies/{document}",
            Some(json!({"accept": true, "token": "t"})),
        ),
        Row(
            "app.lookup",
            Public,
            "/v1/app/consent/{project}?token=t&service=cookies&identifier={document}",
            None,
        ),
        Row("app.list", Viewer, "/v1/app/consents/{project}", None),
        Row(
            "app.read",
            Viewer,
            "/v1/app/consents/{project}/{consent}",
            None,
        ),
        Row(
            "app.prove",
            Viewer,
            "/v1/app/consents/{project}/{consent}/proof",
            None,
        ),
        Row(
            "app.erase",
            Dpo,
            "/v1/app/consents/{project}/tokens/t",
            None,
        ),
        Row(
            "app.history",
            Public,
            "/v1/app/history/{project}",
            Some(json!({"token": "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f"})),
        ),
        Row(
            "app.eraseOwn",
            Public,
            "/v1/app/erasures/{project}",
            Some(json!({"token": "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f"})),
        ),
        Row(
            "app.proveOwn",
            Public,
            "/v1/app/proofs/{project}/{consent}",
            some(),
        ),
        Row("audit.list", Dpo, "/v1/audit/{project}", None),
        Row("concerns.list", Viewer, "/v1/concerns/{project}", None),
        Row(
            "app.dossier",
            Viewer,
            "/v1/app/dossiers/{project}",
            Some(json!({"token": "t"})),
        ),
        Row("app.report", Viewer, "/v1/app/reports/{project}", None),
        Row("app.overview", Viewer, "/v1/app/overviews/{project}", None),
        Row(
            "app.decodeTcString",
            User,
            "/v1/app/tcf/decode?tc=CQSbk4AQSbk4ANwAAAENAwCgAAAAAAAAAAYgACPAAAAA.IDKQA4AAgAKAGQAygAAA",
            None,
        ),
        Row(
            "app.vendorStorage",
            Public,
            "/v1/app/tcf/vendors/1/storage",
            None,
        ),
        Row(
            "client.snippet",
            Public,
            "/v1/client/{project}/snippet/en",
            None,
        ),
        Row("client.projects", User, "/v1/client/", None),
        Row("client.project", Viewer, "/v1/client/{project}", None),
        Row("client.tokens", Viewer, "/v1/client/{project}/tokens", None),
        Row(
            "client.consents",
            Viewer,
            "/v1/client/{project}/consents/t",
            None,
        ),
        Row(
            "client.accepted",
            Viewer,
            "/v1/client/{project}/tokens/accepted/{document}",
            None,
        ),
        Row(
            "webhooks.create",
            Editor,
            "/v1/webhooks",
            Some(webhook("consent")),
        ),
        Row("webhooks.list", User, "/v1/webhooks", None),
        Row("webhooks.read", Viewer, "/v1/webhooks/{webhook}", None),
        Row(
            "webhooks.update",
            Editor,
            "/v1/webhooks/{webhook}",
            Some(webhook("publish")),
        ),
        Row("webhooks.delete", Editor, "/v1/webhooks/{webhook}", None),
        Row(
            "webhooks.rotate",
            Editor,
            "/v1/webhooks/{webhook}/rotate",
            None,
        ),
        Row("webhooks.test", Editor, "/v1/webhooks/{webhook}/test", None),
        Row(
            "webhooks.deliveries",
            Viewer,
            "/v1/webhooks/{webhook}/deliveries",
            None,
        ),
        Row(
            "webhooks.delivery",
            Viewer,
            "/v1/webhooks/{webhook}/deliveries/{delivery}",
            None,
        ),
        Row(
            "webhooks.retry",
            Editor,
            "/v1/webhooks/{webhook}/deliveries/{delivery}/retry",
            None,
        ),
        Row("assets.upload", Editor, "/v1/assets", None),
        Row(
            "assets.list",
            Viewer,
            "/v1/assets?projectId={project}",
            None,
        ),
        Row("assets.read", Public, "/v1/assets/{asset}", None),
        Row("assets.delete", Editor, "/v1/assets/{asset}", None),
        Row(
            "billing.subscription",
            Viewer,
            "/v1/billing/organizations/{organization}/subscription",
            None,
        ),
        Row(
            "billing.checkout",
            Owner,
            "/v1/billing/organizations/{organization}/checkout",
            None,
        ),
        Row(
            "billing.portal",
            Owner,
            "/v1/billing/organizations/{organization}/portal",
            None,
        ),
        Row(
            "billing.invoices",
            Owner,
            "/v1/billing/organizations/{organization}/invoices",
            None,
        ),
        Row("billing.plans", User, "/v1/billing/plans", None),
        Row(
            "billing.stripeEvent",
            Public,
            "/v1/billing/stripe/events",
            Some(json!({})),
        ),
        Row("app.import", Editor, "/v1/app/imports/{project}", None),
        Row("app.export", Viewer, "/v1/app/exports/{project}.csv", None),
    ]
}

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
        for (client, role) in [
            (&actors.viewer, "viewer"),
            (&actors.dpo, "dpo"),
            (&actors.editor, "editor"),
            (&actors.member, "viewer"),
        ] {
            let body = json!({"userId": client.user_id, "role": role});
            owner
                .post(&format!("/v1/vault/projects/{project}/users"), &body)
                .await
                .expect(201);
        }
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
            publication: "made by hand",
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
            for (client, role) in [
                (&actors.viewer, "viewer"),
                (&actors.dpo, "dpo"),
                (&actors.editor, "editor"),
                (&actors.member, "viewer"),
            ] {
                let body = json!({"userId": client.user_id, "role": role});
                owner
                    .post(&format!("/v1/organizations/{id}/users"), &body)
                    .await
                    .expect(201);
            }
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

/// Entries of all audit logs.
async fn recorded(app: &TestApp) -> u64 {
    let count = app.placet.db.query("SELECT COUNT(*) FROM audit").count();
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
                let entries = recorded(&app).await;
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
                    assert!(recorded(&app).await > entries, "{what} leaves no entry");
                } else if !allowed {
                    assert_eq!(recorded(&app).await, entries, "{what} leaves an entry");
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
