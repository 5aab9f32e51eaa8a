//! Looks for the snippet on a project's site.

use domain::{
    documents::{self, Project},
    role::Role,
};
use uuid::Uuid;

use super::{Publish, store};
use crate::{
    access::{self, Actor},
    error::Result,
};

/// Bytes of a page that are searched for the snippet.
const SNIPPET_SEARCHED: usize = 1024 * 1024;

impl Publish {
    /// True if the first megabyte of the project's site has its snippet. The answer tells nothing
    /// else about the site: a site that cannot be reached gives false, too.
    pub async fn snippet_found(&self, actor: Actor, project: Uuid) -> Result<bool> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let own = store::project(&self.db, project).await?;
        let site = own.and_then(|own| documents::read::<Project>(&own.data).website_url);
        let page = self
            .outbound
            .page(&site.unwrap_or_default(), SNIPPET_SEARCHED)
            .await
            .unwrap_or_default();
        Ok(String::from_utf8_lossy(&page).contains(&project.to_string()))
    }
}
