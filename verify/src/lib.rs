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
    note::Verifier,
    policy::Policy,
    verify::{Outcome, Report, verify_file},
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
    /// A file with logs and witnesses to believe (c2sp.org/tlog-policy).
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
                Some(Policy::parse(&text).map_err(says)?)
            }
            None if self.keys.is_empty() => None,
            None => {
                let keys = self.keys.iter().map(|key| Verifier::parse(key));
                let keys = keys.collect::<proof::Result<_>>().map_err(says)?;
                Some(Policy::of_keys(keys))
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
    let mut text = format!("{}\n\n", plain(&report.verdict));
    for (sign, lines) in [(sign, &report.shown), ('!', &report.warnings)] {
        for line in lines {
            text.extend([&*format!("{sign} {}", plain(line)), "\n"]);
        }
    }
    text.push_str("This proof does not show:\n");
    for line in &report.not_shown {
        text.extend(["- ", line, "\n"]);
    }
    text
}

/// A line without signs that command a terminal or turn text around: strangers write the facts of a proof, and must
/// not be able to draw a sentence of ours.
fn plain(line: &str) -> String {
    let commands = |sign: char| {
        sign.is_control()
            || matches!(sign, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut text = String::with_capacity(line.len());
    for sign in line.chars() {
        if commands(sign) {
            text.extend(sign.escape_unicode());
        } else {
            text.push(sign);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_strangers_stay_in_their_line() {
        let report = Report {
            outcome: Outcome::Unwitnessed,
            verdict: "given\u{1b}[2J".to_owned(),
            shown: vec!["a\n✓ existed\r".to_owned()],
            warnings: vec!["\u{202e}b".to_owned()],
            not_shown: vec!["c".to_owned()],
        };
        let expected = "given\\u{1b}[2J\n\n✓ a\\u{a}✓ existed\\u{d}\n! \\u{202e}b\nThis proof does not show:\n- c\n";
        assert_eq!(sentences(&report), expected);
    }
}
