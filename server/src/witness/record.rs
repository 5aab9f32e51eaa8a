//! The checkpoint that a witness has signed last for a log, in memory and in a file.
//!
//! The file holds the note with the signatures of the log and of the witness. It is on disk before the signature
//! leaves, so that a witness that dies never forgets what it has said.

use std::path::{Path, PathBuf};

use anyhow::Context;
use proof::{
    Hash,
    checkpoint::Checkpoint,
    note::{Note, Signed, Verifier},
    witness::cosignature,
};
use service::objects::write_durably;

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;
/// Signatures that a log may have one after the other, at least. A log catches up after a fault.
const BURST: u64 = 10;
/// Seconds between two lines of the process's own log about forks of a log.
const FORK_EVERY: u64 = 3_600;

/// The checkpoint that was signed last.
#[derive(Clone, Debug)]
pub(super) struct Latest {
    pub size: u64,
    pub root: Hash,
    /// The lines of the witness's signatures.
    pub lines: String,
    /// Their time in seconds since 1970.
    pub time: u64,
    /// All of it, for readers.
    pub note: String,
}

impl Latest {
    /// Reads a note that the witness has signed with the first of its keys, and with the second one if that is not younger.
    pub(super) fn read(
        note: String,
        origin: &str,
        [ed25519, ml_dsa]: [&Verifier; 2],
    ) -> proof::Result<Self> {
        let parsed = Note::parse(&note)?;
        let checkpoint = Checkpoint::of_any_log(parsed.text)?;
        if checkpoint.origin != origin {
            return Err(proof::Refused("it is of another log".to_owned()));
        }
        let lines = note.get(parsed.text.len() + 1..).unwrap_or_default();
        let own = cosignature(lines, parsed.text, ed25519)?;
        let mut own_lines = own.line;
        if ml_dsa.signed(&parsed)? != Signed::No {
            own_lines.push_str(&cosignature(lines, parsed.text, ml_dsa)?.line);
        }
        Ok(Self {
            size: checkpoint.size,
            root: checkpoint.root,
            lines: own_lines,
            time: own.time,
            note,
        })
    }
}

/// The record of a log.
pub(super) struct Record {
    path: PathBuf,
    pub latest: Option<Latest>,
    pace: Pace,
    /// When a fork was told of, in seconds since 1970.
    told: Option<u64>,
}

impl Record {
    /// Reads the record of a log in a folder.
    pub(super) fn open(
        folder: &Path,
        (origin, digits): (&str, &str),
        witness: [&Verifier; 2],
        per_day: u32,
    ) -> anyhow::Result<Self> {
        let path = folder.join(format!("{digits}.checkpoint"));
        let latest = match std::fs::read_to_string(&path) {
            Ok(note) => {
                let latest = Latest::read(note, origin, witness);
                Some(latest.with_context(|| {
                    format!("{} is not what this witness has written", path.display())
                })?)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", path.display()));
            }
        };
        Ok(Self {
            path,
            latest,
            pace: Pace::new(per_day),
            told: None,
        })
    }

    /// Makes a checkpoint the latest, on disk first.
    pub(super) fn keep(&mut self, latest: Latest) -> std::io::Result<()> {
        write_durably(&self.path, latest.note.as_bytes())?;
        self.latest = Some(latest);
        Ok(())
    }

    /// The lines of the latest signatures, if they are of this tree and the log may not have others yet. They say the same.
    pub(super) fn repeated(&self, (size, root): (u64, &Hash), now: u64) -> Option<String> {
        let latest = self.latest.as_ref()?;
        let is_same = latest.size == size && latest.root == *root;
        let is_fresh = now.saturating_sub(latest.time).saturating_mul(1_000) < self.pace.interval;
        (is_same && is_fresh).then(|| latest.lines.clone())
    }

    /// True if the operator is to be told of a fork: not for each repetition of it, which anybody can send.
    pub(super) fn tells(&mut self, now: u64) -> bool {
        let tells = self
            .told
            .is_none_or(|told| now.saturating_sub(told) >= FORK_EVERY);
        if tells {
            self.told = Some(now);
        }
        tells
    }

    /// Takes one signature from what the log may have. An error says in how many seconds it may have the next one.
    pub(super) fn take(&mut self, now: u64) -> Result<(), u64> {
        self.pace.take(now.saturating_mul(1_000))
    }
}

/// Signatures over time: so many a day, and an hour's share of them at once.
struct Pace {
    /// Milliseconds between two.
    interval: u64,
    burst: u64,
    /// When all that were taken are paid for.
    paid: u64,
}

impl Pace {
    fn new(per_day: u32) -> Self {
        let per_day = u64::from(per_day.max(1));
        let interval = (DAY / per_day).max(1);
        Self {
            interval,
            burst: (per_day / 24).max(BURST).saturating_mul(interval),
            paid: 0,
        }
    }

    fn take(&mut self, now: u64) -> Result<(), u64> {
        let paid = self.paid.max(now).saturating_add(self.interval);
        let over = paid.saturating_sub(now).saturating_sub(self.burst);
        if over > 0 {
            return Err(over.div_ceil(1_000));
        }
        self.paid = paid;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_is_told_of_once_an_hour() {
        let folder = tempfile::tempdir().unwrap();
        let keys = crate::witness::key::make(folder.path(), "w.example").unwrap();
        let record = Record::open(folder.path(), ("a.example", "00"), keys.verifiers(), 24);
        let mut record = record.unwrap();
        let told = [100, 101, 3_699, 3_700, 3_701].map(|now| record.tells(now));
        assert_eq!(told, [true, false, false, true, false]);
    }

    #[test]
    fn a_log_has_its_share_of_the_day_and_no_more() {
        let mut hourly = Pace::new(24);
        let start = 1_000 * DAY;
        let taken = (0..100).filter(|_| hourly.take(start).is_ok()).count();
        assert_eq!(taken, 10);
        assert_eq!(hourly.take(start), Err(3_600));
        assert_eq!(hourly.take(start + 3_600_000), Ok(()));
        assert!(hourly.take(start + 3_600_000).is_err());
        let mut often = Pace::new(86_400);
        let taken = (0..10_000).filter(|_| often.take(start).is_ok()).count();
        assert_eq!(taken, 3_600);
    }
}
