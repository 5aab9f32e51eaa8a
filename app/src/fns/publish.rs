//! Publishing: what waits, the job's progress, the history.

use domain::collection::Collection;
use domain::differences::FieldChange;
use domain::error_code::ErrorCode;
use domain::fairness::Concern;
use domain::field_error::FieldError;
use domain::publish::{JobStatus, StepName, StepStatus};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;

/// One of the six steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub name: StepName,
    pub status: StepStatus,
    /// Duration in milliseconds.
    pub took: Option<i64>,
}

/// A publish job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub id: String,
    pub status: JobStatus,
    pub started: i64,
    pub completed: Option<i64>,
    /// Display name of who started it; `None` for the product itself.
    pub by: Option<String>,
    pub steps: Vec<Step>,
    pub message: Option<String>,
    pub url: Option<String>,
    /// The reason of a failure.
    pub error: Option<ErrorCode>,
    /// True if the job rolls back to an earlier publication.
    pub rollback: bool,
    /// The reason for which it was published in spite of warnings.
    pub reason: Option<String>,
    /// The number of warnings about what it published.
    pub warnings: u64,
    /// True if it waits for the approval of a second person.
    pub waits_for_approval: bool,
    /// Time before which it does not go live.
    pub publish_at: Option<i64>,
    /// Pause before asking again, in milliseconds.
    pub poll: u32,
}

impl Job {
    pub fn runs(&self) -> bool {
        self.status == JobStatus::Started
    }
}

/// The first entries of a list that may be long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct First<T> {
    pub shown: Vec<T>,
    /// Number of the others.
    pub more: u64,
}

impl<T> First<T> {
    /// Number of all entries.
    pub fn total(&self) -> u64 {
        self.shown.len() as u64 + self.more
    }
}

impl<T> Default for First<T> {
    fn default() -> Self {
        Self {
            shown: Vec::new(),
            more: 0,
        }
    }
}

/// A publish that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    pub job: Job,
    /// The changes that it makes.
    pub changes: First<Change>,
    /// The configurations and boxes that it makes live: ids and titles.
    pub shown: Vec<(String, String)>,
    /// True if this person asked for it.
    pub is_own: bool,
}

/// An earlier publish that may be put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierPublish {
    /// The changes that this makes.
    pub changes: First<Change>,
    /// Its configurations and boxes: ids and titles.
    pub shown: Vec<(String, String)>,
    /// True if a second person approves it first.
    pub waits: bool,
}

/// A document that is not live as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub collection: Collection,
    pub id: String,
    pub title: String,
    pub how: How,
}

/// Difference between a document of the draft and its live version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// The document is not live.
    New,
    /// The document is live with other values.
    Changed {
        fields: Vec<FieldChange>,
        /// Number of further fields.
        omitted: u64,
    },
    /// The document is live and was deleted.
    Removed,
    /// The document cannot be published, because of these fields.
    Broken(First<FieldError>),
}

/// A setting or text of a document that is not fair to visitors, or keeps the widget from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub collection: Collection,
    pub id: String,
    pub title: String,
    pub pointer: String,
    pub concern: Concern,
}

/// The data of the publish page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishData {
    /// The reason for which the drafts are neither compared nor published.
    pub refusal: Option<String>,
    pub changes: First<Change>,
    pub warnings: First<Warning>,
    /// A page of the history.
    pub jobs: Vec<Job>,
    pub total: u64,
    pub per_page: u32,
    /// The job whose files are live.
    pub live: Option<String>,
    /// A job that runs or waits, wherever in the history it stands.
    pub running: Option<Job>,
    /// The publish that waits.
    pub waiting: Option<Waiting>,
    /// True if a second person must approve.
    pub needs_approval: bool,
    /// Without a configuration there is nothing to publish.
    pub configurations: u64,
    pub can_publish: bool,
}

/// Unpublished changes and earlier publications.
#[server(prefix = "/ui", endpoint = "publish/data", input = Json)]
pub async fn read_publish(project: String, listing: Listing) -> Result<PublishData, UiError> {
    server::data(&project, listing).await
}

/// Starts publishing, at a time if one is named. In spite of warnings it needs a reason, which is kept with the job.
#[server(prefix = "/ui", endpoint = "publish/start", input = Json)]
pub async fn start_publish(
    project: String,
    reason: String,
    at: Option<i64>,
) -> Result<Job, UiError> {
    server::start(&project, &reason, at, None).await
}

/// The same from a page that shows these warnings. It is refused if there are others by now: the reason is for none of
/// them.
#[server(prefix = "/ui", endpoint = "publish/as-shown", input = Json)]
pub async fn publish_as_shown(
    project: String,
    reason: String,
    at: Option<i64>,
    shown: First<Warning>,
) -> Result<Job, UiError> {
    server::start(&project, &reason, at, Some(&shown)).await
}

/// Approves the publish of somebody else.
#[server(prefix = "/ui", endpoint = "publish/approve", input = Json)]
pub async fn approve_publish(project: String, job: String) -> Result<Job, UiError> {
    server::approve(&project, &job).await
}

/// The page that shows a configuration or box of a publish that is done, or waits; for a sandboxed frame.
#[server(prefix = "/ui", endpoint = "publish/seen", input = Json)]
pub async fn see_widget(
    project: String,
    job: String,
    shown: String,
    nonce: String,
    dark: bool,
) -> Result<String, UiError> {
    use super::server::{actor, id, placet, refuse};
    let options = service::render::PreviewOptions {
        dark,
        nonce: &nonce,
        ..service::render::PreviewOptions::default()
    };
    let (project, job, publish) = (id(&project)?, id(&job)?, &placet()?.publish);
    let seen = publish.preview_of_job(actor()?, project, job, &shown, &options);
    seen.await.map_err(refuse)
}

/// Ends a publish that waits.
#[server(prefix = "/ui", endpoint = "publish/cancel", input = Json)]
pub async fn cancel_publish(project: String, job: String) -> Result<Job, UiError> {
    server::cancel(&project, &job).await
}

/// Puts the file of an earlier job back.
#[server(prefix = "/ui", endpoint = "publish/rollback", input = Json)]
pub async fn rollback(project: String, job: String, note: String) -> Result<Job, UiError> {
    server::rollback(&project, &job, &note).await
}

/// The changes that putting the file of an earlier job back would make, with its configurations and boxes.
#[server(prefix = "/ui", endpoint = "publish/rollback/changes", input = Json)]
pub async fn read_rollback(project: String, job: String) -> Result<EarlierPublish, UiError> {
    server::read_rollback(&project, &job).await
}

/// The changes on a page of the list that [`read_publish`] begins; with a job, of the list of its changes.
#[server(prefix = "/ui", endpoint = "publish/changes", input = Json)]
pub async fn read_changes(
    project: String,
    job: Option<String>,
    page: u32,
) -> Result<First<Change>, UiError> {
    server::read_changes(&project, job.as_deref(), page).await
}

/// A job as it stands now.
#[server(prefix = "/ui", endpoint = "publish/job", input = Json)]
pub async fn publish_job(project: String, job: String) -> Result<Job, UiError> {
    server::job(&project, &job).await
}

#[cfg(feature = "ssr")]
mod server {
    use std::collections::BTreeMap;

    use domain::collection::Collection;
    use domain::documents::{self, Project};
    use domain::error_code::ErrorCode;
    use domain::field_error::FieldError;
    use service::Error;
    use service::access::Need;
    use service::auth::User;
    use service::clock::Timestamp;
    use service::db::page::{Asked, Listed, Page};
    use service::publish::{
        Change as Difference, DocumentWarning, PublishJob, Remarks, State,
        Waiting as WaitingDocument,
    };
    use uuid::Uuid;

    use super::{
        Change, EarlierPublish, First, How, Job, Listing, PublishData, Step, Waiting, Warning,
    };
    use crate::error::UiError;
    use crate::fns::documents::server::first_of;
    use crate::fns::server::{actor, id, may, placet, refuse};

    const HISTORY: u32 = 20;
    /// Most changes that a page shows.
    const MOST: usize = Page::MAX_SIZE as usize;

    pub async fn data(project: &str, listing: Listing) -> Result<PublishData, UiError> {
        let project = id(project)?;
        let can_publish = may(project, Need::PUBLISH).await?;
        let placet = placet()?;
        let (state, refusal) = match placet.publish.state(actor()?, project).await {
            Ok(state) => (state, None),
            // The live publish is shown all the same, and an earlier one can be put back.
            Err(Error::Invalid(errors)) => {
                let live = placet.publish.live(actor()?, project).await;
                let state = State {
                    live: live.map_err(refuse)?,
                    waiting: Vec::new(),
                    warnings: Remarks::default(),
                };
                (state, errors.into_iter().next().map(|error| error.detail))
            }
            Err(error) => return Err(refuse(error)),
        };
        let changes = first(state.waiting.into_iter().map(change));
        let asked = listing.asked(Some(HISTORY));
        let history = jobs(project, &asked).await?;
        let running = placet.publish.running(actor()?, project).await;
        let running = running.map_err(refuse)?;
        let people = people(history.items.iter().chain(&running)).await?;
        let waiting = placet.publish.waiting(actor()?, project).await;
        let waiting = match waiting.map_err(refuse)? {
            Some(job) => Some(waits(project, job).await?),
            None => None,
        };
        Ok(PublishData {
            needs_approval: needs_approval(project).await?,
            refusal,
            waiting,
            changes,
            warnings: warnings(state.warnings),
            jobs: history
                .items
                .into_iter()
                .map(|job| out(job, &people))
                .collect(),
            total: history.total,
            per_page: asked.page.size,
            live: state.live.map(|live| live.job_id.to_string()),
            running: running.map(|job| out(job, &people)),
            configurations: first_of(project, Collection::Cookies).await?.1,
            can_publish,
        })
    }

    /// A publish that waits, with its changes.
    async fn waits(project: Uuid, job: PublishJob) -> Result<Waiting, UiError> {
        let (changes, shown) = made_by(project, job.id).await?;
        let me = actor()?.responsible().map(|me| me.to_string());
        Ok(Waiting {
            is_own: me.as_ref() == Some(&job.initiated_by),
            changes,
            shown,
            job: one(job).await?,
        })
    }

    /// The changes that the content of a job makes, with its configurations and boxes.
    async fn made_by(
        project: Uuid,
        job: Uuid,
    ) -> Result<(First<Change>, Vec<(String, String)>), UiError> {
        let placet = placet()?;
        let shown = placet.publish.shown_by_job(actor()?, project, job).await;
        Ok((
            changes(project, Some(job), 1).await?,
            shown.map_err(refuse)?,
        ))
    }

    /// The changes on a page, and the number of those behind it.
    async fn changes(
        project: Uuid,
        job: Option<Uuid>,
        page: u32,
    ) -> Result<First<Change>, UiError> {
        let page = Page::new(Some(page), Some(Page::MAX_SIZE));
        let placet = placet()?;
        let changes = placet.publish.changes(actor()?, project, job, page).await;
        let Listed { items, total, page } = changes.map_err(refuse)?;
        let before = page.offset().unsigned_abs();
        Ok(First {
            more: total.saturating_sub(before + items.len() as u64),
            shown: items.into_iter().map(change).collect(),
        })
    }

    pub async fn read_changes(
        project: &str,
        job: Option<&str>,
        page: u32,
    ) -> Result<First<Change>, UiError> {
        let job = job.map(id).transpose()?;
        changes(id(project)?, job, page).await
    }

    /// The first entries of a list.
    fn first<T>(mut all: impl ExactSizeIterator<Item = T>) -> First<T> {
        let shown = all.by_ref().take(MOST).collect();
        let more = all.len() as u64;
        First { shown, more }
    }

    fn warnings(found: Remarks<DocumentWarning>) -> First<Warning> {
        First {
            shown: found.told.into_iter().map(warning).collect(),
            more: found.omitted as u64,
        }
    }

    /// True if a second person must approve what is published here.
    async fn needs_approval(project: Uuid) -> Result<bool, UiError> {
        let vault = &placet()?.vault;
        let document = vault.read(actor()?, Collection::Projects, project).await;
        let project: Project = documents::read(&document.map_err(refuse)?.data);
        Ok(project.approval)
    }

    fn change(waiting: WaitingDocument) -> Change {
        Change {
            collection: waiting.collection,
            id: waiting.id.to_string(),
            title: waiting.title,
            how: match waiting.change {
                Difference::New => How::New,
                Difference::Changed(differences) => How::Changed {
                    omitted: differences.omitted as u64,
                    fields: differences.fields,
                },
                Difference::Removed => How::Removed,
                Difference::Broken {
                    errors, omitted, ..
                } => How::Broken(First {
                    shown: errors,
                    more: omitted as u64,
                }),
            },
        }
    }

    fn warning(warning: DocumentWarning) -> Warning {
        Warning {
            collection: warning.collection,
            id: warning.id.to_string(),
            title: warning.title,
            pointer: warning.pointer,
            concern: warning.concern,
        }
    }

    async fn jobs(project: Uuid, asked: &Asked) -> Result<Listed<PublishJob>, UiError> {
        placet()?
            .publish
            .list(actor()?, project, asked)
            .await
            .map_err(refuse)
    }

    /// Starts publishing. A page names the warnings that it has `shown`: the reason is for no others.
    pub async fn start(
        project: &str,
        reason: &str,
        at: Option<i64>,
        shown: Option<&First<Warning>>,
    ) -> Result<Job, UiError> {
        let (project, placet) = (id(project)?, placet()?);
        let state = placet.publish.state(actor()?, project).await;
        let found = warnings(state.map_err(refuse)?.warnings);
        let is_other = |shown: &First<Warning>| {
            let mut warnings = found.shown.iter();
            found.more > shown.more || warnings.any(|one| !shown.shown.contains(one))
        };
        if shown.is_some_and(is_other) {
            return Err(refuse(Error::PreconditionFailed));
        }
        if reason.trim().is_empty() && found.total() > 0 {
            let detail = "Say why you publish in spite of the warnings.";
            let fields = vec![FieldError::new("/reason", ErrorCode::Required, detail)];
            return Err(UiError::Invalid { fields });
        }
        let at = at.map(Timestamp::from_millis);
        let job = placet.publish.start(actor()?, project, Some(reason), at);
        one(job.await.map_err(refuse)?).await
    }

    pub async fn approve(project: &str, job: &str) -> Result<Job, UiError> {
        let (project, job) = (id(project)?, id(job)?);
        let approved = placet()?.publish.approve(actor()?, project, job).await;
        one(approved.map_err(refuse)?).await
    }

    pub async fn cancel(project: &str, job: &str) -> Result<Job, UiError> {
        let (project, job) = (id(project)?, id(job)?);
        let cancelled = placet()?.publish.cancel(actor()?, project, job).await;
        one(cancelled.map_err(refuse)?).await
    }

    pub async fn rollback(project: &str, job: &str, note: &str) -> Result<Job, UiError> {
        let (project, job) = (id(project)?, id(job)?);
        one(placet()?
            .publish
            .rollback(actor()?, project, job, Some(note))
            .await
            .map_err(refuse)?)
        .await
    }

    pub async fn read_rollback(project: &str, job: &str) -> Result<EarlierPublish, UiError> {
        let (project, job) = (id(project)?, id(job)?);
        let placet = placet()?;
        let waits = placet.publish.waits_to_go_back(actor()?, project, job);
        let waits = waits.await.map_err(refuse)?;
        let (changes, shown) = made_by(project, job).await?;
        Ok(EarlierPublish {
            changes,
            shown,
            waits,
        })
    }

    pub async fn job(project: &str, job: &str) -> Result<Job, UiError> {
        let (project, job) = (id(project)?, id(job)?);
        one(placet()?
            .publish
            .read(actor()?, project, job)
            .await
            .map_err(refuse)?)
        .await
    }

    async fn one(job: PublishJob) -> Result<Job, UiError> {
        let people = people(std::iter::once(&job)).await?;
        Ok(out(job, &people))
    }

    /// The people who started these jobs, by id.
    async fn people(
        jobs: impl Iterator<Item = &PublishJob>,
    ) -> Result<BTreeMap<String, User>, UiError> {
        let mut ids: Vec<Uuid> = jobs
            .filter_map(|job| Uuid::parse_str(&job.initiated_by).ok())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let users = placet()?.auth.by_ids(&ids).await.map_err(refuse)?;
        Ok(users
            .into_iter()
            .map(|user| (user.id.to_string(), user))
            .collect())
    }

    fn out(job: PublishJob, people: &BTreeMap<String, User>) -> Job {
        let steps = job
            .steps
            .iter()
            .map(|step| Step {
                name: step.name,
                status: step.status,
                took: step
                    .started
                    .zip(step.completed)
                    .map(|(started, completed)| completed.millis() - started.millis()),
            })
            .collect();
        Job {
            id: job.id.to_string(),
            status: job.status,
            started: job.started.millis(),
            completed: job.completed.map(Timestamp::millis),
            by: people
                .get(&job.initiated_by)
                .map(|user| user.display_name.clone()),
            steps,
            message: job.message,
            url: job.url,
            error: job.error.map(|error| error.code),
            rollback: job.rollback_to.is_some(),
            reason: job.reason,
            warnings: (job.warnings.len() + job.warnings_omitted.unwrap_or_default()) as u64,
            waits_for_approval: job.waits_for.contains(&domain::publish::WaitsFor::Approval),
            publish_at: job.publish_at.map(Timestamp::millis),
            poll: u32::try_from(job.timeout).unwrap_or(500),
        }
    }
}
