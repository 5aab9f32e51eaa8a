//! SQL of documents.

use std::collections::{BTreeMap, BTreeSet};

use domain::{collection::Collection, documents, json, role::Role};
use serde_json::Value;
use sqlx::{AssertSqlSafe, types::Json};
use uuid::Uuid;

use super::{
    Document, MOST_CHOSEN, Metadata, Only, Trashed, VendorQuery, moves::Change, secret::Secret,
};
use crate::{
    access::{self, Holder},
    clock::Timestamp,
    db::{
        Db, DbError, Locked, MOST_IDS, Query, Target, Tx,
        page::{Asked, Listed},
    },
    mail::{Letter, Mail, quoted},
    members::{self, Group, Member},
    quota,
    search::{fold, lower_words, words},
    secret::SEALED,
};

type Result<T> = std::result::Result<T, DbError>;

/// Most bytes of the documents of a page, by their [`json::weight`]. A hundred of the largest would keep connections
/// and memory from others.
pub(super) const MOST_OF_A_PAGE: u64 = 4_000_000;

/// Most bytes of the documents of a project that are read at once, by their weight. Published content is half of it,
/// and documents hold fields that are not published.
pub(crate) const MOST_OF_A_PROJECT: u64 = 16_000_000;

/// Columns of a document `d` beside its data.
pub(super) const COLUMNS: &str = "d.id, d.collection, d.project_id, d.version, d.created_at, \
     d.updated_at, d.created_by, d.last_published_at, d.deleted_at, d.organization_id, d.organization_role, \
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
    #[sqlx(default)]
    deleted_at: Option<Timestamp>,
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
    /// Bytes of the document where those of several are bounded.
    pub(crate) fn size(&self) -> u64 {
        json::weight(&self.data.0)
    }

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
                deleted_at: self.deleted_at,
                tokens_signed: self.tokens_signed,
            },
        }
    }
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
    db.query(
        "SELECT id, token_secret FROM documents WHERE token_secret IS NOT NULL \
         AND SUBSTR(token_secret, 1, $1) <> $2",
    )
    .bind(i32::try_from(SEALED.len()).unwrap_or(i32::MAX))
    .bind(SEALED)
    .all()
    .await
}

pub(super) async fn seal_secret(db: &Db, id: Uuid, plain: &str, sealed: &str) -> Result<()> {
    db.query("UPDATE documents SET token_secret = $3 WHERE id = $1 AND token_secret = $2")
        .bind(id)
        .bind(plain)
        .bind(sealed)
        .exec()
        .await?;
    Ok(())
}

pub(super) async fn add(
    tx: &mut Tx,
    document: &Document,
    owner: Option<Uuid>,
    secret: &Secret,
) -> Result<()> {
    tx.query(
        "INSERT INTO documents (id, collection, project_id, name_key, data, version, created_at, \
         updated_at, created_by, organization_id, organization_role, token_secret, bytes, held_by) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $8)",
    )
    .bind(document.id)
    .bind(document.collection.as_str())
    .bind(document.project_id)
    .bind(name_key(document))
    .bind(&document.data)
    .bind(document.metadata.version)
    .bind(document.metadata.created_at)
    .bind(document.metadata.created_by)
    .bind(document.organization.map(|(id, _)| id))
    .bind(document.organization.map(|(_, role)| role.as_str()))
    .bind(secret.text())
    .bind(quota::weight(&document.data))
    .exec()
    .await?;
    if let Some(owner) = owner {
        let member = Member {
            user_id: owner,
            role: Role::Owner,
            created_at: document.metadata.created_at,
            is_added: false,
        };
        members::put(tx, Group::Document(document.id), &member).await?;
    }
    Ok(())
}

pub(super) async fn lookup(db: &Db, collection: Collection, id: Uuid) -> Result<Option<Document>> {
    found(db.query(one()), collection, id).await
}

/// As [`lookup`], in a transaction.
pub(super) async fn lookup_in(
    tx: &mut Tx,
    collection: Collection,
    id: Uuid,
) -> Result<Option<Document>> {
    found(tx.query(one()), collection, id).await
}

fn one() -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "SELECT d.data, {COLUMNS} FROM documents d \
         WHERE d.id = $1 AND d.collection = $2 AND d.deleted_at IS NULL"
    ))
}

async fn found(query: Query<'_>, collection: Collection, id: Uuid) -> Result<Option<Document>> {
    let query = query.bind(id).bind(collection.as_str());
    let row: Option<Row> = query.optional().await?;
    Ok(row.map(Row::into_document))
}

/// Holds the organization of a document until the transaction ends, so that nobody removes it meanwhile. False if it is
/// gone.
pub(super) async fn hold_organization(tx: &mut Tx, document: &Document) -> Result<bool> {
    match document.organization {
        Some((id, _)) => tx.lock(Locked::Organization(id)).await,
        None => Ok(true),
    }
}

/// Writes the document over its version before, with the account that its bytes are counted for; false when that version
/// is no longer there: then the caller does not commit. Owners of a project that joins an organization, or leaves one,
/// get a letter.
pub(super) async fn replace(
    tx: &mut Tx,
    mail: &Mail,
    document: &Document,
    (secret, held_by): (&Secret, Uuid),
    change: Change,
) -> Result<bool> {
    let tells = change.moves && document.collection == Collection::Projects;
    let mut told = BTreeSet::new();
    if tells {
        // Before the change, since an organization that it leaves is its own no more afterwards.
        for address in access::owners(tx, document.id, change.by).await? {
            mail.post_warning(tx, document.id, &moved(&address, document))
                .await?;
            told.insert(address);
        }
    }
    let changed = tx
        .query(
            "UPDATE documents SET project_id = $3, name_key = $4, data = $5, version = $6, \
         updated_at = $7, organization_id = $8, organization_role = $9, \
         token_secret = CASE WHEN $10 THEN token_secret ELSE $11 END, bytes = $12, held_by = $13 \
         WHERE id = $1 AND version = $2 AND deleted_at IS NULL",
        )
        .bind(document.id)
        .bind(document.metadata.version - 1)
        .bind(document.project_id)
        .bind(name_key(document))
        .bind(&document.data)
        .bind(document.metadata.version)
        .bind(document.metadata.updated_at)
        .bind(document.organization.map(|(id, _)| id))
        .bind(document.organization.map(|(_, role)| role.as_str()))
        .bind(*secret == Secret::Keep)
        .bind(secret.text())
        .bind(quota::weight(&document.data))
        .bind(held_by)
        .exec()
        .await?;
    if changed != 1 {
        return Ok(false);
    }
    if change.follows {
        members::clear(tx, Group::Document(document.id)).await?;
    }
    if tells {
        let owners = access::owners(tx, document.id, change.by).await?;
        for address in owners.into_iter().filter(|address| !told.contains(address)) {
            mail.post_warning(tx, document.id, &moved(&address, document))
                .await?;
        }
    }
    Ok(true)
}

/// Tells an owner that other people have access now.
fn moved(address: &str, project: &Document) -> Letter {
    let change = if project.organization.is_some() {
        "joined an organization, whose members have their roles there in it"
    } else {
        "left its organization, whose members have no role in it by that any more"
    };
    let title = documents::title(&project.data).unwrap_or_else(|| project.id.to_string());
    let text = format!(
        "Your project {} {change}.\n\nSee who has access on its page \"People\". An owner of the \
         project changes it back in its settings.\n",
        quoted(&title)
    );
    Letter::plain(address, "Who has access to your project has changed", &text)
}

/// The account that a document is counted for, and its bytes. The document is locked, so nobody changes them
/// meanwhile.
pub(super) async fn held(tx: &mut Tx, id: Uuid) -> Result<Option<(Uuid, i64)>> {
    tx.lock(Locked::Document(id)).await?;
    tx.query("SELECT COALESCE(held_by, created_by), bytes FROM documents WHERE id = $1")
        .bind(id)
        .optional()
        .await
}

/// Deletes the document; false when this version of it is no longer there.
pub(super) async fn delete(tx: &mut Tx, id: Uuid, version: i64, now: Timestamp) -> Result<bool> {
    tx.note_lock(Locked::Document(id));
    let changed = tx
        .query(
            "UPDATE documents SET deleted_at = $3 \
             WHERE id = $1 AND version = $2 AND deleted_at IS NULL",
        )
        .bind(id)
        .bind(version)
        .bind(now)
        .exec()
        .await?;
    Ok(changed == 1)
}

pub(super) async fn restore(
    tx: &mut Tx,
    id: Uuid,
    since: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    tx.note_lock(Locked::Document(id));
    let changed = tx
        .query(
            "UPDATE documents SET deleted_at = NULL, updated_at = $3, version = version + 1 \
         WHERE id = $1 AND deleted_at >= $2",
        )
        .bind(id)
        .bind(since)
        .bind(now)
        .exec()
        .await?;

    Ok(changed == 1)
}

/// Removes documents that were deleted before a moment, and with a project all that is in it.
pub(super) async fn forget_deleted(db: &Db, before: Timestamp) -> Result<()> {
    db.query("DELETE FROM documents WHERE deleted_at < $1")
        .bind(before)
        .exec()
        .await?;
    db.query(
        "DELETE FROM documents WHERE project_id IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM documents p WHERE p.id = documents.project_id)",
    )
    .exec()
    .await?;
    Ok(())
}

/// The vendors of a project: the named ones first, each by title. Ids that name nothing come before all.
pub(super) async fn vendors(
    db: &Db,
    project: Uuid,
    named: impl Iterator<Item = Uuid>,
    query: &VendorQuery,
) -> Result<Listed<Uuid>> {
    let named: Vec<Uuid> = named.collect();
    let order = || {
        let order = format!("v.is_named DESC, v.title{}, v.id", db.collate_bytes());
        AssertSqlSafe(order)
    };
    let page = query.page;
    let scope = vendors_of(db, project, &named, query);
    // Counted with the rows: what PostgreSQL reads of JSON is read once.
    let columns = "v.id, COUNT(*) OVER () AS total";
    let rows = scope.part::<(Uuid, i64)>(columns, order(), page.limit(), page.offset());
    let rows = rows.await?;
    if rows.is_empty() && page.number > 1 {
        let scope = vendors_of(db, project, &named, query);
        let listed = scope.page::<(Uuid,)>("v.id", order(), page);
        return Ok(listed.await?.map(|(id,)| id));
    }
    Ok(Listed {
        total: rows.first().map_or(0, |(_, total)| total.unsigned_abs()),
        items: rows.into_iter().map(|(id, _)| id).collect(),
        page,
    })
}

/// The name of a document `d` for people.
const NAME: &str = "COALESCE(NULLIF(d.data ->> 'title', ''), d.data ->> 'name', '')";

/// The rows `v` of [`vendors`], from `FROM` on.
fn vendors_of<'a>(db: &'a Db, project: Uuid, named: &[Uuid], query: &VendorQuery) -> Query<'a> {
    let title = db.ascii_lower(NAME);
    let custom = "d.collection = 'vendors' AND d.deleted_at IS NULL";
    let serves = access::serves("$1");
    let mut scope = db.query("FROM (WITH named (id) AS (VALUES ").bind(project);
    // No document has this id; a list of values has at least one.
    let ids = std::iter::once(Uuid::nil()).chain(named.iter().copied());
    scope.tuples(ids.map(|id| [id]));
    scope.push(
        ") SELECT c.id, 1 AS is_named, 0 AS is_custom, c.sort_key AS title \
         FROM named n JOIN catalogue_vendors c ON c.id = n.id WHERE 1 = 1",
    );
    scope.holds("c.search", lower_words(&fold(&query.text)));
    scope.push(AssertSqlSafe(format!(
        " UNION ALL SELECT d.id, CASE WHEN d.id IN (SELECT id FROM named) THEN 1 ELSE 0 END, 1, \
         {title} FROM documents d WHERE d.project_id = $1 AND {custom}"
    )));
    holds(&mut scope, db, &query.text);
    scope.push(AssertSqlSafe(format!(
        " UNION ALL SELECT d.id, 1, 1, {title} FROM named n JOIN documents d ON d.id = n.id \
         WHERE d.project_id IS NULL AND {custom} AND {serves}"
    )));
    holds(&mut scope, db, &query.text);
    if words(&query.text).next().is_none() {
        scope.push(" UNION ALL SELECT n.id, 1, 0, '' FROM named n WHERE n.id <> ");
        scope.value(Uuid::nil()).push(AssertSqlSafe(format!(
            " AND NOT EXISTS (SELECT 1 FROM catalogue_vendors c WHERE c.id = n.id) \
             AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = n.id AND {custom} AND {serves})"
        )));
    }
    scope.push(match query.only {
        Some(Only::Named) => ") v WHERE v.is_named = 1",
        Some(Only::Custom) => ") v WHERE v.is_custom = 1",
        None => ") v WHERE 1 = 1",
    });
    scope
}

/// Continues with the condition that every word of a text occurs in the naming fields of a document `d`.
fn holds(scope: &mut Query<'_>, db: &Db, text: &str) {
    // The text of the whole is cheaper to look at than its fields, and most documents go by it.
    scope.holds(&text_of(db), words(text).map(in_json));
    let fields = ["title", "name", "company", "domain"];
    let fields = fields.map(|field| format!("COALESCE(d.data ->> '{field}', '')"));
    let fields = db.ascii_lower(&format!("({})", fields.join(" || ' ' || ")));
    scope.holds(&fields, lower_words(text));
}

/// Custom vendors with these ids: those that `project` may use, or all of them if it is `None`. The result is `None` if
/// they weigh more than `most` bytes.
pub(crate) async fn custom_vendors(
    mut at: Target<'_>,
    project: Option<Uuid>,
    ids: &[Uuid],
    most: u64,
) -> Result<Option<Vec<Document>>> {
    let (mut found, mut room) = (Vec::new(), most);
    for ids in ids.chunks(MOST_IDS) {
        let mut query = at.query(AssertSqlSafe(format!(
            "SELECT d.data, {COLUMNS} FROM documents d WHERE d.collection = 'vendors' \
             AND d.deleted_at IS NULL"
        )));
        if let Some(project) = project {
            query = query.bind(project);
            query
                .push(" AND ")
                .push(AssertSqlSafe(access::serves("$1")));
        }
        query.push(" AND d.id IN (").values(ids.iter().copied());
        query.push(")");
        let rows = query.all_within((Row::size as fn(&Row) -> u64, room));
        let Some(rows) = rows.await? else {
            return Ok(None);
        };
        room -= rows.iter().map(Row::size).sum::<u64>();
        found.extend(rows.into_iter().map(Row::into_document));
    }
    Ok(Some(found))
}

/// The custom vendors of a project with these names; of several with one name the oldest.
pub(super) async fn vendors_by_name(
    db: &Db,
    project: Uuid,
    names: impl Iterator<Item = &str>,
) -> Result<BTreeMap<String, Uuid>> {
    let names: Vec<&str> = names.collect();
    let mut found = BTreeMap::new();
    for names in names.chunks(MOST_IDS) {
        let mut query = db.query("SELECT data ->> 'name', id FROM documents WHERE project_id = ");
        query
            .value(project)
            .push(" AND collection = 'vendors' AND deleted_at IS NULL AND data ->> 'name' IN (")
            .values(names.iter().copied())
            .push(") ORDER BY id DESC");
        found.extend(query.all::<(String, Uuid)>().await?);
    }
    Ok(found)
}

/// Those of these names, in lower case, that configurations of a project have.
pub(super) async fn names_taken(
    db: &Db,
    project: Uuid,
    names: &[String],
) -> Result<BTreeSet<String>> {
    let mut query = db.query("SELECT name_key FROM documents WHERE project_id = ");
    query
        .value(project)
        .push(" AND collection = 'cookies' AND deleted_at IS NULL AND name_key IN (")
        .values(names.iter().map(|name| name.to_ascii_lowercase()))
        .push(")");
    let taken: Vec<String> = query.all_values().await?;
    Ok(taken.into_iter().collect())
}

/// The fields of a project's configurations that name vendors and steps, oldest first: of all of them, or of those with
/// these ids. `None` if they are larger than [`MOST_OF_A_PAGE`].
pub(super) async fn steps(
    db: &Db,
    project: Uuid,
    among: Option<&[Uuid]>,
) -> Result<Option<Vec<(Uuid, Value)>>> {
    let columns = StepsRow::FIELDS.map(|field| format!("CAST(d.data -> '{field}' AS TEXT)"));
    let sql = format!(
        "SELECT d.id, {} FROM documents d WHERE d.project_id = $1 AND d.collection = 'cookies' \
         AND d.deleted_at IS NULL",
        columns.join(", ")
    );
    let mut query = db.query(AssertSqlSafe(sql)).bind(project);
    if let Some(ids) = among {
        with_ids(&mut query, ids);
    }
    query.push(" ORDER BY d.created_at, d.id");
    let rows = query.all_within((StepsRow::size as fn(&StepsRow) -> u64, MOST_OF_A_PAGE));
    let Some(rows) = rows.await? else {
        return Ok(None);
    };
    let (mut found, mut weight) = (Vec::new(), 0);
    for row in rows {
        let (id, fields) = row.into_fields();
        weight += json::weight(&fields);
        if weight > MOST_OF_A_PAGE {
            return Ok(None);
        }
        found.push((id, fields));
    }
    Ok(Some(found))
}

/// A configuration with the JSON of some of its fields.
#[derive(sqlx::FromRow)]
struct StepsRow(
    Uuid,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

impl StepsRow {
    const FIELDS: [&str; 5] = ["steps", "title", "name", "language", "isDefault"];

    fn size(&self) -> u64 {
        self.1.as_ref().map_or(0, String::len) as u64
    }

    fn into_fields(self) -> (Uuid, Value) {
        let Self(id, steps, title, name, language, is_default) = self;
        let values = [steps, title, name, language, is_default];
        let json = |text: String| serde_json::from_str(&text).ok();
        let fields: serde_json::Map<String, Value> = Self::FIELDS
            .iter()
            .zip(values)
            .filter_map(|(field, text)| Some(((*field).to_owned(), text.and_then(json)?)))
            .collect();
        (id, fields.into())
    }
}

/// Continues with the condition that a document `d` has one of these ids, of which [`MOST_CHOSEN`] count.
pub(super) fn with_ids(scope: &mut Query<'_>, ids: &[Uuid]) {
    // No document has this id; a list of values has at least one.
    let ids = std::iter::once(Uuid::nil()).chain(ids.iter().copied().take(MOST_CHOSEN));
    scope.push(" AND d.id IN (").values(ids).push(")");
}

/// The documents that a holder sees: those that are there, or those that were deleted since a time.
pub(super) fn seen(db: &Db, holder: Holder, deleted_since: Option<Timestamp>) -> Query<'_> {
    let mut scope = db
        .query("FROM documents d WHERE ")
        .bind(holder.user)
        .bind(holder.limited_by);
    scope.push(AssertSqlSafe(access::visible("$1", "$2")));
    match deleted_since {
        None => scope.push(" AND +d.deleted_at IS NULL"),
        Some(since) => scope.push(" AND +d.deleted_at >= ").value(since),
    };
    scope
}

/// Deleted documents of a project, or those that are in none. Their names have the words of a search.
pub(super) async fn trash(
    db: &Db,
    holder: Holder,
    project: Option<Uuid>,
    since: Timestamp,
    asked: &Asked,
) -> Result<Listed<Trashed>> {
    let mut scope = seen(db, holder, Some(since));
    match project {
        Some(project) => scope
            .push(" AND d.collection <> 'projects' AND d.project_id = ")
            .value(project),
        None => scope.push(" AND (d.collection = 'projects' OR d.project_id IS NULL)"),
    };
    scope.holds(&db.ascii_lower(NAME), lower_words(&asked.text));
    let columns = "d.id, d.collection, d.deleted_at, CAST(d.data -> 'title' AS TEXT) AS title, \
         CAST(d.data -> 'name' AS TEXT) AS name";
    let order = asked.order("d.deleted_at DESC, d.id DESC", "d.deleted_at, d.id");
    let found = scope.page::<TrashRow>(columns, order, asked.page).await?;
    Ok(found.map(TrashRow::into_trashed))
}

/// A deleted document, with the JSON of the fields that name it.
#[derive(sqlx::FromRow)]
struct TrashRow {
    id: Uuid,
    collection: String,
    deleted_at: Timestamp,
    title: Option<String>,
    name: Option<String>,
}

impl TrashRow {
    fn into_trashed(self) -> Trashed {
        let json = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
        let naming = serde_json::json!({
            "title": json(self.title).unwrap_or(Value::Null),
            "name": json(self.name).unwrap_or(Value::Null),
        });
        Trashed {
            id: self.id,
            // The column is only written from a `Collection`.
            collection: Collection::parse(&self.collection).unwrap_or(Collection::Projects),
            title: documents::title(&naming).unwrap_or_default(),
            deleted_at: self.deleted_at,
            can_restore: false,
        }
    }
}

/// The text of a document `d`, in ASCII lower case.
pub(super) fn text_of(db: &Db) -> String {
    db.ascii_lower("CAST(d.data AS TEXT)")
}

/// A text as JSON writes it, in ASCII lower case.
pub(super) fn in_json(text: &str) -> String {
    let json = Value::from(text.to_ascii_lowercase()).to_string();
    // Without the quotes around it.
    json.get(1..json.len() - 1).unwrap_or_default().to_owned()
}
