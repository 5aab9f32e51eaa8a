//! Webhooks: endpoints of customers that are called when something happens in a project.
//!
//! Members register endpoints (here, checked by `check`) and follow their deliveries (`history`). `view`
//! has the form in which callers see both.
//!
//! The transaction of an event also writes its deliveries to an outbox (for consents in `consents::writing`,
//! for publishes in `publish::store`), so an acknowledged event is never lost. The worker ([`worker`]) calls
//! endpoints through the guarded client, signs after Standard Webhooks (`sign`) and retries by a schedule
//! (`schedule`). To add an event, add a `check::Topic`, its row in the outbox, and its content in
//! `worker::told`.

mod check;
mod delivery;
mod history;
mod letters;
mod payload;
mod places;
mod schedule;
mod sign;
mod store;
mod view;
pub mod worker;

use std::{sync::Arc, time::Duration};

use domain::{audit::Action, error_code::ErrorCode, webhook::Topic};
use tokio::sync::Notify;
use uuid::Uuid;

pub use check::{WebhookChange, WebhookIn};
pub use view::{Attempt, Delivery, DeliveryDetail, DeliveryRequest, LastDelivery, Webhook};

use crate::{
    access::{self, Actor, Need, Scope},
    answers::Answers,
    audit::{Audit, Subject},
    clock::{SharedClock, Timestamp},
    concerns,
    consents::Consents,
    context::Context,
    counts::Counts,
    db::{
        Db, Target, Tx,
        page::{Asked, Listed},
    },
    error::{Error, Result},
    events::{Event, Events},
    ids::Ids,
    mail::Mail,
    outbound::Outbound,
    publish::Publish,
    search,
    secret::SecretKey,
};
use sign::Secret;
use store::{Added, Most, WebhookRow};
use view::shown;

/// Most webhooks of a project, and of all that one account has registered: the worker looks at each of them again
/// and again.
const MOST_WEBHOOKS: Most = Most {
    of_project: 20,
    of_account: 1_000,
};
/// Hours that the previous secret goes on signing.
const OLD_SECRET_HOURS: i64 = 24;

/// Settings of calls.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Permits addresses without TLS.
    pub allow_http: bool,
    /// Longest duration of a call.
    pub timeout: Duration,
}

/// The sub-service `webhooks`.
pub struct Webhooks {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    events: Arc<Events>,
    secret: SecretKey,
    answers: Answers,
    audit: Arc<Audit>,
    outbound: Outbound,
    consents: Arc<Consents>,
    publish: Arc<Publish>,
    mail: Arc<Mail>,
    base_url: String,
    settings: Settings,
    wake: Arc<Notify>,
    /// Attempts whose answers are stored, by account and day.
    answered: Counts<Uuid>,
}

/// The dependencies of [`Webhooks`].
pub(crate) struct Dependencies {
    pub consents: Arc<Consents>,
    pub publish: Arc<Publish>,
    pub mail: Arc<Mail>,
    pub outbound: Outbound,
    /// Base of the links in letters.
    pub base_url: String,
}

impl Webhooks {
    pub(crate) fn new(context: &Context, dependencies: Dependencies, settings: Settings) -> Self {
        let Context {
            db,
            clock,
            ids,
            events,
            secret,
            answers,
            audit,
            ..
        } = context.clone();
        let wake = Arc::new(Notify::new());
        events.listen({
            let wake = wake.clone();
            move |event| {
                if event == Event::OutboxFilled {
                    wake.notify_one();
                }
            }
        });
        Self {
            db,
            clock,
            ids,
            events,
            secret,
            answers,
            audit,
            outbound: dependencies.outbound,
            consents: dependencies.consents,
            publish: dependencies.publish,
            mail: dependencies.mail,
            base_url: dependencies.base_url,
            settings,
            wake,
            answered: Counts::default(),
        }
    }

    /// Registers an endpoint. The answer contains its secret, which is never shown again.
    pub async fn create(&self, actor: Actor, input: WebhookIn) -> Result<Webhook> {
        let checked = self.check(actor, &input).await?;
        let created_by = actor.account()?;
        let (id, now) = (self.ids.next(), self.clock.now());
        let secret = Secret::make();
        let row = WebhookRow {
            id,
            project_id: checked.project,
            topic: checked.topic.as_str().to_owned(),
            method: checked.method,
            url: checked.url,
            active: input.active.unwrap_or(true),
            inactive_reason: None,
            secret: self.secret.seal(id.as_bytes(), &secret.0),
            old_secret: None,
            old_secret_until: None,
            failing_since: None,
            created_by,
            created_at: now,
            updated_at: now,
        };
        let mut tx = self.db.begin().await?;
        let full = match store::add(&mut tx, &row, MOST_WEBHOOKS).await? {
            Added::Yes => None,
            Added::ProjectFull => {
                let most = MOST_WEBHOOKS.of_project;
                Some(format!("A project has at most {most} webhooks."))
            }
            Added::AccountFull => {
                let most = MOST_WEBHOOKS.of_account;
                Some(format!(
                    "An account registers at most {most} webhooks, in all projects together, also in those that it has \
                     left. Members of a project remove its webhooks."
                ))
            }
        };
        if let Some(detail) = full {
            return Err(Error::conflict(None, ErrorCode::TooManyWebhooks, detail));
        }
        access::document_in(&mut tx, actor, row.project_id, Need::EDIT).await?;
        self.record(&mut tx, actor, Action::WebhookMade, &row)
            .await?;
        self.tell_owners(&mut tx, created_by, None, &row).await?;
        tx.commit().await?;
        self.mail.wake();
        self.events.tell(Event::ProjectChanged(row.project_id));
        Ok(shown(row, None, Some(secret.shown())))
    }

    /// The webhooks of the caller's projects. Words of a search are found in the address.
    pub async fn list(
        &self,
        actor: Actor,
        project: Option<Uuid>,
        asked: &Asked,
    ) -> Result<Listed<Webhook>> {
        search::check(&asked.text, 0)?;
        let holder = actor.holder(Scope::Read)?;
        let _turn = self.answers.turn(actor).await?;
        let rows = store::list(&self.db, holder, project, asked).await?;
        let (total, page) = (rows.total, rows.page);
        let mut items = Vec::with_capacity(rows.items.len());
        for row in rows.items {
            items.push(self.show(row).await?);
        }
        Ok(Listed { items, total, page })
    }

    /// A webhook.
    pub async fn read(&self, actor: Actor, id: Uuid) -> Result<Webhook> {
        let row = self.find(actor, id, Need::READ).await?;
        self.show(row).await
    }

    /// Changes a webhook. `active: true` turns it on again. The secret stays.
    pub async fn update(&self, actor: Actor, id: Uuid, change: WebhookChange) -> Result<Webhook> {
        let before = self.find(actor, id, Need::EDIT).await?;
        let mut row = before.clone();
        let input = WebhookIn {
            method: change.method.unwrap_or_else(|| row.method.clone()),
            url: change.url.unwrap_or_else(|| row.url.clone()),
            event: change
                .event
                .unwrap_or_else(|| format!("{}/{}", row.topic, row.project_id)),
            active: change.active.or(Some(row.active)),
        };
        let checked = self.check(actor, &input).await?;
        self.may_lead(actor, &row).await?;
        if checked.project != row.project_id {
            return Err(Error::field(
                "/event",
                ErrorCode::ProjectFixed,
                "A webhook stays with its project: its deliveries are that project's.",
            ));
        }
        let active = input.active.unwrap_or(true);
        if active || row.active {
            // A member changed the state, so the automatic reason no longer applies.
            row.inactive_reason = None;
            row.failing_since = None;
        }
        checked.topic.as_str().clone_into(&mut row.topic);
        row.method = checked.method;
        row.url = checked.url;
        row.active = active;
        row.updated_at = self.clock.now();
        let mut tx = self.db.begin().await?;
        if !store::update(&mut tx, &before, &row).await? {
            return Err(Error::edited_meanwhile());
        }
        access::document_in(&mut tx, actor, row.project_id, Need::EDIT).await?;
        self.record(&mut tx, actor, Action::WebhookChanged, &row)
            .await?;
        let by = actor.responsible().unwrap_or(row.created_by);
        self.tell_owners(&mut tx, by, Some(&before), &row).await?;
        tx.commit().await?;
        self.mail.wake();
        self.events.tell(Event::ProjectChanged(row.project_id));
        self.wake();
        self.show(row).await
    }

    /// Removes a webhook and its deliveries.
    pub async fn delete(&self, actor: Actor, id: Uuid) -> Result<()> {
        let row = self.find(actor, id, Need::EDIT).await?;
        let mut tx = self.db.begin().await?;
        if !store::remove(&mut tx, row.id).await? {
            return Err(Error::NotFound);
        }
        access::document_in(&mut tx, actor, row.project_id, Need::EDIT).await?;
        self.record(&mut tx, actor, Action::WebhookDeleted, &row)
            .await?;
        tx.commit().await?;
        self.events.tell(Event::ProjectChanged(row.project_id));
        Ok(())
    }

    /// Makes a new secret and shows it once. The previous one goes on signing for a day.
    pub async fn rotate(&self, actor: Actor, id: Uuid) -> Result<Webhook> {
        let row = self.find(actor, id, Need::EDIT).await?;
        self.may_lead(actor, &row).await?;
        let secret = Secret::make();
        let sealed = self.secret.seal(id.as_bytes(), &secret.0);
        let now = self.clock.now();
        let old_until = now.plus_seconds(OLD_SECRET_HOURS * 3_600);
        let mut tx = self.db.begin().await?;
        if !store::rotate(&mut tx, row.id, &sealed, old_until, now).await? {
            return Err(Error::NotFound);
        }
        access::document_in(&mut tx, actor, row.project_id, Need::EDIT).await?;
        self.record(&mut tx, actor, Action::WebhookRotated, &row)
            .await?;
        tx.commit().await?;
        let row = store::lookup(&self.db, id).await?.ok_or(Error::NotFound)?;
        let last = history::store::last_delivery(&self.db, id).await?;
        Ok(shown(row, last, Some(secret.shown())))
    }

    /// Records what was done to a webhook, by its host.
    async fn record(
        &self,
        tx: &mut Tx,
        actor: Actor,
        action: Action,
        webhook: &WebhookRow,
    ) -> Result<()> {
        let host = letters::host(&webhook.url);
        let subject = Subject::new(webhook.id).titled(&host);
        let project = webhook.project_id;
        Ok(self
            .audit
            .record(tx, actor, project, action, subject)
            .await?)
    }

    /// Tells the other owners of a project that its consents go to a new address. The endpoint goes on when its maker
    /// is no member any more, and owners are to know of it.
    async fn tell_owners(
        &self,
        tx: &mut Tx,
        by: Uuid,
        before: Option<&WebhookRow>,
        row: &WebhookRow,
    ) -> Result<()> {
        // Deliveries of an earlier topic go to the present address when they are sent again.
        let sent = history::store::tells_consents(Target::Tx(tx), row.id).await?;
        let gets_new = |row: &WebhookRow| row.active && row.topic == Topic::Consent.as_str();
        let address = |row: &WebhookRow| {
            let gets = gets_new(row) || (sent && row.active);
            gets.then(|| row.url.clone())
        };
        let new = address(row);
        let begins = gets_new(row) && !before.is_some_and(gets_new);
        if new.is_none() || (!begins && new == before.and_then(address)) {
            return Ok(());
        }
        let project = row.project_id;
        let title = concerns::title(tx, project).await?.unwrap_or_default();
        for address in access::owners(tx, project, Some(by)).await? {
            let letter = letters::consents_go_to_new(&address, &self.base_url, project, &title);
            self.mail.post_warning(tx, project, &letter).await?;
        }
        Ok(())
    }

    /// Wakes the worker to read the outbox.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Checks that the actor may decide where a webhook leads or who can verify its calls. Waiting deliveries
    /// and retries may contain consents, whatever its topic is now.
    async fn may_lead(&self, actor: Actor, row: &WebhookRow) -> Result<()> {
        if row.topic == Topic::Consent.as_str()
            || history::store::tells_consents(Target::Db(&self.db), row.id).await?
        {
            self.may_listen(actor, Topic::Consent, row.project_id)
                .await?;
        }
        Ok(())
    }

    async fn find(&self, actor: Actor, id: Uuid, need: Need) -> Result<WebhookRow> {
        let row = store::lookup(&self.db, id).await?.ok_or(Error::NotFound)?;
        access::project(&self.db, actor, row.project_id, need).await?;
        Ok(row)
    }

    async fn show(&self, row: WebhookRow) -> Result<Webhook> {
        let last = history::store::last_delivery(&self.db, row.id).await?;
        Ok(shown(row, last, None))
    }

    /// The secrets that sign now, newest first.
    fn secrets(&self, row: &WebhookRow, now: Timestamp) -> Option<Vec<Secret>> {
        let old = row
            .old_secret
            .as_ref()
            .filter(|_| row.old_secret_until.is_some_and(|until| now < until));
        let open = |sealed: &Vec<u8>| self.secret.open(row.id.as_bytes(), sealed).map(Secret);
        [Some(&row.secret), old]
            .into_iter()
            .flatten()
            .map(open)
            .collect()
    }
}
