//! The live publish of a project, and the drafts that differ from it.

use std::{collections::BTreeMap, ops::Range};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Publish,
    content::Content,
    files::LiveObjects,
    job::published_by,
    remarks::{DocumentWarning, Remarks},
    store,
    waiting::{self, Waiting},
};
use crate::{
    access::{self, Actor, Need},
    clock::Timestamp,
    db::page::{Listed, Page},
    error::{Error, Result},
    render,
};

/// The live publish of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Live {
    /// The job that made it.
    pub job_id: Uuid,
    /// Since when.
    pub published_at: Timestamp,
    /// Address of the published file.
    pub url: String,
    /// Hashed bundles by configuration name, with their `integrity` values.
    pub bundles: BTreeMap<String, Bundle>,
    /// The lines before the tag of each bundle, by configuration name. Unknown for a moment after an upgrade.
    #[serde(skip)]
    pub heads: BTreeMap<String, String>,
}

/// The live publish of a project, and the drafts that differ from it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// `None` before the first publish.
    pub live: Option<Live>,
    /// The documents whose drafts are not live as they stand. Those behind the first [`Page::MAX_SIZE`] come without
    /// their fields.
    pub waiting: Vec<Waiting>,
    /// Warnings about the drafts.
    pub warnings: Remarks<DocumentWarning>,
}

/// A bundle's immutable address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    /// Absolute address.
    pub url: String,
    /// Subresource integrity, `sha384-…`.
    pub integrity: String,
}

impl Publish {
    /// The lines that put a live configuration into pages, for everybody: the stub of TCF and the defaults of signals
    /// where it needs them, and the tag of its latest bundle. With `stub_file` the stub is a tag of its file.
    pub async fn snippet(
        &self,
        project: Uuid,
        configuration: &str,
        stub_file: bool,
    ) -> Result<String> {
        let live = store::live_objects(&self.db, project).await?;
        let live = live.ok_or(Error::NotFound)?;
        // Files that an earlier release made are made again soon after the start. Until then the file of this
        // build's stub is not there.
        let live = LiveObjects::parse(&live).ok_or(Error::Busy)?;
        let is_current = !stub_file || Some(live.sdk.as_str()) == render::sdk_hash();
        let heads = live.heads.filter(|_| is_current).ok_or(Error::Busy)?;
        let head = heads.get(configuration).ok_or(Error::NotFound)?;
        let url = format!("{}/{project}/{configuration}.js", self.cdn_url);
        let tag = render::bundle_tag(&url, None);
        Ok(if stub_file {
            render::head_with_stub_file(head, &self.cdn_url) + &tag
        } else {
            format!("{head}{tag}")
        })
    }

    /// The live publish of a project. `None` before its first publish.
    pub async fn live(&self, actor: Actor, project: Uuid) -> Result<Option<Live>> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let live = store::live(&self.db, project).await?;
        Ok(live.map(|live| self.shown(project, &live)))
    }

    /// The live publish of a project, and the drafts that differ from it.
    pub async fn state(&self, actor: Actor, project: Uuid) -> Result<State> {
        let first = Page::new(None, Some(Page::MAX_SIZE));
        self.compared(actor, project, places(first)).await
    }

    /// As [`Publish::state`], with the fields of the documents at these places.
    async fn compared(&self, actor: Actor, project: Uuid, told: Range<usize>) -> Result<State> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let turn = self.answers.turn(actor).await?;
        let live = store::live(&self.db, project).await?;
        let (turn, draft) = self.draft(turn, project).await?;
        let text = live.as_ref().map(|live| live.content.clone());
        let compared = turn.compute(move || {
            let content = text.as_deref().and_then(Content::parse);
            let waiting = waiting::waiting(project, &draft, content.as_ref(), told);
            (
                waiting,
                draft.content.warnings(project, draft.site.as_deref()),
            )
        });
        let (_, (waiting, warnings)) = compared.await?;
        Ok(State {
            waiting,
            warnings,
            live: live.map(|live| self.shown(project, &live)),
        })
    }

    /// The changes that a publish would make live; with a job, those that putting its file back would, or that it
    /// would make itself if it waits. They come with their fields, as far as an answer has room for them.
    pub async fn changes(
        &self,
        actor: Actor,
        project: Uuid,
        job: Option<Uuid>,
        page: Page,
    ) -> Result<Listed<Waiting>> {
        let told = places(page);
        let found = match job {
            None => self.compared(actor, project, told.clone()).await?.waiting,
            Some(job) => self.changes_by(actor, project, job, told.clone()).await?,
        };
        Ok(Listed {
            total: found.len() as u64,
            items: found
                .into_iter()
                .skip(told.start)
                .take(told.len())
                .collect(),
            page,
        })
    }

    /// The changes that the content of a job would make, with the fields of the documents at these places.
    async fn changes_by(
        &self,
        actor: Actor,
        project: Uuid,
        job: Uuid,
        told: Range<usize>,
    ) -> Result<Vec<Waiting>> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let turn = self.answers.turn(actor).await?;
        let live = store::live(&self.db, project).await?;
        let earlier = self.with_content(project, job).await?;
        let compared = turn.compute(move || {
            let next = published_by(&earlier)?;
            let live = live.and_then(|live| Content::parse(&live.content));
            Some(waiting::between(project, live.as_ref(), &next, told))
        });
        let (_, compared) = compared.await?;
        compared.ok_or(Error::NotFound)
    }

    fn shown(&self, project: Uuid, live: &store::LiveRow) -> Live {
        let own = format!("{project}/");
        let bundles = live.files().into_iter().filter_map(|file| {
            let name = file.key.strip_prefix(&own)?.strip_suffix(".js")?.to_owned();
            let url = format!("{}/{}", self.cdn_url, file.immutable);
            let integrity = file.integrity;
            Some((name, Bundle { url, integrity }))
        });
        Live {
            job_id: live.job_id,
            published_at: live.published_at,
            url: self.pointer_url(project),
            bundles: bundles.collect(),
            heads: live.heads(),
        }
    }
}

/// The places of a page's entries in its list.
fn places(page: Page) -> Range<usize> {
    let start = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    start..start.saturating_add(size)
}
