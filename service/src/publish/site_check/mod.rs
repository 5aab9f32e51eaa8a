//! Looks for the snippet on projects' sites: when somebody asks, and from then on once a day.

mod store;

use std::sync::Arc;

use domain::documents::{self, Project};
use futures::{StreamExt, stream};
use uuid::Uuid;

use super::Publish;
use crate::{
    access::{self, Actor, Need},
    clock::Timestamp,
    counts::Counts,
    error::Result,
    places::Places,
};

/// Bytes of a page that are searched for the snippet.
const SNIPPET_SEARCHED: usize = 1024 * 1024;
/// Between two looks at a site. A little less than a day, so that the hour of the look does not move.
const PAUSE_HOURS: i64 = 23;
/// Sites that one round looks at. Others follow in the next.
const MOST_SITES: i64 = 500;
/// Sites that a round looks at together.
const AT_ONCE: usize = 4;
/// Looks in a row that miss the snippet before it counts as gone: a site may be in the middle of a change.
const MISSES: i64 = 2;

/// Sites that people have looked at at once, and one account.
const ASKED_AT_ONCE: usize = 16;
const OF_ACCOUNT: usize = 2;
/// Sites that an account may have looked at in an hour.
const MOST_AN_HOUR: u32 = 60;

/// Bounds of the looks that people ask for: each calls an address of their choice.
pub(super) struct Asked {
    places: Arc<Places>,
    counts: Counts<Uuid>,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            places: Places::new(ASKED_AT_ONCE, OF_ACCOUNT),
            counts: Counts::default(),
        }
    }
}

impl Publish {
    /// True if the first megabyte of the project's site has its snippet. The answer tells nothing
    /// else about the site: a site that cannot be reached gives false, too. A site that has it is looked at once a
    /// day from then on.
    pub async fn snippet_found(&self, actor: Actor, project: Uuid) -> Result<bool> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let account = actor.owner();
        let place = self.site_looks.places.take(account)?;
        let counts = &self.site_looks.counts;
        counts.add_in_hour(account, self.clock.now(), MOST_AN_HOUR)?;
        let site = self.site(project).await?;
        let look = self.look(account, project, &site);
        let found = place.way().hold(look).await? == Some(true);
        if found {
            store::found(&self.db, project, &site, self.clock.now()).await?;
        }
        Ok(found)
    }

    /// Looks at the sites that have had the snippet and are due.
    pub(crate) async fn check_sites(&self) -> Result<()> {
        let now = self.clock.now();
        let before = now.plus_seconds(-PAUSE_HOURS * 3_600);
        let due = store::due(&self.db, (before, now), MOST_SITES).await?;
        let looks = stream::iter(due).map(async |(project, address)| {
            let (now, site) = (self.clock.now(), self.site(project).await?);
            if site != address {
                return Ok(store::forget(&self.db, project).await?);
            }
            // No account has asked for it.
            match self.look(project, project, &site).await {
                Some(true) => store::found(&self.db, project, &site, now).await?,
                Some(false) => store::missed(&self.db, project, now).await?,
                None => store::unknown(&self.db, project, now).await?,
            }
            Ok(())
        });
        let looks: Vec<Result<()>> = looks.buffer_unordered(AT_ONCE).collect().await;
        store::forget_deleted(&self.db).await?;
        looks.into_iter().collect()
    }

    /// Since when the site of a project misses the snippet that it had.
    pub(crate) async fn snippet_gone(&self, project: Uuid) -> Result<Option<Timestamp>> {
        let Some(missing) = store::missing(&self.db, project, MISSES).await? else {
            return Ok(None);
        };
        let is_of_now = missing.address == self.site(project).await?;
        Ok(missing.missing_since.filter(|_| is_of_now))
    }

    /// The address of the project's site.
    async fn site(&self, project: Uuid) -> Result<String> {
        let own = super::store::project(&self.db, project).await?;
        let site = own.and_then(|own| documents::read::<Project>(&own.data).website_url);
        Ok(site.unwrap_or_default())
    }

    /// Looks for the project's snippet on a site, for an account or the project itself. Returns `None` if the site
    /// did not show its page.
    async fn look(&self, owner: Uuid, project: Uuid, site: &str) -> Option<bool> {
        let outbound = self.outbound.of(owner);
        let page = outbound.page(site, SNIPPET_SEARCHED).await.ok()?;
        let snippet = project.to_string();
        let mut places = page.windows(snippet.len());
        Some(places.any(|place| place == snippet.as_bytes()))
    }
}
