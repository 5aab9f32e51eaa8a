//! `placet doctor`.

use clap::Args;
use service::doctor::{self, Verdict};

use super::set_up::SetUp;

#[derive(Args, Clone)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    set_up: SetUp,
}

impl DoctorArgs {
    pub(super) async fn run(&self) -> anyhow::Result<()> {
        let folder = &self.set_up.data_dir;
        // Looking for faults must not create an installation.
        anyhow::ensure!(
            folder.is_dir(),
            "there is no installation in {}; `placet serve` makes one, or --data-dir names another folder",
            folder.display()
        );
        let findings = doctor::examine(&self.set_up.config_without_listening()?).await;
        for finding in &findings {
            let sign = match finding.verdict {
                Verdict::Good => '✓',
                Verdict::Doubtful => '!',
                Verdict::Bad => '✗',
            };
            println!("{sign} {:<18} {}", finding.part, finding.detail);
        }
        let bad = |verdict| verdict == Verdict::Bad;
        match findings
            .iter()
            .filter(|finding| bad(finding.verdict))
            .count()
        {
            0 => Ok(()),
            1 => anyhow::bail!("one part does not work"),
            count => anyhow::bail!("{count} parts do not work"),
        }
    }
}
