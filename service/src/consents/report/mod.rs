//! The report of a period: how visitors answered, to what and from where, and how far the ledger is that proves it.

mod store;

use std::collections::BTreeMap;

use domain::{choices::Outcome, consent::ConsentCollection, error_code::ErrorCode, role::Role};
use serde::Serialize;
use uuid::Uuid;

use super::{Consents, Span, date};
use crate::{
    access::{self, Actor, Need},
    clock::Timestamp,
    db::DbError,
    error::{Error, Result},
};

/// Reports that are made at the same time: each reads all consents of its period.
pub(super) const AT_ONCE: usize = 4;
/// Those of one account.
pub(super) const OF_ONE: usize = 2;
/// Most days of a report.
const MOST_DAYS: i64 = 400;

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
    /// Consents by configuration and box, the most first; about a thousand at most.
    pub configurations: Vec<OfConfiguration>,
    /// Consents by country, the most first; about a thousand at most.
    pub countries: Vec<OfCountry>,
    /// The ledger; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<OfLedger>,
}

impl Consents {
    /// The report of a period of at most 400 days. It ends with the present day if the span has no end, and begins 30
    /// days before its end if it has no start.
    pub async fn report(&self, actor: Actor, project: Uuid, span: Span) -> Result<Report> {
        access::project(&self.db, actor, project, Need::consents(Role::Viewer)).await?;
        let made_at = self.clock.now();
        let (start, end) = bounds(span, made_at)?;
        let place = self
            .reporting
            .take(actor.responsible().unwrap_or_default())?;
        let of = store::Scope {
            project,
            start,
            end,
        };
        let db = self.db.clone();
        // The place is taken for as long as the database counts, also if the client is gone meanwhile.
        let counted = tokio::spawn(async move {
            let _place = place;
            let mut snapshot = db.snapshot().await?;
            Ok::<_, DbError>((
                store::by_day(&mut snapshot, of).await?,
                store::by_configuration(&mut snapshot, of).await?,
                store::by_country(&mut snapshot, of).await?,
            ))
        });
        let (by_day, by_configuration, by_country) = counted.await.map_err(Error::internal)??;
        let mut days: BTreeMap<i64, AnswerCounts> = (start.day()..=last_moment(end).day())
            .map(|day| (day, AnswerCounts::default()))
            .collect();
        let mut answers = AnswerCounts::default();
        let mut erased = 0;
        for (day, outcome, consents, of_them) in by_day {
            days.entry(day).or_default().add(&outcome, consents);
            answers.add(&outcome, consents);
            erased += of_them.unsigned_abs();
        }
        let mut configurations: BTreeMap<(String, Uuid), AnswerCounts> = BTreeMap::new();
        for row in by_configuration {
            let of = (row.collection, row.identifier);
            let of = configurations.entry(of).or_default();
            of.add(&row.outcome, row.consents);
        }
        let mut countries: BTreeMap<Option<String>, AnswerCounts> = BTreeMap::new();
        for (country, outcome, consents) in by_country {
            countries
                .entry(country)
                .or_default()
                .add(&outcome, consents);
        }
        let configurations = configurations.into_iter().filter_map(|(of, answers)| {
            Some(OfConfiguration {
                collection: ConsentCollection::parse(&of.0)?,
                identifier: of.1,
                answers,
            })
        });
        let mut configurations: Vec<_> = configurations.collect();
        configurations.sort_by_key(|one| std::cmp::Reverse(one.answers.total()));
        let countries = countries
            .into_iter()
            .map(|(country, answers)| OfCountry { country, answers });
        let mut countries: Vec<_> = countries.collect();
        countries.sort_by_key(|one| std::cmp::Reverse(one.answers.total()));
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
            configurations,
            countries,
            ledger: ledger.map(|ledger| OfLedger {
                origin: ledger.origin,
                size: ledger.published,
                checkpoint_at: ledger.checkpoint_at,
            }),
        })
    }
}

/// The latest moment before another one.
fn last_moment(end: Timestamp) -> Timestamp {
    end.plus_millis(-1)
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
            "The period begins before it ends, and has at most 400 days.",
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
