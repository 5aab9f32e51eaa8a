//! Erasure: rows become tombstones, and their entries say so.

use proof::Hash;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{BATCH, forget_answers};
use crate::{
    clock::Timestamp,
    consents::{
        commitment::{Remains, erasure_entry},
        row::{BOUND, BoundRow, READ},
    },
    db::{Db, DbError, Tx},
    ledger,
};

type Result<T> = std::result::Result<T, DbError>;

/// Makes tombstones of some consents of a token that were received up to a moment; 0 when there
/// are none left. The caller commits.
pub(in crate::consents) async fn erase_some(
    db: &Db,
    tx: &mut Tx,
    project: Uuid,
    token: &str,
    now: Timestamp,
) -> Result<u64> {
    // Locked, so that each is erased once.
    let rows: Vec<BoundRow> = tx
        .query(AssertSqlSafe(format!(
            "SELECT {READ}, {BOUND} FROM consents c WHERE c.project_id = $1 AND c.token = $2 \
             AND c.received_at <= $3 ORDER BY c.consent_id LIMIT $4{}",
            db.for_update()
        )))
        .bind(project)
        .bind(token)
        .bind(now)
        .bind(BATCH)
        .all()
        .await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let mut remains = Vec::new();
    let mut entries = Vec::new();
    for row in &rows {
        let salt = row
            .salt
            .as_deref()
            .and_then(|salt| Hash::try_from(salt).ok());
        if let Some(salt) = salt {
            let left = Remains::of(&row.consent, &salt);
            entries.push(erasure_entry(&row.consent, &left, now));
            remains.push((row.consent.consent_id, left));
        }
    }
    let mut statement = tx
        .query(
            "UPDATE consents SET token = '', preferences = '{}', value = NULL, page_host = NULL, \
             ip = NULL, country = NULL, language = NULL, user_agent = NULL, body_hash = $2, erased_at = $3, \
             salt = NULL WHERE project_id = $1 AND consent_id IN (",
        )
        .bind(project)
        .bind([0_u8; 32].as_slice())
        .bind(now);
    statement
        .values(rows.iter().map(|row| row.consent.consent_id))
        .push(")");
    statement.exec().await?;
    if !entries.is_empty() {
        let batch = ledger::add(tx, ledger::Kind::Consents, &entries).await?;
        for (consent, left) in remains {
            tx.query(
                "UPDATE consents SET salt = $3, erasure_batch = $4 \
                 WHERE project_id = $1 AND consent_id = $2",
            )
            .bind(project)
            .bind(consent)
            .bind(left.to_column())
            .bind(batch)
            .exec()
            .await?;
        }
    }
    let seqs: Vec<Uuid> = rows.iter().map(|row| row.consent.seq).collect();
    forget_answers(tx, project, &seqs).await?;
    Ok(rows.len() as u64)
}
