//! SQL of the looks at projects.

use domain::error_code::ErrorCode;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    access,
    clock::Timestamp,
    db::{
        Db, DbError, Tx,
        page::{Listed, Page},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// Projects that are looked at together, and readers of the digest that are written to together.
const SOME: i64 = 100;

/// Some projects that are live, or that somebody has tried to publish, behind an id, in the order of theirs.
pub(super) async fn to_look_at(db: &Db, after: Uuid) -> Result<Vec<Uuid>> {
    db.query(
        "SELECT d.id FROM documents d WHERE d.id > $1 AND d.collection = 'projects' AND d.deleted_at IS NULL \
         AND (EXISTS (SELECT 1 FROM live_projects l WHERE l.project_id = d.id) \
         OR EXISTS (SELECT 1 FROM publish_jobs j WHERE j.project_id = d.id)) \
         ORDER BY d.id LIMIT $2",
    )
    .bind(after)
    .bind(SOME)
    .all_values()
    .await
}

pub(super) async fn is_live(db: &Db, project: Uuid) -> Result<bool> {
    let live: Option<Uuid> = db
        .query("SELECT project_id FROM live_projects WHERE project_id = $1")
        .bind(project)
        .optional_value()
        .await?;
    Ok(live.is_some())
}

/// The days with consents from a day on, oldest first, each with its number of consents.
pub(super) async fn days(db: &Db, project: Uuid, since: i64) -> Result<Vec<(i64, i64)>> {
    db.query(
        "SELECT day, CAST(SUM(consents) AS BIGINT) FROM consent_days \
         WHERE project_id = $1 AND day >= $2 GROUP BY day ORDER BY day",
    )
    .bind(project)
    .bind(since)
    .all()
    .await
}

/// The end of a publish.
#[derive(sqlx::FromRow)]
pub(super) struct Ended {
    pub completed_at: Timestamp,
    status: String,
    error_step: Option<String>,
    initiated_by: Option<Uuid>,
    publish_at: Option<Timestamp>,
    decided_at: Option<Timestamp>,
}

impl Ended {
    /// True if it failed and nobody need have seen that. A person who asks for a publish sees what its first step
    /// refuses then, and not what it refuses later, after approval or at its time.
    pub(super) fn is_concern(&self) -> bool {
        let is_later =
            self.decided_at.is_some() || self.publish_at.is_some_and(|at| at <= self.completed_at);
        let was_watched = self.initiated_by.is_some() && !is_later;
        let is_refused = self.error_step.as_deref() == Some("build");
        self.status == "error" && !(was_watched && is_refused)
    }
}

/// The publish of a project that went live or failed last. One that somebody cancelled, or that another one has
/// overtaken, did neither.
pub(super) async fn last_publish(db: &Db, project: Uuid) -> Result<Option<Ended>> {
    db.query(
        "SELECT completed_at, status, error_step, initiated_by, publish_at, decided_at FROM publish_jobs \
         WHERE project_id = $1 AND completed_at IS NOT NULL \
         AND (error_code IS NULL OR error_code NOT IN ($2, $3)) \
         ORDER BY completed_at DESC, id DESC LIMIT 1",
    )
    .bind(project)
    .bind(ErrorCode::Cancelled.as_str())
    .bind(ErrorCode::Overtaken.as_str())
    .optional()
    .await
}

/// A publish that waits.
#[derive(sqlx::FromRow)]
pub(super) struct Waiting {
    pub started_at: Timestamp,
    pub initiated_by: Option<Uuid>,
}

/// The publish of a project that waits for approval.
pub(super) async fn publish_to_approve(db: &Db, project: Uuid) -> Result<Option<Waiting>> {
    db.query(
        "SELECT started_at, initiated_by FROM publish_jobs \
         WHERE project_id = $1 AND status = 'waiting' AND approval = 'wanted'",
    )
    .bind(project)
    .optional()
    .await
}

/// When the first webhook of a project was turned off because it accepted nothing, or was changed since.
pub(super) async fn webhook_off(db: &Db, project: Uuid) -> Result<Option<Timestamp>> {
    let since: Option<Option<Timestamp>> = db
        .query(
            "SELECT MIN(updated_at) FROM webhooks \
             WHERE project_id = $1 AND NOT active AND inactive_reason IS NOT NULL",
        )
        .bind(project)
        .optional_value()
        .await?;
    Ok(since.flatten())
}

/// Publishes of a project that went live from a time on, before another.
pub(super) async fn publishes(
    db: &Db,
    project: Uuid,
    since: Timestamp,
    before: Timestamp,
) -> Result<u64> {
    db.query(
        "SELECT COUNT(*) FROM publish_jobs WHERE project_id = $1 AND status = 'complete' \
         AND completed_at >= $2 AND completed_at < $3 AND rollback_to IS NULL",
    )
    .bind(project)
    .bind(since)
    .bind(before)
    .count()
    .await
}

/// A project in a digest.
#[derive(sqlx::FromRow)]
pub(super) struct Titled {
    pub id: Uuid,
    pub title: String,
}

/// The first projects of an account by title, and how many there are. Only their titles are read: somebody else may have
/// made a project large.
pub(super) async fn projects(db: &Db, user: Uuid, page: Page) -> Result<Listed<Titled>> {
    let sql = format!(
        "FROM documents d WHERE d.collection = 'projects' AND d.deleted_at IS NULL AND {}",
        access::visible("$1", "$2")
    );
    db.query(AssertSqlSafe(sql))
        .bind(user)
        .bind(None::<Uuid>)
        .page(
            // `->>` gives text on PostgreSQL; on SQLite it does for a string.
            "d.id, CAST(COALESCE(d.data ->> 'title', '') AS TEXT) AS title",
            "title, d.id",
            page,
        )
        .await
}

/// Somebody who wants the digest.
#[derive(sqlx::FromRow)]
pub(super) struct Reader {
    pub id: Uuid,
    pub email: String,
}

/// Some accounts that want the digest and were not sent that of this week, behind an id, in the order of theirs.
pub(super) async fn readers(db: &Db, week: i64, after: Uuid) -> Result<Vec<Reader>> {
    db.query(
        "SELECT id, email FROM users WHERE id > $1 AND digest_letters AND email_verified_at IS NOT NULL \
         AND COALESCE(digest_week, 0) < $2 ORDER BY id LIMIT $3",
    )
    .bind(after)
    .bind(week)
    .bind(SOME)
    .all()
    .await
}

/// Notes the week whose digest an account is sent; false if another process has.
pub(super) async fn note_week(tx: &mut Tx, user: Uuid, week: i64) -> Result<bool> {
    let noted = tx
        .query("UPDATE users SET digest_week = $2 WHERE id = $1 AND COALESCE(digest_week, 0) < $2")
        .bind(user)
        .bind(week)
        .exec()
        .await?;
    Ok(noted > 0)
}
