//! The OpenAPI 3.1 document: what handlers say of themselves, and what all of them share.

mod headers;

use axum::{Json, Router, response::IntoResponse, routing::get};
use domain::collection::Collection;
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref,
    RefOr, ResponseBuilder,
    path::Operation,
    schema::Schema,
    security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
};
use utoipa::{PartialSchema, ToSchema};

use crate::{docs, http::problem::Problem, router, state::AppState};

/// What every route has in common.
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
                .description(Some(
                    "From sign-up or sign-in, or an API key; also accepted as `access_token=`.",
                ))
                .build(),
        ),
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
        .security(Some([SecurityRequirement::new("bearer", [] as [&str; 0])]))
        .build()
}

/// Adds the answers that any operation may give.
pub fn finish(mut document: OpenApi) -> OpenApi {
    for item in document.paths.paths.values_mut() {
        let operations = [
            &mut item.get,
            &mut item.put,
            &mut item.post,
            &mut item.delete,
            &mut item.patch,
        ];
        for operation in operations.into_iter().flatten() {
            add_shared(operation);
            headers::add(operation);
        }
    }
    headers::define(document.components.get_or_insert_default());
    document
}

fn add_shared(operation: &mut Operation) {
    let shared = [
        ("400", "Malformed JSON, query or header."),
        ("403", "No valid access token, or a role that is too weak."),
        ("404", "Unknown, or not the caller's."),
        ("408", "The request took too long."),
        (
            "409",
            "It collides with what is there; `edited_meanwhile`: somebody else changed it just now.",
        ),
        ("413", "The body is too large."),
        ("415", "The body has an unsupported type."),
        ("422", "Fields break a rule; `errors` names all of them."),
        ("429", "Too many requests; see `Retry-After`."),
        ("500", "A fault of ours."),
        ("503", "A part of the service is away; see `Retry-After`."),
    ];
    for (status, description) in shared {
        operation
            .responses
            .responses
            .entry(status.to_owned())
            .or_insert_with(|| {
                let content = ContentBuilder::new()
                    .schema(Some(Ref::from_schema_name("Problem")))
                    .build();
                RefOr::T(
                    ResponseBuilder::new()
                        .description(description)
                        .content("application/problem+json", content)
                        .build(),
                )
            });
    }
}

/// The document's own routes.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route(
            "/v1/openapi.json",
            get(async || Json(router::document()).into_response()),
        )
        .route("/docs", get(docs::page))
}
