//! Verifies a proof of consent, a file, and tells the result: in sentences for people, in JSON for programs, and in an
//! exit code for scripts. `placet-verify` and `placet verify` both give this answer. [`proof`] judges.
#![warn(missing_docs)]

use std::{
    fmt::Display,
    fs::File,
    io::{Read, Write, stderr, stdin, stdout},
    path::{Path, PathBuf},
};

use proof::{
    bundle::MOST_BYTES,
    policy::Policy,
    verify::{Outcome, Report, plain, verify_file},
};

/// The exit codes in words, for the help of programs.
pub const EXIT_CODES: &str = "Exit code: 0 if all is in order and independent witnesses vouch for the time, 3 if all \
    is in order and nobody independent does, 1 if the proof is not in order, 2 if it could not be judged.";

/// The exit code of a question that has no answer: a file that cannot be read, or a key that is none.
pub const NO_ANSWER: u8 = 2;

/// A proof, and whom to believe about it.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The proof. `-` is standard input.
    pub file: PathBuf,
    /// A file with logs and witnesses to believe (c2sp.org/tlog-policy), or with keys of a ledger, one a line.
    pub policy: Option<PathBuf>,
    /// Keys of a ledger to believe, each `name+id+key`. Not used with a policy.
    pub keys: Vec<String>,
    /// True for an answer in JSON.
    pub json: bool,
}

impl Question {
    /// Prints the answer and returns the exit code. `program` begins the line about a question that has no answer.
    pub fn answer(&self, program: &str) -> u8 {
        let report = match self.judge() {
            Ok(report) => report,
            Err(reason) => {
                let _ = writeln!(stderr(), "{program}: {}", plain(&reason));
                return NO_ANSWER;
            }
        };
        let text = if self.json {
            serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
        } else {
            sentences(&report)
        };
        // A reader that has gone changes no result.
        let _ = stdout().write_all(text.as_bytes());
        match report.outcome {
            Outcome::Verified => 0,
            Outcome::Failed => 1,
            Outcome::Unwitnessed => 3,
        }
    }

    fn judge(&self) -> Result<Report, String> {
        let policy = match &self.policy {
            Some(file) => {
                let text = String::from_utf8(read(file)?)
                    .map_err(|_| format!("{} is not text", file.display()))?;
                Some(Policy::read(&text).map_err(says)?)
            }
            None if self.keys.is_empty() => None,
            None => {
                let keys = self.keys.iter().map(String::as_str);
                Some(Policy::of_vkeys(keys).map_err(says)?)
            }
        };
        Ok(verify_file(&read(&self.file)?, policy.as_ref()))
    }
}

fn says(reason: impl Display) -> String {
    reason.to_string()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    // A byte more than is allowed, so that the reader sees that there are too many.
    let most = MOST_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    Ok(bytes)
}

fn sentences(report: &Report) -> String {
    let sign = if report.outcome == Outcome::Failed {
        '✗'
    } else {
        '✓'
    };
    let mut text = format!("{}\n\n", report.verdict);
    for (sign, lines) in [(sign, &report.shown), ('!', &report.warnings)] {
        for line in lines {
            text.extend([&*format!("{sign} {line}"), "\n"]);
        }
    }
    text.push_str("This proof does not show:\n");
    for line in &report.not_shown {
        text.extend(["- ", line, "\n"]);
    }
    text
}
