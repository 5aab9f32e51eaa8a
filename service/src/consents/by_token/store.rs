//! SQL of the consents of a token.
//!
//! The index has them by document, and those of a document by the time of decision. A token has answered few documents,
//! though perhaps each a million times. So the newest consents are those that are newest among the newest ones of each
//! document: a step in the index for each document, and then as many for each consent that is wanted.

use std::cmp::Reverse;

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    consents::{
        row::{ConsentRow, READ},
        store::place,
    },
    db::{
        Db, DbError, MOST_IDS, Query,
        page::{Listed, Page, Slice},
    },
    error::Error,
};

type Result<T> = std::result::Result<T, DbError>;

/// Documents whose consents one statement reads. SQLite puts at most 500 selections together.
const TOGETHER: usize = 50;
/// Consents up to which a numbered page is found by the newest of each document. Further pages look at all consents.
const NEAR: i64 = 1_000;

/// The documents that a token has answered.
const ANSWERED: &str = "WITH RECURSIVE answered (id) AS (SELECT (SELECT c.identifier FROM consents c \
     WHERE c.project_id = $1 AND c.token = $2 ORDER BY c.identifier LIMIT 1) \
     UNION ALL SELECT (SELECT c.identifier FROM consents c \
     WHERE c.project_id = $1 AND c.token = $2 AND c.identifier > a.id ORDER BY c.identifier LIMIT 1) \
     FROM answered a WHERE a.id IS NOT NULL)";

/// The consents of a token to a document, which follows.
const OF_DOCUMENT: &str =
    " FROM consents c WHERE c.project_id = $1 AND c.token = $2 AND c.identifier = ";

/// A consent of a token.
#[derive(sqlx::FromRow)]
pub(in crate::consents) struct TokenEntry {
    pub consent_id: Uuid,
    /// The batch of its entry in the ledger.
    pub batch: Option<i64>,
    pub decided_at: Timestamp,
    seq: Uuid,
}

/// Continues with the condition that a consent was decided before a position, and with the order of newest first.
fn cut(query: &mut Query<'_>, before: Option<(Timestamp, Uuid)>, limit: i64) {
    if let Some((decided_at, seq)) = before {
        query
            .push(" AND (c.decided_at, c.seq) < (")
            .value(decided_at);
        query.push(", ").value(seq).push(")");
    }
    query.push(" ORDER BY c.decided_at DESC, c.seq DESC LIMIT ");
    query.value(limit);
}

/// The documents among whose consents the newest ones before a position are, each with the position of its newest one,
/// in this order.
async fn documents(
    db: &Db,
    project: Uuid,
    token: &str,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<(Uuid, Timestamp, Uuid)>> {
    let mut query = db.query(ANSWERED).bind(project).bind(token);
    query.push(" SELECT id, decided_at, seq FROM (SELECT a.id");
    for (column, name) in [
        (", (SELECT c.decided_at", ") AS decided_at"),
        (", (SELECT c.seq", ") AS seq"),
    ] {
        query.push(column).push(OF_DOCUMENT).push("a.id");
        cut(&mut query, before, 1);
        query.push(name);
    }
    query
        .push(
            " FROM answered a WHERE a.id IS NOT NULL) AS newest WHERE decided_at IS NOT NULL \
             ORDER BY decided_at DESC, seq DESC LIMIT ",
        )
        .value(limit);
    query.all().await
}

/// The newest consents of a token, or those before a position, newest first.
pub(in crate::consents) async fn newest(
    db: &Db,
    project: Uuid,
    token: &str,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<TokenEntry>> {
    let documents = documents(db, project, token, before, limit).await?;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found: Vec<TokenEntry> = Vec::new();
    for some in documents.chunks(TOGETHER) {
        // Those of further documents are all older.
        let newest = some.first().map(|(_, decided_at, seq)| (*decided_at, *seq));
        let oldest = found.last().map(|entry| (entry.decided_at, entry.seq));
        if found.len() >= most && oldest > newest {
            break;
        }
        let ids: Vec<Uuid> = some.iter().map(|(id, ..)| *id).collect();
        found.extend(of_each(db, project, token, &ids, (before, limit)).await?);
        found.sort_unstable_by_key(|entry| Reverse((entry.decided_at, entry.seq)));
        found.truncate(most);
    }
    Ok(found)
}

/// So many of the newest consents of a token to each of these documents, those before a position if there is one.
async fn of_each(
    db: &Db,
    project: Uuid,
    token: &str,
    documents: &[Uuid],
    (before, limit): (Option<(Timestamp, Uuid)>, i64),
) -> Result<Vec<TokenEntry>> {
    let mut found: Vec<TokenEntry> = Vec::new();
    for some in documents.chunks(TOGETHER) {
        let mut query = db.query("").bind(project).bind(token);
        for (index, document) in some.iter().enumerate() {
            query.push(if index == 0 { "" } else { " UNION ALL " });
            query.push("SELECT * FROM (SELECT c.consent_id, c.batch, c.decided_at, c.seq");
            query.push(OF_DOCUMENT).value(*document);
            cut(&mut query, before, limit);
            query.push(") AS of_document");
        }
        found.extend(query.all::<TokenEntry>().await?);
    }
    Ok(found)
}

/// The latest consent of a token to each document that it has answered.
pub(crate) async fn latest(db: &Db, project: Uuid, token: &str) -> Result<Vec<ConsentRow>> {
    let documents = documents(db, project, token, None, i64::MAX).await?;
    let documents: Vec<Uuid> = documents.into_iter().map(|(id, ..)| id).collect();
    let entries = of_each(db, project, token, &documents, (None, 1)).await?;
    rows(db, project, token, &entries).await
}

/// These consents, newest first, without those that have been erased meanwhile.
async fn rows(
    db: &Db,
    project: Uuid,
    token: &str,
    entries: &[TokenEntry],
) -> Result<Vec<ConsentRow>> {
    let mut rows: Vec<ConsentRow> = Vec::new();
    for some in entries.chunks(MOST_IDS) {
        let sql =
            format!("SELECT {READ} FROM consents c WHERE c.project_id = $1 AND c.consent_id IN (");
        let mut query = db.query(AssertSqlSafe(sql)).bind(project);
        let ids = some.iter().map(|entry| entry.consent_id);
        query.values(ids).push(")");
        rows.extend(query.all::<ConsentRow>().await?);
    }
    // Not in the statement: the database might begin with all consents of the token.
    rows.retain(|row| row.token == token);
    rows.sort_unstable_by_key(|row| Reverse(row.place()));
    Ok(rows)
}

/// A page of the consents of a token, newest first.
pub(crate) async fn page(
    db: &Db,
    project: Uuid,
    token: &str,
    page: Page,
) -> Result<Listed<ConsentRow>> {
    const ALL: &str = "FROM consents c WHERE c.project_id = $1 AND c.token = $2";
    let all = |sql: String| db.query(AssertSqlSafe(sql)).bind(project).bind(token);
    let total = all(format!("SELECT COUNT(*) {ALL}")).count().await?;
    let (offset, limit) = (page.offset(), page.limit());
    let items = if offset + limit <= NEAR {
        let entries = newest(db, project, token, None, offset + limit).await?;
        let of_page = entries.get(usize::try_from(offset).unwrap_or(usize::MAX)..);
        rows(db, project, token, of_page.unwrap_or_default()).await?
    } else {
        // The sign keeps the databases from walking through the consents of the project in their order.
        let order = "+c.decided_at DESC, c.seq DESC";
        all(ALL.to_owned()).part(READ, order, limit, offset).await?
    };
    Ok(Listed { items, total, page })
}

/// The newest consents of a token, or those before a position, newest first.
pub(in crate::consents) async fn older(
    db: &Db,
    project: Uuid,
    token: &str,
    than: Option<(Timestamp, Uuid)>,
    size: u32,
) -> Result<Slice<ConsentRow>> {
    let limit = Slice::<ConsentRow>::limit(size);
    let entries = newest(db, project, token, than, limit).await?;
    let Slice { items, more, .. } = Slice::new(entries, size);
    Ok(Slice {
        items: rows(db, project, token, &items).await?,
        size,
        more,
    })
}

/// The consents of a token behind one of them, newest first.
pub(crate) async fn after(
    db: &Db,
    project: Uuid,
    token: &str,
    after: Uuid,
    size: u32,
) -> std::result::Result<Slice<ConsentRow>, Error> {
    let place = place(db, project, after).await?;
    Ok(older(db, project, token, Some(place), size).await?)
}
