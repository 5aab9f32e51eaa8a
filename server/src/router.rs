//! The whole URL map on one screen, and the middleware in order.
//!
//! `routes!` takes a handler's method, path and documentation from one place, so the router and
//! the OpenAPI document cannot differ.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    api::{
        assets, auth, billing, client, consents, health, identities, invitations, organizations,
        publish, vault, vendors, webhooks,
    },
    cdn,
    http::{cors, limits, problem, request_id},
    openapi,
    state::AppState,
    ui,
};

/// Files of any size come here; the time between their bytes is bounded instead.
const UNHURRIED: &str = "/v1/app/imports/";

/// The API's routes with their documentation.
fn api() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::base())
        // auth
        .routes(routes!(auth::sign_up))
        .routes(routes!(auth::sign_in))
        .routes(routes!(auth::sign_out))
        .routes(routes!(auth::me, auth::update_me))
        .routes(routes!(auth::change_password))
        .routes(routes!(auth::forgot))
        .routes(routes!(auth::reset))
        .routes(routes!(auth::verify_email))
        .routes(routes!(auth::ask_verification))
        .routes(routes!(auth::sessions, auth::end_other_sessions))
        .routes(routes!(auth::end_session))
        .routes(routes!(auth::make_key, auth::keys))
        .routes(routes!(auth::revoke_key))
        .routes(routes!(auth::jwks))
        .routes(routes!(invitations::invite, invitations::list))
        .routes(routes!(invitations::read, invitations::revoke))
        .routes(routes!(invitations::accept))
        .routes(routes!(identities::providers))
        .routes(routes!(identities::begin))
        .routes(routes!(identities::finish))
        .routes(routes!(identities::list, identities::link))
        .routes(routes!(identities::unlink))
        // organizations
        .routes(routes!(organizations::create, organizations::list))
        .routes(routes!(
            organizations::read,
            organizations::update,
            organizations::delete
        ))
        .routes(routes!(
            organizations::list_members,
            organizations::add_member
        ))
        .routes(routes!(organizations::remove_member))
        // vault
        .routes(routes!(vault::create, vault::list))
        .routes(routes!(
            vault::read,
            vault::update,
            vault::patch,
            vault::delete
        ))
        .routes(routes!(vault::restore))
        .routes(routes!(vault::list_members, vault::add_member))
        .routes(routes!(vault::remove_member))
        // vendors
        .routes(routes!(vendors::list))
        .routes(routes!(vendors::read))
        .routes(routes!(vendors::categories))
        .routes(routes!(vendors::companies))
        // publish
        .routes(routes!(publish::start, publish::list))
        .routes(routes!(publish::read))
        .routes(routes!(publish::rollback))
        // app
        .routes(routes!(consents::collect))
        .routes(routes!(consents::lookup))
        .routes(routes!(consents::list))
        .routes(routes!(consents::read))
        .routes(routes!(consents::overview))
        .routes(routes!(consents::import))
        .routes(routes!(consents::erase))
        // client
        .routes(routes!(client::projects))
        .routes(routes!(client::project))
        .routes(routes!(client::tokens))
        .routes(routes!(client::consents))
        .routes(routes!(client::accepted))
        // webhooks
        .routes(routes!(webhooks::create, webhooks::list))
        .routes(routes!(webhooks::read, webhooks::update, webhooks::delete))
        .routes(routes!(webhooks::rotate))
        .routes(routes!(webhooks::test))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(webhooks::delivery))
        .routes(routes!(webhooks::retry))
        // assets
        .merge(
            OpenApiRouter::new()
                .routes(routes!(assets::upload, assets::list))
                .layer(DefaultBodyLimit::max(assets::UPLOAD_LIMIT)),
        )
        .routes(routes!(assets::serve, assets::delete))
        // billing
        .routes(routes!(billing::plans))
        .routes(routes!(billing::subscription))
        .routes(routes!(billing::checkout))
        .routes(routes!(billing::portal))
        .routes(routes!(billing::invoices))
        .routes(routes!(billing::stripe_event))
        // health
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
}

/// The OpenAPI document of [`api`], made once.
pub fn document() -> &'static utoipa::openapi::OpenApi {
    static DOCUMENT: LazyLock<utoipa::openapi::OpenApi> = LazyLock::new(|| {
        openapi::finish(
            api()
                .into_openapi()
                .merge_from(consents::Suffixed::openapi()),
        )
    });
    &DOCUMENT
}

/// Everything the server answers.
pub fn router(state: AppState) -> Router {
    let (api, _) = api().split_for_parts();
    let routes = api
        .merge(openapi::routes())
        .merge(cdn::routes())
        .route("/v1/app/exports/{file}", get(consents::export))
        .route("/v1/client", get(client::projects))
        .merge(ui::routes())
        .fallback(ui::missing);
    layered(routes, state)
}

/// Routes inside the middleware that everything goes through.
pub fn layered(routes: Router<AppState>, state: AppState) -> Router {
    routes
        // One stack around all routes, outermost first: a layer on the router itself would box
        // every request once more.
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(state.clone(), request_id::assign))
                .layer(from_fn(problem::finish))
                .layer(from_fn_with_state(state.clone(), guard))
                .layer(CatchPanicLayer::new())
                .layer(from_fn_with_state(state.clone(), cors::apply))
                .layer(from_fn_with_state(state.clone(), limits::apply)),
        )
        .with_state(state)
}

/// A request ends in time, answers to callers with credentials are for them alone, and nobody
/// guesses types.
async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let private = request.headers().contains_key(header::AUTHORIZATION)
        || request
            .uri()
            .query()
            .is_some_and(|query| query.contains("access_token="));
    let unhurried = request.uri().path().starts_with(UNHURRIED);
    let running = next.run(request);
    let mut response = if unhurried {
        running.await
    } else {
        tokio::time::timeout(state.http.connections.request, running)
            .await
            .unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response())
    };
    let headers = response.headers_mut();
    headers.insert(
        "x-content-type-options",
        HeaderValue::from_static("nosniff"),
    );
    if private && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// The generic vault paths answer with and without `/v1` (`interface.md`, "Versioning").
pub fn with_version(mut request: Request) -> Request {
    if !request.uri().path().starts_with("/vault/") {
        return request;
    }
    if let Some(path) = request.uri().path_and_query()
        && let Ok(versioned) = format!("/v1{path}").parse()
    {
        *request.uri_mut() = versioned;
    }
    request
}
