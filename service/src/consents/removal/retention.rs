//! The retention of consents: a job a day, which may be ended and begun again anywhere.
//!
//! A consent to a consent box is kept for the months of the box (`storageDuration`) as it was last published, also when
//! the box is gone: visitors were told of them. All other consents, and those to a box without months, are kept for the
//! project's `retention.consentMonths`, and without that for as long as the project exists. Months are those of the
//! calendar and count from the decision. A decision that is still in force does not go before its time is over,
//! whatever else is removed. Of a token's decisions on one document the earlier ones always go first, and with the last
//! one the answer has lapsed. Tombstones go like the others. When a project can no longer be restored, all its consents
//! go.

use std::collections::HashMap;

use domain::documents::{self, ConsentBox};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::{Date, Month, OffsetDateTime};
use uuid::Uuid;

use super::{
    super::{Consents, writing},
    store,
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
    ids,
    jobs::{Claim, Ended, Job},
};

/// Days that count as a month in a fraction of months.
const DAYS_OF_MONTH: f64 = 30.0;

/// The used fields of the canonical content of a live project.
#[derive(Deserialize)]
struct Live {
    #[serde(default)]
    processings: Vec<Value>,
}

/// Until when consents of a project must have been decided to go.
struct Rules {
    /// For documents without a rule of their own.
    common: Option<Timestamp>,
    own: HashMap<Uuid, Timestamp>,
}

impl Rules {
    fn new(now: Timestamp, common: Option<f64>, boxes: &HashMap<Uuid, f64>) -> Self {
        let own = boxes
            .iter()
            .map(|(id, months)| (*id, months_before(now, *months)));
        Self {
            common: common.map(|months| months_before(now, months)),
            own: own.collect(),
        }
    }

    /// The latest moment that any consent may be removed for.
    fn latest(&self) -> Option<Timestamp> {
        self.own.values().copied().chain(self.common).max()
    }

    fn is_over(&self, row: &store::AgedRow) -> bool {
        let before = self.own.get(&row.identifier).copied().or(self.common);
        before.is_some_and(|before| row.decided_at < before)
    }
}

/// The same time of the day so many calendar months earlier; the last day of a shorter month.
fn months_before(now: Timestamp, months: f64) -> Timestamp {
    let earlier = || {
        let moment = OffsetDateTime::from_unix_timestamp(now.seconds()).ok()?;
        let index = moment.year() * 12 + i32::from(u8::from(moment.month())) - 1;
        let index = index - months.trunc() as i32;
        let month = Month::try_from(u8::try_from(index.rem_euclid(12) + 1).ok()?).ok()?;
        let year = index.div_euclid(12);
        let date = (1..=moment.day())
            .rev()
            .find_map(|day| Date::from_calendar_date(year, month, day).ok())?;
        let whole = Timestamp(0).plus_seconds(moment.replace_date(date).unix_timestamp());
        Some(whole.plus_days(-((months.fract() * DAYS_OF_MONTH).round() as i64)))
    };
    // A clock that is off by millennia removes nothing.
    earlier().unwrap_or(Timestamp(i64::MIN))
}

impl Consents {
    /// Queues today's job; once a day, however many processes ask.
    pub(crate) async fn schedule_retention(&self) -> Result<()> {
        let today = Timestamp(0).plus_days(self.clock.now().day());
        let id = ids::at(today, b"retention!");
        self.jobs.enqueue_once(id, &Retention).await?;
        Ok(())
    }

    /// Removes consents that are over their time. Takes every project in turn, in short
    /// transactions.
    async fn remove_expired(&self) -> Result<u64> {
        let mut removed = 0;
        let mut after = Uuid::nil();
        loop {
            let projects = store::projects(&self.db, after).await?;
            let Some(last) = projects.last() else {
                return Ok(removed + self.remove_of_gone().await?);
            };
            after = last.id;
            for project in projects {
                let boxes = self.months_of_boxes(project.id).await?;
                let rules = Rules::new(self.clock.now(), project.months(), &boxes);
                removed += self.remove_expired_of(project.id, &rules).await?;
            }
        }
    }

    /// The months of each box of a project that has some. Keeps them for the time after the box: a deleted box can be
    /// restored for weeks, so this has seen it before it is gone.
    async fn months_of_boxes(&self, project: Uuid) -> Result<HashMap<Uuid, f64>> {
        let kept = store::kept_months(&self.db, project).await?;
        let mut months: HashMap<Uuid, f64> = kept.into_iter().collect();
        let drafts = store::boxes(&self.db, project).await?;
        if drafts.is_empty() && months.is_empty() {
            return Ok(months);
        }
        let mut told = self.months_told(project).await?;
        for (draft, was_published) in drafts {
            // A draft says what visitors will be told. It counts where nothing else is known.
            if !(was_published && months.contains_key(&draft.id)) {
                told.entry(draft.id).or_insert(draft.months());
            }
        }
        for (id, own) in told {
            let before = match own {
                Some(own) => months.insert(id, own),
                None => months.remove(&id),
            };
            if before != own {
                store::keep_months(&self.db, project, id, own).await?;
            }
        }
        Ok(months)
    }

    /// The months of each box that is live.
    async fn months_told(&self, project: Uuid) -> Result<HashMap<Uuid, Option<f64>>> {
        let Some(content) = store::live_content(&self.db, project).await? else {
            return Ok(HashMap::new());
        };
        let live: Live = serde_json::from_str(&content).map_err(Error::internal)?;
        let boxes = live
            .processings
            .iter()
            .map(documents::read_published::<ConsentBox>);
        let rule = |own: ConsentBox| {
            let months = own.storage_duration.filter(|months| *months > 0.0);
            Some((Uuid::parse_str(&own.identifier).ok()?, months))
        };
        Ok(boxes.filter_map(rule).collect())
    }

    /// Removes the consents of projects that are gone: nobody can read or erase them any more.
    async fn remove_of_gone(&self) -> Result<u64> {
        let mut removed = 0;
        let mut after = Uuid::nil();
        while let Some((project, is_gone)) = store::next_counted(&self.db, after).await? {
            after = project;
            if !is_gone {
                continue;
            }
            loop {
                let some = writing::remove_some(&self.db, project).await?;
                if some == 0 {
                    break;
                }
                removed += some;
            }
            store::forget_counts(&self.db, project).await?;
        }
        store::forget_months(&self.db).await?;
        Ok(removed)
    }

    async fn remove_expired_of(&self, project: Uuid, rules: &Rules) -> Result<u64> {
        let Some(before) = rules.latest() else {
            return Ok(0);
        };
        let mut removed = 0;
        let mut place = (Timestamp(i64::MIN), Uuid::nil());
        loop {
            let aged = store::aged(&self.db, project, before, place).await?;
            let Some(last) = aged.last() else {
                return Ok(removed);
            };
            place = (last.decided_at, last.seq);
            let over: Vec<(Uuid, Uuid)> = aged
                .iter()
                .filter(|row| rules.is_over(row))
                .map(|row| (row.seq, row.consent_id))
                .collect();
            if !over.is_empty() {
                removed += writing::remove(&self.db, project, &over).await?;
            }
        }
    }
}

/// Removes the consents whose time is over. If it is given up, tomorrow's job removes the rest.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Retention;

impl Job for Retention {
    const KIND: &'static str = "consents.retention";
    type Worker = Consents;

    /// Two days never run at once.
    fn lane(&self, _: Uuid) -> String {
        Self::KIND.to_owned()
    }

    async fn run(self, consents: &Consents, _: Claim) -> Ended {
        let removed = consents.remove_expired().await;
        let said = removed.map(|removed| {
            if removed > 0 {
                consents.db.scrub();
                tracing::info!(removed, "consents were removed, their time is over");
            }
        });
        said.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_those_of_the_calendar() {
        let before = |now: &str, months: f64| {
            months_before(Timestamp::parse(now).unwrap(), months).to_string()
        };
        for (now, months, expected) in [
            ("2026-11-21T09:30:00Z", 13.0, "2025-10-21T09:30:00.000Z"),
            ("2026-03-31T00:00:00Z", 1.0, "2026-02-28T00:00:00.000Z"),
            ("2024-03-31T00:00:00Z", 1.0, "2024-02-29T00:00:00.000Z"),
            ("2026-01-15T00:00:00Z", 1.0, "2025-12-15T00:00:00.000Z"),
            ("2026-11-21T00:00:00Z", 0.5, "2026-11-06T00:00:00.000Z"),
            ("2026-11-21T00:00:00Z", 1200.0, "1926-11-21T00:00:00.000Z"),
        ] {
            assert_eq!(
                before(now, months),
                expected,
                "{months} months before {now}"
            );
        }
    }

    #[test]
    fn a_box_has_its_own_time_and_others_the_projects() {
        let now = Timestamp::parse("2026-11-21T00:00:00Z").unwrap();
        let (short, long, none) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
        let boxes = HashMap::from([(short, 1.0), (long, 36.0)]);
        let rules = Rules::new(now, Some(12.0), &boxes);
        let over = |identifier, decided: &str| {
            rules.is_over(&store::AgedRow {
                seq: Uuid::nil(),
                consent_id: Uuid::nil(),
                identifier,
                decided_at: Timestamp::parse(decided).unwrap(),
            })
        };
        assert!(over(short, "2026-10-20") && !over(short, "2026-10-22"));
        assert!(over(long, "2023-11-20") && !over(long, "2023-11-22"));
        assert!(over(none, "2025-11-20") && !over(none, "2025-11-22"));
        assert_eq!(rules.latest(), Timestamp::parse("2026-10-21"));
        let forever = Rules::new(now, None, &HashMap::new());
        assert_eq!(forever.latest(), None);
    }
}
