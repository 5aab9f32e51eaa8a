//! The OpenAPI 3.1 document: the descriptions of handlers, and the parts that all of them share.

mod documents;
mod events;
mod headers;
mod statuses;

use axum::{
    extract::State,
    http::{Method, header},
    response::{IntoResponse, Response},
    routing::get,
};
use domain::collection::Collection;
use serde_json::{Value, json};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, RefOr,
    schema::Schema,
    security::{
        ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
    },
};
use utoipa::{PartialSchema, ToSchema};

use crate::{
    docs,
    http::{
        policy::{Policies, Policy, Routes},
        problem::Problem,
    },
    router,
    state::AppState,
};

/// The common part of all routes.
pub fn base() -> OpenApi {
    let mut schemas: Vec<(String, RefOr<Schema>)> =
        vec![(Problem::name().into_owned(), Problem::schema())];
    Problem::schemas(&mut schemas);
    // Named by path parameters only.
    schemas.push((Collection::name().into_owned(), Collection::schema()));
    let mut components = ComponentsBuilder::new().security_scheme(
        "bearer",
        SecurityScheme::Http(
            HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .bearer_format("JWT")
                .description(Some("From sign-up or sign-in, or an API key."))
                .build(),
        ),
    );
    components = components.security_scheme(
        "access_token",
        SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::with_description(
            "access_token",
            "The same token for programs that cannot send headers. It is in no log of ours.",
        ))),
    );
    for (name, schema) in schemas {
        components = components.schema(name, schema);
    }
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Placet")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(
                    "Collect, prove and configure consent. Errors are RFC 9457 problems; lists are \
                     bare arrays with `X-Page`, `X-Per-Page`, `X-Last-Page`, `X-Total-Count` and `Link`.",
                ))
                .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
                .build(),
        )
        .components(Some(components.build()))
        .security(Some(["bearer", "access_token"].map(|scheme| {
            SecurityRequirement::new(scheme, [] as [&str; 0])
        })))
        .build()
}

/// Sub-services, as the document groups their operations.
const TAGS: [(&str, &str); 16] = [
    ("auth", "Accounts, access tokens, API keys, invitations."),
    ("organizations", "People who share projects."),
    (
        "vault",
        "Projects, configurations, boxes and custom vendors.",
    ),
    ("vendors", "The catalogue of services."),
    (
        "tcf",
        "IAB Europe's Global Vendor List, and Google's ad technology providers.",
    ),
    ("publish", "Publish jobs."),
    (
        "app",
        "Consents: collected from visitors, read and exported by members.",
    ),
    (
        "client",
        "Projects, tokens and consents for programs of a customer.",
    ),
    ("audit", "Who did what in a project."),
    (
        "concerns",
        "States of a project that its people should look at.",
    ),
    (
        "webhooks",
        "Endpoints of customers, called when something happens.",
    ),
    ("assets", "Files of customers."),
    ("ledger", "The signed states of the ledger of all proofs."),
    ("billing", "What organizations subscribe to."),
    ("operator", "For accounts of the operator of the server."),
    ("health", "How the server is."),
];

/// Adds the common parts of operations, and facts that the types of handlers do not tell.
pub fn finish(mut document: OpenApi, policies: &Policies) -> Value {
    for (path, item) in &mut document.paths.paths {
        let operations = [
            ("get", &mut item.get),
            ("put", &mut item.put),
            ("post", &mut item.post),
            ("delete", &mut item.delete),
            ("patch", &mut item.patch),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                let policy = policies.of_operation(path, method);
                statuses::add(method, operation, policy);
                headers::add(operation);
            }
        }
    }
    headers::define(document.components.get_or_insert_default());
    let mut document = serde_json::to_value(document).unwrap_or_default();
    for_generators(&mut document);
    documents::describe(&mut document);
    events::describe(&mut document);
    prune(&mut document);
    let tags = TAGS.map(|(name, about)| json!({"name": name, "description": about}));
    set(&mut document, "tags", json!(tags));
    serve_at(&mut document, "/");
    document
}

/// Sets a member of an object.
fn set(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value.into());
    }
}

/// Names the address of the server in the document.
fn serve_at(document: &mut Value, base_url: &str) {
    let servers = json!([{"url": base_url, "description": "This server."}]);
    set(document, "servers", servers);
}

/// Adds facts that the types of handlers cannot tell. Answers that are files are bytes and no lists
/// of numbers. A public operation needs no security: the types only say that one of its ways is
/// none. A body that may be left out is never `null`.
fn for_generators(document: &mut Value) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let items = paths.into_iter().flatten();
    let operations = items.filter_map(|(_, item)| item.as_object_mut()).flatten();
    for (_, operation) in operations {
        if operation.get("security") == Some(&json!([{}])) {
            set(operation, "security", json!([]));
        }
        let bodies = operation.pointer_mut("/requestBody/content");
        for (_, body) in bodies.and_then(Value::as_object_mut).into_iter().flatten() {
            let null = json!({"type": "null"});
            let ways = body.pointer("/schema/oneOf").and_then(Value::as_array);
            let schema = ways.and_then(|ways| ways.iter().find(|way| **way != null));
            if let Some(schema) = schema.cloned() {
                set(body, "schema", schema);
            }
        }
        let responses = operation
            .get_mut("responses")
            .and_then(Value::as_object_mut);
        for (_, response) in responses.into_iter().flatten() {
            let contents = response.get_mut("content").and_then(Value::as_object_mut);
            for (media, content) in contents.into_iter().flatten() {
                if media.starts_with("image/") || FILES.contains(&media.as_str()) {
                    let bytes = json!({"type": "string", "format": "binary"});
                    set(content, "schema", bytes);
                }
            }
        }
    }
}

/// Media types of files, besides those of pictures.
const FILES: [&str; 2] = ["application/pdf", "application/zip"];

/// Removes schemas that nothing refers to. A type with a flattened schema has the fields itself.
fn prune(document: &mut Value) {
    let text = document.to_string();
    let schemas = document.pointer_mut("/components/schemas");
    if let Some(schemas) = schemas.and_then(Value::as_object_mut) {
        schemas.retain(|name, _| text.contains(&format!("#/components/schemas/{name}\"")));
    }
}

/// The document with the address of this server, made once.
async fn document(State(state): State<AppState>) -> Response {
    let text = state.openapi.get_or_init(|| {
        let mut document = router::document().clone();
        serve_at(&mut document, &state.placet.config.base_url);
        document.to_string().into()
    });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (kind, text.clone()).into_response()
}

/// The document's own routes.
pub fn routes() -> Routes {
    let read = [Method::GET];
    Routes::new()
        .plain(Policy::API.open(), "/v1/openapi.json", &read, get(document))
        .plain(Policy::API, "/docs", &read, get(docs::page))
}
