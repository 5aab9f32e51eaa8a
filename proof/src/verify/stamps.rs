//! Time stamps in a bundle: all but the signature of the authority, which others check.

use serde::Serialize;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use super::{Report, SKEW, SavedFile, day};
use crate::{
    Result, base64,
    bundle::Bundle,
    from_base64,
    inclusion::Inclusion,
    note::Note,
    policy::Policy,
    refused, sha256,
    stamp::{Token, is_address},
};

/// Most stamps that are worth reading.
pub(super) const MOST: usize = 16;
/// A consent should be stamped within this time: authorities are asked once a day.
const PROMPT: Duration = Duration::hours(48);

/// A time stamp over a checkpoint that covers the consent, with everything that checks its signature but a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadStamp {
    /// The address of the authority, as the bundle says.
    pub url: String,
    /// The time of the stamp, in RFC 3339.
    pub time: String,
    /// The same in seconds since 1970.
    pub seconds: i64,
    /// The command that checks the signature, in a folder with the files and with certificates in `authority.pem`.
    pub command: String,
    /// The stamped text and the stamp.
    pub files: [SavedFile; 2],
}

/// The earliest stamp.
pub(super) struct Stamped {
    pub url: String,
    pub time: OffsetDateTime,
}

/// Reads the stamps and says what they are over. Each must be over a checkpoint to which a proof leads.
pub(super) fn read(
    bundle: &Bundle,
    proofs: &[Inclusion<'_>],
    policy: Option<&Policy>,
    claimed: &str,
    report: &mut Report,
) -> Result<Option<Stamped>> {
    if bundle.timestamps.len() > MOST {
        return refused(format!("the bundle holds more than {MOST} time stamps"));
    }
    let claimed = OffsetDateTime::parse(claimed, &Rfc3339).ok();
    let mut earliest: Option<Stamped> = None;
    for (stamp, number) in bundle.timestamps.iter().zip(1..) {
        let url = &stamp.url;
        if !is_address(url) {
            return refused("the address of a time stamp is none");
        }
        let note = Note::parse(&stamp.checkpoint)?;
        let proof = proofs.iter().find(|proof| proof.note.text == note.text);
        let Some(proof) = proof else {
            return refused("no proof leads to the checkpoint of a time stamp");
        };
        let checkpoint = &proof.checkpoint;
        if let Some(policy) = policy {
            policy.check_log(&note, &checkpoint.origin)?;
        }
        let bytes = from_base64(&stamp.token)?;
        let token = Token::parse(&bytes)?;
        if token.imprint != sha256(&[note.text.as_bytes()]) {
            return refused("a time stamp is over another text than its checkpoint");
        }
        let files = [
            (format!("checkpoint-{number}.txt"), note.text.as_bytes()),
            (format!("stamp-{number}.tst"), &bytes),
        ];
        let [text, der] = files.map(|(name, content)| SavedFile {
            name,
            content: base64(content),
        });
        let command = format!(
            "openssl ts -verify -data {} -in {} -token_in -CAfile authority.pem",
            text.name, der.name
        );
        report.shown.push(format!(
            "The time stamp of {url} is over a checkpoint of {} entries, this one among them.",
            checkpoint.size
        ));
        report.warnings.push(format!(
            "It existed on {} at the latest, as the time stamp of {url} says. Its signature was not checked here; it is to be \
             checked by a certificate of that authority that you got elsewhere, in `authority.pem`. Save the two files \
             (`--extract FOLDER`, or the buttons of the page) and run: {command}",
            day(token.time)
        ));
        let after = claimed.map(|claimed| token.time - claimed);
        if after.is_none_or(|after| after > PROMPT) {
            report.warnings.push(
                "More than two days lie between the claimed time and the time stamp.".to_owned(),
            );
        } else if after.is_some_and(|after| after < -SKEW) {
            report
                .warnings
                .push("The time stamp is older than the claimed time.".to_owned());
        }
        report.stamps.push(ReadStamp {
            url: url.clone(),
            time: token.time.format(&Rfc3339).unwrap_or_default(),
            seconds: token.time.unix_timestamp(),
            command,
            files: [text, der],
        });
        if earliest.as_ref().is_none_or(|one| token.time < one.time) {
            earliest = Some(Stamped {
                url: url.clone(),
                time: token.time,
            });
        }
    }
    Ok(earliest)
}
