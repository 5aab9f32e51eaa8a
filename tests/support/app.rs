//! A server of its own for each test.

use std::{net::SocketAddr, sync::Arc};

use server::{
    connections::Bounds,
    http::{
        client::Proxies,
        limits::{Limiter, Quotas},
    },
    serve,
    state::{AppState, HttpConfig},
};
use service::{
    Config, Placet, clock::SystemClock, delivery::DeliveryConfig, ids::Ids, objects::Place,
    secret::SecretKey,
};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{Client, TestClock};

/// The two databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file in a temporary folder.
    Sqlite,
    /// A database of its own on the test server.
    Postgres,
}

/// How a server is reached.
#[derive(Clone, Default)]
pub struct Reach {
    /// Limits of requests.
    pub quotas: Option<Quotas>,
    /// Proxies that are believed.
    pub proxies: Proxies,
    /// Bounds of connections.
    pub connections: Bounds,
}

/// A running server.
pub struct TestApp {
    /// Where it listens, as `http://127.0.0.1:<port>`.
    pub base: String,
    /// The product behind it.
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
    _folder: TempDir,
}

/// The address of the PostgreSQL server for tests.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are set up through the environment"
)]
fn postgres_server() -> String {
    std::env::var("PLACET_TEST_POSTGRES")
        .expect("PLACET_TEST_POSTGRES names a PostgreSQL server; `cargo xtask test` starts one")
}

/// The address of a database with nothing in it; SQLite's is in the folder.
pub async fn fresh_database(engine: Engine, folder: &TempDir) -> String {
    match engine {
        Engine::Sqlite => format!("sqlite:{}", folder.path().join("placet.db").display()),
        Engine::Postgres => {
            let server = postgres_server();
            let name = format!("t{}", Ids::new(Arc::new(SystemClock)).next().simple());
            let mut conn = PgConnection::connect(&server)
                .await
                .expect("PostgreSQL answers");
            sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name}")))
                .execute(&mut conn)
                .await
                .expect("a database for the test");
            let mut url = url::Url::parse(&server).expect("an address");
            url.set_path(&name);
            url.to_string()
        }
    }
}

impl TestApp {
    /// Starts a server on a fresh database, without limits.
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(engine, None).await
    }

    /// Starts a server on a fresh database, with these limits.
    pub async fn start_with(engine: Engine, quotas: Option<Quotas>) -> Self {
        Self::set_up(engine, quotas, |_| {}).await
    }

    /// Starts a server on a fresh database, set up otherwise than usual.
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

    /// Starts a server on a fresh database, reached otherwise than usual.
    pub async fn reached(engine: Engine, reach: Reach, change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database_url = fresh_database(engine, &folder).await;
        let clock = Arc::new(TestClock::default());
        let secret = SecretKey::load_or_make(&folder.path().join("secret.key")).expect("a key");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let mut config = Config {
            database_url,
            objects: Place::Folder(folder.path().join("cdn")),
            delivery: DeliveryConfig::default(),
            data_dir: folder.path().to_owned(),
            base_url: base.clone(),
            cdn_url: format!("{base}/cdn"),
            secret,
            migrate: true,
            billing: service::billing::Settings::Off,
            outbound_allow: vec!["127.0.0.1".to_owned()],
            webhooks: service::webhooks::Settings {
                allow_http: true,
                timeout: std::time::Duration::from_secs(10),
            },
            job_lease: std::time::Duration::from_secs(12),
            mail: None,
            oidc: Vec::new(),
            log_mail_links: false,
            account_limits: reach.quotas.is_some(),
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
            _folder: folder,
        };
        app.serve(listener);
        app
    }

    /// What its handlers share.
    pub fn state(&self) -> AppState {
        self.state_of(self.placet.clone())
    }

    /// The same before another product.
    pub fn state_of(&self, placet: Arc<Placet>) -> AppState {
        let http = HttpConfig {
            proxies: self.reach.proxies.clone(),
            connections: self.reach.connections,
            cors_origins: vec!["https://admin.example".to_owned()],
            origin: self.base.clone(),
            limiter: Limiter::new(self.reach.quotas),
            import_bytes: 4 * 1024 * 1024,
        };
        AppState::new(placet, http)
    }

    fn serve(&mut self, listener: TcpListener) {
        let state = self.state();
        self.stop = CancellationToken::new();
        self.serving = Some(tokio::spawn(serve::serve(
            state,
            listener,
            self.stop.clone(),
        )));
    }

    /// Stops the server in order and starts it again on the same data.
    pub async fn restart(&mut self) {
        self.restart_with(|_| {}).await;
    }

    /// The same, set up otherwise.
    pub async fn restart_with(&mut self, change: impl FnOnce(&mut Config)) {
        change(&mut self.config);
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            serving.await.expect("no panic").expect("it stops");
        }
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

    /// What the server was set up with.
    pub fn config(&self) -> Config {
        self.config.clone()
    }

    /// Speaks as nobody.
    pub fn nobody(&self) -> Client {
        Client {
            http: self.http.clone(),
            base: self.base.clone(),
            token: None,
            user_id: String::new(),
        }
    }

    /// Signs a new user up and speaks as it.
    pub async fn user(&self, name: &str) -> Client {
        self.nobody().signed_up(name).await
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
