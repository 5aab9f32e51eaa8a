//! SQL of publish jobs that wait.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    publish::{
        progress::Step,
        store::{COLUMNS, GIVEN, JobRow, WANTED, json, new_steps},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// Lets a job wait whose content is made; for an approval as well, if it has none and needs one.
pub(in crate::publish) async fn wait(
    db: &Db,
    id: Uuid,
    steps: &[Step],
    needs_approval: bool,
) -> Result<()> {
    let sql = format!(
        "UPDATE publish_jobs SET status = 'waiting', steps = $2, \
         approval = CASE WHEN $3 THEN COALESCE(approval, '{WANTED}') ELSE approval END \
         WHERE id = $1 AND status = 'started'"
    );
    db.query(AssertSqlSafe(sql))
        .bind(id)
        .bind(json(steps))
        .bind(needs_approval)
        .exec()
        .await?;
    Ok(())
}

/// A publish that was complete.
#[derive(sqlx::FromRow)]
pub(super) struct Completed {
    pub id: Uuid,
    pub rollback_to: Option<Uuid>,
    /// True if a second person approved it.
    pub approved: bool,
}

/// Publishes among which the versions before the present one are looked for. An older version needs approval anyway.
const MOST_LATEST: u32 = 200;

/// The latest publishes of a project that were complete, newest first.
pub(super) async fn latest(db: &Db, project: Uuid) -> Result<Vec<Completed>> {
    let sql = format!(
        "SELECT id, rollback_to, COALESCE(approval, '') = '{GIVEN}' AS approved FROM publish_jobs \
         WHERE project_id = $1 AND completed_at IS NOT NULL AND status = 'complete' \
         ORDER BY completed_at DESC, id DESC LIMIT {MOST_LATEST}"
    );
    db.query(AssertSqlSafe(sql)).bind(project).all().await
}

/// The job of a project that waits.
pub(in crate::publish) async fn waiting(db: &Db, project: Uuid) -> Result<Option<JobRow>> {
    let sql =
        format!("SELECT {COLUMNS} FROM publish_jobs WHERE project_id = $1 AND status = 'waiting'");
    db.query(AssertSqlSafe(sql)).bind(project).optional().await
}

/// Jobs that wait, whose time has come, and that need no approval. The first of each person comes before the second of
/// anybody, so that the many of one person delay no other's.
pub(in crate::publish) async fn due(db: &Db, now: Timestamp, most: i64) -> Result<Vec<JobRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT {COLUMNS}, \
         ROW_NUMBER() OVER (PARTITION BY initiated_by ORDER BY publish_at, id) AS turn \
         FROM publish_jobs WHERE status = 'waiting' AND publish_at <= $1 \
         AND COALESCE(approval, '{GIVEN}') = '{GIVEN}') due ORDER BY turn, publish_at, id LIMIT $2"
    );
    db.query(AssertSqlSafe(sql))
        .bind(now)
        .bind(most)
        .all()
        .await
}

/// Asks for the approval of a job that waits for its time alone.
pub(in crate::publish) async fn want_approval(db: &Db, id: Uuid) -> Result<()> {
    let sql = format!(
        "UPDATE publish_jobs SET approval = '{WANTED}' \
         WHERE id = $1 AND status = 'waiting' AND approval IS NULL"
    );
    db.query(AssertSqlSafe(sql)).bind(id).exec().await?;
    Ok(())
}

/// Records the approval of a job that waits for one. False if it does not.
pub(in crate::publish) async fn approve(
    tx: &mut Tx,
    id: Uuid,
    by: Uuid,
    now: Timestamp,
) -> Result<bool> {
    let sql = format!(
        "UPDATE publish_jobs SET approval = '{GIVEN}', decided_by = $2, decided_at = $3 \
         WHERE id = $1 AND status = 'waiting' AND approval = '{WANTED}'"
    );
    let query = tx.query(AssertSqlSafe(sql)).bind(id).bind(by).bind(now);
    Ok(query.exec().await? > 0)
}

/// Records the cancelling of a job that waits. False if it does not.
pub(in crate::publish) async fn cancel(
    tx: &mut Tx,
    id: Uuid,
    by: Option<Uuid>,
    now: Timestamp,
) -> Result<bool> {
    let query = tx
        .query(
            "UPDATE publish_jobs SET decided_by = $2, decided_at = $3 \
             WHERE id = $1 AND status = 'waiting'",
        )
        .bind(id)
        .bind(by)
        .bind(now);
    Ok(query.exec().await? > 0)
}

/// Starts a job again that waits, from its first step. False if another process has.
pub(in crate::publish) async fn go_on(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let query = tx
        .query(
            "UPDATE publish_jobs SET status = 'started', steps = $2 \
             WHERE id = $1 AND status = 'waiting'",
        )
        .bind(id)
        .bind(new_steps());
    Ok(query.exec().await? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::testing::new_in;

    #[tokio::test]
    async fn many_publishes_of_a_person_delay_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let db = new_in(folder.path()).await;
        let (greedy, honest) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let add = async |id: u128, person: Uuid, at: i64| {
            db.query(
                "INSERT INTO publish_jobs (id, project_id, initiated_by, status, steps, started_at, publish_at) \
                 VALUES ($1, $1, $2, 'waiting', '[]', 0, $3)",
            )
            .bind(Uuid::from_u128(id))
            .bind(person)
            .bind(at)
            .exec()
            .await
            .unwrap();
        };
        for id in 10..30 {
            add(id, greedy, 50).await;
        }
        add(30, honest, 100).await;
        add(31, honest, 101).await;
        let due = due(&db, Timestamp(100), 3).await.unwrap();
        let of: Vec<Uuid> = due.iter().map(|job| job.initiated_by.unwrap()).collect();
        assert_eq!(of, [greedy, honest, greedy]);
        db.close().await;
    }
}
