//! Flags of limits.

use clap::{Args, ValueEnum};
use server::http::limits::Quotas;
use service::quota::{self, Limits};

const MEGABYTE: u64 = 1_000_000;

#[derive(Args, Clone)]
#[command(next_help_heading = "Limits (requests and kilobytes: per minute)")]
pub(super) struct LimitArgs {
    /// Limit requests; `off` is for benchmarks and private networks
    #[arg(
        long,
        env = "PLACET_RATE_LIMIT",
        default_value = "on",
        value_name = "ON|OFF"
    )]
    rate_limit: Switch,
    /// Sign-ins, sign-ups, other password checks and account changes, by address
    #[arg(long, env = "PLACET_LIMIT_CREDENTIALS", default_value_t = Quotas::default().credentials, value_name = "NUMBER")]
    limit_credentials: u64,
    /// Letters to e-mail addresses that the caller chooses, by address
    #[arg(long, env = "PLACET_LIMIT_LETTERS", default_value_t = Quotas::default().letters, value_name = "NUMBER")]
    limit_letters: u64,
    /// Consents and public lookups, by address
    #[arg(long, env = "PLACET_LIMIT_COLLECTION", default_value_t = Quotas::default().collection, value_name = "NUMBER")]
    limit_collection: u64,
    /// Uploads and reads of files under `/v1/assets`, by address; as many missing files under `/cdn`
    #[arg(long, env = "PLACET_LIMIT_FILES", default_value_t = Quotas::default().files, value_name = "NUMBER")]
    limit_files: u64,
    /// Other requests, pages of the admin UI too, by address
    #[arg(long, env = "PLACET_LIMIT_API", default_value_t = Quotas::default().api, value_name = "NUMBER")]
    limit_api: u64,
    /// Requests with credentials or the session of one account, from all addresses
    #[arg(long, env = "PLACET_LIMIT_ACCOUNT", default_value_t = Quotas::default().account, value_name = "NUMBER")]
    limit_account: u64,
    /// Consents for one project, from all addresses
    #[arg(long, env = "PLACET_LIMIT_PROJECT", default_value_t = Quotas::default().project, value_name = "NUMBER")]
    limit_project: u64,
    /// Kilobytes of consents, by address
    #[arg(long, env = "PLACET_LIMIT_KILOBYTES", default_value_t = Quotas::default().kilobytes, value_name = "NUMBER")]
    limit_kilobytes: u64,
    /// Kilobytes of consents for one project, from all addresses
    #[arg(long, env = "PLACET_LIMIT_PROJECT_KILOBYTES", default_value_t = Quotas::default().project_kilobytes, value_name = "NUMBER")]
    limit_project_kilobytes: u64,
    /// Most megabytes of documents and files that an account holds; a tenth of it in its first week
    #[arg(long, env = "PLACET_LIMIT_HELD", default_value_t = Limits::default().held / MEGABYTE, value_name = "NUMBER")]
    limit_held: u64,
    /// Most megabytes that publishes and imports of an account write on a day; a tenth of it in its first week
    #[arg(long, env = "PLACET_LIMIT_WRITTEN", default_value_t = Limits::default().written / MEGABYTE, value_name = "NUMBER")]
    limit_written: u64,
    /// Accounts that an address makes on a day
    #[arg(long, env = "PLACET_LIMIT_ACCOUNTS", default_value_t = Limits::default().accounts, value_name = "NUMBER")]
    limit_accounts: u32,
    /// Megabytes of the disk of the data folder that stay free for the consents of visitors
    #[arg(
        long,
        env = "PLACET_KEEP_FREE",
        default_value = "500",
        value_name = "NUMBER"
    )]
    keep_free: u64,
    /// Most megabytes of a file of consents that is imported over HTTP
    #[arg(
        long,
        env = "PLACET_IMPORT_LIMIT",
        default_value = "2048",
        value_name = "NUMBER"
    )]
    import_limit: u32,
}

impl LimitArgs {
    /// Most bytes of a file that is imported over HTTP.
    pub(super) fn import_bytes(&self) -> u64 {
        u64::from(self.import_limit) * MEGABYTE
    }

    /// Quotas of accounts, none with `--rate-limit off`, and the bytes of the disk that stay free in any case.
    pub(super) fn stored(&self) -> quota::Settings {
        let limits = Limits {
            held: self.limit_held.saturating_mul(MEGABYTE),
            written: self.limit_written.saturating_mul(MEGABYTE),
            accounts: self.limit_accounts,
        };
        quota::Settings {
            limits: matches!(self.rate_limit, Switch::On).then_some(limits),
            keep_free: self.keep_free.saturating_mul(MEGABYTE),
        }
    }

    /// The limits, or `None` if they are off.
    pub(super) fn quotas(&self) -> Option<Quotas> {
        let quotas = Quotas {
            credentials: self.limit_credentials,
            letters: self.limit_letters,
            collection: self.limit_collection,
            files: self.limit_files,
            api: self.limit_api,
            account: self.limit_account,
            project: self.limit_project,
            kilobytes: self.limit_kilobytes,
            project_kilobytes: self.limit_project_kilobytes,
        };
        matches!(self.rate_limit, Switch::On).then_some(quotas)
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Switch {
    On,
    Off,
}
