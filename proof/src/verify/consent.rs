//! The group `core` as it is read, and the form of times.

use serde::Deserialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::strict;

/// Signs of an id, of the name of a collection, and of a SHA-256 in hexadecimal digits.
const MOST_WORD: usize = 64;

/// The group `core`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Core {
    pub consent_id: String,
    pub project_id: String,
    pub collection: String,
    pub identifier: String,
    #[expect(dead_code, reason = "the group has it, and sentences say the outcome")]
    accept: bool,
    pub outcome: String,
    pub publication: Option<String>,
    pub received_at: String,
    pub decided_at: String,
    #[serde(default)]
    pub imported: bool,
}

impl Core {
    /// Reads the group. Its texts stand in our sentences, so each has its form and none can hold a sentence.
    pub(super) fn parse(json: &str) -> Option<Self> {
        let core: Self = strict::facts(json.as_bytes())?;
        let is_word = |text: &str| {
            let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            (1..=MOST_WORD).contains(&text.len()) && text.bytes().all(is_sign)
        };
        let words = [
            &core.consent_id,
            &core.project_id,
            &core.collection,
            &core.identifier,
        ];
        let is_sound = is_time(&core.received_at)
            && is_time(&core.decided_at)
            && ["accepted", "partial", "refused"].contains(&core.outcome.as_str())
            && words.into_iter().all(|text| is_word(text))
            && core.publication.as_deref().is_none_or(is_word);
        is_sound.then_some(core)
    }
}

/// True for a time in UTC as RFC 3339 writes it, `2026-11-25T08:00:00Z`, with up to nine decimals. Its text holds no
/// sentence. Year 0 and a second 60 are times to some programs alone.
pub fn is_time(text: &str) -> bool {
    const WHOLE: usize = "2026-11-25T08:00:00".len();
    let Some((whole, rest)) = text.split_at_checked(WHOLE) else {
        return false;
    };
    let is_fraction = |digits: &str| {
        (1..=9).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    let ends = match rest.strip_suffix('Z') {
        Some("") => true,
        Some(fraction) => fraction.strip_prefix('.').is_some_and(is_fraction),
        None => false,
    };
    ends && whole.as_bytes().get(10) == Some(&b'T')
        && !whole.starts_with("0000")
        && !whole.ends_with("60")
        && OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

/// Reads a time with six decimals as microseconds since 1970.
pub(super) fn micros(text: &str) -> Option<u64> {
    if text.len() != "2026-11-25T08:00:00.000000Z".len() || !is_time(text) {
        return None;
    }
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    u64::try_from(at.unix_timestamp_nanos() / 1_000).ok()
}
