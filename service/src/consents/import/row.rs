//! From a row of a file to a consent that can be stored, or everything that is wrong with it.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use domain::{
    choices::Outcome,
    consent::{CONSENT_BYTES, ConsentCollection, ConsentIn, MOST_CHARS, Preferences},
    documents::IpMode,
    error_code::ErrorCode,
    field_error::FieldError,
    format,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    super::{
        collect, privacy,
        projects::Project,
        row::{self, Row},
    },
    columns::Columns,
    record::Record,
};
use crate::{clock::Timestamp, error::Result, ids, secret::mac};

/// A consent that can be stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Row of the file.
    pub row: u64,
    pub consent_id: Uuid,
    /// True if it may be stored under another id already: the file names a time, and no id.
    pub seek_twin: bool,
    /// The id that releases before gave to a row without one. Rows that an older version read have none.
    #[serde(default)]
    pub older_id: Option<Uuid>,
    pub collection: ConsentCollection,
    pub identifier: Uuid,
    /// Empty in a tombstone.
    pub token: String,
    /// Absent from rows that an older version read and this one moves.
    #[serde(default)]
    pub token_signed: bool,
    pub accept: bool,
    pub outcome: Outcome,
    pub preferences: String,
    pub value: Option<String>,
    pub publication: Option<String>,
    /// Microseconds; as text it would lose them.
    pub decided_at: i64,
    pub page_host: Option<String>,
    pub ip: Option<String>,
    pub country: Option<String>,
    pub user_agent: Option<String>,
    pub erased_at: Option<i64>,
    /// The account that has paid for keeping it aside, and the day (UTC) on which it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<(Uuid, i64)>,
}

/// Bytes that a consent takes beside its texts: its row, its entry in the ledger and both indexes.
const OF_A_CONSENT: usize = 500;

impl Entry {
    /// Bytes that an account pays for it.
    pub(super) fn bytes(&self) -> usize {
        let texts = [
            &self.value,
            &self.publication,
            &self.page_host,
            &self.ip,
            &self.country,
            &self.user_agent,
        ];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        OF_A_CONSENT + self.preferences.len() + self.token.len() + texts
    }

    /// Its place among consents that were decided in the same moment: behind those that came
    /// before in the file, before every one that was collected (whose ids carry the time of
    /// receipt, which is not earlier), so that an import undoes nothing.
    pub(super) fn seq(&self) -> Uuid {
        // The salt tells rows of two imports apart.
        let salt = self.consent_id.as_u128() as u64 & 0x3f_ffff;
        let low = ((self.row & 0xff_ffff_ffff) << 22) | salt;
        let mut bytes = [0; 10];
        for (to, from) in bytes.iter_mut().skip(2).zip(low.to_be_bytes()) {
            *to = from;
        }
        ids::at(Timestamp(self.decided_at).plus_millis(-1), &bytes)
    }

    pub(super) fn into_row(self, project_id: Uuid, received_at: Timestamp) -> Row {
        let (seq, body_hash) = (self.seq(), self.body_hash());
        let language = row::language(&row::preferences(&self.preferences));
        Row {
            project_id,
            seq,
            consent_id: self.consent_id,
            collection: self.collection,
            identifier: self.identifier,
            token: self.token,
            token_signed: self.token_signed,
            accept: self.accept,
            outcome: self.outcome,
            preferences: self.preferences,
            value: self.value,
            publication: self.publication,
            received_at,
            decided_at: Timestamp(self.decided_at),
            page_host: self.page_host,
            ip: self.ip,
            country: self.country,
            language,
            user_agent: self.user_agent,
            body_hash,
            imported: true,
            erased_at: self.erased_at.map(Timestamp),
            hooked: false,
            commitment: None,
            promised_from: None,
        }
    }

    /// As [`collect::body_hash`]; nothing of it in a tombstone.
    fn body_hash(&self) -> [u8; 32] {
        if self.erased_at.is_some() {
            return [0; 32];
        }
        collect::body_hash(&collect::Hashed {
            identifier: self.identifier,
            accept: self.accept,
            collection: self.collection,
            token: &self.token,
            preferences: &self.preferences,
            value: self.value.as_deref(),
            publication: self.publication.as_deref(),
        })
    }
}

/// The facts that rows are checked against.
pub(super) struct Known {
    pub project_id: Uuid,
    /// Documents that the project asks about, or once published.
    pub asked: HashMap<Uuid, ConsentCollection>,
    /// The live content of the project.
    pub live: Option<Arc<Project>>,
    /// Key of ids that are made of facts.
    pub id_key: [u8; 32],
    pub now: Timestamp,
}

/// The result of checking a row.
pub(super) enum Checked {
    Good(Box<Entry>),
    /// A sentence for each wrong field.
    Bad(String),
    /// A row of a spreadsheet without anything in it.
    Blank,
}

/// Checks a row of CSV.
pub(super) fn cells(
    known: &Known,
    columns: &Columns,
    row: u64,
    cells: Vec<Vec<u8>>,
) -> Result<Checked> {
    if cells.iter().all(Vec::is_empty) {
        return Ok(Checked::Blank);
    }
    match columns.record(cells) {
        Ok((record, wrong)) => check(known, row, record, "date", wrong),
        Err(wrong) => Ok(Checked::Bad(wrong)),
    }
}

/// Checks a line of NDJSON.
pub(super) fn line(known: &Known, row: u64, line: &[u8]) -> Result<Checked> {
    match Record::of_line(line) {
        Ok(record) => check(known, row, record, "createdAt", Vec::new()),
        Err(wrong) => Ok(Checked::Bad(wrong)),
    }
}

fn check(
    known: &Known,
    row: u64,
    record: Record,
    date: &str,
    mut wrong: Vec<String>,
) -> Result<Checked> {
    let erased_at = record.erased_at.as_deref().map(Timestamp::parse);
    if erased_at == Some(None) {
        wrong.push("erasedAt: Must be a time such as 2026-11-21T09:30:00Z.".to_owned());
    }
    let erased_at = erased_at.flatten();
    let asked = asked(known, &record, &mut wrong);
    if record.accept.is_none() && !wrong.iter().any(|cause| cause.starts_with("accept")) {
        wrong.push("accept: Required.".to_owned());
    }
    let named = record
        .created_at
        .as_deref()
        .or(record.decided_at.as_deref());
    let decided_at = decided_at(known.now, named, date, &mut wrong);
    let consent_id = record.consent_id.as_deref().map(|text| {
        let id = Uuid::try_parse(text).ok().filter(|_| text.len() == 36);
        if id.is_none() {
            wrong.push("consentId: Must be a UUID.".to_owned());
        }
        id.unwrap_or_default()
    });
    let body = ConsentIn {
        accept: record.accept.unwrap_or_default(),
        token: record.token.unwrap_or_default(),
        preferences: record.preferences.unwrap_or_default(),
        value: record.value,
        publication: record.publication,
        age: None,
        consent_id: None,
        receipt: false,
    };
    // Of a tombstone nothing is left that it follows from.
    let told = record.outcome.as_deref().filter(|_| erased_at.is_some());
    let outcome = told.map_or_else(
        || Some(collect::outcome_of(&body.preferences, body.accept)),
        Outcome::parse,
    );
    if outcome.is_none() {
        wrong.push("outcome: One of: accepted, refused, partial.".to_owned());
    }
    let mut errors = Vec::new();
    if erased_at.is_none() {
        collect::texts(&body, &mut errors);
    } else if !body.token.is_empty() {
        wrong.push("token: Must be empty in a row with erasedAt.".to_owned());
    }
    names(&body.preferences, &mut errors);
    collect::action(&body, &mut errors);
    wrong.extend(errors.into_iter().map(|error| {
        let field = error.pointer.trim_start_matches('/').replace('/', ".");
        format!("{field}: {}", error.detail)
    }));
    let preferences = collect::canonical(&body.preferences)?;
    if preferences.len() > CONSENT_BYTES {
        wrong.push(format!("preferences: At most {} KB.", CONSENT_BYTES / 1024));
    }
    let ip = ip(known, record.ip.as_deref(), &mut wrong);
    let page_host = kept(record.page_host, "pageHost", MOST_CHARS, &mut wrong);
    let country = country(record.country.as_deref(), &mut wrong);
    let (Some((collection, identifier)), Some(outcome), true) = (asked, outcome, wrong.is_empty())
    else {
        return Ok(Checked::Bad(wrong.join(" ")));
    };
    let (id, older_id) = if let Some(id) = consent_id {
        (id, None)
    } else {
        let at = named.and(Some(decided_at));
        let [id, older] = derived_ids(known, (collection, identifier), &body, &preferences, at);
        (id, Some(older))
    };
    let entry = Entry {
        row,
        consent_id: id,
        seek_twin: consent_id.is_none() && named.is_some(),
        older_id,
        collection,
        identifier,
        accept: body.accept,
        outcome,
        preferences,
        value: body.value,
        publication: body.publication,
        token_signed: (known.live.as_ref()).is_some_and(|live| live.tokens.signed(&body.token)),
        token: body.token,
        decided_at: decided_at.0,
        page_host,
        ip,
        country,
        user_agent: record.user_agent.as_deref().and_then(privacy::user_agent),
        erased_at: None,
        paid: None,
    };
    Ok(Checked::Good(Box::new(match erased_at {
        None => entry,
        Some(at) => tombstone(entry, at),
    })))
}

/// The tombstone of a consent whose person was forgotten.
fn tombstone(entry: Entry, at: Timestamp) -> Entry {
    Entry {
        seek_twin: false,
        token: String::new(),
        token_signed: false,
        preferences: "{}".to_owned(),
        value: None,
        page_host: None,
        ip: None,
        country: None,
        user_agent: None,
        erased_at: Some(at.0),
        ..entry
    }
}

/// The document of this project that the row answers.
fn asked(
    known: &Known,
    record: &Record,
    wrong: &mut Vec<String>,
) -> Option<(ConsentCollection, Uuid)> {
    let collection = record.collection.as_deref().map(ConsentCollection::parse);
    let identifier = record
        .identifier
        .as_deref()
        .map(|text| Uuid::try_parse(text).ok().filter(|_| text.len() == 36));
    match collection {
        None => wrong.push("collection: Required.".to_owned()),
        Some(None) => {
            let choices = ConsentCollection::choices();
            wrong.push(format!("collection: Must be {choices}."));
        }
        Some(Some(_)) => {}
    }
    match identifier {
        None => wrong.push("identifier: Required.".to_owned()),
        Some(None) => wrong.push("identifier: Must be an id.".to_owned()),
        Some(Some(_)) => {}
    }
    let (collection, identifier) = (collection??, identifier??);
    if known.asked.get(&identifier) == Some(&collection) {
        return Some((collection, identifier));
    }
    wrong.push(format!(
        "identifier: Nothing in {} of this project has this id.",
        collection.as_str()
    ));
    None
}

/// The time of decision, in milliseconds as in exports. The current time if the row names none.
fn decided_at(
    now: Timestamp,
    named: Option<&str>,
    field: &str,
    wrong: &mut Vec<String>,
) -> Timestamp {
    let now = Timestamp::from_millis(now.millis());
    let Some(text) = named else { return now };
    let Some(at) = Timestamp::parse(text) else {
        wrong.push(format!(
            "{field}: Must be a time such as 2026-11-21T09:30:00Z, or a date."
        ));
        return now;
    };
    let at = Timestamp::from_millis(at.millis());
    if at > now {
        wrong.push(format!("{field}: Lies in the future."));
    } else if at.0 < 0 {
        wrong.push(format!("{field}: Lies before 1970."));
    }
    at
}

/// Names of vendors: a project may have asked for others than it asks for now.
fn names(preferences: &Preferences, errors: &mut Vec<FieldError>) {
    let long = preferences
        .vendors
        .keys()
        .find(|name| name.is_empty() || name.chars().count() > MOST_CHARS || name.contains('\0'));
    if long.is_some() {
        errors.push(FieldError::new(
            "/preferences/vendors",
            ErrorCode::InvalidName,
            "Names of vendors have 1 to 255 characters.",
        ));
    }
}

/// An address as far as the project keeps addresses; hashed ones stay as they are.
fn ip(known: &Known, text: Option<&str>, wrong: &mut Vec<String>) -> Option<String> {
    let text = text.filter(|text| !text.is_empty())?;
    let (mode, key) = known
        .live
        .as_ref()
        .map_or((IpMode::default(), &[][..]), |live| {
            (live.ip_mode, live.ip_key.as_slice())
        });
    if let Ok(address) = text.parse::<IpAddr>() {
        return privacy::keep(mode, address, key);
    }
    let hashed = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !hashed {
        wrong.push("ip: Must be an address.".to_owned());
    }
    (hashed && mode != IpMode::None).then(|| text.to_owned())
}

fn kept(text: Option<String>, field: &str, most: usize, wrong: &mut Vec<String>) -> Option<String> {
    let text = text.filter(|text| !text.is_empty())?;
    if text.chars().count() > most {
        wrong.push(format!("{field}: At most {most} characters."));
    } else if text.chars().any(char::is_control) {
        wrong.push(format!("{field}: Control characters are not allowed."));
    }
    Some(text)
}

/// The country, if there is one.
fn country(text: Option<&str>, wrong: &mut Vec<String>) -> Option<String> {
    let text = text.filter(|text| !text.is_empty())?;
    let code = format::country_code(text);
    if code.is_none() {
        wrong.push("country: Must be two letters (ISO 3166-1), such as FR.".to_owned());
    }
    code
}

/// Ids that the same row gets again, so that a file may be sent twice: that of now and that of releases before. Ids outlive
/// the erasure of the row, so nobody makes those of now without the key.
fn derived_ids(
    known: &Known,
    (collection, identifier): (ConsentCollection, Uuid),
    body: &ConsentIn,
    preferences: &str,
    decided_at: Option<Timestamp>,
) -> [Uuid; 2] {
    const PURPOSE: &[u8] = b"placet imported consent\0";
    let at = decided_at.map_or(i64::MIN, |at| at.0).to_be_bytes();
    let body = collect::body_hash(&collect::Hashed {
        identifier,
        accept: body.accept,
        collection,
        token: &body.token,
        preferences,
        value: body.value.as_deref().filter(|value| !value.is_empty()),
        publication: None,
    });
    let older = Sha256::new()
        .chain_update(PURPOSE)
        .chain_update(known.project_id.as_bytes())
        .chain_update(at)
        .chain_update(body)
        .finalize();
    let now = mac(&known.id_key, &[PURPOSE, &at, &body]);
    [collect::id_from(&now), collect::id_from(&older)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTIFIER: &str = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";
    const HEADER: &str = "token;collection;identifier;accept;date;value;preferences";

    fn known() -> Known {
        let identifier = Uuid::parse_str(IDENTIFIER).unwrap();
        Known {
            project_id: Uuid::from_u128(1),
            asked: HashMap::from([(identifier, ConsentCollection::Cookies)]),
            live: None,
            id_key: [1; 32],
            now: Timestamp::parse("2026-11-21T09:30:00Z").unwrap(),
        }
    }

    fn bytes(cells: &[&str]) -> Vec<Vec<u8>> {
        cells.iter().map(|cell| cell.as_bytes().to_vec()).collect()
    }

    fn good(checked: Checked) -> Entry {
        match checked {
            Checked::Good(entry) => *entry,
            Checked::Bad(cause) => panic!("{cause}"),
            Checked::Blank => panic!("blank"),
        }
    }

    fn bad(checked: Checked) -> String {
        match checked {
            Checked::Bad(cause) => cause,
            Checked::Good(_) | Checked::Blank => panic!("not refused"),
        }
    }

    fn of_cells(row: &[&str]) -> Checked {
        cells_of(&known(), row)
    }

    fn cells_of(known: &Known, row: &[&str]) -> Checked {
        let header: Vec<&str> = HEADER.split(';').collect();
        let columns = Columns::parse(&bytes(&header)).unwrap();
        cells(known, &columns, 2, bytes(row)).unwrap()
    }

    fn of_line(json: &serde_json::Value) -> Checked {
        line(&known(), 1, json.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_row_of_csv_becomes_a_consent() {
        let entry = good(of_cells(&[
            "'=t",
            "cookies",
            IDENTIFIER,
            "1",
            "2026-11-20",
            "yes",
            "{\"vendors\":{\"b\":false,\"a\":true}}",
        ]));
        assert_eq!(entry.token, "=t");
        assert_eq!(entry.preferences, "{\"vendors\":{\"a\":true,\"b\":false}}");
        assert_eq!(entry.outcome, Outcome::Partial);
        assert!(entry.seek_twin && entry.accept);
        assert_eq!(
            Timestamp(entry.decided_at).to_string(),
            "2026-11-20T00:00:00.000Z"
        );
        let sorted = [
            "'=t",
            "cookies",
            IDENTIFIER,
            "1",
            "2026-11-20",
            "yes",
            "{\"vendors\":{\"a\":true,\"b\":false}}",
        ];
        assert_eq!(good(of_cells(&sorted)).consent_id, entry.consent_id);
        // The row alone, without the key, does not tell its id.
        let id_key = [2; 32];
        let elsewhere = cells_of(&Known { id_key, ..known() }, &sorted);
        assert_ne!(good(elsewhere).consent_id, entry.consent_id);
        let other = of_cells(&["'=t", "cookies", IDENTIFIER, "1", "2026-11-20", "no", ""]);
        assert_ne!(good(other).consent_id, entry.consent_id);
        assert!(matches!(
            of_cells(&["", "", "", "", "", "", ""]),
            Checked::Blank
        ));
    }

    #[test]
    fn every_broken_field_is_named() {
        let cause = bad(of_cells(&["", "x", "1", "maybe", "yesterday", "", "{"]));
        for field in [
            "token: ",
            "collection: ",
            "identifier: ",
            "accept: ",
            "date: ",
            "preferences: ",
        ] {
            assert_eq!(cause.matches(field).count(), 1, "{field} in {cause}");
        }
        assert!(bad(of_cells(&["t"])).contains("1 cells"));
        let unknown = of_cells(&["t", "contracts", IDENTIFIER, "1", "", "", ""]);
        assert!(bad(unknown).starts_with("identifier: "));
        let future = of_cells(&["t", "cookies", IDENTIFIER, "1", "2026-11-22", "", ""]);
        assert_eq!(bad(future), "date: Lies in the future.");
        let row = serde_json::json!({"token": 5, "accept": true});
        assert!(bad(of_line(&row)).starts_with("token: "));
        assert!(bad(of_line(&serde_json::json!([1]))).starts_with("Must be a JSON object"));
    }

    #[test]
    fn tombstones_hold_nothing_of_a_person() {
        let row = serde_json::json!({"token": "", "collection": "cookies", "identifier": IDENTIFIER,
            "accept": true, "createdAt": "2026-11-01T00:00:00Z", "erasedAt": "2026-11-02T00:00:00Z",
            "consentId": IDENTIFIER, "ip": "203.0.113.0", "userAgent": "x", "value": "v"});
        let entry = good(of_line(&row));
        assert_eq!(
            (
                entry.token.as_str(),
                entry.ip,
                entry.user_agent,
                entry.value
            ),
            ("", None, None, None)
        );
        assert!(entry.erased_at.is_some());
        let mut named = row;
        named["token"] = "t".into();
        assert!(bad(of_line(&named)).starts_with("token: "));
    }

    #[test]
    fn what_was_collected_in_the_same_moment_comes_behind_what_is_imported() {
        let entry = |row| Entry {
            row,
            ..good(of_cells(&[
                "t",
                "cookies",
                IDENTIFIER,
                "1",
                "2026-11-21T09:30:00Z",
                "",
                "",
            ]))
        };
        let collected = ids::first_of(known().now);
        assert!(entry(1).seq() < entry(2).seq());
        assert!(entry(2).seq() < entry(0xff_ffff_ffff).seq());
        assert!(entry(0xff_ffff_ffff).seq() < collected);
    }
}
