//! The columns of `consents`.
//!
//! To keep one more fact with a consent: a column in the migrations, a field and a value in [`Row`], its name in
//! [`WRITTEN`] (with its number in [`COLUMNS`]) and [`READ`], a field in [`ConsentRow`], and a line in PostgreSQL's
//! statement in `writing/batch.rs`.

use domain::{
    choices::Outcome,
    consent::{Consent, ConsentCollection, Preferences, TcFacts, TokenKind},
    language,
};
use proof::Hash;
use uuid::Uuid;

use crate::{clock::Timestamp, db::Value};

/// The columns in the order of [`Row::values`].
pub(super) const WRITTEN: &str = "project_id, seq, consent_id, collection, identifier, token, accept, outcome, \
     preferences, value, publication, received_at, decided_at, page_host, ip, country, user_agent, token_signed, \
     body_hash, imported, erased_at, salt, language";

/// The number of these columns.
pub(super) const COLUMNS: usize = 23;

/// The columns that lead to the ledger.
pub(super) const BOUND: &str = "c.salt, c.batch, c.erasure_batch";

/// The columns of a [`ConsentRow`].
pub(crate) const READ: &str = "c.project_id, c.seq, c.consent_id, c.collection, c.identifier, \
     c.token, c.accept, c.outcome, c.preferences, c.value, c.publication, c.received_at, \
     c.decided_at, c.page_host, c.ip, c.country, c.user_agent, c.imported, c.erased_at, \
     c.token_signed";

/// The salt and the commitment of a consent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commitment {
    pub salt: Hash,
    pub hash: Hash,
}

/// A consent that is to be stored.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "columns are independent facts"
)]
pub(super) struct Row {
    pub project_id: Uuid,
    pub seq: Uuid,
    pub consent_id: Uuid,
    pub collection: ConsentCollection,
    pub identifier: Uuid,
    /// Empty in a tombstone.
    pub token: String,
    pub token_signed: bool,
    pub accept: bool,
    pub outcome: Outcome,
    pub preferences: String,
    pub value: Option<String>,
    pub publication: Option<String>,
    pub received_at: Timestamp,
    pub decided_at: Timestamp,
    pub page_host: Option<String>,
    pub ip: Option<String>,
    pub country: Option<String>,
    /// Language that the widget spoke; `None` if it told none that is shipped.
    pub language: Option<&'static str>,
    pub user_agent: Option<String>,
    pub body_hash: [u8; 32],
    /// True if it came with a file.
    pub imported: bool,
    /// Set in a tombstone that came with a file.
    pub erased_at: Option<Timestamp>,
    /// True if webhooks may listen to this consent. The database does not store it.
    pub hooked: bool,
    /// Binds the consent to its entry in the ledger; `None` where it gets none.
    pub commitment: Option<Commitment>,
    /// Set if the caller wants a promise: its entry gets no index below this one. The database does not store it.
    pub promised_from: Option<u64>,
}

impl Row {
    /// The values of the columns that are [`WRITTEN`].
    pub(super) fn values(&self) -> [Value; COLUMNS] {
        [
            self.project_id.into(),
            self.seq.into(),
            self.consent_id.into(),
            self.collection.as_str().into(),
            self.identifier.into(),
            (&self.token).into(),
            self.accept.into(),
            self.outcome.as_str().into(),
            (&self.preferences).into(),
            (&self.value).into(),
            (&self.publication).into(),
            self.received_at.into(),
            self.decided_at.into(),
            (&self.page_host).into(),
            (&self.ip).into(),
            (&self.country).into(),
            (&self.user_agent).into(),
            self.token_signed.into(),
            self.body_hash.as_slice().into(),
            self.imported.into(),
            self.erased_at.into(),
            self.commitment.map(|made| made.salt.to_vec()).into(),
            self.language.into(),
        ]
    }
}

/// A consent as it is stored.
#[derive(sqlx::FromRow)]
pub(crate) struct ConsentRow {
    pub project_id: Uuid,
    pub seq: Uuid,
    pub consent_id: Uuid,
    pub collection: String,
    pub identifier: Uuid,
    pub token: String,
    pub accept: bool,
    pub outcome: String,
    pub preferences: String,
    pub value: Option<String>,
    pub publication: Option<String>,
    pub received_at: Timestamp,
    pub decided_at: Timestamp,
    pub page_host: Option<String>,
    pub ip: Option<String>,
    pub country: Option<String>,
    pub user_agent: Option<String>,
    pub imported: bool,
    pub erased_at: Option<Timestamp>,
    pub token_signed: bool,
}

/// A consent as it is stored, with what leads to the ledger.
#[derive(sqlx::FromRow)]
pub(super) struct BoundRow {
    #[sqlx(flatten)]
    pub consent: ConsentRow,
    pub salt: Option<Vec<u8>>,
    pub batch: Option<i64>,
    pub erasure_batch: Option<i64>,
}

impl ConsentRow {
    /// Its position in the order of decisions.
    pub(crate) fn place(&self) -> (Timestamp, Uuid) {
        (self.decided_at, self.seq)
    }

    pub(crate) fn into_consent(self) -> Consent {
        let preferences = preferences(&self.preferences);
        Consent {
            consent_id: self.consent_id.to_string(),
            project_id: self.project_id.to_string(),
            collection: collection(&self.collection),
            identifier: self.identifier.to_string(),
            token_kind: (self.erased_at.is_none())
                .then(|| TokenKind::of(&self.token, self.token_signed)),
            token: self.token,
            accept: self.accept,
            // The column is only written from an `Outcome`.
            outcome: Outcome::parse(&self.outcome).unwrap_or(Outcome::Partial),
            created_at: self.decided_at.to_string(),
            decided_at: self.decided_at.to_string(),
            received_at: self.received_at.to_string(),
            tc: TcFacts::of(&preferences),
            preferences,
            value: self.value,
            // Only one that was verified is stored.
            publication_verified: self.publication.is_some(),
            publication: self.publication,
            page_host: self.page_host,
            ip: self.ip,
            country: self.country,
            user_agent: self.user_agent,
            imported: self.imported,
            erased_at: self.erased_at.map(|at| at.to_string()),
        }
    }
}

/// The column is only written from a `ConsentCollection`.
pub(crate) fn collection(text: &str) -> ConsentCollection {
    ConsentCollection::parse(text).unwrap_or(ConsentCollection::Cookies)
}

/// The shipped language that a widget spoke.
pub(super) fn language(preferences: &Preferences) -> Option<&'static str> {
    let told = preferences.config.as_ref()?.language.as_deref()?;
    Some(language::find(told)?.code)
}

/// The column is only written from `Preferences`.
pub(crate) fn preferences(text: &str) -> Preferences {
    serde_json::from_str(text).unwrap_or_default()
}
