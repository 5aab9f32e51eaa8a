//! `placet doctor`.

use clap::Args;
use service::doctor::{self, Verdict};

use super::out::say;
use super::set_up::SetUp;

#[derive(Args, Clone)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    set_up: SetUp,
}

impl DoctorArgs {
    pub(super) async fn run(&self) -> anyhow::Result<()> {
        // Looking for faults must not create an installation.
        if !self.set_up.data_dir.is_dir() {
            return Err(self.set_up.absent());
        }
        let findings = doctor::examine(&self.set_up.config_without_listening()?).await;
        for finding in &findings {
            let sign = match finding.verdict {
                Verdict::Good => '✓',
                Verdict::Doubtful => '!',
                Verdict::Bad => '✗',
            };
            say(format_args!(
                "{sign} {:<18} {}",
                finding.part, finding.detail
            ));
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
