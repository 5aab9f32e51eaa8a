//! `placet verify`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use clap::Args;
use proof::{
    bundle::MOST_BYTES,
    note::Verifier,
    policy::Policy,
    verify::{Outcome, verify},
};

use super::out::say;

#[derive(Args, Clone)]
pub(super) struct VerifyArgs {
    /// The proof, `*.placet-proof.json`
    file: PathBuf,
    /// Believe the logs and witnesses of this file (c2sp.org/tlog-policy)
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    policy: Option<PathBuf>,
    /// Believe this key of a ledger, `name+id+key`
    #[arg(long, value_name = "VKEY")]
    key: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let text = read(&self.file)?;
        let policy = match &self.policy {
            Some(file) => Some(Policy::parse(&read(file)?)?),
            None if self.key.is_empty() => None,
            None => {
                let keys = self.key.iter().map(|key| Verifier::parse(key));
                Some(Policy::of_keys(keys.collect::<proof::Result<_>>()?))
            }
        };
        let report = verify(&text, policy.as_ref());
        if self.json {
            say(format_args!("{}", serde_json::to_string_pretty(&report)?));
        } else {
            let sign = if report.outcome == Outcome::Failed {
                '✗'
            } else {
                '✓'
            };
            for line in &report.shown {
                say(format_args!("{sign} {line}"));
            }
            for line in &report.warnings {
                say(format_args!("! {line}"));
            }
            say(format_args!("This proof does not show:"));
            for line in &report.not_shown {
                say(format_args!("- {line}"));
            }
        }
        Ok(match report.outcome {
            Outcome::Verified => ExitCode::SUCCESS,
            Outcome::Unwitnessed => ExitCode::from(3),
            Outcome::Failed => ExitCode::FAILURE,
        })
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    use std::io::Read;
    let cannot = || format!("{} cannot be read", path.display());
    let file = std::fs::File::open(path).with_context(cannot)?;
    let mut text = String::new();
    // A byte more than is allowed, so that the reader sees that there are too many.
    file.take(MOST_BYTES as u64 + 1)
        .read_to_string(&mut text)
        .with_context(cannot)?;
    Ok(text)
}
