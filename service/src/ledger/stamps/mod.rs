//! Asks an authority to stamp the time of checkpoints (RFC 3161), once a day. Nothing waits for it.

pub(super) mod store;

use std::time::Duration;

use proof::{
    note::Note,
    stamp::{MOST_BYTES, Question, is_address},
    verify::plain,
};
use serde::Serialize;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{
    Ledger,
    outsiders::{self, DEADLINE, SKEW},
    store as ledger,
};
use crate::{
    clock::Timestamp,
    db::Db,
    error::{Error, Result},
    outbound::Call,
    random,
};

/// Longest time between two looks whether the authority is to be asked.
const ROUND: Duration = Duration::from_secs(30);
/// Seconds until an authority that failed is asked again. Doubled each time, up to the next.
const AGAIN: i64 = 60;
const LATEST: i64 = 6 * 3_600;
/// Times of `--tsa-every` after which a stamp is late.
const LATE: i64 = 2;

/// An authority that stamps checkpoints.
#[derive(Clone, Debug)]
pub struct Authority {
    url: String,
    every: Duration,
}

/// The state of the authority that stamps checkpoints, for operators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthorityStatus {
    /// Its address.
    #[schema(example = "https://tsa.example")]
    pub url: String,
    /// Entries of the largest checkpoint that it stamped. Absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 120_411)]
    pub size: Option<u64>,
    /// The time of that stamp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stamped_at: Option<Timestamp>,
    /// The fault when it was last asked. Absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "no answer in time")]
    pub fault: Option<String>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault_at: Option<Timestamp>,
    /// True if there are entries that it should have stamped by now: twice `--tsa-every` went by without a stamp.
    #[schema(example = false)]
    pub late: bool,
}

impl Authority {
    /// Names an authority by its address, which stands in each proof.
    pub fn new(url: &str, every: Duration) -> std::result::Result<Self, proof::Refused> {
        let refused = |why: &str| Err(proof::Refused(why.to_owned()));
        let Some(parsed) = Url::parse(url).ok().filter(|_| is_address(url)) else {
            return refused("it is no address beginning with https:// or http://");
        };
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return refused("it holds a name or a password, which would stand in each proof");
        }
        Ok(Self {
            url: url.to_owned(),
            every,
        })
    }

    /// Seconds from one question to the next one, after so many in vain.
    fn pause(&self, failures: i64) -> i64 {
        let every = outsiders::seconds(self.every);
        if failures <= 0 {
            return every;
        }
        let doubled = AGAIN << (failures - 1).min(16);
        doubled.min(LATEST).min(every)
    }

    /// Its state.
    pub(super) async fn status(&self, db: &Db, now: Timestamp) -> Result<AuthorityStatus> {
        let row = store::authority(db, &self.url).await?;
        let latest = store::latest(db, &self.url).await?;
        let (size, stamped_at) = latest.unzip();
        let published = ledger::published(db).await?;
        let heard = match stamped_at {
            Some(at) => Some(at),
            None => ledger::first_checkpoint_at(db).await?,
        };
        let published = published.as_ref();
        let late = outsiders::is_late(published, size.unwrap_or(0), heard, (LATE, self.every), now);
        Ok(AuthorityStatus {
            url: self.url.clone(),
            size: size.map(i64::unsigned_abs),
            stamped_at,
            fault: row.as_ref().and_then(|row| row.fault.clone()),
            fault_at: row.and_then(|row| row.fault_at),
            late,
        })
    }
}

impl Ledger {
    /// Asks the authority in this process's turn, until `stop`.
    pub(super) async fn keep_stamping(&self, stop: &CancellationToken) {
        let Some(authority) = &self.settings.authority else {
            return;
        };
        let pause = ROUND.min(authority.every);
        let ask = || self.ask_authority();
        outsiders::ask_in_rounds("authority", pause, stop, ask).await;
    }

    /// Has the latest checkpoint stamped, if it is time for it and this process works on the ledger.
    pub async fn ask_authority(&self) -> Result<()> {
        let Some(authority) = &self.settings.authority else {
            return Ok(());
        };
        let _stamping = self.stamping.lock().await;
        let now = self.clock.now();
        if !ledger::holds(&self.db, self.me, now).await? {
            return Ok(());
        }
        let Some(checkpoint) = ledger::published(&self.db).await? else {
            return Ok(());
        };
        let latest = store::latest(&self.db, &authority.url).await?;
        if latest.is_some_and(|(size, _)| size >= checkpoint.size) {
            return Ok(());
        }
        let row = store::authority(&self.db, &authority.url).await?;
        let is_due = row.is_none_or(|row| {
            let pause = authority.pause(row.failures).saturating_mul(1_000);
            row.asked_at.is_over(pause, now)
        });
        if !is_due {
            return Ok(());
        }
        store::asking(&self.db, &authority.url, now).await?;
        self.crash_point("ledger-stamp-ask");
        let note = Note::parse(&checkpoint.note).map_err(Error::internal)?;
        match self.stamp(authority, note.text).await {
            Ok((token, at)) => {
                store::stamped(&self.db, checkpoint.size, &authority.url, &token, at).await?;
                self.crash_point("ledger-stamped");
            }
            Err(fault) => {
                tracing::warn!(
                    authority = authority.url,
                    fault,
                    "the authority gave no time stamp"
                );
                store::failed(&self.db, &authority.url, &fault, self.clock.now()).await?;
            }
        }
        Ok(())
    }

    /// Asks for a stamp over a text. Returns it with its time, or the fault.
    async fn stamp(
        &self,
        authority: &Authority,
        text: &str,
    ) -> std::result::Result<(Vec<u8>, Timestamp), String> {
        let mut nonce = [0; 8];
        random::fill(&mut nonce);
        let question = Question::new(text, nonce);
        let call = Call {
            method: "POST",
            url: &authority.url,
            headers: &[
                ("content-type", "application/timestamp-query"),
                ("accept", "application/timestamp-reply"),
            ],
            body: question.request(),
            deadline: DEADLINE,
            // A byte more than is allowed, so that a longer answer is told from a whole one.
            most_bytes: MOST_BYTES + 1,
        };
        let reply = self.outbound.call(call).await;
        let reply = reply.map_err(|error| error.to_string())?;
        if reply.status != 200 {
            return Err(format!("answered {}", reply.status));
        }
        if reply.body.len() > MOST_BYTES {
            return Err("answered more than 64 KiB".to_owned());
        }
        let answer = question.answer(&reply.body);
        // The words of a refusal are those of a stranger.
        let (token, facts) = answer.map_err(|reason| plain(&reason.0))?;
        let at = Timestamp(facts.time.unix_timestamp().saturating_mul(1_000_000));
        if (at.seconds() - self.clock.now().seconds()).abs() > SKEW {
            return Err(format!("stamped with a wrong time, {at}"));
        }
        Ok((token.to_vec(), at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_an_authority_holds_no_secret() {
        let day = Duration::from_hours(24);
        for right in ["https://tsa.example/a", "http://127.0.0.1:1"] {
            assert!(Authority::new(right, day).is_ok(), "{right}");
        }
        for wrong in [
            "",
            "tsa.example",
            "ftp://tsa.example",
            "https://",
            "https://ada@tsa.example",
            "https://ada:secret@tsa.example",
            "https://tsa.example/a b",
        ] {
            assert!(Authority::new(wrong, day).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_authority_that_fails_is_asked_ever_less_often() {
        let authority = |every| Authority::new("https://tsa.example", every).unwrap();
        let daily = authority(Duration::from_hours(24));
        let pauses = [0, 1, 2, 3, 9, 10, 1_000_000].map(|failures| daily.pause(failures));
        assert_eq!(pauses, [86_400, 60, 120, 240, 15_360, 21_600, 21_600]);
        assert_eq!(authority(Duration::from_secs(5)).pause(3), 5);
    }
}
