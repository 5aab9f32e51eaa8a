//! SQL of the catalogue.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{
    Outdated, Version,
    facts::{CompanyFacts, ServiceFacts},
    file::{Catalogue, LoadFault},
    ids,
    query::{Field, ListQuery, Order},
    sentences,
};
use crate::{
    db::{
        Db, DbError, Query, Tx, Value,
        page::{Listed, Page},
    },
    search::{fold, words},
};

type Result<T> = std::result::Result<T, DbError>;

/// Key of `meta` under which the version of the loaded catalogue stands.
const VERSION_KEY: &str = "catalogue";
/// Rows that one statement inserts: SQLite takes 32,766 values, PostgreSQL 65,535.
const ROWS: usize = 200;

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
pub(super) struct CompanyRow {
    pub id: Uuid,
    #[sqlx(try_from = "String")]
    pub data: CompanyFacts,
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

/// The version of the catalogue that the database holds.
pub(super) async fn version(db: &Db) -> Result<Option<Version>> {
    let text: Option<String> = db
        .query("SELECT value FROM meta WHERE key = $1")
        .bind(VERSION_KEY)
        .optional_value()
        .await?;
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
    let stored: String = tx
        .query(
            "INSERT INTO meta (key, value) VALUES ($1, '') \
         ON CONFLICT (key) DO UPDATE SET value = meta.value RETURNING value",
        )
        .bind(VERSION_KEY)
        .one_value()
        .await?;
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
    tx.query("UPDATE meta SET value = $2 WHERE key = $1")
        .bind(VERSION_KEY)
        .bind(format!("{} {}", version.number, version.hash))
        .exec()
        .await?;
    tx.commit().await?;
    Ok(true)
}

async fn write(tx: &mut Tx, catalogue: &Catalogue) -> Result<()> {
    for companies in catalogue.companies.chunks(ROWS) {
        let rows = companies
            .iter()
            .map(|company| {
                Ok([
                    ids::of_company(&company.name).into(),
                    company.name.as_str().into(),
                    fold(&company.name).into(),
                    json(company)?.into(),
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
    tx.query("UPDATE catalogue_vendors SET enabled = $1")
        .bind(false)
        .exec()
        .await?;
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
                    ids::of_vendor(&service.name).into(),
                    service.name.as_str().into(),
                    fold(&service.title).into(),
                    ids::of_company(&service.company).into(),
                    true.into(),
                    service.deprecated.into(),
                    framed(service.categories.iter().map(String::as_str)).into(),
                    framed(service.domains.iter().map(String::as_str)).into(),
                    words.into(),
                    json(service)?.into(),
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
    table: &'static str,
    rows: Vec<[Value; COLUMNS]>,
    update: &'static str,
) -> Result<()> {
    let mut statement = tx.query("INSERT INTO ");
    statement.push(table).push(" VALUES ").tuples(rows);
    statement
        .push(" ON CONFLICT (id) DO UPDATE SET ")
        .push(update);
    statement.exec().await?;
    Ok(())
}

fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| DbError::Fault(sqlx::Error::Encode(Box::new(error))))
}

/// A page of entries.
pub(super) async fn list(db: &Db, query: &ListQuery) -> Result<Listed<Row>> {
    let mut scope = db.query("FROM catalogue_vendors v WHERE 1 = 1");
    if let Some(enabled) = query.enabled {
        scope.push(" AND v.enabled = ").value(enabled);
    }
    if let Some(deprecated) = query.deprecated {
        scope.push(" AND v.deprecated = ").value(deprecated);
    }
    for filter in &query.filters {
        scope.push(" AND (1 = 0");
        for wanted in &filter.one_of {
            scope.push(" OR ");
            fits(&mut scope, filter.field, wanted);
        }
        scope.push(")");
    }
    scope.holds("v.search", words(&fold(&query.text)).map(str::to_owned));
    let direction = if query.sort.descending { "DESC" } else { "ASC" };
    let order = match query.sort.by {
        Order::Title => format!("v.sort_key {direction}, v.id {direction}"),
        Order::Name => format!("v.name {direction}"),
        Order::Id => format!("v.id {direction}"),
    };
    scope.page(COLUMNS, AssertSqlSafe(order), query.page).await
}

/// A condition on one field and one value.
fn fits(scope: &mut Query<'_>, field: Field, wanted: &str) {
    let id = Uuid::parse_str(wanted).ok();
    match field {
        Field::Name => {
            scope.push("v.name = ").value(wanted);
        }
        Field::Title => {
            scope.push("v.sort_key = ").value(fold(wanted));
        }
        Field::Company => {
            let id = id.unwrap_or_else(|| ids::of_company(wanted));
            scope.push("v.company_id = ").value(id);
        }
        Field::Categories => {
            let by_id =
                id.and_then(|id| sentences::categories().find(|name| ids::of_category(name) == id));
            let name = by_id.map_or_else(|| wanted.to_ascii_lowercase(), str::to_owned);
            lists(scope, "v.categories", &name);
        }
        Field::Domains => {
            let domain = wanted.to_ascii_lowercase();
            lists(scope, "v.domains", &domain);
        }
    }
}

/// Continues with the condition that a column of [`framed`] names has this one.
fn lists(scope: &mut Query<'_>, column: &str, name: &str) {
    scope.position(column, framed([name])).push(" > 0");
}

/// Entries by id; unknown ids are left out.
pub(super) async fn by_ids(db: &Db, ids: &[Uuid]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ids in ids.chunks(ROWS) {
        let mut statement = db.query(AssertSqlSafe(format!(
            "SELECT {COLUMNS} FROM catalogue_vendors v WHERE v.id IN ("
        )));
        statement.values(ids.iter().copied()).push(")");
        rows.extend(statement.all::<Row>().await?);
    }
    Ok(rows)
}

/// A page of companies, by name.
pub(super) async fn companies(db: &Db, text: &str, page: Page) -> Result<Listed<CompanyRow>> {
    let mut scope = db.query("FROM catalogue_companies c WHERE 1 = 1");
    scope.holds("c.sort_key", words(&fold(text)).map(str::to_owned));
    scope.page("c.id, c.data", "c.sort_key, c.id", page).await
}

/// Companies by id.
pub(super) async fn companies_by_ids(db: &Db, ids: &[Uuid]) -> Result<Vec<CompanyRow>> {
    let mut companies = Vec::new();
    for ids in ids.chunks(ROWS) {
        let mut statement =
            db.query("SELECT c.id, c.data FROM catalogue_companies c WHERE c.id IN (");
        statement.values(ids.iter().copied()).push(")");
        companies.extend(statement.all::<CompanyRow>().await?);
    }
    Ok(companies)
}
