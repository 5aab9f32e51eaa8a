//! SQL of the lists.

use super::{ListFacts, ProviderList};
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// Key of `meta` under which the number of orders to ask again stands.
const ORDERS: &str = "tcf_orders";

const COLUMNS: &str = "version, policy, updated_at, fetched_at, source, sha256";

#[derive(sqlx::FromRow)]
struct Row {
    version: i64,
    policy: i64,
    updated_at: i64,
    fetched_at: i64,
    source: String,
    sha256: String,
}

impl From<Row> for ListFacts {
    fn from(row: Row) -> Self {
        Self {
            // Written from numbers of these types.
            version: row.version.try_into().unwrap_or_default(),
            policy: row.policy.try_into().unwrap_or_default(),
            updated_at: Timestamp(row.updated_at),
            fetched_at: Timestamp(row.fetched_at),
            source: row.source,
            sha256: row.sha256,
        }
    }
}

/// The statement that finds the list in use.
fn latest() -> sqlx::AssertSqlSafe<String> {
    sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM gvl ORDER BY fetched_at DESC, version DESC LIMIT 1"
    ))
}

/// The list in use.
pub(super) async fn current(db: &Db) -> Result<Option<ListFacts>> {
    let row: Option<Row> = db.query(latest()).optional().await?;
    Ok(row.map(Into::into))
}

/// The list in use, as a transaction sees it.
pub(super) async fn current_in(tx: &mut Tx) -> Result<Option<ListFacts>> {
    let row: Option<Row> = tx.query(latest()).optional().await?;
    Ok(row.map(Into::into))
}

/// Lets one transaction at a time change the lists: the others wait here until it has ended.
pub(super) async fn wait_for_others(tx: &mut Tx) -> Result<()> {
    // Writing the row, which keeps its value, takes its lock.
    tx.query(
        "INSERT INTO meta (key, value) VALUES ($1, '0') \
         ON CONFLICT (key) DO UPDATE SET value = meta.value",
    )
    .bind(ORDERS)
    .exec()
    .await?;
    Ok(())
}

/// The list of a version.
pub(super) async fn of_version(tx: &mut Tx, version: u16) -> Result<Option<ListFacts>> {
    let sql = format!("SELECT {COLUMNS} FROM gvl WHERE version = $1");
    let query = tx.query(sqlx::AssertSqlSafe(sql)).bind(i64::from(version));
    let row: Option<Row> = query.optional().await?;
    Ok(row.map(Into::into))
}

/// Number of orders to ask visitors again.
pub(super) async fn orders(db: &Db) -> Result<u32> {
    let text: Option<String> = db
        .query("SELECT value FROM meta WHERE key = $1")
        .bind(ORDERS)
        .optional_value()
        .await?;
    Ok(count(text.as_deref()))
}

/// Counts one more order. Returns their number.
pub(super) async fn add_order(db: &Db) -> Result<u32> {
    let text: String = db
        .query(
            "INSERT INTO meta (key, value) VALUES ($1, '1') ON CONFLICT (key) DO UPDATE \
             SET value = CAST(CAST(meta.value AS INTEGER) + 1 AS TEXT) RETURNING value",
        )
        .bind(ORDERS)
        .writes()
        .one_value()
        .await?;
    Ok(count(Some(&text)))
}

fn count(text: Option<&str>) -> u32 {
    // Written as a number.
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Puts a list into use.
pub(super) async fn put(tx: &mut Tx, list: &ListFacts) -> Result<()> {
    tx.query(
        "INSERT INTO gvl (version, policy, updated_at, fetched_at, source, sha256) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (version) DO UPDATE SET policy = excluded.policy, updated_at = excluded.updated_at, \
         fetched_at = excluded.fetched_at, source = excluded.source, sha256 = excluded.sha256",
    )
    .bind(i64::from(list.version))
    .bind(i64::from(list.policy))
    .bind(list.updated_at.0)
    .bind(list.fetched_at.0)
    .bind(list.source.clone())
    .bind(list.sha256.clone())
    .exec()
    .await?;
    Ok(())
}

/// Puts a translation into use.
pub(super) async fn put_texts(
    tx: &mut Tx,
    language: &str,
    sha256: &str,
    at: Timestamp,
) -> Result<()> {
    tx.query(
        "INSERT INTO gvl_texts (language, sha256, fetched_at) VALUES ($1, $2, $3) \
         ON CONFLICT (language, sha256) DO UPDATE SET fetched_at = excluded.fetched_at",
    )
    .bind(language.to_owned())
    .bind(sha256.to_owned())
    .bind(at.0)
    .exec()
    .await?;
    Ok(())
}

/// Puts a list of providers into use.
pub(super) async fn put_providers(tx: &mut Tx, list: &ProviderList) -> Result<()> {
    tx.query(
        "INSERT INTO gvl_providers (sha256, providers, source, fetched_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (sha256) DO UPDATE SET source = excluded.source, fetched_at = excluded.fetched_at",
    )
    .bind(list.sha256.clone())
    .bind(i64::from(list.providers))
    .bind(list.source.clone())
    .bind(list.imported_at.0)
    .exec()
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct ProvidersRow {
    sha256: String,
    providers: i64,
    source: String,
    fetched_at: i64,
}

impl From<ProvidersRow> for ProviderList {
    fn from(row: ProvidersRow) -> Self {
        Self {
            // Written from a number of this type.
            providers: row.providers.try_into().unwrap_or_default(),
            imported_at: Timestamp(row.fetched_at),
            source: row.source,
            sha256: row.sha256,
        }
    }
}

const LATEST_PROVIDERS: &str = "SELECT sha256, providers, source, fetched_at FROM gvl_providers \
     ORDER BY fetched_at DESC, sha256 LIMIT 1";

/// The list of providers in use.
pub(super) async fn providers(db: &Db) -> Result<Option<ProviderList>> {
    let row: Option<ProvidersRow> = db.query(LATEST_PROVIDERS).optional().await?;
    Ok(row.map(Into::into))
}

/// The same, as a transaction sees it.
pub(super) async fn providers_in(tx: &mut Tx) -> Result<Option<ProviderList>> {
    let row: Option<ProvidersRow> = tx.query(LATEST_PROVIDERS).optional().await?;
    Ok(row.map(Into::into))
}

/// SHA-256 of the translation of a language.
pub(super) async fn texts(db: &Db, language: &str) -> Result<Option<String>> {
    db.query(
        "SELECT sha256 FROM gvl_texts WHERE language = $1 ORDER BY fetched_at DESC, sha256 LIMIT 1",
    )
    .bind(language.to_owned())
    .optional_value()
    .await
}

/// Languages of the translations.
pub(super) async fn languages(db: &Db) -> Result<Vec<String>> {
    #[derive(sqlx::FromRow)]
    struct Language {
        language: String,
    }
    let rows: Vec<Language> = db
        .query("SELECT DISTINCT language FROM gvl_texts ORDER BY language")
        .all()
        .await?;
    Ok(rows.into_iter().map(|row| row.language).collect())
}
