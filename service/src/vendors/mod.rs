//! The catalogue of vendors that the service maintains.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::{
    db::{Db, DbError},
    on,
};

/// The sub-service `vendors`.
pub struct Vendors {
    db: Db,
}

impl Vendors {
    pub(crate) fn new(db: Db) -> Self {
        Self { db }
    }

    /// Which of these ids are in the catalogue.
    pub async fn known(&self, ids: &[Uuid]) -> Result<BTreeSet<Uuid>, DbError> {
        let mut known = BTreeSet::new();
        for id in ids {
            let found: Option<Uuid> = on!(&self.db, pool => sqlx::query_scalar(
                "SELECT id FROM catalogue_vendors WHERE id = $1")
                .bind(id)
                .fetch_optional(pool)
                .await)?;
            known.extend(found);
        }
        Ok(known)
    }

    /// Entries by id, in a language, as they are published.
    pub async fn by_ids(
        &self,
        ids: &[Uuid],
        _language: &str,
    ) -> Result<BTreeMap<Uuid, domain::published::Vendor>, DbError> {
        let _ = ids;
        Ok(BTreeMap::new())
    }

    /// Ids of entries by name, in the order of the names; unknown ones are left out.
    pub async fn ids_by_name(&self, names: &[&str]) -> Result<Vec<Uuid>, DbError> {
        let mut ids = Vec::with_capacity(names.len());
        for name in names {
            let found: Option<Uuid> = on!(&self.db, pool => sqlx::query_scalar(
                "SELECT id FROM catalogue_vendors WHERE name = $1")
                .bind(name)
                .fetch_optional(pool)
                .await)?;
            ids.extend(found);
        }
        Ok(ids)
    }
}
