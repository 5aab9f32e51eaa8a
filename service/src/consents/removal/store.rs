//! SQL that erases and removes consents.

use domain::documents::{self, Project};
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use super::super::writing;
use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

type Result<T> = std::result::Result<T, DbError>;

/// Projects that are read at once.
pub(super) const PROJECTS: i64 = 100;

/// The months for which consents to a document are kept. Nothing else of it is read: documents are large, and a hundred of
/// them are read at once.
#[derive(sqlx::FromRow)]
pub(super) struct RuleRow {
    pub id: Uuid,
    months: Option<String>,
}

impl RuleRow {
    /// The months of the rule; none and 0 are no rule.
    pub(super) fn months(&self) -> Option<f64> {
        let months = self.months.as_ref()?.parse().ok()?;
        (months > 0.0).then_some(months)
    }
}

/// The project as its members last saved it.
pub(in crate::consents) async fn project_of(db: &Db, project: Uuid) -> Result<Option<Project>> {
    let data: Option<Json<Value>> = db
        .query(
            "SELECT data FROM documents WHERE id = $1 AND collection = 'projects' \
             AND deleted_at IS NULL",
        )
        .bind(project)
        .optional_value()
        .await?;
    Ok(data.map(|data| documents::read::<Project>(&data.0)))
}

/// Projects behind an id, those that are deleted and can be restored too.
pub(super) async fn projects(db: &Db, after: Uuid) -> Result<Vec<RuleRow>> {
    db.query(
        "SELECT id, CAST(data -> 'retention' ->> 'consentMonths' AS TEXT) AS months FROM documents \
         WHERE collection = 'projects' AND id > $1 ORDER BY id LIMIT $2",
    )
    .bind(after)
    .bind(PROJECTS)
    .all()
    .await
}

/// Consent boxes of a project as their editors saved them, and whether each was ever published.
pub(super) async fn boxes(db: &Db, project: Uuid) -> Result<Vec<(RuleRow, bool)>> {
    let rows: Vec<(Uuid, Option<String>, bool)> = db
        .query(
            "SELECT id, CAST(data ->> 'storageDuration' AS TEXT), EXISTS (SELECT 1 FROM publications p \
             WHERE p.project_id = documents.project_id AND p.configuration_id = documents.id) \
             FROM documents WHERE project_id = $1 AND collection = 'processings'",
        )
        .bind(project)
        .all()
        .await?;
    let rows = rows.into_iter();
    let rule = |(id, months, published)| (RuleRow { id, months }, published);
    Ok(rows.map(rule).collect())
}

/// The content of a project that is live.
pub(super) async fn live_content(db: &Db, project: Uuid) -> Result<Option<String>> {
    db.query("SELECT content FROM live_projects WHERE project_id = $1")
        .bind(project)
        .optional_value()
        .await
}

/// The months of boxes of a project, also of boxes that are gone.
pub(super) async fn kept_months(db: &Db, project: Uuid) -> Result<Vec<(Uuid, f64)>> {
    db.query("SELECT id, months FROM box_retention WHERE project_id = $1")
        .bind(project)
        .all()
        .await
}

/// Keeps the months of a box, or forgets that it had some.
pub(super) async fn keep_months(
    db: &Db,
    project: Uuid,
    id: Uuid,
    months: Option<f64>,
) -> Result<()> {
    let statement = match months {
        Some(months) => db
            .query(
                "INSERT INTO box_retention (id, project_id, months) VALUES ($1, $2, $3) \
                 ON CONFLICT (project_id, id) DO UPDATE SET months = excluded.months",
            )
            .bind(id)
            .bind(project)
            .bind(months),
        None => db
            .query("DELETE FROM box_retention WHERE id = $1 AND project_id = $2")
            .bind(id)
            .bind(project),
    };
    statement.exec().await?;
    Ok(())
}

/// Forgets the months of boxes of projects that are gone.
pub(super) async fn forget_months(db: &Db) -> Result<()> {
    db.query(
        "DELETE FROM box_retention WHERE NOT EXISTS \
         (SELECT 1 FROM documents p WHERE p.id = box_retention.project_id)",
    )
    .exec()
    .await?;
    Ok(())
}

/// A consent as far as its time may be over.
#[derive(sqlx::FromRow)]
pub(super) struct AgedRow {
    pub seq: Uuid,
    pub consent_id: Uuid,
    pub identifier: Uuid,
    pub decided_at: Timestamp,
}

/// The next consents that were decided before a moment, oldest first.
pub(super) async fn aged(
    db: &Db,
    project: Uuid,
    before: Timestamp,
    (decided_at, seq): (Timestamp, Uuid),
) -> Result<Vec<AgedRow>> {
    db.query(
        "SELECT seq, consent_id, identifier, decided_at FROM consents \
         WHERE project_id = $1 AND decided_at < $2 AND (decided_at, seq) > ($3, $4) \
         ORDER BY decided_at, seq LIMIT $5",
    )
    .bind(project)
    .bind(before)
    .bind(decided_at)
    .bind(seq)
    .bind(writing::BATCH)
    .all()
    .await
}

/// The project behind an id for which consents were counted, and whether it is gone.
pub(super) async fn next_counted(db: &Db, after: Uuid) -> Result<Option<(Uuid, bool)>> {
    db.query(
        "SELECT d.project_id, NOT EXISTS (SELECT 1 FROM documents p WHERE p.id = d.project_id) \
         FROM consent_days d WHERE d.project_id > $1 ORDER BY d.project_id LIMIT 1",
    )
    .bind(after)
    .optional()
    .await
}

/// Forgets how many consents a project had.
pub(super) async fn forget_counts(db: &Db, project: Uuid) -> Result<()> {
    let mut tx = db.begin().await?;
    for sql in [
        "DELETE FROM consent_days WHERE project_id = $1",
        "DELETE FROM consents_removed WHERE project_id = $1",
    ] {
        tx.query(sql).bind(project).exec().await?;
    }
    tx.commit().await
}
