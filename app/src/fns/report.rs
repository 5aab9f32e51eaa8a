//! The report of a period.

use domain::documents::IpMode;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::projects::Day;

/// Consents by outcome, under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Name of the configuration or language, or code of the country; empty where none is known.
    pub name: String,
    pub answers: Day,
}

/// The ledger at the time of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerState {
    pub origin: String,
    pub size: u64,
    pub checkpoint_at: Option<i64>,
}

/// The data of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub title: String,
    pub site: String,
    /// Name and address of the data protection officer, as far as the project names them.
    pub officer: String,
    /// Months that consents are kept; for ever without.
    pub months: Option<u32>,
    pub ip_mode: IpMode,
    pub start: i64,
    /// First moment after the period.
    pub end: i64,
    pub made_at: i64,
    pub answers: Day,
    pub erased: u64,
    /// By day, oldest first.
    pub days: Vec<Day>,
    pub configurations: Vec<Named>,
    pub countries: Vec<Named>,
    pub languages: Vec<Named>,
    pub ledger: Option<LedgerState>,
    /// First and last day, as the form has them.
    pub from: String,
    pub to: String,
}

/// The report of the days from `from` to `to`; the last 30 days where both are empty. `None` for days that are no period
/// of a report.
#[server(prefix = "/ui", endpoint = "proofs/report", input = Json)]
pub async fn read_report(
    project: String,
    from: String,
    to: String,
) -> Result<Option<Report>, UiError> {
    server::report(&project, &from, &to).await
}

/// Consents of the last 30 days by the language that the widget spoke, the most first.
#[server(prefix = "/ui", endpoint = "proofs/languages", input = Json)]
pub async fn read_languages(project: String) -> Result<Vec<Named>, UiError> {
    server::languages(&project).await
}

#[cfg(feature = "ssr")]
mod server {
    use std::collections::{BTreeSet, HashMap};

    use domain::collection::Collection;
    use domain::documents::{self, Project};
    use domain::language;
    use service::Error;
    use service::clock::Timestamp;
    use service::consents::{AnswerCounts, OfConfiguration, OfLanguage, Span};
    use uuid::Uuid;

    use super::{LedgerState, Named, Report};
    use crate::error::UiError;
    use crate::fns::documents::server::text;
    use crate::fns::projects::Day;
    use crate::fns::proofs::server::{millis, names};
    use crate::fns::server::{actor, id, placet, refuse};

    pub async fn report(project: &str, from: &str, to: &str) -> Result<Option<Report>, UiError> {
        let (project, placet) = (id(project)?, placet()?);
        let (Ok(start), Ok(end)) = (day(from, Timestamp::parse), day(to, Timestamp::parse_end))
        else {
            return Ok(None);
        };
        let span = Span { start, end };
        let found = match placet.consents.report(actor()?, project, span).await {
            Err(Error::Invalid(_)) => return Ok(None),
            found => found.map_err(refuse)?,
        };
        let document = placet
            .vault
            .read(actor()?, Collection::Projects, project)
            .await
            .map_err(refuse)?;
        let (title, site) = (text(&document, "title"), text(&document, "websiteURL"));
        let settings: Project = documents::read(&document.data);
        let officer = settings.dpo.unwrap_or_default();
        let officer: Vec<String> = [officer.name, officer.email]
            .into_iter()
            .flatten()
            .collect();
        let ids = found.configurations.iter().map(|one| one.identifier);
        let ids: BTreeSet<Uuid> = ids.collect();
        let names = names(ids).await?;
        Ok(Some(Report {
            title,
            site,
            officer: officer.join(", "),
            months: settings.retention.consent_months,
            ip_mode: settings.retention.ip_mode,
            start: found.start.millis(),
            end: found.end.millis(),
            made_at: found.made_at.millis(),
            answers: counts(0, found.answers),
            erased: found.erased,
            days: found
                .days
                .iter()
                .map(|day| counts(millis(&day.date), day.answers))
                .collect(),
            configurations: found
                .configurations
                .iter()
                .map(|one| of_configuration(&names, one))
                .collect(),
            countries: found
                .countries
                .into_iter()
                .map(|one| Named {
                    name: one.country.unwrap_or_default(),
                    answers: counts(0, one.answers),
                })
                .collect(),
            languages: found.languages.into_iter().map(of_language).collect(),
            ledger: found.ledger.map(|ledger| LedgerState {
                origin: ledger.origin,
                size: ledger.size,
                checkpoint_at: ledger.checkpoint_at.map(Timestamp::millis),
            }),
            from: found.start.date(),
            to: found.end.plus_millis(-1).date(),
        }))
    }

    pub async fn languages(project: &str) -> Result<Vec<Named>, UiError> {
        let (project, placet) = (id(project)?, placet()?);
        let found = placet.consents.report(actor()?, project, Span::default());
        let languages = found.await.map_err(refuse)?.languages;
        Ok(languages.into_iter().map(of_language).collect())
    }

    /// A day as forms have it; an error for another text.
    fn day(text: &str, parse: fn(&str) -> Option<Timestamp>) -> Result<Option<Timestamp>, ()> {
        if text.is_empty() {
            return Ok(None);
        }
        parse(text).map(Some).ok_or(())
    }

    fn counts(start: i64, answers: AnswerCounts) -> Day {
        Day {
            start,
            accepted: answers.accepted,
            partial: answers.partial,
            refused: answers.refused,
        }
    }

    fn of_language(one: OfLanguage) -> Named {
        let name = one.language.and_then(language::name).unwrap_or_default();
        Named {
            name: name.to_owned(),
            answers: counts(0, one.answers),
        }
    }

    fn of_configuration(names: &HashMap<Uuid, String>, one: &OfConfiguration) -> Named {
        let name = names.get(&one.identifier).cloned();
        Named {
            name: name.unwrap_or_else(|| one.identifier.to_string()),
            answers: counts(0, one.answers),
        }
    }
}
