//! The report of a period: how visitors answered, to what and from where, and how far the ledger is that proves it.

mod store;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use domain::{
    choices::Outcome, consent::ConsentCollection, error_code::ErrorCode, format::country_code,
    language,
};
use serde::Serialize;
use uuid::Uuid;

use super::{Consents, Span, date};
use crate::{
    access::{self, Actor, Need},
    clock::Timestamp,
    db::Db,
    error::{Error, Result},
    shares::{Share, Shares},
    turns::{Bounds, Turn, Turns},
};

/// Bounds of reports: each reads all consents of its period.
const BOUNDS: Bounds = Bounds {
    at_once: 4,
    of_the_busy: 2,
    little: Duration::from_secs(5),
    most_waiting: 64,
    most_of_one: OF_ONE,
};
/// Reports of one account that are made or wait.
const OF_ONE: usize = 2;
/// Most days of a report.
const MOST_DAYS: i64 = 400;

/// The queue of reports. Large projects take long to count, so accounts take turns.
pub(super) struct Queue {
    own: Arc<Shares<Uuid>>,
    turns: Arc<Turns>,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            own: Shares::new(usize::MAX, OF_ONE),
            turns: Turns::new(BOUNDS),
        }
    }
}

impl Queue {
    /// Waits for the turn of an account. Returns [`Error::Busy`] if it waits for as many already.
    async fn turn(&self, account: Uuid) -> Result<(Share<Uuid>, Turn)> {
        let own = self.own.take(account)?;
        Ok((own, self.turns.turn(account).await?))
    }
}

/// Consents by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct AnswerCounts {
    /// Everything accepted.
    #[schema(example = 812)]
    pub accepted: u64,
    /// Accepted in part.
    #[schema(example = 96)]
    pub partial: u64,
    /// Everything refused.
    #[schema(example = 301)]
    pub refused: u64,
}

impl AnswerCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.accepted + self.partial + self.refused
    }

    fn add(&mut self, outcome: &str, consents: i64) {
        let consents = consents.unsigned_abs();
        match Outcome::parse(outcome) {
            Some(Outcome::Accepted) => self.accepted += consents,
            Some(Outcome::Refused) => self.refused += consents,
            Some(Outcome::Partial) | None => self.partial += consents,
        }
    }
}

/// The consents of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct OfDay {
    /// The day of the decisions, in UTC.
    #[schema(example = "2026-11-21")]
    pub date: String,
    /// The consents.
    pub answers: AnswerCounts,
}

/// The consents to a configuration or box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct OfConfiguration {
    /// The collection.
    pub collection: ConsentCollection,
    /// The configuration or box.
    pub identifier: Uuid,
    /// The consents.
    pub answers: AnswerCounts,
}

/// The consents from a country.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct OfCountry {
    /// The country (ISO 3166-1, two letters); absent where none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "FR")]
    pub country: Option<String>,
    /// The consents.
    pub answers: AnswerCounts,
}

/// The consents to widgets in a language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct OfLanguage {
    /// The language that the widget spoke (ISO 639-1); absent where none is known, as for erased consents and those that an
    /// earlier release stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "fr")]
    pub language: Option<&'static str>,
    /// The consents.
    pub answers: AnswerCounts,
}

/// The ledger at the time of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfLedger {
    /// Its name.
    #[schema(example = "consent.example/ledger/5f0c9d2e8b7a")]
    pub origin: String,
    /// Entries that its latest checkpoint covers.
    #[schema(example = 120_937)]
    pub size: u64,
    /// The time of that checkpoint; absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_at: Option<Timestamp>,
}

/// The answers of a project's visitors in a period. It counts the consents that are kept, by the time of decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// First moment of the period.
    pub start: Timestamp,
    /// First moment after it.
    pub end: Timestamp,
    /// The time of this report.
    pub made_at: Timestamp,
    /// All consents of the period.
    pub answers: AnswerCounts,
    /// Those of them that were erased: only their tombstones are left.
    #[schema(example = 3)]
    pub erased: u64,
    /// Consents by day, oldest first, those of days without any too.
    pub days: Vec<OfDay>,
    /// Consents by configuration and box, the most first.
    pub configurations: Vec<OfConfiguration>,
    /// Consents by country, the most first.
    pub countries: Vec<OfCountry>,
    /// Consents by language, the most first.
    pub languages: Vec<OfLanguage>,
    /// The ledger; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<OfLedger>,
}

impl Consents {
    /// The report of a period of at most 400 days. It ends with the present day if the span has no end, and begins 30
    /// days before its end if it has no start.
    pub async fn report(&self, actor: Actor, project: Uuid, span: Span) -> Result<Report> {
        access::project(&self.db, actor, project, Need::READ_CONSENTS).await?;
        let made_at = self.clock.now();
        let (start, end) = bounds(span, made_at)?;
        let turn = self.reporting.turn(actor.owner());
        let turn = turn.await?;
        let db = self.db.clone();
        // The turn lasts for as long as the database counts, also if the client is gone meanwhile.
        let counted = tokio::spawn(async move {
            let _turn = turn;
            Counted::read(&db, project, (start, end)).await
        });
        let Counted {
            answers,
            erased,
            days,
            configurations,
            countries,
            languages,
        } = counted.await.map_err(Error::internal)??;
        let configurations = configurations.into_iter().filter_map(|(of, answers)| {
            Some(OfConfiguration {
                collection: ConsentCollection::parse(&of.0)?,
                identifier: of.1,
                answers,
            })
        });
        let countries = countries
            .into_iter()
            .map(|(country, answers)| OfCountry { country, answers });
        let languages = languages
            .into_iter()
            .map(|(language, answers)| OfLanguage { language, answers });
        let ledger = self.ledger.status().await?;
        Ok(Report {
            start,
            end,
            made_at,
            answers,
            erased,
            days: days
                .into_iter()
                .map(|(day, answers)| OfDay {
                    date: date(day),
                    answers,
                })
                .collect(),
            configurations: most_first(configurations, |one| one.answers),
            countries: most_first(countries, |one| one.answers),
            languages: most_first(languages, |one| one.answers),
            ledger: ledger.map(|ledger| OfLedger {
                origin: ledger.origin,
                size: ledger.published,
                checkpoint_at: ledger.checkpoint_at,
            }),
        })
    }
}

/// Sorts by the number of consents, the most first.
fn most_first<T>(counted: impl Iterator<Item = T>, answers: impl Fn(&T) -> AnswerCounts) -> Vec<T> {
    let mut counted: Vec<T> = counted.collect();
    counted.sort_by_key(|one| std::cmp::Reverse(answers(one).total()));
    counted
}

/// The consents of a period, counted.
#[derive(Default)]
struct Counted {
    answers: AnswerCounts,
    erased: u64,
    /// Day since 1970 and its consents, also where there are none.
    days: BTreeMap<i64, AnswerCounts>,
    configurations: BTreeMap<(String, Uuid), AnswerCounts>,
    countries: BTreeMap<Option<String>, AnswerCounts>,
    languages: BTreeMap<Option<&'static str>, AnswerCounts>,
}

impl Counted {
    /// Counts day by day, so that neither the database nor this process holds the groups of more than one.
    async fn read(db: &Db, project: Uuid, (start, end): (Timestamp, Timestamp)) -> Result<Self> {
        let mut counted = Self::default();
        let mut snapshot = db.snapshot().await?;
        for day in start.day()..=last_moment(end).day() {
            let midnight = Timestamp(0).plus_days(day);
            let part = (start.max(midnight), end.min(midnight.plus_days(1)));
            let of_day = counted.days.entry(day).or_default();
            for alike in store::alike(&mut snapshot, project, part).await? {
                let of_configuration = (alike.collection, alike.identifier);
                // Files of an earlier release brought other texts.
                let country = alike.country.as_deref().and_then(country_code);
                let language = alike.language.as_deref().and_then(language::find);
                for answers in [
                    &mut counted.answers,
                    &mut *of_day,
                    counted.configurations.entry(of_configuration).or_default(),
                    counted.countries.entry(country).or_default(),
                    counted
                        .languages
                        .entry(language.map(|one| one.code))
                        .or_default(),
                ] {
                    answers.add(&alike.outcome, alike.consents);
                }
                counted.erased += alike.erased.unsigned_abs();
            }
        }
        Ok(counted)
    }
}

/// The latest moment before another one.
fn last_moment(end: Timestamp) -> Timestamp {
    Timestamp(end.0.saturating_sub(1))
}

/// Start and end of the period.
fn bounds(span: Span, now: Timestamp) -> Result<(Timestamp, Timestamp)> {
    const DEFAULT: i64 = 30;
    let tomorrow = Timestamp(0).plus_days(now.day() + 1);
    let end = span.end.unwrap_or(tomorrow);
    let start = span.start.unwrap_or_else(|| end.plus_days(-DEFAULT));
    if start >= end || start < end.plus_days(-MOST_DAYS) {
        return Err(Error::field(
            "/start",
            ErrorCode::Invalid,
            format!("The period begins before it ends, and has at most {MOST_DAYS} days."),
        ));
    }
    Ok((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn a_period_has_an_end_a_start_and_a_bound() {
        let now = at("2026-11-26T13:00:00Z");
        let span = |start: &str, end: &str| Span {
            start: Timestamp::parse(start),
            end: Timestamp::parse(end),
        };
        let period = |start, end| bounds(span(start, end), now).ok();
        let whole = (at("2026-10-28"), at("2026-11-27"));
        assert_eq!(period("", ""), Some(whole));
        let month = (at("2026-10-01"), at("2026-11-01"));
        assert_eq!(period("2026-10-01", "2026-11-01"), Some(month));
        assert_eq!(period("2026-11-01", "2026-11-01"), None);
        assert_eq!(period("2025-01-01", "2026-11-01"), None);
    }
}
