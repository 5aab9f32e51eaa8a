//! Sends letters: composes one, gives it to the mail server, records what it said.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Mail, Message, Purpose, RESET_SECONDS, Way, smtp::Refusal, store};
use crate::{
    error::{Error, Result},
    jobs::{Claim, Ended, Job},
};

/// Seconds between tries; after the last one a letter is given up.
const PAUSES: [i64; 7] = [30, 120, 600, 1_800, 3_600, 7_200, 14_400];
/// Most of a server's answer that is kept.
const LONGEST_ANSWER: usize = 500;

/// Sends a letter.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SendLetter(pub Uuid);

/// Composes the letters with links at the moment of sending, as only hashes of links are kept.
pub(crate) trait Composer: Send + Sync {
    /// The letter; `None` if it is no longer needed, or one too many. `is_again` for one that was composed before, and
    /// that the mail server did not take.
    fn compose<'a>(
        &'a self,
        purpose: Purpose,
        recipient: &'a str,
        content: &'a str,
        is_again: bool,
    ) -> BoxFuture<'a, Result<Option<Message>>>;
}

/// Sends letters.
pub(crate) struct Sender {
    pub mail: Arc<Mail>,
    pub composer: Arc<dyn Composer>,
}

impl Job for SendLetter {
    const KIND: &'static str = "mail";
    type Worker = Sender;

    fn lane(&self, _: Uuid) -> String {
        format!("mail:{}", self.0)
    }

    async fn run(self, sender: &Sender, claim: Claim) -> Ended {
        let Self(id) = self;
        match sender.send(id, claim.attempts).await {
            Ok(ended) => ended,
            Err(error) if Mail::is_lasting(&error) => {
                tracing::error!(%error, mail.id = %id, "a letter could not be written");
                sender.fail(id, "it could not be written").await
            }
            Err(error) => Ended::Retry(error.to_string()),
        }
    }

    async fn give_up(self, sender: &Sender, _: Claim, cause: &str) {
        sender.fail(self.0, cause).await;
    }
}

impl Sender {
    async fn send(&self, id: Uuid, attempts: i64) -> Result<Ended> {
        let mail = &self.mail;
        let Some(row) = store::waiting(&mail.db, id).await? else {
            return Ok(Ended::Done);
        };
        let purpose =
            Purpose::parse(&row.kind).ok_or_else(|| Error::internal("unknown purpose"))?;
        let message = match purpose {
            Purpose::Plain => Some(plain(row.recipient, &row.content)),
            Purpose::Verify | Purpose::Change | Purpose::Reset | Purpose::Invitation => {
                let (recipient, content, is_again) = (&row.recipient, &row.content, attempts > 1);
                // Those before it count, whatever their state: of many that are sent at once the first go out.
                let is_one_too_many = !is_again
                    && mail
                        .first_of_most(purpose, recipient, (row.sender, Some(id)))
                        .await?
                        .is_some();
                if is_one_too_many {
                    tracing::warn!(
                        mail.kind = row.kind,
                        "too many letters to one address; one is dropped"
                    );
                    None
                } else {
                    let composed = self.composer.compose(purpose, recipient, content, is_again);
                    composed.await?
                }
            }
        };
        let Some(message) = message else {
            store::remove(&mail.db, id).await?;
            return Ok(Ended::Done);
        };
        let refusal = match &mail.way {
            Way::Off => return Ok(self.fail(id, "no mail server is configured").await),
            Way::Log => {
                let link = message.link.as_deref().unwrap_or_default();
                tracing::info!(
                    mail.kind = row.kind,
                    link,
                    "no mail server: the link of a letter"
                );
                None
            }
            Way::Smtp(smtp) => smtp.send(id, &message).await.err(),
        };
        let now = mail.clock.now();
        match refusal {
            None => {
                store::record(&mail.db, id, "sent", None, Some(now)).await?;
                tracing::info!(mail.id = %id, mail.kind = row.kind, "letter sent");
                Ok(Ended::Done)
            }
            Some(Refusal::Lasting(answer)) => Ok(self.fail(id, &answer).await),
            Some(Refusal::Passing(answer)) => {
                let pause = usize::try_from(attempts - 1)
                    .ok()
                    .and_then(|tries| PAUSES.get(tries));
                let late =
                    purpose == Purpose::Reset && now > row.created_at.plus_seconds(RESET_SECONDS);
                match pause.filter(|_| !late) {
                    None => Ok(self.fail(id, &answer).await),
                    Some(seconds) => {
                        store::record(&mail.db, id, "queued", Some(cut(&answer)), None).await?;
                        Ok(Ended::Later {
                            seconds: *seconds,
                            cause: "the mail server did not take the letter".to_owned(),
                        })
                    }
                }
            }
        }
    }

    /// The end of a letter that was not sent.
    async fn fail(&self, id: Uuid, answer: &str) -> Ended {
        let mail = &self.mail;
        tracing::warn!(mail.id = %id, "letter not sent; `letters.last_answer` says why");
        let now = mail.clock.now();
        match store::record(&mail.db, id, "failed", Some(cut(answer)), Some(now)).await {
            Ok(()) => Ended::Done,
            Err(error) => Ended::Retry(error.to_string()),
        }
    }
}

fn plain(to: String, content: &str) -> Message {
    let (subject, text) = content.split_once('\n').unwrap_or((content, ""));
    Message {
        to,
        subject: subject.to_owned(),
        text: text.to_owned(),
        link: None,
    }
}

fn cut(text: &str) -> &str {
    let end = text.floor_char_boundary(LONGEST_ANSWER);
    text.get(..end).unwrap_or_default()
}
