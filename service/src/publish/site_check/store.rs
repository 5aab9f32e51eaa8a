//! SQL of the looks at sites.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

type Result<T> = std::result::Result<T, DbError>;

/// Sites that had the snippet once, and were not looked at since then, the longest ago first: project and address. The first
/// site of each account comes before the second of any, so that the slow sites of one delay no other's. A look in the future
/// was noted by a clock that was ahead.
pub(super) async fn due(
    db: &Db,
    (before, now): (Timestamp, Timestamp),
    most: i64,
) -> Result<Vec<(Uuid, String)>> {
    db.query(
        "SELECT project_id, address FROM (SELECT s.project_id, s.address, s.checked_at, \
         ROW_NUMBER() OVER (PARTITION BY d.created_by ORDER BY s.checked_at, s.project_id) AS turn \
         FROM site_checks s JOIN live_projects l ON l.project_id = s.project_id \
         JOIN documents d ON d.id = s.project_id \
         WHERE s.checked_at < $1 OR s.checked_at > $3) due ORDER BY turn, checked_at, project_id LIMIT $2",
    )
    .bind(before)
    .bind(most)
    .bind(now)
    .all()
    .await
}

/// Notes that the site at this address has the snippet.
pub(super) async fn found(db: &Db, project: Uuid, address: &str, now: Timestamp) -> Result<()> {
    db.query(
        "INSERT INTO site_checks (project_id, checked_at, misses, address) VALUES ($1, $2, 0, $3) \
         ON CONFLICT (project_id) DO UPDATE SET checked_at = excluded.checked_at, \
         missing_since = NULL, misses = 0, address = excluded.address",
    )
    .bind(project)
    .bind(now)
    .bind(address)
    .exec()
    .await?;
    Ok(())
}

/// Notes that a site misses the snippet.
pub(super) async fn missed(db: &Db, project: Uuid, now: Timestamp) -> Result<()> {
    db.query(
        "UPDATE site_checks SET checked_at = $2, misses = misses + 1, \
         missing_since = COALESCE(missing_since, $2) WHERE project_id = $1",
    )
    .bind(project)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}

/// Notes that a site did not show its page, which says nothing of the snippet.
pub(super) async fn unknown(db: &Db, project: Uuid, now: Timestamp) -> Result<()> {
    db.query("UPDATE site_checks SET checked_at = $2 WHERE project_id = $1")
        .bind(project)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// A site that misses the snippet.
#[derive(sqlx::FromRow)]
pub(super) struct Missing {
    pub address: String,
    pub missing_since: Option<Timestamp>,
}

/// The site of a project, if so many looks in a row have missed the snippet there.
pub(super) async fn missing(db: &Db, project: Uuid, misses: i64) -> Result<Option<Missing>> {
    db.query(
        "SELECT address, missing_since FROM site_checks WHERE project_id = $1 AND misses >= $2",
    )
    .bind(project)
    .bind(misses)
    .optional()
    .await
}

/// Forgets the site of a project, which has another address now.
pub(super) async fn forget(db: &Db, project: Uuid) -> Result<()> {
    db.query("DELETE FROM site_checks WHERE project_id = $1")
        .bind(project)
        .exec()
        .await?;
    Ok(())
}

/// Forgets the sites of projects that are deleted.
pub(super) async fn forget_deleted(db: &Db) -> Result<()> {
    db.query(
        "DELETE FROM site_checks WHERE NOT EXISTS (SELECT 1 FROM documents d \
         WHERE d.id = site_checks.project_id AND d.deleted_at IS NULL)",
    )
    .exec()
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::testing::new_in;

    #[tokio::test]
    async fn many_sites_of_an_account_delay_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let db = new_in(folder.path()).await;
        let (greedy, honest) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let add = async |id: u128, account: Uuid, looked_at: i64| {
            let id = Uuid::from_u128(id);
            for sql in [
                "INSERT INTO documents (id, collection, project_id, data, version, created_at, updated_at, created_by) \
                 VALUES ($1, 'projects', $1, '{}', 1, $3, $3, $2)",
                "INSERT INTO live_projects (project_id, job_id, content, objects, ip_key, published_at) \
                 VALUES ($1, $2, '{}', '{}', X'00', $3)",
                "INSERT INTO site_checks (project_id, address, checked_at, misses) \
                 VALUES ($1, 'https://shop.example', $3, 0)",
            ] {
                let query = db.query(sql).bind(id).bind(account).bind(looked_at);
                query.exec().await.unwrap();
            }
            id
        };
        let mut slow = Vec::new();
        for id in 10..30 {
            slow.push(add(id, greedy, 50).await);
        }
        let site = add(30, honest, 99).await;
        add(31, honest, 100).await;
        let times = (Timestamp(100), Timestamp(200));
        let due = due(&db, times, 3).await.unwrap();
        let of: Vec<Uuid> = due.into_iter().map(|(project, _)| project).collect();
        assert_eq!(of, [slow[0], site, slow[1]]);
        db.close().await;
    }
}
