//! SQL that reads consents, their states and publications.

use std::fmt::Write as _;

use domain::{
    choices::Outcome,
    consent::{Consent, ConsentCollection, ConsentProof, Preferences, Shown, TokenKind},
};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{Latest, ListQuery, Slice, Span};
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError,
        page::{Listed, Part},
    },
    error::Error,
    on,
};

type Result<T> = std::result::Result<T, DbError>;

pub(crate) const COLUMNS: &str = "c.project_id, c.seq, c.consent_id, c.collection, c.identifier, \
     c.token, c.accept, c.outcome, c.preferences, c.value, c.publication, c.received_at, \
     c.decided_at, c.page_host, c.ip, c.country, c.user_agent, c.imported, c.erased_at, \
     c.token_signed";

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

impl ConsentRow {
    /// Its position in the order of decisions.
    pub(crate) fn place(&self) -> (Timestamp, Uuid) {
        (self.decided_at, self.seq)
    }

    pub(crate) fn into_consent(self) -> Consent {
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
            preferences: preferences(&self.preferences),
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

/// The column is only written from `Preferences`.
pub(crate) fn preferences(text: &str) -> Preferences {
    serde_json::from_str(text).unwrap_or_default()
}

enum Bind {
    Id(Uuid),
    Text(String),
    Number(i64),
}

/// Conditions of a list and their values, numbered as they are added.
struct Conditions {
    sql: String,
    binds: Vec<Bind>,
    /// The time of decision, as the order and the conditions name it.
    time: &'static str,
}

impl Conditions {
    fn new(project: Uuid, span: Span, token: Option<&str>) -> Self {
        let mut conditions = Self {
            sql: " WHERE c.project_id = ".to_owned(),
            binds: Vec::new(),
            // A token has few consents, so they are found by its index and then sorted. The sign
            // keeps the databases from walking through the project's in their order instead.
            time: if token.is_some() {
                "+c.decided_at"
            } else {
                "c.decided_at"
            },
        };
        conditions.bind(Bind::Id(project));
        if let Some(token) = token {
            conditions.and("c.token =", Bind::Text(token.to_owned()));
        }
        let time = conditions.time;
        if let Some(start) = span.start {
            conditions.and(&format!("{time} >="), Bind::Number(start.0));
        }
        if let Some(end) = span.end {
            conditions.and(&format!("{time} <"), Bind::Number(end.0));
        }
        conditions
    }

    fn and(&mut self, condition: &str, value: Bind) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
        self.sql.push(' ');
        self.bind(value);
    }

    fn beyond(&mut self, (decided_at, seq): (Timestamp, Uuid), ascending: bool) {
        let sign = if ascending { ">" } else { "<" };
        let _ = write!(self.sql, " AND ({}, c.seq) {sign} (", self.time);
        self.bind(Bind::Number(decided_at.0));
        self.sql.push_str(", ");
        self.bind(Bind::Id(seq));
        self.sql.push(')');
    }

    fn bind(&mut self, value: Bind) {
        self.binds.push(value);
        self.sql.push('$');
        self.sql.push_str(&self.binds.len().to_string());
    }

    async fn count(&self, db: &Db) -> Result<i64> {
        let sql = format!("SELECT COUNT(*) FROM consents c{}", self.sql);
        Ok(on!(db, pool => {
            let mut statement = sqlx::query_scalar(AssertSqlSafe(sql));
            for bind in &self.binds {
                statement = match bind {
                    Bind::Id(id) => statement.bind(*id),
                    Bind::Text(text) => statement.bind(text.clone()),
                    Bind::Number(number) => statement.bind(*number),
                };
            }
            statement.fetch_one(pool).await
        })?)
    }

    /// The statement that reads them in order.
    fn select(&mut self, ascending: bool, limit: i64, offset: i64) -> String {
        let direction = if ascending { "" } else { " DESC" };
        let _ = write!(
            self.sql,
            " ORDER BY {}{direction}, c.seq{direction} LIMIT ",
            self.time
        );
        self.bind(Bind::Number(limit));
        self.sql.push_str(" OFFSET ");
        self.bind(Bind::Number(offset));
        format!("SELECT {COLUMNS} FROM consents c{}", self.sql)
    }

    async fn rows(
        mut self,
        db: &Db,
        ascending: bool,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<ConsentRow>> {
        let sql = self.select(ascending, limit, offset);
        Ok(on!(db, pool => {
            let mut statement = sqlx::query_as(AssertSqlSafe(sql));
            for bind in self.binds {
                statement = match bind {
                    Bind::Id(id) => statement.bind(id),
                    Bind::Text(text) => statement.bind(text),
                    Bind::Number(number) => statement.bind(number),
                };
            }
            statement.fetch_all(pool).await
        })?)
    }
}

pub(super) async fn list(
    db: &Db,
    project: Uuid,
    query: &ListQuery,
) -> std::result::Result<Slice, Error> {
    let mut conditions = Conditions::new(project, query.span, query.token.as_deref());
    if let Some(collection) = query.collection {
        conditions.and("c.collection =", Bind::Text(collection.as_str().to_owned()));
    }
    if let Some(identifier) = query.identifier {
        conditions.and("c.identifier =", Bind::Id(identifier));
    }
    if let Some(outcome) = query.outcome {
        conditions.and("c.outcome =", Bind::Text(outcome.as_str().to_owned()));
    }
    if let Some(after) = query.after {
        let size = query.page.size;
        conditions.beyond(place(db, project, after).await?, query.ascending);
        let limit = Part::<ConsentRow>::limit(size);
        let rows = conditions.rows(db, query.ascending, limit, 0).await?;
        let part = Part::new(rows, size);
        return Ok(Slice::After(part.map(ConsentRow::into_consent)));
    }
    // The days are counted with every consent; counting rows costs more the more there are.
    let total = if query.is_unfiltered() {
        kept(db, project).await?
    } else {
        conditions.count(db).await?.unsigned_abs()
    };
    let rows = conditions
        .rows(db, query.ascending, query.page.limit(), query.page.offset())
        .await?;
    Ok(Slice::Page(Listed {
        items: rows.into_iter().map(ConsentRow::into_consent).collect(),
        total,
        page: query.page,
    }))
}

/// The next consents of a time, oldest first.
pub(super) async fn next(
    db: &Db,
    project: Uuid,
    span: Span,
    after: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<ConsentRow>> {
    let mut conditions = Conditions::new(project, span, None);
    if let Some(place) = after {
        conditions.beyond(place, true);
    }
    conditions.rows(db, true, limit, 0).await
}

/// A page of the consents of a token, newest first.
pub(crate) async fn of_token(
    db: &Db,
    project: Uuid,
    token: &str,
    limit: i64,
    offset: i64,
) -> Result<(Vec<ConsentRow>, u64)> {
    let conditions = Conditions::new(project, Span::default(), Some(token));
    let total = conditions.count(db).await?.unsigned_abs();
    Ok((conditions.rows(db, false, limit, offset).await?, total))
}

/// The consents of a token behind one of them, newest first.
pub(crate) async fn of_token_after(
    db: &Db,
    project: Uuid,
    token: &str,
    after: Uuid,
    size: u32,
) -> std::result::Result<Part<ConsentRow>, Error> {
    let mut conditions = Conditions::new(project, Span::default(), Some(token));
    conditions.beyond(place(db, project, after).await?, false);
    let limit = Part::<ConsentRow>::limit(size);
    Ok(Part::new(conditions.rows(db, false, limit, 0).await?, size))
}

/// The position of a named consent in the order of decisions.
async fn place(
    db: &Db,
    project: Uuid,
    consent: Uuid,
) -> std::result::Result<(Timestamp, Uuid), Error> {
    let place: Option<(Timestamp, Uuid)> = on!(db, pool => sqlx::query_as(
        "SELECT decided_at, seq FROM consents WHERE project_id = $1 AND consent_id = $2")
        .bind(project)
        .bind(consent)
        .fetch_optional(pool)
        .await)?;
    place.ok_or_else(|| {
        Error::BadRequest("`after` must be the id of a consent of this project.".to_owned())
    })
}

/// A consent by its id.
pub(super) async fn consent(db: &Db, project: Uuid, consent: Uuid) -> Result<Option<Consent>> {
    let row: Option<ConsentRow> = on!(db, pool => sqlx::query_as(AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM consents c WHERE c.project_id = $1 AND c.consent_id = $2")))
        .bind(project)
        .bind(consent)
        .fetch_optional(pool)
        .await)?;
    Ok(row.map(ConsentRow::into_consent))
}

pub(super) async fn proof(db: &Db, project: Uuid, consent: Uuid) -> Result<Option<ConsentProof>> {
    let row: Option<ConsentRow> = on!(db, pool => sqlx::query_as(AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM consents c WHERE c.project_id = $1 AND c.consent_id = $2")))
        .bind(project)
        .bind(consent)
        .fetch_optional(pool)
        .await)?;
    let Some(row) = row else { return Ok(None) };
    let shown: Option<(String, Timestamp)> = on!(db, pool => sqlx::query_as(
        "SELECT manifest, published_at FROM publications \
         WHERE project_id = $1 AND configuration_id = $2 AND id = $3")
        .bind(project)
        .bind(row.identifier)
        .bind(&row.publication)
        .fetch_optional(pool)
        .await)?;
    let publication = row.publication.clone().unwrap_or_default();
    Ok(Some(ConsentProof {
        consent: row.into_consent(),
        shown: shown.map(|(manifest, published_at)| Shown {
            publication,
            published_at: published_at.to_string(),
            manifest: serde_json::from_str(&manifest)
                .unwrap_or_else(|_| serde_json::Value::from(manifest)),
        }),
    }))
}

#[derive(sqlx::FromRow)]
struct LatestRow {
    collection: String,
    accept: bool,
    consent_id: Uuid,
    decided_at: Timestamp,
    preferences: String,
    value: Option<String>,
}

pub(super) async fn latest(
    db: &Db,
    project: Uuid,
    token: &str,
    identifier: Uuid,
    collection: ConsentCollection,
) -> Result<Option<Latest>> {
    let row: Option<LatestRow> = on!(db, pool => sqlx::query_as(
        "SELECT collection, accept, consent_id, decided_at, preferences, value FROM consents \
         WHERE project_id = $1 AND token = $2 AND identifier = $3 \
         ORDER BY decided_at DESC, seq DESC LIMIT 1")
        .bind(project)
        .bind(token)
        .bind(identifier)
        .fetch_optional(pool)
        .await)?;
    // A thing is of one collection: compared here, so that a wrong one costs no search.
    let row = row.filter(|row| row.collection == collection.as_str());
    Ok(row.map(|row| Latest {
        accept: row.accept,
        consent_id: Some(row.consent_id),
        created_at: Some(row.decided_at),
        preferences: Some(preferences(&row.preferences)),
        value: Some(row.value),
    }))
}

pub(super) async fn project_exists(db: &Db, project: Uuid) -> Result<bool> {
    let found: Option<i64> = on!(db, pool => sqlx::query_scalar(
        "SELECT version FROM documents \
         WHERE id = $1 AND collection = 'projects' AND deleted_at IS NULL")
        .bind(project)
        .fetch_optional(pool)
        .await)?;
    Ok(found.is_some())
}

/// Consents of all time.
pub(super) async fn total(db: &Db, project: Uuid) -> Result<u64> {
    let total: i64 = on!(db, pool => sqlx::query_scalar(
        "SELECT CAST(COALESCE(SUM(consents), 0) AS BIGINT) FROM consent_days \
         WHERE project_id = $1")
        .bind(project)
        .fetch_one(pool)
        .await)?;
    Ok(total.unsigned_abs())
}

/// Consents of all time without those that were removed.
async fn kept(db: &Db, project: Uuid) -> Result<u64> {
    let removed: Option<i64> = on!(db, pool => sqlx::query_scalar(
        "SELECT consents FROM consents_removed WHERE project_id = $1")
        .bind(project)
        .fetch_optional(pool)
        .await)?;
    let total = total(db, project).await?;
    Ok(total.saturating_sub(removed.unwrap_or(0).unsigned_abs()))
}

/// Day, outcome and count, from a day on.
pub(super) async fn days(db: &Db, project: Uuid, since: i64) -> Result<Vec<(i64, String, i64)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT day, outcome, CAST(SUM(consents) AS BIGINT) FROM consent_days \
         WHERE project_id = $1 AND day >= $2 GROUP BY day, outcome")
        .bind(project)
        .bind(since)
        .fetch_all(pool)
        .await)?)
}

/// The live publish of a project.
#[derive(sqlx::FromRow)]
pub(super) struct LiveRow {
    pub job_id: Uuid,
    pub content: String,
    pub ip_key: Vec<u8>,
    pub hooked: bool,
    pub token_secret: Option<String>,
}

/// The fields that show a change of the live publish.
#[derive(sqlx::FromRow)]
pub(super) struct SeenRow {
    pub job_id: Uuid,
    pub hooked: bool,
    pub token_secret: Option<String>,
}

/// True if webhooks listen to the consents of the project `$1`.
const HOOKED: &str = "EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = $1 \
     AND w.topic = 'consent' AND w.active) AS hooked";

const LIVE: &str = "FROM live_projects l JOIN documents d ON d.id = l.project_id \
     AND d.collection = 'projects' AND d.deleted_at IS NULL WHERE l.project_id = $1";

pub(super) async fn seen(db: &Db, project: Uuid) -> Result<Option<SeenRow>> {
    Ok(on!(db, pool => sqlx::query_as(AssertSqlSafe(format!(
        "SELECT l.job_id, d.token_secret, {HOOKED} {LIVE}")))
        .bind(project)
        .fetch_optional(pool)
        .await)?)
}

pub(super) async fn live(db: &Db, project: Uuid) -> Result<Option<LiveRow>> {
    Ok(on!(db, pool => sqlx::query_as(AssertSqlSafe(format!(
        "SELECT l.job_id, l.content, l.ip_key, d.token_secret, {HOOKED} {LIVE}")))
        .bind(project)
        .fetch_optional(pool)
        .await)?)
}

/// Everything that was ever published, with its collection.
pub(super) async fn published(db: &Db, project: Uuid) -> Result<Vec<(Uuid, String)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT DISTINCT configuration_id, collection FROM publications WHERE project_id = $1")
        .bind(project)
        .fetch_all(pool)
        .await)?)
}

/// The latest publications.
pub(super) async fn publications(db: &Db, project: Uuid, most: i64) -> Result<Vec<(Uuid, String)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT configuration_id, id FROM publications WHERE project_id = $1 \
         ORDER BY published_at DESC LIMIT $2")
        .bind(project)
        .bind(most)
        .fetch_all(pool)
        .await)?)
}

pub(super) async fn is_publication(
    db: &Db,
    project: Uuid,
    configuration: Uuid,
    id: &str,
) -> Result<bool> {
    let found: Option<i64> = on!(db, pool => sqlx::query_scalar(
        "SELECT published_at FROM publications \
         WHERE project_id = $1 AND configuration_id = $2 AND id = $3")
        .bind(project)
        .bind(configuration)
        .bind(id)
        .fetch_optional(pool)
        .await)?;
    Ok(found.is_some())
}

/// Every vendor that was ever in a published configuration.
pub(super) async fn published_vendors(db: &Db, project: Uuid) -> Result<Vec<(Uuid, String)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT configuration_id, name FROM published_vendors WHERE project_id = $1")
        .bind(project)
        .fetch_all(pool)
        .await)?)
}
