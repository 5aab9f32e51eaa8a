//! A project whose configuration takes consents.

use serde_json::json;
use tests::{Client, Process, seed};

/// The project.
pub struct Shop {
    pub owner: Client,
    pub project: String,
    /// Path to which its consents are posted.
    pub path: String,
}

impl Shop {
    pub async fn open(process: &Process) -> Self {
        let owner = process.user("ada").await;
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = owner.create("projects", &document).await;
        let cookies = owner
            .create("cookies", &json!({"projectId": project, "name": "en"}))
            .await;
        let published = seed::Published {
            collection: "cookies",
            id: &cookies,
            publication: tests::PUBLICATION,
            vendors: &["ads"],
        };
        let db = process.database().await;
        seed::publish(&db, &project, &json!({}), &[published]).await;
        db.close().await;
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        Self {
            owner,
            project,
            path,
        }
    }
}
