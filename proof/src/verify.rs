//! Verifies a bundle, and says in plain sentences how much it proves.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::{Duration, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use crate::{
    Hash, Result,
    bundle::{Bundle, Facts, Record},
    commitment::{Group, PUBLICATION, commitment, consent_entry, digest, erasure_entry},
    from_base64, hash_from_hex,
    inclusion::Inclusion,
    policy::{Cosigned, Policy},
    promise::Promise,
    receipt::receipt,
    refused, sha256, strict,
};

use consent::{Core, micros};
use stamps::Stamped;

mod consent;
mod pictures;
mod promise;
mod stamps;

pub use consent::is_time;
pub use pictures::{ReadPicture, is_picture_list};
pub use promise::{Against, Published, seconds};
pub use stamps::ReadStamp;

/// A consent should stand in a cosigned checkpoint within this time.
const PROMPT: Duration = Duration::hours(24);
/// Clocks differ by less.
const SKEW: Duration = Duration::minutes(10);
/// Most proofs that are worth reading: one for each time stamp, and that of the witnesses.
const MOST_PROOFS: usize = stamps::MOST + 1;

/// Told where nobody is believed.
const UNSIGNED: &str = "No signature was checked: name the ledger's key, or a policy, that you got from elsewhere. Without \
    one, anybody can have made this ledger.";

/// The result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Everything is in order, and independent witnesses vouch for the time.
    Verified,
    /// Everything that could be checked is in order, but nobody independent whose signature was checked vouches for the
    /// time. A time stamp changes nothing of it: its signature is checked elsewhere.
    Unwitnessed,
    /// A promise is in order, and it was not kept.
    Broken,
    /// A promise is in order, and whether it was kept is open: it is not due, or nothing was given that tells.
    Open,
    /// Something is wrong.
    Failed,
}

/// The result with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The result.
    pub outcome: Outcome,
    /// The result as a sentence. After a failure, with the reason.
    pub verdict: String,
    /// The facts that the bundle proves.
    pub shown: Vec<String>,
    /// Reasons to look twice.
    pub warnings: Vec<String>,
    /// The facts that no such bundle proves.
    pub not_shown: Vec<String>,
    /// The time stamps, whose signatures others check. In JSON, absent if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stamps: Vec<ReadStamp>,
    /// The pictures of the publication. In JSON, absent if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<ReadPicture>,
}

/// A file that people save from a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SavedFile {
    /// Its name, one of ours.
    pub name: String,
    /// Its bytes, in base64.
    pub content: String,
}

/// The entry of a publication as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    project_id: String,
    collection: String,
    identifier: String,
    language: Option<String>,
    publication: String,
    manifest: String,
}

/// Verifies a bundle. Believes the signatures that the policy names, and no key of the bundle's own. Without a
/// policy everything but the signatures is checked.
pub fn verify(text: &str, policy: Option<&Policy>) -> Report {
    report("proof", |report| Ok(read(text, policy, report)?.outcome))
}

/// Like [`verify`], of the bytes of a file. It may be a promise, too, of which it is open whether it was kept.
pub fn verify_file(bytes: &[u8], policy: Option<&Policy>) -> Report {
    match str::from_utf8(bytes) {
        Ok(text) if Promise::is_one(text) => verify_promise(bytes, policy, Against::Nothing),
        Ok(text) => verify(text, policy),
        Err(_) => report("proof", |_| not_text()),
    }
}

/// Verifies a promise, the bytes of its file, and judges by something else whether it was kept. Believes keys as [`verify`]
/// does: that of promises, and those of the ledger for what the promise is compared with.
pub fn verify_promise(bytes: &[u8], policy: Option<&Policy>, against: Against<'_>) -> Report {
    report("promise", |report| match str::from_utf8(bytes) {
        Ok(text) => promise::read(text, policy, against, report),
        Err(_) => not_text(),
    })
}

fn not_text<T>() -> Result<T> {
    refused("the file is not text in UTF-8")
}

fn report(kind: &str, read: impl FnOnce(&mut Report) -> Result<Outcome>) -> Report {
    let mut report = Report {
        outcome: Outcome::Failed,
        verdict: String::new(),
        shown: Vec::new(),
        warnings: Vec::new(),
        not_shown: [
            "That the page showed what was published, and that the visitor saw it.",
            "That no later consent withdrew this one.",
            "That a person, and not a program, gave the answer.",
        ]
        .map(str::to_owned)
        .into(),
        stamps: Vec::new(),
        pictures: Vec::new(),
    };
    match read(&mut report) {
        Ok(outcome) => report.outcome = outcome,
        Err(reason) => {
            report.verdict = format!("This {kind} is not in order: {reason}.");
            report.shown = Vec::new();
            report.warnings = Vec::new();
            report.stamps = Vec::new();
            report.pictures = Vec::new();
        }
    }
    report.verdict = plain(&report.verdict);
    for line in report.shown.iter_mut().chain(&mut report.warnings) {
        *line = plain(line);
    }
    report
}

/// A line without signs that command a terminal or turn text around: strangers write the facts of a proof, and must
/// not be able to draw a sentence of ours. The lines of a [`Report`] are plain already.
pub fn plain(line: &str) -> String {
    let commands = |sign: char| {
        sign.is_control()
            || matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

/// The record of a consent as it is read.
struct Opened {
    core: Core,
    core_salt: Hash,
    /// Names of groups.
    withheld: Vec<&'static str>,
    commitment: Hash,
}

/// Reads a record. Of an erased consent, `core` alone may be open.
fn open(record: &Record, is_erased: bool) -> Result<Opened> {
    let mut digests: [Hash; 4] = [[0; 32]; 4];
    let mut core = None;
    let mut withheld = Vec::new();
    for (into, group) in digests.iter_mut().zip(Group::ALL) {
        *into = match record.get(group).read(group)? {
            Facts::Open(_, _) if group != Group::Core && is_erased => {
                return refused("a group of an erased consent is open");
            }
            Facts::Open(salt, json) => {
                if strict::facts::<Value>(json.as_bytes()).is_none() {
                    let what = "one object of texts and flags, each once";
                    return refused(format!("the group {} is not {what}", group.as_str()));
                }
                if group == Group::Core {
                    core = Some((salt, json));
                }
                digest(&salt, json)
            }
            Facts::Withheld(digest) => {
                withheld.push(group.as_str());
                digest
            }
        };
    }
    let Some((core_salt, json)) = core else {
        return refused("the group core is withheld");
    };
    let Some(core) = Core::parse(json) else {
        return refused("the group core is not of its format");
    };
    Ok(Opened {
        core,
        core_salt,
        withheld,
        commitment: commitment(&digests),
    })
}

/// A bundle that is in order.
struct Judged {
    outcome: Outcome,
    /// The entry of the consent.
    entry: Vec<u8>,
    origin: String,
    index: u64,
    /// The time by which it stood there, as a quorum of witnesses signed.
    cosigned: Cosigned,
}

fn read(text: &str, policy: Option<&Policy>, report: &mut Report) -> Result<Judged> {
    let bundle = Bundle::parse(text)?;
    let Opened {
        core,
        core_salt,
        withheld,
        commitment,
    } = open(&bundle.record, bundle.erasure.is_some())?;
    let entry = consent_entry(&commitment);
    if bundle.proofs.len() > MOST_PROOFS {
        return refused(format!("the bundle holds more than {MOST_PROOFS} proofs"));
    }
    let mut place = None;
    let mut seen = None;
    let mut refusal = None;
    let mut proofs = Vec::new();
    for proof in &bundle.proofs {
        let proof = Inclusion::parse(proof)?;
        proof.check(&entry)?;
        let here = (proof.index, proof.checkpoint.origin.clone());
        if place.get_or_insert_with(|| here.clone()) != &here {
            return refused("the proofs name several places");
        }
        // A signature under one proof makes no other one good.
        if let Some(policy) = policy {
            policy.check_log(&proof.note, &proof.checkpoint.origin)?;
        }
        // Each proof has its own witnesses; one that the policy accepts is enough.
        match believed(&proof, policy) {
            Ok(cosigned) => seen = Some(earlier(seen, cosigned)),
            Err(reason) => refusal = Some(reason),
        }
        proofs.push(proof);
    }
    let Some((index, origin)) = place else {
        return refused("the bundle holds no proof");
    };
    if seen.is_none()
        && let Some(reason) = refusal
    {
        return Err(reason);
    }
    let kind = if core.imported {
        "An imported consent"
    } else {
        "A consent"
    };
    report.shown.push(format!(
        "{kind} {} stands in the ledger {origin} at index {index}, unchanged.",
        identity(&core)
    ));
    report.shown.push(format!(
        "It says: received {}, decided {}, outcome {}.",
        core.received_at, core.decided_at, core.outcome
    ));
    if bundle.erasure.is_none() {
        report.shown.extend(groups(&withheld, "proof"));
    }
    let published = publication(&bundle, &core, (index, &origin), policy, report)?;
    let language = published.and_then(|published| published.language);
    let language = language.as_deref();
    let of = (index, &*origin, language);
    let pictured = pictures::read(&bundle, &core, of, policy, report)?;
    erasure(&bundle, (&core_salt, &commitment), &origin, policy, report)?;
    let stamped = stamps::read(&bundle, &proofs, policy, &core.received_at, report)?;
    if let Some(told) = &bundle.receipt {
        if *told != receipt(&bundle) {
            return refused("the receipt says something else than the record");
        }
        report
            .shown
            .push("The receipt says what the record says.".to_owned());
    }
    let given = given(&core) + &pictured.unwrap_or_default();
    Ok(Judged {
        cosigned: seen.clone().unwrap_or_default(),
        outcome: time(seen, stamped, policy, (&core, &given), report),
        entry,
        origin,
        index,
    })
}

/// The words by which a report names a consent.
fn identity(core: &Core) -> String {
    format!(
        "({}, {}) of project {} to {} {}",
        core.consent_id, core.outcome, core.project_id, core.collection, core.identifier,
    )
}

/// The words about the groups that `binding` binds without showing them.
fn groups(withheld: &[&str], binding: &str) -> Option<String> {
    let groups = withheld.join(", ");
    (!groups.is_empty()).then(|| format!("Withheld, but bound by the {binding}: {groups}."))
}

/// Checks the signatures under a proof's checkpoint.
fn believed(proof: &Inclusion<'_>, policy: Option<&Policy>) -> Result<Cosigned> {
    policy.map_or(Ok(Cosigned::default()), |policy| {
        policy.check(&proof.note, &proof.checkpoint.origin)
    })
}

/// The tighter bound on the time.
fn earlier(one: Option<Cosigned>, other: Cosigned) -> Cosigned {
    let later = |cosigned: &Cosigned| cosigned.by.unwrap_or(u64::MAX);
    match one {
        Some(one) if later(&one) <= later(&other) => one,
        _ => other,
    }
}

fn publication(
    bundle: &Bundle,
    core: &Core,
    (index, origin): (u64, &str),
    policy: Option<&Policy>,
    report: &mut Report,
) -> Result<Option<Shown>> {
    let Some(shown) = &bundle.publication else {
        report.warnings.push(match &core.publication {
            Some(_) => {
                "The bundle does not hold the publication that the consent names.".to_owned()
            }
            None => "The consent does not name the publication that was shown.".to_owned(),
        });
        return Ok(None);
    };
    let entry = from_base64(&shown.entry)?;
    let proof = Inclusion::parse(&shown.proof)?;
    proof.check(&entry)?;
    believed(&proof, policy)?;
    if proof.index != shown.index || proof.checkpoint.origin != origin {
        return refused("the proof of the publication belongs to another entry");
    }
    if proof.index >= index {
        return refused("the publication stands behind the consent in the ledger");
    }
    let published = match entry.split_first() {
        Some((&PUBLICATION, json)) => strict::facts::<Shown>(json),
        _ => None,
    };
    let Some(published) = published else {
        return refused("the entry of the publication is not of its format");
    };
    if hash_from_hex(&published.manifest)? != sha256(&[shown.manifest.as_bytes()]) {
        return refused("the manifest is not that of the publication's entry");
    }
    let same = core.publication.as_ref() == Some(&published.publication)
        && core.project_id == published.project_id
        && core.collection == published.collection
        && core.identifier == published.identifier;
    if !same {
        return refused("the publication is not that of the consent");
    }
    report.shown.push(format!(
        "Publication {} was in the ledger before it, at index {}; the manifest is unchanged.",
        published.publication, proof.index
    ));
    Ok(Some(published))
}

fn erasure(
    bundle: &Bundle,
    (core_salt, commitment): (&Hash, &Hash),
    origin: &str,
    policy: Option<&Policy>,
    report: &mut Report,
) -> Result<()> {
    let Some(erasure) = &bundle.erasure else {
        return Ok(());
    };
    let Some(at) = micros(&erasure.erased_at) else {
        return refused("the time of the erasure is not in its form");
    };
    let entry = erasure_entry(core_salt, commitment, at);
    if from_base64(&erasure.entry)? != entry {
        return refused("the entry of the erasure does not belong to the consent");
    }
    let proof = Inclusion::parse(&erasure.proof)?;
    proof.check(&entry)?;
    believed(&proof, policy)?;
    if proof.index != erasure.index {
        return refused("the proof of the erasure belongs to another entry");
    }
    // A ledger that ended before the erasure has a successor, which is believed by a key of its own.
    let elsewhere = match &proof.checkpoint.origin {
        own if own == origin => String::new(),
        other => format!(" of the ledger {other}"),
    };
    report.shown.push(format!(
        "The operator entered at index {}{elsewhere} that person, choices and circumstances were erased at {}; what remains is above.",
        proof.index, erasure.erased_at
    ));
    let copies = "That the operator kept no copy of what was erased.";
    report.not_shown.push(copies.to_owned());
    Ok(())
}

fn time(
    seen: Option<Cosigned>,
    stamped: Option<Stamped>,
    policy: Option<&Policy>,
    (core, given): (&Core, &str),
    report: &mut Report,
) -> Outcome {
    let Some(policy) = policy else {
        report.verdict = format!("{given}, as the maker of this file states.");
        report.warnings.push(UNSIGNED.to_owned());
        return Outcome::Unwitnessed;
    };
    report
        .shown
        .push("The ledger's signature is right.".to_owned());
    if seen.as_ref().is_some_and(|seen| seen.by_ml_dsa) {
        let lasting = "Its signature by ML-DSA-44 was checked.";
        report.shown.push(lasting.to_owned());
    }
    let by = seen.as_ref().and_then(|seen| seen.by);
    let existed = by
        .and_then(|by| i64::try_from(by).ok())
        .and_then(|by| OffsetDateTime::from_unix_timestamp(by).ok());
    let Some(existed) = existed.filter(|_| policy.asks_witnesses()) else {
        if let Some(Stamped { url, time }) = stamped {
            report.verdict = format!(
                "{given}, as the operator states, and existed on {} at the latest, as the time stamp of {url} says, whose \
                 signature was not checked here.",
                day(time)
            );
            return Outcome::Unwitnessed;
        }
        report.verdict = format!(
            "{given}, as the operator states. Nobody independent states that it existed by then."
        );
        report.warnings.push(
            "Nobody but the operator vouches for the time: no independent witness was asked for."
                .to_owned(),
        );
        return Outcome::Unwitnessed;
    };
    let witnesses = independent(&seen.unwrap_or_default());
    report.verdict = format!(
        "{given}, as the operator states, and existed on {} at the latest, as {witnesses} signed.",
        day(existed)
    );
    let text = existed.format(&Rfc3339).unwrap_or_default();
    report.shown.push(format!(
        "Claimed {}, existed by {text}: {witnesses} signed.",
        core.received_at
    ));
    let claimed = OffsetDateTime::parse(&core.received_at, &Rfc3339).ok();
    if claimed.is_none_or(|claimed| existed - claimed > PROMPT) {
        report.warnings.push(
            "More than 24 hours lie between the claimed time and the witnesses' signatures."
                .to_owned(),
        );
    } else if claimed.is_some_and(|claimed| claimed - existed > SKEW) {
        report.warnings.push(
            "The witnesses signed before the claimed time, so the operator's clock was wrong."
                .to_owned(),
        );
    }
    Outcome::Verified
}

/// The witnesses of a quorum, as a sentence counts them.
fn independent(cosigned: &Cosigned) -> String {
    match cosigned.witnesses {
        1 => "one independent witness".to_owned(),
        witnesses => format!("{witnesses} independent witnesses"),
    }
}

/// The begin of the sentence about the result.
fn given(core: &Core) -> String {
    let imported = if core.imported { "imported " } else { "" };
    let answer = match core.outcome.as_str() {
        "accepted" => "consent",
        "partial" => "partial consent",
        _ => "refusal",
    };
    let at = OffsetDateTime::parse(&core.decided_at, &Rfc3339);
    let at = at.map_or_else(|_| core.decided_at.clone(), day);
    format!("This {imported}{answer} was given on {at}")
}

/// A time as people say it.
fn day(at: OffsetDateTime) -> String {
    let at = at.to_offset(UtcOffset::UTC);
    let (hour, minute, second) = at.to_hms();
    format!(
        "{} {} {}, {hour:02}:{minute:02}:{second:02} UTC",
        at.day(),
        at.month(),
        at.year()
    )
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
