//! Consents: collected, imported, read, counted, exported, and erased or removed when their time is
//! over.
//!
//! [`Consents::collect`] takes a visitor's consent. It checks the consent (`collect`) against the
//! publications of its project (`projects`, in memory) and hands it to the group-commit writer
//! (`writer`), which answers when the consent is on disk. Files from elsewhere come in through
//! `import`. Members take them out as a file (`export`), or those of one token as a `dossier`. All reading SQL is in
//! `store`, and that of one token in `by_token`.
//!
//! Rows of `consents` are written through `writing` alone. To keep one more fact with a consent: see `row`, then
//! `collect` and `import::row`, where rows are made, and `domain::consent::Consent`.

pub(crate) mod by_token;
mod collect;
mod commitment;
mod dossier;
mod export;
mod import;
mod older;
mod opened;
mod privacy;
mod projects;
mod prove;
mod query;
mod removal;
mod report;
pub(crate) mod row;
pub(crate) mod store;
mod tcf_answers;
mod tokens;
mod visitors;
mod writer;
mod writing;

use std::sync::Arc;

use domain::choices::Outcome;
use domain::consent::{
    Consent, ConsentCollection, ConsentDay, ConsentOverview, ConsentProof, TokenKind,
};
use serde::Serialize;
use uuid::Uuid;

pub use collect::{Collect, Collected, Receipt};
pub use dossier::Dossier;
pub use export::Format;
pub(crate) use import::EndImport;
pub use import::{Import, Imported, Progress, RowError};
pub use opened::{AuditProgress, LedgerAudit, Opened, TreeAudit};
pub(crate) use prove::names;
pub use prove::{Extent, Proven};
pub use query::{ListQuery, Listing, Span};
pub use removal::Erased;
pub(crate) use removal::Retention;
pub use report::{AnswerCounts, OfConfiguration, OfCountry, OfDay, OfLanguage, OfLedger, Report};
pub(crate) use store::manifest;
pub use visitors::{History, Secret, ShownAgain};

use crate::{
    access::{self, Actor, Need},
    answers::Answers,
    audit::Audit,
    clock::{SharedClock, Timestamp},
    context::Context,
    db::Db,
    error::{Error, Result},
    events::{Event, Events},
    ids::Ids,
    jobs::Jobs,
    ledger::Ledger,
    objects::Objects,
    places::Places,
    quota::Quota,
    sending::Outgoing,
    shares::Shares,
};
pub(crate) use projects::KEY_BYTES as IP_KEY_BYTES;
use projects::{FRESH, Projects};
use writer::Writer;

/// Most days of an overview.
const MOST_DAYS: u32 = 400;

/// The sub-service `consents`.
pub struct Consents {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    projects: Arc<Projects>,
    writer: Writer,
    jobs: Arc<Jobs>,
    events: Arc<Events>,
    /// Places for imports.
    importing: Arc<Places>,
    answers: Answers,
    audit: Arc<Audit>,
    quota: Arc<Quota>,
    ledger: Arc<Ledger>,
    objects: Arc<Objects>,
    /// Places for dossiers.
    compiling: Arc<Places>,
    reporting: report::Queue,
    /// Places for visitors who read their own consents, by project.
    reading: Arc<Shares<Uuid>>,
}

/// The public view of the latest consent of a token: all of it, or `accept: false` alone.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Latest {
    /// The answer; false when there is none.
    pub accept: bool,
    /// Id of the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent_id: Option<Uuid>,
    /// The time of the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Choices and their context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferences: Option<domain::consent::Preferences>,
    /// Value of the pressed button; null where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "monthly newsletter")]
    pub value: Option<Option<String>>,
}

impl Latest {
    /// No consent.
    const NONE: Self = Self {
        accept: false,
        consent_id: None,
        created_at: None,
        preferences: None,
        value: None,
    };
}

impl Consents {
    pub(crate) fn new(context: &Context, ledger: Arc<Ledger>, objects: Arc<Objects>) -> Self {
        let Context {
            db,
            clock,
            ids,
            jobs,
            events,
            secret,
            answers,
            audit,
            quota,
        } = context.clone();
        let projects = Arc::new(Projects::new(db.clone(), clock.clone(), secret));
        events.listen({
            let projects = projects.clone();
            move |event| {
                if let Event::ProjectChanged(project) = event {
                    projects.forget(project);
                }
            }
        });
        Self {
            projects,
            writer: Writer::start(db.clone()),
            db,
            clock,
            ids,
            jobs,
            events,
            importing: import::places(),
            answers,
            audit,
            quota,
            ledger,
            objects,
            compiling: Places::new(dossier::AT_ONCE, dossier::OF_ONE),
            reporting: report::Queue::default(),
            reading: Shares::new(visitors::AT_ONCE, visitors::OF_ONE),
        }
    }

    /// Takes a consent from the public; when this answers, it is on disk.
    pub async fn collect(&self, input: Collect) -> Result<Collected> {
        let project = self.projects.view(input.project, FRESH).await?;
        let mut row = match collect::check(&input, project.as_deref(), &self.clock, &self.ids) {
            Ok(row) if row.publication.is_some() || input.body.publication.is_none() => row,
            // The view in memory may be a moment old, and a publish must be noticed at once.
            _ => {
                let project = self.projects.latest(input.project).await?;
                if project.is_none()
                    && store::is_going_live(&self.db, input.project, input.identifier).await?
                {
                    return Err(Error::Unavailable);
                }
                let mut row = collect::check(&input, project.as_deref(), &self.clock, &self.ids)?;
                let publication = input.body.publication.as_deref();
                self.projects
                    .verify_old(&mut row, project.as_deref(), publication)
                    .await?;
                row
            }
        };
        let mut promiser = None;
        if self.ledger.is_on() {
            row.bind();
            if input.body.receipt {
                promiser = self.ledger.promiser().await;
                row.promised_from = promiser.as_ref().map(|promiser| promiser.from);
            }
        }
        let row = Arc::new(row);
        let (stored, promised) = self.writer.write(row.clone()).await?;
        if row.hooked {
            self.events.tell(Event::OutboxFilled);
        }
        let promise = promiser.zip(promised).and_then(|(promiser, promised)| {
            let promise = promiser.promise(row.record()?, &promised, self.clock.now());
            Some(Box::new(promise))
        });
        // A caller who repeats the consent of a guessable token may have guessed the consent, too.
        let is_own = row.commitment.map(|made| made.salt) == stored.salt
            || TokenKind::is_key(&row.token, row.token_signed);
        let receipt = match stored.salt.filter(|_| is_own) {
            Some(salt) => {
                let ledger = self.ledger.origin().await;
                ledger.map(|ledger| Receipt {
                    salt,
                    ledger,
                    promise,
                })
            }
            None => None,
        };
        Ok(Collected::new(&row, stored.decided_at, receipt))
    }

    /// The latest consent of a token to one document, for callers who know the token. A project
    /// with signed tokens answers for signed tokens alone.
    pub async fn latest(
        &self,
        project: Uuid,
        token: &str,
        collection: ConsentCollection,
        identifier: Uuid,
    ) -> Result<Latest> {
        let seen = self.projects.view(project, FRESH).await?;
        // A deleted project keeps its consents until it can no longer be restored.
        if seen.is_none() && !store::project_exists(&self.db, project).await? {
            return Err(Error::NotFound);
        }
        if seen.is_some_and(|seen| seen.tokens.check(token).is_err()) {
            // The view in memory may be a moment old.
            let seen = self.projects.latest(project).await?;
            seen.map_or(Ok(false), |seen| seen.tokens.check(token))?;
        }
        let found = store::latest(&self.db, project, token, identifier, collection).await?;
        Ok(found.unwrap_or(Latest::NONE))
    }

    /// Consents of a project, newest first unless asked otherwise.
    pub async fn list(&self, actor: Actor, project: Uuid, query: ListQuery) -> Result<Listing> {
        self.audit.reading(actor, project).await?;
        let _turn = self.answers.turn(actor).await?;
        store::list(&self.db, project, &query).await
    }

    /// The consents of a list by their outcome. Its page, its order and the outcome that it asks for make no difference.
    pub async fn totals(
        &self,
        actor: Actor,
        project: Uuid,
        query: &ListQuery,
    ) -> Result<AnswerCounts> {
        self.audit.reading(actor, project).await?;
        let _turn = self.answers.turn(actor).await?;
        Ok(store::totals(&self.db, project, query).await?)
    }

    /// One consent with everything that is proven.
    pub async fn read(&self, actor: Actor, project: Uuid, consent: Uuid) -> Result<ConsentProof> {
        self.audit.reading(actor, project).await?;
        store::proof(&self.db, project, consent)
            .await?
            .ok_or(Error::NotFound)
    }

    /// A consent as it is stored, for the product itself.
    pub(crate) async fn lookup(&self, project: Uuid, consent: Uuid) -> Result<Option<Consent>> {
        Ok(store::consent(&self.db, project, consent).await?)
    }

    /// All consents of a time, oldest first, as a file that is never held whole.
    pub async fn export(
        &self,
        actor: Actor,
        project: Uuid,
        format: Format,
        span: Span,
    ) -> Result<Outgoing> {
        let sending = self.answers.file(actor)?;
        let way = sending.way();
        let what = format!("{} {span}", format.suffix());
        self.audit.exporting(actor, project, what).await?;
        // The export ends at its start time: what visitors decide later is not in it.
        let until = Timestamp(self.clock.now().0 + 1);
        let span = Span {
            end: Some(span.end.map_or(until, |end| end.min(until))),
            ..span
        };
        let pieces = export::stream(self.db.clone(), sending, project, format, span).await?;
        Ok(Outgoing { pieces, way })
    }

    /// The project's consents in counts, over the last `days` days.
    pub async fn overview(
        &self,
        actor: Actor,
        project: Uuid,
        days: u32,
    ) -> Result<ConsentOverview> {
        access::project(&self.db, actor, project, Need::READ_CONSENTS).await?;
        let _turn = self.answers.turn(actor).await?;
        let today = self.clock.now().day();
        let days = i64::from(days.clamp(1, MOST_DAYS));
        let counted = store::days(&self.db, project, today - days.max(7) + 1).await?;
        let on = |day: i64| {
            let mut of_day = ConsentDay {
                date: date(day),
                ..ConsentDay::default()
            };
            for (_, outcome, consents) in counted.iter().filter(|(of, ..)| *of == day) {
                let consents = consents.unsigned_abs();
                match Outcome::parse(outcome) {
                    Some(Outcome::Accepted) => of_day.accepted += consents,
                    Some(Outcome::Refused) => of_day.refused += consents,
                    Some(Outcome::Partial) | None => of_day.partial += consents,
                }
            }
            of_day
        };
        let week: Vec<ConsentDay> = (today - 6..=today).map(on).collect();
        let answered: u64 = week.iter().map(ConsentDay::total).sum();
        let accepted: u64 = week.iter().map(|day| day.accepted).sum();
        Ok(ConsentOverview {
            days: (today - days + 1..=today).map(on).collect(),
            total: store::total(&self.db, project).await?,
            accept_rate: (answered > 0).then(|| accepted as f64 / answered as f64),
        })
    }

    /// Reads a project's rules anew for the next consent, after they were changed past the sub-services.
    pub fn forget(&self, project: Uuid) {
        self.projects.forget(project);
    }

    /// Writes the waiting consents, then takes nothing more.
    pub async fn close(&self) {
        self.writer.close().await;
    }
}

/// A day since 1970-01-01 as `2026-11-21`.
fn date(day: i64) -> String {
    Timestamp(0).plus_days(day).date()
}
