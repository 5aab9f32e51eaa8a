//! SQL of the client API.

use std::collections::{BTreeSet, HashMap};

use domain::{collection::Collection, consent::ConsentCollection, json};
use serde::Serialize;
use serde_json::Value;
use sqlx::{AssertSqlSafe, types::Json};
use uuid::Uuid;

use crate::{
    access::{self, Holder},
    clock::Timestamp,
    db::{Db, DbError, MOST_IDS, Query},
};

type Result<T> = std::result::Result<T, DbError>;

/// A document of the vault.
#[derive(sqlx::FromRow)]
pub(super) struct DocumentRow {
    pub id: Uuid,
    pub collection: String,
    pub project_id: Option<Uuid>,
    pub data: Json<Value>,
}

impl DocumentRow {
    fn size(&self) -> u64 {
        json::weight(&self.data.0)
    }

    /// The rows of a statement, whose weight is taken from `room`; `None` if there is none for all.
    async fn all(statement: Query<'_>, room: &mut u64) -> Result<Option<Vec<Self>>> {
        let size: fn(&Self) -> u64 = Self::size;
        let rows = statement.all_within((size, *room)).await?;
        let read = rows.iter().flatten().map(Self::size).sum();
        *room = room.saturating_sub(read);
        Ok(rows)
    }
}

/// Columns of a [`DocumentRow`] of a document `d`.
const DOCUMENT: &str = "d.id, d.collection, d.project_id, d.data";

/// An end user of a project.
#[derive(Clone, Debug, PartialEq, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenEntry {
    /// Names the end user.
    #[schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    pub token: String,
    /// Time of its first decision.
    pub created_at: Timestamp,
    /// Time of its latest decision.
    pub last_consent_at: Timestamp,
    /// Its consents.
    #[schema(example = 2)]
    pub consents: i64,
}

pub(super) async fn count_projects(db: &Db, holder: Holder) -> Result<u64> {
    let sql = format!(
        "SELECT COUNT(*) FROM documents d \
         WHERE d.collection = 'projects' AND +d.deleted_at IS NULL AND {}",
        access::visible("$1", "$2")
    );
    let total: i64 = db
        .query(AssertSqlSafe(sql))
        .bind(holder.user)
        .bind(holder.limited_by)
        .one_value()
        .await?;
    Ok(total.unsigned_abs())
}

pub(super) async fn projects(
    db: &Db,
    holder: Holder,
    limit: i64,
    offset: i64,
    room: &mut u64,
) -> Result<Option<Vec<DocumentRow>>> {
    let sql = format!(
        "SELECT {DOCUMENT} FROM documents d \
         WHERE d.collection = 'projects' AND +d.deleted_at IS NULL AND {} \
         ORDER BY d.created_at, d.id LIMIT $3 OFFSET $4",
        access::visible("$1", "$2")
    );
    let statement = db
        .query(AssertSqlSafe(sql))
        .bind(holder.user)
        .bind(holder.limited_by)
        .bind(limit)
        .bind(offset);
    DocumentRow::all(statement, room).await
}

pub(super) async fn project(db: &Db, project: Uuid) -> Result<Option<DocumentRow>> {
    db.query(AssertSqlSafe(format!(
        "SELECT {DOCUMENT} FROM documents d \
         WHERE d.id = $1 AND d.collection = 'projects' AND d.deleted_at IS NULL"
    )))
    .bind(project)
    .optional()
    .await
}

/// Documents of projects, oldest first, collection by collection. Their weight is taken from `room`; `None` if there is
/// none for all.
pub(super) async fn documents(
    db: &Db,
    projects: &[Uuid],
    collections: &[Collection],
    room: &mut u64,
) -> Result<Option<Vec<DocumentRow>>> {
    let mut found: Vec<DocumentRow> = Vec::new();
    for ids in projects.chunks(MOST_IDS) {
        for collection in collections {
            let mut statement = db
                .query(AssertSqlSafe(format!(
                    "SELECT {DOCUMENT} FROM documents d \
                     WHERE d.collection = $1 AND d.deleted_at IS NULL AND d.project_id IN ("
                )))
                .bind(collection.as_str());
            statement
                .values(ids.iter().copied())
                .push(") ORDER BY d.created_at, d.id");
            let Some(rows) = DocumentRow::all(statement, room).await? else {
                return Ok(None);
            };
            found.extend(rows);
        }
    }
    Ok(Some(found))
}

/// A file that was uploaded.
#[derive(sqlx::FromRow)]
pub(super) struct FileRow {
    pub id: Uuid,
    pub project_id: Uuid,
    pub original_name: String,
    pub size: i64,
    pub uploaded_at: Timestamp,
}

/// Uploaded files by id; unknown ones are left out.
pub(super) async fn files(db: &Db, files: &[Uuid]) -> Result<HashMap<Uuid, FileRow>> {
    let mut found = HashMap::new();
    for ids in files.chunks(MOST_IDS) {
        let mut statement = db.query(
            "SELECT id, project_id, original_name, size, uploaded_at FROM assets WHERE id IN (",
        );
        statement.values(ids.iter().copied()).push(")");
        let rows = statement.all::<FileRow>().await?;
        found.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(found)
}

/// Which of these projects are live with the demo banner.
pub(super) async fn inactive(db: &Db, projects: &[Uuid]) -> Result<BTreeSet<Uuid>> {
    // JSON in text: PostgreSQL must be told, SQLite must not.
    let content = match db {
        Db::Sqlite { .. } => "content",
        Db::Postgres(_) => "CAST(content AS JSON)",
    };
    let mut found = BTreeSet::new();
    for ids in projects.chunks(MOST_IDS) {
        let mut statement = db.query(AssertSqlSafe(format!(
            "SELECT project_id FROM live_projects WHERE CAST({content} -> 'active' AS TEXT) = 'false' \
             AND project_id IN ("
        )));
        statement.values(ids.iter().copied()).push(")");
        found.extend(statement.all_values::<Uuid>().await?);
    }
    Ok(found)
}

pub(super) async fn count_tokens(db: &Db, project: Uuid) -> Result<u64> {
    let total: i64 = db
        .query(
            "SELECT COUNT(*) FROM (SELECT token FROM consents WHERE project_id = $1 \
         AND token > '' GROUP BY token) AS tokens",
        )
        .bind(project)
        .one_value()
        .await?;
    Ok(total.unsigned_abs())
}

/// Tokens by name, all of them or those behind one.
pub(super) async fn tokens(
    db: &Db,
    project: Uuid,
    after: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<Vec<TokenEntry>> {
    db.query(
        "SELECT token, MIN(decided_at) AS created_at, MAX(decided_at) AS last_consent_at, \
         COUNT(*) AS consents FROM consents \
         WHERE project_id = $1 AND token > $2 GROUP BY token ORDER BY token LIMIT $3 OFFSET $4",
    )
    .bind(project)
    .bind(after.unwrap_or_default()) // only erased consents have an empty token
    .bind(limit)
    .bind(offset)
    .all()
    .await
}

/// That no consent of the same token to the same thing was decided later.
const LATEST: &str = "NOT EXISTS (SELECT 1 FROM consents n WHERE n.project_id = c.project_id \
     AND n.token = c.token AND n.identifier = c.identifier \
     AND (n.decided_at, n.seq) > (c.decided_at, c.seq))";

pub(super) async fn count_accepted(db: &Db, project: Uuid, identifier: Uuid) -> Result<u64> {
    let total: i64 = db
        .query(AssertSqlSafe(format!(
            "SELECT COUNT(*) FROM consents c \
         WHERE c.project_id = $1 AND c.identifier = $2 AND c.accept AND c.token > '' AND {LATEST}"
        )))
        .bind(project)
        .bind(identifier)
        .one_value()
        .await?;
    Ok(total.unsigned_abs())
}

/// Tokens that accept, by name, all of them or those behind one.
pub(super) async fn accepted(
    db: &Db,
    project: Uuid,
    identifier: Uuid,
    after: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<Vec<TokenEntry>> {
    db.query(AssertSqlSafe(format!(
        "SELECT o.token, MIN(o.decided_at) AS created_at, MAX(o.decided_at) AS last_consent_at, \
         COUNT(*) AS consents \
         FROM (SELECT c.token FROM consents c \
         WHERE c.project_id = $1 AND c.identifier = $2 AND c.accept AND c.token > $3 AND {LATEST} \
         ORDER BY c.token LIMIT $4 OFFSET $5) AS accepting \
         JOIN consents o ON o.project_id = $1 AND o.token = accepting.token \
         GROUP BY o.token ORDER BY o.token"
    )))
    .bind(project)
    .bind(identifier)
    .bind(after.unwrap_or_default()) // only erased consents have an empty token
    .bind(limit)
    .bind(offset)
    .all()
    .await
}

/// True if the project asks about this document, or once published it.
pub(super) async fn is_asked(db: &Db, project: Uuid, identifier: Uuid) -> Result<bool> {
    let mut statement = db
        .query(
            "SELECT version FROM documents WHERE id = $2 AND project_id = $1 \
             AND deleted_at IS NULL AND collection IN (",
        )
        .bind(project)
        .bind(identifier);
    statement
        .values(ConsentCollection::ALL.map(ConsentCollection::as_str))
        .push(
            ") UNION ALL SELECT published_at FROM publications \
             WHERE project_id = $1 AND configuration_id = $2 LIMIT 1",
        );
    let found: Option<i64> = statement.optional_value().await?;
    Ok(found.is_some())
}
