//! SQL of assets.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::picture::FileType;
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Locked, MOST_IDS, Tx,
        page::{Listed, Page},
    },
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct Row {
    pub id: Uuid,
    pub project_id: Uuid,
    pub original_name: String,
    pub mime_type: String,
    pub size: i64,
    pub width: Option<i64>,
    pub height: Option<i64>,
    pub object: String,
    pub uploaded_by: Uuid,
    pub uploaded_at: Timestamp,
}

impl Row {
    /// True if it is a PDF, and no picture.
    pub(crate) fn is_pdf(&self) -> bool {
        FileType::of_mime(&self.mime_type) == Some(FileType::Pdf)
    }
}

const COLUMNS: &str = "id, project_id, original_name, mime_type, size, width, height, \
     object, uploaded_by, uploaded_at";

/// Number and bytes of a project's files.
#[derive(sqlx::FromRow)]
pub(super) struct Held {
    pub assets: i64,
    pub bytes: i64,
}

/// Adds an asset unless the project would then hold more than `most`. The project is
/// locked, so that two uploads cannot both take the last place.
pub(super) async fn add(tx: &mut Tx, row: &Row, most: &Held) -> Result<bool> {
    tx.lock(Locked::Document(row.project_id)).await?;
    let held: Held = tx
        .query(
            "SELECT COUNT(*) AS assets, CAST(COALESCE(SUM(size), 0) AS BIGINT) AS bytes \
         FROM assets WHERE project_id = $1",
        )
        .bind(row.project_id)
        .one()
        .await?;
    if held.assets >= most.assets || held.bytes + row.size > most.bytes {
        return Ok(false);
    }
    tx.query(
        "INSERT INTO assets (id, project_id, original_name, mime_type, size, width, height, \
         object, uploaded_by, uploaded_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(row.id)
    .bind(row.project_id)
    .bind(&row.original_name)
    .bind(&row.mime_type)
    .bind(row.size)
    .bind(row.width)
    .bind(row.height)
    .bind(&row.object)
    .bind(row.uploaded_by)
    .bind(row.uploaded_at)
    .exec()
    .await?;
    Ok(true)
}

pub(crate) async fn lookup(db: &Db, id: Uuid) -> Result<Option<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM assets WHERE id = $1");
    db.query(AssertSqlSafe(sql)).bind(id).optional().await
}

/// Assets by id; unknown ids are left out.
pub(crate) async fn by_ids(db: &Db, ids: &[Uuid]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ids in ids.chunks(MOST_IDS) {
        let sql = format!("SELECT {COLUMNS} FROM assets WHERE id IN (");
        let mut query = db.query(AssertSqlSafe(sql));
        query.values(ids.iter().copied()).push(")");
        rows.extend(query.all::<Row>().await?);
    }
    Ok(rows)
}

pub(super) async fn list(db: &Db, project: Uuid, page: Page) -> Result<Listed<Row>> {
    db.query("FROM assets WHERE project_id = $1")
        .bind(project)
        .page(COLUMNS, "id DESC", page)
        .await
}

/// Records a render; false if it is recorded already.
pub(super) async fn add_render(tx: &mut Tx, asset: Uuid, object: &str, bytes: i64) -> Result<bool> {
    let added = tx
        .query(
            "INSERT INTO asset_renders (asset_id, object, bytes) VALUES ($1, $2, $3) \
             ON CONFLICT (asset_id, object) DO NOTHING",
        )
        .bind(asset)
        .bind(object)
        .bind(bytes)
        .exec()
        .await?;
    Ok(added > 0)
}

/// Bytes of an asset and its renders; none when it is gone. It is locked, so that two callers who delete it do not both
/// count its bytes.
pub(super) async fn bytes(tx: &mut Tx, id: Uuid) -> Result<Option<i64>> {
    if !tx.lock(Locked::Asset(id)).await? {
        return Ok(None);
    }
    let bytes = tx
        .query(
            "SELECT CAST(COALESCE((SELECT size FROM assets WHERE id = $1), 0) \
         + COALESCE((SELECT SUM(bytes) FROM asset_renders WHERE asset_id = $1), 0) AS BIGINT)",
        )
        .bind(id)
        .one_value()
        .await?;
    Ok(Some(bytes))
}

/// Removes an asset and returns the keys of its objects.
pub(super) async fn remove(tx: &mut Tx, id: Uuid) -> Result<Vec<String>> {
    let objects: Vec<String> = tx
        .query(
            "SELECT object FROM asset_renders WHERE asset_id = $1 \
         UNION SELECT object FROM assets WHERE id = $1",
        )
        .bind(id)
        .all_values()
        .await?;
    for sql in [
        "DELETE FROM asset_renders WHERE asset_id = $1",
        "DELETE FROM assets WHERE id = $1",
    ] {
        tx.query(sql).bind(id).exec().await?;
    }
    Ok(objects)
}

/// Assets of deleted projects.
pub(super) async fn orphans(db: &Db) -> Result<Vec<Uuid>> {
    db.query(
        "SELECT a.id FROM assets a WHERE NOT EXISTS (SELECT 1 FROM documents d \
         WHERE d.id = a.project_id)",
    )
    .all_values()
    .await
}
