//! The command line: flags and `PLACET_*` variables, each with a default that serves an embedded
//! start.

mod consents;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use server::{
    demo,
    http::{
        client::Proxies,
        limits::{Limiter, Quotas},
    },
    serve,
    state::{AppState, HttpConfig},
};
use service::{
    Config, Placet,
    aws::{AwsAccess, AwsKeys},
    billing,
    clock::SystemClock,
    delivery::{DeliveryConfig, Network},
    objects::{BucketUrl, Place},
    secret::SecretKey,
    vendors::MOST_BYTES,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Placet: collect, prove and configure consent, from one file.
#[derive(Parser)]
#[command(version, about, long_about = None, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the admin UI, the API, the SDK and published files
    #[command(after_help = "Examples:\n  \
        placet serve\n  \
        placet serve --listen 0.0.0.0:8080 --base-url https://consent.example\n  \
        placet serve --database-url postgres://placet@localhost/placet --data-dir /var/lib/placet")]
    Serve(Box<ServeArgs>),
    /// Serve with a demo account, project and shop; only on this machine
    Demo(Box<DemoArgs>),
    /// Render what is live again with this version's SDK
    Republish(Box<RepublishArgs>),
    /// Bring the database up to date and stop
    Migrate(Box<SetUp>),
    /// Care for the catalogue of vendors
    #[command(subcommand)]
    Catalogue(CatalogueCommand),
    /// Import consents of a project from a file, CSV or NDJSON
    #[command(
        after_help = "Ends with 0 when every row was taken or there already, with 1 when \
        nothing was imported, with 3 when rows were left out (--partial).\n\nExample:\n  \
        placet import 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70 consents.csv --data-dir /var/lib/placet"
    )]
    Import(Box<consents::ImportArgs>),
    /// Export consents of a project to a file or standard output
    #[command(after_help = "Example:\n  \
        placet export 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70 --start 2026-11-01 > consents.ndjson")]
    Export(Box<consents::ExportArgs>),
    /// Print the OpenAPI document
    Openapi,
}

#[derive(Subcommand)]
enum CatalogueCommand {
    /// Load a newer catalogue than the one that came with this version
    Import(Box<ImportArgs>),
}

#[derive(Args, Clone)]
struct ImportArgs {
    /// The catalogue, NDJSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    set_up: SetUp,
}

/// How the installation is set up.
#[derive(Args, Clone)]
struct SetUp {
    /// Where the database, keys and published files are kept
    #[arg(
        long,
        env = "PLACET_DATA_DIR",
        default_value = "data",
        value_name = "FOLDER"
    )]
    data_dir: PathBuf,
    /// `postgres://…`, or `sqlite:<path>` [default: placet.db in the data folder]
    #[arg(
        long,
        env = "PLACET_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    database_url: Option<String>,
    /// Where browsers reach this server [default: http://<listen>]
    #[arg(long, env = "PLACET_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// Where browsers reach published files; an origin of its own is safer
    /// [default: <base-url>/cdn]
    #[arg(long, env = "PLACET_CDN_URL", value_name = "URL")]
    cdn_url: Option<String>,
    /// Bucket for published files, as s3://bucket/prefix [default: cdn in the data folder]
    #[arg(long, env = "PLACET_OBJECT_STORE", value_name = "URL")]
    object_store: Option<BucketUrl>,
    /// Caches to clear after a publish, comma-separated: purge:<url> (Varnish, nginx), ban:<url>
    /// (by Surrogate-Key), cloudfront:<distribution id>
    #[arg(
        long,
        env = "PLACET_CDN_CLEAR",
        value_delimiter = ',',
        value_name = "CACHES"
    )]
    cdn_clear: Vec<Network>,
    #[command(flatten)]
    aws: AwsArgs,
    /// Key that seals signing keys, 32 bytes in base64
    #[arg(
        long,
        env = "PLACET_SECRET_KEY",
        hide_env_values = true,
        value_name = "BASE64",
        conflicts_with = "secret_key_file"
    )]
    secret_key: Option<String>,
    /// File of that key; made when absent [default: secret.key in the data folder]
    #[arg(long, env = "PLACET_SECRET_KEY_FILE", value_name = "FILE")]
    secret_key_file: Option<PathBuf>,
    /// Neither migrate nor load the catalogue at start
    #[arg(long, env = "PLACET_NO_MIGRATE")]
    no_migrate: bool,
    /// Private hosts that webhooks and checks of web pages may reach, comma-separated
    #[arg(
        long,
        env = "PLACET_OUTBOUND_ALLOW",
        value_delimiter = ',',
        value_name = "HOSTS"
    )]
    outbound_allow: Vec<String>,
    /// Mail server, as `smtp://user:password@mail.example:587` (STARTTLS) or `smtps://…`; without
    /// one no letters are sent
    #[arg(
        long,
        env = "PLACET_SMTP_URL",
        hide_env_values = true,
        value_name = "URL",
        requires = "mail_from"
    )]
    smtp_url: Option<String>,
    /// Sender of letters, as `Placet <no-reply@consent.example>`
    #[arg(long, env = "PLACET_MAIL_FROM", value_name = "ADDRESS")]
    mail_from: Option<String>,
    /// OpenID Connect providers to sign in with, a JSON file: `[{"name": "company", "title":
    /// "Company login", "issuer": "https://login.example", "clientId": "…", "clientSecret": "…"}]`
    #[arg(long, env = "PLACET_OIDC_FILE", value_name = "FILE")]
    oidc_file: Option<PathBuf>,
    /// Without a mail server, print links of letters to the log; the demo does
    #[arg(skip)]
    log_mail_links: bool,
    /// Who bills organizations; `off` limits nothing
    #[arg(
        long,
        env = "PLACET_BILLING",
        default_value = "off",
        value_name = "OFF|STRIPE"
    )]
    billing: Provider,
    /// Secret key of Stripe's API
    #[arg(
        long,
        env = "PLACET_STRIPE_SECRET_KEY",
        hide_env_values = true,
        value_name = "KEY",
        required_if_eq("billing", "stripe")
    )]
    stripe_secret_key: Option<String>,
    /// Secret of the signatures of Stripe's events
    #[arg(
        long,
        env = "PLACET_STRIPE_EVENTS_SECRET",
        hide_env_values = true,
        value_name = "SECRET",
        required_if_eq("billing", "stripe")
    )]
    stripe_events_secret: Option<String>,
    /// Price that organizations subscribe to, as `price_…`
    #[arg(
        long,
        env = "PLACET_STRIPE_PRICE",
        value_name = "ID",
        required_if_eq("billing", "stripe")
    )]
    stripe_price: Option<String>,
    /// Where Stripe's API is
    #[arg(
        long,
        env = "PLACET_STRIPE_API_URL",
        default_value = "https://api.stripe.com",
        value_name = "URL"
    )]
    stripe_api_url: String,
    /// Kilobytes of one configuration that are free, where billing is on
    #[arg(
        long,
        env = "PLACET_FREE_KILOBYTES",
        default_value = "100",
        value_name = "NUMBER"
    )]
    free_kilobytes: usize,
    /// Take webhooks to addresses without TLS
    #[arg(long, env = "PLACET_WEBHOOK_ALLOW_HTTP")]
    webhook_allow_http: bool,
    /// Seconds that a webhook's endpoint may take to answer
    #[arg(long, env = "PLACET_WEBHOOK_TIMEOUT", default_value = "15", value_parser = clap::value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    webhook_timeout: u64,
    /// Seconds that a process may be silent before another takes over its jobs
    #[arg(long, env = "PLACET_JOB_LEASE", default_value = "12", value_parser = clap::value_parser!(u64).range(1..=600), value_name = "SECONDS")]
    job_lease: u64,
    /// Die behind this publish step; debug builds only, for fault tests
    #[arg(long, hide = true)]
    crash_at: Option<String>,
}

/// The bucket and CloudFront. Without keys the machine's own role is used.
#[derive(Args, Clone)]
#[command(next_help_heading = "S3 and CloudFront")]
struct AwsArgs {
    /// Region of the bucket
    #[arg(long, env = "AWS_REGION", value_name = "REGION")]
    s3_region: Option<String>,
    /// Another service that speaks S3
    #[arg(long, env = "AWS_ENDPOINT_URL_S3", value_name = "URL")]
    s3_endpoint: Option<String>,
    /// Id of the access key [default: the role of the machine]
    #[arg(
        long,
        env = "AWS_ACCESS_KEY_ID",
        value_name = "ID",
        requires = "aws_secret_access_key"
    )]
    aws_access_key_id: Option<String>,
    /// Its secret
    #[arg(
        long,
        env = "AWS_SECRET_ACCESS_KEY",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    aws_secret_access_key: Option<String>,
    /// Token of a temporary key
    #[arg(
        long,
        env = "AWS_SESSION_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN"
    )]
    aws_session_token: Option<String>,
    /// Another service that speaks CloudFront
    #[arg(long, env = "AWS_ENDPOINT_URL_CLOUDFRONT", value_name = "URL")]
    cloudfront_endpoint: Option<String>,
}

impl AwsArgs {
    fn access(&self) -> AwsAccess {
        let keys = self
            .aws_access_key_id
            .clone()
            .zip(self.aws_secret_access_key.clone());
        AwsAccess {
            keys: keys.map(|(id, secret)| AwsKeys {
                id,
                secret,
                token: self.aws_session_token.clone(),
            }),
            region: self.s3_region.clone(),
            endpoint: self.s3_endpoint.clone(),
        }
    }
}

#[derive(Args, Clone)]
struct ServeArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(
        long,
        env = "PLACET_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS"
    )]
    listen: SocketAddr,
    #[command(flatten)]
    set_up: SetUp,
    /// Limits per address and account; turn off for benchmarks and private networks
    #[arg(
        long,
        env = "PLACET_RATE_LIMIT",
        default_value = "on",
        value_name = "ON|OFF"
    )]
    rate_limit: Switch,
    /// Networks of proxies whose X-Forwarded-For is believed, comma-separated
    #[arg(
        long,
        env = "PLACET_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "NETWORKS"
    )]
    trusted_proxies: Vec<ipnet::IpNet>,
    /// Header in which a trusted proxy names the visitor's country
    #[arg(long, env = "PLACET_COUNTRY_HEADER", value_name = "HEADER")]
    country_header: Option<String>,
    /// Other origins whose pages may call the private API, comma-separated
    #[arg(
        long,
        env = "PLACET_CORS_ORIGINS",
        value_delimiter = ',',
        value_name = "ORIGINS"
    )]
    cors_origins: Vec<String>,
    /// Megabytes of the largest file of consents that may be imported over HTTP
    #[arg(
        long,
        env = "PLACET_IMPORT_LIMIT",
        default_value = "2048",
        value_name = "NUMBER"
    )]
    import_limit: u32,
    /// How the log is written
    #[arg(
        long,
        env = "PLACET_LOG_FORMAT",
        default_value = "text",
        value_name = "TEXT|JSON"
    )]
    log_format: LogFormat,
    /// What is logged, as `info` or `service=debug`
    #[arg(
        long,
        env = "PLACET_LOG",
        default_value = "info",
        value_name = "FILTER"
    )]
    log: String,
}

#[derive(Args, Clone)]
struct DemoArgs {
    /// Address of the demo shop; port 0 takes a free one
    #[arg(
        long,
        env = "PLACET_SHOP_LISTEN",
        default_value = "127.0.0.1:8081",
        value_name = "ADDRESS"
    )]
    shop_listen: SocketAddr,
    #[command(flatten)]
    serve: ServeArgs,
}

#[derive(Args, Clone)]
struct RepublishArgs {
    /// Every project, also those whose SDK is the present one
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Clone, Copy, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Provider {
    Off,
    Stripe,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

impl Cli {
    /// Does what was asked.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            match self.command {
                Command::Serve(args) => args.serve(None).await?,
                Command::Demo(args) => args.run().await?,
                Command::Republish(args) => args.run().await?,
                Command::Migrate(set_up) => set_up.migrate().await?,
                Command::Catalogue(CatalogueCommand::Import(args)) => args.run().await?,
                Command::Import(args) => return args.run().await,
                Command::Export(args) => return args.run().await,
                Command::Openapi => {
                    println!("{}", server::router::document().to_pretty_json()?);
                }
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl SetUp {
    fn config(&self, listen: SocketAddr) -> anyhow::Result<Config> {
        std::fs::create_dir_all(&self.data_dir).with_context(|| {
            format!("the data folder {} cannot be made", self.data_dir.display())
        })?;
        let secret = if let Some(text) = &self.secret_key {
            SecretKey::parse(text).context("--secret-key must be 32 bytes in base64")?
        } else {
            let path = self.secret_key_file.clone();
            let path = path.unwrap_or_else(|| self.data_dir.join("secret.key"));
            SecretKey::load_or_make(&path)
                .with_context(|| format!("the secret key file {} cannot be used", path.display()))?
        };
        let base_url = match &self.base_url {
            Some(url) => checked_url("--base-url", url)?,
            None => format!("http://{listen}"),
        };
        let cdn_url = match &self.cdn_url {
            Some(url) => checked_url("--cdn-url", url)?,
            None => format!("{base_url}/cdn"),
        };
        let mail = match (&self.smtp_url, &self.mail_from) {
            (Some(url), Some(from)) => {
                Some(service::mail::Settings::parse(url, from).map_err(anyhow::Error::msg)?)
            }
            _ => None,
        };
        let oidc = match &self.oidc_file {
            Some(path) => {
                let file = path.display();
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("{file} cannot be read"))?;
                service::auth::OidcProvider::parse(&text)
                    .map_err(|error| anyhow::anyhow!("{file}: {error}"))?
            }
            None => Vec::new(),
        };
        Ok(Config {
            database_url: self
                .database_url
                .clone()
                .unwrap_or_else(|| format!("sqlite:{}", self.data_dir.join("placet.db").display())),
            objects: match &self.object_store {
                Some(bucket) => Place::Bucket(bucket.clone(), self.aws.access()),
                None => Place::Folder(self.data_dir.join("cdn")),
            },
            delivery: DeliveryConfig {
                networks: self.cdn_clear.clone(),
                access: self.aws.access(),
                cloudfront_endpoint: self.aws.cloudfront_endpoint.clone(),
            },
            data_dir: self.data_dir.clone(),
            base_url,
            cdn_url,
            secret,
            migrate: !self.no_migrate,
            billing: self.billing()?,
            outbound_allow: self.outbound_allow.clone(),
            webhooks: service::webhooks::Settings {
                allow_http: self.webhook_allow_http,
                timeout: std::time::Duration::from_secs(self.webhook_timeout),
            },
            job_lease: std::time::Duration::from_secs(self.job_lease),
            mail,
            oidc,
            log_mail_links: self.log_mail_links,
            account_limits: true,
            crash_at: self.crash_at.clone(),
            clock: Arc::new(SystemClock),
        })
    }

    fn billing(&self) -> anyhow::Result<billing::Settings> {
        if self.billing == Provider::Off {
            return Ok(billing::Settings::Off);
        }
        let given = |value: &Option<String>, flag: &str| {
            let value = value.clone().filter(|value| !value.trim().is_empty());
            value.with_context(|| format!("{flag} must not be empty"))
        };
        Ok(billing::Settings::Stripe(billing::StripeSettings {
            api_url: checked_url("--stripe-api-url", &self.stripe_api_url)?,
            secret_key: given(&self.stripe_secret_key, "--stripe-secret-key")?,
            events_secret: given(&self.stripe_events_secret, "--stripe-events-secret")?,
            price: given(&self.stripe_price, "--stripe-price")?,
            free_bytes: self.free_kilobytes.saturating_mul(1_000),
        }))
    }

    async fn migrate(&self) -> anyhow::Result<()> {
        let config = self.config(SocketAddr::from(([127, 0, 0, 1], 8080)))?;
        let db = service::db::Db::open(&config.database_url).await?;
        db.migrate().await?;
        println!("The database ({}) is up to date.", db.engine());
        db.close().await;
        Ok(())
    }
}

impl ServeArgs {
    fn http(&self, base_url: &str) -> anyhow::Result<HttpConfig> {
        let origin = url::Url::parse(base_url)?.origin().ascii_serialization();
        Ok(HttpConfig {
            proxies: Proxies {
                trusted: self.trusted_proxies.clone(),
                country_header: self.country_header.clone(),
            },
            cors_origins: self.cors_origins.clone(),
            origin,
            limiter: Limiter::new(match self.rate_limit {
                Switch::On => Some(Quotas::default()),
                Switch::Off => None,
            }),
            import_bytes: u64::from(self.import_limit) * 1_000_000,
        })
    }

    async fn serve(&self, shop: Option<TcpListener>) -> anyhow::Result<()> {
        start_log(&self.log, self.log_format);
        let listener = TcpListener::bind(self.listen)
            .await
            .with_context(|| format!("{} cannot be listened on", self.listen))?;
        let address = listener.local_addr()?;
        let mut config = self.set_up.config(address)?;
        config.account_limits = matches!(self.rate_limit, Switch::On);
        if config.mail.is_none() && !config.log_mail_links {
            tracing::info!("no mail server (--smtp-url): lost passwords cannot be reset by mail");
        }
        let http = self.http(&config.base_url)?;
        let placet = Placet::open(config).await?;
        let stop = CancellationToken::new();
        tokio::spawn({
            let stop = stop.clone();
            async move {
                stop_signal().await;
                tracing::info!("stopping: requests and jobs end first");
                stop.cancel();
            }
        });
        let serving = tokio::spawn(serve::serve(
            AppState::new(placet.clone(), http),
            listener,
            stop.clone(),
        ));
        println!(
            "Placet listens on http://{address} and is reached at {}",
            placet.config.base_url
        );
        if let Some(shop) = shop {
            run_demo(&placet, shop, stop).await?;
        }
        serving.await??;
        Ok(())
    }
}

async fn run_demo(
    placet: &Placet,
    shop: TcpListener,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let address = shop.local_addr()?;
    let project = demo::prepare(placet, address).await?;
    let Config {
        base_url, cdn_url, ..
    } = &placet.config;
    println!();
    println!("  Demo shop   http://{address}");
    println!(
        "  Admin UI    {base_url}   (sign in as {} with {})",
        demo::USERNAME,
        demo::PASSWORD
    );
    println!("  API         {base_url}/docs");
    println!("  Published   {cdn_url}/{project}.json");
    println!();
    println!("Stop with ctrl-c.");
    demo::serve_shop(shop, project, base_url, cdn_url, stop).await
}

impl DemoArgs {
    async fn run(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.serve.listen.ip().is_loopback() && self.shop_listen.ip().is_loopback(),
            "the demo's password is public, so it only listens on this machine (127.0.0.1)"
        );
        let shop = TcpListener::bind(self.shop_listen)
            .await
            .with_context(|| format!("{} cannot be listened on", self.shop_listen))?;
        let mut serve = self.serve.clone();
        // The demo's own site is checked for the snippet.
        serve.set_up.outbound_allow.push("127.0.0.1".to_owned());
        serve.set_up.log_mail_links = true;
        serve.serve(Some(shop)).await
    }
}

impl RepublishArgs {
    async fn run(&self) -> anyhow::Result<()> {
        start_log("info", LogFormat::Text);
        let placet = Placet::open(
            self.set_up
                .config(SocketAddr::from(([127, 0, 0, 1], 8080)))?,
        )
        .await?;
        let started = placet.publish.republish(None, self.all).await?;
        let stop = CancellationToken::new();
        let work = placet.jobs.work(placet.handlers(), stop.clone());
        let watch = async {
            while placet.jobs.unfinished().await? > 0 {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            stop.cancel();
            anyhow::Ok(())
        };
        let ((), watched) = tokio::join!(work, watch);
        watched?;
        println!("{started} published again.");
        placet.close().await;
        Ok(())
    }
}

impl ImportArgs {
    async fn run(&self) -> anyhow::Result<()> {
        let file = self.file.display();
        let size = std::fs::metadata(&self.file)
            .with_context(|| format!("{file} cannot be read"))?
            .len();
        anyhow::ensure!(
            size <= MOST_BYTES as u64,
            "{file} is larger than {MOST_BYTES} bytes"
        );
        let text = std::fs::read_to_string(&self.file)
            .with_context(|| format!("{file} cannot be read"))?;
        let placet = Placet::open(
            self.set_up
                .config(SocketAddr::from(([127, 0, 0, 1], 8080)))?,
        )
        .await?;
        let loaded = placet.vendors.import(&text).await;
        placet.close().await;
        let loaded = loaded.with_context(|| format!("{file} was not loaded"))?;
        let (version, services) = (loaded.version, loaded.services);
        if loaded.changed {
            println!("The catalogue is now version {version}, with {services} services.");
        } else {
            println!("The catalogue is version {version} already.");
        }
        Ok(())
    }
}

fn checked_url(flag: &str, text: &str) -> anyhow::Result<String> {
    let trimmed = text.trim_end_matches('/');
    anyhow::ensure!(
        domain::validate::is_http_url(trimmed),
        "{flag} must be an address beginning with http:// or https://, not `{text}`"
    );
    Ok(trimmed.to_owned())
}

fn start_log(filter: &str, format: LogFormat) {
    let filter = tracing_subscriber::EnvFilter::try_new(filter)
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.compact().init(),
        LogFormat::Json => log.json().init(),
    }
}

/// Ends on ctrl-c, or on the stop signal of service managers.
async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}
