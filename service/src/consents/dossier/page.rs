//! The files that lead through a dossier: `index.html`, `HOW-TO-CHECK.txt` and the description of the format.

use std::fmt;

use askama::Template;
use domain::{
    choices::Outcome,
    consent::{Action, Consent},
};
use time::{OffsetDateTime, macros::format_description};
use uuid::Uuid;

use super::{
    File,
    shown::{BOX, MANIFEST, PARTNERS, PAYLOAD, Publication, TEXTS},
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
    sanitise::Sanitised,
};

/// `docs/proof.md`: a verifier can be written from it alone.
const FORMAT: &str = include_str!("../../../../docs/proof.md");
/// Most choices of a consent on the page. `consent.json` has all of them.
const MOST_CHOICES: usize = 100;

/// Everything that the pages tell.
pub(super) struct Pages {
    pub project: Uuid,
    /// Title and web address of the project.
    pub site: (String, String),
    pub token: String,
    pub made_at: Timestamp,
    /// Name of the ledger; `None` where none was ever on.
    pub ledger: Option<String>,
    pub is_ledger_on: bool,
    /// True if older consents were left out.
    pub is_cut: bool,
    pub chapters: Vec<Chapter>,
}

/// A consent on the page.
pub(super) struct Chapter {
    pub folder: String,
    consent: Consent,
    asked_by: String,
    language: Option<String>,
    shown: Option<Shown>,
    choices: Vec<(String, bool)>,
    more_choices: usize,
    /// Why there is no bundle.
    lacks: Option<&'static str>,
    files: Vec<String>,
}

/// The publication on the page.
struct Shown {
    id: String,
    published_at: Timestamp,
    title: String,
    message: Option<Sanitised>,
}

/// A moment as people write it.
struct Spoken(Timestamp);

impl fmt::Display for Spoken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = format_description!(
            "[day padding:none] [month repr:long] [year], [hour]:[minute]:[second] UTC"
        );
        let moment = OffsetDateTime::from_unix_timestamp(self.0.seconds());
        let text = moment.ok().and_then(|moment| moment.format(form).ok());
        formatter.write_str(&text.unwrap_or_else(|| self.0.to_string()))
    }
}

/// A moment of a consent as people write it.
fn spoken(text: &str) -> String {
    let moment = Timestamp::parse(text);
    moment.map_or_else(|| text.to_owned(), |moment| Spoken(moment).to_string())
}

impl Chapter {
    pub(super) fn new(
        number: usize,
        consent: Consent,
        publication: Option<&Publication>,
        lacks: Option<&'static str>,
        files: &[File],
    ) -> Self {
        let told = publication.map(|publication| &publication.told);
        let config = consent.preferences.config.as_ref();
        let vendors = &consent.preferences.vendors;
        let title = |name: &String| {
            let title = told.and_then(|told| told.services.get(name));
            title.unwrap_or(name).clone()
        };
        Self {
            folder: format!("{number:03}-{}", consent.consent_id),
            asked_by: told
                .and_then(|told| told.name.clone())
                .or_else(|| config.and_then(|config| config.name.clone()))
                .unwrap_or_else(|| consent.identifier.clone()),
            language: told
                .and_then(|told| told.language.clone())
                .or_else(|| config.and_then(|config| config.language.clone())),
            shown: publication.map(|publication| Shown {
                id: publication.id.clone(),
                published_at: publication.published_at,
                title: publication.told.title.clone().unwrap_or_default(),
                message: publication.told.message.clone(),
            }),
            choices: vendors
                .iter()
                .take(MOST_CHOICES)
                .map(|(name, accepted)| (title(name), *accepted))
                .collect(),
            more_choices: vendors.len().saturating_sub(MOST_CHOICES),
            lacks,
            files: files.iter().map(|file| file.name.clone()).collect(),
            consent,
        }
    }

    fn decided(&self) -> String {
        spoken(&self.consent.decided_at)
    }

    fn received(&self) -> String {
        spoken(&self.consent.received_at)
    }

    fn outcome(&self) -> &'static str {
        let is_closed = self.consent.preferences.action == Some(Action::Close);
        match self.consent.outcome {
            Outcome::Accepted => "Accepted",
            Outcome::Partial => "Accepted in part",
            Outcome::Refused if is_closed => "Refused by closing",
            Outcome::Refused => "Refused",
        }
    }

    fn has(&self, name: &str) -> bool {
        self.files.iter().any(|file| file == name)
    }
}

#[derive(Template)]
#[template(path = "dossier/index.html")]
struct Index<'a>(&'a Pages);

#[derive(Template)]
#[template(path = "dossier/how-to-check.txt")]
struct HowToCheck<'a>(&'a Pages);

impl Pages {
    pub(super) fn files(&self) -> Result<Vec<File>> {
        Ok(vec![
            File::new("index.html", Index(self).render().map_err(Error::internal)?),
            File::new(
                "HOW-TO-CHECK.txt",
                HowToCheck(self).render().map_err(Error::internal)?,
            ),
            File::new("FORMAT.md", FORMAT),
        ])
    }

    fn made(&self) -> Spoken {
        Spoken(self.made_at)
    }

    fn bundles(&self) -> usize {
        let all = self.chapters.iter();
        all.filter(|chapter| chapter.lacks.is_none()).count()
    }

    /// True if a folder has this file.
    fn has(&self, name: &str) -> bool {
        self.chapters.iter().any(|chapter| chapter.has(name))
    }
}
