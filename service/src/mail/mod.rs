//! The mail room: letters wait in the database until a mail server has taken them.
//!
//! A use case puts a letter into its own transaction; the job worker sends it. A server that says
//! "later" (4xx) or does not answer is asked again, with growing pauses and not for ever; one that
//! says "no" (5xx) is recorded with its words. Secrets of links are made while a letter is sent
//! (`auth::letters`), so the queue holds none. Without a mail server nothing is queued; a demo
//! prints the letter's link instead.

mod job;
mod quote;
mod smtp;
mod store;

use std::sync::Arc;

use uuid::Uuid;

pub(crate) use job::{Composer, SendLetter, Sender};
pub(crate) use quote::quoted;
pub use smtp::Settings;

use crate::{
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{Db, DbError, Tx},
    error::{Error, Result},
    ids::Ids,
    jobs::Jobs,
};

/// Lifetime of a link that resets a password, in seconds. A letter that is later only surprises.
pub(crate) const RESET_SECONDS: i64 = 3_600;
/// Days that the record of a letter is kept.
const KEPT_DAYS: i64 = 30;
/// Letters without a sender that an address gets in a day before news of projects are left out. Anybody can make
/// somebody a member of any number of projects.
const MOST_A_DAY: i64 = 20;
/// The same for warnings to somebody whom other news have reached as often as that.
const MOST_WARNED: i64 = 100;
/// Warnings of a project with one subject that reach an owner in a day however many other letters there are.
const MOST_ALIKE: i64 = 3;
/// Letters of a purpose that strangers can ask for which an address gets in a day, whoever asks.
const MOST_ASKED: i64 = 5;
/// The same for the first one of a sender, so that two senders do not keep all others from an address.
const MOST_OF_MANY: i64 = 20;

domain::words! {
    /// Purpose of a letter; its texts are written when it is sent.
    pub enum Purpose {
        /// Proves that an address belongs to an account.
        Verify = "verify",
        /// Gives an account another address.
        Change = "change",
        /// Leads to a new password.
        Reset = "reset",
        /// Invites to an organization or a project.
        Invitation = "invitation",
        /// Subject and text as its writer gave them; holds no secret.
        Plain = "plain",
    }
}

impl Purpose {
    /// True for letters that an account can have sent to an address that it has not proved to be its own.
    fn is_for_strangers(self) -> bool {
        matches!(self, Self::Verify | Self::Change | Self::Invitation)
    }
}

/// A letter to send.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Its purpose.
    pub purpose: Purpose,
    /// Address of the recipient.
    pub recipient: String,
    /// Data for its purpose: an id, or subject and text of a plain letter in two parts
    /// divided by the first line break.
    pub content: String,
    /// The account that wishes it sent to somebody else; `None` for what the product itself says.
    pub sender: Option<Uuid>,
}

impl Letter {
    /// A letter with these words and no secret in them.
    pub fn plain(recipient: &str, subject: &str, text: &str) -> Self {
        Self {
            purpose: Purpose::Plain,
            recipient: recipient.to_owned(),
            content: format!("{}\n{text}", subject.replace('\n', " ")),
            sender: None,
        }
    }
}

/// The mailbox of an address. The owner of one has as many addresses as wanted, by a word behind a `+` (RFC 5233), so
/// the letters that strangers ask for are counted by mailbox.
fn mailbox(address: &str) -> String {
    let address = address.to_lowercase();
    let named = address.rsplit_once('@').and_then(|(local, host)| {
        let (user, _) = local.split_once('+')?;
        (!user.is_empty()).then(|| format!("{user}@{host}"))
    });
    named.unwrap_or(address)
}

/// A letter with its words, ready to go.
pub struct Message {
    /// Address of the recipient.
    pub to: String,
    /// Subject.
    pub subject: String,
    /// Text.
    pub text: String,
    /// The address in it that the recipient is to follow, for the log of a demo.
    pub link: Option<String>,
}

/// Way in which letters are sent.
pub(crate) enum Way {
    /// By a mail server.
    Smtp(Box<smtp::Smtp>),
    /// Their links are printed to the log: on this machine only, for a demo.
    Log,
    /// Not at all.
    Off,
}

/// The mail room.
pub struct Mail {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    jobs: Arc<Jobs>,
    way: Way,
}

impl Mail {
    pub(crate) fn new(context: &Context, settings: Option<&Settings>, log_links: bool) -> Self {
        let Context {
            db,
            clock,
            ids,
            jobs,
            ..
        } = context.clone();
        let way = match settings {
            Some(settings) => Way::Smtp(Box::new(smtp::Smtp::new(settings))),
            None if log_links => Way::Log,
            None => Way::Off,
        };
        Self {
            db,
            clock,
            ids,
            jobs,
            way,
        }
    }

    /// Whether letters leave the house at all.
    pub fn is_on(&self) -> bool {
        !matches!(self.way, Way::Off)
    }

    /// Queues a letter in the caller's transaction; call [`Mail::wake`] after the commit. Does
    /// nothing if no mail is sent.
    pub(crate) async fn post(
        &self,
        tx: &mut Tx,
        letter: &Letter,
    ) -> std::result::Result<(), DbError> {
        self.queue(tx, letter, None).await
    }

    async fn queue(
        &self,
        tx: &mut Tx,
        letter: &Letter,
        about: Option<Uuid>,
    ) -> std::result::Result<(), DbError> {
        if !self.is_on() {
            return Ok(());
        }
        let id = self.ids.next();
        store::add(tx, id, letter, about, self.clock.now()).await?;
        let job = SendLetter(id);
        // The queue is fair to people and projects, so a link to sign in does not wait for the many letters of one of them.
        let asker = letter.sender.or(about);
        self.jobs
            .enqueue_for(tx, self.ids.next(), asker, &job)
            .await
    }

    /// Letters of an account to others since then: all, and those to this address.
    pub(crate) async fn sent(
        &self,
        tx: &mut Tx,
        sender: Uuid,
        recipient: &str,
        since: Timestamp,
    ) -> std::result::Result<(i64, i64), DbError> {
        store::sent(tx, sender, recipient, since).await
    }

    /// [`Mail::post`] of news of a project, which other people can make. An address that has been written so many of them
    /// in a day gets no further one: nobody fills a mailbox with them.
    pub(crate) async fn post_news(
        &self,
        tx: &mut Tx,
        letter: &Letter,
    ) -> std::result::Result<(), DbError> {
        if self.had_news(tx, letter).await? < MOST_A_DAY {
            self.post(tx, letter).await?;
        } else {
            tracing::warn!("an address had too many letters with news; one is dropped");
        }
        Ok(())
    }

    /// [`Mail::post_news`] of a change that the owners of a project must not miss. News of other projects do not keep
    /// it away from those who came to this one by an own act: a few of each subject go out in any case, up to a bound of their
    /// sum, since other owners of an organization make projects for it.
    pub(crate) async fn post_warning(
        &self,
        tx: &mut Tx,
        project: Uuid,
        letter: &Letter,
    ) -> std::result::Result<(), DbError> {
        let since = self.clock.now().plus_days(-1);
        let had = self.had_news(tx, letter).await?;
        let goes = had < MOST_A_DAY
            || (had < MOST_WARNED
                && store::had_alike(tx, letter, project, since).await? < MOST_ALIKE
                && store::came_freely(tx, &letter.recipient, project).await?);
        if goes {
            return self.queue(tx, letter, Some(project)).await;
        }
        tracing::warn!(project.id = %project, "an address had too many letters; a warning is dropped");
        Ok(())
    }

    async fn had_news(&self, tx: &mut Tx, letter: &Letter) -> std::result::Result<i64, DbError> {
        // Letters of one moment may pass a bound by a few. A lock of the account would have to stand in one order with those
        // that use cases hold already.
        store::had(tx, &letter.recipient, self.clock.now().plus_days(-1)).await
    }

    /// Refuses one more letter of a purpose that strangers can ask for to an address that had as many as it gets in a
    /// day. Not for letters about which the answer would tell whether the address has an account.
    ///
    /// # Errors
    /// [`Error::TooMany`] until the first of them is a day old.
    pub(crate) async fn check_recipient(
        &self,
        purpose: Purpose,
        recipient: &str,
        sender: Option<Uuid>,
    ) -> Result<()> {
        let first = self.first_of_most(purpose, recipient, (sender, None));
        let Some(first) = first.await? else {
            return Ok(());
        };
        let left = first.plus_days(1).seconds() - self.clock.now().seconds();
        Err(Error::TooMany {
            retry_after: left.max(1).unsigned_abs(),
        })
    }

    /// The time of the first of as many letters of a purpose as an address gets in a day from this sender. `None` if it
    /// had fewer, before the letter `id` if there is one.
    async fn first_of_most(
        &self,
        purpose: Purpose,
        recipient: &str,
        (sender, id): (Option<Uuid>, Option<Uuid>),
    ) -> Result<Option<Timestamp>> {
        if !purpose.is_for_strangers() {
            return Ok(None);
        }
        let since = self.clock.now().plus_days(-1);
        let last = async |nth: i64, sender: Option<Uuid>| {
            store::nth_last(&self.db, (purpose, sender), recipient, (nth, since, id)).await
        };
        let is_first_of_sender = sender.is_some() && last(1, sender).await?.is_none();
        let most = if is_first_of_sender {
            MOST_OF_MANY
        } else {
            MOST_ASKED
        };
        Ok(last(most, None).await?)
    }

    /// Tells the worker that a letter waits.
    pub(crate) fn wake(&self) {
        self.jobs.wake();
    }

    /// Forgets old letters.
    pub(crate) async fn forget_old(&self) -> Result<()> {
        let before = self.clock.now().plus_days(-KEPT_DAYS);
        Ok(store::forget(&self.db, before).await?)
    }

    /// Outcomes of letters to a recipient: `queued`, `sent` or `failed`, attempts, and the server's last answer.
    pub async fn outcome(&self, recipient: &str) -> Result<Vec<Outcome>> {
        Ok(store::outcomes(&self.db, recipient).await?)
    }

    fn is_lasting(error: &Error) -> bool {
        !matches!(
            error,
            Error::Db(DbError::Unavailable(_)) | Error::Busy | Error::Unavailable
        )
    }
}

/// Outcome of a letter.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Outcome {
    /// Id of the letter.
    pub id: Uuid,
    /// Purpose of the letter.
    pub kind: String,
    /// `queued`, `sent` or `failed`.
    pub status: String,
    /// Tries so far.
    pub attempts: i64,
    /// The mail server's last words, if it refused.
    pub last_answer: Option<String>,
}
