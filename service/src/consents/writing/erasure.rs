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
    db::{DbError, Tx},
    ledger,
};

type Result<T> = std::result::Result<T, DbError>;

/// Consents of a token that became tombstones.
pub(in crate::consents) struct Batch {
    /// Their number.
    pub erased: u64,
    /// The time that they tell.
    pub erased_at: Timestamp,
    /// True if the token had no others.
    pub is_last: bool,
}

/// Makes tombstones of some consents of a token. The caller commits.
pub(in crate::consents) async fn erase_some(
    tx: &mut Tx,
    project: Uuid,
    token: &str,
    now: Timestamp,
) -> Result<Batch> {
    // In the order of the index: strangers may give a token any number of consents, and a batch looks at its own.
    let ids: Vec<Uuid> = tx
        .query(
            "SELECT c.consent_id FROM consents c WHERE c.project_id = $1 AND c.token = $2 \
             ORDER BY c.identifier, c.decided_at, c.seq LIMIT $3",
        )
        .bind(project)
        .bind(token)
        .bind(BATCH)
        .all_values()
        .await?;
    let is_last = (ids.len() as i64) < BATCH;
    let mut rows: Vec<BoundRow> = Vec::new();
    if !ids.is_empty() {
        let sql = format!(
            "SELECT {READ}, {BOUND} FROM consents c WHERE c.project_id = $1 AND c.consent_id IN ("
        );
        let lock = tx.for_update();
        let mut statement = tx.query(AssertSqlSafe(sql)).bind(project);
        // Locked in the order in which all writers write, so that each is erased once.
        statement.values(ids).push(") ORDER BY c.consent_id");
        statement.push(lock);
        rows = statement.all().await?;
        rows.retain(|row| row.consent.token == token);
    }
    // The clock of the process that took a consent may be ahead of this one's.
    let received = rows.iter().map(|row| row.consent.received_at);
    let now = received.fold(now, Timestamp::max);
    let done = Batch {
        erased: rows.len() as u64,
        erased_at: now,
        is_last,
    };
    if rows.is_empty() {
        return Ok(done);
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
    Ok(done)
}
