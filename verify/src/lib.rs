//! Verifies a proof of consent, a file, or the promise of one, and tells the result: in sentences for people, in JSON
//! for programs, and in an exit code for scripts. `placet-verify` and `placet verify` both give this answer. [`proof`]
//! judges.
#![warn(missing_docs)]

use std::{
    fmt::Display,
    fs::{self, File},
    io::{ErrorKind, Read, Write, stderr, stdin, stdout},
    path::{Path, PathBuf},
};

use proof::{
    Refused,
    bundle::MOST_BYTES,
    from_base64,
    policy::Policy,
    verify::{
        Against, Outcome, Published, Report, SavedFile, plain, seconds, verify_file, verify_promise,
    },
};

/// The exit codes in words, for the help of programs.
pub const EXIT_CODES: &str = "Exit code: 0 if all is in order and independent witnesses vouch for the time, 3 if all \
    is in order and nobody independent does, 1 if the proof is not in order, 2 if it could not be judged. A time stamp \
    changes nothing of it: openssl checks its signature, by the command that is printed. Of a promise also 4 if it was \
    broken, and 5 if it is open whether it was kept.";

/// The exit code of a question that has no answer: a file that cannot be read, or a key that is none.
pub const NO_ANSWER: u8 = 2;

/// Reads a file of a ledger, by its path below the ledger's address. `None` if it is not there, and the reason if it cannot
/// be read.
pub type ReadFile = Box<dyn Fn(&str) -> Result<Option<Vec<u8>>, String>>;

/// A proof or a promise, and whom to believe about it.
#[derive(Default)]
pub struct Question {
    /// The proof, or the promise. `-` is standard input.
    pub file: PathBuf,
    /// The proof of the promised consent.
    pub proof: Option<PathBuf>,
    /// The files of the ledger that a promise is about.
    pub ledger: Option<ReadFile>,
    /// A file with a checkpoint in place of the ledger's own, such as one that witnesses signed.
    pub checkpoint: Option<PathBuf>,
    /// A time at which that was the ledger's newest checkpoint, in RFC 3339.
    pub seen: Option<String>,
    /// A file with logs and witnesses to believe (c2sp.org/tlog-policy), or with keys of a ledger, one a line.
    pub policy: Option<PathBuf>,
    /// Keys of a ledger to believe, each `name+id+key`. Not used with a policy.
    pub keys: Vec<String>,
    /// True for an answer in JSON.
    pub json: bool,
    /// A folder for the files that check the signatures of time stamps, and for the pictures.
    pub extract: Option<PathBuf>,
}

impl Question {
    /// Prints the answer and returns the exit code. `program` begins the line about a question that has no answer.
    pub fn answer(&self, program: &str) -> u8 {
        let judged = self.judge().and_then(|report| {
            if let Some(folder) = &self.extract {
                extract(&report, folder)?;
            }
            Ok(report)
        });
        let report = match judged {
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
            Outcome::Broken => 4,
            Outcome::Open => 5,
        }
    }

    fn judge(&self) -> Result<Report, String> {
        let policy = match &self.policy {
            Some(file) => Some(Policy::read(&text(file)?).map_err(says)?),
            None if self.keys.is_empty() => None,
            None => {
                let keys = self.keys.iter().map(String::as_str);
                Some(Policy::of_vkeys(keys).map_err(says)?)
            }
        };
        let (file, policy) = (read(&self.file)?, policy.as_ref());
        if let Some(proof) = &self.proof {
            let proof = text(proof)?;
            return Ok(verify_promise(&file, policy, Against::Proof(&proof)));
        }
        let Some(ledger) = &self.ledger else {
            return Ok(verify_file(&file, policy));
        };
        let checkpoint = match &self.checkpoint {
            Some(file) => text(file)?,
            None => String::from_utf8(ledger("checkpoint")?.ok_or("the ledger has no checkpoint")?)
                .map_err(says)?,
        };
        let read = |path: &str| ledger(path).map_err(Refused);
        let ledger = Published {
            checkpoint: &checkpoint,
            seen: self
                .seen
                .as_deref()
                .map(seconds)
                .transpose()
                .map_err(says)?,
            read: &read,
        };
        Ok(verify_promise(&file, policy, Against::Ledger(ledger)))
    }
}

/// Most bytes that are read of a file of a ledger: more than a tile or a checkpoint has.
const MOST_TILE: u64 = 512 * 1_024;

/// The files of a ledger in a folder.
pub fn folder(folder: PathBuf) -> ReadFile {
    Box::new(move |path| {
        let path = folder.join(path);
        let read = File::open(&path).and_then(|file| {
            let mut bytes = Vec::new();
            file.take(MOST_TILE).read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        }
    })
}

/// Writes the pictures, the files of each time stamp, and the commands that check them. A file that is there already
/// stays, and is an error. Nothing is written for a proof that is not in order.
fn extract(report: &Report, folder: &Path) -> Result<(), String> {
    if report.outcome == Outcome::Failed {
        return Ok(());
    }
    let pictures = report.pictures.iter();
    let pictures: Vec<_> = pictures.filter_map(|one| one.file.as_ref()).collect();
    if report.stamps.is_empty() && pictures.is_empty() {
        return Err(
            "there is nothing to extract: the proof has neither a time stamp nor a picture"
                .to_owned(),
        );
    }
    let failed = |path: &Path, error| format!("{} cannot be written: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let file = File::create_new(&path);
        let written = file.and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| failed(&path, error))
    };
    let save = |file: &SavedFile| {
        let bytes = from_base64(&file.content).map_err(says)?;
        write(&file.name, &bytes)
    };
    for picture in pictures {
        save(picture)?;
    }
    if report.stamps.is_empty() {
        return Ok(());
    }
    let mut readme = README.to_owned();
    for stamp in &report.stamps {
        for file in &stamp.files {
            save(file)?;
        }
        let (url, time) = (plain(&stamp.url), &stamp.time);
        readme.extend([
            &*format!("\nTime stamp of {url}, by its own words of {time}:\n"),
            &*format!("{}\n", stamp.command),
            "After the authority's certificate has expired:\n",
            &*format!("{} -attime {}\n", stamp.command, stamp.seconds),
        ]);
    }
    write("README.txt", readme.as_bytes())
}

/// Begins the file beside the files of time stamps.
const README: &str = "\
Checks the signatures of the time stamps (RFC 3161) of a proof of consent, by OpenSSL 3.
checkpoint-*.txt are the stamped texts, stamp-*.tst the stamps. Put the root certificates of
the authority into authority.pem; get them from the authority, or from a list that you trust,
such as the trusted lists of the European Union. \"Verification: OK\" is the good answer.
";

fn says(reason: impl Display) -> String {
    reason.to_string()
}

fn text(path: &Path) -> Result<String, String> {
    String::from_utf8(read(path)?).map_err(|_| format!("{} is not text", path.display()))
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
    let sign = match report.outcome {
        Outcome::Failed => '✗',
        _ => '✓',
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
