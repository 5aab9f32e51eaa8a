//! The sources of a publish's plans: the list, its translations, the list of providers and the platform's number, all
//! as they are at one moment.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use domain::{
    documents::CookieConfiguration,
    error_code::ErrorCode,
    fairness::Concern,
    field_error::{FieldError, MOST_ERRORS},
    tcf::{Asked, List, Notice, Order, Plan, Provider, Texts},
};
use serde::{Deserialize, Serialize};

use super::{Edition, Tcf, store};
use crate::error::Result;

/// Version of the consent management platform in TC strings. It is raised when the layers, or how the platform answers,
/// change for visitors or vendors ("The Core String": CmpVersion). A test asks at each change of their sources.
const CMP_VERSION: u16 = 5;
/// Language of the list itself.
pub(super) const ENGLISH: &str = "en";
/// Stands for the platform's number in drafts on servers without one.
const ANY_CMP: u16 = 2;

/// The reason for which no configuration with the layout `iab` can be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unready {
    /// The operator has named no consent management platform.
    NoCmpId,
    /// No list was imported.
    NoList,
    /// The server has not fetched a list yet.
    NotFetched,
}

impl Unready {
    /// The reason in a sentence.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::NoCmpId => {
                "the layout iab needs a registered consent management platform: the operator of this server names it \
                 with --tcf-cmp-id"
            }
            Self::NoList => {
                "the layout iab needs the Global Vendor List: the operator of this server imports it with \
                 `placet gvl import`"
            }
            Self::NotFetched => {
                "the layout iab needs the Global Vendor List: this server fetches it, and `placet gvl status` tells \
                 its operator how that went"
            }
        }
    }
}

/// The decisions of a publish about TCF. Its job keeps them, so that each attempt makes the same files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decided {
    cmp_id: u16,
    is_test: bool,
    /// SHA-256 of the list.
    list: String,
    /// SHA-256 of the translations, by language.
    texts: BTreeMap<String, String>,
    /// SHA-256 of the list of providers; `None` where no configuration names one.
    #[serde(default)]
    providers: Option<String>,
    /// The day, in days since 1970.
    today: u32,
    /// Number of orders to ask visitors again; jobs of before know none.
    #[serde(default)]
    orders: u32,
    /// True if live configurations follow a new list; jobs of before did so strictly.
    #[serde(default)]
    follows_list: bool,
    /// Rounds of asking and what was asked, by configuration.
    pub(crate) asked: BTreeMap<String, Round>,
}

/// A round of asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Round {
    /// Its number. Visitors who have answered in an earlier round are asked again.
    pub round: u32,
    /// Its questions.
    pub asked: Asked,
}

/// Something that the owner of a configuration should know of its plan.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    /// The configuration's identifier.
    pub configuration: String,
    /// JSON Pointer of the field.
    pub pointer: String,
    /// The concern.
    pub concern: Concern,
}

/// Pointer of a restriction that forbids more than it says.
fn tightened(notice: &Notice) -> Option<String> {
    match notice {
        Notice::RuleTightened { rule, .. } => Some(format!("/tcf/restrictions/{rule}")),
        _ => None,
    }
}

/// The files that configurations with the layout `iab` need beside the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    languages: BTreeSet<String>,
    providers: bool,
}

impl Needs {
    /// Adds those of a configuration, in these languages.
    pub(crate) fn add(
        &mut self,
        configuration: &CookieConfiguration,
        languages: impl IntoIterator<Item = String>,
    ) {
        self.languages.extend(languages);
        self.providers |= configuration.names_providers();
    }

    /// True without a configuration.
    pub(crate) fn is_empty(&self) -> bool {
        self.languages.is_empty()
    }
}

/// The reasons why files are absent that this server fetches.
#[derive(Clone, Default)]
struct Absent {
    /// Translations, by language.
    texts: BTreeMap<String, &'static str>,
    providers: Option<&'static str>,
    /// True if the list is so old that a later one must have been published.
    later_list: bool,
}

/// Everything that plans are made of.
#[derive(Clone)]
pub(crate) struct Sources {
    decided: Decided,
    list: Arc<List>,
    list_bytes: Bytes,
    texts: BTreeMap<String, Arc<Texts>>,
    providers: Option<Arc<Vec<Provider>>>,
    absent: Absent,
}

impl Tcf {
    /// The sources of configurations with these needs, as they are now. `own_cmp` is the project's own consent
    /// management platform.
    pub(crate) async fn sources(
        &self,
        own_cmp: Option<u16>,
        needs: &Needs,
    ) -> Result<std::result::Result<Sources, Unready>> {
        let Some(cmp_id) = own_cmp.or(self.settings.cmp_id) else {
            return Ok(Err(Unready::NoCmpId));
        };
        let is_test = self.settings.is_test && own_cmp.is_none();
        match self.decided(cmp_id, is_test, needs).await? {
            Ok((decided, absent)) => {
                let sources = self.recall(decided).await?;
                Ok(Ok(Sources { absent, ..sources }))
            }
            Err(unready) => Ok(Err(unready)),
        }
    }

    /// The same for drafts that people look at and nobody publishes. They need no platform, and no bytes of the
    /// list.
    pub(crate) async fn sources_of_draft(
        &self,
        needs: &Needs,
    ) -> Result<std::result::Result<Sources, Unready>> {
        let cmp_id = self.settings.cmp_id.unwrap_or(ANY_CMP);
        match self.decided(cmp_id, true, needs).await? {
            Ok((decided, absent)) => {
                let sources = self.remembered(decided, Bytes::new()).await?;
                Ok(Ok(Sources { absent, ..sources }))
            }
            Err(unready) => Ok(Err(unready)),
        }
    }

    /// A decision of now, and the reasons why files are absent.
    async fn decided(
        &self,
        cmp_id: u16,
        is_test: bool,
        needs: &Needs,
    ) -> Result<std::result::Result<(Decided, Absent), Unready>> {
        let Some(list) = store::current(&self.db).await? else {
            let fetches = self.origins.list.is_some();
            return Ok(Err(if fetches {
                Unready::NotFetched
            } else {
                Unready::NoList
            }));
        };
        let mut texts = BTreeMap::new();
        let mut absent = Absent {
            later_list: list.is_old(self.clock.now()),
            ..Absent::default()
        };
        for language in &needs.languages {
            if let Some(sha256) = store::texts(&self.db, language).await? {
                texts.insert(language.clone(), sha256);
            } else if language != ENGLISH
                && let Some(why) = self.wish(language).await?
            {
                // The list itself has the English texts.
                absent.texts.insert(language.clone(), why);
            }
        }
        let mut providers = None;
        if needs.providers {
            providers = store::providers(&self.db).await?.map(|list| list.sha256);
            if providers.is_none() {
                absent.providers = self.wish_for_providers().await?;
            }
        }
        let decided = Decided {
            cmp_id,
            is_test,
            list: list.sha256,
            texts,
            providers,
            today: self.today(),
            orders: store::orders(&self.db).await?,
            follows_list: false,
            asked: BTreeMap::new(),
        };
        Ok(Ok((decided, absent)))
    }

    /// The sources of an earlier decision.
    pub(crate) async fn recall(&self, decided: Decided) -> Result<Sources> {
        let list_bytes = self.list_bytes(&decided.list).await?;
        self.remembered(decided, list_bytes).await
    }

    async fn remembered(&self, decided: Decided, list_bytes: Bytes) -> Result<Sources> {
        let list = self.list(&decided.list).await?;
        let mut texts = BTreeMap::new();
        for (language, sha256) in &decided.texts {
            texts.insert(language.clone(), self.texts(sha256).await?);
        }
        let providers = match &decided.providers {
            Some(sha256) => Some(self.provider_list(sha256).await?),
            None => None,
        };
        Ok(Sources {
            decided,
            list,
            list_bytes,
            texts,
            providers,
            absent: Absent::default(),
        })
    }
}

impl Sources {
    /// The plan of a configuration with the layout `iab`, or what keeps it from being published: [`MOST_ERRORS`] things
    /// at most.
    pub(crate) fn plan(
        &self,
        configuration: &CookieConfiguration,
    ) -> std::result::Result<Plan, Vec<FieldError>> {
        let language = configuration.language.as_str();
        let translation = self.texts.get(language);
        let mut errors = Vec::new();
        if translation.is_none() && language != ENGLISH {
            let import =
                format!("the operator imports purposes-{language}.json with `placet gvl import`");
            let remedy = self.absent.texts.get(language).copied().unwrap_or(&import);
            let detail = format!(
                "The Global Vendor List has no official translation for “{language}” on this server; {remedy}."
            );
            errors.push(FieldError::new("/language", ErrorCode::BuildFailed, detail));
        }
        if configuration.names_providers() && self.providers.is_none() {
            let import = "the operator imports it with `placet gvl import`";
            let remedy = self.absent.providers.unwrap_or(import);
            let detail = format!("This server has no list of Google's providers; {remedy}.");
            let pointer = "/tcf/additionalConsent";
            errors.push(FieldError::new(pointer, ErrorCode::BuildFailed, detail));
        }
        let absent = domain::documents::Tcf::default();
        let plan = Plan::new(Order {
            list: &self.list,
            translation: translation.map(AsRef::as_ref),
            language,
            tcf: configuration.tcf.as_ref().unwrap_or(&absent),
            providers: self.providers.as_ref().map_or(&[], |list| list.as_slice()),
            today: self.decided.today,
            cmp_id: self.decided.cmp_id,
            cmp_version: CMP_VERSION,
            follows_list: self.decided.follows_list,
        });
        match plan {
            Ok(plan) if errors.is_empty() => Ok(plan),
            Ok(_) => Err(errors),
            Err(more) => {
                errors.extend(more);
                errors.truncate(MOST_ERRORS);
                Err(errors)
            }
        }
    }

    /// The same sources for live configurations that follow a new list, where `follows`.
    pub(crate) fn following(mut self, follows: bool) -> Self {
        self.decided.follows_list = follows;
        self
    }

    /// The decision, with the rounds that follow those of `live`, and what its owners should know. `earlier` has the
    /// last rounds of configurations that are not live.
    pub(crate) fn decide(
        mut self,
        configurations: &[CookieConfiguration],
        live: Option<&Decided>,
        earlier: &BTreeMap<String, u32>,
    ) -> std::result::Result<(Decided, Vec<Remark>), Vec<FieldError>> {
        let mut remarks = Vec::new();
        for configuration in configurations.iter().filter(|one| one.asks_by_tcf()) {
            let plan = self.plan(configuration)?;
            let id = &configuration.identifier;
            let mut remark = |concern, pointer| {
                remarks.push(Remark {
                    configuration: id.clone(),
                    pointer,
                    concern,
                });
            };
            for pointer in plan.notices.iter().filter_map(tightened) {
                remark(Concern::RestrictionTightened, pointer);
            }
            // A job that follows a list has nobody to tell.
            if self.absent.later_list && !self.decided.follows_list {
                remark(Concern::OldVendorList, "/tcf".to_owned());
            }
            let before = live.and_then(|live| Some((live, live.asked.get(id)?)));
            let round = match (before, earlier.get(id)) {
                (Some((live, before)), _) => {
                    let ordered = self.decided.orders.saturating_sub(live.orders);
                    before.round + u32::from(plan.asks_more_than(&before.asked)) + ordered
                }
                // Nobody knows what its visitors were asked, so all of them are asked again.
                (None, Some(round)) => round + 1,
                (None, None) => 0,
            };
            let round = round.max(self.decided.orders);
            self.decided.asked.insert(
                id.clone(),
                Round {
                    round,
                    asked: plan.asked,
                },
            );
        }
        Ok((self.decided, remarks))
    }

    /// The texts of a language: their text, and the hash of the list or translation that they come from.
    pub(crate) fn texts(&self, language: &str) -> (Texts, &str) {
        match (self.texts.get(language), self.decided.texts.get(language)) {
            (Some(texts), Some(sha256)) => (texts.or(&self.list.texts), sha256),
            _ => (self.list.texts.clone(), &self.decided.list),
        }
    }

    /// The list as it was imported, and its hash.
    pub(crate) fn list(&self) -> (&Bytes, &str) {
        (&self.list_bytes, &self.decided.list)
    }

    /// The hash of the list of providers, where a configuration names some.
    pub(crate) fn providers(&self) -> Option<&str> {
        self.decided.providers.as_deref()
    }

    /// Round of a configuration.
    pub(crate) fn round(&self, configuration: &CookieConfiguration) -> u32 {
        let asked = self.decided.asked.get(&configuration.identifier);
        asked.map_or(0, |asked| asked.round)
    }

    /// The platform.
    pub(crate) fn cmp_id(&self) -> u16 {
        self.decided.cmp_id
    }
}

impl Decided {
    /// The state that it followed.
    pub(crate) fn edition(&self) -> Edition {
        Edition {
            list: self.list.clone(),
            orders: self.orders,
            providers: self.providers.clone(),
        }
    }

    /// True if the platform's number is for tests.
    pub(crate) fn is_test(&self) -> bool {
        self.is_test
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        fs,
        path::{Path, PathBuf},
    };

    use sha2::{Digest, Sha256};

    /// SHA-256 of the sources of [`super::CMP_VERSION`].
    const SOURCES: &str = "2a1b9e3d736887382a030c7d7205f2c1502661835257fb561c8ad6e806ea5b4a";

    /// Beginnings of the names of files that make the layers, the strings and the interfaces, by their folders.
    const FILES: [(&str, &[&str]); 2] = [
        (
            "../sdk-wasm/js",
            &["codec", "frames", "gpp", "iab", "layers", "spans", "tcfapi"],
        ),
        ("templates/widget", &["iab"]),
    ];
    /// The sentences of the widget in each language. Those of the layers begin with `iab`.
    const WORDS: &str = "src/render/strings";

    fn files() -> Vec<PathBuf> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut found = Vec::new();
        for (folder, beginnings) in FILES {
            for entry in fs::read_dir(here.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy();
                if beginnings.iter().any(|one| name.starts_with(one)) {
                    found.push(path);
                }
            }
        }
        found.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
        found
    }

    #[test]
    fn the_version_of_the_platform_is_decided_anew_when_its_sources_change() {
        let files = files();
        assert!(files.len() >= 8, "{files:?}");
        let mut hasher = Sha256::new();
        for path in files {
            let name = path.file_name().unwrap().to_string_lossy();
            hasher.update(format!("{name}\n"));
            hasher.update(Sha256::digest(fs::read(&path).unwrap()));
        }
        for language in domain::language::LANGUAGES {
            let file = format!("{WORDS}/{}.json", language.code);
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
            let words: BTreeMap<String, String> =
                serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
            for (name, text) in words.iter().filter(|(name, _)| name.starts_with("iab")) {
                hasher.update(format!("{}\n{name}\n{text}\n", language.code));
            }
        }
        let now = hex::encode(hasher.finalize());
        assert_eq!(
            now, SOURCES,
            "raise CMP_VERSION if visitors or vendors notice the change, then put the first hash in SOURCES"
        );
    }
}
