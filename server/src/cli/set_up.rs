//! Flags of the installation, the same for every command.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use anyhow::Context;
use clap::{Args, ValueEnum};
use service::{
    Config, Placet,
    auth::SignUp,
    clock::SystemClock,
    installation::AddressRule,
    network::{DeliveryConfig, Network},
    objects::{BucketUrl, Location},
    quota,
    secret::SecretKey,
};

use super::out::say;
use super::{
    aws::AwsArgs, billing::BillingArgs, chromium::ChromiumArgs, gvl::TcfArgs, ledger::LedgerArgs,
    mail::MailArgs, outbound::OutboundArgs,
};

/// Settings of the installation.
#[derive(Args, Clone)]
#[command(next_help_heading = "The installation, the same for every command")]
pub(super) struct SetUp {
    /// Folder of the database, keys and published files
    #[arg(
        long,
        env = "PLACET_DATA_DIR",
        default_value = "data",
        value_name = "FOLDER"
    )]
    pub(super) data_dir: PathBuf,
    /// `postgres://…`, or `sqlite:<path>` [default: placet.db in the data folder]
    #[arg(
        long,
        env = "PLACET_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    database_url: Option<String>,
    /// Address at which browsers reach this server [default: http://<listen>]
    #[arg(long, env = "PLACET_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// Address at which browsers reach published files; a separate origin is safer
    /// [default: <base-url>/cdn]
    #[arg(long, env = "PLACET_CDN_URL", value_name = "URL")]
    cdn_url: Option<String>,
    /// Move the installation to --base-url and --cdn-url, and publish everything again. Without it an
    /// installation that visitors reach publishes with its own addresses only
    #[arg(long, requires = "base_url")]
    new_base_url: bool,
    /// Bucket for published files, such as s3://bucket/prefix [default: cdn in the data folder]
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
    /// Key that seals signing keys, 32 bytes in base64
    #[arg(
        long,
        env = "PLACET_SECRET_KEY",
        hide_env_values = true,
        value_name = "BASE64",
        conflicts_with = "secret_key_file"
    )]
    secret_key: Option<String>,
    /// File of that key; created if absent [default: secret.key in the data folder]
    #[arg(long, env = "PLACET_SECRET_KEY_FILE", value_name = "FILE")]
    secret_key_file: Option<PathBuf>,
    /// Permit sign-ups: to everybody, to people with an invitation, or to nobody (`placet user create` makes
    /// accounts)
    #[arg(long, env = "PLACET_SIGN_UP", value_enum, default_value_t = Door::Open)]
    sign_up: Door,
    /// E-mail addresses of accounts that keep the server, comma-separated: they import the Global Vendor List in the
    /// admin UI and by the API. An address counts once it is verified
    #[arg(
        long,
        env = "PLACET_OPERATOR",
        value_delimiter = ',',
        value_name = "ADDRESSES"
    )]
    operator: Vec<String>,
    /// Do not migrate and do not load the catalogue at start
    #[arg(long, env = "PLACET_NO_MIGRATE")]
    no_migrate: bool,
    /// Seconds without a sign of life after which another process takes over a process's jobs
    #[arg(long, env = "PLACET_JOB_LEASE", default_value = "12", value_parser = clap::value_parser!(u64).range(1..=600), value_name = "SECONDS")]
    job_lease: u64,
    /// Crash after this publish step, or at each `begin`; debug builds only, for fault tests
    #[arg(long, hide = true)]
    crash_at: Option<String>,
    #[command(flatten)]
    pub(super) mail: MailArgs,
    #[command(flatten)]
    pub(super) outbound: OutboundArgs,
    #[command(flatten)]
    aws: AwsArgs,
    #[command(flatten)]
    billing: BillingArgs,
    #[command(flatten)]
    tcf: TcfArgs,
    #[command(flatten)]
    ledger: LedgerArgs,
    #[command(flatten)]
    chromium: ChromiumArgs,
}

/// `--sign-up`.
#[derive(Clone, Copy, ValueEnum)]
enum Door {
    Open,
    Invited,
    Off,
}

impl From<Door> for SignUp {
    fn from(door: Door) -> Self {
        match door {
            Door::Open => Self::Open,
            Door::Invited => Self::Invited,
            Door::Off => Self::Off,
        }
    }
}

impl SetUp {
    /// The configuration of a server. `listen` is the base address unless a flag gives one.
    pub(super) fn config(&self, listen: SocketAddr) -> anyhow::Result<Config> {
        let rule = if self.new_base_url {
            AddressRule::Replace
        } else {
            AddressRule::Serve
        };
        self.config_with(listen, rule)
    }

    fn config_with(&self, listen: SocketAddr, address_rule: AddressRule) -> anyhow::Result<Config> {
        self.check_owner()?;
        // Database, keys and letters are private to this user, whatever umask the shell has.
        #[cfg(unix)]
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
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
        Ok(Config {
            database_url: self.database_url(),
            objects: match &self.object_store {
                Some(bucket) => Location::Bucket(bucket.clone(), self.aws.access()),
                None => Location::Folder(self.data_dir.join("cdn")),
            },
            delivery: DeliveryConfig {
                networks: self.cdn_clear.clone(),
                access: self.aws.access(),
                cloudfront_endpoint: self.aws.cloudfront_endpoint.clone(),
            },
            data_dir: self.data_dir.clone(),
            base_url,
            cdn_url,
            address_rule,
            secret,
            migrate: !self.no_migrate,
            ledger: self.ledger.settings(self.object_store.is_some())?,
            billing: self.billing.settings()?,
            chromium: self.chromium.settings(),
            tcf: self.tcf.settings(),
            tcf_origins: self.tcf.origins()?,
            outbound_allow: self.outbound.outbound_allow.clone(),
            webhooks: self.outbound.webhooks(),
            job_lease: std::time::Duration::from_secs(self.job_lease),
            mail: self.mail.settings()?,
            oidc: self.mail.providers()?,
            log_mail_links: self.mail.log_mail_links,
            operators: self.operator.iter().cloned().collect(),
            sign_up: self.sign_up.into(),
            account_limits: true,
            // Commands work for the operator.
            quota: quota::Settings::default(),
            // The running program, even after another version has replaced its file.
            program: "/proc/self/exe".into(),
            crash_at: self.crash_at.clone(),
            clock: Arc::new(SystemClock),
        })
    }

    /// The configuration for a command that does not serve.
    pub(super) fn config_without_listening(&self) -> anyhow::Result<Config> {
        let rule = if self.new_base_url {
            AddressRule::Replace
        } else if self.base_url.is_none() && self.cdn_url.is_none() {
            AddressRule::Inherit
        } else {
            AddressRule::Compare
        };
        self.config_with(SocketAddr::from(([127, 0, 0, 1], 8080)), rule)
    }

    fn database_url(&self) -> String {
        let own = || format!("sqlite:{}", self.data_dir.join("placet.db").display());
        self.database_url.clone().unwrap_or_else(own)
    }

    /// Refuses to work as root on the files of another user, who could not read what root makes there.
    fn check_owner(&self) -> anyhow::Result<()> {
        #[cfg(unix)]
        if rustix::process::geteuid().is_root() {
            use std::os::unix::fs::MetadataExt;
            let own = ["placet.db", "secret.key"].map(|name| self.data_dir.join(name));
            let other = own.iter().find_map(|path| {
                let owner = std::fs::metadata(path).ok()?.uid();
                (owner != 0).then_some((path, owner))
            });
            if let Some((path, owner)) = other {
                anyhow::bail!(
                    "{} belongs to the user with the id {owner}, who could not read what root makes beside it; \
                     run the command as that user, such as by `sudo -u '#{owner}' placet …`, or with the systemd \
                     unit by `placet-do …` (docs/operate.md, \"Install\")",
                    path.display()
                );
            }
        }
        Ok(())
    }

    /// The error of a command that found nothing to work on.
    pub(super) fn absent(&self) -> anyhow::Error {
        anyhow::anyhow!(
            "there is no installation in {}; `placet serve` or `placet migrate` makes one, or --data-dir and \
             --database-url name another place",
            self.data_dir.display()
        )
    }

    /// Opens the installation for a command that does not serve. The command makes none, because a misspelt
    /// folder would then get an account that nobody can sign in to.
    pub(super) async fn open(&self) -> anyhow::Result<Arc<Placet>> {
        if !service::db::exists(&self.database_url()).await? {
            return Err(self.absent());
        }
        Ok(Placet::open(self.config_without_listening()?).await?)
    }

    /// `placet migrate`.
    pub(super) async fn migrate(&self) -> anyhow::Result<()> {
        let config = self.config_without_listening()?;
        let db = service::db::Db::open(&config.database_url).await?;
        service::prepare(&db).await?;
        say(format_args!(
            "The database ({}) is up to date.",
            db.engine()
        ));
        db.close().await;
        Ok(())
    }
}

/// Checks a web address and removes slashes at its end.
pub(super) fn checked_url(flag: &str, text: &str) -> anyhow::Result<String> {
    let trimmed = text.trim_end_matches('/');
    anyhow::ensure!(
        domain::format::is_http_url(trimmed),
        "{flag} must be an address beginning with http:// or https://, not `{text}`"
    );
    Ok(trimmed.to_owned())
}
