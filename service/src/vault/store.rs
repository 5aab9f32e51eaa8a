//! SQL of documents.

use std::collections::BTreeSet;

use domain::{collection::Collection, documents, role::Role};
use serde_json::{Value, value::RawValue};
use sqlx::{AssertSqlSafe, types::Json};
use uuid::Uuid;

use super::{Change, Document, ListQuery, Metadata, Secret, SortKey};
use crate::{
    access::{self, Holder},
    clock::Timestamp,
    db::{Db, DbError, Tx, page::Listed},
    in_tx,
    mail::{Letter, Mail},
    on,
    secret::SEALED,
};

type Result<T> = std::result::Result<T, DbError>;

const COLUMNS: &str = "d.id, d.collection, d.project_id, d.data, d.version, d.created_at, \
     d.updated_at, d.created_by, d.last_published_at, d.organization_id, d.organization_role, \
     d.token_secret IS NOT NULL AS tokens_signed";

#[derive(sqlx::FromRow)]
pub(crate) struct Row {
    id: Uuid,
    collection: String,
    project_id: Option<Uuid>,
    data: Json<Value>,
    version: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    created_by: Uuid,
    last_published_at: Option<Timestamp>,
    /// Only read where the document may be written back.
    #[sqlx(default)]
    organization_id: Option<Uuid>,
    #[sqlx(default)]
    organization_role: Option<String>,
    /// Only read where the document is given back.
    #[sqlx(default)]
    tokens_signed: bool,
}

impl Row {
    pub(crate) fn into_document(self) -> Document {
        Document {
            id: self.id,
            // The column is only written from a `Collection`.
            collection: Collection::parse(&self.collection).unwrap_or(Collection::Projects),
            project_id: self.project_id,
            organization: self
                .organization_id
                .zip(self.organization_role.as_deref().and_then(Role::parse)),
            data: self.data.0,
            metadata: Metadata {
                created_at: self.created_at,
                updated_at: self.updated_at,
                created_by: self.created_by,
                version: self.version,
                last_published_at: self.last_published_at,
                tokens_signed: self.tokens_signed,
            },
        }
    }
}

/// The document as it is stored: the text, so that both engines keep it unchanged.
fn stored(data: &Value) -> Result<Json<Box<RawValue>>> {
    serde_json::value::to_raw_value(data)
        .map(Json)
        .map_err(|error| DbError::Fault(sqlx::Error::Encode(Box::new(error))))
}

/// The key that makes a configuration's name unique in its project.
fn name_key(document: &Document) -> Option<String> {
    let name = documents::name(&document.data);
    match document.collection {
        Collection::Cookies => {
            Some(name.map_or_else(|| document.id.to_string(), str::to_ascii_lowercase))
        }
        _ => None,
    }
}

/// Secrets of tokens that are not sealed.
pub(super) async fn plain_secrets(db: &Db) -> Result<Vec<(Uuid, String)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT id, token_secret FROM documents WHERE token_secret IS NOT NULL \
         AND SUBSTR(token_secret, 1, $1) <> $2")
        .bind(i32::try_from(SEALED.len()).unwrap_or(i32::MAX))
        .bind(SEALED)
        .fetch_all(pool)
        .await)?)
}

pub(super) async fn seal_secret(db: &Db, id: Uuid, plain: &str, sealed: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE documents SET token_secret = $3 WHERE id = $1 AND token_secret = $2")
        .bind(id)
        .bind(plain)
        .bind(sealed)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(super) async fn add(
    db: &Db,
    document: &Document,
    owner: Option<Uuid>,
    secret: &Secret,
) -> Result<()> {
    let data = stored(&document.data)?;
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO documents (id, collection, project_id, name_key, data, version, created_at, \
         updated_at, created_by, organization_id, organization_role, token_secret) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11)")
        .bind(document.id)
        .bind(document.collection.as_str())
        .bind(document.project_id)
        .bind(name_key(document))
        .bind(&data)
        .bind(document.metadata.version)
        .bind(document.metadata.created_at)
        .bind(document.metadata.created_by)
        .bind(document.organization.map(|(id, _)| id))
        .bind(document.organization.map(|(_, role)| role.as_str()))
        .bind(secret.text())
        .execute(conn)
        .await
        .map(drop))?;
    if let Some(owner) = owner {
        in_tx!(&mut tx, conn => sqlx::query(
            "INSERT INTO members (document_id, user_id, role, created_at) VALUES ($1, $2, 'owner', $3)")
            .bind(document.id)
            .bind(owner)
            .bind(document.metadata.created_at)
            .execute(conn)
            .await
            .map(drop))?;
    }
    tx.commit().await
}

pub(super) async fn lookup(db: &Db, collection: Collection, id: Uuid) -> Result<Option<Document>> {
    let row: Option<Row> = on!(db, pool => sqlx::query_as(AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM documents d \
         WHERE d.id = $1 AND d.collection = $2 AND d.deleted_at IS NULL")))
        .bind(id)
        .bind(collection.as_str())
        .fetch_optional(pool)
        .await)?;
    Ok(row.map(Row::into_document))
}

/// Writes the document over its version before; false when that is no longer there. Owners of a project
/// that joins an organization, or leaves one, get a letter.
pub(super) async fn replace(
    db: &Db,
    mail: &Mail,
    document: &Document,
    secret: &Secret,
    change: Change,
) -> Result<bool> {
    let data = stored(&document.data)?;
    let tells = change.moves && document.collection == Collection::Projects;
    let mut tx = db.begin().await?;
    let mut told = BTreeSet::new();
    if tells {
        told.extend(access::owners(&mut tx, document.id, change.by).await?);
    }
    let changed = in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE documents SET project_id = $3, name_key = $4, data = $5, version = $6, \
         updated_at = $7, organization_id = $8, organization_role = $9, \
         token_secret = CASE WHEN $10 THEN token_secret ELSE $11 END \
         WHERE id = $1 AND version = $2 AND deleted_at IS NULL")
        .bind(document.id)
        .bind(document.metadata.version - 1)
        .bind(document.project_id)
        .bind(name_key(document))
        .bind(&data)
        .bind(document.metadata.version)
        .bind(document.metadata.updated_at)
        .bind(document.organization.map(|(id, _)| id))
        .bind(document.organization.map(|(_, role)| role.as_str()))
        .bind(*secret == Secret::Keep)
        .bind(secret.text())
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    if changed != 1 {
        return Ok(false);
    }
    if change.follows {
        in_tx!(&mut tx, conn => sqlx::query("DELETE FROM members WHERE document_id = $1")
            .bind(document.id)
            .execute(conn)
            .await
            .map(drop))?;
    }
    if tells {
        told.extend(access::owners(&mut tx, document.id, change.by).await?);
        for address in told {
            mail.post(&mut tx, &moved(&address, document)).await?;
        }
    }
    tx.commit().await?;
    Ok(true)
}

/// Tells an owner that other people have access now.
fn moved(address: &str, project: &Document) -> Letter {
    let change = if project.organization.is_some() {
        "joined an organization, whose members have their roles there in it"
    } else {
        "left its organization, whose members have no role in it by that any more"
    };
    let text = format!(
        "Your project {} {change}.\n\nSee who has access on its page \"People\". An owner of the \
         project changes it back in its settings.\n",
        project.id
    );
    Letter::plain(address, "Who has access to your project has changed", &text)
}

/// Deletes the document; false when this version of it is no longer there.
pub(super) async fn delete(tx: &mut Tx, id: Uuid, version: i64, now: Timestamp) -> Result<bool> {
    let changed = in_tx!(tx, conn => sqlx::query(
        "UPDATE documents SET deleted_at = $3 WHERE id = $1 AND version = $2 AND deleted_at IS NULL")
        .bind(id)
        .bind(version)
        .bind(now)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

pub(super) async fn restore(db: &Db, id: Uuid, since: Timestamp, now: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    let changed = in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE documents SET deleted_at = NULL, updated_at = $3, version = version + 1 \
         WHERE id = $1 AND deleted_at >= $2")
        .bind(id)
        .bind(since)
        .bind(now)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    tx.commit().await?;
    Ok(changed == 1)
}

pub(super) async fn forget_deleted(db: &Db, before: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query("DELETE FROM documents WHERE deleted_at < $1")
        .bind(before)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

enum Bind {
    Id(Uuid),
    MaybeId(Option<Uuid>),
    Text(String),
    Number(i64),
}

/// Statement text and its values, numbered as they are added.
#[derive(Default)]
struct Statement {
    sql: String,
    binds: Vec<Bind>,
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
}

pub(super) async fn list(
    db: &Db,
    holder: Holder,
    collection: Collection,
    query: &ListQuery,
) -> Result<Listed<Document>> {
    let mut scope = Statement::default();
    scope.push(" FROM documents d WHERE d.deleted_at IS NULL AND ");
    scope
        .push(&access::visible("$1", "$2"))
        .push(" AND d.collection = ");
    scope.binds = vec![Bind::Id(holder.user), Bind::MaybeId(holder.limited_by)];
    scope.bind(Bind::Text(collection.as_str().to_owned()));
    if let Some(project) = query.project_id {
        scope.push(" AND d.project_id = ").bind(Bind::Id(project));
    }
    for filter in &query.filters {
        scope
            .push(" AND CAST(d.data -> ")
            .bind(Bind::Text(filter.field.clone()))
            .push(" AS TEXT) IN (");
        for (index, text) in filter.one_of.iter().enumerate() {
            scope
                .push(if index == 0 { "" } else { ", " })
                .bind(Bind::Text(text.clone()));
        }
        scope.push(")");
    }
    if let Some(text) = &query.text {
        let column = db.ascii_lower("CAST(d.data AS TEXT)");
        scope.push(&format!(" AND {column} LIKE "));
        scope
            .bind(Bind::Text(contains_pattern(text)))
            .push(" ESCAPE '\\'");
    }

    let total: i64 = {
        let sql = format!("SELECT COUNT(*){}", scope.sql);
        on!(db, pool => {
            let mut statement = sqlx::query_scalar(AssertSqlSafe(sql));
            for bind in &scope.binds {
                statement = match bind {
                    Bind::Id(id) => statement.bind(*id),
                    Bind::MaybeId(id) => statement.bind(*id),
                    Bind::Text(text) => statement.bind(text.clone()),
                    Bind::Number(number) => statement.bind(*number),
                };
            }
            statement.fetch_one(pool).await
        })?
    };

    let mut page = Statement {
        sql: format!("SELECT {COLUMNS}{}", scope.sql),
        binds: scope.binds,
    };
    page.push(" ORDER BY ");
    match &query.sort.by {
        SortKey::CreatedAt => page.push("d.created_at"),
        SortKey::UpdatedAt => page.push("d.updated_at"),
        SortKey::Field(field) => {
            page.push("COALESCE(CAST(d.data -> ")
                .bind(Bind::Text(field.clone()));
            page.push(" AS TEXT), '')").push(db.collate_bytes())
        }
    };
    let direction = if query.sort.descending { " DESC" } else { "" };
    page.push(&format!("{direction}, d.id{direction} LIMIT "));
    page.bind(Bind::Number(query.page.limit())).push(" OFFSET ");
    page.bind(Bind::Number(query.page.offset()));
    let Statement { sql, binds } = page;
    let rows: Vec<Row> = on!(db, pool => {
        let mut statement = sqlx::query_as(AssertSqlSafe(sql));
        for bind in binds {
            statement = match bind {
                Bind::Id(id) => statement.bind(id),
                Bind::MaybeId(id) => statement.bind(id),
                Bind::Text(text) => statement.bind(text),
                Bind::Number(number) => statement.bind(number),
            };
        }
        statement.fetch_all(pool).await
    })?;
    Ok(Listed {
        items: rows.into_iter().map(Row::into_document).collect(),
        total: total.unsigned_abs(),
        page: query.page,
    })
}

/// A `LIKE` pattern for "contains", as JSON writes the text, in ASCII lower case.
fn contains_pattern(text: &str) -> String {
    let json = Value::from(text.to_ascii_lowercase()).to_string();
    let inner = json
        .trim_matches('"')
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    format!("%{inner}%")
}
