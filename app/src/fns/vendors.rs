//! Services to ask consent for: the catalogue and the project's own.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// A service as lists show it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VendorCard {
    pub id: String,
    /// Key of the visitor's choice.
    pub name: String,
    pub title: String,
    pub description: String,
    pub company: String,
    pub category: String,
    /// Made by this project, not from the catalogue.
    pub custom: bool,
    /// No longer offered by its maker.
    pub deprecated: bool,
    /// Neither in the catalogue nor readable: the step names something that is gone.
    pub missing: bool,
}

impl VendorCard {
    /// Of a service that is gone.
    pub fn missing(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            title: id.to_owned(),
            missing: true,
            ..Self::default()
        }
    }
}

/// A page of a search in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VendorPage {
    pub items: Vec<VendorCard>,
    pub total: u64,
}

/// Searches the catalogue; the project's own services that fit stand first.
#[server(prefix = "/ui", endpoint = "vendors/search", input = Json)]
pub async fn search_vendors(
    project: String,
    query: String,
    language: String,
) -> Result<VendorPage, UiError> {
    server::search(&project, &query, &language).await
}

/// The service behind an id.
#[server(prefix = "/ui", endpoint = "vendors/card", input = Json)]
pub async fn read_vendor_card(id: String, language: String) -> Result<VendorCard, UiError> {
    server::card(&id, &language).await
}

/// A purpose of services in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// The word in documents.
    pub name: String,
    pub title: String,
}

/// All categories of the catalogue, in its order, with titles in a language.
#[server(prefix = "/ui", endpoint = "vendors/categories", input = Json)]
pub async fn service_categories(language: String) -> Result<Vec<Category>, UiError> {
    super::server::actor()?;
    let names = service::vendors::categories();
    let categories = names.map(|name| Category {
        name: name.to_owned(),
        title: service::vendors::category_title(name, &language).to_owned(),
    });
    Ok(categories.collect())
}

/// A step that asks for a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepLink {
    pub configuration: String,
    /// Title of the configuration.
    pub title: String,
    /// Number of the step, from 1.
    pub step: u64,
    /// Title of the step, else its name.
    pub step_title: String,
}

/// A service of a project in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceRow {
    pub card: VendorCard,
    /// ISO 3166-1 alpha-2; empty where nobody knows.
    pub country: String,
    pub cookies: u64,
    /// Longest life of a cookie in seconds, 0 until the browser closes; absent where nobody knows.
    pub longest: Option<u64>,
    /// True if pages usually show it in a frame.
    pub is_frame: bool,
    /// The first steps that ask for it.
    pub steps: Vec<StepLink>,
    pub total_steps: u64,
}

/// The question that the list of services answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceQuery {
    /// True for the whole catalogue, false for the services of the project.
    pub catalogue: bool,
    pub text: String,
    pub page: u32,
}

/// A page of services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServicePage {
    pub items: Vec<ServiceRow>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
    pub can_edit: bool,
}

/// A cookie of a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CookieFact {
    pub name: String,
    /// Seconds, 0 until the browser closes; absent where nobody knows.
    pub max_age: Option<u64>,
}

/// A service with all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    pub row: ServiceRow,
    /// A paragraph, in `language` if the service is of the catalogue.
    pub description: String,
    /// Language of the project's default configuration.
    pub language: String,
    pub website: Option<String>,
    pub policy_url: Option<String>,
    pub domains: Vec<String>,
    pub cookies: Vec<CookieFact>,
    pub can_edit: bool,
}

/// A page of the project's services, or of the catalogue. Categories are in a language.
#[server(prefix = "/ui", endpoint = "vendors/list", input = Json)]
pub async fn list_services(
    project: String,
    query: ServiceQuery,
    language: String,
) -> Result<ServicePage, UiError> {
    server::list(&project, query, language).await
}

/// One service for a project. Categories are in a language.
#[server(prefix = "/ui", endpoint = "vendors/read", input = Json)]
pub async fn read_service(
    project: String,
    service: String,
    language: String,
) -> Result<Service, UiError> {
    server::one(&project, &service, &language).await
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::collections::BTreeMap;

    use domain::collection::Collection;
    use domain::documents;
    use service::access::Need;
    use service::db::page::{Listed, Page};
    use service::error::Error;
    use service::vault::{Facts, NamedBy, Naming, Only, VendorInUse, VendorQuery};
    use service::vendors::{Embed, Linked, ListQuery, Vendor, category_title};
    use uuid::Uuid;

    use super::{
        CookieFact, Service, ServicePage, ServiceQuery, ServiceRow, StepLink, VendorCard,
        VendorPage,
    };
    use crate::error::UiError;
    use crate::fns::server::{actor, id, may, placet, refuse};

    /// People look at so many results before they type another word.
    const SHOWN: usize = 40;
    /// Entries among which the best are looked for.
    const RANKED: u32 = 100;
    /// Steps that a row links to.
    const STEPS: usize = 2;
    /// Steps that the details of a service link to.
    const MOST_STEPS: usize = 100;
    /// Main categories of services that pages usually show in a frame.
    const IN_FRAMES: [&str; 3] = ["video", "audio", "maps"];
    const EMBED: Embed = Embed {
        categories: true,
        company: true,
    };

    /// A card of a custom service, with its categories in a language.
    fn own_card(id: Uuid, own: &documents::Vendor, language: &str) -> VendorCard {
        VendorCard {
            id: id.to_string(),
            name: own.name.clone(),
            title: first_of([&own.title, &own.name]),
            description: own.short_description.clone().unwrap_or_default(),
            company: own.company.clone().unwrap_or_default(),
            category: titles(&own.categories, language),
            custom: true,
            deprecated: false,
            missing: false,
        }
    }

    /// A card of a catalogue entry whose company and categories are embedded.
    fn catalogue_card(entry: &Vendor) -> VendorCard {
        let data = &entry.data;
        let categories: Vec<&str> = data
            .categories
            .iter()
            .filter_map(|category| match category {
                Linked::Whole(category) => Some(category.data.title),
                Linked::Id(_) => None,
            })
            .collect();
        VendorCard {
            id: entry.id.to_string(),
            name: data.name.clone(),
            title: data.title.clone(),
            description: data.short_description.clone(),
            company: match &data.company {
                Linked::Whole(company) => company.data.name.clone(),
                Linked::Id(_) => String::new(),
            },
            category: categories.join(", "),
            custom: false,
            deprecated: data.deprecated,
            missing: false,
        }
    }

    /// The services behind ids, in their order; what cannot be found is marked.
    pub async fn cards(ids: &[String], language: &str) -> Result<Vec<VendorCard>, UiError> {
        let known: Vec<Uuid> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        let vendors = &placet()?.vendors;
        let entries = vendors.some(actor()?, &known, EMBED, language).await;
        let entries = entries.map_err(refuse)?;
        let entries: BTreeMap<Uuid, Vendor> =
            entries.into_iter().map(|entry| (entry.id, entry)).collect();
        let mut cards = Vec::new();
        for text in ids {
            let id = Uuid::parse_str(text).ok();
            cards.push(match id.map(|id| (id, entries.get(&id))) {
                None => VendorCard::missing(text),
                Some((_, Some(entry))) => catalogue_card(entry),
                Some((id, None)) => custom_card(id, language).await?,
            });
        }
        Ok(cards)
    }

    /// The service behind an id, marked if it cannot be found.
    pub async fn card(id: &str, language: &str) -> Result<VendorCard, UiError> {
        let mut cards = cards(&[id.to_owned()], language).await?;
        Ok(cards.pop().unwrap_or_else(|| VendorCard::missing(id)))
    }

    async fn custom_card(id: Uuid, language: &str) -> Result<VendorCard, UiError> {
        let vault = &placet()?.vault;
        match vault.read(actor()?, Collection::Vendors, id).await {
            Ok(own) => Ok(own_card(id, &documents::read(&own.data), language)),
            Err(Error::NotFound) => Ok(VendorCard::missing(&id.to_string())),
            Err(error) => Err(refuse(error)),
        }
    }

    /// Matches of the project's own services, then of the catalogue.
    pub async fn search(project: &str, query: &str, language: &str) -> Result<VendorPage, UiError> {
        let own = VendorQuery {
            page: Page::new(Some(1), Some(SHOWN as u32)),
            text: query.to_owned(),
            only: Some(Only::Custom),
            language: language.to_owned(),
        };
        let vault = &placet()?.vault;
        let own = vault.vendors(actor()?, id(project)?, &own).await;
        let own = own.map_err(refuse)?;
        let of_project = own.total;
        let own = own.items.into_iter();
        let mut items: Vec<VendorCard> = own.map(|one| row(one, language).card).collect();
        let listed = ListQuery {
            page: Page::new(Some(1), Some(RANKED)),
            enabled: Some(true),
            deprecated: Some(false),
            text: query.to_owned(),
            embed: EMBED,
            language: language.to_owned(),
            ..ListQuery::default()
        };
        let found = placet()?
            .vendors
            .list(actor()?, &listed)
            .await
            .map_err(refuse)?;
        let total = found.total + of_project;
        let mut entries: Vec<VendorCard> = found.items.iter().map(catalogue_card).collect();
        // A search for "google" means services of that name before others that Google makes.
        let first = query.split_whitespace().next().unwrap_or_default();
        let first = first.to_lowercase();
        entries.sort_by_key(|card| !card.title.to_lowercase().starts_with(&first));
        items.extend(entries);
        items.truncate(SHOWN);
        Ok(VendorPage { items, total })
    }

    pub async fn list(
        project: &str,
        query: ServiceQuery,
        language: String,
    ) -> Result<ServicePage, UiError> {
        let project = id(project)?;
        let can_edit = may(project, Need::EDIT).await?;
        let page = Page::new(Some(query.page), None);
        let found = if query.catalogue {
            catalogue(project, page, query.text, &language).await?
        } else {
            let query = VendorQuery {
                page,
                text: query.text,
                only: None,
                language: language.clone(),
            };
            of_project(project, &query).await?
        };
        Ok(ServicePage {
            items: found.items,
            total: found.total,
            page: page.number,
            per_page: page.size,
            can_edit,
        })
    }

    /// The services that the configurations of a project name; `None` where these are too large to be read for it.
    pub async fn named(project: Uuid) -> Result<Option<Naming>, UiError> {
        unless_too_large(placet()?.vault.vendors_named(actor()?, project).await)
    }

    /// The first services that the configurations of a project name, and how many there are; `None` where these are too
    /// large to be read for it.
    pub async fn first_named(project: Uuid) -> Result<Option<Listed<ServiceRow>>, UiError> {
        let query = VendorQuery {
            page: Page::new(None, Some(Page::MAX_SIZE)),
            only: Some(Only::Named),
            ..VendorQuery::default()
        };
        let found = placet()?.vault.vendors(actor()?, project, &query).await;
        let found = unless_too_large(found)?;
        Ok(found.map(|found| found.map(|vendor| row(vendor, &query.language))))
    }

    /// The answer to a question about the services of a project, if its configurations could be read for it.
    fn unless_too_large<T>(answer: Result<T, Error>) -> Result<Option<T>, UiError> {
        match answer {
            Err(Error::BadRequest(_)) => Ok(None),
            answer => answer.map(Some).map_err(refuse),
        }
    }

    /// A page of the services of a project.
    async fn of_project(project: Uuid, query: &VendorQuery) -> Result<Listed<ServiceRow>, UiError> {
        let found = placet()?.vault.vendors(actor()?, project, query).await;
        let found = found.map_err(refuse)?;
        Ok(found.map(|vendor| row(vendor, &query.language)))
    }

    async fn catalogue(
        project: Uuid,
        page: Page,
        text: String,
        language: &str,
    ) -> Result<Listed<ServiceRow>, UiError> {
        let (placet, actor) = (placet()?, actor()?);
        let named = placet.vault.vendors_named(actor, project).await;
        let named = named.map_err(refuse)?;
        let query = ListQuery {
            page,
            enabled: Some(true),
            text,
            embed: EMBED,
            language: language.to_owned(),
            ..ListQuery::default()
        };
        let found = placet.vendors.list(actor, &query).await.map_err(refuse)?;
        Ok(found.map(|entry| {
            let vendor = VendorInUse {
                id: entry.id,
                named_by: named.of(entry.id),
                facts: Facts::Catalogue(Box::new(entry)),
            };
            row(vendor, language)
        }))
    }

    /// The row of a service. Categories of custom vendors get their titles in a language.
    fn row(vendor: VendorInUse, language: &str) -> ServiceRow {
        let VendorInUse {
            id,
            facts,
            named_by,
        } = vendor;
        let cookies = cookies(&facts);
        let (card, country) = match &facts {
            Facts::Catalogue(entry) => (catalogue_card(entry), country(entry)),
            Facts::Custom(own) => (
                own_card(id, own, language),
                own.country.clone().unwrap_or_default(),
            ),
            Facts::Gone => (VendorCard::missing(&id.to_string()), String::new()),
        };
        ServiceRow {
            card,
            country,
            is_frame: is_frame(&facts),
            longest: cookies.iter().filter_map(|cookie| cookie.max_age).max(),
            cookies: cookies.len() as u64,
            total_steps: named_by.len() as u64,
            steps: links(named_by, STEPS),
        }
    }

    fn first_of(texts: [&String; 2]) -> String {
        let mut texts = texts.into_iter().filter(|text| !text.is_empty());
        texts.next().cloned().unwrap_or_default()
    }

    fn country(entry: &Vendor) -> String {
        let company = match &entry.data.company {
            Linked::Whole(company) => company.data.country.clone(),
            Linked::Id(_) => None,
        };
        company.unwrap_or_default()
    }

    /// Categories in words; those that the catalogue does not know as they are written.
    fn titles(categories: &[String], language: &str) -> String {
        let titles = categories.iter().map(|category| {
            match category_title(&category.to_ascii_lowercase(), language) {
                "" => category.clone(),
                title => title.to_owned(),
            }
        });
        titles.collect::<Vec<_>>().join(", ")
    }

    fn cookies(facts: &Facts) -> Vec<CookieFact> {
        let fact = |name: &String, max_age| CookieFact {
            name: name.clone(),
            max_age,
        };
        match facts {
            Facts::Catalogue(entry) => {
                let cookies = entry.data.cookies.iter();
                cookies
                    .map(|cookie| fact(&cookie.name, cookie.max_age_seconds))
                    .collect()
            }
            Facts::Custom(own) => {
                let cookies = own.cookie_facts.iter();
                cookies
                    .map(|cookie| fact(&cookie.name, cookie.max_age_seconds))
                    .collect()
            }
            Facts::Gone => Vec::new(),
        }
    }

    fn links(named_by: Vec<NamedBy>, most: usize) -> Vec<StepLink> {
        let first = named_by.into_iter().take(most);
        first
            .map(|by| StepLink {
                configuration: by.configuration.to_string(),
                title: by.title.to_string(),
                step: by.step as u64 + 1,
                step_title: by.step_title.to_string(),
            })
            .collect()
    }

    /// Names of the categories of a service, the main one first.
    fn categories(facts: &Facts) -> Vec<String> {
        match facts {
            Facts::Catalogue(entry) => {
                let categories = entry.data.categories.iter();
                let names = categories.filter_map(|category| match category {
                    Linked::Whole(category) => Some(category.data.name.to_owned()),
                    Linked::Id(_) => None,
                });
                names.collect()
            }
            Facts::Custom(own) => own.categories.clone(),
            Facts::Gone => Vec::new(),
        }
    }

    /// True if pages usually show the service in a frame.
    fn is_frame(facts: &Facts) -> bool {
        let categories = categories(facts);
        let main = categories.first().map(String::as_str);
        main.is_some_and(|main| IN_FRAMES.contains(&main))
    }

    pub async fn one(project: &str, service: &str, language: &str) -> Result<Service, UiError> {
        let (project, service) = (id(project)?, id(service)?);
        let found = placet()?.vault.vendor(actor()?, project, service).await;
        let found = found.map_err(refuse)?;
        let facts = found.vendor.facts.clone();
        let named_by = found.vendor.named_by.clone();
        let mut row = row(found.vendor, language);
        // Texts of the catalogue are in the language of the project.
        row.card.category = titles(&categories(&facts), language);
        row.steps = links(named_by, MOST_STEPS);
        let mut service = Service {
            row,
            description: String::new(),
            language: found.language,
            website: None,
            policy_url: None,
            domains: Vec::new(),
            cookies: cookies(&facts),
            can_edit: found.can_edit,
        };
        match facts {
            Facts::Catalogue(entry) => {
                let data = entry.data;
                let of_company = match data.company {
                    Linked::Whole(company) => company.data.policy_url,
                    Linked::Id(_) => None,
                };
                service.description = data.long_description;
                service.website = data.website;
                service.policy_url = data.policy_url.or(of_company);
                service.domains = data.domains;
            }
            Facts::Custom(own) => {
                let short = own.short_description.unwrap_or_default();
                service.description = own.long_description.unwrap_or(short);
                service.policy_url = own.policy_url;
                service.domains.extend(own.domain);
            }
            Facts::Gone => {}
        }
        // Only such an address is a link.
        for url in [&mut service.website, &mut service.policy_url] {
            url.take_if(|url| !url.starts_with("https://") && !url.starts_with("http://"));
        }
        Ok(service)
    }
}
