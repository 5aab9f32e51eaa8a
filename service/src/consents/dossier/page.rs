//! The files that lead through a dossier: `index.html`, `HOW-TO-CHECK.txt` and the description of the format.

use std::{collections::HashSet, fmt, sync::Arc};

use askama::Template;
use domain::{
    choices::Outcome,
    consent::{Action, Consent, TokenKind},
};
use time::{OffsetDateTime, macros::format_description};
use uuid::Uuid;

use super::{
    File,
    pictures::{ENTRY, Gallery, LIST},
    shown::{BOX, MANIFEST, PARTNERS, PAYLOAD, Publication, TEXTS},
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
};

/// `docs/proof.md`: a verifier can be written from it alone.
const FORMAT: &str = include_str!("../../../../docs/proof.md");
/// Compares the files of a dossier with each other.
const CHECK: &str = include_str!("../../../templates/dossier/check.py");
/// The policy that names the witnesses (c2sp.org/tlog-policy).
const POLICY: &str = "policy.txt";
/// Most choices of a consent on the page. `consent.json` has all of them.
const MOST_CHOICES: usize = 100;
/// Most characters of a title, and of a message, on the page. The files have all of them.
const MOST_TITLE: usize = 200;
const MOST_MESSAGE: usize = 1_000;

/// Everything that the pages tell.
pub(super) struct Pages {
    pub project: Uuid,
    /// Title and web address of the project.
    pub site: (String, String),
    pub token: String,
    pub made_at: Timestamp,
    /// Name of the ledger; `None` where none was ever on.
    pub ledger: Option<String>,
    /// The policy that names the witnesses of the ledger, if it has any.
    pub policy: Option<String>,
    pub is_ledger_on: bool,
    /// The consents are from before this moment.
    pub before: Option<Timestamp>,
    /// Number of the latest consents that were left out, because no checkpoint covers them yet.
    pub uncovered: usize,
    /// True if older consents were left out.
    pub is_cut: bool,
    pub chapters: Vec<Chapter>,
    /// Folders of pictures that were left out.
    pub without_pictures: HashSet<String>,
}

/// A consent on the page.
pub(super) struct Chapter {
    pub folder: String,
    facts: Facts,
    asked_by: String,
    language: Option<String>,
    shown: Option<Shown>,
    gallery: Option<Arc<Gallery>>,
    choices: Vec<(String, bool)>,
    more_choices: usize,
    /// The reason for which there is no bundle.
    lacks: Option<&'static str>,
    files: Vec<String>,
}

/// The facts of a consent that stand on the page.
struct Facts {
    consent_id: String,
    imported: bool,
    token_kind: Option<TokenKind>,
    decided_at: String,
    received_at: String,
    outcome: Outcome,
    is_closed: bool,
    value: Option<String>,
    page_host: Option<String>,
    country: Option<String>,
    ip: Option<String>,
    user_agent: Option<String>,
}

/// The publication on the page.
struct Shown {
    id: String,
    published_at: Timestamp,
    title: String,
    message: String,
}

/// The start of a text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
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
        gallery: Option<Arc<Gallery>>,
        lacks: Option<&'static str>,
        files: &[File],
    ) -> Self {
        let told = publication.map(|publication| &publication.told);
        let config = consent.preferences.config.as_ref();
        let vendors = &consent.preferences.vendors;
        let title = |name: &String| {
            let title = told.and_then(|told| told.services.get(name));
            cut(title.unwrap_or(name), MOST_TITLE)
        };
        // Without a publication the browser alone says who asked.
        let claimed = || {
            let name = config.and_then(|config| config.name.as_deref());
            name.map_or_else(
                || consent.identifier.clone(),
                |name| {
                    let name = cut(name, MOST_TITLE);
                    format!("{}, which the browser called “{name}”", consent.identifier)
                },
            )
        };
        Self {
            folder: format!("{number:03}-{}", consent.consent_id),
            asked_by: told
                .and_then(|told| told.name.as_deref())
                .map_or_else(claimed, |name| cut(name, MOST_TITLE)),
            language: told.and_then(|told| told.language.clone()),
            shown: publication.map(|publication| Shown {
                id: publication.id.clone(),
                published_at: publication.published_at,
                title: cut(&publication.told.title, MOST_TITLE),
                message: cut(&publication.told.message, MOST_MESSAGE),
            }),
            gallery,
            choices: vendors
                .iter()
                .take(MOST_CHOICES)
                .map(|(name, accepted)| (title(name), *accepted))
                .collect(),
            more_choices: vendors.len().saturating_sub(MOST_CHOICES),
            lacks,
            files: files.iter().map(|file| file.name.clone()).collect(),
            facts: Facts {
                is_closed: consent.preferences.action == Some(Action::Close),
                consent_id: consent.consent_id,
                imported: consent.imported,
                token_kind: consent.token_kind,
                decided_at: consent.decided_at,
                received_at: consent.received_at,
                outcome: consent.outcome,
                value: consent.value,
                page_host: consent.page_host,
                country: consent.country,
                ip: consent.ip,
                user_agent: consent.user_agent,
            },
        }
    }

    fn decided(&self) -> String {
        spoken(&self.facts.decided_at)
    }

    fn received(&self) -> String {
        spoken(&self.facts.received_at)
    }

    fn outcome(&self) -> &'static str {
        match self.facts.outcome {
            Outcome::Accepted => "Accepted",
            Outcome::Partial => "Accepted in part",
            Outcome::Refused if self.facts.is_closed => "Refused by closing",
            Outcome::Refused => "Refused",
        }
    }

    /// The trust in the token, in a sentence.
    fn trust(&self) -> Option<&'static str> {
        Some(match self.facts.token_kind? {
            TokenKind::Generated => {
                "Of the form that the banner makes at random. The site may have set it"
            }
            TokenKind::Signed => "Signed by the site, which alone can name a visitor by it",
            TokenKind::Unsigned => {
                "Unsigned: everybody who knows or guesses it could have answered with it"
            }
        })
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
        let policy = self.policy.clone();
        let mut files = vec![
            File::new("index.html", Index(self).render().map_err(Error::internal)?),
            File::new(
                "HOW-TO-CHECK.txt",
                HowToCheck(self).render().map_err(Error::internal)?,
            ),
            File::new("check.py", CHECK),
            File::new("FORMAT.md", FORMAT),
        ];
        files.extend(policy.map(|policy| File::new(POLICY, policy)));
        Ok(files)
    }

    fn made(&self) -> Spoken {
        Spoken(self.made_at)
    }

    fn bundles(&self) -> usize {
        let all = self.chapters.iter();
        all.filter(|chapter| chapter.lacks.is_none()).count()
    }

    /// True if there are pictures.
    fn has_pictures(&self) -> bool {
        self.galleries().next().is_some()
    }

    /// The pictures whose files are there, once for each consent.
    fn galleries(&self) -> impl Iterator<Item = &Arc<Gallery>> {
        let all = self.chapters.iter().filter_map(|one| one.gallery.as_ref());
        all.filter(|gallery| !self.without_pictures.contains(&gallery.folder))
    }

    /// True if the ledger has the list of some pictures.
    fn has_proven_pictures(&self) -> bool {
        self.galleries().any(|gallery| gallery.is_proven)
    }

    /// True if a folder has this file.
    fn has(&self, name: &str) -> bool {
        self.chapters.iter().any(|chapter| chapter.has(name))
    }
}
