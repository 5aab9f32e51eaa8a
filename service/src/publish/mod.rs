//! Publishing: makes files on the content delivery network from a project's documents.
//!
//! A publish is a durable job with six ordered steps ([`job`]). [`content`] reads the documents and
//! makes the canonical content. [`files`] makes the files from it. The live files change only when
//! every new file is stored, and come back if the change fails ([`switch`]).

mod content;
mod files;
mod images;
pub mod job;
mod leads;
mod stop;
mod store;
mod switch;
mod waiting;
pub mod withdraw;

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    collection::Collection,
    documents::{self, Project},
    error_code::ErrorCode,
    fairness::Concern,
    field_error::FieldError,
    role::Role,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use content::Content;
pub(crate) use job::PublishProject;
pub(crate) use leads::leads;
pub use store::Publication;
pub use waiting::{Change, Waiting};

use crate::{
    access::{self, Actor, Need},
    assets::Assets,
    billing::Billing,
    cdn::Delivery,
    clock::{SharedClock, Timestamp},
    consents::IP_KEY_BYTES,
    context::Context,
    db::{
        Db,
        page::{Listed, Page, Part},
    },
    error::{Error, Result},
    events::Events,
    ids::Ids,
    installation,
    jobs::Jobs,
    objects::Objects,
    outbound::Outbound,
    render::{self, Addresses},
    secret::SecretKey,
    vendors::Vendors,
};

/// Milliseconds that a client waits between two polls of a job.
const POLLING_INTERVAL_MS: u64 = 500;

/// Most characters of a reason.
const MOST_REASON: usize = documents::field::LINE;

/// Bytes of a page that are searched for the snippet.
const SNIPPET_SEARCHED: usize = 1024 * 1024;

/// The queue's lane of a project: its publishes, and its withdrawal, never interleave.
fn lane(project: Uuid) -> String {
    format!("publish:{project}")
}

/// The six steps in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepName {
    /// Fetch all widgets and build an optimised file for every configuration.
    Build,
    /// Check the free-tier limits.
    FreeTier,
    /// Check that an organization is attached where the plan needs one.
    Organization,
    /// Check the subscription at the billing provider.
    Subscription,
    /// Upload to object storage.
    Upload,
    /// Invalidate in the content delivery network.
    Invalidate,
}

impl StepName {
    const ALL: [Self; 6] = [
        Self::Build,
        Self::FreeTier,
        Self::Organization,
        Self::Subscription,
        Self::Upload,
        Self::Invalidate,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::FreeTier => "free_tier",
            Self::Organization => "organization",
            Self::Subscription => "subscription",
            Self::Upload => "upload",
            Self::Invalidate => "invalidate",
        }
    }
}

/// The progress of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    Waiting,
    /// Begun.
    Started,
    /// Done.
    Complete,
    /// Failed, which ended the job.
    Error,
}

/// A step's progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Step {
    /// Which step.
    pub name: StepName,
    /// Its progress.
    pub status: StepStatus,
    /// Time of its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// Time of its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Timestamp>,
    /// The finding of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "Nothing to clear.")]
    pub message: Option<String>,
}

/// The progress of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Waiting or running.
    Started,
    /// The configuration is live.
    Complete,
    /// The job failed. The previous publish stays live.
    Error,
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct JobError {
    /// `build_failed`, `free_tier_exceeded`, `subscription_inactive`, `upload_failed` or
    /// `invalidation_failed`.
    pub code: ErrorCode,
    /// The step that failed.
    #[schema(example = "build")]
    pub step: String,
    /// The fields of documents that caused it: one entry for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<DocumentError>,
}

/// A field of a document that keeps it from being published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentError {
    /// The collection of the document.
    pub collection: Collection,
    /// Id of the document.
    pub id: Uuid,
    /// Title of the document.
    #[schema(example = "Newsletter")]
    pub title: String,
    /// The field, its rule and the rule in plain English. The pointer of the whole document is empty.
    #[serde(flatten)]
    pub error: FieldError,
}

impl DocumentError {
    fn of(broken: content::Broken) -> impl Iterator<Item = Self> {
        let content::Broken {
            collection,
            id,
            title,
            errors,
        } = broken;
        errors.into_iter().map(move |error| Self {
            collection,
            id,
            title: title.clone(),
            error,
        })
    }
}

/// A setting or text of a configuration that is not fair to visitors. Nothing refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentWarning {
    /// The collection of the document.
    pub collection: Collection,
    /// Id of the document.
    pub id: Uuid,
    /// Title of the document.
    #[schema(example = "Shop")]
    pub title: String,
    /// JSON Pointer of the field.
    #[schema(example = "/settings/reopenButton")]
    pub pointer: String,
    /// The concern.
    pub concern: Concern,
    /// The concern in plain English.
    #[schema(example = "Visitors find no button to change their mind.")]
    pub detail: String,
}

/// Addresses of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct JobLinks {
    /// Address to poll.
    #[serde(rename = "self")]
    #[schema(
        example = "https://consent.shop.example/v1/publish/jobs/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71"
    )]
    pub this: String,
}

/// A publish job.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishJob {
    /// Id.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Addresses.
    pub links: JobLinks,
    /// Milliseconds to wait between polls.
    #[schema(example = 500)]
    pub timeout: u64,
    /// Always empty.
    #[schema(example = json!([]))]
    pub initiator: Vec<String>,
    /// Time of its start.
    pub started: Timestamp,
    /// The project.
    pub project_id: Uuid,
    /// Id of the user who started it, or `system`.
    #[schema(example = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    pub initiated_by: String,
    /// Its progress.
    pub status: JobStatus,
    /// Progress.
    pub steps: Vec<Step>,
    /// The job whose content is put back, for a rollback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_to: Option<Uuid>,
    /// Warnings about the configurations that it publishes, once the step `build` is done.
    pub warnings: Vec<DocumentWarning>,
    /// Why it was published all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "The footer of our site opens the widget.")]
    pub reason: Option<String>,
    /// The result in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "The widget is live.")]
    pub message: Option<String>,
    /// Time of its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<Timestamp>,
    /// Address of the published file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        example = "https://consent.shop.example/cdn/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70.json"
    )]
    pub url: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
}

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
}

/// The live publish of a project, and the drafts that differ from it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// `None` before the first publish.
    pub live: Option<Live>,
    /// The documents whose drafts are not live as they stand.
    pub waiting: Vec<Waiting>,
    /// Warnings about the drafts.
    pub warnings: Vec<DocumentWarning>,
}

/// A bundle's immutable address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    /// Absolute address.
    pub url: String,
    /// Subresource integrity, `sha384-…`.
    pub integrity: String,
}

/// The sub-service `publish`.
pub struct Publish {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    jobs: Arc<Jobs>,
    events: Arc<Events>,
    secret: SecretKey,
    vendors: Arc<Vendors>,
    objects: Arc<Objects>,
    delivery: Delivery,
    assets: Arc<Assets>,
    billing: Arc<Billing>,
    outbound: Outbound,
    base_url: String,
    cdn_url: String,
    crash_at: Option<String>,
}

/// The sub-services and the edges that [`Publish`] works with.
pub(crate) struct Parts {
    pub vendors: Arc<Vendors>,
    pub objects: Arc<Objects>,
    pub delivery: Delivery,
    pub assets: Arc<Assets>,
    pub billing: Arc<Billing>,
    pub outbound: Outbound,
    pub base_url: String,
    pub cdn_url: String,
    pub crash_at: Option<String>,
}

impl Publish {
    pub(crate) fn new(context: &Context, parts: Parts) -> Self {
        let Context {
            db,
            clock,
            ids,
            jobs,
            events,
            secret,
        } = context.clone();
        Self {
            db,
            clock,
            ids,
            jobs,
            events,
            secret,
            vendors: parts.vendors,
            objects: parts.objects,
            delivery: parts.delivery,
            assets: parts.assets,
            billing: parts.billing,
            outbound: parts.outbound,
            base_url: parts.base_url,
            cdn_url: parts.cdn_url,
            crash_at: parts.crash_at,
        }
    }

    fn addresses(&self) -> Addresses<'_> {
        Addresses {
            api_url: &self.base_url,
            cdn_url: &self.cdn_url,
        }
    }

    /// Tells why this process must not publish: the installation has other addresses. `None` if it may.
    pub async fn refusal(&self) -> Result<Option<String>> {
        let here = installation::Addresses {
            base_url: self.base_url.clone(),
            cdn_url: self.cdn_url.clone(),
        };
        installation::refusal(&self.db, &here).await
    }

    /// Seals the keys of addresses that an earlier version stored in plain.
    pub(crate) async fn seal_keys(&self) -> Result<()> {
        for (project, key) in store::plain_keys(&self.db, IP_KEY_BYTES).await? {
            let sealed = self.secret.seal(project.as_bytes(), &key);
            store::seal_key(&self.db, project, &key, &sealed).await?;
        }
        Ok(())
    }

    /// Starts a publish of the project as it is when the job's first step begins. The `reason` to
    /// publish in spite of warnings is kept with the job.
    pub async fn start(
        &self,
        actor: Actor,
        project: Uuid,
        reason: Option<&str>,
    ) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Need::publish(Role::Editor)).await?;
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        if reason.is_some_and(|reason| reason.chars().count() > MOST_REASON) {
            let detail = format!("At most {MOST_REASON} characters.");
            return Err(Error::field("/reason", ErrorCode::TooLong, detail));
        }
        if reason.is_some_and(|reason| reason.contains('\0')) {
            let detail = "U+0000 is not allowed.";
            return Err(Error::field("/reason", ErrorCode::InvalidCharacter, detail));
        }
        self.enqueue(actor, project, None, reason).await
    }

    /// Starts a job that puts an earlier published file back.
    pub async fn rollback(&self, actor: Actor, project: Uuid, job: Uuid) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Need::publish(Role::Editor)).await?;
        let earlier = store::lookup(&self.db, project, job)
            .await?
            .ok_or(Error::NotFound)?;
        if earlier.status != "complete" {
            return Err(Error::conflict(
                None,
                ErrorCode::NotPublished,
                "Only a publish that completed can be put back.",
            ));
        }
        self.enqueue(actor, project, Some(job), None).await
    }

    /// Starts jobs that render live content again with the current SDK. Takes one project, or all
    /// (those with an older SDK, unless `always`). Returns the number of jobs.
    pub async fn republish(&self, only: Option<Uuid>, always: bool) -> Result<usize> {
        if let Some(project) = only {
            let live = store::live(&self.db, project).await?;
            return self.render_again(live.as_slice(), always).await;
        }
        let (mut started, mut after) = (0, Uuid::nil());
        loop {
            let some = store::some_live(&self.db, after).await?;
            let Some(last) = some.last() else {
                return Ok(started);
            };
            after = last.project_id;
            started += self.render_again(&some, always).await?;
        }
    }

    async fn render_again(&self, live: &[store::LiveRow], always: bool) -> Result<usize> {
        let mut started = 0;
        for live in live {
            let outdated = live.sdk_hash().as_deref() != render::sdk_hash();
            if always || outdated {
                self.enqueue(Actor::System, live.project_id, Some(live.job_id), None)
                    .await?;
                started += 1;
            }
        }
        Ok(started)
    }

    async fn enqueue(
        &self,
        actor: Actor,
        project: Uuid,
        rollback_to: Option<Uuid>,
        reason: Option<&str>,
    ) -> Result<PublishJob> {
        let id = self.ids.next();
        let (by, reason) = (actor.responsible(), reason.map(str::to_owned));
        let row = store::JobRow::new(id, project, by, rollback_to, reason, self.clock.now());
        let mut tx = self.db.begin().await?;
        store::add(&mut tx, &row).await?;
        self.jobs
            .enqueue(&mut tx, id, &PublishProject(project))
            .await?;
        tx.commit().await?;
        self.jobs.wake();
        self.record(row)
    }

    /// A job as it stands now.
    pub async fn read(&self, actor: Actor, project: Uuid, job: Uuid) -> Result<PublishJob> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let row = store::lookup(&self.db, project, job)
            .await?
            .ok_or(Error::NotFound)?;
        self.record(row)
    }

    /// A job as it stands now, for the product itself.
    pub(crate) async fn lookup(&self, project: Uuid, job: Uuid) -> Result<Option<PublishJob>> {
        let row = store::lookup(&self.db, project, job).await?;
        row.map(|row| self.record(row)).transpose()
    }

    /// Jobs of a project, newest first.
    pub async fn list(
        &self,
        actor: Actor,
        project: Uuid,
        page: Page,
    ) -> Result<Listed<PublishJob>> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let rows = store::list(&self.db, project, page).await?;
        let (total, page) = (rows.total, rows.page);
        let items = rows
            .items
            .into_iter()
            .map(|row| self.record(row))
            .collect::<Result<_>>()?;
        Ok(Listed { items, total, page })
    }

    /// Those behind a job; costs the same however far that is.
    pub async fn list_after(
        &self,
        actor: Actor,
        project: Uuid,
        after: Uuid,
        size: u32,
    ) -> Result<Part<PublishJob>> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        if store::lookup(&self.db, project, after).await?.is_none() {
            return Err(Error::BadRequest(
                "`after` must be the id of a job of this project.".to_owned(),
            ));
        }
        let Part { items, size, more } = store::list_after(&self.db, project, after, size).await?;
        let items = items
            .into_iter()
            .map(|row| self.record(row))
            .collect::<Result<_>>()?;
        Ok(Part { items, size, more })
    }

    /// The live publish of a project. `None` before its first publish.
    pub async fn live(&self, actor: Actor, project: Uuid) -> Result<Option<Live>> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let live = store::live(&self.db, project).await?;
        Ok(live.map(|live| self.shown(project, &live)))
    }

    /// The live publish of a project, and the drafts that differ from it.
    pub async fn state(&self, actor: Actor, project: Uuid) -> Result<State> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let live = store::live(&self.db, project).await?;
        let draft = content::read(&self.db, &self.vendors, project).await?;
        let content = live.as_ref().and_then(|live| Content::parse(&live.content));
        Ok(State {
            waiting: waiting::waiting(project, &draft, content.as_ref()),
            warnings: draft.content.warnings(),
            live: live.map(|live| self.shown(project, &live)),
        })
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
        }
    }

    /// The publication with this id, as visitors saw it.
    pub async fn publication(
        &self,
        actor: Actor,
        project: Uuid,
        configuration: Uuid,
        id: &str,
    ) -> Result<Publication> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        store::publication(&self.db, project, configuration, id)
            .await?
            .ok_or(Error::NotFound)
    }

    /// True if the first megabyte of the project's site has its snippet. The answer tells nothing
    /// else about the site: a site that cannot be reached gives false, too.
    pub async fn snippet_found(&self, actor: Actor, project: Uuid) -> Result<bool> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let documents = store::documents(&mut self.db.snapshot().await?, project).await?;
        let own = documents
            .iter()
            .find(|document| document.collection == Collection::Projects);
        let site = own.and_then(|own| documents::read::<Project>(&own.data).website_url);
        let page = self
            .outbound
            .page(&site.unwrap_or_default(), SNIPPET_SEARCHED)
            .await
            .unwrap_or_default();
        Ok(String::from_utf8_lossy(&page).contains(&project.to_string()))
    }

    /// The widget of drafts, as an HTML document for a sandboxed frame. `look` is the project and
    /// `draft` the cookie configuration, as they would be saved.
    pub async fn preview(
        &self,
        actor: Actor,
        project: Uuid,
        look: &serde_json::Value,
        draft: &serde_json::Value,
        options: &render::PreviewOptions<'_>,
    ) -> Result<String> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let mut errors = documents::validate(Collection::Cookies, draft);
        errors.extend(documents::validate(Collection::Projects, look));
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        let (client, mut configuration) =
            content::of_drafts(&self.db, &self.vendors, project, look, draft).await?;
        images::for_preview(&self.assets, &mut configuration);
        let rendered = render::render(&project.to_string(), true, &client, &configuration);
        render::preview_document(&rendered, &self.addresses(), options)
            .ok_or_else(|| Error::internal("this build holds no SDK"))
    }

    /// A draft of a consent or contract box in a form, as an HTML document for a sandboxed frame.
    /// `look` is the project.
    pub async fn preview_box(
        &self,
        actor: Actor,
        project: Uuid,
        collection: Collection,
        look: &serde_json::Value,
        draft: &serde_json::Value,
        options: &render::PreviewOptions<'_>,
    ) -> Result<String> {
        access::project(&self.db, actor, project, Role::Viewer).await?;
        let errors = documents::validate(collection, draft);
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        let (client, mut document) = content::of_box(collection, Uuid::nil(), look, draft);
        images::box_for_preview(&self.assets, collection, &mut document);
        render::preview_of_box(&client, collection, &document, options)
            .ok_or_else(|| Error::internal("this build holds no SDK"))
    }

    /// A publication as an HTML document for a sandboxed frame. It shows the payload, or the box,
    /// that was published then.
    pub async fn show_again(
        &self,
        actor: Actor,
        project: Uuid,
        configuration: Uuid,
        publication: &str,
        options: &render::PreviewOptions<'_>,
    ) -> Result<String> {
        let publication = self
            .publication(actor, project, configuration, publication)
            .await?;
        let shown = if publication.payload.is_empty() {
            box_again(&publication, options)
        } else {
            render::preview_of_payload(&publication.payload, options)
        };
        shown.ok_or(Error::NotFound)
    }

    /// A published file's bytes, for the server's own `/cdn`.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The version-independent SDK, for `/sdk.js`.
    pub fn generic_sdk(&self) -> Option<String> {
        render::generic_sdk(&self.addresses())
    }

    fn pointer_url(&self, project: Uuid) -> String {
        format!("{}/{project}.json", self.cdn_url)
    }

    fn record(&self, row: store::JobRow) -> Result<PublishJob> {
        let steps = serde_json::from_str(&row.steps).map_err(Error::internal)?;
        let errors = row.error_documents.as_deref().map(serde_json::from_str);
        let errors = errors.transpose().map_err(Error::internal)?;
        let warnings = row.warnings.as_deref().map(serde_json::from_str);
        let warnings = warnings.transpose().map_err(Error::internal)?;
        Ok(PublishJob {
            id: row.id,
            links: JobLinks {
                this: format!(
                    "{}/v1/publish/jobs/{}/{}",
                    self.base_url, row.project_id, row.id
                ),
            },
            timeout: POLLING_INTERVAL_MS,
            initiator: Vec::new(),
            started: row.started_at,
            project_id: row.project_id,
            initiated_by: row
                .initiated_by
                .map_or_else(|| "system".to_owned(), |user| user.to_string()),
            status: match row.status.as_str() {
                "complete" => JobStatus::Complete,
                "error" => JobStatus::Error,
                _ => JobStatus::Started,
            },
            steps,
            rollback_to: row.rollback_to,
            warnings: warnings.unwrap_or_default(),
            reason: row.reason,
            message: row.message,
            completed: row.completed_at,
            url: row.url,
            error: row
                .error_code
                .and_then(|code| ErrorCode::parse(&code))
                .zip(row.error_step)
                .map(|(code, step)| JobError {
                    code,
                    step,
                    errors: errors.unwrap_or_default(),
                }),
        })
    }
}

/// A box as it was published once: its publication has no payload, but the document itself.
fn box_again(publication: &Publication, options: &render::PreviewOptions<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        document: serde_json::Value,
        client: documents::Client,
    }
    let manifest: Manifest = serde_json::from_str(&publication.manifest).ok()?;
    let collection = Collection::parse(&publication.collection)?;
    render::preview_of_box(&manifest.client, collection, &manifest.document, options)
}
