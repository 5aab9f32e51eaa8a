//! SQL of the catalogue.

use sqlx::AssertSqlSafe;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use uuid::Uuid;

use super::{
    Company, Outdated, Version,
    entry::category_id,
    file::{Catalogue, CompanyFacts, LoadFault, ServiceFacts},
    id_of,
    query::{Field, ListQuery, Order},
    sentences,
};
use crate::{
    db::{
        Db, DbError, Tx,
        page::{Listed, Page},
    },
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

/// Key of `meta` under which the version of the loaded catalogue stands.
const VERSION_KEY: &str = "catalogue";
/// Rows that one statement inserts: SQLite takes 32,766 values, PostgreSQL 65,535.
const ROWS: usize = 200;
/// Words of a search that are looked at.
const MOST_WORDS: usize = 8;

const COLUMNS: &str = "v.id, v.company_id, v.enabled, v.deprecated, v.data";

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub id: Uuid,
    pub company_id: Uuid,
    pub enabled: bool,
    pub deprecated: bool,
    #[sqlx(try_from = "String")]
    pub data: ServiceFacts,
}

#[derive(sqlx::FromRow)]
struct CompanyRow {
    id: Uuid,
    #[sqlx(try_from = "String")]
    data: CompanyFacts,
}

impl From<CompanyRow> for Company {
    fn from(row: CompanyRow) -> Self {
        Self::new(row.id, row.data)
    }
}

/// Statement text and its values, numbered as they are added.
#[derive(Default)]
struct Statement {
    sql: String,
    binds: Vec<Bind>,
}

#[derive(Clone)]
enum Bind {
    Id(Uuid),
    Text(String),
    Flag(bool),
    Number(i64),
}

impl Statement {
    fn push(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    fn bind(&mut self, value: Bind) -> &mut Self {
        self.binds.push(value);
        self.sql.push('$');
        self.sql.push_str(&self.binds.len().to_string());
        self
    }

    /// `$1, $2, $3` with a separator of its own.
    fn bind_all(&mut self, values: impl IntoIterator<Item = Bind>) -> &mut Self {
        for (index, value) in values.into_iter().enumerate() {
            self.push(if index == 0 { "" } else { ", " }).bind(value);
        }
        self
    }
}

/// Gives a query the statement's values.
macro_rules! bound {
    ($query:expr, $statement:expr) => {{
        let mut query = $query;
        for bind in &$statement.binds {
            query = match bind {
                Bind::Id(id) => query.bind(*id),
                Bind::Text(text) => query.bind(text.as_str()),
                Bind::Flag(flag) => query.bind(*flag),
                Bind::Number(number) => query.bind(*number),
            };
        }
        query
    }};
}

/// Prepares a text for comparison: without regard to case and accents.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|character| !is_combining_mark(*character))
        .flat_map(char::to_lowercase)
        .collect()
}

/// `,one,two,`.
fn framed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut list = String::from(",");
    for name in names {
        list.push_str(name);
        list.push(',');
    }
    list
}

/// A `LIKE` pattern for a text that occurs somewhere.
fn anywhere(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// The version of the catalogue that the database holds.
pub(super) async fn version(db: &Db) -> Result<Option<Version>> {
    let text: Option<String> = on!(db, pool => sqlx::query_scalar("SELECT value FROM meta WHERE key = $1")
        .bind(VERSION_KEY)
        .fetch_optional(pool)
        .await)?;
    Ok(text.as_deref().and_then(parse_version))
}

fn parse_version(text: &str) -> Option<Version> {
    let (number, hash) = text.split_once(' ')?;
    Some(Version {
        number: number.parse().ok()?,
        hash: hash.to_owned(),
    })
}

/// Replaces the previous catalogue. Returns false when the database holds the new one already.
/// Services that are no longer in the catalogue are disabled, not deleted: configurations may name
/// them.
pub(super) async fn replace(
    db: &Db,
    catalogue: &Catalogue,
    version: &Version,
    outdated: Outdated,
) -> std::result::Result<bool, LoadFault> {
    let mut tx = db.begin().await?;
    // Writing the row first makes a second process wait here until this one is done.
    let stored: String = in_tx!(&mut tx, conn => sqlx::query_scalar(
        "INSERT INTO meta (key, value) VALUES ($1, '') \
         ON CONFLICT (key) DO UPDATE SET value = meta.value RETURNING value")
        .bind(VERSION_KEY)
        .fetch_one(conn)
        .await
        .map_err(DbError::from))?;
    if let Some(stored) = parse_version(&stored) {
        if stored == *version {
            return Ok(false);
        }
        if stored.number > version.number {
            return match outdated {
                Outdated::Keep => Ok(false),
                Outdated::Refuse => Err(LoadFault::Outdated {
                    offered: version.number,
                    stored: stored.number,
                }),
            };
        }
    }
    write(&mut tx, catalogue).await?;
    in_tx!(&mut tx, conn => sqlx::query("UPDATE meta SET value = $2 WHERE key = $1")
        .bind(VERSION_KEY)
        .bind(format!("{} {}", version.number, version.hash))
        .execute(conn)
        .await
        .map(drop)
        .map_err(DbError::from))?;
    tx.commit().await?;
    Ok(true)
}

async fn write(tx: &mut Tx, catalogue: &Catalogue) -> Result<()> {
    for companies in catalogue.companies.chunks(ROWS) {
        let rows = companies
            .iter()
            .map(|company| {
                Ok([
                    Bind::Id(id_of("company", &company.name)),
                    Bind::Text(company.name.clone()),
                    Bind::Text(fold(&company.name)),
                    Bind::Text(json(company)?),
                ])
            })
            .collect::<Result<Vec<_>>>()?;
        upsert(
            tx,
            "catalogue_companies (id, name, sort_key, data)",
            rows,
            "name = excluded.name, sort_key = excluded.sort_key, data = excluded.data",
        )
        .await?;
    }
    in_tx!(tx, conn => sqlx::query("UPDATE catalogue_vendors SET enabled = $1")
        .bind(false)
        .execute(conn)
        .await
        .map(drop))?;
    for services in catalogue.services.chunks(ROWS) {
        let rows = services
            .iter()
            .map(|service| {
                let words = [&service.title, &service.name, &service.company]
                    .into_iter()
                    .chain(&service.domains)
                    .map(|text| fold(text))
                    .collect::<Vec<_>>()
                    .join("\n");
                Ok([
                    Bind::Id(id_of("vendor", &service.name)),
                    Bind::Text(service.name.clone()),
                    Bind::Text(fold(&service.title)),
                    Bind::Id(id_of("company", &service.company)),
                    Bind::Flag(true),
                    Bind::Flag(service.deprecated),
                    Bind::Text(framed(service.categories.iter().map(String::as_str))),
                    Bind::Text(framed(service.domains.iter().map(String::as_str))),
                    Bind::Text(words),
                    Bind::Text(json(service)?),
                ])
            })
            .collect::<Result<Vec<_>>>()?;
        upsert(
            tx,
            "catalogue_vendors (id, name, sort_key, company_id, enabled, deprecated, categories, \
             domains, search, data)",
            rows,
            "sort_key = excluded.sort_key, company_id = excluded.company_id, \
             enabled = excluded.enabled, deprecated = excluded.deprecated, \
             categories = excluded.categories, domains = excluded.domains, \
             search = excluded.search, data = excluded.data",
        )
        .await?;
    }
    Ok(())
}

async fn upsert<const COLUMNS: usize>(
    tx: &mut Tx,
    table: &str,
    rows: Vec<[Bind; COLUMNS]>,
    update: &str,
) -> Result<()> {
    let mut statement = Statement::default();
    statement.push("INSERT INTO ").push(table).push(" VALUES ");
    for (index, row) in rows.into_iter().enumerate() {
        statement
            .push(if index == 0 { "(" } else { ", (" })
            .bind_all(row)
            .push(")");
    }
    statement
        .push(" ON CONFLICT (id) DO UPDATE SET ")
        .push(update);
    in_tx!(tx, conn => bound!(sqlx::query(AssertSqlSafe(statement.sql.clone())), statement)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| DbError::Fault(sqlx::Error::Encode(Box::new(error))))
}

/// A page of entries.
pub(super) async fn list(db: &Db, query: &ListQuery) -> Result<Listed<Row>> {
    let mut scope = Statement::default();
    scope.push(" FROM catalogue_vendors v WHERE 1 = 1");
    for (column, flag) in [("enabled", query.enabled), ("deprecated", query.deprecated)] {
        if let Some(flag) = flag {
            scope
                .push(" AND v.")
                .push(column)
                .push(" = ")
                .bind(Bind::Flag(flag));
        }
    }
    for filter in &query.filters {
        scope.push(" AND (1 = 0");
        for wanted in &filter.one_of {
            scope.push(" OR ");
            fits(&mut scope, filter.field, wanted);
        }
        scope.push(")");
    }
    for word in fold(&query.text).split_whitespace().take(MOST_WORDS) {
        scope
            .push(" AND v.search LIKE ")
            .bind(Bind::Text(anywhere(word)))
            .push(" ESCAPE '\\'");
    }
    let count = format!("SELECT COUNT(*){}", scope.sql);
    let total: i64 = on!(db, pool => bound!(sqlx::query_scalar(AssertSqlSafe(count.clone())), scope)
        .fetch_one(pool)
        .await)?;
    let direction = if query.sort.descending { "DESC" } else { "ASC" };
    let order = match query.sort.by {
        Order::Title => format!("v.sort_key {direction}, v.id {direction}"),
        Order::Name => format!("v.name {direction}"),
        Order::Id => format!("v.id {direction}"),
    };
    scope.push(" ORDER BY ").push(&order);
    scope.push(" LIMIT ").bind(Bind::Number(query.page.limit()));
    scope
        .push(" OFFSET ")
        .bind(Bind::Number(query.page.offset()));
    let select = format!("SELECT {COLUMNS}{}", scope.sql);
    let items: Vec<Row> = on!(db, pool => bound!(sqlx::query_as(AssertSqlSafe(select.clone())), scope)
        .fetch_all(pool)
        .await)?;
    Ok(Listed {
        items,
        total: u64::try_from(total).unwrap_or(0),
        page: query.page,
    })
}

/// A condition on one field and one value.
fn fits(scope: &mut Statement, field: Field, wanted: &str) {
    let id = Uuid::parse_str(wanted).ok();
    match field {
        Field::Name => {
            scope.push("v.name = ").bind(Bind::Text(wanted.to_owned()));
        }
        Field::Title => {
            scope.push("v.sort_key = ").bind(Bind::Text(fold(wanted)));
        }
        Field::Company => {
            let id = id.unwrap_or_else(|| id_of("company", wanted));
            scope.push("v.company_id = ").bind(Bind::Id(id));
        }
        Field::Categories => {
            let by_id =
                id.and_then(|id| sentences::categories().find(|name| category_id(name) == id));
            let name = by_id.map_or_else(|| wanted.to_ascii_lowercase(), str::to_owned);
            scope
                .push("v.categories LIKE ")
                .bind(Bind::Text(anywhere(&framed([name.as_str()]))));
            scope.push(" ESCAPE '\\'");
        }
        Field::Domains => {
            let domain = wanted.to_ascii_lowercase();
            scope
                .push("v.domains LIKE ")
                .bind(Bind::Text(anywhere(&framed([domain.as_str()]))));
            scope.push(" ESCAPE '\\'");
        }
    }
}

/// Entries by id; unknown ids are left out.
pub(super) async fn by_ids(db: &Db, ids: &[Uuid]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ids in ids.chunks(ROWS) {
        let mut statement = Statement::default();
        statement.push(&format!(
            "SELECT {COLUMNS} FROM catalogue_vendors v WHERE v.id IN ("
        ));
        statement
            .bind_all(ids.iter().copied().map(Bind::Id))
            .push(")");
        let found: Vec<Row> = on!(db, pool => bound!(
            sqlx::query_as(AssertSqlSafe(statement.sql.clone())), statement)
            .fetch_all(pool)
            .await)?;
        rows.extend(found);
    }
    Ok(rows)
}

/// A page of companies, by name.
pub(super) async fn companies(db: &Db, text: &str, page: Page) -> Result<Listed<Company>> {
    let mut scope = Statement::default();
    scope.push(" FROM catalogue_companies c WHERE 1 = 1");
    for word in fold(text).split_whitespace().take(MOST_WORDS) {
        scope
            .push(" AND c.sort_key LIKE ")
            .bind(Bind::Text(anywhere(word)))
            .push(" ESCAPE '\\'");
    }
    let count = format!("SELECT COUNT(*){}", scope.sql);
    let total: i64 = on!(db, pool => bound!(sqlx::query_scalar(AssertSqlSafe(count.clone())), scope)
        .fetch_one(pool)
        .await)?;
    scope
        .push(" ORDER BY c.sort_key, c.id LIMIT ")
        .bind(Bind::Number(page.limit()));
    scope.push(" OFFSET ").bind(Bind::Number(page.offset()));
    let select = format!("SELECT c.id, c.data{}", scope.sql);
    let rows: Vec<CompanyRow> = on!(db, pool => bound!(
        sqlx::query_as(AssertSqlSafe(select.clone())), scope)
        .fetch_all(pool)
        .await)?;
    let items = rows.into_iter().map(Company::from).collect();
    Ok(Listed {
        items,
        total: u64::try_from(total).unwrap_or(0),
        page,
    })
}

/// Companies by id.
pub(super) async fn companies_by_ids(db: &Db, ids: &[Uuid]) -> Result<Vec<Company>> {
    let mut companies = Vec::new();
    for ids in ids.chunks(ROWS) {
        let mut statement = Statement::default();
        statement.push("SELECT c.id, c.data FROM catalogue_companies c WHERE c.id IN (");
        statement
            .bind_all(ids.iter().copied().map(Bind::Id))
            .push(")");
        let rows: Vec<CompanyRow> = on!(db, pool => bound!(
            sqlx::query_as(AssertSqlSafe(statement.sql.clone())), statement)
            .fetch_all(pool)
            .await)?;
        companies.extend(rows.into_iter().map(Company::from));
    }
    Ok(companies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_case_and_accents() {
        assert_eq!(fold("Médiamétrie eStat"), "mediametrie estat");
        assert_eq!(fold("STRÖER"), "stroer");
    }

    #[test]
    fn patterns_take_text_literally() {
        assert_eq!(anywhere(r"100%_\x"), r"%100\%\_\\x%");
    }
}
