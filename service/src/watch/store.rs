//! SQL of the looks at projects.

use domain::error_code::ErrorCode;
use domain::publish::{JobStatus, StepName};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    access::{self, Holder},
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

use super::wish::{MOST_IDS, Named, Order, Wish};

type Result<T> = std::result::Result<T, DbError>;

/// Projects that are looked at together, and readers of the digest that are written to together.
const SOME: i64 = 100;

/// Some projects that are live, or that somebody has tried to publish, after an id, in the order of their ids.
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
    #[sqlx(try_from = "String")]
    status: JobStatus,
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
        let is_refused = self.error_step.as_deref() == Some(StepName::Build.as_str());
        self.status == JobStatus::Error && !(was_watched && is_refused)
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
    pub publish_at: Option<Timestamp>,
    pub initiated_by: Option<Uuid>,
}

/// The publish of a project that waits for approval.
pub(super) async fn publish_to_approve(db: &Db, project: Uuid) -> Result<Option<Waiting>> {
    db.query(
        "SELECT started_at, publish_at, initiated_by FROM publish_jobs \
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

/// Projects of an account that are listed at most, the oldest ones. Each is read for each list.
const MOST_PROJECTS: i64 = 20_000;

/// The projects of an account, each with the number that the order goes by, smallest first. Only their names are read:
/// somebody else may have made a project large.
pub(super) async fn projects(
    db: &Db,
    holder: Holder,
    wish: &Wish,
    week: i64,
) -> Result<Vec<(Named, i64)>> {
    let mut query = db
        .query("SELECT d.id, ")
        .bind(holder.user)
        .bind(holder.limited_by);
    for field in ["title", "websiteURL"] {
        // `->>` gives text on PostgreSQL; on SQLite it does for a string.
        query
            .push("CAST(COALESCE(d.data ->> ")
            .value(field)
            .push(", '') AS TEXT), ");
    }
    query.push("CAST(");
    match wish.order {
        Order::Name => query.push("0"),
        Order::Consents => query
            .push("-COALESCE((SELECT SUM(c.consents) FROM consent_days c WHERE c.project_id = d.id AND c.day >= ")
            .value(week)
            .push("), 0)"),
        Order::Concerns => {
            query.push("-(SELECT COUNT(*) FROM concerns c WHERE c.project_id = d.id)")
        }
        Order::Published => query.push(
            "COALESCE((SELECT l.published_at FROM live_projects l WHERE l.project_id = d.id), 0)",
        ),
    };
    query
        .push(" AS BIGINT) FROM documents d WHERE d.collection = 'projects' AND +d.deleted_at IS NULL AND ")
        .push(AssertSqlSafe(access::visible("$1", "$2")));
    if let Some(organization) = wish.organization {
        query.push(" AND d.organization_id = ").value(organization);
    }
    if wish.is_own {
        let own = access::came_freely("$1");
        query.push(" AND ").push(AssertSqlSafe(own));
    }
    if let Some(ids) = &wish.ids {
        // No document has this id; a list of values has at least one.
        let ids = ids.iter().copied().take(MOST_IDS);
        let ids = std::iter::once(Uuid::nil()).chain(ids);
        query.push(" AND d.id IN (").values(ids).push(")");
    }
    query.push(" ORDER BY d.id LIMIT ").value(MOST_PROJECTS);
    let rows: Vec<(Uuid, String, String, i64)> = query.all().await?;
    let named = rows
        .into_iter()
        .map(|(id, title, site, place)| (Named { id, title, site }, place));
    Ok(named.collect())
}

/// Somebody who wants the digest.
#[derive(sqlx::FromRow)]
pub(super) struct Reader {
    pub id: Uuid,
    pub email: String,
}

/// Some accounts that want the digest and were not sent that of this week, after an id, in the order of their ids.
pub(super) async fn readers(db: &Db, week: i64, after: Uuid) -> Result<Vec<Reader>> {
    db.query(
        "SELECT id, email FROM users WHERE id > $1 AND digest_letters AND email_verified_at IS NOT NULL \
         AND COALESCE(digest_week, 0) <> $2 ORDER BY id LIMIT $3",
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
        .query("UPDATE users SET digest_week = $2 WHERE id = $1 AND COALESCE(digest_week, 0) <> $2")
        .bind(user)
        .bind(week)
        .exec()
        .await?;
    Ok(noted > 0)
}
