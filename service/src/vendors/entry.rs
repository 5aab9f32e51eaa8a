//! Entries as callers see them.

use std::collections::BTreeMap;

use domain::documents::Cookie;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    facts::CompanyFacts,
    ids,
    query::Embed,
    sentences,
    store::{CompanyRow, Row},
};

/// An id, or the entry itself if `embed` asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Linked<T> {
    /// The id.
    Id(Uuid),
    /// The whole.
    Whole(T),
}

/// A service of the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = CatalogueVendor)]
pub struct Vendor {
    /// Names the vendor in a cookie configuration; the same in every installation.
    pub id: Uuid,
    /// `active`, `deprecated` (closed or gone) or `disabled` (no longer in the catalogue).
    #[schema(example = "active")]
    pub state: &'static str,
    /// The facts of the service.
    pub data: VendorData,
}

/// The facts of a service. Unknown ones are null.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CatalogueVendorData)]
pub struct VendorData {
    /// Stable unique name, the key of a choice.
    #[schema(example = "example-analytics")]
    pub name: String,
    /// Display name.
    #[schema(example = "Example Analytics")]
    pub title: String,
    /// One sentence.
    #[schema(example = "Counts visits.")]
    pub short_description: String,
    /// A paragraph.
    #[schema(example = "Example Analytics counts visits and shows which pages are read.")]
    pub long_description: String,
    /// Link to the product.
    #[schema(example = "https://analytics.example")]
    pub website: Option<String>,
    /// Link to the privacy policy.
    #[schema(example = "https://analytics.example/privacy")]
    pub policy_url: Option<String>,
    /// Purposes of the service, the main purpose first.
    pub categories: Vec<Linked<Category>>,
    /// The company that publishes it.
    pub company: Linked<Company>,
    /// True if it can be chosen.
    #[serde(rename = "__enable")]
    pub enable: bool,
    /// True if it is closed or gone.
    pub deprecated: bool,
    /// Hosts that it is known to use.
    #[schema(example = json!(["analytics.example"]))]
    pub domains: Vec<String>,
    /// Cookies that it is known to set.
    pub cookies: Vec<CookieFact>,
    /// Its id in the IAB's Global Vendor List.
    #[schema(example = 755)]
    pub tcf_vendor_id: Option<u32>,
    /// Language of the descriptions, ISO 639-1.
    #[schema(example = "en")]
    pub language: &'static str,
    /// Source and licence by field.
    #[schema(example = json!({"title": "third-party-web"}))]
    pub sources: BTreeMap<String, String>,
}

/// A cookie that a service is known to set.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CookieFact {
    /// Its name; `*` at the end stands for a part that differs.
    #[schema(example = "_ea_id")]
    pub name: String,
    /// Seconds that it lives; 0 until the browser closes, null where unknown.
    #[schema(example = 31_536_000)]
    pub max_age_seconds: Option<u64>,
    /// Source and licence.
    #[schema(example = "tarteaucitronjs")]
    pub source: Option<String>,
}

/// A category of services, by their purpose.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = CatalogueCategory)]
pub struct Category {
    /// The same in every installation.
    pub id: Uuid,
    /// Its words.
    pub data: CategoryData,
}

/// A category in words.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = CatalogueCategoryData)]
pub struct CategoryData {
    /// Stable unique name.
    #[schema(example = "analytics")]
    pub name: &'static str,
    /// Title of the category.
    #[schema(example = "Audience measurement")]
    pub title: &'static str,
    /// Description of its services.
    #[schema(example = "Counts visits and pages.")]
    pub description: &'static str,
}

impl Category {
    pub(super) fn new(name: &'static str, language: &str) -> Self {
        Self {
            id: ids::of_category(name),
            data: CategoryData {
                name,
                title: sentences::category_title(name, language),
                description: sentences::category_description(name, language),
            },
        }
    }
}

/// A company that publishes services.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = CatalogueCompany)]
pub struct Company {
    /// The same in every installation.
    pub id: Uuid,
    /// The facts of the company.
    pub data: CompanyData,
}

/// The facts of a company. Unknown ones are null.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CatalogueCompanyData)]
pub struct CompanyData {
    /// Name of the company.
    #[schema(example = "Example Analytics Ltd")]
    pub name: String,
    /// Its website.
    #[schema(example = "https://analytics.example")]
    pub website: Option<String>,
    /// Country of its seat, ISO 3166-1 alpha-2.
    #[schema(example = "IE")]
    pub country: Option<String>,
    /// Link to its privacy policy.
    #[schema(example = "https://analytics.example/privacy")]
    pub policy_url: Option<String>,
}

impl From<CompanyRow> for Company {
    fn from(row: CompanyRow) -> Self {
        let CompanyFacts {
            name,
            country,
            website,
            policy_url,
            from: _,
        } = row.data;
        Self {
            id: row.id,
            data: CompanyData {
                name,
                website,
                country,
                policy_url,
            },
        }
    }
}

impl Row {
    /// The entry as the API shows it.
    pub(super) fn into_vendor(
        self,
        language: &str,
        embed: Embed,
        companies: &BTreeMap<Uuid, Company>,
    ) -> Vendor {
        let facts = self.data;
        let language = sentences::language(language);
        let (short_description, long_description) = sentences::describe(&facts, language);
        let category = |name: &String| {
            let whole = embed
                .categories
                .then(|| sentences::categories().find(|own| own == name));
            match whole.flatten() {
                Some(name) => Linked::Whole(Category::new(name, language)),
                None => Linked::Id(ids::of_category(name)),
            }
        };
        let company = companies.get(&self.company_id);
        Vendor {
            id: self.id,
            state: match (self.enabled, self.deprecated) {
                (false, _) => "disabled",
                (true, true) => "deprecated",
                (true, false) => "active",
            },
            data: VendorData {
                categories: facts.categories.iter().map(category).collect(),
                company: company.map_or(Linked::Id(self.company_id), |company| {
                    Linked::Whole(company.clone())
                }),
                short_description,
                long_description,
                website: facts.website,
                policy_url: facts.policy_url,
                enable: self.enabled,
                deprecated: self.deprecated,
                domains: facts.domains,
                cookies: facts
                    .cookies
                    .into_iter()
                    .map(|cookie| CookieFact {
                        name: cookie.name,
                        max_age_seconds: cookie.max_age,
                        source: cookie.from,
                    })
                    .collect(),
                tcf_vendor_id: facts.tcf_vendor_id,
                language,
                sources: facts.from,
                name: facts.name,
                title: facts.title,
            },
        }
    }

    /// The entry as it is inlined in a published file.
    pub(super) fn published(
        &self,
        language: &str,
        company: Option<&CompanyData>,
    ) -> domain::documents::Vendor {
        let facts = &self.data;
        let (short, long) = sentences::describe(facts, language);
        let of_company = || company.and_then(|company| company.policy_url.clone());
        let cookies = facts.cookies.iter();
        domain::documents::Vendor {
            name: facts.name.clone(),
            title: facts.title.clone(),
            short_description: Some(short),
            long_description: Some(long),
            domain: facts.domains.first().cloned(),
            policy_url: facts.policy_url.clone().or_else(of_company),
            categories: facts.categories.clone(),
            company: Some(facts.company.clone()),
            country: company.and_then(|company| company.country.clone()),
            cookies: cookies.clone().map(|cookie| cookie.name.clone()).collect(),
            cookie_facts: cookies
                .map(|cookie| Cookie {
                    name: cookie.name.clone(),
                    max_age_seconds: cookie.max_age,
                })
                .collect(),
            tcf_vendor_id: facts.tcf_vendor_id.and_then(|id| id.try_into().ok()),
            ..domain::documents::Vendor::default()
        }
    }
}
