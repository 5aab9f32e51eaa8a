//! Hosts the admin UI: its pages, its server functions under `/ui/`, its files, and the files that people give and take
//! there (`files`).
//!
//! The session cookie holds the same token as the API's and counts here only: on `/v1` it
//! authenticates nothing. Server functions are public endpoints, so they are reached from our own
//! pages alone (origin check) and decide in `service` who may do what, as the API does.

mod files;
mod tasks;

use app::address::{PROVIDER_AWAY, address, is_local_path, sign_in_path};
use app::cookies::{self, Secure};
use app::fns::server::{Network, StatusOf, Visitor};
use app::fns::{account, assets as files_of, gate, passwords, people, second_factor, session};
use app::i18n::Locale;
use app::map::{Page, Part};
use app::onward::onward;
use app::session::{Preferences, Theme};
use app::{PageAssets, RenderedAt};
use askama::Template;
use axum::{
    Form,
    body::{Body, to_bytes},
    extract::{FromRequestParts, Path, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header, request::Parts},
    middleware::{Next, from_fn},
    response::{Html, IntoResponse, Redirect, Response},
    routing::{MethodRouter, get, post},
};
use domain::{
    error_code::ErrorCode,
    format,
    json::{self, Fault, MOST_VALUES},
};
use leptos::nonce::use_nonce;
use leptos::prelude::{provide_context, use_context};
use leptos::server_fn::ServerFn;
use leptos_axum::{ResponseOptions, generate_route_list};
use serde::Deserialize;
use service::{Error, access::Actor, auth::Authenticated};
use tower_http::{CompressionLevel, compression::CompressionLayer};

use crate::{
    api::identities::login_cookie,
    assets,
    http::{
        client::Client,
        headers,
        policy::{Policy, Routes},
        problem::{self, Problem},
    },
    state::AppState,
};

/// Server functions that are not treated like the others.
const FUNCTIONS: [(Policy, &str); 20] = [
    (Policy::CREDENTIALS, session::SignIn::PATH),
    (Policy::CREDENTIALS, session::SignUp::PATH),
    (Policy::CREDENTIALS, session::UpdateAccount::PATH),
    (Policy::CREDENTIALS, session::ChangePassword::PATH),
    (Policy::CREDENTIALS, gate::ResetPassword::PATH),
    (Policy::CREDENTIALS, gate::VerifyEmail::PATH),
    (Policy::CREDENTIALS, account::RemoveWay::PATH),
    (Policy::CREDENTIALS, second_factor::AskForPasskey::PATH),
    (Policy::CREDENTIALS, second_factor::BeginSecondFactor::PATH),
    (
        Policy::CREDENTIALS,
        second_factor::ConfirmSecondFactor::PATH,
    ),
    (Policy::CREDENTIALS, second_factor::EndSecondFactor::PATH),
    (Policy::CREDENTIALS, second_factor::RenewRecoveryCodes::PATH),
    (Policy::CREDENTIALS, second_factor::BeginPasskey::PATH),
    (Policy::CREDENTIALS, second_factor::AddPasskey::PATH),
    (Policy::CREDENTIALS, second_factor::EndPasskey::PATH),
    (Policy::TYPING, passwords::PasswordStrength::PATH),
    (Policy::LETTERS, gate::ForgotPassword::PATH),
    (Policy::LETTERS, gate::SendVerification::PATH),
    (Policy::LETTERS, people::Invite::PATH),
    (Policy::FILES, files_of::ReadAsset::PATH),
];

/// Every page, `/ui/…`, and the icon that browsers ask for by themselves.
pub fn routes() -> Routes {
    tasks::prepare();
    let (read, write) = ([Method::GET], [Method::POST]);
    let function = || compressed(post(server_function));
    let ours = Policy::API.of_pages();
    let mut routes = files::routes()
        .plain(
            ours,
            "/ui/{*path}",
            &[Method::GET, Method::POST],
            get(file).merge(function()),
        )
        .plain(
            Policy::CREDENTIALS.of_pages(),
            account::LINK,
            &write,
            post(link),
        )
        .plain(Policy::FREE, "/favicon.ico", &read, get(icon));
    for (policy, path) in FUNCTIONS {
        routes = routes.plain(policy.of_pages(), path, &write, function());
    }
    for page_of in &generate_route_list(app::App) {
        routes = routes.plain(Policy::API, page_of.path(), &read, compressed(get(page)));
    }
    routes
}

/// Answers paths without a route: with a page for people, with a plain 404 for programs.
pub async fn missing(state: State<AppState>, request: Request) -> Response {
    let wants_page = request.method() == Method::GET && headers::is_of_browser(request.headers());
    if wants_page {
        render(state.0, request, Visitor(None)).await
    } else {
        StatusCode::NOT_FOUND.into_response()
    }
}

/// True if the address holds U+0000, which no database keeps.
fn names_nul(uri: &Uri) -> bool {
    uri.path_and_query()
        .is_some_and(|text| text.as_str().contains("%00"))
}

/// True if the text holds U+0000: as JSON in a string or key of it, else as a form.
fn holds_nul(text: &[u8]) -> bool {
    let has = |part: &[u8]| text.windows(part.len()).any(|window| window == part);
    if !(has(b"\0") || has(b"%00") || has(b"u0000")) {
        return false;
    }
    match json::outline(text, MOST_VALUES) {
        Ok(outline) => format::holds_nul(&outline),
        Err(_) => has(b"\0") || has(b"%00"),
    }
}

/// True if the text is JSON of more values than a body has.
fn is_too_much(text: &[u8]) -> bool {
    json::may_exceed(text, MOST_VALUES)
        && matches!(json::outline(text, MOST_VALUES), Err(Fault::TooMany(_)))
}

async fn page(State(state): State<AppState>, request: Request) -> Response {
    if names_nul(request.uri()) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let session = match session(&state, request.headers()).await {
        Ok(session) => session,
        Err(problem) => return away(problem),
    };
    let path = request.uri().path();
    let page = Page::of(path);
    // A person with a session has no business there.
    let is_gate = page.is_some_and(|page| page.part() == Part::Gate);
    let needs_session = page.is_none_or(|page| Page::SIGNED_IN.contains(&page));
    match session {
        Some(_) if is_gate => private(Redirect::to(&next_of(&request)).into_response()),
        None if needs_session => {
            let here = request
                .uri()
                .path_and_query()
                .map_or("/", |here| here.as_str());
            private(Redirect::to(&sign_in_path(here)).into_response())
        }
        session => render(state, request, Visitor(session)).await,
    }
}

/// Redirect target of sign-in pages for users who are already signed in.
fn next_of(request: &Request) -> String {
    url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes())
        .find(|(name, _)| name == "next")
        .map(|(_, next)| next.into_owned())
        .filter(|next| is_local_path(next))
        .unwrap_or_else(|| "/".to_owned())
}

/// The caller's session; `None` without one, and where it has ended. Counts a request of the account.
pub(crate) async fn session(
    state: &AppState,
    headers: &HeaderMap,
) -> Result<Option<Authenticated>, Problem> {
    let Some(token) = cookies::read(headers, cookies::session_name(secure(state))) else {
        return Ok(None);
    };
    let session = match state.placet.auth.authenticate(&token).await {
        Ok(session) => session,
        Err(Error::Unauthenticated) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let now = state.placet.config.clock.now();
    state.http.limiter.account(session.user, now)?;
    Ok(Some(session))
}

fn secure(state: &AppState) -> Secure {
    Secure(state.http.origin.starts_with("https:"))
}

async fn render(state: AppState, request: Request, visitor: Visitor) -> Response {
    let client = Client::of(&state, request.extensions(), request.headers());
    let give = context(&state, &client, request.headers(), visitor);
    let context = move || {
        give();
        announce_policy();
    };
    let handler = leptos_axum::render_app_async_with_context(context, app::shell);
    private(handler(request).await)
}

/// Compresses answers to our own pages. The answer to another site's page is sent as it is: who chooses a part of it
/// and sees the length of the whole could guess the rest (breachattack.com).
fn compressed(handlers: MethodRouter<AppState>) -> MethodRouter<AppState> {
    async fn unless_foreign(mut request: Request, next: Next) -> Response {
        let site = request.headers().get("sec-fetch-site");
        if !site.is_some_and(|site| site == "same-origin" || site == "none") {
            request.headers_mut().remove(header::ACCEPT_ENCODING);
        }
        next.run(request).await
    }
    let compression = CompressionLayer::new().quality(CompressionLevel::Fastest);
    handlers.layer(compression).layer(from_fn(unless_foreign))
}

/// The session of a page of ours that sends this.
async fn session_of_page(
    state: &AppState,
    headers: &HeaderMap,
) -> Result<Option<Authenticated>, Problem> {
    if !from_own_page(state, headers) {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            ErrorCode::ForeignOrigin,
            "Only pages of this server may do this.",
        ));
    }
    session(state, headers).await
}

/// Somebody who is signed in and sends this from a page of ours.
struct Person(Authenticated);

impl Person {
    /// As who they act.
    fn actor(&self) -> Actor {
        self.0.actor()
    }
}

impl FromRequestParts<AppState> for Person {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let session = session_of_page(state, &parts.headers).await?;
        Ok(Self(session.ok_or(Error::Unauthenticated)?))
    }
}

/// The way to sign in that is to be added.
#[derive(Deserialize)]
struct WayIn {
    /// Name of the provider.
    #[serde(default)]
    provider: String,
    /// The current password of an account that has one.
    #[serde(default)]
    present_password: Option<String>,
}

/// Sends the browser to a provider, to link an identity there.
async fn link(
    State(state): State<AppState>,
    headers: HeaderMap,
    Form(way): Form<WayIn>,
) -> Response {
    private(match begin_link(&state, &headers, way).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    })
}

async fn begin_link(
    state: &AppState,
    headers: &HeaderMap,
    way: WayIn,
) -> Result<Response, Problem> {
    let provider = way.provider.as_str();
    let account =
        |code| Redirect::to(&address(Page::Account.path(), &[("login", code)])).into_response();
    let Some(session) = session_of_page(state, headers).await? else {
        return Ok(Redirect::to(&sign_in_path(Page::Account.path())).into_response());
    };
    let auth = &state.placet.auth;
    let linked = address(Page::Account.path(), &[("linked", "1")]);
    let begun = auth.begin_link(provider, &session, way.present_password, &linked);
    let begun = match begun.await {
        Err(Error::Invalid(errors)) => {
            let code = errors
                .first()
                .map_or(ErrorCode::LoginFailed, |error| error.code);
            return Ok(account(code.as_str()));
        }
        Err(Error::TooMany { .. }) => return Ok(account(ErrorCode::TooManyRequests.as_str())),
        Ok(begun) => begun,
        Err(Error::Unavailable) => return Ok(account(PROVIDER_AWAY)),
        Err(Error::Busy) => return Ok(account(ErrorCode::Unavailable.as_str())),
        Err(Error::NotFound) => return Ok(account(ErrorCode::LoginFailed.as_str())),
        Err(error) => return Err(error.into()),
    };
    let providers = auth.oidc_providers().into_iter();
    let title = providers
        .filter(|known| known.name == provider)
        .map(|known| known.title)
        .next();
    let locale = preferences(headers).locale;
    let page = onward(locale, &begun.url, &title.unwrap_or_default());
    let policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let kept = login_cookie(state, &begun)?;
    let headers = [
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(policy),
        ),
        (header::SET_COOKIE, kept),
    ];
    Ok((headers, Html(page)).into_response())
}

async fn server_function(State(state): State<AppState>, request: Request) -> Response {
    let session = match session_of_page(&state, request.headers()).await {
        Ok(session) => session,
        Err(problem) => return problem.into_response(),
    };
    let most = Policy::of(&request).body;
    let (parts, body) = request.into_parts();
    // The layer's limit holds for extractors only.
    let Ok(body) = to_bytes(body, most).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if is_too_much(&body) {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    }
    if names_nul(&parts.uri) || holds_nul(&body) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let client = Client::of(&state, &parts.extensions, &parts.headers);
    let context = context(&state, &client, &parts.headers, Visitor(session));
    let request = Request::from_parts(parts, Body::from(body));
    let answer = leptos_axum::handle_server_fns_with_context(context, request).await;
    private(answer.into_response())
}

/// Gives a function that provides the context of pages and server functions.
fn context(
    state: &AppState,
    client: &Client,
    headers: &HeaderMap,
    visitor: Visitor,
) -> impl Fn() + Clone + Send + Sync + 'static {
    let placet = state.placet.clone();
    let secure = secure(state);
    let network = Network(client.subscriber());
    let rendered_at = RenderedAt(placet.config.clock.now().millis());
    let preferences = preferences(headers);
    let page_assets = page_assets();
    move || {
        provide_context(placet.clone());
        provide_context(visitor.clone());
        provide_context(network);
        provide_context(secure);
        provide_context(StatusOf(problem::status));
        provide_context(rendered_at);
        provide_context(preferences);
        provide_context(page_assets.clone());
    }
}

fn preferences(headers: &HeaderMap) -> Preferences {
    let locale = cookies::read(headers, cookies::LANGUAGE)
        .and_then(|code| Locale::parse(&code))
        .unwrap_or_else(|| {
            let accepted = headers::text(headers, header::ACCEPT_LANGUAGE);
            Locale::negotiate(accepted.unwrap_or_default())
        });
    let theme = cookies::read(headers, cookies::THEME).and_then(|code| Theme::parse(&code));
    Preferences { locale, theme }
}

/// The files of this build; without them (a build of the server alone) pages still read.
fn page_assets() -> PageAssets {
    let address = |name| {
        assets::hashed(name)
            .map(|path| format!("/{path}"))
            .unwrap_or_default()
    };
    PageAssets {
        css: address("ui.css"),
        js: address("ui.js"),
        loader: address("parts.js"),
        wasm: address("ui.wasm"),
        parts: assets::parts()
            .map(|(part, path)| (part, format!("/{path}")))
            .collect(),
        shared: address("shared.bin"),
        icon: address("icon.svg"),
    }
}

/// Scripts run only with this page's nonce, and what they load themselves; forms lead only here.
fn announce_policy() {
    let (Some(response), Some(nonce)) = (use_context::<ResponseOptions>(), use_nonce()) else {
        return;
    };
    let policy = format!(
        "default-src 'self'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Keeps an answer for one person out of caches, and its address out of `Referer` headers.
fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    response
}

/// Whether a page of ours sends this. Browsers say so in `Sec-Fetch-Site` (on https and on this
/// machine) and in `Origin`; what says neither is no browser and has the API.
fn from_own_page(state: &AppState, headers: &HeaderMap) -> bool {
    match headers::text(headers, "sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => headers::text(headers, header::ORIGIN) == Some(state.http.origin.as_str()),
    }
}

/// A page for when the database is away: nothing else can be rendered then.
#[derive(Template)]
#[template(path = "away.html")]
struct Away {
    css: String,
}

fn away(problem: Problem) -> Response {
    let mut problem = problem.into_response();
    let status = problem.status();
    let later = problem.headers_mut().remove(header::RETRY_AFTER);
    let page = Away {
        css: page_assets().css,
    };
    let mut response = private((status, Html(page.to_string())).into_response());
    response.headers_mut().insert(
        header::RETRY_AFTER,
        later.unwrap_or(HeaderValue::from_static("2")),
    );
    response
}

async fn file(Path(path): Path<String>, headers: HeaderMap) -> Response {
    match assets::lookup(&format!("ui/{path}")) {
        Some(file) => file.respond(&headers),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn icon() -> Response {
    match page_assets().icon {
        icon if icon.is_empty() => StatusCode::NOT_FOUND.into_response(),
        icon => Redirect::permanent(&icon).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, holds_nul};

    #[test]
    fn nul_is_found_in_json_and_in_forms() {
        for (text, holds) in [
            (&br#"{"text":"a\u0000"}"#[..], true),
            (br#"{"list":[{"a\u0000":1}]}"#, true),
            (br#"{"text":"\\u0000 and %00"}"#, false),
            (b"text=a%00b", true),
            (b"text=a\0b", true),
            (b"text=a%2500b", false),
            (b"", false),
        ] {
            let shown = String::from_utf8_lossy(text);
            assert_eq!(holds_nul(text), holds, "{shown}");
        }
    }

    #[test]
    fn functions_with_policies_of_their_own_exist() {
        let known: Vec<_> = leptos::server_fn::axum::server_fn_paths()
            .map(|(path, _)| path)
            .collect();
        for (_, path) in FUNCTIONS {
            assert!(known.contains(&path), "{path}");
        }
    }
}
