//! `placet-verify`: verifies a proof of consent on a machine that has nothing else of Placet.

use std::{
    ffi::OsString,
    io::{Write, stderr, stdout},
    path::PathBuf,
    process::ExitCode,
};

use verify::{EXIT_CODES, NO_ANSWER, Question};

const USAGE: &str = "\
Verifies a proof of consent, offline.

Usage: placet-verify [OPTIONS] FILE

  FILE             The proof, *.placet-proof.json, or the promise of one,
                   *.placet-promise.json; - is standard input

  --policy FILE    Believe the logs and witnesses of this file (c2sp.org/tlog-policy),
                   or the keys of a ledger in it, one a line
  --key VKEY       Believe this key of a ledger, name+id+key; may stand several times
  --extract FOLDER Write its pictures, and the files that check the signatures of its
                   time stamps
  --proof FILE     Compare the promise with this proof of its consent
  --ledger FOLDER  Compare the promise with the ledger: a folder with its files
  --checkpoint FILE
                   Believe this checkpoint in place of the one in the folder
  --seen TIME      That was the ledger's newest one at this time (RFC 3339)
  --json           Print JSON
  --help           Print this
  --version        Print the version
";

/// The command line as it was understood.
enum Asked {
    Help,
    Version,
    Question(Question),
}

fn main() -> ExitCode {
    let text = match parse(std::env::args_os().skip(1)) {
        Ok(Asked::Question(question)) => return question.answer("placet-verify").into(),
        Ok(Asked::Help) => format!("{USAGE}\n{EXIT_CODES}\n"),
        Ok(Asked::Version) => format!("placet-verify {}\n", env!("CARGO_PKG_VERSION")),
        Err(reason) => {
            let _ = write!(stderr(), "placet-verify: {reason}\n\n{USAGE}");
            return NO_ANSWER.into();
        }
    };
    let _ = stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Asked, String> {
    let mut question = Question::default();
    let mut file = None;
    let mut only_files = false;
    while let Some(argument) = arguments.next() {
        // A flag and its value may be one argument: `--key=VKEY`.
        let text = argument.to_str().unwrap_or_default();
        let (flag, joined) = match text.split_once('=') {
            Some((flag, value)) => (flag, Some(OsString::from(value))),
            None => (text, None),
        };
        let mut value = || {
            joined
                .clone()
                .or_else(|| arguments.next())
                .ok_or_else(|| format!("{flag} needs a value"))
        };
        match flag {
            "--" if !only_files => only_files = true,
            "--policy" if !only_files => {
                let policy = PathBuf::from(value()?);
                if question.policy.replace(policy).is_some() {
                    return Err("--policy stands twice".to_owned());
                }
            }
            "--key" if !only_files => {
                let key = value()?.into_string();
                question.keys.push(key.map_err(|_| "--key is not text")?);
            }
            "--extract" if !only_files => {
                let folder = PathBuf::from(value()?);
                if question.extract.replace(folder).is_some() {
                    return Err("--extract stands twice".to_owned());
                }
            }
            "--proof" if !only_files => question.proof = Some(PathBuf::from(value()?)),
            "--ledger" if !only_files => {
                let folder = PathBuf::from(value()?);
                if folder.to_string_lossy().contains("://") {
                    return Err("--ledger names a folder: this program has no network".to_owned());
                }
                question.ledger = Some(verify::folder(folder));
            }
            "--checkpoint" if !only_files => {
                question.checkpoint = Some(PathBuf::from(value()?));
            }
            "--seen" if !only_files => {
                let seen = value()?.into_string();
                question.seen = Some(seen.map_err(|_| "--seen is not text")?);
            }
            "--json" if !only_files && joined.is_none() => question.json = true,
            "--help" | "-h" if !only_files => return Ok(Asked::Help),
            "--version" | "-V" if !only_files => return Ok(Asked::Version),
            _ if !only_files && text.starts_with('-') && text != "-" => {
                return Err(format!("{text} is no option"));
            }
            _ if file.is_none() => file = Some(PathBuf::from(argument)),
            _ => return Err("one proof at a time".to_owned()),
        }
    }
    if question.policy.is_some() && !question.keys.is_empty() {
        return Err("--policy and --key exclude each other".to_owned());
    }
    if question.proof.is_some() && question.ledger.is_some() {
        return Err("--proof and --ledger exclude each other".to_owned());
    }
    if question.ledger.is_none() && (question.checkpoint.is_some() || question.seen.is_some()) {
        return Err("--checkpoint and --seen need --ledger".to_owned());
    }
    question.file = file.ok_or("no proof is named")?;
    Ok(Asked::Question(question))
}
