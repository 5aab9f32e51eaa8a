//! SQL of the pictures of publications.

use domain::pictures::PictureList;
use proof::commitment::Pictures as Entry;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    ledger,
    objects::sha256_hex,
    publish::PublicationKey,
};

type Result<T> = std::result::Result<T, DbError>;

/// They are being taken, or wait for it.
pub(super) const ASKED: &str = "asked";
/// They are there.
pub(super) const TAKEN: &str = "taken";
/// Most publications of a project whose pictures wait. Those of further ones can be asked for later.
const MOST_ASKED: u64 = 200;
/// Rows of projects that are gone, read at once.
const ORPHANS: i64 = 100;

/// Days after which pictures that nobody has taken can be asked for again: a release that knows nothing of them has
/// ended their job.
const LOST_DAYS: i64 = 2;

/// The pictures of a publication, as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct Row {
    pub state: String,
    pub at: Timestamp,
    pub fault: Option<String>,
    pub list: Option<String>,
    pub list_hash: Option<String>,
    pub asked_by: Option<Uuid>,
}

/// The pictures of a project that is gone.
#[derive(sqlx::FromRow)]
pub(super) struct Orphan {
    pub project_id: Uuid,
    pub configuration_id: Uuid,
    pub publication: String,
    pub list: Option<String>,
}

/// Pictures that were asked for until then, and are not there, never come.
pub(super) fn lost_since(now: Timestamp) -> Timestamp {
    now.plus_days(-LOST_DAYS)
}

pub(super) async fn lookup(db: &Db, key: PublicationKey<'_>) -> Result<Option<Row>> {
    let statement = db.query(
        "SELECT state, at, fault, list, list_hash, asked_by FROM publication_pictures \
         WHERE project_id = $1 AND configuration_id = $2 AND publication = $3",
    );
    key.bound(statement).optional().await
}

pub(super) async fn is_published(db: &Db, key: PublicationKey<'_>) -> Result<bool> {
    let statement = db.query(
        "SELECT COUNT(*) FROM publications \
         WHERE project_id = $1 AND configuration_id = $2 AND id = $3",
    );
    let found = key.bound(statement).count().await?;
    Ok(found > 0)
}

/// Records that pictures are wanted. False if they are there, are wanted already (but for those that nobody has taken
/// since `lost`), or too many of the project are.
pub(in crate::publish) async fn ask(
    tx: &mut Tx,
    key: PublicationKey<'_>,
    by: Option<Uuid>,
    now: Timestamp,
) -> Result<bool> {
    let lost = lost_since(now);
    let waiting = tx
        .query(
            "SELECT COUNT(*) FROM publication_pictures \
             WHERE project_id = $1 AND state = $2 AND at > $3",
        )
        .bind(key.project)
        .bind(ASKED)
        .bind(lost)
        .count()
        .await?;
    if waiting >= MOST_ASKED {
        return Ok(false);
    }
    let statement = tx.query(
        "INSERT INTO publication_pictures (project_id, configuration_id, publication, state, at, asked_by) \
         VALUES ($1, $2, $3, $4, $5, $7) ON CONFLICT (project_id, configuration_id, publication) \
         DO UPDATE SET state = excluded.state, at = excluded.at, fault = NULL, \
         asked_by = excluded.asked_by \
         WHERE publication_pictures.state = 'failed' \
         OR publication_pictures.state = 'asked' AND publication_pictures.at <= $6",
    );
    let asked = key
        .bound(statement)
        .bind(ASKED)
        .bind(now)
        .bind(lost)
        .bind(by)
        .exec()
        .await?;
    Ok(asked > 0)
}

/// Bytes of all pictures of a project.
pub(super) async fn bytes_of_project(db: &Db, project: Uuid) -> Result<u64> {
    db.query("SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM publication_pictures WHERE project_id = $1")
        .bind(project)
        .count()
        .await
}

/// Bytes of all pictures that an account has asked for.
pub(super) async fn bytes_of_account(db: &Db, account: Uuid) -> Result<u64> {
    db.query("SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM publication_pictures WHERE asked_by = $1")
        .bind(account)
        .count()
        .await
}

/// A list of pictures as it is kept.
pub(super) struct Kept<'a> {
    text: &'a str,
    hash: String,
    /// Bytes of all its pictures.
    bytes: i64,
}

impl<'a> Kept<'a> {
    pub(super) fn new(text: &'a str, list: &PictureList) -> Self {
        let bytes = list.pictures.iter().map(|picture| picture.bytes);
        Self {
            text,
            hash: sha256_hex(text.as_bytes()),
            bytes: i64::try_from(bytes.sum::<u64>()).unwrap_or(i64::MAX),
        }
    }

    /// True if a publication has this list.
    pub(super) fn is_of(&self, row: &Row) -> bool {
        row.list_hash.as_ref() == Some(&self.hash)
    }
}

/// Wants pictures that are there in this moment. False if the publication has some.
pub(super) async fn claim(
    tx: &mut Tx,
    key: PublicationKey<'_>,
    by: Option<Uuid>,
    now: Timestamp,
) -> Result<bool> {
    let statement = tx.query(
        "INSERT INTO publication_pictures (project_id, configuration_id, publication, state, at, asked_by) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (project_id, configuration_id, publication) \
         DO UPDATE SET state = excluded.state, at = excluded.at, fault = NULL, asked_by = excluded.asked_by \
         WHERE publication_pictures.list IS NULL",
    );
    let claimed = key
        .bound(statement)
        .bind(ASKED)
        .bind(now)
        .bind(by)
        .exec()
        .await?;
    Ok(claimed > 0)
}

/// Records the list of pictures that were wanted, with its entry in the ledger if that is on. Pictures that are not wanted
/// any more count all the same.
pub(super) async fn taken(
    db: &Db,
    key: PublicationKey<'_>,
    kept: &Kept<'_>,
    by: Option<Uuid>,
    logged: bool,
    now: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    if !record(&mut tx, key, kept, logged, now).await? {
        unlisted(&mut tx, key, kept, by, now).await?;
    }
    tx.commit().await
}

/// Records a list in the transaction that wanted it. False if pictures are not wanted.
pub(super) async fn record(
    tx: &mut Tx,
    key: PublicationKey<'_>,
    kept: &Kept<'_>,
    logged: bool,
    now: Timestamp,
) -> Result<bool> {
    let statement = tx.query(
        "UPDATE publication_pictures SET state = $4, at = $5, list = $6, list_hash = $7, bytes = $8 \
         WHERE project_id = $1 AND configuration_id = $2 AND publication = $3 AND state = 'asked'",
    );
    let ended = key
        .bound(statement)
        .bind(TAKEN)
        .bind(now)
        .bind(kept.text)
        .bind(kept.hash.as_str())
        .bind(kept.bytes)
        .exec()
        .await?;
    if ended > 0 && logged {
        log(tx, key, &kept.hash).await?;
    }
    Ok(ended > 0)
}

/// Keeps the list of pictures that are stored while another list of the publication came first, in a row that no publication
/// has: they count as the others, and go with their project. Without `list_hash` they get no entry.
pub(super) async fn unlisted(
    tx: &mut Tx,
    key: PublicationKey<'_>,
    kept: &Kept<'_>,
    by: Option<Uuid>,
    now: Timestamp,
) -> Result<()> {
    let publication = format!("{} {}", key.publication, kept.hash);
    let key = PublicationKey {
        publication: &publication,
        ..key
    };
    let statement = tx.query(
        "INSERT INTO publication_pictures \
         (project_id, configuration_id, publication, state, at, asked_by, bytes, list) \
         VALUES ($1, $2, $3, 'failed', $4, $5, $6, $7) \
         ON CONFLICT (project_id, configuration_id, publication) DO NOTHING",
    );
    let statement = key.bound(statement).bind(now).bind(by);
    statement.bind(kept.bytes).bind(kept.text).exec().await?;
    Ok(())
}

/// Adds the entry of a list of pictures, whose SHA-256 it holds.
async fn log(tx: &mut Tx, key: PublicationKey<'_>, hash: &str) -> Result<()> {
    let entry = Entry {
        publication: key.publication,
        pictures: hash,
    };
    let batch = ledger::add(tx, ledger::Kind::Publications, &[entry.entry()]).await?;
    let statement = tx.query(
        "UPDATE publication_pictures SET batch = $4 \
         WHERE project_id = $1 AND configuration_id = $2 AND publication = $3",
    );
    key.bound(statement).bind(batch).exec().await?;
    Ok(())
}

/// Project, configuration or box, and id of a publication, as read.
type Named = (Uuid, Uuid, String);

/// Keys that are read at a time.
const PAGE: i64 = 500;

/// The next publications whose lists of pictures have no entry, in the order of their keys. Each is open.
pub(in super::super) async fn lists_after(
    db: &Db,
    (project, configuration, publication): &Named,
) -> Result<Vec<(Named, bool)>> {
    let page: Vec<Named> = db
        .query(
            "SELECT project_id, configuration_id, publication FROM publication_pictures \
             WHERE (project_id, configuration_id, publication) > ($1, $2, $3) \
             AND batch IS NULL AND list_hash IS NOT NULL \
             ORDER BY project_id, configuration_id, publication LIMIT $4",
        )
        .bind(*project)
        .bind(*configuration)
        .bind(publication)
        .bind(PAGE)
        .all()
        .await?;
    Ok(page.into_iter().map(|key| (key, true)).collect())
}

/// Adds the entries of those of these lists that have none. Returns their number.
pub(in super::super) async fn log_some(db: &Db, keys: &[Named]) -> Result<u64> {
    let mut tx = db.begin().await?;
    let mut added = 0;
    for (project, configuration, publication) in keys {
        let lock = tx.for_update();
        let hash: Option<String> = tx
            .query(AssertSqlSafe(format!(
                "SELECT list_hash FROM publication_pictures WHERE project_id = $1 \
                 AND configuration_id = $2 AND publication = $3 \
                 AND batch IS NULL AND list_hash IS NOT NULL{lock}"
            )))
            .bind(*project)
            .bind(*configuration)
            .bind(publication)
            .optional_value()
            .await?;
        if let Some(hash) = hash {
            let key = PublicationKey {
                project: *project,
                configuration: *configuration,
                publication,
            };
            log(&mut tx, key, &hash).await?;
            added += 1;
        }
    }
    tx.commit().await?;
    Ok(added)
}

/// Records why pictures that were wanted could not be taken.
pub(super) async fn failed(
    db: &Db,
    key: PublicationKey<'_>,
    fault: &str,
    now: Timestamp,
) -> Result<()> {
    let statement = db.query(
        "UPDATE publication_pictures SET state = 'failed', at = $4, fault = $5 \
         WHERE project_id = $1 AND configuration_id = $2 AND publication = $3 AND state = 'asked'",
    );
    key.bound(statement).bind(now).bind(fault).exec().await?;
    Ok(())
}

/// Some pictures of projects that are gone, `after` others.
pub(super) async fn orphans(db: &Db, after: Option<&Orphan>) -> Result<Vec<Orphan>> {
    let mut orphans = db.query(
        "SELECT p.project_id, p.configuration_id, p.publication, p.list FROM publication_pictures p \
         WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = p.project_id)",
    );
    if let Some(after) = after {
        orphans
            .push(" AND (p.project_id, p.configuration_id, p.publication) > (")
            .value(after.project_id)
            .push(", ")
            .value(after.configuration_id)
            .push(", ")
            .value(after.publication.clone())
            .push(")");
    }
    orphans
        .push(" ORDER BY p.project_id, p.configuration_id, p.publication LIMIT ")
        .value(ORPHANS);
    orphans.all().await
}

pub(super) async fn forget(db: &Db, key: PublicationKey<'_>) -> Result<()> {
    let statement = db.query(
        "DELETE FROM publication_pictures \
         WHERE project_id = $1 AND configuration_id = $2 AND publication = $3",
    );
    key.bound(statement).exec().await?;
    Ok(())
}
