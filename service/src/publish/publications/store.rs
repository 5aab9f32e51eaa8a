//! SQL of publications.

use domain::collection::Collection;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, MOST_IDS, Query, Tx, Value,
        page::{Asked, Listed},
    },
    publish::{entries::Logged, iab::round_of},
    search::lower_words,
};

type Result<T> = std::result::Result<T, DbError>;

/// Project, job and time of a publish.
pub(in crate::publish) struct Stamp {
    pub project: Uuid,
    pub job: Uuid,
    pub at: Timestamp,
}

/// A new publication.
pub(in crate::publish) struct NewPublication {
    pub collection: Collection,
    pub configuration: Uuid,
    /// The language, of a widget that was translated.
    pub language: Option<String>,
    pub id: String,
    pub manifest: String,
    pub payload: String,
    pub vendors: Vec<String>,
}

impl NewPublication {
    fn logged(&self, project: Uuid) -> Logged<'_> {
        Logged {
            project,
            collection: self.collection.as_str(),
            configuration: self.configuration,
            language: self.language.as_deref(),
            id: &self.id,
            manifest: &self.manifest,
        }
    }
}

/// Most publications of one transaction. Others wait for the writer of SQLite meanwhile.
const AT_ONCE: usize = 50;

/// Makes publications provable; those that are known already stay as they are. With `logged` those that are not in
/// the ledger yet get their entries, before they go live. An interrupted call can be repeated.
pub(in crate::publish) async fn add(
    db: &Db,
    stamp: &Stamp,
    publications: &[NewPublication],
    logged: bool,
) -> Result<()> {
    // In the order of their keys, as all do that lock several.
    let mut publications: Vec<_> = publications.iter().collect();
    publications.sort_by_key(|one| (one.configuration, &one.id));
    for some in publications.chunks(AT_ONCE) {
        let mut tx = db.begin().await?;
        for publication in some {
            add_one(&mut tx, stamp, publication).await?;
            if logged {
                log(&mut tx, stamp.project, publication).await?;
            }
        }
        tx.commit().await?;
    }
    Ok(())
}

async fn add_one(tx: &mut Tx, stamp: &Stamp, publication: &NewPublication) -> Result<()> {
    let Stamp { project, job, at } = *stamp;
    tx.query(
        "INSERT INTO publications (project_id, configuration_id, id, collection, manifest, \
         payload, job_id, published_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
         ON CONFLICT (project_id, configuration_id, id) DO NOTHING",
    )
    .bind(project)
    .bind(publication.configuration)
    .bind(&publication.id)
    .bind(publication.collection.as_str())
    .bind(&publication.manifest)
    .bind(&publication.payload)
    .bind(job)
    .bind(at)
    .exec()
    .await?;
    for names in publication.vendors.chunks(MOST_IDS) {
        let mut statement =
            tx.query("INSERT INTO published_vendors (project_id, configuration_id, name) VALUES ");
        statement.tuples(names.iter().map(|name| {
            [
                Value::from(project),
                Value::from(publication.configuration),
                Value::from(name),
            ]
        }));
        statement.push(" ON CONFLICT (project_id, configuration_id, name) DO NOTHING");
        statement.exec().await?;
    }
    Ok(())
}

/// Adds the entry of a publication that has none.
async fn log(tx: &mut Tx, project: Uuid, publication: &NewPublication) -> Result<()> {
    let lock = tx.for_update();
    let batch: Option<i64> = tx
        .query(AssertSqlSafe(format!(
            "SELECT batch FROM publications \
             WHERE project_id = $1 AND configuration_id = $2 AND id = $3{lock}"
        )))
        .bind(project)
        .bind(publication.configuration)
        .bind(&publication.id)
        .one_value()
        .await?;
    if batch.is_some() {
        return Ok(());
    }
    publication.logged(project).add(tx).await
}

/// The names by which a publication is found.
#[derive(Clone, Copy, Debug)]
pub struct PublicationKey<'a> {
    /// Project.
    pub project: Uuid,
    /// Cookie configuration, consent box or contract box.
    pub configuration: Uuid,
    /// SHA-256 (hex) of the manifest.
    pub publication: &'a str,
}

impl PublicationKey<'_> {
    /// The values of the first three placeholders of a statement.
    pub(in crate::publish) fn bound(self, statement: Query<'_>) -> Query<'_> {
        statement
            .bind(self.project)
            .bind(self.configuration)
            .bind(self.publication)
    }
}

/// A publication, as visitors saw it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Publication {
    /// SHA-256 of the manifest.
    pub id: String,
    /// `cookies`, `processings` or `contracts`.
    pub collection: String,
    /// Canonical configuration, hash of the payload, hash of the SDK; JSON.
    pub manifest: String,
    /// The rendered widget.
    pub payload: String,
    /// First published.
    pub published_at: Timestamp,
}

/// A publication without its manifest.
#[derive(sqlx::FromRow)]
pub(super) struct PublicationRow {
    pub configuration_id: Uuid,
    pub id: String,
    pub collection: String,
    pub job_id: Uuid,
    pub published_at: Timestamp,
}

/// The publications of a project: all, those of documents whose name has the words of a search, and those whose hash
/// begins with it.
pub(super) async fn publications(
    db: &Db,
    project: Uuid,
    asked: &Asked,
) -> Result<Listed<PublicationRow>> {
    let mut scope = db
        .query("FROM publications p WHERE p.project_id = $1")
        .bind(project);
    let text = asked.text.trim();
    if !text.is_empty() {
        // No manifest is looked at: each may be a megabyte.
        scope.push(
            " AND (p.configuration_id IN (SELECT d.id FROM documents d WHERE d.project_id = $1",
        );
        let names = "(COALESCE(d.data ->> 'title', '') || ' ' || COALESCE(d.data ->> 'name', ''))";
        scope.holds(&db.ascii_lower(names), lower_words(text));
        scope.push(") OR ");
        scope
            .position("p.id", text.to_ascii_lowercase())
            .push(" = 1)");
    }
    let order = asked.order(
        "p.published_at DESC, p.configuration_id, p.id",
        "p.published_at, p.configuration_id, p.id",
    );
    let columns = "p.configuration_id, p.id, p.collection, p.job_id, p.published_at";
    scope.page(columns, order, asked.page).await
}

/// The words by which people know a publication.
#[derive(sqlx::FromRow)]
pub(super) struct PublicationNames {
    pub configuration_id: Uuid,
    pub id: String,
    pub title: String,
    pub language: String,
}

/// The names of some publications. Manifests are long, so they are read of a page alone.
pub(super) async fn names(
    db: &Db,
    project: Uuid,
    ids: impl ExactSizeIterator<Item = &str>,
) -> Result<Vec<PublicationNames>> {
    if ids.len() == 0 {
        return Ok(Vec::new());
    }
    let field = |name: &str| {
        let of = |part: &str| format!("{} -> '{part}' ->> '{name}'", db.json("manifest"));
        format!(
            "NULLIF({}, ''), NULLIF({}, '')",
            of("configuration"),
            of("document")
        )
    };
    let mut statement = db.query(AssertSqlSafe(format!(
        "SELECT configuration_id, id, COALESCE({}, {}, '') AS title, COALESCE({}, '') AS language \
         FROM publications WHERE project_id = $1 AND id IN (",
        field("title"),
        field("name"),
        field("language"),
    )))
    .bind(project);
    statement.values(ids).push(")");
    statement.all().await
}

/// Manifests that [`last_round`] looks into.
const MANIFESTS: i64 = 4;

/// The round in which a configuration asked last by TCF. Rounds rise only, so the latest manifests have it.
pub(in crate::publish) async fn last_round(
    db: &Db,
    project: Uuid,
    configuration: Uuid,
) -> Result<Option<u32>> {
    let manifests: Vec<String> = db
        .query(
            "SELECT manifest FROM publications WHERE project_id = $1 AND configuration_id = $2 \
             AND manifest LIKE $3 ORDER BY published_at DESC, id LIMIT $4",
        )
        .bind(project)
        .bind(configuration)
        .bind("%\"round\":%")
        .bind(MANIFESTS)
        .all_values()
        .await?;
    let rounds = manifests.iter().filter_map(|manifest| round_of(manifest));
    Ok(rounds.max())
}

/// A publication by its key.
pub(in crate::publish) async fn publication(
    db: &Db,
    key: PublicationKey<'_>,
) -> Result<Option<Publication>> {
    let statement = db.query(
        "SELECT id, collection, manifest, payload, published_at FROM publications \
         WHERE project_id = $1 AND configuration_id = $2 AND id = $3",
    );
    key.bound(statement).optional().await
}
