//! The flags of the browser that takes pictures.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use service::chromium::Settings;

/// The word for no browser.
const OFF: &str = "off";

#[derive(Args, Clone)]
pub(super) struct ChromiumArgs {
    /// Chromium that takes pictures of each publication, as evidence of what was published: its path, or `off`. It needs
    /// a processor for some seconds a picture
    #[arg(
        long,
        env = "PLACET_CHROMIUM_PROGRAM",
        default_value = OFF,
        value_name = "PATH"
    )]
    chromium: PathBuf,
    /// Run Chromium without its own sandbox, which does not work for root and in most containers. Only where the
    /// server itself is contained: Chromium draws what people with accounts have written
    #[arg(long, env = "PLACET_CHROMIUM_NO_SANDBOX")]
    chromium_no_sandbox: bool,
    /// Seconds after which Chromium is ended that has not taken its picture
    #[arg(long, env = "PLACET_CHROMIUM_SECONDS", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=600), value_name = "SECONDS")]
    chromium_seconds: u64,
}

impl ChromiumArgs {
    pub(super) fn settings(&self) -> Option<Settings> {
        (self.chromium.as_os_str() != OFF).then(|| Settings {
            program: self.chromium.clone(),
            sandbox: !self.chromium_no_sandbox,
            most: Duration::from_secs(self.chromium_seconds),
        })
    }
}
