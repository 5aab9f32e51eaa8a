//! SQL of the audit log.

use std::collections::BTreeSet;

use domain::{audit::Action, collection::Collection};
use uuid::Uuid;

use super::{By, Entry, MOST_DETAILS, OTHERS, SLOT_SECONDS, Subject};
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Query, Tx,
        page::{Asked, Listed},
    },
    ids,
    search::lower_words,
};

type Result<T> = std::result::Result<T, DbError>;

/// Of each slot there is one entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub group: Uuid,
    /// An hour, or a number of its own for an action of which each is an entry.
    pub number: i64,
    pub user: Uuid,
    pub key: Uuid,
    pub action: Action,
    pub subject: Uuid,
}

/// Number of entries of a slot's person in its group within the hour of the slot, by whatever keys; at most `most`.
pub(super) async fn of_this_hour(tx: &mut Tx, slot: &Slot, most: i64) -> Result<i64> {
    // The index has the ids.
    let begin = slot.number.saturating_mul(SLOT_SECONDS);
    let first = ids::first_of(Timestamp(0).plus_seconds(begin));
    tx.query(
        "SELECT COUNT(*) FROM (SELECT 1 FROM audit WHERE group_id = $1 AND id >= $2 AND user_id = $3 \
         LIMIT $4) AS found",
    )
    .bind(slot.group)
    .bind(first)
    .bind(slot.user)
    .bind(most)
    .one_value()
    .await
}

/// Adds an entry, or the details to the entry of its slot.
pub(super) async fn add(
    tx: &mut Tx,
    id: Uuid,
    at: Timestamp,
    slot: &Slot,
    subject: Subject,
) -> Result<()> {
    // Somebody whom others added, to the group or to one of its documents, has shown them no address.
    let added = tx
        .query(
            "INSERT INTO audit (id, group_id, slot, at, user_id, key_id, action, collection, subject_id, title, \
             details, is_hidden) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
             (EXISTS (SELECT 1 FROM members m JOIN documents d ON d.id = m.document_id WHERE m.user_id = $5 \
             AND m.is_added AND (d.id = $2 OR d.project_id = $2 OR d.organization_id = $2)) \
             OR EXISTS (SELECT 1 FROM organization_members m WHERE m.user_id = $5 AND m.is_added \
             AND m.organization_id IN ($2, (SELECT d.organization_id FROM documents d WHERE d.id = $2)))) \
             AND NOT EXISTS (SELECT 1 FROM members m WHERE m.document_id = $2 AND m.user_id = $5 \
             AND NOT m.is_added) \
             AND NOT EXISTS (SELECT 1 FROM organization_members m WHERE m.user_id = $5 AND NOT m.is_added \
             AND m.organization_id IN ($2, (SELECT d.organization_id FROM documents d WHERE d.id = $2)))) \
             ON CONFLICT (group_id, slot, action, user_id, key_id, subject_id) DO NOTHING",
        )
        .bind(id)
        .bind(slot.group)
        .bind(slot.number)
        .bind(at)
        .bind(slot.user)
        .bind(slot.key)
        .bind(slot.action.as_str())
        .bind(subject.collection.map(Collection::as_str))
        .bind(slot.subject)
        .bind(&subject.title)
        .bind(words(&subject.details))
        .exec()
        .await?;
    if added == 1 || subject.details.is_empty() {
        return Ok(());
    }
    // An update without effect locks the row on PostgreSQL, so that two changes at once lose no detail.
    let there: String = tx
        .query(
            "UPDATE audit SET at = at WHERE group_id = $1 AND slot = $2 AND action = $3 AND user_id = $4 \
             AND key_id = $5 AND subject_id = $6 RETURNING details",
        )
        .bind(slot.group)
        .bind(slot.number)
        .bind(slot.action.as_str())
        .bind(slot.user)
        .bind(slot.key)
        .bind(slot.subject)
        .one_value()
        .await?;
    let before = read(&there);
    let mut all = before.clone();
    // Nothing that stands there gives way to what follows.
    for detail in subject.details {
        let is_full = all.len() >= MOST_DETAILS;
        all.insert(if is_full { OTHERS.to_owned() } else { detail });
    }
    if all == before {
        return Ok(());
    }
    tx.query(
        "UPDATE audit SET details = $7 WHERE group_id = $1 AND slot = $2 AND action = $3 AND user_id = $4 \
         AND key_id = $5 AND subject_id = $6",
    )
    .bind(slot.group)
    .bind(slot.number)
    .bind(slot.action.as_str())
    .bind(slot.user)
    .bind(slot.key)
    .bind(slot.subject)
    .bind(words(&all))
    .exec()
    .await?;
    Ok(())
}

/// Details as the column holds them: one a line.
fn words(details: &BTreeSet<String>) -> String {
    let lines: Vec<String> = details
        .iter()
        .map(|detail| detail.replace(['\n', '\0'], " "))
        .collect();
    lines.join("\n")
}

/// Reads the lines of [`words`].
fn read(details: &str) -> BTreeSet<String> {
    details
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// An entry as it is read.
#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub id: Uuid,
    at: Timestamp,
    user_id: Uuid,
    email: Option<String>,
    key_id: Uuid,
    key_name: Option<String>,
    action: String,
    collection: Option<String>,
    subject_id: Uuid,
    title: String,
    member: Option<String>,
    details: String,
}

impl Row {
    /// `None` for an action of a later version.
    pub(super) fn into_entry(self) -> Option<Entry> {
        let there = |id: Uuid| Some(id).filter(|id| !id.is_nil());
        Some(Entry {
            id: self.id,
            at: self.at,
            by: By {
                user_id: there(self.user_id),
                email: self.email,
                key_id: there(self.key_id),
                key_name: self.key_name,
            },
            action: Action::parse(&self.action)?,
            collection: self.collection.as_deref().and_then(Collection::parse),
            subject_id: there(self.subject_id),
            title: self.member.unwrap_or(self.title),
            details: read(&self.details).into_iter().collect(),
        })
    }
}

/// The organization of a project.
pub(super) async fn organization_of(db: &Db, project: Uuid) -> Result<Option<Uuid>> {
    db.query("SELECT organization_id FROM documents WHERE id = $1 AND organization_id IS NOT NULL")
        .bind(project)
        .optional_value()
        .await
}

/// The name of the person `s` to whom something was done: the e-mail address while the person shows it to the members
/// of the group, else the name.
macro_rules! member {
    () => {
        "CASE WHEN EXISTS (SELECT 1 FROM members m WHERE m.document_id = a.group_id AND m.user_id = s.id \
         AND NOT m.is_added) OR EXISTS (SELECT 1 FROM organization_members m WHERE m.organization_id = a.group_id \
         AND m.user_id = s.id AND NOT m.is_added) THEN s.email ELSE s.display_name END"
    };
}

/// The e-mail address of the author `u`, if the author showed it to the members of the group.
macro_rules! author {
    () => {
        "CASE WHEN a.is_hidden THEN NULL ELSE u.email END"
    };
}

const COLUMNS: &str = concat!(
    "a.id, a.at, a.user_id, ",
    author!(),
    " AS email, a.key_id, k.name AS key_name, a.action, a.collection, a.subject_id, a.title, ",
    member!(),
    " AS member, a.details"
);

const SCOPE: &str = "FROM audit a LEFT JOIN users u ON u.id = a.user_id LEFT JOIN api_keys k ON k.id = a.key_id \
     LEFT JOIN users s ON s.id = a.subject_id WHERE a.group_id IN ($1, $2)";

/// The texts of an entry in which words of a search are found.
const TEXTS: &str = concat!(
    "(COALESCE(",
    author!(),
    ", '') || ' ' || COALESCE(k.name, '') || ' ' || COALESCE(",
    member!(),
    ", a.title) || ' ' || a.details)"
);

/// Entries of two groups, of one action or all, with the words of a search.
fn scope<'a>(db: &'a Db, [one, other]: [Uuid; 2], action: Option<Action>, text: &str) -> Query<'a> {
    let mut scope = db.query(SCOPE).bind(one).bind(other);
    if let Some(action) = action {
        scope.push(" AND a.action = ").value(action.as_str());
    }
    scope.holds(&db.ascii_lower(TEXTS), lower_words(text));
    scope
}

/// A page of the entries of two groups.
pub(super) async fn list(
    db: &Db,
    groups: [Uuid; 2],
    action: Option<Action>,
    asked: &Asked,
) -> Result<Listed<Entry>> {
    let scope = scope(db, groups, action, &asked.text);
    let order = asked.order("a.id DESC", "a.id");
    let found = scope.page::<Row>(COLUMNS, order, asked.page).await?;
    Ok(Listed {
        items: found
            .items
            .into_iter()
            .filter_map(Row::into_entry)
            .collect(),
        total: found.total,
        page: found.page,
    })
}

/// The next entries of two groups before one, newest first.
pub(super) async fn older(
    db: &Db,
    groups: [Uuid; 2],
    (action, text): (Option<Action>, &str),
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Row>> {
    let mut scope = scope(db, groups, action, text);
    if let Some(before) = before {
        scope.push(" AND a.id < ").value(before);
    }
    scope.part(COLUMNS, "a.id DESC", limit, 0).await
}

/// Removes entries from before a time, those of groups that are gone, and the oldest of groups that have more than
/// `most`.
pub(super) async fn forget(db: &Db, before: Timestamp, most: i64) -> Result<()> {
    db.query("DELETE FROM audit WHERE at < $1")
        .bind(before)
        .exec()
        .await?;
    let gone: Vec<Uuid> = db
        .query(
            "SELECT DISTINCT group_id FROM audit a WHERE NOT EXISTS (SELECT 1 FROM documents d \
             WHERE d.id = a.group_id) AND NOT EXISTS (SELECT 1 FROM organizations o WHERE o.id = a.group_id)",
        )
        .all_values()
        .await?;
    for group in gone {
        db.query("DELETE FROM audit WHERE group_id = $1")
            .bind(group)
            .exec()
            .await?;
    }
    let full: Vec<Uuid> = db
        .query("SELECT group_id FROM audit GROUP BY group_id HAVING COUNT(*) > $1")
        .bind(most)
        .all_values()
        .await?;
    for group in full {
        db.query(
            "DELETE FROM audit WHERE group_id = $1 AND id <= (SELECT id FROM audit WHERE group_id = $1 \
             ORDER BY id DESC LIMIT 1 OFFSET $2)",
        )
        .bind(group)
        .bind(most)
        .exec()
        .await?;
    }
    Ok(())
}
