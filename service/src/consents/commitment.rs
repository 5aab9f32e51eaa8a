//! Binds a consent to its entry in the ledger, when it is stored, when it is erased and when it is proven.

use std::fmt::Write;

use domain::consent::TokenKind;
use proof::{
    Hash,
    bundle::{Record, Shown},
    commitment::{self as bound, Choice, Circumstances, Core, Facts, Group, Person},
};

use uuid::Uuid;

use super::row::{Commitment, ConsentRow, Row};
use crate::{clock::Timestamp, random};

impl Row {
    /// Binds the consent, whose facts change no more. A tombstone has nothing to bind.
    pub(super) fn bind(&mut self) {
        if self.erased_at.is_some() {
            return;
        }
        self.commitment = Some(Commitment::of(&Source::from(&*self)));
    }

    /// The entry, where the consent is bound.
    pub(super) fn entry(&self) -> Option<Vec<u8>> {
        self.commitment.map(|made| made.entry())
    }

    /// The record of the consent, all groups open, where it is bound.
    pub(super) fn record(&self) -> Option<Record> {
        let salt = self.commitment?.salt;
        let texts = with_facts(&Source::from(self), |facts: &Facts<'_>| facts.texts());
        Some(record(texts, &salt, &[]).0)
    }
}

impl ConsentRow {
    /// Binds a consent that was stored without an entry and is not erased.
    pub(super) fn bind(&self) -> Commitment {
        Commitment::of(&Source::from(self))
    }
}

impl Commitment {
    fn of(source: &Source<'_>) -> Self {
        let mut salt = [0; 32];
        random::fill_often(&mut salt);
        let hash = with_facts(source, |facts| bound::commitment(&facts.digests(&salt)));
        Self { salt, hash }
    }

    /// The entry.
    pub(super) fn entry(&self) -> Vec<u8> {
        bound::consent_entry(&self.hash)
    }
}

/// The bound facts of a consent that comes, or of one that is stored.
struct Source<'a> {
    consent_id: Uuid,
    project_id: Uuid,
    collection: &'a str,
    identifier: Uuid,
    accept: bool,
    outcome: &'a str,
    publication: Option<&'a str>,
    received_at: Timestamp,
    decided_at: Timestamp,
    imported: bool,
    preferences: &'a str,
    value: Option<&'a str>,
    token: &'a str,
    token_signed: bool,
    page_host: Option<&'a str>,
    ip: Option<&'a str>,
    country: Option<&'a str>,
    user_agent: Option<&'a str>,
}

/// Reads the facts of a row. Both kinds of rows have them under the same names.
macro_rules! source {
    ($row:expr, $collection:expr, $outcome:expr) => {
        Source {
            consent_id: $row.consent_id,
            project_id: $row.project_id,
            collection: $collection,
            identifier: $row.identifier,
            accept: $row.accept,
            outcome: $outcome,
            publication: $row.publication.as_deref(),
            received_at: $row.received_at,
            decided_at: $row.decided_at,
            imported: $row.imported,
            preferences: &$row.preferences,
            value: $row.value.as_deref(),
            token: &$row.token,
            token_signed: $row.token_signed,
            page_host: $row.page_host.as_deref(),
            ip: $row.ip.as_deref(),
            country: $row.country.as_deref(),
            user_agent: $row.user_agent.as_deref(),
        }
    };
}

impl<'a> From<&'a Row> for Source<'a> {
    fn from(row: &'a Row) -> Self {
        source!(row, row.collection.as_str(), row.outcome.as_str())
    }
}

impl<'a> From<&'a ConsentRow> for Source<'a> {
    fn from(row: &'a ConsentRow) -> Self {
        source!(row, &row.collection, &row.outcome)
    }
}

/// The texts of the groups of a consent, as they were when it was stored. Those of an erased one say less.
pub(super) fn texts(row: &ConsentRow) -> [String; 4] {
    with_facts(&row.into(), |facts: &Facts<'_>| facts.texts())
}

/// The record of a consent with these texts, and its commitment.
pub(super) fn record(texts: [String; 4], salt: &Hash, withhold: &[Group]) -> (Record, Hash) {
    let [core, choice, person, circumstances] = texts;
    let digest = |group: Group, text: &str| bound::digest(&group.salt(salt), text);
    let digests = [
        digest(Group::Core, &core),
        digest(Group::Choice, &choice),
        digest(Group::Person, &person),
        digest(Group::Circumstances, &circumstances),
    ];
    let show = |group: Group, text: String| {
        if withhold.contains(&group) {
            Shown::withheld(&digest(group, &text))
        } else {
            Shown::open(&group.salt(salt), text)
        }
    };
    let record = Record {
        core: show(Group::Core, core),
        choice: show(Group::Choice, choice),
        person: show(Group::Person, person),
        circumstances: show(Group::Circumstances, circumstances),
    };
    (record, bound::commitment(&digests))
}

/// The facts of a row. Rows from visitors, files and the database come through here, so that the same consent
/// always has the same texts.
fn with_facts<T>(row: &Source<'_>, then: impl FnOnce(&Facts<'_>) -> T) -> T {
    let mut ids = [Uuid::encode_buffer(); 3];
    let [consent, project, identifier] = &mut ids;
    let consent = row.consent_id.hyphenated().encode_lower(consent);
    let project = row.project_id.hyphenated().encode_lower(project);
    let identifier = row.identifier.hyphenated().encode_lower(identifier);
    let received = moment(row.received_at);
    let is_at_once = row.decided_at == row.received_at;
    let decided = (!is_at_once).then(|| moment(row.decided_at));
    then(&Facts {
        core: Core {
            consent_id: consent,
            project_id: project,
            collection: row.collection,
            identifier,
            accept: row.accept,
            outcome: row.outcome,
            publication: row.publication,
            received_at: &received,
            decided_at: decided.as_deref().unwrap_or(&received),
            imported: row.imported,
        },
        choice: Choice {
            preferences: row.preferences,
            value: row.value,
        },
        person: Person {
            token: row.token,
            token_kind: TokenKind::of(row.token, row.token_signed).as_str(),
        },
        circumstances: Circumstances {
            page_host: row.page_host,
            ip: row.ip,
            country: row.country,
            user_agent: row.user_agent,
        },
    })
}

/// A time with six decimals: files may bring microseconds.
pub(super) fn moment(at: Timestamp) -> String {
    // Room at once for `2026-11-28T09:30:00.000000Z`: each stored consent comes through here.
    let mut text = String::with_capacity(27);
    // Into memory: cannot fail.
    let _ = write!(text, "{at}");
    text.pop(); // the `Z`
    let _ = write!(text, "{:03}Z", at.0.rem_euclid(1_000));
    text
}

/// The rest of an erased consent's salt: it opens `core`, and binds the other groups without opening them.
pub(super) struct Remains {
    pub core_salt: Hash,
    /// Of choice, person and circumstances.
    pub digests: [Hash; 3],
}

impl Remains {
    /// Of a consent that is not erased yet.
    pub(super) fn of(row: &ConsentRow, salt: &Hash) -> Self {
        let digests = with_facts(&row.into(), |facts| facts.digests(salt));
        let [_, choice, person, circumstances] = digests;
        Self {
            core_salt: Group::Core.salt(salt),
            digests: [choice, person, circumstances],
        }
    }

    /// As the column has them.
    pub(super) fn parse(column: &[u8]) -> Option<Self> {
        let (hashes, rest) = column.as_chunks::<32>();
        let [core_salt, choice, person, circumstances] = hashes else {
            return None;
        };
        rest.is_empty().then_some(Self {
            core_salt: *core_salt,
            digests: [*choice, *person, *circumstances],
        })
    }

    pub(super) fn to_column(&self) -> Vec<u8> {
        let [choice, person, circumstances] = &self.digests;
        [&self.core_salt, choice, person, circumstances]
            .map(Hash::as_slice)
            .concat()
    }

    /// The commitment of the consent.
    pub(super) fn commitment(&self, core: &str) -> Hash {
        let [choice, person, circumstances] = self.digests;
        let core = bound::digest(&self.core_salt, core);
        bound::commitment(&[core, choice, person, circumstances])
    }
}

/// The entry of an erasure.
pub(super) fn erasure_entry(row: &ConsentRow, remains: &Remains, at: Timestamp) -> Vec<u8> {
    let [core, ..] = texts(row);
    let commitment = remains.commitment(&core);
    bound::erasure_entry(&remains.core_salt, &commitment, at.0.unsigned_abs())
}
