//! Time stamps (RFC 3161): the question to an authority, and the facts in its answer.
//!
//! Nothing here checks the authority's signature. `openssl ts -verify` does, with a certificate that a verifier trusts.

use time::{Date, OffsetDateTime, Time};

use crate::{
    Hash, Result,
    ber::{
        self, BOOLEAN, GENERALIZED_TIME, INTEGER, NULL, OBJECT_ID, ONE, Reader, SEQUENCE, SET,
        UTF8, ZERO,
    },
    refused, sha256,
};

/// Most bytes of an answer, and of a stamp. One with the certificates of its authority has 2 to 8 kB.
pub const MOST_BYTES: usize = 64 * 1024;
/// Most bytes of the address of an authority.
const MOST_ADDRESS: usize = 2_000;

/// 2.16.840.1.101.3.4.2.1 (SHA-256).
const SHA256: [u8; 9] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];
/// 1.2.840.113549.1.7.2 (signed data, RFC 5652).
const SIGNED_DATA: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];
/// 1.2.840.113549.1.9.16.1.4 (the text of a stamp, RFC 3161).
const STAMP: [u8; 11] = [
    0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04,
];

/// A question for a stamp over a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    imprint: Hash,
    nonce: [u8; 8],
}

/// A stamp as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// SHA-256 of the text that it is over.
    pub imprint: Hash,
    /// The time of the authority, in UTC.
    pub time: OffsetDateTime,
    nonce: Option<Vec<u8>>,
}

impl Question {
    /// A question about a text, with random bytes that no other question has.
    pub fn new(text: &str, random: [u8; 8]) -> Self {
        let mut nonce = random;
        // As a number it is positive and has eight bytes: `02 08`, and they.
        nonce[0] = (nonce[0] & 0x3f) | 0x40;
        Self {
            imprint: sha256(&[text.as_bytes()]),
            nonce,
        }
    }

    /// The request (RFC 3161, section 2.4.1), in DER. It asks for the authority's certificate.
    pub fn request(&self) -> Vec<u8> {
        let sha256 = ber::short(
            SEQUENCE,
            &[&ber::short(OBJECT_ID, &[&SHA256]), &ber::short(NULL, &[])],
        );
        let imprint = ber::short(
            SEQUENCE,
            &[&sha256, &ber::short(ber::OCTETS, &[&self.imprint])],
        );
        ber::short(
            SEQUENCE,
            &[
                &ber::short(INTEGER, &[&[1]]),
                &imprint,
                &ber::short(INTEGER, &[&self.nonce]),
                &ber::short(BOOLEAN, &[&[0xff]]),
            ],
        )
    }

    /// Reads the answer (RFC 3161, section 2.4.2). Returns the bytes of the stamp and its facts if it belongs to the
    /// question.
    pub fn answer<'a>(&self, bytes: &'a [u8]) -> Result<(&'a [u8], Token)> {
        let mut outer = Reader(bytes);
        let mut answer = outer.take(SEQUENCE)?;
        outer.end()?;
        let mut status = answer.take(SEQUENCE)?;
        match status.take(INTEGER)?.0 {
            // Granted, and granted with changes.
            [0 | 1] => {}
            [status_number] => {
                let said = reason(status);
                return refused(format!(
                    "the authority declined, with status {status_number}{said}"
                ));
            }
            _ => return refused("the authority answered with no known status"),
        }
        let token = Token::parse(answer.0)?;
        if token.imprint != self.imprint {
            return refused("the stamp is over another text");
        }
        if token.nonce.as_deref() != Some(&self.nonce) {
            return refused("the stamp answers another question: its nonce differs");
        }
        Ok((answer.0, token))
    }
}

/// The words of a refusal.
fn reason(mut status: Reader<'_>) -> String {
    let text = status.take_if(SEQUENCE).ok().flatten();
    let text = text.and_then(|mut text| text.take(UTF8).ok());
    text.map_or_else(String::new, |text| {
        let said: String = String::from_utf8_lossy(text.0).chars().take(200).collect();
        format!(": {said}")
    })
}

impl Token {
    /// Reads a stamp (RFC 3161, section 2.4.2: `TimeStampToken`). Its signature is not checked.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > MOST_BYTES {
            return refused("a time stamp is longer than 64 KiB");
        }
        let mut outer = Reader(bytes);
        let mut content = outer.take(SEQUENCE)?;
        outer.end()?;
        if content.take(OBJECT_ID)?.0 != SIGNED_DATA {
            return refused("a time stamp is no signed data");
        }
        let mut signed = content.take(ZERO)?.take(SEQUENCE)?;
        signed.take(INTEGER)?;
        signed.take(SET)?;
        let mut inner = signed.take(SEQUENCE)?;
        if inner.take(OBJECT_ID)?.0 != STAMP {
            return refused("the signed data are no time stamp");
        }
        let text = inner.take(ZERO)?.octets()?;
        // Certificates and lists of revoked ones.
        signed.take_if(ZERO)?;
        signed.take_if(ONE)?;
        let signers = signed.take(SET)?;
        signed.end()?;
        if signers.0.is_empty() {
            return refused("nobody signed the time stamp");
        }
        Self::read(&text)
    }

    /// Reads the text of a stamp (`TSTInfo`).
    fn read(text: &[u8]) -> Result<Self> {
        let mut outer = Reader(text);
        let mut facts = outer.take(SEQUENCE)?;
        outer.end()?;
        if facts.take(INTEGER)?.0 != [1] {
            return refused("a time stamp is of another version");
        }
        // The policy of the authority.
        facts.take(OBJECT_ID)?;
        let mut imprint = facts.take(SEQUENCE)?;
        if imprint.take(SEQUENCE)?.take(OBJECT_ID)?.0 != SHA256 {
            return refused("a time stamp is over another hash than SHA-256");
        }
        let hash = imprint.take(ber::OCTETS)?.0;
        let Ok(imprint) = Hash::try_from(hash) else {
            return refused("a time stamp is over another hash than SHA-256");
        };
        // The serial number.
        facts.take(INTEGER)?;
        let time = moment(facts.take(GENERALIZED_TIME)?.0);
        let Some(time) = time else {
            return refused("the time of a time stamp is not in its form");
        };
        // Its accuracy, and whether stamps are in order.
        facts.take_if(SEQUENCE)?;
        facts.take_if(BOOLEAN)?;
        let nonce = facts.take_if(INTEGER)?.map(|nonce| nonce.0.to_vec());
        // The name of the authority, and extensions.
        facts.take_if(ZERO)?;
        facts.take_if(ONE)?;
        facts.end()?;
        Ok(Self {
            imprint,
            time,
            nonce,
        })
    }
}

/// Reads `YYYYMMDDhhmmss[.f…]Z`, rounded up to a second: a stamp says that something existed by then.
fn moment(text: &[u8]) -> Option<OffsetDateTime> {
    let text = str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (text, ""),
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() != 14 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let part = |from: usize| whole.get(from..from + 2)?.parse::<u8>().ok();
    let year = whole.get(..4)?.parse().ok()?;
    let date = Date::from_calendar_date(year, part(4)?.try_into().ok()?, part(6)?).ok()?;
    let time = Time::from_hms(part(8)?, part(10)?, part(12)?).ok()?;
    let at = date.with_time(time).assume_utc();
    let more = fraction.bytes().any(|digit| digit != b'0');
    at.checked_add(time::Duration::seconds(more.into()))
}

/// True if a text may stand for an authority in a sentence: an address, without a space that would begin other words.
pub fn is_address(url: &str) -> bool {
    let begins = url.starts_with("https://") || url.starts_with("http://");
    begins && url.len() <= MOST_ADDRESS && url.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
#[path = "stamp_tests.rs"]
pub(crate) mod tests;
