//! The state that a publish leaves in the database, for tests that are not about publishing.

use serde_json::Value;
use service::{
    clock::{Clock, SystemClock},
    db::Db,
    ids::Ids,
};
use std::sync::Arc;
use uuid::Uuid;

/// A configuration or box to publish.
#[derive(Clone, Copy, Debug)]
pub struct Published<'a> {
    /// `cookies`, `processings` or `contracts`.
    pub collection: &'a str,
    /// Id of its document.
    pub id: &'a str,
    /// SHA-256 (hex) of its manifest.
    pub publication: &'a str,
    /// Names of its vendors.
    pub vendors: &'a [&'a str],
}

/// Makes a project live, as if a publish with this content had run.
pub async fn publish(db: &Db, project: &str, content: &Value, published: &[Published<'_>]) {
    let id = |text: &str| Uuid::parse_str(text).expect("an id");
    let job = Ids::new(Arc::new(SystemClock)).next();
    let now = SystemClock.now();
    let mut tx = db.begin().await.expect("a transaction");
    for one in published {
        tx.query(
            "INSERT INTO publications (project_id, configuration_id, id, collection, manifest, \
             payload, job_id, published_at) VALUES ($1, $2, $3, $4, $5, '{}', $6, $7) \
             ON CONFLICT (project_id, configuration_id, id) DO NOTHING",
        )
        .bind(id(project))
        .bind(id(one.id))
        .bind(one.publication)
        .bind(one.collection)
        .bind(format!("{{\"manifest of\":\"{}\"}}", one.publication))
        .bind(job)
        .bind(now)
        .exec()
        .await
        .expect("a publication");
        for name in one.vendors {
            tx.query(
                "INSERT INTO published_vendors (project_id, configuration_id, name) \
                 VALUES ($1, $2, $3) ON CONFLICT (project_id, configuration_id, name) DO NOTHING",
            )
            .bind(id(project))
            .bind(id(one.id))
            .bind(*name)
            .exec()
            .await
            .expect("a vendor");
        }
    }
    tx.query(
        "INSERT INTO live_projects (project_id, job_id, content, objects, ip_key, published_at) \
         VALUES ($1, $2, $3, $6, $4, $5) ON CONFLICT (project_id) DO UPDATE SET \
         job_id = excluded.job_id, content = excluded.content",
    )
    .bind(id(project))
    .bind(job)
    .bind(content.to_string())
    .bind(b"a key of thirty-two bytes length".as_slice())
    .bind(now)
    .bind(r#"{"sdk": "", "files": [], "heads": {"en": ""}}"#)
    .exec()
    .await
    .expect("a live project");
    tx.commit().await.expect("a commit");
}

/// Gives a publication a list of pictures whose hash is `list`, as if they had been taken.
pub async fn pictures(db: &Db, project: &str, published: &Published<'_>) {
    let id = |text: &str| Uuid::parse_str(text).expect("an id");
    db.query(
        "INSERT INTO publication_pictures (project_id, configuration_id, publication, state, at, list, list_hash) \
         VALUES ($1, $2, $3, 'taken', $4, '{}', 'list')",
    )
    .bind(id(project))
    .bind(id(published.id))
    .bind(published.publication)
    .bind(SystemClock.now())
    .exec()
    .await
    .expect("pictures");
}
