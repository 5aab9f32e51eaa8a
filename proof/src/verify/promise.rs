//! Judges a promise: whether the operator gave it, and whether it was kept.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Judged, Opened, Outcome, Report, UNSIGNED, day, groups, identity, independent, open};
use crate::{
    Refused, Result,
    checkpoint::Checkpoint,
    commitment::consent_entry,
    note::Note,
    policy::{Cosigned, Policy},
    promise::{Promise, ReadFile, Terms, find},
    refused, tree,
};

/// A thing that tells whether a promise was kept.
#[derive(Clone, Copy)]
pub enum Against<'a> {
    /// Nothing: it stays open.
    Nothing,
    /// The text of a bundle: the proof of the promised consent.
    Proof(&'a str),
    /// The ledger.
    Ledger(Published<'a>),
}

/// A ledger as it is published.
#[derive(Clone, Copy)]
pub struct Published<'a> {
    /// The note of its newest checkpoint.
    pub checkpoint: &'a str,
    /// A time at which that was its newest one, in seconds since 1970, as the caller states it.
    pub seen: Option<u64>,
    /// Its files.
    pub read: &'a ReadFile<'a>,
}

/// A promise that is in order.
struct Given<'a> {
    terms: &'a Terms,
    entry: Vec<u8>,
    policy: Option<&'a Policy>,
    /// The begin of the sentence about the result.
    promised: String,
    /// The time until which it had to be kept, as people say it.
    due: String,
}

pub(super) fn read(
    text: &str,
    policy: Option<&Policy>,
    against: Against<'_>,
    report: &mut Report,
) -> Result<Outcome> {
    let promise = Promise::parse(text)?;
    let Opened {
        core,
        withheld,
        commitment,
        ..
    } = open(&promise.record, false)?;
    let entry = consent_entry(&commitment);
    let note = Note::parse(&promise.note)?;
    let terms = Terms::read(&note)?;
    promise.check(&terms, &entry)?;
    let (Some(time), Some(due)) = (moment(terms.time), moment(terms.due())) else {
        return refused("the time of the promise is none");
    };
    if let Some(policy) = policy {
        policy.check_promise(&note, &terms.origin)?;
        let right = "The signature of the promise is right.";
        report.shown.push(right.to_owned());
    } else {
        report.warnings.push(UNSIGNED.to_owned());
    }
    report.shown.push(format!(
        "It is about a consent {}: received {}, decided {}, outcome {}.",
        identity(&core),
        core.received_at,
        core.decided_at,
        core.outcome,
    ));
    report.shown.extend(groups(&withheld, "promise"));
    let origin = &terms.origin;
    let given = Given {
        promised: format!(
            "On {} the ledger {origin} promised to have this consent by {}",
            day(time),
            day(due)
        ),
        due: day(due),
        terms: &terms,
        entry,
        policy,
    };
    match against {
        Against::Nothing => {
            report.verdict = format!("{}. Nothing tells here whether it has.", given.promised);
            let more = "Compare it with the proof of the consent, or with the ledger's files.";
            report.warnings.push(more.to_owned());
            Ok(Outcome::Open)
        }
        Against::Proof(text) => given.in_proof(text, report),
        Against::Ledger(ledger) => given.in_ledger(ledger, report),
    }
}

impl Given<'_> {
    /// Compares it with the proof of the consent.
    fn in_proof(&self, text: &str, report: &mut Report) -> Result<Outcome> {
        // The sentences about the consent are about the same one.
        let mut proof = super::report("proof", |_| Ok(Outcome::Failed));
        let judged = super::read(text, self.policy, &mut proof);
        let Judged {
            outcome,
            entry,
            origin,
            index,
            cosigned,
        } = judged.map_err(|reason| Refused(format!("the proof beside it: {reason}")))?;
        if entry != self.entry {
            return refused("the proof is of another consent");
        }
        if origin != self.terms.origin {
            return refused("the proof is from another ledger");
        }
        Ok(match self.kept(index, &cosigned, report) {
            Outcome::Open => Outcome::Open,
            _ => outcome,
        })
    }

    /// Compares it with the files of the ledger.
    fn in_ledger(&self, ledger: Published<'_>, report: &mut Report) -> Result<Outcome> {
        let (size, cosigned, found) = self
            .look_for(ledger)
            .map_err(|reason| Refused(format!("the ledger beside it: {reason}")))?;
        if let Some(index) = found {
            return Ok(self.kept(index, &cosigned, report));
        }
        let promised = &self.promised;
        let is_over = |at: &u64| *at > self.terms.due();
        let without = format!("the {size} entries of the ledger are without it");
        let by = cosigned.by.filter(is_over).and_then(moment);
        let seen = ledger.seen.filter(is_over).and_then(moment);
        // Without a key, anybody can have made promise and ledger.
        let (verdict, outcome) = match (self.policy, by, seen) {
            (Some(_), _, Some(seen)) => {
                let broken = format!(
                    "{promised}. The promise was broken: on {}, as you state, {without}.",
                    day(seen)
                );
                (broken, Outcome::Broken)
            }
            // Witnesses sign an old checkpoint again for whoever sends it, and know of no newer one.
            (Some(_), Some(by), None) => {
                let again = "Say when this checkpoint was the ledger's newest one: witnesses sign an old one again.";
                report.warnings.push(again.to_owned());
                let (witnesses, by) = (independent(&cosigned), day(by));
                let open = format!(
                    "{promised}. On {by}, {witnesses} signed a checkpoint of which {without}."
                );
                (open, Outcome::Open)
            }
            (_, None, None) if cosigned.by.or(ledger.seen).is_none() => {
                let again = "Say when this checkpoint was the ledger's newest one.";
                report.warnings.push(again.to_owned());
                let open =
                    format!("{promised}. So far {without}, and nothing tells when that was.");
                (open, Outcome::Open)
            }
            (_, None, None) => {
                let open = format!("{promised}. So far {without}, and it was not due.");
                (open, Outcome::Open)
            }
            (None, ..) => {
                let open = format!("{promised}, as the maker of this file states; {without}.");
                (open, Outcome::Open)
            }
        };
        report.verdict = verdict;
        Ok(outcome)
    }

    /// The size of the tree of a ledger's newest checkpoint, its witnesses, and the index of the entry in it.
    fn look_for(&self, ledger: Published<'_>) -> Result<(u64, Cosigned, Option<u64>)> {
        let note = Note::parse(ledger.checkpoint)?;
        let checkpoint = Checkpoint::read(note.text)?;
        let origin = &checkpoint.origin;
        if *origin != self.terms.origin {
            return refused("the checkpoint is of another ledger");
        }
        let checked = self.policy.map(|policy| policy.check(&note, origin));
        let cosigned = checked.transpose()?.unwrap_or_default();
        let leaf = tree::leaf(&self.entry);
        let found = find(&leaf, self.terms.from, &checkpoint, ledger.read)?;
        Ok((checkpoint.size, cosigned, found))
    }

    /// Tells that the consent stands in the ledger.
    fn kept(&self, index: u64, cosigned: &Cosigned, report: &mut Report) -> Outcome {
        let promised = &self.promised;
        report.verdict = format!("{promised}. The promise was kept: it stands at index {index}.");
        let Some((by, at)) = cosigned.by.and_then(|by| Some((by, moment(by)?))) else {
            return Outcome::Unwitnessed;
        };
        let (witnesses, at) = (independent(cosigned), day(at));
        report
            .shown
            .push(format!("It stood there on {at}, as {witnesses} signed."));
        if by > self.terms.due() {
            report.verdict = format!(
                "{promised}. It stands at index {index}; whether it stood there in time is open."
            );
            report.warnings.push(format!(
                "That is later than {}: whether it stood there in time, an earlier checkpoint would tell.",
                self.due
            ));
            return Outcome::Open;
        }
        Outcome::Verified
    }
}

/// Seconds since 1970 of a time in RFC 3339.
pub fn seconds(text: &str) -> Result<u64> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok();
    let at = at.and_then(|at| u64::try_from(at.unix_timestamp()).ok());
    at.map_or_else(|| refused("a time is written as 2026-11-25T08:00:00Z"), Ok)
}

fn moment(seconds: u64) -> Option<OffsetDateTime> {
    let seconds = i64::try_from(seconds).ok()?;
    OffsetDateTime::from_unix_timestamp(seconds).ok()
}
