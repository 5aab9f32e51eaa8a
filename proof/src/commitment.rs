//! The entry of a consent: a hash that hides the consent and binds it.
//!
//! The facts of a consent are in four groups, each below a salt of its own, so that groups can be shown or withheld
//! singly. Verifiers hash the texts that they are given and never make them anew, so a change of these texts is a
//! new type of entry.

use serde::Serialize;

use crate::{Hash, sha256};

/// Type byte of a consent's entry.
pub const CONSENT: u8 = 1;
/// Type byte of an erasure's entry.
pub const ERASURE: u8 = 2;
/// Type byte of a publication's entry.
pub const PUBLICATION: u8 = 3;
/// Type byte of the entry of pictures of a publication.
pub const PICTURES: u8 = 4;
/// Type of the entry of a key of the ledger.
pub const KEY: u8 = 5;
/// Type byte of the entry of an event.
pub const EVENT: u8 = 6;

/// A group of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Which consent, to what, and when.
    Core,
    /// The choices.
    Choice,
    /// The person.
    Person,
    /// From where, and with which program.
    Circumstances,
}

impl Group {
    /// All of them, in the order in which they are hashed.
    pub const ALL: [Self; 4] = [Self::Core, Self::Choice, Self::Person, Self::Circumstances];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Choice => "choice",
            Self::Person => "person",
            Self::Circumstances => "circumstances",
        }
    }

    /// The group of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.as_str() == name)
    }

    /// Its salt, from that of the consent.
    pub fn salt(self, salt: &Hash) -> Hash {
        sha256(&[salt, self.as_str().as_bytes()])
    }
}

/// The group `core`. Ids are in their usual form, times in RFC 3339 with six decimals.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "the fields of a consent, as the API names them"
)]
pub struct Core<'a> {
    pub consent_id: &'a str,
    pub project_id: &'a str,
    pub collection: &'a str,
    pub identifier: &'a str,
    pub accept: bool,
    pub outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<&'a str>,
    pub received_at: &'a str,
    pub decided_at: &'a str,
    /// Left out when false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// The group `choice`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Choice<'a> {
    /// The stored text.
    pub preferences: &'a str,
    /// The value of the pressed button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<&'a str>,
}

/// The group `person`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "the fields of a consent, as the API names them"
)]
pub struct Person<'a> {
    pub token: &'a str,
    pub token_kind: &'a str,
}

/// The group `circumstances`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    missing_docs,
    reason = "the fields of a consent, as the API names them"
)]
pub struct Circumstances<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_host: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<&'a str>,
}

/// The facts of a consent.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the four groups")]
pub struct Facts<'a> {
    pub core: Core<'a>,
    pub choice: Choice<'a>,
    pub person: Person<'a>,
    pub circumstances: Circumstances<'a>,
}

impl Facts<'_> {
    /// The text of each group: JSON without spaces and nulls. No other code makes these texts.
    pub fn texts(&self) -> [String; 4] {
        [
            json(&self.core),
            json(&self.choice),
            json(&self.person),
            json(&self.circumstances),
        ]
    }

    /// The digest of each group.
    pub fn digests(&self, salt: &Hash) -> [Hash; 4] {
        // One buffer for all: each stored consent comes through here.
        let mut text = Vec::with_capacity(1_024);
        [
            hashed(&mut text, &Group::Core.salt(salt), &self.core),
            hashed(&mut text, &Group::Choice.salt(salt), &self.choice),
            hashed(&mut text, &Group::Person.salt(salt), &self.person),
            hashed(
                &mut text,
                &Group::Circumstances.salt(salt),
                &self.circumstances,
            ),
        ]
    }
}

/// The digest of a group below its salt, with a buffer for its text.
fn hashed(text: &mut Vec<u8>, salt: &Hash, group: &impl Serialize) -> Hash {
    text.clear();
    // Texts and flags into memory: cannot fail.
    let _ = serde_json::to_writer(&mut *text, group);
    sha256(&[salt, text])
}

fn json(group: &impl Serialize) -> String {
    serde_json::to_string(group).unwrap_or_default() // texts and flags: cannot fail
}

/// The digest of a group's text below its salt.
pub fn digest(salt: &Hash, text: &str) -> Hash {
    sha256(&[salt, text.as_bytes()])
}

/// The commitment to a consent, from the digests of its groups.
pub fn commitment([core, choice, person, circumstances]: &[Hash; 4]) -> Hash {
    sha256(&[b"placet consent 1\n", core, choice, person, circumstances])
}

/// The entry of a consent.
pub fn consent_entry(commitment: &Hash) -> Vec<u8> {
    [&[CONSENT], commitment.as_slice()].concat()
}

/// The entry of an erasure, at a time in microseconds since 1970.
pub fn erasure_entry(core_salt: &Hash, commitment: &Hash, erased_at: u64) -> Vec<u8> {
    let time = erased_at.to_be_bytes();
    let hash = sha256(&[b"placet erasure 1\n", core_salt, commitment, &time]);
    [&[ERASURE], hash.as_slice()].concat()
}

/// The entry of a publication.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "as the API names them")]
pub struct Publication<'a> {
    pub project_id: &'a str,
    pub collection: &'a str,
    pub identifier: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'a str>,
    pub publication: &'a str,
    /// SHA-256 of the manifest's text.
    pub manifest: &'a str,
    /// The version of Placet.
    pub version: &'a str,
}

impl Publication<'_> {
    /// The entry.
    pub fn entry(&self) -> Vec<u8> {
        [&[PUBLICATION], json(self).as_bytes()].concat()
    }
}

/// The entry of the pictures of a publication.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Pictures<'a> {
    /// SHA-256 (hex) of the manifest.
    pub publication: &'a str,
    /// SHA-256 (hex) of the text of the list of pictures.
    pub pictures: &'a str,
}

impl Pictures<'_> {
    /// The entry.
    pub fn entry(&self) -> Vec<u8> {
        [&[PICTURES], json(self).as_bytes()].concat()
    }
}

/// The change of a key of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// It signs from the next checkpoint on.
    Added,
    /// It signs no more.
    Retired,
}

/// The entry of a change of the ledger's keys.
pub fn key_entry(vkey: &str, change: KeyChange) -> Vec<u8> {
    let state = match change {
        KeyChange::Added => "added",
        KeyChange::Retired => "retired",
    };
    let key = serde_json::json!({"vkey": vkey, "state": state});
    [&[KEY], key.to_string().as_bytes()].concat()
}

/// The entry of a restored ledger: it had `from` leaves in the database and `to` in its files.
pub fn restored_entry(from: u64, to: u64) -> Vec<u8> {
    let event = serde_json::json!({"event": "restored", "from": from, "to": to});
    [&[EVENT], event.to_string().as_bytes()].concat()
}

/// The last entry of a ledger that has ended, with the name of the next one.
pub fn closed_entry(successor: &str) -> Vec<u8> {
    let event = serde_json::json!({"event": "closed", "successor": successor});
    [&[EVENT], event.to_string().as_bytes()].concat()
}

/// True of the entry that [`closed_entry`] makes.
pub fn is_closed_entry(entry: &[u8]) -> bool {
    let Some((&EVENT, event)) = entry.split_first() else {
        return false;
    };
    let event: serde_json::Value = serde_json::from_slice(event).unwrap_or_default();
    event.get("event").is_some_and(|event| event == "closed")
}

/// The first entry of a ledger that succeeds another one, with the name, the size and the root (hex) of its last checkpoint.
pub fn succeeds_entry(origin: &str, size: u64, root: &str) -> Vec<u8> {
    let event =
        serde_json::json!({"event": "succeeds", "origin": origin, "root": root, "size": size});
    [&[EVENT], event.to_string().as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn facts() -> Facts<'static> {
        Facts {
            core: Core {
                consent_id: "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70",
                project_id: "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71",
                collection: "cookies",
                identifier: "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f72",
                accept: true,
                outcome: "accepted",
                publication: None,
                received_at: "2026-11-25T08:00:00.000000Z",
                decided_at: "2026-11-25T08:00:00.000000Z",
                imported: false,
            },
            choice: Choice {
                preferences: r#"{"vendors":{"a":true}}"#,
                value: None,
            },
            person: Person {
                token: "t",
                token_kind: "generated",
            },
            circumstances: Circumstances {
                page_host: Some("shop.example"),
                ip: None,
                country: None,
                user_agent: None,
            },
        }
    }

    #[test]
    fn texts_have_no_spaces_and_no_nulls() {
        let [core, choice, person, circumstances] = facts().texts();
        assert_eq!(
            core,
            r#"{"consentId":"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70","projectId":"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71","collection":"cookies","identifier":"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f72","accept":true,"outcome":"accepted","receivedAt":"2026-11-25T08:00:00.000000Z","decidedAt":"2026-11-25T08:00:00.000000Z"}"#
        );
        assert_eq!(choice, r#"{"preferences":"{\"vendors\":{\"a\":true}}"}"#);
        assert_eq!(person, r#"{"token":"t","tokenKind":"generated"}"#);
        assert_eq!(circumstances, r#"{"pageHost":"shop.example"}"#);
    }

    #[test]
    fn the_entry_of_pictures_is_the_documented_one() {
        let (publication, pictures) = ("aa", "bb");
        let entry = Pictures {
            publication,
            pictures,
        }
        .entry();
        assert_eq!(entry, b"\x04{\"publication\":\"aa\",\"pictures\":\"bb\"}");
    }

    #[test]
    fn each_fact_and_the_salt_change_the_commitment() {
        let before = commitment(&facts().digests(&[1; 32]));
        let mut all = vec![before, commitment(&facts().digests(&[2; 32]))];
        let mut other = facts();
        other.core.accept = false;
        all.push(commitment(&other.digests(&[1; 32])));
        let mut other = facts();
        other.person.token = "u";
        all.push(commitment(&other.digests(&[1; 32])));
        let mut other = facts();
        other.core.imported = true;
        all.push(commitment(&other.digests(&[1; 32])));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(consent_entry(&before).len(), 33);
        assert_ne!(
            erasure_entry(&[1; 32], &before, 1),
            erasure_entry(&[1; 32], &before, 2)
        );
    }
}
