//! `placet catalogue`.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use service::vendors::MOST_BYTES;

use super::out::say;
use super::set_up::SetUp;

#[derive(Subcommand)]
pub(super) enum CatalogueCommand {
    /// Load a catalogue that is newer than this version's own
    Import(Box<ImportArgs>),
}

impl CatalogueCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Import(args) => args.run().await,
        }
    }
}

#[derive(Args, Clone)]
pub(super) struct ImportArgs {
    /// The catalogue, as NDJSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    set_up: SetUp,
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
        let placet = self.set_up.open().await?;
        let loaded = placet.vendors.import(&text).await;
        placet.close().await;
        let loaded = loaded.with_context(|| format!("{file} was not loaded"))?;
        let (version, services) = (loaded.version, loaded.services);
        if loaded.changed {
            say(format_args!(
                "The catalogue is now version {version}, with {services} services."
            ));
        } else {
            say(format_args!("The catalogue is version {version} already."));
        }
        Ok(())
    }
}
