//! Settings of an installation. The command line fills them in; nothing else reads flags or
//! the environment.

use std::{path::PathBuf, time::Duration};

use crate::{
    access::Operators,
    auth::{self, OidcProvider, SignUp},
    billing, chromium,
    clock::SharedClock,
    installation::{AddressRule, Addresses},
    ledger, mail,
    network::DeliveryConfig,
    objects::Location,
    quota,
    secret::SecretKey,
    tcf, webhooks,
};

/// Everything that a start needs to know.
#[derive(Clone)]
pub struct Config {
    /// `sqlite:<path>` or `postgres://…`.
    pub database_url: String,
    /// Folder for the database, keys and published files.
    pub data_dir: PathBuf,
    /// Address at which browsers and programs reach this server, without a trailing slash.
    pub base_url: String,
    /// Address at which browsers reach published files, without a trailing slash.
    pub cdn_url: String,
    /// Relation of both addresses to those of the installation.
    pub address_rule: AddressRule,
    /// Location of published files.
    pub objects: Location,
    /// The caches in front of them.
    pub delivery: DeliveryConfig,
    /// Seals signing keys.
    pub secret: SecretKey,
    /// Migrate and load the embedded catalogue at start.
    pub migrate: bool,
    /// Hosts (names or addresses) that the guarded HTTP client may reach although private.
    pub outbound_allow: Vec<String>,
    /// The ledger.
    pub ledger: ledger::Settings,
    /// The browser that takes pictures of publications. Without one none are taken.
    pub chromium: Option<chromium::Settings>,
    /// The billing provider.
    pub billing: billing::Settings,
    /// The consent management platform.
    pub tcf: tcf::Settings,
    /// The servers that its files come from.
    pub tcf_origins: tcf::Origins,
    /// Settings for calls of webhooks' endpoints.
    pub webhooks: webhooks::Settings,
    /// Silence of a process after which another takes over its jobs.
    pub job_lease: Duration,
    /// The mail server; without one no letters are sent.
    pub mail: Option<mail::Settings>,
    /// Without a mail server, print the links of letters to the log: for a demo.
    pub log_mail_links: bool,
    /// Providers that sign in here.
    pub oidc: Vec<OidcProvider>,
    /// Accounts of the operator.
    pub operators: Operators,
    /// Rule for sign-ups.
    pub sign_up: SignUp,
    /// True if the tries about one account are bounded: wrong passwords, letters.
    pub account_limits: bool,
    /// Quotas of accounts, and the bytes of the disk that stay free.
    pub quota: quota::Settings,
    /// The file of this program, which draws pictures in processes of its own.
    pub program: PathBuf,
    /// Publish step behind which a debug build dies, or `begin`, for fault tests.
    pub crash_at: Option<String>,
    /// The clock.
    pub clock: SharedClock,
}

impl Config {
    /// Both addresses.
    pub(crate) fn addresses(&self) -> Addresses {
        Addresses {
            base_url: self.base_url.clone(),
            cdn_url: self.cdn_url.clone(),
        }
    }

    /// The settings of accounts.
    pub(crate) fn auth(&self) -> auth::Settings {
        auth::Settings {
            base_url: self.base_url.clone(),
            providers: self.oidc.clone(),
            outbound_allow: self.outbound_allow.clone(),
            sign_up: self.sign_up,
            account_limits: self.account_limits,
        }
    }
}
