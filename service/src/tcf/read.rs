//! Reads the list in use: for members who choose from it, and for the operator who keeps it.

use std::{collections::BTreeMap, sync::Arc};

use domain::tcf::{Ids, List, ListedVendor, Text, Texts};
use serde::Serialize;
use utoipa::ToSchema;

use super::{ListFacts, ProviderList, Settings, Tcf, sources::ENGLISH, store};
use crate::{
    access::{self, Actor},
    clock::Timestamp,
    db::page::{Listed, Page},
    error::{Error, Result},
    search,
};

/// The Global Vendor List in use, without its vendors.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GlobalVendorList)]
pub struct ListTexts {
    /// Version.
    #[schema(example = 178)]
    pub version: u16,
    /// Version of the policies.
    #[schema(example = 5)]
    pub policy_version: u8,
    /// The time that the list names.
    #[schema(value_type = String, format = "date-time", example = "2026-11-19T16:00:27.000Z")]
    pub updated_at: Timestamp,
    /// True if a later list should be here by now.
    pub is_old: bool,
    /// Vendors that are not deleted.
    #[schema(example = 1214)]
    pub vendors: usize,
    /// Language of the texts: the asked one, or `en` where the list is not translated.
    #[schema(example = "fr")]
    pub language: String,
    /// Languages with an official translation on this server, and `en`.
    #[schema(example = json!(["en", "fr"]))]
    pub languages: Vec<String>,
    /// Purposes.
    pub purposes: Vec<ListEntry>,
    /// Special purposes.
    pub special_purposes: Vec<ListEntry>,
    /// Features.
    pub features: Vec<ListEntry>,
    /// Special features.
    pub special_features: Vec<ListEntry>,
    /// Categories of data.
    pub data_categories: Vec<ListEntry>,
    /// Stacks.
    pub stacks: Vec<ListStack>,
}

/// An entry of the list in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = GlobalVendorListEntry)]
pub struct ListEntry {
    /// Its id.
    #[schema(example = 1)]
    pub id: u16,
    /// Name.
    #[schema(example = "Store and/or access information on a device")]
    pub name: String,
    /// Description.
    #[schema(example = "Cookies, device or similar online identifiers …")]
    pub description: String,
    /// Examples.
    #[schema(example = json!(["Most purposes explained in this notice rely on …"]))]
    pub illustrations: Vec<String>,
}

/// A stack: one name for several purposes and special features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GlobalVendorListStack)]
pub struct ListStack {
    /// Its id.
    #[schema(example = 2)]
    pub id: u16,
    /// Name.
    #[schema(example = "Advertising based on limited data and advertising measurement")]
    pub name: String,
    /// Description.
    #[schema(example = "Advertising can be presented based on limited data. …")]
    pub description: String,
    /// Purposes that it covers.
    #[schema(example = json!([2, 7]))]
    pub purposes: Vec<u16>,
    /// Special features that it covers.
    #[schema(example = json!([]))]
    pub special_features: Vec<u16>,
}

/// A vendor of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GlobalVendorListVendor)]
pub struct ListVendor {
    /// Its id.
    #[schema(example = 755)]
    pub id: u16,
    /// Name.
    #[schema(example = "Example Advertising Ltd")]
    pub name: String,
    /// Purposes for which it asks consent.
    #[schema(example = json!([1, 3, 4]))]
    pub purposes: Vec<u16>,
    /// Purposes in which it claims a legitimate interest.
    #[schema(example = json!([2, 7]))]
    pub leg_int_purposes: Vec<u16>,
    /// Purposes of both kinds whose legal basis a restriction may change.
    #[schema(example = json!([2]))]
    pub flexible_purposes: Vec<u16>,
    /// Special purposes.
    #[schema(example = json!([1, 2]))]
    pub special_purposes: Vec<u16>,
    /// Features.
    #[schema(example = json!([3]))]
    pub features: Vec<u16>,
    /// Special features.
    #[schema(example = json!([1]))]
    pub special_features: Vec<u16>,
    /// Categories of data.
    #[schema(example = json!([1, 8]))]
    pub data_categories: Vec<u16>,
    /// Its privacy policy in the language, else in English, else in any.
    #[schema(example = "https://ads.example/privacy")]
    pub policy_url: Option<String>,
}

/// Conditions on vendors of the list; a vendor meets all.
#[derive(Clone, Debug, Default)]
pub struct VendorQuery {
    /// The page.
    pub page: Page,
    /// Words, each of which its name has; an id by itself.
    pub text: String,
    /// A purpose that it declares, with either basis.
    pub purpose: Option<u16>,
    /// A purpose in which it is flexible.
    pub flexible: Option<u16>,
    /// Ids among which it is; any when absent.
    pub among: Option<Ids>,
    /// Language of its address.
    pub language: String,
}

/// The operator's view of the list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OperatorVendorList)]
pub struct OperatorsList {
    /// The list in use; null before the first import.
    pub list: Option<ImportedList>,
    /// Languages of the translations.
    #[schema(example = json!(["de", "fr"]))]
    pub languages: Vec<String>,
    /// Google's providers of Additional Consent; null before the first import of their list.
    pub providers: Option<ProviderList>,
    /// Number of the consent management platform that configurations are published by; null without one.
    #[schema(example = 31)]
    pub cmp_id: Option<u16>,
    /// True if the number is for tests.
    pub is_test: bool,
    /// The files that this server fetches: the list, and the translations and the list of providers in use. Empty if
    /// it fetches nothing.
    pub fetches: Vec<ListFetch>,
}

/// A file that this server fetches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OperatorVendorListFetch)]
pub struct ListFetch {
    /// Its address.
    #[schema(example = "https://vendor-list.consensu.org/v3/vendor-list.json")]
    pub url: String,
    /// The last attempt that brought the file, or found it unchanged.
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-11-19T16:12:04.120Z")]
    pub fetched_at: Option<Timestamp>,
    /// The last attempt.
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-11-26T16:12:08.051Z")]
    pub tried_at: Option<Timestamp>,
    /// The reason for which the last attempt failed; null if it did not.
    #[schema(example = "the server answers 503")]
    pub failure: Option<String>,
    /// The next attempt, which may come a few minutes later; null if it is due.
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-11-26T17:12:08.051Z")]
    pub next_at: Option<Timestamp>,
}

/// A list that was imported.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedList {
    /// Version.
    #[schema(example = 178)]
    pub version: u16,
    /// Version of the policies.
    #[schema(example = 5)]
    pub policy_version: u8,
    /// The time that the list names.
    #[schema(value_type = String, format = "date-time", example = "2026-11-19T16:00:27.000Z")]
    pub updated_at: Timestamp,
    /// The time at which this server got it.
    #[schema(value_type = String, format = "date-time", example = "2026-11-20T09:12:00.000Z")]
    pub imported_at: Timestamp,
    /// True if a later list should be here by now.
    pub is_old: bool,
    /// Its origin: the name of a file, or an address.
    #[schema(example = "vendor-list.json")]
    pub source: String,
    /// SHA-256 of its bytes. The list is not signed.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub sha256: String,
    /// Vendors that are not deleted.
    #[schema(example = 1214)]
    pub vendors: usize,
}

impl Tcf {
    /// The list in use, in a language. Every signed-in caller may read it: the list is public.
    pub async fn read_list(&self, _: Actor, language: &str) -> Result<ListTexts> {
        let facts = store::current(&self.db).await?.ok_or(Error::NotFound)?;
        let list = self.list(&facts.sha256).await?;
        let translation = self.translation(language).await?;
        let translated = translation.map(|texts| texts.or(&list.texts));
        let (texts, language) = match &translated {
            Some(texts) => (texts, language),
            None => (&list.texts, ENGLISH),
        };
        let mut languages = vec![ENGLISH.to_owned()];
        let translations = store::languages(&self.db).await?;
        languages.extend(translations.into_iter().filter(|other| other != ENGLISH));
        Ok(ListTexts {
            version: facts.version,
            policy_version: facts.policy,
            updated_at: facts.updated_at,
            is_old: facts.is_old(self.clock.now()),
            vendors: list.vendors_on(self.today()).count(),
            language: language.to_owned(),
            languages,
            purposes: entries(&texts.purposes),
            special_purposes: entries(&texts.special_purposes),
            features: entries(&texts.features),
            special_features: entries(&texts.special_features),
            data_categories: entries(&texts.data_categories),
            stacks: stacks(&list, texts),
        })
    }

    /// A page of vendors of the list in use, by name. Every signed-in caller may read them.
    pub async fn vendors(&self, _: Actor, query: &VendorQuery) -> Result<Listed<ListVendor>> {
        search::check(&query.text, 0)?;
        let facts = store::current(&self.db).await?.ok_or(Error::NotFound)?;
        let list = self.list(&facts.sha256).await?;
        let words: Vec<String> = query
            .text
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let mut found: Vec<(String, u16, &ListedVendor)> = list
            .vendors_on(self.today())
            .map(|(id, vendor)| (vendor.name.to_lowercase(), id, vendor))
            .filter(|(name, id, vendor)| query.is_met(&words, name, *id, vendor))
            .collect();
        found.sort_unstable_by(|(one, a, _), (other, b, _)| (one, a).cmp(&(other, b)));
        let skipped = usize::try_from(query.page.offset()).unwrap_or(usize::MAX);
        Ok(Listed {
            total: found.len() as u64,
            items: found
                .into_iter()
                .skip(skipped)
                .take(query.page.size as usize)
                .map(|(_, id, vendor)| listed(id, vendor, &query.language))
                .collect(),
            page: query.page,
        })
    }

    /// The list in use with its origin, for the operator.
    pub async fn operators_list(&self, actor: Actor) -> Result<OperatorsList> {
        access::operator(&self.db, actor, &self.operators).await?;
        let Settings { cmp_id, is_test } = self.settings;
        let list = match store::current(&self.db).await? {
            Some(facts) => Some(self.imported(facts).await?),
            None => None,
        };
        Ok(OperatorsList {
            list,
            languages: store::languages(&self.db).await?,
            providers: store::providers(&self.db).await?,
            cmp_id,
            is_test,
            fetches: self.fetches().await?,
        })
    }

    async fn fetches(&self) -> Result<Vec<ListFetch>> {
        let now = self.clock.now();
        let wanted = self.wanted().await?.into_iter();
        let fetches = wanted.map(|(_, file)| ListFetch {
            next_at: (!file.is_due(now)).then(|| file.due()),
            url: file.url,
            fetched_at: file.fetched_at,
            tried_at: file.tried_at,
            failure: file.failure,
        });
        Ok(fetches.collect())
    }

    async fn imported(&self, facts: ListFacts) -> Result<ImportedList> {
        let list = self.list(&facts.sha256).await?;
        Ok(ImportedList {
            version: facts.version,
            policy_version: facts.policy,
            updated_at: facts.updated_at,
            imported_at: facts.fetched_at,
            is_old: facts.is_old(self.clock.now()),
            source: facts.source,
            sha256: facts.sha256,
            vendors: list.vendors_on(self.today()).count(),
        })
    }

    async fn translation(&self, language: &str) -> Result<Option<Arc<Texts>>> {
        match store::texts(&self.db, language).await? {
            Some(sha256) => self.texts(&sha256).await.map(Some),
            None => Ok(None),
        }
    }
}

impl VendorQuery {
    fn is_met(&self, words: &[String], name: &str, id: u16, vendor: &ListedVendor) -> bool {
        let declares =
            |purpose| vendor.purposes.contains(purpose) || vendor.interests.contains(purpose);
        self.among.as_ref().is_none_or(|ids| ids.contains(id))
            && self.purpose.is_none_or(declares)
            && self
                .flexible
                .is_none_or(|purpose| vendor.flexible.contains(purpose))
            && words
                .iter()
                .all(|word| name.contains(word) || *word == id.to_string())
    }
}

fn entries(texts: &BTreeMap<u16, Text>) -> Vec<ListEntry> {
    let entries = texts.iter().map(|(id, text)| ListEntry {
        id: *id,
        name: text.name.clone(),
        description: text.description.clone(),
        illustrations: text.illustrations.clone(),
    });
    entries.collect()
}

fn stacks(list: &List, texts: &Texts) -> Vec<ListStack> {
    let stacks = list.stacks.iter().filter_map(|(id, parts)| {
        let text = texts.stacks.get(id)?;
        Some(ListStack {
            id: *id,
            name: text.name.clone(),
            description: text.description.clone(),
            purposes: parts.purposes.iter().collect(),
            special_features: parts.special_features.iter().collect(),
        })
    });
    stacks.collect()
}

fn listed(id: u16, vendor: &ListedVendor, language: &str) -> ListVendor {
    let ids = |ids: &Ids| ids.iter().collect();
    ListVendor {
        id,
        name: vendor.name.clone(),
        purposes: ids(&vendor.purposes),
        leg_int_purposes: ids(&vendor.interests),
        flexible_purposes: ids(&vendor.flexible),
        special_purposes: ids(&vendor.special_purposes),
        features: ids(&vendor.features),
        special_features: ids(&vendor.special_features),
        data_categories: ids(&vendor.data_categories),
        policy_url: vendor.policy_url(language),
    }
}
