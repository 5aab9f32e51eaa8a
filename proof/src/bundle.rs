//! The file `*.placet-proof.json`.

use serde::{Deserialize, Serialize};

use crate::{
    Hash, Refused, Result,
    commitment::Group,
    hash_from_hex, refused,
    strict::{self, Object},
};

/// The value of `format`.
pub const FORMAT: &str = "placet-proof/1";
/// Most bytes of a bundle.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;

/// A bundle. Unknown and doubled keys are refused, and `null` in the place of an absent one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// [`FORMAT`].
    pub format: String,
    /// The facts.
    #[serde(deserialize_with = "strict::object")]
    pub record: Record,
    /// tlog-proof texts of the consent.
    #[serde(deserialize_with = "strict::list")]
    pub proofs: Vec<String>,
    /// Time stamps over checkpoints among those of `proofs`.
    #[serde(deserialize_with = "strict::objects")]
    pub timestamps: Vec<Stamp>,
    /// The publication that the visitor saw, if the consent names one.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::given_object"
    )]
    pub publication: Option<Publication>,
    /// The erasure of the consent.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::given_object"
    )]
    pub erasure: Option<Erasure>,
    /// Pictures of the publication, as their list names them.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::given_object"
    )]
    pub evidence: Option<Evidence>,
    /// Some or all of these pictures.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "strict::objects"
    )]
    pub files: Vec<PictureFile>,
    /// The facts again, for other systems.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::given_texts"
    )]
    pub receipt: Option<serde_json::Value>,
}

/// The groups of facts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the four groups")]
pub struct Record {
    #[serde(deserialize_with = "strict::object")]
    pub core: Shown,
    #[serde(deserialize_with = "strict::object")]
    pub choice: Shown,
    #[serde(deserialize_with = "strict::object")]
    pub person: Shown,
    #[serde(deserialize_with = "strict::object")]
    pub circumstances: Shown,
}

/// A group: open (`salt` and `json`), or withheld (`digest`).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The group's own salt, in hexadecimal.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::given"
    )]
    pub salt: Option<String>,
    /// The group's text.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::given"
    )]
    pub json: Option<String>,
    /// The group's digest, in hexadecimal.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "strict::given"
    )]
    pub digest: Option<String>,
}

impl Shown {
    /// Shows a group.
    pub fn open(salt: &Hash, json: String) -> Self {
        Self {
            salt: Some(hex::encode(salt)),
            json: Some(json),
            digest: None,
        }
    }

    /// Withholds a group.
    pub fn withheld(digest: &Hash) -> Self {
        Self {
            digest: Some(hex::encode(digest)),
            ..Self::default()
        }
    }

    /// Salt and text of an open group, or the digest of a withheld one.
    pub(crate) fn read(&self, group: Group) -> Result<Facts<'_>> {
        match (&self.salt, &self.json, &self.digest) {
            (Some(salt), Some(json), None) => Ok(Facts::Open(hash_from_hex(salt)?, json)),
            (None, None, Some(digest)) => Ok(Facts::Withheld(hash_from_hex(digest)?)),
            _ => refused(format!(
                "the group {} has neither salt and json nor a digest",
                group.as_str()
            )),
        }
    }
}

/// A group as it is read.
pub(crate) enum Facts<'a> {
    Open(Hash, &'a str),
    Withheld(Hash),
}

impl Record {
    /// A group.
    pub fn get(&self, group: Group) -> &Shown {
        match group {
            Group::Core => &self.core,
            Group::Choice => &self.choice,
            Group::Person => &self.person,
            Group::Circumstances => &self.circumstances,
        }
    }
}

/// The publication that a visitor saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Its entry, in base64.
    pub entry: String,
    /// The index of its entry.
    pub index: u64,
    /// A tlog-proof text.
    pub proof: String,
    /// The text that names everything that was shown.
    pub manifest: String,
}

/// The erasure of a consent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct Erasure {
    /// When.
    pub erased_at: String,
    /// Its entry, in base64.
    pub entry: String,
    /// The index of its entry.
    pub index: u64,
    /// A tlog-proof text.
    pub proof: String,
}

/// The pictures of the publication that a visitor saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The entry of their list, in base64.
    pub entry: String,
    /// The index of this entry.
    pub index: u64,
    /// A tlog-proof text.
    pub proof: String,
    /// The text of their list.
    pub pictures: String,
}

/// A picture.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureFile {
    /// SHA-256 of its bytes, in hexadecimal, as the list has it.
    pub sha256: String,
    /// Its bytes, in base64.
    pub content: String,
}

/// A time stamp over the text of a checkpoint (RFC 3161).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The address of the authority.
    pub url: String,
    /// The checkpoint's note.
    pub checkpoint: String,
    /// The stamp, a `TimeStampToken` as the authority gave it, in base64.
    pub token: String,
}

impl Bundle {
    /// Reads a bundle. Nothing is believed yet.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > MOST_BYTES {
            return refused("the bundle is longer than 16 MiB");
        }
        let Object(bundle): Object<Self> = serde_json::from_str(text)
            .map_err(|error| Refused(format!("the bundle is not of its format: {error}")))?;
        if bundle.format != FORMAT {
            return refused(format!("the format is not {FORMAT}"));
        }
        Ok(bundle)
    }
}
