//! The whole URL map on one screen, and the middleware in order.
//!
//! `routes!` takes a handler's method, path and documentation from one place, so the router and
//! the OpenAPI document cannot differ.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use domain::consent::CONSENT_BYTES;
use serde_json::Value;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::routes;

use crate::{
    api::{
        assets, audit, auth, billing, client, concerns, consent_files, consents, dossiers, health,
        identities, invitations, ledger, organizations, publish, tcf, vault, vendor_list, vendors,
        visitors, webhooks,
    },
    cdn,
    http::{
        access_log, cors, limits,
        policy::{Policy, Routes},
        problem::{self, Problem},
    },
    me, openapi,
    state::AppState,
    ui, verifier,
};

/// The generic vault paths answer with and without the version.
fn unversioned(path: &str) -> Option<&str> {
    path.strip_prefix("/v1")
}

fn without_slash(path: &str) -> Option<&str> {
    path.strip_suffix('/')
}

/// The API's routes with their documentation.
fn api() -> Routes {
    Routes::documented(openapi::base())
        // auth
        .api(Policy::CREDENTIALS, routes!(auth::sign_up))
        .api(Policy::CREDENTIALS, routes!(auth::sign_in))
        .api(Policy::CREDENTIALS, routes!(auth::begin_passkey_sign_in))
        .api(Policy::API, routes!(auth::sign_out))
        .api(Policy::API, routes!(auth::me))
        .api(Policy::CREDENTIALS, routes!(auth::update_me))
        .api(Policy::CREDENTIALS, routes!(auth::change_password))
        .api(Policy::LETTERS, routes!(auth::forgot))
        .api(Policy::CREDENTIALS, routes!(auth::reset))
        .api(Policy::CREDENTIALS, routes!(auth::verify_email))
        .api(Policy::LETTERS, routes!(auth::ask_verification))
        .api(Policy::API, routes!(auth::second_factor))
        .api(Policy::CREDENTIALS, routes!(auth::begin_second_factor))
        .api(Policy::CREDENTIALS, routes!(auth::confirm_second_factor))
        .api(Policy::CREDENTIALS, routes!(auth::renew_recovery_codes))
        .api(Policy::CREDENTIALS, routes!(auth::end_second_factor))
        .api(Policy::CREDENTIALS, routes!(auth::begin_passkey))
        .api(Policy::CREDENTIALS, routes!(auth::add_passkey))
        .api(Policy::CREDENTIALS, routes!(auth::end_passkey))
        .api(
            Policy::API,
            routes!(auth::sessions, auth::end_other_sessions),
        )
        .api(Policy::API, routes!(auth::end_session))
        .api(Policy::API, routes!(auth::make_key, auth::keys))
        .api(Policy::API, routes!(auth::revoke_key))
        .api(Policy::FREE.open(), routes!(auth::jwks))
        .api(Policy::LETTERS, routes!(invitations::invite))
        .api(Policy::API, routes!(invitations::list))
        .api(
            Policy::API.secret("invitation"),
            routes!(invitations::read, invitations::revoke),
        )
        .api(
            Policy::API.secret("invitation"),
            routes!(invitations::accept),
        )
        .api(Policy::API, routes!(identities::providers))
        .api(Policy::CREDENTIALS, routes!(identities::begin))
        .api(Policy::CREDENTIALS, routes!(identities::finish))
        .api(Policy::API, routes!(identities::list))
        .api(Policy::CREDENTIALS, routes!(identities::link))
        .api(Policy::CREDENTIALS, routes!(identities::unlink))
        // organizations
        .api(
            Policy::API,
            routes!(organizations::create, organizations::list),
        )
        .api(
            Policy::API,
            routes!(
                organizations::read,
                organizations::update,
                organizations::delete
            ),
        )
        .api(
            Policy::API,
            routes!(organizations::list_members, organizations::add_member),
        )
        .api(Policy::API, routes!(organizations::remove_member))
        // vault
        .also(
            Policy::API,
            unversioned,
            routes!(vault::create, vault::list),
        )
        .also(
            Policy::API,
            unversioned,
            routes!(vault::read, vault::update, vault::patch, vault::delete),
        )
        .also(Policy::API, unversioned, routes!(vault::restore))
        .also(
            Policy::API,
            unversioned,
            routes!(vault::list_members, vault::add_member),
        )
        .also(Policy::API, unversioned, routes!(vault::remove_member))
        // vendors
        .api(Policy::API, routes!(vendors::list))
        .api(Policy::API, routes!(vendors::read))
        .api(Policy::API, routes!(vendors::categories))
        .api(Policy::API, routes!(vendors::companies))
        // tcf
        .api(Policy::API, routes!(vendor_list::list))
        .api(Policy::API, routes!(vendor_list::vendors))
        .api(Policy::API, routes!(vendor_list::providers))
        // operator
        .api(Policy::API, routes!(vendor_list::operators))
        .api(Policy::API, routes!(ledger::status))
        .api(
            Policy::FILES.body(vendor_list::IMPORT_LIMIT),
            routes!(vendor_list::import),
        )
        // publish
        .api(Policy::API, routes!(publish::start))
        .api(Policy::API, routes!(publish::changes))
        .api(Policy::API, routes!(publish::publications))
        .api(Policy::API, routes!(publish::publication))
        .api(Policy::API, routes!(publish::prove))
        .api(
            Policy::API,
            routes!(publish::pictures, publish::take_pictures),
        )
        .api(Policy::API, routes!(publish::picture))
        .api(Policy::API, routes!(publish::scenes))
        .api(
            Policy::FILES.body(publish::EVIDENCE_LIMIT),
            routes!(publish::add_pictures),
        )
        .api(Policy::API, routes!(publish::list))
        // Polling is never limited.
        .api(Policy::FREE, routes!(publish::read))
        .api(Policy::API, routes!(publish::rollback))
        .api(Policy::API, routes!(publish::approve))
        .api(Policy::API, routes!(publish::cancel))
        // app
        .api(
            Policy::VISITORS.body(CONSENT_BYTES),
            routes!(consents::collect),
        )
        .api(
            Policy::VISITORS.body(4_096),
            routes!(consents::lookup, consents::ask),
        )
        .api(Policy::API, routes!(consents::list))
        .api(Policy::API, routes!(consents::read))
        .api(Policy::API, routes!(ledger::prove))
        .api(Policy::API, routes!(ledger::checkpoints))
        .api(Policy::API.body(4_096), routes!(dossiers::compile))
        .api(Policy::SECRETS, routes!(visitors::history))
        .api(Policy::SECRETS, routes!(visitors::erase))
        .api(Policy::SECRETS, routes!(visitors::read_answers))
        .api(Policy::SECRETS, routes!(visitors::prove))
        .api(Policy::API, routes!(consents::overview))
        .api(Policy::API, routes!(consents::report))
        .api(Policy::API.unhurried(), routes!(consent_files::import))
        .api(Policy::API.secret("token"), routes!(consents::erase))
        .api(Policy::API, routes!(tcf::decode))
        .api(Policy::VISITORS, routes!(tcf::storage))
        // client
        .also(Policy::API, without_slash, routes!(client::projects))
        .api(Policy::API, routes!(client::project))
        .api(Policy::API, routes!(client::tokens))
        .api(Policy::API.secret("token"), routes!(client::consents))
        .api(Policy::API, routes!(client::accepted))
        .api(Policy::VISITORS, routes!(client::snippet))
        // audit
        .api(Policy::API, routes!(audit::list))
        .api(Policy::API, routes!(concerns::list))
        // webhooks
        .api(Policy::API, routes!(webhooks::create, webhooks::list))
        .api(
            Policy::API,
            routes!(webhooks::read, webhooks::update, webhooks::delete),
        )
        .api(Policy::API, routes!(webhooks::rotate))
        .api(Policy::API, routes!(webhooks::test))
        .api(Policy::API, routes!(webhooks::deliveries))
        .api(Policy::API, routes!(webhooks::delivery))
        .api(Policy::API, routes!(webhooks::retry))
        // assets
        .api(
            Policy::FILES.body(assets::UPLOAD_LIMIT),
            routes!(assets::upload),
        )
        .api(Policy::FILES, routes!(assets::list))
        .api(Policy::FILES, routes!(assets::delete))
        .api(Policy::FILES.open(), routes!(assets::serve))
        // billing
        .api(Policy::API, routes!(billing::plans))
        .api(Policy::API, routes!(billing::subscription))
        .api(Policy::API, routes!(billing::checkout))
        .api(Policy::API, routes!(billing::portal))
        .api(Policy::API, routes!(billing::invoices))
        .api(Policy::API, routes!(billing::stripe_event))
        // health
        .api(Policy::FREE, routes!(health::live))
        .api(Policy::FREE, routes!(health::ready))
}

/// The OpenAPI document of [`api`], made once.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        let (document, policies) = api().into_openapi();
        openapi::finish(
            document.merge_from(consent_files::Suffixed::openapi()),
            &policies,
        )
    });
    &DOCUMENT
}

/// Everything the server answers.
pub fn router(state: AppState) -> Router {
    let read = [Method::GET];
    let routes = api()
        .plain(
            Policy::API,
            "/v1/app/exports/{file}",
            &read,
            get(consent_files::export),
        )
        .plain(
            Policy::API.open(),
            "/.well-known/placet-ledger.json",
            &read,
            get(ledger::about),
        )
        // No page, and no log shows what may have been meant as a secret.
        .plain(Policy::API.secret("rest"), "/v1/{*rest}", &[], any(missing))
        .merge(openapi::routes())
        .merge(cdn::routes())
        .merge(me::routes())
        .merge(verifier::routes())
        .merge(ui::routes());
    layered(routes, state)
}

/// Routes inside the middleware that everything goes through.
pub fn layered(routes: impl Into<Routes>, state: AppState) -> Router {
    let (router, policies) = routes.into().into_parts();
    router
        .fallback(ui::missing)
        // One stack around all routes, outermost first: a layer on the router itself would box
        // every request once more.
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(
                    (state.clone(), policies),
                    access_log::assign,
                ))
                .layer(from_fn(problem::finish))
                .layer(from_fn_with_state(state.clone(), guard))
                .layer(CatchPanicLayer::new())
                .layer(from_fn_with_state(state.clone(), cors::apply))
                .layer(from_fn_with_state(state.clone(), limits::apply)),
        )
        .with_state(state)
}

async fn missing() -> Problem {
    Problem::not_found()
}

/// A request ends in time, answers to callers with credentials are for them alone, and nobody
/// guesses types.
async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let private = request.headers().contains_key(header::AUTHORIZATION)
        || request
            .uri()
            .query()
            .is_some_and(|query| query.contains("access_token="));
    let unhurried = Policy::of(&request).is_unhurried;
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
