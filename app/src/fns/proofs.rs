//! Consents: the list with its filter, and one with everything that is proven.

use domain::choices::Outcome;
use domain::collection::Collection;
use domain::consent::{Place, TokenKind};
use domain::tcf::{Answers, Unfit};
use domain::user_agent::Device;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// Path to which a page sends `project` and `token` as JSON to get a dossier. These four are no server functions,
/// because those carry JSON both ways.
pub const DOSSIER: &str = "/ui/proofs/dossier";
/// Path to which a page sends `project`, `consent`, `withhold` and `pictures` as JSON to get a proof.
pub const BUNDLE: &str = "/ui/proofs/bundle";
/// Path to which a form sends `project`, `format`, `start` and `end` to get a file of consents.
pub const EXPORT: &str = "/ui/proofs/export";
/// Path to which a chosen file of consents is sent: the body is the file, the query names `project`, `format` and
/// `partial`.
pub const IMPORT: &str = "/ui/proofs/import";

/// The filter of the list; empty means all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    pub token: String,
    /// Id of a configuration or box.
    pub identifier: String,
    /// `accepted`, `refused` or `partial`.
    pub outcome: String,
    /// First and last day, `2026-11-21`.
    pub from: String,
    pub to: String,
    /// True for the oldest first.
    pub oldest: bool,
    /// From 1.
    pub page: u32,
}

impl Filter {
    pub fn is_empty(&self) -> bool {
        Self {
            page: 0,
            oldest: false,
            ..self.clone()
        } == Self::default()
    }
}

/// The circumstances of a consent, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub country: Option<String>,
    pub device: Option<Device>,
    pub browser: Option<String>,
}

/// A consent in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentRow {
    pub id: String,
    pub token: String,
    pub name: String,
    pub outcome: Outcome,
    pub decided_at: i64,
    pub page_host: Option<String>,
    pub origin: Origin,
    /// True if the site set the token without a signature.
    pub unsigned: bool,
    /// True if only its tombstone is left.
    pub erased: bool,
}

/// A configuration or box to filter by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub id: String,
    pub name: String,
}

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentPage {
    pub items: Vec<ConsentRow>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
    pub asked: Vec<Asked>,
    /// The first days of the spans "today", "last 7 days" and "last 30 days", in UTC.
    pub starts: [String; 3],
    /// True if anything was ever collected.
    pub any: bool,
}

/// The consents of a filter by their outcome, whatever outcome it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub accepted: u64,
    pub partial: u64,
    pub refused: u64,
}

impl Totals {
    /// The consents with an outcome; all, if none is named.
    pub fn of(&self, outcome: Option<Outcome>) -> u64 {
        match outcome {
            None => self.accepted + self.partial + self.refused,
            Some(Outcome::Accepted) => self.accepted,
            Some(Outcome::Partial) => self.partial,
            Some(Outcome::Refused) => self.refused,
        }
    }
}

/// One choice of a consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub name: String,
    pub title: String,
    pub accepted: bool,
}

/// A screen that was shown, in its texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screen {
    pub title: String,
    /// Its lines.
    pub text: String,
}

/// A TC string, and whether it fits what was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcfString {
    pub text: String,
    pub fit: TcfFit,
}

/// Whether a TC string fits what was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TcfFit {
    Fits,
    /// The first respect in which it does not.
    Unfit(Unfit),
    /// It is of an earlier answer, which saw something else.
    Kept,
}

/// All facts that a consent proves.
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts of a proof, each its own"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub id: String,
    pub token: String,
    /// The origin of the token; `None` after erasure.
    pub token_kind: Option<TokenKind>,
    pub collection: Collection,
    pub identifier: String,
    pub name: String,
    pub language: String,
    pub accept: bool,
    pub outcome: Outcome,
    /// True if the visitor refused by closing the widget.
    pub closed: bool,
    pub choices: Vec<Choice>,
    pub value: Option<String>,
    pub decided_at: i64,
    pub received_at: i64,
    /// SHA-256 of what was shown.
    pub publication: Option<String>,
    pub publication_verified: bool,
    pub published_at: Option<i64>,
    pub page_host: Option<String>,
    pub ip: Option<String>,
    pub origin: Origin,
    pub user_agent: Option<String>,
    pub imported: bool,
    /// When what names the person was removed.
    pub erased_at: Option<i64>,
    /// True if the visitor of this page may erase it.
    pub can_erase: bool,
    /// True if a later consent of this token replaced it.
    pub replaced: bool,
    /// The TC string beside what was shown; `None` without such a string.
    pub tcf: Option<TcfString>,
    /// Preferences as they were sent.
    pub raw: String,
    /// The screens of the publication, for paper.
    pub screens: Vec<Screen>,
    /// The address of its page.
    pub address: String,
}

/// A page of a project's consents, newest first.
#[server(prefix = "/ui", endpoint = "proofs/list", input = Json)]
pub async fn consents(project: String, filter: Filter) -> Result<ConsentPage, UiError> {
    server::list(&project, filter).await
}

/// The consents of a filter by their outcome. To count takes longer than to read a page.
#[server(prefix = "/ui", endpoint = "proofs/totals", input = Json)]
pub async fn consent_totals(project: String, filter: Filter) -> Result<Totals, UiError> {
    server::totals(&project, &filter).await
}

/// One consent.
#[server(prefix = "/ui", endpoint = "proofs/one", input = Json)]
pub async fn read_proof(project: String, consent: String) -> Result<Proof, UiError> {
    server::one(&project, &consent).await
}

/// The place of a consent in the ledger. Its proof is made and verified.
#[server(prefix = "/ui", endpoint = "proofs/place", input = Json)]
pub async fn read_place(project: String, consent: String) -> Result<Place, UiError> {
    server::place(&project, &consent).await
}

/// The answers in the TC string of a consent, by the names that were shown; `None` where these are unknown.
#[server(prefix = "/ui", endpoint = "proofs/tcf-answers", input = Json)]
pub async fn read_tcf_answers(
    project: String,
    consent: String,
) -> Result<Option<Answers>, UiError> {
    server::tcf_answers(&project, &consent).await
}

/// True if the visitor of this page may import consents.
#[server(prefix = "/ui", endpoint = "proofs/may-import", input = Json)]
pub async fn may_import(project: String) -> Result<bool, UiError> {
    server::may_import(&project).await
}

/// Removes what is known of a token, for ever.
#[server(prefix = "/ui", endpoint = "proofs/erase", input = Json)]
pub async fn erase(project: String, token: String) -> Result<(), UiError> {
    server::erase(&project, &token).await
}

/// The page that shows again what the visitor saw; for a sandboxed frame.
#[server(prefix = "/ui", endpoint = "proofs/seen", input = Json)]
pub async fn seen(
    project: String,
    consent: String,
    nonce: String,
    dark: bool,
) -> Result<String, UiError> {
    server::seen(&project, &consent, nonce, dark).await
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::collections::{BTreeMap, BTreeSet, HashMap};

    use domain::choices::Outcome;
    use domain::consent::{Action, Consent, ConsentCollection, ConsentProof, Place, TokenKind};
    use domain::tcf::Answers;
    use domain::user_agent;
    use serde_json::Value;
    use service::access::Need;
    use service::clock::Timestamp;
    use service::consents::{ListQuery, Listing, Span};
    use service::db::page::Page;
    use service::publish::PublicationKey;
    use service::render::{PreviewOptions, ScreenText};
    use uuid::Uuid;

    use super::{
        Asked, Choice, ConsentPage, ConsentRow, Filter, Origin, Proof, Screen, TcfFit, TcfString,
        Totals,
    };
    use crate::error::UiError;
    use crate::fns::documents::server::{TITLE, choices, title_of, titles};
    use crate::fns::server::{actor, id, may, placet, refuse};
    use crate::map;
    use service::Error;

    const PER_PAGE: u32 = 25;

    /// Milliseconds of a time as the API writes it.
    pub fn millis(time: &str) -> i64 {
        Timestamp::parse(time)
            .map(Timestamp::millis)
            .unwrap_or_default()
    }

    pub async fn list(project: &str, filter: Filter) -> Result<ConsentPage, UiError> {
        let project = id(project)?;
        let query = query(&filter)?;
        let Listing::Page(page) = found(project, query).await? else {
            return Err(refuse(Error::internal("a page was asked for")));
        };
        let any = page.total > 0 || !filter.is_empty() && latest(project).await?.is_some();
        let names = names(page.items.iter().filter_map(asked_by).collect()).await?;
        let items = page.items.iter().map(|consent| row(&names, consent));
        Ok(ConsentPage {
            items: items.collect(),
            total: page.total,
            page: page.page.number,
            per_page: page.page.size,
            starts: starts(placet()?.config.clock.now()),
            any,
            asked: asked(project).await?,
        })
    }

    pub async fn totals(project: &str, filter: &Filter) -> Result<Totals, UiError> {
        let (project, query) = (id(project)?, query(filter)?);
        let consents = &placet()?.consents;
        let totals = consents.totals(actor()?, project, &query);
        let totals = totals.await.map_err(refuse)?;
        Ok(Totals {
            accepted: totals.accepted,
            partial: totals.partial,
            refused: totals.refused,
        })
    }

    fn query(filter: &Filter) -> Result<ListQuery, UiError> {
        Ok(ListQuery {
            page: Page::new(Some(filter.page), Some(PER_PAGE)),
            span: Span {
                start: narrowed(&filter.from, Timestamp::parse)?,
                end: narrowed(&filter.to, Timestamp::parse_end)?,
            },
            token: narrowed(&filter.token, |token| Some(token.to_owned()))?,
            identifier: narrowed(&filter.identifier, |id| Uuid::parse_str(id).ok())?,
            outcome: narrowed(&filter.outcome, Outcome::parse)?,
            ascending: filter.oldest,
            ..ListQuery::default()
        })
    }

    /// A part of the filter; `None` if it is empty. One that cannot be read is refused: without it, the list would hold
    /// what nobody asked for.
    fn narrowed<T>(text: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, UiError> {
        if text.is_empty() {
            return Ok(None);
        }
        let found = read(text).map(Some);
        found.ok_or_else(|| {
            refuse(Error::BadRequest(format!(
                "The filter {text:?} is unknown."
            )))
        })
    }

    fn row(names: &HashMap<Uuid, String>, consent: &Consent) -> ConsentRow {
        ConsentRow {
            id: consent.consent_id.clone(),
            token: consent.token.clone(),
            name: name_of(names, consent),
            outcome: consent.outcome,
            decided_at: millis(&consent.decided_at),
            page_host: consent.page_host.clone(),
            origin: origin(consent),
            unsigned: consent.token_kind == Some(TokenKind::Unsigned),
            erased: consent.erased_at.is_some(),
        }
    }

    fn starts(now: Timestamp) -> [String; 3] {
        [0, 6, 29].map(|days| now.plus_days(-days).date())
    }

    fn origin(consent: &Consent) -> Origin {
        let user_agent = consent.user_agent.as_deref().unwrap_or_default();
        Origin {
            country: consent.country.clone(),
            device: user_agent::device(user_agent),
            browser: user_agent::browser(user_agent).map(str::to_owned),
        }
    }

    /// The consent that was decided last.
    pub async fn latest(project: Uuid) -> Result<Option<Consent>, UiError> {
        first(project, ListQuery::default()).await
    }

    /// The consents that were decided last, newest first, without names of configurations: pages ask often.
    pub async fn newest(project: Uuid) -> Result<Vec<ConsentRow>, UiError> {
        const SHOWN: u32 = 5;
        let found = some(project, ListQuery::default(), SHOWN).await?;
        let unnamed = HashMap::new();
        Ok(found.items().iter().map(|one| row(&unnamed, one)).collect())
    }

    async fn first(project: Uuid, query: ListQuery) -> Result<Option<Consent>, UiError> {
        Ok(some(project, query, 1).await?.items().first().cloned())
    }

    async fn some(project: Uuid, query: ListQuery, count: u32) -> Result<Listing, UiError> {
        let query = ListQuery {
            page: Page::new(Some(1), Some(count)),
            ..query
        };
        found(project, query).await
    }

    async fn found(project: Uuid, query: ListQuery) -> Result<Listing, UiError> {
        placet()?
            .consents
            .list(actor()?, project, query)
            .await
            .map_err(refuse)
    }

    /// The configurations and boxes that ask visitors of the project, to choose from.
    async fn asked(project: Uuid) -> Result<Vec<Asked>, UiError> {
        let mut asked = Vec::new();
        for collection in ConsentCollection::ALL {
            let some = choices(project, collection.into(), &TITLE).await?;
            asked.extend(some.iter().map(|document| Asked {
                id: document.id.to_string(),
                name: title_of(document),
            }));
        }
        Ok(asked)
    }

    /// The titles of configurations and boxes, by their ids.
    pub async fn names(ids: BTreeSet<Uuid>) -> Result<HashMap<Uuid, String>, UiError> {
        let mut names = HashMap::new();
        for collection in ConsentCollection::ALL {
            names.extend(titles(collection.into(), ids.clone()).await?);
        }
        Ok(names)
    }

    /// The id of the configuration or box that asked for a consent.
    fn asked_by(consent: &Consent) -> Option<Uuid> {
        Uuid::parse_str(&consent.identifier).ok()
    }

    fn name_of(names: &HashMap<Uuid, String>, consent: &Consent) -> String {
        let config = consent.preferences.config.as_ref();
        asked_by(consent)
            .and_then(|id| names.get(&id).cloned())
            .or_else(|| config.and_then(|config| config.name.clone()))
            .unwrap_or_else(|| consent.identifier.clone())
    }

    async fn read(project: Uuid, consent: &str) -> Result<ConsentProof, UiError> {
        placet()?
            .consents
            .read(actor()?, project, id(consent)?)
            .await
            .map_err(refuse)
    }

    pub async fn one(project: &str, consent: &str) -> Result<Proof, UiError> {
        let project = id(project)?;
        let ConsentProof {
            consent,
            shown,
            tcf,
        } = read(project, consent).await?;
        let names = names(asked_by(&consent).into_iter().collect()).await?;
        let titles = shown
            .as_ref()
            .map(|shown| titles_of(&shown.manifest))
            .unwrap_or_default();
        let screens = match (&shown, asked_by(&consent)) {
            (Some(shown), Some(configuration)) => {
                let key = PublicationKey {
                    project,
                    configuration,
                    publication: &shown.publication,
                };
                screens(key, &shown.manifest).await?
            }
            _ => Vec::new(),
        };
        let base = &placet()?.config.base_url;
        let address = format!(
            "{base}{}",
            map::Page::Proof.at(&[&project, &consent.consent_id])
        );
        let choices = consent
            .preferences
            .vendors
            .iter()
            .map(|(name, accepted)| Choice {
                name: name.clone(),
                title: titles.get(name).unwrap_or(name).clone(),
                accepted: *accepted,
            })
            .collect();
        let same = ListQuery {
            token: Some(consent.token.clone()),
            identifier: Uuid::parse_str(&consent.identifier).ok(),
            ..ListQuery::default()
        };
        let newest = match consent.erased_at {
            None => first(project, same).await?,
            Some(_) => None,
        };
        let seen_from = origin(&consent);
        let can_erase = consent.erased_at.is_none() && may(project, Need::ERASE_CONSENTS).await?;
        let language = consent
            .preferences
            .config
            .as_ref()
            .and_then(|config| config.language.clone());
        Ok(Proof {
            name: name_of(&names, &consent),
            language: language.unwrap_or_default(),
            choices,
            decided_at: millis(&consent.decided_at),
            received_at: millis(&consent.received_at),
            published_at: shown.map(|shown| millis(&shown.published_at)),
            closed: consent.preferences.action == Some(Action::Close),
            replaced: newest.is_some_and(|newest| newest.consent_id != consent.consent_id),
            tcf: consent.preferences.tc_string.clone().map(|text| TcfString {
                text,
                fit: match (tcf.tcf_verified, tcf.tcf_reason) {
                    (None, _) => TcfFit::Kept,
                    (_, None) => TcfFit::Fits,
                    (_, Some(unfit)) => TcfFit::Unfit(unfit),
                },
            }),
            raw: serde_json::to_string_pretty(&consent.preferences).unwrap_or_default(),
            id: consent.consent_id,
            token: consent.token,
            token_kind: consent.token_kind,
            collection: consent.collection.into(),
            identifier: consent.identifier,
            accept: consent.accept,
            outcome: consent.outcome,
            value: consent.value,
            publication: consent.publication,
            publication_verified: consent.publication_verified,
            page_host: consent.page_host,
            origin: seen_from,
            ip: consent.ip,
            user_agent: consent.user_agent,
            imported: consent.imported,
            erased_at: consent.erased_at.as_deref().map(millis),
            can_erase,
            screens,
            address,
        })
    }

    pub async fn place(project: &str, consent: &str) -> Result<Place, UiError> {
        let (project, consent) = (id(project)?, id(consent)?);
        let consents = &placet()?.consents;
        let place = consents.place(actor()?, project, consent).await;
        place.map_err(refuse)
    }

    pub async fn tcf_answers(project: &str, consent: &str) -> Result<Option<Answers>, UiError> {
        let (project, consent) = (id(project)?, id(consent)?);
        let consents = &placet()?.consents;
        match consents.tcf_answers(actor()?, project, consent).await {
            Ok(answers) => Ok(Some(answers)),
            Err(Error::NotFound) => Ok(None),
            Err(error) => Err(refuse(error)),
        }
    }

    pub async fn may_import(project: &str) -> Result<bool, UiError> {
        match placet()?.consents.may_import(actor()?, id(project)?).await {
            Ok(()) => Ok(true),
            Err(Error::Forbidden { .. }) => Ok(false),
            Err(error) => Err(refuse(error)),
        }
    }

    pub async fn erase(project: &str, token: &str) -> Result<(), UiError> {
        placet()?
            .consents
            .erase(actor()?, id(project)?, token)
            .await
            .map(drop)
            .map_err(refuse)
    }

    /// Titles of the services that were shown, by name.
    fn titles_of(manifest: &Value) -> BTreeMap<String, String> {
        let steps = manifest
            .pointer("/configuration/steps")
            .and_then(Value::as_array);
        steps
            .into_iter()
            .flatten()
            .filter_map(|step| step.get("vendors")?.as_array())
            .flatten()
            .filter_map(|vendor| {
                let text = |key: &str| vendor.get(key).and_then(Value::as_str).map(str::to_owned);
                Some((text("name")?, text("title")?))
            })
            .collect()
    }

    /// The screens of a widget as they were drawn, or the box alone.
    pub async fn screens(
        key: PublicationKey<'_>,
        manifest: &Value,
    ) -> Result<Vec<Screen>, UiError> {
        let Some(document) = manifest.get("document") else {
            let texts = placet()?.publish.screen_texts(actor()?, key).await;
            let screen = |told: ScreenText| Screen {
                title: told.title,
                text: told.lines.join("\n"),
            };
            return match texts {
                Ok(texts) => Ok(texts.into_iter().map(screen).collect()),
                // The rest of the page tells enough while the server has much to do.
                Err(Error::Busy) => Ok(Vec::new()),
                Err(error) => Err(refuse(error)),
            };
        };
        let text = |name: &str| {
            let text = document.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        Ok(vec![Screen {
            title: text("title"),
            text: without_tags(&text("message")),
        }])
    }

    /// Cleaned HTML as text, with a line for each paragraph and each entry of a list.
    fn without_tags(html: &str) -> String {
        let mut text = String::new();
        let mut rest = html;
        while let Some((before, behind)) = rest.split_once('<') {
            text.push_str(before);
            let (tag, behind) = behind.split_once('>').unwrap_or_default();
            if matches!(tag, "br" | "/p" | "/li") && !behind.is_empty() {
                text.push('\n');
            }
            rest = behind;
        }
        text.push_str(rest);
        let entities = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&nbsp;", "\u{a0}"),
            ("&amp;", "&"),
        ];
        entities
            .into_iter()
            .fold(text, |text, (entity, sign)| text.replace(entity, sign))
    }

    pub async fn seen(
        project: &str,
        consent: &str,
        nonce: String,
        dark: bool,
    ) -> Result<String, UiError> {
        let project = id(project)?;
        let ConsentProof { consent, shown, .. } = read(project, consent).await?;
        let (Some(shown), Ok(configuration)) = (shown, Uuid::parse_str(&consent.identifier)) else {
            return Err(refuse(Error::NotFound));
        };
        let key = PublicationKey {
            project,
            configuration,
            publication: &shown.publication,
        };
        let options = PreviewOptions {
            dark,
            nonce: &nonce,
            ..PreviewOptions::default()
        };
        placet()?
            .publish
            .show_again(actor()?, key, &options)
            .await
            .map_err(refuse)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn html_on_paper_is_text() {
            let html =
                "<p>You <b>may</b> refuse.</p><ul><li>a &amp;lt; b</li><li>c</li></ul>d<br>e";
            assert_eq!(without_tags(html), "You may refuse.\na &lt; b\nc\nd\ne");
            assert_eq!(without_tags("a < b"), "a ");
        }
    }
}
