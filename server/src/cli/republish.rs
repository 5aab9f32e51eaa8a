//! `placet republish`.

use clap::Args;
use service::{
    installation::{self, AddressRule},
    publish::{Publish, StartedJob},
};
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
        let work = placet.jobs.help(placet.publishers(), stop.clone());
        let watch = async {
            let failed = failed_of(&placet.publish, &started).await;
            stop.cancel();
            failed
        };
        let ((), failed) = tokio::join!(work, watch);
        let failed = failed?;
        say(format_args!("{} published again.", started.len() - failed));
        placet.close().await;
        anyhow::ensure!(
            failed == 0,
            "{failed} failed; the log and the page Publish of each project say why"
        );
        Ok(())
    }
}

/// Waits for the end of all jobs, and counts those that have failed.
async fn failed_of(publish: &Publish, jobs: &[StartedJob]) -> anyhow::Result<usize> {
    let mut failed = 0;
    for job in jobs {
        let has_failed = loop {
            if let Some(has_failed) = publish.has_failed(*job).await? {
                break has_failed;
            }
            // A server beside this command may do the job, so the database alone tells of its end.
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        };
        failed += usize::from(has_failed);
    }
    Ok(failed)
}
