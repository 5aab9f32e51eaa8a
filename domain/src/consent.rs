//! Consents as callers send them and as the API gives them back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    choices::Outcome,
    collection::Collection,
    tcf::{TcString, Unfit, verify},
};

/// Most bytes of a consent, as it is sent.
pub const CONSENT_BYTES: usize = 100 * 1024;
/// Most characters of tokens, values of buttons, and names.
pub const MOST_CHARS: usize = 255;

/// False for a text that no consent has as its token. PostgreSQL cannot hold U+0000, and erased consents have an
/// empty token.
pub fn may_be_token(text: &str) -> bool {
    !text.is_empty() && !text.contains('\0') && text.chars().count() <= MOST_CHARS
}

/// Declares the collections that visitors answer to, by their names in [`Collection`].
macro_rules! answered {
    ($($(#[$about:meta])+ $name:ident,)+) => {
        /// The collections that visitors answer to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        pub enum ConsentCollection {
            $($(#[$about])+ $name,)+
        }

        impl ConsentCollection {
            /// All of them.
            pub const ALL: [Self; [$(Collection::$name),+].len()] = [$(Self::$name),+];
        }

        impl From<ConsentCollection> for Collection {
            fn from(collection: ConsentCollection) -> Self {
                match collection {
                    $(ConsentCollection::$name => Self::$name,)+
                }
            }
        }
    };
}

answered! {
    /// Cookie configurations.
    Cookies,
    /// Consent boxes.
    Processings,
    /// Contract boxes.
    Contracts,
}

impl ConsentCollection {
    /// The path segment, also used in the database.
    pub fn as_str(self) -> &'static str {
        Collection::from(self).as_str()
    }

    /// Reads the path segment of [`ConsentCollection::as_str`].
    pub fn parse(segment: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|collection| collection.as_str() == segment)
    }

    /// A collection that visitors answer to; `None` for another.
    pub fn of(collection: Collection) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|own| Collection::from(*own) == collection)
    }

    /// The path segments as a sentence names them: `a, b or c`.
    pub fn choices() -> String {
        let segments = Self::ALL.map(Self::as_str);
        match segments.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

/// The trust in a token, by its form and its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum TokenKind {
    /// Of the form that the SDK makes at random: 128 bits in lower-case hexadecimal digits, with the time before them or,
    /// as earlier versions made them, without. A site may set such a one too, and nothing tells whether it made it at
    /// random.
    Generated,
    /// The site signed it with the project's secret.
    Signed,
    /// Of any other form: the site set it and did not sign it. Everybody who guesses it can answer for it.
    Unsigned,
}

impl TokenKind {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Signed => "signed",
            Self::Unsigned => "unsigned",
        }
    }

    /// The kind of a token whose signature was found right or not. Entries of the ledger bind it, so another rule takes
    /// another type of entry.
    pub fn of(token: &str, signed: bool) -> Self {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if signed {
            Self::Signed
        } else if matches!(token.len(), 32 | 44) && token.bytes().all(is_digit) {
            Self::Generated
        } else {
            Self::Unsigned
        }
    }

    /// True if the token opens what is kept of its visitor. 32 digits alone may be the MD5 of an e-mail address, which
    /// others know.
    pub fn is_key(token: &str, signed: bool) -> bool {
        match Self::of(token, signed) {
            Self::Signed => true,
            Self::Generated => token.len() == 44,
            Self::Unsigned => false,
        }
    }
}

/// The consent that the widget posts after a choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConsentIn {
    /// The answer; kept as sent.
    pub accept: bool,
    /// Names an end user of the project; 1 to 255 characters.
    #[cfg_attr(
        feature = "schema",
        schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")
    )]
    pub token: String,
    /// Choices and their context.
    #[serde(default)]
    pub preferences: Preferences,
    /// Value of the pressed button, at most 255 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "monthly newsletter"))]
    pub value: Option<String>,
    /// SHA-256 (hex) of the publication that the visitor saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")
    )]
    pub publication: Option<String>,
    /// Milliseconds since the decision, by the client's clock; 0 to 30 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = 1500))]
    pub age: Option<u64>,
    /// A UUID chosen by the client; a retry with the same one is one consent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(format = "uuid"))]
    pub consent_id: Option<String>,
    /// `true` asks for a `promise` in the answer's `receipt`: the operator's signed words that the consent will stand in the
    /// ledger within 24 hours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub receipt: bool,
}

/// The way in which a visitor answered, unless a button says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Action {
    /// The visitor closed the widget, which said that closing refuses.
    Close,
}

/// The choices of a consent and their context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Preferences {
    /// Vendor names to choices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schema(example = json!({"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70": true})))]
    pub vendors: BTreeMap<String, bool>,
    /// The configuration that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<PreferencesConfig>,
    /// Google Consent Mode v2 signals that were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub google_consent_mode: Option<Value>,
    /// IAB TC string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(example = "CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA")
    )]
    pub tc_string: Option<String>,
    /// Google's Additional Consent string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "2~89.311~dv.70"))]
    pub addtl_consent: Option<String>,
    /// IAB GPP string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "DBABLA~CVQVAAAAAACA.YA"))]
    pub gpp_string: Option<String>,
    /// The screen and the button by which the visitor decided under TCF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcf: Option<TcfDecision>,
    /// The way in which the visitor answered. Closing only refuses: beside it `accept` and every
    /// choice are false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
}

/// The number of the screen that is the button of a placeholder.
const PLACEHOLDER: u8 = 5;

/// The screen and the button of a decision under TCF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TcfDecision {
    /// The screen, as the TC string has it: 1 the first layer, 2 purposes, 3 interests, 4 partners, 5 the button of a
    /// placeholder.
    #[cfg_attr(feature = "schema", schema(maximum = 63, example = 1))]
    pub screen: u8,
    /// The button.
    pub action: TcfAction,
    /// True if the TC string is that of an earlier answer: the button of a placeholder leaves it as it was where the
    /// service is no vendor of TCF.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(example = false))]
    pub kept: bool,
}

/// The button by which a visitor decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum TcfAction {
    /// Everything is allowed, except interests that the visitor objects to.
    Accept,
    /// Nothing is allowed.
    Refuse,
    /// The state of the switches.
    Save,
}

/// Header fields of a TC string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TcFacts {
    /// The consent management platform that the TC string names. Absent without a string that can be read, as the
    /// next ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(maximum = 4095, example = 31))]
    pub cmp_id: Option<u16>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(maximum = 4095, example = 1))]
    pub cmp_version: Option<u16>,
    /// Version of the Global Vendor List.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(maximum = 4095, example = 178))]
    pub gvl_version: Option<u16>,
    /// Version of the policies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(maximum = 63, example = 5))]
    pub policy_version: Option<u8>,
}

impl TcFacts {
    /// Reads the header of the consent's TC string. Imported consents may hold one that nobody can read.
    pub fn of(preferences: &Preferences) -> Self {
        let string = preferences.tc_string.as_deref().map(TcString::decode);
        let Some(Ok(string)) = string else {
            return Self::default();
        };
        Self {
            cmp_id: Some(string.cmp_id),
            cmp_version: Some(string.cmp_version),
            gvl_version: Some(string.vendor_list_version),
            policy_version: Some(string.policy_version),
        }
    }
}

/// The configuration that asked, as the widget knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PreferencesConfig {
    /// Id of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(example = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")
    )]
    pub identifier: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "shop-en"))]
    pub name: Option<String>,
    /// ISO 639-1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "en"))]
    pub language: Option<String>,
}

/// A stored consent, as members of the project see it. It never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Consent {
    /// Id of the consent.
    #[cfg_attr(
        feature = "schema",
        schema(format = "uuid", example = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")
    )]
    pub consent_id: String,
    /// Id of the project.
    #[cfg_attr(feature = "schema", schema(format = "uuid"))]
    pub project_id: String,
    /// Collection of the document that the visitor answered.
    pub collection: ConsentCollection,
    /// Id of the cookie configuration, consent box or contract box.
    #[cfg_attr(feature = "schema", schema(format = "uuid"))]
    pub identifier: String,
    /// Names the end user.
    #[cfg_attr(
        feature = "schema",
        schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")
    )]
    pub token: String,
    /// The trust in the token. Absent if the token was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_kind: Option<TokenKind>,
    /// The answer, as it was sent.
    pub accept: bool,
    /// The outcome of the choices.
    pub outcome: Outcome,
    /// The time of the decision, as `decidedAt`.
    #[cfg_attr(
        feature = "schema",
        schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")
    )]
    pub created_at: String,
    /// Time of the visitor's decision: `receivedAt` less the `age` that was sent.
    #[cfg_attr(
        feature = "schema",
        schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")
    )]
    pub decided_at: String,
    /// Time at which the server stored it.
    #[cfg_attr(
        feature = "schema",
        schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")
    )]
    pub received_at: String,
    /// Choices and their context.
    pub preferences: Preferences,
    /// Header fields of its TC string.
    #[serde(flatten)]
    pub tc: TcFacts,
    /// Value of the pressed button.
    #[cfg_attr(feature = "schema", schema(example = "monthly newsletter"))]
    pub value: Option<String>,
    /// SHA-256 (hex) of the publication that the visitor saw. Null unless the consent named one
    /// that this project and configuration published.
    #[cfg_attr(
        feature = "schema",
        schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")
    )]
    pub publication: Option<String>,
    /// True if the consent named a publication that this project and configuration published.
    pub publication_verified: bool,
    /// Host of the page.
    #[cfg_attr(feature = "schema", schema(example = "shop.example"))]
    pub page_host: Option<String>,
    /// Address of the visitor, as far as the project keeps it.
    #[cfg_attr(feature = "schema", schema(example = "203.0.113.0"))]
    pub ip: Option<String>,
    /// ISO 3166-1 alpha-2, if a trusted proxy named it.
    #[cfg_attr(feature = "schema", schema(example = "FR"))]
    pub country: Option<String>,
    /// Browser of the visitor, as it names itself.
    #[cfg_attr(
        feature = "schema",
        schema(example = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0")
    )]
    pub user_agent: Option<String>,
    /// True if it was imported instead of collected.
    pub imported: bool,
    /// Time of erasure of an erased consent. Its token is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")
    )]
    pub erased_at: Option<String>,
}

/// One consent with everything that is proven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConsentProof {
    /// The consent.
    #[serde(flatten)]
    pub consent: Consent,
    /// The publication that the visitor saw. Null without a verified publication.
    pub shown: Option<Shown>,
    /// The comparison of both under TCF.
    #[serde(flatten)]
    pub tcf: TcfCheck,
}

/// The comparison of a TC string with the publication that the visitor saw. It is made when the proof is read: neither
/// the consent nor the publication ever changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TcfCheck {
    /// True if the TC string names the platform, the list, the vendors and the restrictions that were shown, allows
    /// nothing else, and is of the day of the decision. Absent without a TC string, and where the answer has kept that of
    /// an earlier one, whose own proof tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = true))]
    pub tcf_verified: Option<bool>,
    /// The first respect in which it does not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcf_reason: Option<Unfit>,
}

impl TcfCheck {
    /// Compares the TC string of `preferences`, if there is one, with the manifest of the publication and with the
    /// time of the decision in milliseconds from 1970.
    pub fn of(preferences: &Preferences, manifest: Option<&Value>, decided_at: i64) -> Self {
        let is_kept = preferences
            .tcf
            .as_ref()
            .is_some_and(|tcf| tcf.kept && tcf.screen == PLACEHOLDER);
        let Some(string) = preferences.tc_string.as_ref().filter(|_| !is_kept) else {
            return Self::default();
        };
        let everything = manifest
            .and_then(|manifest| manifest.pointer("/tcf/tcString"))
            .and_then(Value::as_str);
        let reason = verify(string, everything, decided_at).err();
        Self {
            tcf_verified: Some(reason.is_none()),
            tcf_reason: reason,
        }
    }
}

/// A publication that a visitor saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Shown {
    /// SHA-256 (hex) of the manifest.
    #[cfg_attr(
        feature = "schema",
        schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")
    )]
    pub publication: String,
    /// Time of its first publish.
    #[cfg_attr(
        feature = "schema",
        schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")
    )]
    pub published_at: String,
    /// The configuration that was shown, and the hashes of the files that drew it.
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub manifest: Value,
}

/// The place of a consent in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// The consent was stored without an entry.
    Absent,
    /// The next checkpoint will cover it.
    Later,
    /// Its entry is older than the ledger is kept, or its file was lost.
    Removed,
    /// Its proof is in order.
    Entry {
        /// Name of the ledger.
        origin: String,
        /// Index of the entry.
        index: u64,
        /// Entries that the checkpoint of the proof covers.
        size: u64,
        /// The signatures of witnesses under this checkpoint.
        witnesses: Vec<Cosignature>,
        /// The time stamps in the proof.
        stamps: Vec<TimeStamp>,
        /// Pictures of the publication that the proof lists.
        pictures: u32,
    },
    /// Its proof is not in order, for this reason.
    Refuted(String),
}

/// The signature of a witness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cosignature {
    /// The name of the witness.
    pub name: String,
    /// Its time, in seconds since 1970.
    pub at: i64,
}

/// A time stamp over a consent, whose signature others check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeStamp {
    /// The address of the authority.
    pub url: String,
    /// Its time, in seconds since 1970.
    pub at: i64,
}

/// Consents of one day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConsentDay {
    /// The day of receipt, UTC, as `2026-11-21`. For imported consents, the day of decision.
    #[cfg_attr(feature = "schema", schema(example = "2026-11-21"))]
    pub date: String,
    /// Every vendor accepted.
    #[cfg_attr(feature = "schema", schema(example = 812))]
    pub accepted: u64,
    /// No vendor accepted.
    #[cfg_attr(feature = "schema", schema(example = 301))]
    pub refused: u64,
    /// Some vendors accepted.
    #[cfg_attr(feature = "schema", schema(example = 96))]
    pub partial: u64,
}

impl ConsentDay {
    /// All of the day.
    pub fn total(&self) -> u64 {
        self.accepted + self.refused + self.partial
    }
}

/// Counts of a project's consents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConsentOverview {
    /// The last days, oldest first, today last; days without consents too.
    pub days: Vec<ConsentDay>,
    /// Consents of all time.
    #[cfg_attr(feature = "schema", schema(example = 1209))]
    pub total: u64,
    /// Share of consents of the last 7 days that accepted everything; null without any.
    #[cfg_attr(feature = "schema", schema(example = 0.67))]
    pub accept_rate: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_tokens() {
        // As earlier versions of the SDK made them, and as long as an MD5, which others may know.
        let short = "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";
        let dated = format!("019ab3c4d5e6{short}");
        for generated in [short, &dated] {
            assert_eq!(TokenKind::of(generated, false), TokenKind::Generated);
            assert_eq!(TokenKind::of(generated, true), TokenKind::Signed);
        }
        for set in ["customer-42", &dated[1..], &dated.to_uppercase()] {
            assert_eq!(TokenKind::of(set, false), TokenKind::Unsigned, "{set}");
            assert!(!TokenKind::is_key(set, false));
        }
        assert!(TokenKind::is_key(&dated, false) && TokenKind::is_key("customer-42", true));
        assert!(!TokenKind::is_key(short, false));
    }
}
