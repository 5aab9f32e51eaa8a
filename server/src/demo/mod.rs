//! `placet demo`: an account, a project and a configuration, published once, and a shop on
//! another origin that embeds the widget as any site would.

mod visitors;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use axum::{
    Router,
    extract::State,
    http::header,
    response::{Html, IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use domain::collection::Collection;
use domain::publish::JobStatus;
use futures::{StreamExt, stream};
use serde_json::json;
use service::{
    Actor, Error, Placet,
    auth::{Device, SignInIn, SignUpIn},
    consents::{self, Format, Import},
    db::page::Asked,
    vault::{Filter, ListQuery},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The demo's account. It is public, so the demo only listens on this machine.
pub const USERNAME: &str = "demo";
/// Its password.
pub const PASSWORD: &str = "demo";

const SHOP: &str = include_str!("shop.html");
const STYLE: &str = include_str!("shop.css");
const STATS: &str = include_str!("stats.js");
const EVENTS: &str = include_str!("events.js");
const VIDEO: &str = include_str!("video.html");
/// Catalogue entries that the demo asks about, and whether they advertise.
const VENDORS: [(&str, bool); 10] = [
    ("matomo", false),
    ("google-analytics", false),
    ("hotjar", false),
    ("google-ads", true),
    ("meta-pixel", true),
    ("criteo", true),
    ("linkedin-insight", true),
    ("youtube", false),
    ("vimeo", false),
    ("google-maps", false),
];
/// The shop's own service.
const OWN: &str = "shop-stats";

/// Makes the demo's documents and past visitors, or finds those of the last time; returns the project. `say` tells
/// people about work that takes a while.
pub async fn prepare(
    placet: &Placet,
    shop: SocketAddr,
    say: impl Fn(&str),
) -> anyhow::Result<Uuid> {
    let actor = account(placet).await?;
    let site = format!("http://{shop}");
    let query = ListQuery {
        filters: vec![Filter::words("title", ["Demo shop"])],
        ..ListQuery::default()
    };
    let found = placet
        .vault
        .list(actor, Collection::Projects, query)
        .await?;
    let project = if let Some(project) = found.items.into_iter().next() {
        // The shop's port may have changed.
        placet
            .vault
            .patch(
                actor,
                Collection::Projects,
                project.id,
                json!({"websiteURL": site}),
                None,
            )
            .await?;
        project.id
    } else {
        make(placet, actor, &site).await?
    };
    let state = placet.publish.state(actor, project).await?;
    if !state.waiting.is_empty() {
        publish(placet, actor, project).await?;
    }
    let consents = placet
        .consents
        .list(actor, project, consents::ListQuery::default());
    // None are there if the first start was stopped before this point.
    if consents.await?.items().is_empty() {
        say("Making visitors of the last 90 days …");
        visit(placet, actor, project).await?;
    }
    Ok(project)
}

/// Stores the consents of visitors who answered what is live now; nobody answered if nothing is.
async fn visit(placet: &Placet, actor: Actor, project: Uuid) -> anyhow::Result<()> {
    let asked = Asked::default();
    let listed = placet.publish.publications(actor, project, &asked);
    let mut listed = listed.await?.items.into_iter();
    let Some(live) = listed.find(|one| one.collection == Collection::Cookies) else {
        return Ok(());
    };
    let own = std::iter::once((OWN, false));
    let services = own
        .chain(VENDORS)
        .map(|(name, advertises)| visitors::Service {
            name: name.to_owned(),
            advertises,
        });
    let asked = visitors::Asked {
        configuration: live.configuration,
        publication: live.publication,
        services: services.collect(),
    };
    let lines = visitors::consents(&asked, live.published_at).into_iter();
    let lines = lines.map(|line| Ok::<_, Error>(Bytes::from(line + "\n")));
    let import = Import {
        project,
        format: Format::Ndjson,
        partial: false,
    };
    let file = stream::iter(lines).boxed();
    let imported = placet
        .consents
        .import(actor, import, file, Box::new(|_| {}))
        .await?;
    if let Some(error) = imported.errors.first() {
        anyhow::bail!("the demo's visitors are wrong: {}", error.detail);
    }
    Ok(())
}

async fn account(placet: &Placet) -> anyhow::Result<Actor> {
    let sign_in = SignInIn {
        code: None,
        passkey: None,
        username: USERNAME.to_owned(),
        password: PASSWORD.to_owned(),
    };
    let known = placet.auth.sign_in(sign_in, &Device::default()).await;
    if let Ok(session) = known {
        return Ok(Actor::User(session.user.id));
    }
    let account = SignUpIn {
        display_name: Some("Demo".to_owned()),
        username: USERNAME.to_owned(),
        email: "demo@shop.example".to_owned(),
        password: PASSWORD.to_owned(),
        invitation: None,
    };
    let user = placet.auth.make_account(account, true).await?;
    Ok(Actor::User(user.id))
}

/// Makes the project and its configuration.
async fn make(placet: &Placet, actor: Actor, site: &str) -> anyhow::Result<Uuid> {
    let project = placet
        .vault
        .create(
            actor,
            Collection::Projects,
            json!({
                "websiteURL": site, "title": "Demo shop", "name": "Demo shop",
                "colors": {"main": "#0b6e4f"},
                "dataProcessor": {"name": "Demo shop Ltd", "website": "https://shop.example"},
                "dpo": {"name": "Dora Privacy", "email": "privacy@shop.example"},
            }),
        )
        .await?
        .id;
    let own = placet
        .vault
        .create(actor, Collection::Vendors, json!({
            "name": OWN, "title": "Shop statistics", "projectId": project,
            "shortDescription": "Counts visits on our own server.",
            "longDescription": "Tells us which pages are read. Nothing leaves our server and nobody is recognised on other sites.",
            "policyUrl": "https://shop.example/privacy", "categories": ["analytics"],
        }))
        .await?
        .id;
    let listed = placet
        .vendors
        .ids_by_name(&VENDORS.map(|(name, _)| name))
        .await?;
    let vendors: Vec<String> = std::iter::once(own)
        .chain(listed)
        .map(|id| id.to_string())
        .collect();
    let steps = json!([
        {"name": "welcome", "layout": "welcome", "topTitle": "Demo shop", "title": "Your choice, really"},
        {
            "name": "services", "layout": "category", "title": "Our services",
            "message": "<p>Allow what you like, one by one or by purpose.</p>",
            "vendors": vendors, "showToggleAllSwitch": true, "groupByCategory": true,
        },
    ]);
    placet
        .vault
        .create(
            actor,
            Collection::Cookies,
            json!({
                "projectId": project, "name": "shop-en", "title": "Shop, English", "language": "en",
                "isDefault": true, "steps": steps, "privacyPolicyUrl": "https://shop.example/privacy",
                "alwaysOn": [{"title": "Basket", "reason": "Keeps what you have chosen until you pay."}],
            }),
        )
        .await?;
    Ok(project)
}

async fn publish(placet: &Placet, actor: Actor, project: Uuid) -> anyhow::Result<()> {
    let job = placet.publish.start(actor, project, None, None).await?;
    loop {
        let now = placet.publish.read(actor, project, job.id).await?;
        match now.status {
            JobStatus::Complete => return Ok(()),
            JobStatus::Error => anyhow::bail!(
                "the demo could not be published: {}",
                now.message.unwrap_or_default()
            ),
            JobStatus::Started | JobStatus::Waiting => {
                tokio::time::sleep(Duration::from_millis(now.timeout.min(100))).await;
            }
        }
    }
}

/// Page of the shop, and the content security policy of its files.
#[derive(Clone)]
struct Shop {
    page: Arc<str>,
    policy: Arc<str>,
}

/// Serves the shop until `stop`.
pub async fn serve_shop(
    listener: TcpListener,
    project: Uuid,
    base_url: &str,
    cdn_url: &str,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let script = format!("{cdn_url}/{project}/shop-en.js");
    let origin = url::Url::parse(base_url)
        .context("the base address")?
        .origin()
        .ascii_serialization();
    let cdn = url::Url::parse(cdn_url)
        .context("the delivery address")?
        .origin()
        .ascii_serialization();
    let shop = Shop {
        page: SHOP.replace("{{project}}", &project.to_string()).replace("{{script}}", &script).replace("{{admin}}", base_url).into(),
        // The shop is as strict as a site can be: no inline script or style runs here.
        policy: format!(
            "default-src 'none'; script-src 'self' {cdn} 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
             connect-src {origin} {cdn}; frame-src 'self'; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types placet"
        )
        .into(),
    };
    let router = Router::new()
        .route("/", get(page))
        .route(
            "/shop.css",
            get(async || ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)),
        )
        .route(
            "/stats.js",
            get(async || {
                (
                    [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")],
                    STATS,
                )
            }),
        )
        .route("/events.js", get(events))
        .route("/video", get(async || Html(VIDEO)))
        .with_state((shop, project));
    axum::serve(listener, router)
        .with_graceful_shutdown(stop.cancelled_owned())
        .await?;
    Ok(())
}

async fn page(State((shop, _)): State<(Shop, Uuid)>) -> Response {
    (
        [(header::CONTENT_SECURITY_POLICY, shop.policy.to_string())],
        Html(shop.page.to_string()),
    )
        .into_response()
}

async fn events(State((_, project)): State<(Shop, Uuid)>) -> Response {
    let script = EVENTS.replace("{{project}}", &project.to_string());
    (
        [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")],
        script,
    )
        .into_response()
}
