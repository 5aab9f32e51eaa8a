//! Concerns: states of a project that its people should look at. A letter tells of each once while it lasts.
//!
//! `watch` finds them. A sub-service that makes one tells of it at once.

mod letters;
mod store;

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

pub(crate) use letters::footer;
pub(crate) use store::title;

use crate::{
    access,
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{Db, Tx},
    error::Result,
    mail::Mail,
};

/// Letters about one concern at most. A project may have any number of people.
const MOST_LETTERS: i64 = 50;
/// A concern that began so many days ago is no news.
const OLD_DAYS: i64 = 7;

domain::words! {
    /// A kind of concern.
    #[derive(utoipa::ToSchema)]
    pub enum ConcernKind {
        /// No consent has come for a day at least, although they came on most days before.
        NoConsents = "no_consents",
        /// The site had the snippet, and two looks a day apart found it no more.
        SnippetGone = "snippet_gone",
        /// The last publish failed while nobody looked, or after its content was ready.
        PublishFailed = "publish_failed",
        /// A publish waits for the approval of a second person.
        PublishWaits = "publish_waits",
        /// A webhook was turned off because it accepted nothing, or answered 410.
        WebhookOff = "webhook_off",
    }
}

impl ConcernKind {
    /// The concern in a sentence, for letters.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::NoConsents => "no consents are coming in.",
            Self::SnippetGone => "the snippet is missing from the site.",
            Self::PublishFailed => "the last publish failed.",
            Self::PublishWaits => "a publish waits for approval.",
            Self::WebhookOff => "a webhook was turned off.",
        }
    }
}

/// A concern of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Concern {
    /// Its kind.
    pub kind: ConcernKind,
    /// Since when it lasts.
    pub since: Timestamp,
    /// The person who has made it, and needs no letter.
    #[serde(skip)]
    pub(crate) by: Option<Uuid>,
}

/// The letters about concerns.
pub(crate) struct Concerns {
    db: Db,
    clock: SharedClock,
    mail: Arc<Mail>,
    base_url: String,
}

impl Concerns {
    pub(crate) fn new(context: &Context, mail: Arc<Mail>, base_url: String) -> Self {
        Self {
            db: context.db.clone(),
            clock: context.clock.clone(),
            mail,
            base_url,
        }
    }

    /// Tells of a concern, unless people were told of one of its kind since the last look.
    pub(crate) async fn tell(&self, project: Uuid, concern: Concern) -> Result<()> {
        let mut tx = self.db.begin().await?;
        self.tell_in(&mut tx, project, concern).await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }

    /// Sends letters about the new concerns of a project, which were read at a moment. Forgets those that are over.
    pub(crate) async fn settle(
        &self,
        project: Uuid,
        present: &[Concern],
        read_at: Timestamp,
    ) -> Result<()> {
        let told = store::told(&self.db, project).await?;
        let lasts = |(kind, since): &&(String, Timestamp)| {
            let mut same = present.iter().filter(|one| one.kind.as_str() == kind);
            // One that began since then was told of meanwhile.
            *since >= read_at || same.any(|one| one.since == *since)
        };
        if told.iter().filter(lasts).count() == told.len() && told.len() == present.len() {
            return Ok(());
        }
        let mut tx = self.db.begin().await?;
        for (kind, _) in told.iter().filter(|one| !lasts(one)) {
            store::forget(&mut tx, project, kind).await?;
        }
        for concern in present {
            self.tell_in(&mut tx, project, *concern).await?;
        }
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }

    async fn tell_in(&self, tx: &mut Tx, project: Uuid, concern: Concern) -> Result<()> {
        let Concern { kind, since, by } = concern;
        let is_new = store::add(tx, project, kind.as_str(), since).await?;
        let now = self.clock.now();
        // After an upgrade every concern is new to the server. People know the old ones.
        let is_news = since > now.plus_days(-OLD_DAYS);
        let Some(words) = letters::words(kind).filter(|_| is_new && is_news) else {
            return Ok(());
        };
        let title = store::title(tx, project).await?.unwrap_or_default();
        for address in access::readers(tx, project, words.to, by, MOST_LETTERS).await? {
            let letter = words.letter(&address, &self.base_url, project, &title);
            // News of other projects must not keep it away: it is told once.
            self.mail.post_warning(tx, project, &letter).await?;
        }
        Ok(())
    }

    /// Forgets the concerns of projects that are deleted.
    pub(crate) async fn forget_deleted(&self) -> Result<()> {
        Ok(store::forget_deleted(&self.db).await?)
    }
}
