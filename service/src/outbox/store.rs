//! SQL that adds deliveries. `consents::writing` adds those of consents in its own statement.

use domain::webhook::EventKind;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// Adds deliveries for the project's webhooks, in the transaction in which a publish ends.
pub(crate) async fn add_publish(
    tx: &mut Tx,
    project: Uuid,
    job: Uuid,
    kind: EventKind,
    now: Timestamp,
) -> Result<()> {
    tx.query(
        "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, by_hand, \
         next_at, created_at) SELECT w.id, $2, $3, $2, 'waiting', 0, FALSE, $4, $4 FROM webhooks w \
         WHERE w.project_id = $1 AND w.topic = 'publish' AND w.active \
         ON CONFLICT (webhook_id, id) DO NOTHING",
    )
    .bind(project)
    .bind(job)
    .bind(kind.as_str())
    .bind(now)
    .exec()
    .await?;
    Ok(())
}
