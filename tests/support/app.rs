//! A server for each test, in the process of the test.

use std::{net::SocketAddr, sync::Arc};

use server::{
    api::visitors,
    connections::Bounds,
    http::{
        client::Proxies,
        limits::{Limiter, Quotas},
        memory::Memory,
    },
    serve,
    state::{AppState, HttpConfig},
};
use service::{
    Config, Placet, db::Queues, installation::AddressRule, network::DeliveryConfig,
    objects::Location, secret::SecretKey,
};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Client, Database, TestClock, database::data_folder, process::binary};

/// The address of the operator's account.
const OPERATOR: &str = "operator@shop.example";

/// The two databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file in a temporary folder.
    Sqlite,
    /// A new database on the test server.
    Postgres,
}

/// Limits, proxies and connections of a server.
#[derive(Clone)]
pub struct Reach {
    /// Limits of requests.
    pub quotas: Option<Quotas>,
    /// Trusted proxies.
    pub proxies: Proxies,
    /// Bounds of connections.
    pub connections: Bounds,
}

impl Default for Reach {
    /// All clients of a test have one address.
    fn default() -> Self {
        let connections = Bounds::default();
        Self {
            quotas: None,
            proxies: Proxies::default(),
            connections: Bounds {
                of_one: connections.most,
                ..connections
            },
        }
    }
}

/// A running server.
pub struct TestApp {
    /// Its address, as `http://127.0.0.1:<port>`.
    pub base: String,
    /// The product that it serves.
    pub placet: Arc<Placet>,
    /// Its clock.
    pub clock: Arc<TestClock>,
    /// Its engine.
    pub engine: Engine,
    http: reqwest::Client,
    stop: CancellationToken,
    serving: Option<JoinHandle<std::io::Result<()>>>,
    reach: Reach,
    config: Config,
    _database: Database,
    _folder: TempDir,
}

impl TestApp {
    /// Starts a server on a new database, without limits.
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(engine, None).await
    }

    /// Starts a server on a new database, with these limits.
    pub async fn start_with(engine: Engine, quotas: Option<Quotas>) -> Self {
        Self::set_up(engine, quotas, |_| {}).await
    }

    /// Starts a server on a new database, with a changed configuration.
    pub async fn set_up(
        engine: Engine,
        quotas: Option<Quotas>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let reach = Reach {
            quotas,
            ..Reach::default()
        };
        Self::reached(engine, reach, change).await
    }

    /// Starts a server on a new database, with other limits, proxies or connections.
    pub async fn reached(engine: Engine, reach: Reach, change: impl FnOnce(&mut Config)) -> Self {
        let folder = data_folder();
        let database = Database::filled(engine, folder.path()).await;
        let clock = Arc::new(TestClock::default());
        let secret = SecretKey::load_or_make(&folder.path().join("secret.key")).expect("a key");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let mut config = Config {
            database_url: database.url().to_owned(),
            objects: Location::Folder(folder.path().join("cdn")),
            delivery: DeliveryConfig::default(),
            data_dir: folder.path().to_owned(),
            base_url: base.clone(),
            cdn_url: format!("{base}/cdn"),
            address_rule: AddressRule::Serve,
            secret,
            migrate: true,
            ledger: service::ledger::Settings {
                on: true,
                every: std::time::Duration::ZERO,
                witnesses: None,
                authority: None,
                keep_years: None,
            },
            chromium: None,
            billing: service::billing::Settings::Off,
            tcf: service::tcf::Settings::default(),
            tcf_origins: service::tcf::Origins::default(),
            outbound_allow: vec!["127.0.0.1".to_owned()],
            webhooks: service::webhooks::Settings {
                allow_http: true,
                timeout: std::time::Duration::from_secs(10),
            },
            job_lease: std::time::Duration::from_secs(12),
            mail: None,
            oidc: Vec::new(),
            log_mail_links: false,
            operators: [OPERATOR.to_owned()].into_iter().collect(),
            sign_up: service::auth::SignUp::Open,
            account_limits: reach.quotas.is_some(),
            quota: service::quota::Settings::default(),
            program: binary(),
            crash_at: None,
            clock: clock.clone(),
        };
        change(&mut config);
        let placet = Placet::open(config.clone())
            .await
            .expect("the server starts");
        let mut app = Self {
            base,
            placet,
            clock,
            engine,
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
            stop: CancellationToken::new(),
            serving: None,
            reach,
            config,
            _database: database,
            _folder: folder,
        };
        app.serve(listener);
        app
    }

    /// The state that its handlers share.
    pub fn state(&self) -> AppState {
        self.state_of(self.placet.clone())
    }

    /// The state of its handlers with another product.
    pub fn state_of(&self, placet: Arc<Placet>) -> AppState {
        let http = HttpConfig {
            proxies: self.reach.proxies.clone(),
            connections: self.reach.connections,
            cors_origins: vec!["https://admin.example".to_owned()],
            origin: self.base.clone(),
            limiter: Limiter::new(self.reach.quotas),
            queues: Queues::default(),
            memory: Memory::default(),
            visitors: visitors::Turns::default(),
            import_bytes: 4 * 1024 * 1024,
        };
        AppState::new(placet, http)
    }

    fn serve(&mut self, listener: TcpListener) {
        let state = self.state();
        self.stop = CancellationToken::new();
        self.serving = Some(tokio::spawn(serve::serve(
            state,
            None,
            listener,
            self.stop.clone(),
        )));
    }

    /// Stops the server gracefully.
    pub async fn stop(&mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            serving.await.expect("no panic").expect("it stops");
        }
    }

    /// Stops the server gracefully and starts it again on the same data.
    pub async fn restart(&mut self) {
        self.restart_with(|_| {}).await;
    }

    /// Restarts the server with a changed configuration.
    pub async fn restart_with(&mut self, change: impl FnOnce(&mut Config)) {
        change(&mut self.config);
        self.stop().await;
        self.placet = Placet::open(self.config.clone())
            .await
            .expect("it starts again");
        let address: SocketAddr = self
            .base
            .trim_start_matches("http://")
            .parse()
            .expect("an address");
        let listener = TcpListener::bind(address).await.expect("its port again");
        self.serve(listener);
    }

    /// The server's configuration.
    pub fn config(&self) -> Config {
        self.config.clone()
    }

    /// A client without credentials.
    pub fn nobody(&self) -> Client {
        Client {
            http: self.http.clone(),
            base: self.base.clone(),
            token: None,
            user_id: String::new(),
        }
    }

    /// Signs a new user up and returns a client with its token.
    pub async fn user(&self, name: &str) -> Client {
        self.nobody().signed_up(name).await
    }

    /// Verifies the address of an account, as its owner does by the link of a letter.
    pub async fn verify(&self, person: &Client) {
        let id = Uuid::parse_str(&person.user_id).expect("an id");
        self.placet
            .db
            .query("UPDATE users SET email_verified_at = created_at WHERE id = $1")
            .bind(id)
            .exec()
            .await
            .expect("the address is verified");
    }

    /// The operator, signed in, with a verified address.
    pub async fn operator(&self) -> Client {
        let operator = self.user("operator").await;
        self.verify(&operator).await;
        operator
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
