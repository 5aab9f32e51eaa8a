//! Visitors read their own consents; `removal` erases them. A visitor shows whose they are by a token that opens them
//! ([`TokenKind::is_key`]), or by the salt of a consent, which its receipt holds. The answer to a wrong secret is the
//! same as one about nothing.

use domain::{
    consent::{Consent, Shown, TokenKind},
    error_code::ErrorCode,
};
use proof::{Hash, commitment::Group, sha256};
use serde::Serialize;
use uuid::Uuid;

use super::{
    Consents, by_token,
    commitment::Remains,
    projects::{FRESH, Project},
    prove::Proven,
    removal::project_of,
    row::{BoundRow, ConsentRow},
    store,
};
use crate::{
    error::{Error, Result},
    render::{self, ScreenText},
    shares::Share,
};

/// Visitors who read at the same time.
pub(super) const AT_ONCE: usize = 32;
/// Those of one project.
pub(super) const OF_ONE: usize = 4;
/// Most consents of a history.
const MOST_CONSENTS: usize = 100;
/// Consents read at once: strangers write them, and each may have a hundred kilobytes.
const PIECE: u32 = 25;
/// Most publications of a history.
const MOST_SHOWN: usize = 20;
/// Most bytes of a history's consents, and of its publications.
const MOST_BYTES: usize = 1024 * 1024;

/// The secret by which visitors show that a consent is theirs.
#[derive(Clone)]
pub enum Secret {
    /// The token that they answered with.
    Token(String),
    /// The salt of the consent.
    Salt(Hash),
}

/// The consents of a token.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The consents, newest decision first; at most 100, and about a megabyte.
    pub consents: Vec<Consent>,
    /// Title of the project; absent without consents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Corner shop")]
    pub project_name: Option<String>,
    /// The publications that these consents name; at most 20, and a megabyte.
    pub publications: Vec<ShownAgain>,
    /// True if there are older consents.
    #[schema(example = false)]
    pub more: bool,
    /// True if the project lets visitors erase them.
    #[schema(example = true)]
    pub may_erase: bool,
}

/// A publication that a visitor saw, with its texts.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownAgain {
    /// The publication.
    #[serde(flatten)]
    pub shown: Shown,
    /// The texts of a widget's screens, as they were drawn. Absent for boxes, whose manifest has them, and behind a
    /// megabyte of widgets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub screens: Vec<ScreenText>,
}

impl Consents {
    /// The consents of a token, for those who have it.
    pub async fn history(&self, project: Uuid, token: &str) -> Result<History> {
        let _reading = self.reading.take(project)?;
        self.may_be_own(project, Some(token)).await?;
        let (rows, more) = self.newest(project, token).await?;
        let publications = self.shown(project, &rows).await?;
        let own = project_of(&self.db, project).await?.unwrap_or_default();
        Ok(History {
            // A token without consents tells nothing of the project.
            project_name: (!rows.is_empty()).then_some(own.title),
            consents: rows.into_iter().map(ConsentRow::into_consent).collect(),
            publications,
            more,
            may_erase: own.retention.visitor_erasure,
        })
    }

    /// The newest consents of a token, and whether there are older ones.
    async fn newest(&self, project: Uuid, token: &str) -> Result<(Vec<ConsentRow>, bool)> {
        let mut rows: Vec<ConsentRow> = Vec::new();
        let mut bytes = 0;
        loop {
            let last = rows.last().map(ConsentRow::place);
            let found = by_token::older(&self.db, project, token, last, PIECE).await?;
            bytes += found
                .items
                .iter()
                .map(|row| row.preferences.len())
                .sum::<usize>();
            rows.extend(found.items);
            if !found.more || rows.len() >= MOST_CONSENTS || bytes > MOST_BYTES {
                return Ok((rows, found.more));
            }
        }
    }

    /// The proof of a consent, for those who have its token or its salt.
    pub async fn prove_own(&self, project: Uuid, consent: Uuid, secret: &Secret) -> Result<Proven> {
        let (_reading, row) = self.opened(project, consent, secret).await?;
        self.prove_row(&row, &[]).await
    }

    /// A consent that its secret opens, with the place of its visitor among those who read.
    pub(super) async fn opened(
        &self,
        project: Uuid,
        consent: Uuid,
        secret: &Secret,
    ) -> Result<(Share<Uuid>, BoundRow)> {
        let reading = self.reading.take(project)?;
        let token = match secret {
            Secret::Token(token) => Some(token.as_str()),
            Secret::Salt(_) => None,
        };
        self.may_be_own(project, token).await?;
        let row = store::bound(&self.db, project, consent).await?;
        let row = row.filter(|row| opens(secret, row));
        Ok((reading, row.ok_or(Error::NotFound)?))
    }

    /// Refuses projects that are not there, and tokens that may be guessed: of both everybody knows it anyway.
    pub(super) async fn may_be_own(&self, project: Uuid, token: Option<&str>) -> Result<()> {
        let seen = self.projects.view(project, FRESH).await?;
        if seen.is_none() && !store::project_exists(&self.db, project).await? {
            return Err(Error::NotFound);
        }
        let Some(token) = token else {
            return Ok(());
        };
        // The view in memory may be a moment old.
        if !is_guessable(token, seen.as_deref())
            || !is_guessable(token, self.projects.latest(project).await?.as_deref())
        {
            return Ok(());
        }
        Err(Error::forbidden(
            ErrorCode::GuessableToken,
            "This token is not of the form that the SDK makes, and the site did not sign it, so others may guess it. Show the salt of a receipt.",
        ))
    }

    /// The publications that the visitor was shown, each once.
    async fn shown(&self, project: Uuid, rows: &[ConsentRow]) -> Result<Vec<ShownAgain>> {
        let mut shown: Vec<ShownAgain> = Vec::new();
        let (mut bytes, mut drawn) = (0, 0);
        for row in rows {
            let Some(publication) = &row.publication else {
                continue;
            };
            if shown
                .iter()
                .any(|one| one.shown.publication == *publication)
            {
                continue;
            }
            let found = store::publication(&self.db, project, row.identifier, publication).await?;
            let Some(found) = found else {
                continue;
            };
            bytes += found.manifest.len();
            drawn += found.payload.len();
            if bytes > MOST_BYTES {
                break;
            }
            shown.push(ShownAgain {
                screens: if drawn > MOST_BYTES {
                    Vec::new()
                } else {
                    render::screen_texts(&found.payload)
                },
                shown: found.shown(publication),
            });
            if shown.len() == MOST_SHOWN {
                break;
            }
        }
        Ok(shown)
    }
}

fn is_guessable(token: &str, project: Option<&Project>) -> bool {
    let signed = project.is_some_and(|project| project.tokens.signed(token));
    !TokenKind::is_key(token, signed)
}

/// True if the secret is that of the consent. Hashes are compared, so that the time tells nothing of a guess.
fn opens(secret: &Secret, row: &BoundRow) -> bool {
    match secret {
        Secret::Token(token) => {
            let own = row.consent.token.as_bytes();
            !own.is_empty() && sha256(&[own]) == sha256(&[token.as_bytes()])
        }
        Secret::Salt(salt) => {
            let Some(own) = row.salt.as_deref() else {
                return false;
            };
            match Remains::parse(own) {
                // An erased consent keeps what follows from its salt.
                Some(remains) => remains.core_salt == Group::Core.salt(salt),
                None => sha256(&[own]) == sha256(&[salt]),
            }
        }
    }
}
