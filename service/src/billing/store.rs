//! SQL of subscriptions.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::State;
use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub(super) struct Row {
    pub organization_id: Uuid,
    pub customer_id: String,
    pub subscription_id: Option<String>,
    pub state: String,
    pub plan: Option<String>,
    pub period_end: Option<Timestamp>,
    pub cancel_at_period_end: bool,
    pub checked_at: Timestamp,
}

impl Row {
    pub(super) fn state(&self) -> State {
        State::parse(&self.state).unwrap_or(State::None)
    }
}

const COLUMNS: &str = "organization_id, customer_id, subscription_id, state, plan, \
     period_end, cancel_at_period_end, checked_at";

pub(super) async fn of_organization(db: &Db, organization: Uuid) -> Result<Option<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM subscriptions WHERE organization_id = $1");
    db.query(AssertSqlSafe(sql))
        .bind(organization)
        .optional()
        .await
}

pub(super) async fn of_customer(db: &Db, customer: &str) -> Result<Option<Row>> {
    let sql = format!("SELECT {COLUMNS} FROM subscriptions WHERE customer_id = $1");
    db.query(AssertSqlSafe(sql)).bind(customer).optional().await
}

/// Stores the first customer id of an organization. Returns the stored one.
pub(super) async fn add_customer(
    db: &Db,
    organization: Uuid,
    customer: &str,
    now: Timestamp,
) -> Result<String> {
    db.query(
        "INSERT INTO subscriptions (organization_id, customer_id, state, cancel_at_period_end, \
         checked_at) VALUES ($1, $2, 'none', FALSE, $3) ON CONFLICT (organization_id) \
         DO UPDATE SET checked_at = subscriptions.checked_at RETURNING customer_id",
    )
    .bind(organization)
    .bind(customer)
    .bind(now)
    .writes()
    .one_value()
    .await
}

/// Stores the provider's answer, unless the answer to a later question is stored already.
pub(super) async fn update(db: &Db, row: &Row) -> Result<()> {
    db.query(
        "UPDATE subscriptions SET subscription_id = $2, state = $3, plan = $4, period_end = $5, \
         cancel_at_period_end = $6, checked_at = $7 WHERE organization_id = $1 \
         AND checked_at <= $7",
    )
    .bind(row.organization_id)
    .bind(&row.subscription_id)
    .bind(&row.state)
    .bind(&row.plan)
    .bind(row.period_end)
    .bind(row.cancel_at_period_end)
    .bind(row.checked_at)
    .exec()
    .await?;
    Ok(())
}

pub(super) async fn name_of(db: &Db, organization: Uuid) -> Result<String> {
    db.query("SELECT name FROM organizations WHERE id = $1")
        .bind(organization)
        .one_value()
        .await
}

/// Organization of a project.
pub(super) async fn organization_of(db: &Db, project: Uuid) -> Result<Option<Uuid>> {
    let found: Option<Option<Uuid>> = db
        .query("SELECT organization_id FROM documents WHERE id = $1 AND collection = 'projects'")
        .bind(project)
        .optional_value()
        .await?;
    Ok(found.flatten())
}

/// Live projects of an organization, either those with the demo banner or those without.
pub(super) async fn live_projects(db: &Db, organization: Uuid, banner: bool) -> Result<Vec<Uuid>> {
    let content = db.json("l.content");
    let sql = format!(
        "SELECT d.id FROM documents d JOIN live_projects l ON l.project_id = d.id \
         WHERE d.organization_id = $1 AND d.collection = 'projects' AND d.deleted_at IS NULL \
         AND CAST({content} -> 'active' AS TEXT) = $2 ORDER BY d.id"
    );
    db.query(AssertSqlSafe(sql))
        .bind(organization)
        .bind(if banner { "false" } else { "true" })
        .all_values()
        .await
}

/// True if a project is live without the demo banner.
pub(super) async fn is_live_without_banner(db: &Db, project: Uuid) -> Result<bool> {
    let content = db.json("l.content");
    let sql = format!(
        "SELECT COUNT(*) FROM live_projects l \
         WHERE l.project_id = $1 AND CAST({content} -> 'active' AS TEXT) = 'true'"
    );
    let count: i64 = db
        .query(AssertSqlSafe(sql))
        .bind(project)
        .one_value()
        .await?;
    Ok(count > 0)
}
