//! The table of operations and the roles that they take.

use serde_json::{Value, json};

/// The required role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
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
pub(super) const OWN: [&str; 9] = [
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
pub(super) const UNRECORDED: [&str; 5] = [
    "webhooks.test",
    "webhooks.retry",
    "billing.checkout",
    "billing.portal",
    "organizations.delete",
];

/// Operations that only read, and tell of visitors.
pub(super) const READS_CONSENTS: [&str; 7] = [
    "app.list",
    "app.read",
    "app.prove",
    "app.export",
    "client.tokens",
    "client.consents",
    "client.accepted",
];

/// One call of an operation: its id, required role, path and body.
pub(super) struct Row(
    pub &'static str,
    pub Need,
    pub &'static str,
    pub Option<Value>,
);

pub(super) fn table() -> Vec<Row> {
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
            "/v1/publish/publications/{project}/{document}/{publication}",
            None,
        ),
        Row(
            "publish.prove",
            Viewer,
            "/v1/publish/publications/{project}/{document}/{publication}/proof",
            None,
        ),
        Row(
            "publish.pictures",
            Viewer,
            "/v1/publish/publications/{project}/{document}/{publication}/pictures",
            None,
        ),
        Row(
            "publish.picture",
            Viewer,
            "/v1/publish/publications/{project}/{document}/{publication}/pictures/list",
            None,
        ),
        Row(
            "publish.scenes",
            Editor,
            "/v1/publish/publications/{project}/{document}/{publication}/evidence",
            None,
        ),
        Row(
            "publish.addPictures",
            Editor,
            "/v1/publish/publications/{project}/{document}/{publication}/evidence",
            some(),
        ),
        Row(
            "publish.takePictures",
            Editor,
            "/v1/publish/publications/{project}/{document}/{publication}/pictures",
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
        Row(
            "app.ask",
            Public,
            "/v1/app/consent/{project}",
            Some(json!({"token": "t", "service": "cookies", "identifier": "{document}"})),
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
            "app.readOwnAnswers",
            Public,
            "/v1/app/answers/{project}/{consent}",
            some(),
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
