//! Locks of rows, which a transaction holds until it ends.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{Begun, DbError, Tx};

/// A row that a transaction locks: what it asks afterwards stays true until it ends. Each transaction locks rows in the
/// order of these variants, and those of one variant in the order of their ids, so no two wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Locked {
    /// An account, with its sessions, secrets and factors.
    Account(Uuid),
    /// A document, with its members; a project also with its files and publishes.
    Document(Uuid),
    /// An organization, with its members.
    Organization(Uuid),
    /// A publish.
    Publish(Uuid),
    /// A file of a project, with its renders.
    Asset(Uuid),
    /// A webhook, with its deliveries.
    Webhook(Uuid),
    /// The bytes that an account holds.
    BytesHeld(Uuid),
    /// The bytes that an account has written on a day.
    BytesOfDay(Uuid),
}

impl Locked {
    /// The table of the row, the column of its id, and the id.
    fn place(self) -> (&'static str, &'static str, Uuid) {
        match self {
            Self::Account(id) => ("users", "id", id),
            Self::Document(id) => ("documents", "id", id),
            Self::Organization(id) => ("organizations", "id", id),
            Self::Publish(id) => ("publish_jobs", "id", id),
            Self::Asset(id) => ("assets", "id", id),
            Self::Webhook(id) => ("webhooks", "id", id),
            Self::BytesHeld(id) => ("account_bytes", "account_id", id),
            Self::BytesOfDay(id) => ("account_days", "account_id", id),
        }
    }
}

impl Tx {
    /// Locks a row until the transaction ends. Returns false if there is none.
    pub(crate) async fn lock(&mut self, row: Locked) -> Result<bool, DbError> {
        self.note_lock(row);
        let (table, column, id) = row.place();
        let lock = match self.begun {
            // The single writer is the lock.
            Begun::Sqlite(_) => "",
            // Rows that refer to this one may still be added.
            Begun::Postgres(_) => " FOR NO KEY UPDATE",
        };
        let found: Option<Uuid> = self
            .query(AssertSqlSafe(format!(
                "SELECT {column} FROM {table} WHERE {column} = $1{lock}"
            )))
            .bind(id)
            .optional_value()
            .await?;
        Ok(found.is_some())
    }

    /// Notes a lock that a statement takes by itself.
    pub(crate) fn note_lock(&mut self, row: Locked) {
        debug_assert!(
            self.locked.contains(&row) || self.locked.iter().all(|before| *before < row),
            "{row:?} is locked after {:?}",
            self.locked
        );
        self.locked.push(row);
    }

    /// SQL behind a selection of rows that the transaction changes.
    pub(crate) fn for_update(&self) -> &'static str {
        match self.begun {
            Begun::Sqlite(_) => "",
            Begun::Postgres(_) => " FOR UPDATE",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::testing;

    #[tokio::test]
    #[should_panic(expected = "is locked after")]
    async fn nothing_is_locked_in_another_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut tx = testing::new_in(folder.path()).await.begin().await.unwrap();
        let (account, project) = (Uuid::nil(), Uuid::max());
        assert!(!tx.lock(Locked::Account(account)).await.unwrap());
        assert!(!tx.lock(Locked::Document(project)).await.unwrap());
        assert!(!tx.lock(Locked::Account(account)).await.unwrap());
        let _ = tx.lock(Locked::Account(project)).await;
    }
}
