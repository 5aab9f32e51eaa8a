//! `placet republish`.

use clap::Args;
use service::installation::{self, AddressRule};
use tokio_util::sync::CancellationToken;

use super::out::say;
use super::{log, set_up::SetUp};

#[derive(Args, Clone)]
pub(super) struct RepublishArgs {
    /// Publish every project again, even with the current SDK
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    set_up: SetUp,
}

impl RepublishArgs {
    pub(super) async fn run(&self) -> anyhow::Result<()> {
        log::start_plain();
        let placet = self.set_up.open().await?;
        // Of an earlier version, or of no server yet.
        let has_addresses = installation::addresses(&placet.db).await?.is_some();
        anyhow::ensure!(
            has_addresses || placet.config.address_rule != AddressRule::Inherit,
            "the database knows no addresses of this installation yet: name them with --base-url and --cdn-url, \
             or start the server once"
        );
        if let Some(why) = placet.publish.refusal().await? {
            anyhow::bail!("{why}");
        }
        let all = self.all || placet.moved;
        let started = placet.publish.republish(None, all).await?;
        let stop = CancellationToken::new();
        let work = placet.jobs.help(placet.workers(), stop.clone());
        let watch = async {
            while placet.jobs.unfinished().await? > 0 {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            stop.cancel();
            anyhow::Ok(())
        };
        let ((), watched) = tokio::join!(work, watch);
        watched?;
        say(format_args!("{started} published again."));
        placet.close().await;
        Ok(())
    }
}
