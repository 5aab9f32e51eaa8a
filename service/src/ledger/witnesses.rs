//! Asks witnesses to sign checkpoints (c2sp.org/tlog-witness). Nothing waits for them, with one exception: after a
//! start they are asked before anything gets an index, for a while at most. A backup may have been restored, and what
//! others have seen must not be signed otherwise.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use proof::{
    note::{Note, Signed, Verifier},
    policy::{Cosigned, Policy, Witness},
    witness::{Cosignature, cosignature, request},
};
use serde::Serialize;
use tokio::{sync::Semaphore, task::JoinSet};
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use super::{
    Ledger,
    keys::read_checkpoint,
    outsiders::{self, DEADLINE, SKEW},
    published::Followed,
    store::{self, CheckpointRow, CosignatureRow, State},
    tiles::Files,
};
use crate::{
    clock::Timestamp,
    db::Db,
    error::{Error, Result},
    objects::Objects,
    outbound::{Call, Outbound},
};

/// Between two looks whether somebody is to be asked.
const ROUND: Duration = Duration::from_secs(1);
/// For all calls at a start, which the next checkpoint waits for, and nothing else.
const AT_START: Duration = Duration::from_secs(20);
/// Witnesses that are asked at the same time.
const AT_ONCE: usize = 8;
/// Most bytes of an answer. A signature by ML-DSA-44 has 3.3 kB.
const MOST_BYTES: usize = 64 * 1024;
/// Times of `--witness-every` after which a witness that has not signed is late.
const LATE: i64 = 3;

/// Whom the ledger asks.
#[derive(Clone, Debug)]
pub struct Witnesses {
    policy: Policy,
    every: Duration,
}

/// The state of a witness, for operators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WitnessStatus {
    /// Its name.
    #[schema(example = "witness.example/w1")]
    pub name: String,
    /// Its public key, as verifiers want it.
    #[schema(example = "witness.example/w1+a2b1c3d4+BQ==")]
    pub vkey: String,
    /// Entries of the largest checkpoint that it signed. Absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 120_411)]
    pub size: Option<u64>,
    /// The time of that signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosigned_at: Option<Timestamp>,
    /// The fault when it was last asked. Absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "no answer in time")]
    pub fault: Option<String>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault_at: Option<Timestamp>,
    /// True if there are entries that it should have signed by now: it was silent for three times `--witness-every`.
    #[schema(example = false)]
    pub late: bool,
}

impl Witnesses {
    /// Reads a policy whose witnesses have addresses.
    pub fn new(policy: &str, every: Duration) -> std::result::Result<Self, proof::Refused> {
        let policy = Policy::parse(policy)?;
        let refused = |witness: &Witness, why: &str| {
            let name = witness.key.name();
            Err(proof::Refused(format!("the witness {name} {why}")))
        };
        for witness in policy.witnesses() {
            let Some(url) = &witness.url else {
                return refused(witness, "has no address behind its key");
            };
            if !Url::parse(url).is_ok_and(|url| is_sheltered(&url)) {
                return refused(
                    witness,
                    "has no address beginning with https://, or with http:// on this machine",
                );
            }
        }
        if policy.witnesses().next().is_none() {
            return Err(proof::Refused("the policy names no witness".to_owned()));
        }
        Ok(Self { policy, every })
    }

    /// The policy, for verifiers of a log with these keys.
    pub(super) fn text(&self, keys: Vec<Verifier>) -> String {
        self.policy.for_logs(keys).text()
    }

    /// When enough of them had signed, by their cosignatures under one checkpoint.
    pub(super) fn met(&self, cosignatures: &[CosignatureRow]) -> Option<Cosigned> {
        self.policy.met(|witness| {
            let vkey = witness.key.vkey();
            let signed = cosignatures.iter().find(|one| one.witness == vkey)?;
            u64::try_from(signed.signed_at).ok()
        })
    }

    /// Their signatures under a note.
    pub(super) fn under(&self, note: &Note<'_>) -> Vec<domain::consent::Cosignature> {
        let signed = |witness: &Witness| match witness.key.signed(note) {
            Ok(Signed::At(seconds)) => Some(domain::consent::Cosignature {
                name: witness.key.name().to_owned(),
                at: i64::try_from(seconds).ok()?,
            }),
            _ => None,
        };
        self.policy.witnesses().filter_map(signed).collect()
    }

    /// Their public keys, as verifiers write them.
    pub(super) fn vkeys(&self) -> Vec<String> {
        self.policy.witnesses().map(|one| one.key.vkey()).collect()
    }

    /// True for the key of one of them.
    pub fn named(&self, vkey: &str) -> bool {
        self.policy
            .witnesses()
            .any(|witness| witness.key.vkey() == vkey)
    }

    /// The state of each of them.
    pub(super) async fn status(&self, db: &Db, now: Timestamp) -> Result<Vec<WitnessStatus>> {
        let rows = store::witnesses(db).await?;
        let published = store::published(db).await?;
        let first = store::first_checkpoint_at(db).await?;
        let status = |witness: &Witness| {
            let vkey = witness.key.vkey();
            let row = rows.iter().find(|row| row.witness == vkey);
            let size = row.map_or(0, |row| row.size);
            let heard = row.and_then(|row| row.cosigned_at).or(first);
            WitnessStatus {
                name: witness.key.name().to_owned(),
                size: (size > 0).then_some(size.unsigned_abs()),
                cosigned_at: row.and_then(|row| row.cosigned_at),
                fault: row.and_then(|row| row.fault.clone()),
                fault_at: row.and_then(|row| row.fault_at),
                late: outsiders::is_late(published.as_ref(), size, heard, (LATE, self.every), now),
                vkey,
            }
        };
        Ok(self.policy.witnesses().map(status).collect())
    }
}

/// True if nobody on the way may answer in the place of the witness: a refusal has no signature, and stops the ledger.
fn is_sheltered(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}

/// The answer of a witness.
enum Answer {
    Signed(Cosignature),
    /// It has seen a tree of so many leaves, more than it was asked about.
    Seen(u64),
    /// It has seen another tree.
    Fork,
    Fault(String),
}

/// A question to all witnesses.
struct Question {
    outbound: Outbound,
    objects: Arc<Objects>,
    origin: String,
    checkpoint: CheckpointRow,
    /// The signed text.
    text: String,
    now: Timestamp,
    /// Turns to ask.
    turns: Semaphore,
}

impl Question {
    /// Asks a witness that has seen `known` leaves, as far as is known. Asks again if it has seen another number.
    async fn ask(&self, witness: &Witness, known: i64) -> Answer {
        let _turn = self.turns.acquire().await;
        let asked = self.checkpoint.size.unsigned_abs();
        let mut old = known.unsigned_abs();
        if old > asked {
            old = 0;
        }
        for _ in 0..2 {
            let reply = match self.post(witness, old).await {
                Ok(reply) => reply,
                Err(fault) => return Answer::Fault(fault),
            };
            let said = String::from_utf8_lossy(&reply.body);
            match reply.status {
                200 => return self.signed(witness, &said),
                409 => match said.trim_end().parse::<u64>() {
                    Ok(seen) if seen > asked => return Answer::Seen(seen),
                    Ok(seen) if seen != old => old = seen,
                    // It has seen this size, so it has seen another root (c2sp.org/tlog-witness).
                    _ if old == asked => return Answer::Fork,
                    _ => return Answer::Fault("answered 409 without another size".to_owned()),
                },
                422 => return Answer::Fork,
                status => return Answer::Fault(meaning(status)),
            }
        }
        Answer::Fault("named two sizes that it has seen, one after the other".to_owned())
    }

    async fn post(
        &self,
        witness: &Witness,
        old: u64,
    ) -> std::result::Result<crate::outbound::Reply, String> {
        let size = self.checkpoint.size.unsigned_abs();
        let files = Files::new(&self.objects, &self.origin);
        let proof = files.consistency(old, size).await;
        let proof = proof.map_err(|error| format!("was not asked: {error}"))?;
        let url = witness.url.as_deref().unwrap_or_default();
        let url = format!("{}/add-checkpoint", url.trim_end_matches('/'));
        let call = Call {
            method: "POST",
            url: &url,
            headers: &[("content-type", "text/plain; charset=utf-8")],
            body: request(old, &proof, &self.checkpoint.note).into_bytes(),
            deadline: DEADLINE,
            most_bytes: MOST_BYTES,
        };
        let reply = self.outbound.call(call).await;
        reply.map_err(|error| error.to_string())
    }

    fn signed(&self, witness: &Witness, said: &str) -> Answer {
        let cosignature = match cosignature(said, &self.text, &witness.key) {
            Ok(cosignature) => cosignature,
            Err(reason) => {
                return Answer::Fault(format!("answered without its signature: {reason}"));
            }
        };
        if is_possible(cosignature.time, self.checkpoint.created_at, self.now) {
            Answer::Signed(cosignature)
        } else {
            let time = cosignature.time;
            Answer::Fault(format!(
                "signed with a wrong time, {time} seconds since 1970"
            ))
        }
    }
}

/// True if a checkpoint that was made at one time may be signed at `time` in seconds since 1970. A clock that is wrong
/// would vouch for a wrong time.
fn is_possible(time: u64, made: Timestamp, now: Timestamp) -> bool {
    let possible = made.seconds() - SKEW..=now.seconds() + SKEW;
    i64::try_from(time).is_ok_and(|time| possible.contains(&time))
}

fn meaning(status: u16) -> String {
    let meaning = match status {
        403 => ": it does not know the key of this ledger",
        404 => ": it does not know this ledger",
        429 => ": it was asked too often",
        _ => "",
    };
    format!("answered {status}{meaning}")
}

impl Ledger {
    /// Asks witnesses in this process's turn, until `stop`.
    pub(super) async fn keep_asking(&self, stop: &CancellationToken) {
        if self.settings.witnesses.is_none() {
            return;
        }
        let ask = || self.ask_witnesses();
        outsiders::ask_in_rounds("witnesses", ROUND, stop, ask).await;
    }

    /// Asks the witnesses that have not signed the latest checkpoint, if it is time for it and this process works on
    /// the ledger.
    pub async fn ask_witnesses(&self) -> Result<()> {
        let _asking = self.asking.lock().await;
        let now = self.clock.now();
        if store::holds(&self.db, self.me, now).await? && self.ask_those(false).await? {
            self.memory().all_asked.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Asks all witnesses once after the start, before anything is signed, and again before the ledger goes on after a
    /// contradiction. Waits for no longer than [`AT_START`]. False if one contradicts the ledger.
    pub(super) async fn ask_at_start(&self) -> Result<bool> {
        if self.settings.witnesses.is_none() || self.memory().all_asked.load(Ordering::Acquire) {
            return Ok(true);
        }
        let asked = tokio::time::timeout(AT_START, async {
            let _asking = self.asking.lock().await;
            // The round that was waited for may have asked all.
            if !self.memory().all_asked.load(Ordering::Acquire) {
                self.ask_those(true).await?;
            }
            Ok::<_, Error>(())
        });
        // A silent witness keeps nobody from going on.
        asked.await.unwrap_or(Ok(()))?;
        self.memory().all_asked.store(true, Ordering::Release);
        let state = store::state(&self.db).await?;
        Ok(state.is_some_and(|state| state.stopped_by.is_none()))
    }

    /// One round. True if it has asked all witnesses.
    async fn ask_those(&self, all: bool) -> Result<bool> {
        let Some(witnesses) = &self.settings.witnesses else {
            return Ok(false);
        };
        let (Some(state), Some(checkpoint)) = (
            store::state(&self.db).await?,
            store::published(&self.db).await?,
        ) else {
            return Ok(false);
        };
        if let Some(by) = state
            .stopped_by
            .as_deref()
            .filter(|by| !witnesses.named(by))
        {
            self.goes_on(by).await?;
        } else if state.stopped.is_some() && state.stopped_by.is_none() && !all {
            return Ok(false);
        }
        let now = self.clock.now();
        let rows = store::witnesses(&self.db).await?;
        let row = |witness: &Witness| {
            let vkey = witness.key.vkey();
            rows.iter().find(|row| row.witness == vkey)
        };
        let asked = witnesses.policy.witnesses().filter_map(row);
        // A time in the future is that of a clock which was ahead.
        let asked = asked.map(|row| row.asked_at).filter(|at| *at <= now).max();
        let every = outsiders::seconds(witnesses.every);
        if !all && asked.is_some_and(|asked| asked.plus_seconds(every) > now) {
            return Ok(false);
        }
        // While one contradicts the ledger, the others are asked too: it must not hide what they have seen.
        let all = all || state.stopped_by.is_some();
        let pending: Vec<(&Witness, i64)> = witnesses
            .policy
            .witnesses()
            .map(|witness| (witness, row(witness).map_or(0, |row| row.size)))
            .filter(|(_, size)| all || *size < checkpoint.size)
            .collect();
        if pending.is_empty() {
            return Ok(false);
        }
        for (witness, _) in &pending {
            store::asking(&self.db, &witness.key.vkey(), now).await?;
        }
        self.crash_point("ledger-ask");
        let note = Note::parse(&checkpoint.note).map_err(Error::internal)?;
        let (size, text) = (checkpoint.size, note.text.to_owned());
        let question = Arc::new(Question {
            outbound: self.outbound.clone(),
            objects: self.objects.clone(),
            origin: state.origin.clone(),
            checkpoint,
            text,
            now,
            turns: Semaphore::new(AT_ONCE),
        });
        let every_one = pending.len() == witnesses.policy.witnesses().count();
        let contradicting: Vec<String> = rows
            .iter()
            .filter(|row| row.contradiction.is_some())
            .map(|row| row.witness.clone())
            .collect();
        let mut answers = JoinSet::new();
        for (witness, known) in pending {
            let (question, witness) = (question.clone(), witness.clone());
            answers.spawn(async move {
                let answer = question.ask(&witness, known).await;
                (witness, answer)
            });
        }
        while let Some(answered) = answers.join_next().await {
            let (witness, answer) = answered.map_err(Error::internal)?;
            let agrees = self.answered(&state, size, &witness.key, answer).await?;
            let vkey = witness.key.vkey();
            if agrees && contradicting.contains(&vkey) {
                self.goes_on(&vkey).await?;
            }
        }
        Ok(every_one)
    }

    /// Keeps an answer. True if the witness has signed, and contradicts the ledger no more.
    async fn answered(
        &self,
        state: &State,
        size: i64,
        witness: &Verifier,
        answer: Answer,
    ) -> Result<bool> {
        let (vkey, name) = (witness.vkey(), witness.name());
        Ok(match answer {
            Answer::Signed(Cosignature { line, time }) => {
                let row = CosignatureRow {
                    size,
                    witness: vkey.clone(),
                    line,
                    signed_at: i64::try_from(time).map_err(Error::internal)?,
                };
                store::cosigned(&self.db, &row).await?;
                self.crash_point("ledger-cosigned");
                true
            }
            Answer::Seen(seen) => {
                let seen = i64::try_from(seen).unwrap_or(i64::MAX);
                let known = self.known(state).await?;
                if seen > known {
                    let why = format!(
                        "the witness {name} has seen {seen} entries, and the ledger has {known}: a backup was restored \
                         without the newer files"
                    );
                    self.contradicted(&vkey, Some(seen), &why).await?;
                }
                // A size says nothing of the tree. Were files brought back, the database follows them first.
                false
            }
            Answer::Fork => {
                let why =
                    format!("the witness {name} has seen another tree than this of {size} entries");
                self.contradicted(&vkey, None, &why).await?;
                false
            }
            Answer::Fault(fault) => {
                tracing::warn!(witness = name, fault, "a witness did not sign");
                store::failed(&self.db, &vkey, &fault, self.clock.now()).await?;
                false
            }
        })
    }

    /// Leaves of the largest checkpoint, in the database or among the files.
    async fn known(&self, state: &State) -> Result<i64> {
        let newest = store::newest_checkpoint(&self.db).await?;
        let keys = self.known_keys(&state.origin).await?;
        let files = Files::new(&self.objects, &state.origin);
        let note = files.checkpoint().await.map_err(Error::internal)?;
        let published = note.and_then(|note| read_checkpoint(&note, &keys).ok());
        let published = published.map_or(0, |published| published.size);
        let published = i64::try_from(published).map_err(Error::internal)?;
        Ok(newest.map_or(0, |newest| newest.size).max(published))
    }

    async fn contradicted(&self, witness: &str, awaited: Option<i64>, why: &str) -> Result<()> {
        tracing::error!(why, "the ledger is stopped; entries wait for it");
        store::failed(&self.db, witness, why, self.clock.now()).await?;
        Ok(store::stop_for(&self.db, witness, awaited, why).await?)
    }

    /// Ends the contradiction of a witness. All are asked before the next index.
    async fn goes_on(&self, witness: &str) -> Result<()> {
        self.memory().all_asked.store(false, Ordering::Release);
        if store::resume(&self.db, witness).await? {
            tracing::warn!(
                witness,
                "the witness contradicts the ledger no more, which goes on"
            );
        }
        Ok(())
    }

    /// Follows the files of a stopped ledger, once they have the tree that a witness has seen.
    pub(super) async fn follow_restored_files(&self, state: &State, now: Timestamp) -> Result<()> {
        let (Some(witness), Some(awaited)) = (&state.stopped_by, state.awaited) else {
            return Ok(());
        };
        let newest = store::newest_checkpoint(&self.db).await?;
        // It has followed them for another witness already.
        if newest.is_some_and(|newest| newest.size >= awaited) {
            return self.goes_on(witness).await;
        }
        let keys = self.known_keys(&state.origin).await?;
        let files = Files::new(&self.objects, &state.origin);
        let Some(note) = files.checkpoint().await.map_err(Error::internal)? else {
            return Ok(());
        };
        let published = read_checkpoint(&note, &keys).ok();
        let Some(published) = published.filter(|there| there.size >= awaited.unsigned_abs()) else {
            return Ok(());
        };
        let published = (&published, note.as_str());
        let followed = self.follow(&files, state, published, &keys, now).await?;
        if matches!(followed, Followed::Yes) {
            self.goes_on(witness).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proof::witness::Cosigner;

    #[test]
    fn a_time_before_the_checkpoint_or_in_the_future_is_not_believed() {
        let (made, now) = (Timestamp(10_000_000_000), Timestamp(20_000_000_000));
        for (time, is_right) in [
            (9_399, false),
            (9_400, true),
            (15_000, true),
            (20_600, true),
            (20_601, false),
            (u64::MAX, false),
        ] {
            assert_eq!(is_possible(time, made, now), is_right, "{time}");
        }
    }

    #[test]
    fn each_witness_of_a_policy_needs_an_address() {
        let vkey = Cosigner::new("w.example", &[1; 32])
            .unwrap()
            .verifier()
            .vkey();
        let hour = Duration::from_hours(1);
        let line = |url: &str| format!("witness W {vkey} {url}\nquorum W\n");
        assert!(Witnesses::new(&line("https://w.example/a"), hour).is_ok());
        for wrong in [
            &*line(""),
            &line("w.example"),
            &line("ftp://w.example"),
            // Somebody on the way could answer that it has seen another tree.
            &line("http://w.example"),
            &line("http://127.0.0.1.example"),
            "quorum none\n",
        ] {
            assert!(Witnesses::new(wrong, hour).is_err(), "{wrong}");
        }
        for here in ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost/a"] {
            assert!(Witnesses::new(&line(here), hour).is_ok(), "{here}");
        }
        let witnesses = Witnesses::new(&line("https://w.example/a"), hour).unwrap();
        let log = proof::note::Signer::new("a.example/log", &[2; 32]).unwrap();
        let text = witnesses.text(vec![log.verifier().clone()]);
        assert_eq!(
            text,
            format!(
                "log {}\nwitness W {vkey}\nquorum W\n",
                log.verifier().vkey()
            )
        );
    }
}
