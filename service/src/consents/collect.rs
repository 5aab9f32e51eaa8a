//! Checks the consents that browsers send, and makes the rows to store.

use std::{net::IpAddr, sync::atomic::Ordering};

use domain::{
    choices::{Outcome, outcome},
    consent::{Action, ConsentCollection, ConsentIn, MOST_CHARS, Preferences},
    documents::below,
    error_code::ErrorCode,
    field_error::FieldError,
    format,
    payload::MOST_AGE_MILLIS,
    tcf,
};
use proof::{Hash, promise::Promise};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    privacy,
    projects::Project,
    row::{self, Row},
};
use crate::{
    clock::{SharedClock, Timestamp},
    error::{Error, Result},
    ids::Ids,
    secret,
};

/// Most unknown vendors that a refusal lists. A body holds thousands.
const MOST_UNKNOWN: usize = 100;
/// Most bytes of consent mode's signals as JSON.
const MOST_SIGNALS: usize = 2_048;

/// A consent as it comes in.
#[derive(Clone, Debug)]
pub struct Collect {
    /// Project.
    pub project: Uuid,
    /// Collection of the document that the visitor answered.
    pub collection: ConsentCollection,
    /// Id of that document.
    pub identifier: Uuid,
    /// The body.
    pub body: ConsentIn,
    /// `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// `Origin`.
    pub origin: Option<String>,
    /// True if that is the origin of this installation.
    pub from_own_page: bool,
    /// `Referer`.
    pub referer: Option<String>,
    /// Address of the visitor, if it is known.
    pub address: Option<IpAddr>,
    /// Country, if a trusted proxy names it.
    pub country: Option<String>,
    /// `User-Agent`.
    pub user_agent: Option<String>,
}

/// The answer to a consent.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Collected {
    /// Id of the consent.
    pub consent_id: Uuid,
    /// Project.
    pub project_id: Uuid,
    /// Collection of the document that the visitor answered.
    pub collection: ConsentCollection,
    /// Id of that document.
    pub identifier: Uuid,
    /// Names the end user.
    #[schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    pub token: String,
    /// The answer.
    pub accept: bool,
    /// The time of the decision.
    pub created_at: Timestamp,
    /// Choices and their context.
    #[schema(value_type = Preferences)]
    pub preferences: Box<RawValue>,
    /// The means to ask for the proof. Absent where the consent has no entry in the ledger, and from the
    /// answer to a retry under a token that may be guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
}

/// The opening of a consent in the ledger. Its holder may have the proof.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Receipt {
    /// The salt of the consent, in hexadecimal: a secret of the visitor and this installation.
    #[serde(serialize_with = "in_hex")]
    #[schema(value_type = String, example = "5b0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f5b0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    pub salt: Hash,
    /// The name of the ledger.
    #[schema(example = "consent.example/ledger/0a1b2c3d4e5f")]
    pub ledger: String,
    /// The operator's signed words that the consent will stand in the ledger within 24 hours, a file of its own
    /// (`placet-promise/1`). Only where the request has `receipt: true`; absent from the answer to a retry, and while the
    /// ledger stands still.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, required = false, example = json!({"format": "placet-promise/1"}))]
    pub promise: Option<Box<Promise>>,
}

/// Writes a hash in hexadecimal, without a text of its own on the heap: each answer to a consent has one.
fn in_hex<S: Serializer>(hash: &Hash, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let mut digits = [0; 64];
    hex::encode_to_slice(hash, &mut digits).map_err(S::Error::custom)?;
    serializer.serialize_str(str::from_utf8(&digits).map_err(S::Error::custom)?)
}

impl Collected {
    pub(super) fn new(row: &Row, decided_at: Timestamp, receipt: Option<Receipt>) -> Self {
        Self {
            consent_id: row.consent_id,
            project_id: row.project_id,
            collection: row.collection,
            identifier: row.identifier,
            token: row.token.clone(),
            accept: row.accept,
            created_at: decided_at,
            // It was serialised by `check`.
            preferences: RawValue::from_string(row.preferences.clone()).unwrap_or_default(),
            receipt,
        }
    }
}

/// Makes the row of a consent, or lists everything that is wrong with the consent.
pub(super) fn check(
    input: &Collect,
    project: Option<&Project>,
    clock: &SharedClock,
    ids: &Ids,
) -> Result<Row> {
    let project = project.ok_or(Error::NotFound)?;
    let configuration = project
        .configurations
        .get(&input.identifier)
        .filter(|configuration| configuration.collection == input.collection)
        .ok_or(Error::NotFound)?;
    let origin_host = input.origin.as_deref().and_then(privacy::host);
    let is_taken = project.domains.is_empty()
        || project.takes_from(origin_host.as_deref())
        // Visitors withdraw on the page `/me/<project>` as well, which can give no consent.
        || (input.from_own_page && !allows_any(&input.body));
    if !is_taken {
        return Err(Error::forbidden(
            ErrorCode::ForeignOrigin,
            "This project takes consents from pages of its own hosts only.",
        ));
    }

    let body = &input.body;
    let mut errors = Vec::new();
    texts(body, &mut errors);
    action(body, &mut errors);
    sizes(&body.preferences, &mut errors);
    let named = body.preferences.vendors.keys();
    let unknown = named.filter(|name| !configuration.vendors.contains(name.as_str()));
    errors.extend(unknown.take(MOST_UNKNOWN).map(|name| {
        FieldError::new(
            below("/preferences/vendors", name),
            ErrorCode::UnknownVendor,
            "This vendor was never part of the published configuration.",
        )
    }));
    let age = body.age.unwrap_or(0);
    if age > MOST_AGE_MILLIS {
        errors.push(FieldError::new(
            "/age",
            ErrorCode::OutOfRange,
            format!("0 to {MOST_AGE_MILLIS} milliseconds (30 days)."),
        ));
    }
    let chosen = chosen_id(input, &project.id_key, &mut errors);
    Error::unless_valid(errors)?;
    let token_signed = project.tokens.check(&body.token)?;

    let received_at = Timestamp::from_millis(clock.now().millis());
    // Not earlier than that: an import puts its rows of the same millisecond before this id.
    let seq = ids.next();
    let preferences = canonical(&body.preferences)?;
    let publication = body
        .publication
        .as_ref()
        .filter(|id| configuration.publications.contains(id.as_str()))
        .cloned();
    Ok(Row {
        project_id: input.project,
        seq,
        consent_id: chosen.unwrap_or(seq),
        collection: input.collection,
        identifier: input.identifier,
        token: body.token.clone(),
        token_signed,
        accept: body.accept,
        outcome: outcome_of(&body.preferences, body.accept),
        body_hash: body_hash(&Hashed {
            identifier: input.identifier,
            accept: body.accept,
            collection: input.collection,
            token: &body.token,
            preferences: &preferences,
            value: body.value.as_deref(),
            publication: body.publication.as_deref(),
        }),
        preferences,
        value: body.value.clone(),
        publication,
        received_at,
        decided_at: received_at.plus_millis(-i64::try_from(age).unwrap_or(0)),
        page_host: origin_host.or_else(|| input.referer.as_deref().and_then(privacy::host)),
        ip: input
            .address
            .and_then(|address| privacy::keep(project.ip_mode, address, &project.ip_key)),
        country: input.country.clone(),
        language: row::language(&body.preferences),
        user_agent: input.user_agent.as_deref().and_then(privacy::user_agent),
        imported: false,
        erased_at: None,
        hooked: project.hooked.load(Ordering::Relaxed),
        commitment: None,
        promised_from: None,
    })
}

/// The preferences as they are kept: known fields in a fixed order, names sorted.
pub(super) fn canonical(preferences: &Preferences) -> Result<String> {
    let text = match &preferences.google_consent_mode {
        None => serde_json::to_string(preferences),
        Some(signals) => {
            let mut signals = signals.clone();
            signals.sort_all_objects();
            serde_json::to_string(&Preferences {
                google_consent_mode: Some(signals),
                ..preferences.clone()
            })
        }
    };
    text.map_err(Error::internal)
}

/// Lengths of texts, and no U+0000 anywhere (PostgreSQL cannot hold it).
pub(super) fn texts(body: &ConsentIn, errors: &mut Vec<FieldError>) {
    let mut text = |pointer: &str, text: Option<&str>, most: usize| {
        let Some(text) = text else { return };
        if text.len() > most && text.chars().count() > most {
            errors.push(FieldError::new(
                pointer,
                ErrorCode::TooLong,
                format!("At most {most} characters."),
            ));
        }
        if text.contains('\0') {
            errors.push(FieldError::new(
                pointer,
                ErrorCode::InvalidValue,
                "U+0000 is not allowed.",
            ));
        }
    };
    text("/token", Some(&body.token), MOST_CHARS);
    text("/value", body.value.as_deref(), MOST_CHARS);
    let preferences = &body.preferences;
    if let Some(config) = &preferences.config {
        let at = |field: &str| format!("/preferences/config/{field}");
        text(&at("identifier"), config.identifier.as_deref(), MOST_CHARS);
        text(&at("name"), config.name.as_deref(), MOST_CHARS);
        text(&at("language"), config.language.as_deref(), MOST_CHARS);
    }
    for (name, string) in strings(preferences) {
        text(&format!("/preferences/{name}"), string, usize::MAX);
    }
    if preferences
        .google_consent_mode
        .as_ref()
        .is_some_and(format::holds_nul)
    {
        errors.push(FieldError::new(
            "/preferences/googleConsentMode",
            ErrorCode::InvalidValue,
            "U+0000 is not allowed.",
        ));
    }
    if body.token.is_empty() {
        errors.push(FieldError::new(
            "/token",
            ErrorCode::TooShort,
            "At least 1 character.",
        ));
    }
}

/// True if a consent allows anything, TCF aside.
fn allows(body: &ConsentIn) -> bool {
    body.accept || body.preferences.vendors.values().any(|allowed| *allowed)
}

/// True if a consent allows anything.
fn allows_any(body: &ConsentIn) -> bool {
    allows(body) || allows_by_tcf(&body.preferences)
}

/// Closing a widget is no consent, whoever reports it.
pub(super) fn action(body: &ConsentIn, errors: &mut Vec<FieldError>) {
    if body.preferences.action == Some(Action::Close) && allows(body) {
        errors.push(FieldError::new(
            "/preferences/action",
            ErrorCode::NotAllowed,
            "Closing only refuses: `accept` and every choice must be false.",
        ));
    }
}

/// The strings of IAB's and Google's frameworks.
fn strings(preferences: &Preferences) -> [(&'static str, Option<&str>); 3] {
    [
        ("tcString", preferences.tc_string.as_deref()),
        ("addtlConsent", preferences.addtl_consent.as_deref()),
        ("gppString", preferences.gpp_string.as_deref()),
    ]
}

/// True if a TC string allows something by consent, or the string beside it a provider.
fn allows_by_tcf(preferences: &Preferences) -> bool {
    allows_a_provider(preferences) || allows_by_string(preferences)
}

/// True if the Additional Consent string allows a provider.
fn allows_a_provider(preferences: &Preferences) -> bool {
    let string = preferences.addtl_consent.as_deref().unwrap_or_default();
    !tcf::allowed_providers(string).is_empty()
}

fn allows_by_string(preferences: &Preferences) -> bool {
    let string = preferences.tc_string.as_deref();
    let string = string.and_then(|text| tcf::TcString::decode(text).ok());
    string.is_some_and(|string| {
        let allowed = [
            string.purpose_consents,
            string.special_feature_optins,
            string.vendor_consents,
        ];
        allowed.iter().any(|ids| !ids.is_empty())
    })
}

/// The outcome of a consent. Partners count with own vendors: an answer that allows some of them and not everything
/// is a partial one.
pub(super) fn outcome_of(preferences: &Preferences, accept: bool) -> Outcome {
    let own = outcome(preferences.vendors.values().copied(), accept);
    let allows_own = own == Outcome::Accepted;
    let is_whole = accept && allows_own;
    if preferences.tc_string.is_some() && !is_whole && (allows_own || allows_by_tcf(preferences)) {
        return Outcome::Partial;
    }
    own
}

/// Limits the sizes of stored preferences: strangers send them, and they are kept for years.
/// Imports come from the project's members and may hold larger consents, which were kept elsewhere
/// before.
fn sizes(preferences: &Preferences, errors: &mut Vec<FieldError>) {
    for (name, string) in strings(preferences) {
        if string.is_some_and(|string| string.len() > tcf::MOST_CHARACTERS) {
            errors.push(FieldError::new(
                format!("/preferences/{name}"),
                ErrorCode::TooLong,
                format!("At most {} characters.", tcf::MOST_CHARACTERS),
            ));
        }
    }
    let signals = preferences.google_consent_mode.as_ref();
    if signals.is_some_and(|signals| signals.to_string().len() > MOST_SIGNALS) {
        errors.push(FieldError::new(
            "/preferences/googleConsentMode",
            ErrorCode::TooLong,
            format!("At most {MOST_SIGNALS} bytes of JSON."),
        ));
    }
}

/// The id that makes a retry the same consent, if the caller wants one.
fn chosen_id(input: &Collect, key: &[u8; 32], errors: &mut Vec<FieldError>) -> Option<Uuid> {
    if let Some(text) = &input.body.consent_id {
        let id = Uuid::try_parse(text).ok().filter(|_| text.len() == 36);
        if id.is_none() {
            errors.push(FieldError::new(
                "/consentId",
                ErrorCode::InvalidId,
                "A UUID such as 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70.",
            ));
        }
        return id;
    }
    let chosen = input.idempotency_key.as_ref()?;
    let digest = secret::mac(key, &[b"placet idempotency key\0", chosen.as_bytes()]);
    Some(id_from(&digest))
}

/// An id of our own making (UUID version 8) from a digest. A digest of facts about a person must be one by a key:
/// otherwise somebody who guesses the facts of an erased consent could test the guess.
pub(super) fn id_from(digest: &[u8]) -> Uuid {
    let mut bytes = [0_u8; 16];
    bytes
        .iter_mut()
        .zip(digest)
        .for_each(|(to, from)| *to = *from);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// The fields that tell one body from another.
pub(super) struct Hashed<'a> {
    pub identifier: Uuid,
    pub accept: bool,
    pub collection: ConsentCollection,
    pub token: &'a str,
    pub preferences: &'a str,
    pub value: Option<&'a str>,
    pub publication: Option<&'a str>,
}

/// Tells two bodies apart. Leaves out `age`, which differs between attempts of the same consent.
pub(super) fn body_hash(body: &Hashed<'_>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(body.identifier.as_bytes());
    hash.update([u8::from(body.accept)]);
    for text in [
        Some(body.collection.as_str()),
        Some(body.token),
        Some(body.preferences),
        body.value,
        body.publication,
    ] {
        // Lengths keep neighbours apart; none is not the empty text.
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        hash.update(length.to_be_bytes());
        hash.update(text.unwrap_or_default().as_bytes());
    }
    hash.finalize().into()
}
