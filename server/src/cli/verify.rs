//! `placet verify`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use verify::Question;

#[derive(Args, Clone)]
pub(super) struct VerifyArgs {
    /// The proof, `*.placet-proof.json`; `-` is standard input
    file: PathBuf,
    /// Believe the logs and witnesses of this file (c2sp.org/tlog-policy), or the keys of a ledger in it, one
    /// a line
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    policy: Option<PathBuf>,
    /// Believe this key of a ledger, `name+id+key`
    #[arg(long, value_name = "VKEY")]
    key: Vec<String>,
    /// Write its pictures, and the files that check the signatures of its time stamps, into this folder
    #[arg(long, value_name = "FOLDER")]
    extract: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    pub(super) fn run(self) -> ExitCode {
        let question = Question {
            file: self.file,
            policy: self.policy,
            keys: self.key,
            json: self.json,
            extract: self.extract,
        };
        question.answer("placet").into()
    }
}

/// The end of the help.
pub(super) fn after_help() -> String {
    format!(
        "{}\n\nplacet-verify is the same as a small program of its own.\n\nExample:\n  \
         placet verify --policy trusted.policy 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70.placet-proof.json",
        verify::EXIT_CODES
    )
}
