//! SQL of the ledger's entries of publications.

use proof::commitment::Publication as Entry;
use serde_json::Value;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    db::{Db, DbError, Tx},
    ledger,
    objects::sha256_hex,
};

type Result<T> = std::result::Result<T, DbError>;

/// A publication for the ledger.
pub(in crate::publish) struct Logged<'a> {
    pub project: Uuid,
    pub collection: &'a str,
    pub configuration: Uuid,
    pub language: Option<&'a str>,
    pub id: &'a str,
    pub manifest: &'a str,
}

impl Logged<'_> {
    /// Adds its entry.
    pub(in crate::publish) async fn add(&self, tx: &mut Tx) -> Result<()> {
        let (project, identifier) = (self.project.to_string(), self.configuration.to_string());
        let entry = Entry {
            project_id: &project,
            collection: self.collection,
            identifier: &identifier,
            language: self.language,
            publication: self.id,
            manifest: &sha256_hex(self.manifest.as_bytes()),
            version: env!("CARGO_PKG_VERSION"),
        };
        let batch = ledger::add(tx, ledger::Kind::Publications, &[entry.entry()]).await?;
        tx.query(
            "UPDATE publications SET batch = $4 \
             WHERE project_id = $1 AND configuration_id = $2 AND id = $3",
        )
        .bind(self.project)
        .bind(self.configuration)
        .bind(self.id)
        .bind(batch)
        .exec()
        .await?;
        Ok(())
    }
}

/// Project, configuration or box, and id of a publication.
pub(in crate::publish) type Key = (Uuid, Uuid, String);

/// Keys that are read at a time.
const PAGE: i64 = 500;

/// The next keys, and whether the publication there has no entry.
pub(in crate::publish) async fn keys_after(
    db: &Db,
    (project, configuration, id): &Key,
) -> Result<Vec<(Key, bool)>> {
    let page: Vec<(Uuid, Uuid, String, bool)> = db
        .query(
            "SELECT project_id, configuration_id, id, batch IS NULL FROM publications \
             WHERE (project_id, configuration_id, id) > ($1, $2, $3) \
             ORDER BY project_id, configuration_id, id LIMIT $4",
        )
        .bind(*project)
        .bind(*configuration)
        .bind(id)
        .bind(PAGE)
        .all()
        .await?;
    let keyed = page.into_iter();
    Ok(keyed
        .map(|(project, configuration, id, is_open)| ((project, configuration, id), is_open))
        .collect())
}

/// Adds the entries of those of these publications, in the order of their keys, that have none. Returns their number. The
/// language of a translated widget stands in its manifest.
pub(in crate::publish) async fn log_some(db: &Db, keys: &[Key]) -> Result<u64> {
    let mut tx = db.begin().await?;
    let mut added = 0;
    for (project, configuration, id) in keys {
        let lock = tx.for_update();
        let row: Option<(String, String)> = tx
            .query(AssertSqlSafe(format!(
                "SELECT collection, manifest FROM publications WHERE project_id = $1 \
                 AND configuration_id = $2 AND id = $3 AND batch IS NULL{lock}"
            )))
            .bind(*project)
            .bind(*configuration)
            .bind(id)
            .optional()
            .await?;
        let Some((collection, manifest)) = row else {
            continue;
        };
        let read: Value = serde_json::from_str(&manifest)
            .map_err(|error| DbError::Fault(sqlx::Error::Decode(Box::new(error))))?;
        let told = |pointer| read.pointer(pointer).and_then(Value::as_str);
        let is_translated = told("/configuration/textLanguage").is_some();
        let language = told("/configuration/language");
        let logged = Logged {
            project: *project,
            collection: &collection,
            configuration: *configuration,
            language: language.filter(|_| is_translated),
            id,
            manifest: &manifest,
        };
        logged.add(&mut tx).await?;
        added += 1;
    }
    tx.commit().await?;
    Ok(added)
}
