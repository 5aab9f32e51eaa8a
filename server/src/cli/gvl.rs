//! `placet gvl`, and the flags of the Transparency and Consent Framework.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Args, Subcommand};
use service::tcf::{File, ListFacts, ListFiles, MOST_BYTES, Origins, Settings};

use super::out::say;
use super::set_up::{SetUp, checked_url};

/// In place of an address: nothing is fetched.
const OFF: &str = "off";

#[derive(Args, Clone)]
#[command(next_help_heading = "Transparency and Consent Framework")]
pub(super) struct TcfArgs {
    /// Number of the consent management platform that you have registered at IAB Europe. Without it only
    /// projects with a number of their own publish widgets with the layout iab
    #[arg(long = "tcf-cmp-id", env = "PLACET_TCF_CMP_ID", value_parser = clap::value_parser!(u16).range(2..=4095), value_name = "NUMBER")]
    cmp_id: Option<u16>,
    /// The same for tests: widgets show the demo banner
    #[arg(long = "tcf-test-cmp-id", env = "PLACET_TCF_TEST_CMP_ID", value_parser = clap::value_parser!(u16).range(2..=4095), value_name = "NUMBER", conflicts_with = "cmp_id")]
    test_cmp_id: Option<u16>,
    /// Folder of the Global Vendor List, which a server with such a number fetches as often as its answers permit;
    /// `off` fetches nothing
    #[arg(
        long = "tcf-gvl-url",
        env = "PLACET_TCF_GVL_URL",
        default_value = "https://vendor-list.consensu.org/v3/",
        value_name = "URL"
    )]
    list_url: String,
    /// Google's list of ad technology providers, which the same server fetches once a configuration names some; `off`
    /// fetches none
    #[arg(
        long = "tcf-providers-url",
        env = "PLACET_TCF_PROVIDERS_URL",
        default_value = "https://storage.googleapis.com/tcfac/additional-consent-providers.csv",
        value_name = "URL"
    )]
    providers_url: String,
}

impl TcfArgs {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            cmp_id: self.cmp_id.or(self.test_cmp_id),
            is_test: self.test_cmp_id.is_some(),
        }
    }

    pub(super) fn origins(&self) -> anyhow::Result<Origins> {
        // A server without the first fetches nothing.
        if self.settings().cmp_id.is_none() || self.list_url == OFF {
            return Ok(Origins::default());
        }
        let list = checked_url("--tcf-gvl-url", &self.list_url)?;
        let providers = (self.providers_url != OFF)
            .then(|| checked_url("--tcf-providers-url", &self.providers_url))
            .transpose()?;
        Ok(Origins {
            list: Some(format!("{list}/")),
            providers,
        })
    }
}

#[derive(Subcommand)]
pub(super) enum GvlCommand {
    /// Import the list, its translations and Google's list of providers; a running server uses them at the next
    /// publish
    #[command(after_help = "Examples:\n  \
        placet gvl import vendor-list.json purposes-fr.json purposes-de.json --data-dir /var/lib/placet\n  \
        placet gvl import additional-consent-providers.csv --data-dir /var/lib/placet")]
    Import(Box<ImportArgs>),
    /// Show the list in use
    Status(Box<StatusArgs>),
    /// Ask all visitors again, when IAB Europe orders it; a running server publishes the live configurations again
    /// within minutes. A new list needs no such order, and nothing takes it back
    #[command(after_help = "Example:\n  placet gvl reask --data-dir /var/lib/placet")]
    Reask(Box<ReaskArgs>),
}

#[derive(Args, Clone)]
pub(super) struct ImportArgs {
    /// vendor-list.json, translations named purposes-<language>.json, and Google's list of providers, whose name ends
    /// with .csv
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,
    /// Take a lower version, or other bytes of the same version
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
pub(super) struct ReaskArgs {
    #[command(flatten)]
    set_up: SetUp,
}

impl GvlCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Import(args) => args.run().await,
            Self::Status(args) => args.run().await,
            Self::Reask(args) => args.run().await,
        }
    }
}

/// The words before the reason of a refusal.
const NOTHING: &str = "nothing was imported";

impl ImportArgs {
    async fn run(&self) -> anyhow::Result<()> {
        let files = self.files.iter().map(|path| read(path));
        let files = files.collect::<anyhow::Result<Vec<_>>>()?;
        // Before the database is touched, which a new version migrates.
        let files = ListFiles::read(files).context(NOTHING)?;
        let placet = self.set_up.open().await?;
        let imported = placet.tcf.import_read(files, self.force).await;
        placet.close().await;
        let imported = imported.context(NOTHING)?;
        if imported.is_new {
            say(format_args!("The list is now {}.", words(&imported.list)));
        } else {
            say(format_args!(
                "The list is {} already.",
                words(&imported.list)
            ));
        }
        if !imported.languages.is_empty() {
            say(format_args!(
                "Translations: {}.",
                imported.languages.join(", ")
            ));
        }
        if let Some(providers) = imported.providers {
            say(format_args!("Google's list names {providers} providers."));
        }
        Ok(())
    }
}

/// Reads a file with its name, a little more than is allowed at most.
fn read(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    let name = path.display();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(|| format!("{name} cannot be read"))?;
    file.take(MOST_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{name} cannot be read"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((name.into_owned(), bytes))
}

impl StatusArgs {
    async fn run(&self) -> anyhow::Result<()> {
        let placet = self.set_up.open().await?;
        let status = placet.tcf.status().await;
        placet.close().await;
        let status = status?;
        match &status.list {
            None => say(format_args!(
                "There is no list yet; `placet gvl import` brings one."
            )),
            Some(list) => say(format_args!(
                "The list is {}, from {}.",
                words(list),
                list.source
            )),
        }
        let languages = ["en".to_owned()].into_iter().chain(status.languages);
        say(format_args!(
            "Languages: {}.",
            languages.collect::<Vec<_>>().join(", ")
        ));
        if let Some(list) = &status.providers {
            say(format_args!(
                "Google's providers: {} of {}, from {} (SHA-256 {}).",
                list.providers, list.imported_at, list.source, list.sha256
            ));
        }
        if status.orders > 0 {
            say(format_args!(
                "Orders to ask all visitors again: {}.",
                status.orders
            ));
        }
        status.fetches.iter().for_each(say_fetch);
        Ok(())
    }
}

impl ReaskArgs {
    async fn run(&self) -> anyhow::Result<()> {
        let placet = self.set_up.open().await?;
        let orders = placet.tcf.ask_again().await;
        placet.close().await;
        say(format_args!(
            "All visitors are asked again: order {}. A running server publishes the live configurations again within \
             minutes.",
            orders?
        ));
        Ok(())
    }
}

fn say_fetch(file: &File) {
    let File { url, .. } = file;
    let next = file.due();
    match (&file.failure, file.tried_at, file.fetched_at) {
        (Some(why), Some(tried), Some(fetched)) => say(format_args!(
            "{url}: last fetched {fetched}; failed {tried}: {why}. Next try after {next}."
        )),
        (Some(why), Some(tried), None) => say(format_args!(
            "{url}: never fetched; failed {tried}: {why}. Next try after {next}."
        )),
        (_, _, Some(fetched)) => say(format_args!(
            "{url}: last fetched {fetched}. Next try after {next}."
        )),
        _ => say(format_args!("{url}: not fetched yet.")),
    }
}

fn words(list: &ListFacts) -> String {
    format!(
        "version {} of {} (policy {}, SHA-256 {})",
        list.version, list.updated_at, list.policy, list.sha256
    )
}
