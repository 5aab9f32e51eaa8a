//! SQL of publish jobs and live projects.

use domain::{
    error_code::ErrorCode,
    publish::{JobStatus, StepName, WaitsFor},
    webhook::EventKind,
};
use serde::Serialize;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{
    progress::Step,
    remarks::{DocumentError, Remarks},
};
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Locked, Query, Tx,
        page::{Asked, Listed, Slice},
    },
    outbox::store as outbox,
    search::lower_words,
    vault::{Document, MOST_OF_A_PROJECT, Row as DocumentRow},
};

type Result<T> = std::result::Result<T, DbError>;

/// Live projects that are read at once.
const LIVE: i64 = 100;

#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct JobRow {
    pub id: Uuid,
    pub project_id: Uuid,
    pub initiated_by: Option<Uuid>,
    pub rollback_to: Option<Uuid>,
    #[sqlx(try_from = "String")]
    pub status: JobStatus,
    pub steps: String,
    /// Only read by [`with_plan`].
    #[sqlx(default)]
    pub plan: Option<String>,
    pub started_at: Timestamp,
    pub completed_at: Option<Timestamp>,
    pub message: Option<String>,
    pub url: Option<String>,
    pub error_code: Option<String>,
    pub error_step: Option<String>,
    pub error_documents: Option<String>,
    pub reason: Option<String>,
    pub warnings: Option<String>,
    pub publish_at: Option<Timestamp>,
    /// [`WANTED`] or [`GIVEN`].
    pub approval: Option<String>,
    pub decided_by: Option<Uuid>,
    pub decided_at: Option<Timestamp>,
    /// SHA-256 of the content that was asked for, of a publish that is to wait.
    pub asked_content: Option<String>,
}

/// The approval of a second person is needed.
pub(super) const WANTED: &str = "wanted";
/// A second person has approved.
pub(super) const GIVEN: &str = "given";

impl JobRow {
    pub(super) fn new(
        id: Uuid,
        project_id: Uuid,
        initiated_by: Option<Uuid>,
        rollback_to: Option<Uuid>,
        reason: Option<String>,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            project_id,
            initiated_by,
            rollback_to,
            status: JobStatus::Started,
            steps: new_steps(),
            plan: None,
            started_at: now,
            completed_at: None,
            message: None,
            url: None,
            error_code: None,
            error_step: None,
            error_documents: None,
            reason,
            warnings: None,
            publish_at: None,
            approval: None,
            decided_by: None,
            decided_at: None,
            asked_content: None,
        }
    }

    /// The events that the publish still waits for.
    pub(super) fn waits_for(&self, now: Timestamp) -> Vec<WaitsFor> {
        let approval = self.approval.as_deref() == Some(WANTED);
        let time = self.publish_at.is_some_and(|at| at > now);
        let all = [(WaitsFor::Approval, approval), (WaitsFor::Time, time)];
        let waited = all.into_iter().filter(|(_, waits)| *waits);
        waited.map(|(event, _)| event).collect()
    }
}

/// The steps before the first, as JSON.
pub(super) fn new_steps() -> String {
    let steps = StepName::ALL.iter().copied().map(Step::waiting);
    json(&steps.collect::<Vec<_>>())
}

/// Steps, remarks about documents, or objects, as JSON.
pub(super) fn json(list: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned()) // texts and times: cannot fail
}

/// Columns without the plan, which has megabytes.
pub(super) const COLUMNS: &str = "id, project_id, initiated_by, rollback_to, status, steps, \
     started_at, completed_at, message, url, error_code, error_step, error_documents, \
     reason, warnings, publish_at, approval, decided_by, decided_at, \
     asked_content";

/// Publishes that wait or run.
#[derive(sqlx::FromRow)]
pub(super) struct Unfinished {
    pub of_project: i64,
    pub of_person: i64,
}

/// Counts the publishes of a project and those that a person has started. The caller has locked the project.
pub(super) async fn unfinished(tx: &mut Tx, project: Uuid, person: Uuid) -> Result<Unfinished> {
    tx.query(
        "SELECT COUNT(CASE WHEN project_id = $1 THEN 1 END) AS of_project, \
         COUNT(CASE WHEN initiated_by = $2 THEN 1 END) AS of_person \
         FROM publish_jobs WHERE status = 'started'",
    )
    .bind(project)
    .bind(person)
    .one()
    .await
}

pub(super) async fn add(tx: &mut Tx, row: &JobRow) -> Result<()> {
    tx.query(
        "INSERT INTO publish_jobs (id, project_id, initiated_by, rollback_to, status, steps, \
         started_at, reason, publish_at, approval, asked_content) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(row.id)
    .bind(row.project_id)
    .bind(row.initiated_by)
    .bind(row.rollback_to)
    .bind(row.status.as_str())
    .bind(&row.steps)
    .bind(row.started_at)
    .bind(&row.reason)
    .bind(row.publish_at)
    .bind(&row.approval)
    .bind(&row.asked_content)
    .exec()
    .await?;
    Ok(())
}

pub(super) async fn lookup(db: &Db, project: Uuid, id: Uuid) -> Result<Option<JobRow>> {
    let sql = format!("SELECT {COLUMNS} FROM publish_jobs WHERE id = $1 AND project_id = $2");
    db.query(AssertSqlSafe(sql))
        .bind(id)
        .bind(project)
        .optional()
        .await
}

/// A job with its plan.
pub(super) async fn with_plan(db: &Db, project: Uuid, id: Uuid) -> Result<Option<JobRow>> {
    let sql = format!("SELECT {COLUMNS}, plan FROM publish_jobs WHERE id = $1 AND project_id = $2");
    db.query(AssertSqlSafe(sql))
        .bind(id)
        .bind(project)
        .optional()
        .await
}

/// The oldest job of a project that runs, or is about to.
pub(super) async fn running(db: &Db, project: Uuid) -> Result<Option<JobRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM publish_jobs WHERE project_id = $1 AND status = 'started' \
         ORDER BY id LIMIT 1"
    );
    db.query(AssertSqlSafe(sql)).bind(project).optional().await
}

/// The texts of a job in which words of a search are found.
const TEXTS: &str = "(COALESCE(reason, '') || ' ' || COALESCE(message, '') || ' ' || COALESCE((SELECT \
     u.display_name FROM users u WHERE u.id = initiated_by), ''))";

/// Jobs of a project with the words of a search, or the one of which the search has the id.
fn scope<'a>(db: &'a Db, project: Uuid, text: &str) -> Query<'a> {
    let mut scope = db
        .query("FROM publish_jobs WHERE project_id = $1")
        .bind(project);
    match Uuid::parse_str(text.trim()) {
        Ok(id) => scope.push(" AND id = ").value(id),
        Err(_) => scope.holds(&db.ascii_lower(TEXTS), lower_words(text)),
    };
    scope
}

pub(super) async fn list(db: &Db, project: Uuid, asked: &Asked) -> Result<Listed<JobRow>> {
    scope(db, project, &asked.text)
        .page_by_id(COLUMNS, asked)
        .await
}

/// The jobs behind one.
pub(super) async fn list_after(
    db: &Db,
    project: Uuid,
    after: Uuid,
    asked: &Asked,
) -> Result<Slice<JobRow>> {
    scope(db, project, &asked.text)
        .beyond(COLUMNS, after, asked)
        .await
}

/// Records progress, and the plan once it is made.
pub(super) async fn progress(db: &Db, id: Uuid, steps: &[Step], plan: Option<&str>) -> Result<()> {
    db.query(
        "UPDATE publish_jobs SET steps = $2, plan = COALESCE($3, plan) \
         WHERE id = $1 AND status = 'started'",
    )
    .bind(id)
    .bind(json(steps))
    .bind(plan)
    .exec()
    .await?;
    Ok(())
}

/// The bytes that a job has paid for, as JSON by the thing that they belong to. Locks the job.
pub(super) async fn paid(tx: &mut Tx, id: Uuid) -> Result<Option<String>> {
    tx.lock(Locked::Publish(id)).await?;
    let paid: Option<Option<String>> = tx
        .query("SELECT paid FROM publish_jobs WHERE id = $1")
        .bind(id)
        .optional_value()
        .await?;
    Ok(paid.flatten())
}

pub(super) async fn set_paid(tx: &mut Tx, id: Uuid, paid: &str) -> Result<()> {
    tx.query("UPDATE publish_jobs SET paid = $2 WHERE id = $1")
        .bind(id)
        .bind(paid)
        .exec()
        .await?;
    Ok(())
}

/// Records the warnings about what a job publishes, as [`json`].
pub(super) async fn warn(db: &Db, id: Uuid, warnings: &str) -> Result<()> {
    db.query("UPDATE publish_jobs SET warnings = $2 WHERE id = $1")
        .bind(id)
        .bind(warnings)
        .exec()
        .await?;
    Ok(())
}

/// Names the job whose content is restored, if that becomes known only now.
pub(super) async fn set_earlier(db: &Db, id: Uuid, earlier: Uuid) -> Result<()> {
    db.query("UPDATE publish_jobs SET rollback_to = $2 WHERE id = $1")
        .bind(id)
        .bind(earlier)
        .exec()
        .await?;
    Ok(())
}

/// The failure of a job.
pub(super) struct Failure<'a> {
    pub code: ErrorCode,
    pub step: StepName,
    pub message: &'a str,
    /// The fields of documents that caused it.
    pub errors: Option<&'a Remarks<DocumentError>>,
}

pub(super) async fn fail(
    db: &Db,
    id: Uuid,
    steps: &[Step],
    failure: &Failure<'_>,
    now: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    fail_in(&mut tx, id, steps, failure, now).await?;
    tx.commit().await
}

/// Ends a job in `error` that runs or waits. False if it has ended already.
pub(super) async fn fail_in(
    tx: &mut Tx,
    id: Uuid,
    steps: &[Step],
    failure: &Failure<'_>,
    now: Timestamp,
) -> Result<bool> {
    let errors = failure.errors.filter(|errors| !errors.is_empty());
    let ended = tx
        .query(
            "UPDATE publish_jobs SET status = 'error', steps = $2, completed_at = $3, \
         message = $4, \
         error_code = $5, error_step = $6, error_documents = $7 \
         WHERE id = $1 AND status IN ('started', 'waiting') \
         RETURNING project_id",
        )
        .bind(id)
        .bind(json(steps))
        .bind(now)
        .bind(failure.message)
        .bind(failure.code.as_str())
        .bind(failure.step.as_str())
        .bind(errors.map(json))
        .optional_value::<Uuid>()
        .await?;
    if let Some(project) = ended {
        outbox::add_publish(tx, project, id, EventKind::PublishError, now).await?;
    }
    Ok(ended.is_some())
}

/// The live publish of a project, as stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct LiveRow {
    pub project_id: Uuid,
    pub job_id: Uuid,
    /// Only read of one project at a time: it is long.
    #[sqlx(default)]
    pub content: String,
    pub objects: String,
    pub published_at: Timestamp,
}

pub(super) async fn live(db: &Db, project: Uuid) -> Result<Option<LiveRow>> {
    db.query(
        "SELECT project_id, job_id, content, objects, published_at FROM live_projects \
         WHERE project_id = $1",
    )
    .bind(project)
    .optional()
    .await
}

/// The files of the live publish of a project, as JSON.
pub(super) async fn live_objects(db: &Db, project: Uuid) -> Result<Option<String>> {
    db.query("SELECT objects FROM live_projects WHERE project_id = $1")
        .bind(project)
        .optional_value()
        .await
}

/// Records other files of the live publish of a project, as [`json`].
pub(super) async fn set_live_objects(db: &Db, project: Uuid, objects: &str) -> Result<()> {
    db.query("UPDATE live_projects SET objects = $2 WHERE project_id = $1")
        .bind(project)
        .bind(objects)
        .exec()
        .await?;
    Ok(())
}

/// Some projects that are live, after an id, in the order of their ids.
pub(super) async fn some_live(db: &Db, after: Uuid) -> Result<Vec<LiveRow>> {
    db.query(
        "SELECT project_id, job_id, objects, published_at FROM live_projects \
         WHERE project_id > $1 ORDER BY project_id LIMIT $2",
    )
    .bind(after)
    .bind(LIVE)
    .all()
    .await
}

/// Projects that are published although they are deleted.
pub(super) async fn live_and_deleted(db: &Db) -> Result<Vec<Uuid>> {
    db.query(
        "SELECT l.project_id FROM live_projects l WHERE NOT EXISTS (SELECT 1 FROM documents d \
         WHERE d.id = l.project_id AND d.collection = 'projects' AND d.deleted_at IS NULL)",
    )
    .all_values()
    .await
}

pub(super) async fn forget_live(db: &Db, project: Uuid) -> Result<()> {
    db.query("DELETE FROM live_projects WHERE project_id = $1")
        .bind(project)
        .exec()
        .await?;
    Ok(())
}

/// The completion of a job.
pub(super) struct Completion<'a> {
    pub project: Uuid,
    pub job: Uuid,
    pub content: &'a str,
    pub objects: &'a str,
    pub message: &'a str,
    pub url: &'a str,
    pub documents: &'a [Uuid],
    /// True if the publish brings new content. It then ends publishes that wait, because they would undo it.
    pub overtakes: bool,
}

/// Keys of live projects that are not sealed: a sealed one is longer.
pub(super) async fn plain_keys(db: &Db, bytes: usize) -> Result<Vec<(Uuid, Vec<u8>)>> {
    db.query("SELECT project_id, ip_key FROM live_projects WHERE LENGTH(ip_key) = $1")
        .bind(i32::try_from(bytes).unwrap_or(i32::MAX))
        .all()
        .await
}

pub(super) async fn seal_key(db: &Db, project: Uuid, plain: &[u8], sealed: &[u8]) -> Result<()> {
    db.query("UPDATE live_projects SET ip_key = $3 WHERE project_id = $1 AND ip_key = $2")
        .bind(project)
        .bind(plain)
        .bind(sealed)
        .exec()
        .await?;
    Ok(())
}

/// Ends a job well and makes its result the live one, in a transaction that the caller commits. `None` for a job that has
/// ended already, which keeps its end.
pub(super) async fn complete(
    db: &Db,
    done: &Completion<'_>,
    steps: &[Step],
    ip_key: &[u8],
    now: Timestamp,
) -> Result<Option<Tx>> {
    let mut tx = db.begin().await?;
    let ended = tx
        .query(
            "UPDATE publish_jobs SET status = 'complete', steps = $2, completed_at = $3, \
         message = $4, \
         url = $5 WHERE id = $1 AND status = 'started'",
        )
        .bind(done.job)
        .bind(json(steps))
        .bind(now)
        .bind(done.message)
        .bind(done.url)
        .exec()
        .await?;
    if ended == 0 {
        return Ok(None);
    }
    tx.query(
        "INSERT INTO live_projects (project_id, job_id, content, objects, ip_key, published_at) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (project_id) DO UPDATE SET \
         job_id = excluded.job_id, content = excluded.content, objects = excluded.objects, \
         published_at = excluded.published_at",
    )
    .bind(done.project)
    .bind(done.job)
    .bind(done.content)
    .bind(done.objects)
    .bind(ip_key)
    .bind(now)
    .exec()
    .await?;
    for document in done.documents {
        tx.query("UPDATE documents SET last_published_at = $2 WHERE id = $1")
            .bind(*document)
            .bind(now)
            .exec()
            .await?;
    }
    outbox::add_publish(
        &mut tx,
        done.project,
        done.job,
        EventKind::PublishComplete,
        now,
    )
    .await?;
    if done.overtakes {
        for row in fixed_before(&mut tx, done.project).await? {
            let (steps, failure) = row.overtaken();
            fail_in(&mut tx, row.id, &steps, &failure, now).await?;
        }
    }
    Ok(Some(tx))
}

/// The publishes of a project that wait, or waited and are about to go on. Their content is older than what has just
/// gone live: jobs of a project run one after the other.
async fn fixed_before(tx: &mut Tx, project: Uuid) -> Result<Vec<JobRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM publish_jobs \
         WHERE project_id = $1 AND status IN ('started', 'waiting') AND plan IS NOT NULL"
    );
    tx.query(AssertSqlSafe(sql)).bind(project).all().await
}

/// Columns of a document `d`.
const DOCUMENT: &str = "d.id, d.collection, d.project_id, d.data, d.version, d.created_at, \
     d.updated_at, d.created_by, d.last_published_at";

/// The document of a project.
pub(super) async fn project(db: &Db, project: Uuid) -> Result<Option<Document>> {
    let sql = format!(
        "SELECT {DOCUMENT} FROM documents d \
         WHERE d.id = $1 AND d.collection = 'projects' AND d.deleted_at IS NULL"
    );
    let row: Option<DocumentRow> = db
        .query(AssertSqlSafe(sql))
        .bind(project)
        .optional()
        .await?;
    Ok(row.map(DocumentRow::into_document))
}

/// The documents of a project that are published, and itself. `None` if they are too large to be published.
pub(super) async fn documents(tx: &mut Tx, project: Uuid) -> Result<Option<Vec<Document>>> {
    let sql = format!(
        "SELECT {DOCUMENT} FROM documents d WHERE d.project_id = $1 \
         AND d.deleted_at IS NULL AND d.collection <> 'vendors' ORDER BY d.id"
    );
    let query = tx.query(AssertSqlSafe(sql)).bind(project);
    let rows = query.all_within((DocumentRow::size, MOST_OF_A_PROJECT));
    let rows = rows.await?;
    Ok(rows.map(|rows| rows.into_iter().map(DocumentRow::into_document).collect()))
}
