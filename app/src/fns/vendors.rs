//! Services to ask consent for: the catalogue and the project's own.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// A service as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// The services behind ids, in their order.
#[server(prefix = "/ui", endpoint = "vendors/cards", input = Json)]
pub async fn vendor_cards(ids: Vec<String>, language: String) -> Result<Vec<VendorCard>, UiError> {
    server::cards(&ids, &language).await
}

/// A page of the project's own services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnVendors {
    pub items: Vec<VendorCard>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
    pub can_edit: bool,
}

/// The project's own services.
#[server(prefix = "/ui", endpoint = "vendors/own", input = Json)]
pub async fn list_own_vendors(project: String, page: u32) -> Result<OwnVendors, UiError> {
    server::own(&project, page).await
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use domain::collection::Collection;
    use domain::role::Role;
    use service::db::page::Page;
    use service::error::Error;
    use service::vault::Document;
    use service::vendors::{Embed, Linked, ListQuery, Vendor};
    use uuid::Uuid;

    use super::{OwnVendors, VendorCard, VendorPage};
    use crate::error::UiError;
    use crate::fns::documents::server::{document_page, documents, text};
    use crate::fns::server::{actor, id, placet, refuse, role};

    /// People look at so many results before they type another word.
    const SHOWN: usize = 40;
    /// Entries among which the best are looked for.
    const RANKED: u32 = 100;
    const EMBED: Embed = Embed {
        categories: true,
        company: true,
    };

    fn own_card(document: &Document) -> VendorCard {
        let (name, title) = (text(document, "name"), text(document, "title"));
        VendorCard {
            id: document.id.to_string(),
            title: if title.is_empty() {
                name.clone()
            } else {
                title
            },
            name,
            description: text(document, "shortDescription"),
            company: String::new(),
            category: String::new(),
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
        let (placet, actor) = (placet()?, actor()?);
        let mut cards = Vec::new();
        for text in ids {
            let Ok(id) = Uuid::parse_str(text) else {
                cards.push(missing_card(text));
                continue;
            };
            let entry = placet
                .vendors
                .lookup(actor, id, EMBED, language)
                .await
                .map_err(refuse)?;
            cards.push(match entry {
                Some(entry) => catalogue_card(&entry),
                None => match placet.vault.read(actor, Collection::Vendors, id).await {
                    Ok(own) => own_card(&own),
                    Err(Error::NotFound) => missing_card(text),
                    Err(error) => return Err(refuse(error)),
                },
            });
        }
        Ok(cards)
    }

    fn missing_card(id: &str) -> VendorCard {
        VendorCard {
            id: id.to_owned(),
            name: String::new(),
            title: id.to_owned(),
            description: String::new(),
            company: String::new(),
            category: String::new(),
            custom: false,
            deprecated: false,
            missing: true,
        }
    }

    /// Matches of the project's own services, then of the catalogue.
    pub async fn search(project: &str, query: &str, language: &str) -> Result<VendorPage, UiError> {
        let project = id(project)?;
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let fits = |card: &VendorCard| {
            let text = format!("{} {} {}", card.title, card.name, card.description).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let own = documents(project, Collection::Vendors).await?;
        let mut items: Vec<VendorCard> = own.iter().map(own_card).filter(fits).collect();
        let query = ListQuery {
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
            .list(actor()?, &query)
            .await
            .map_err(refuse)?;
        let total = found.total + items.len() as u64;
        let mut entries: Vec<VendorCard> = found.items.iter().map(catalogue_card).collect();
        // A search for "google" means services of that name before others that Google makes.
        let first = words.first().map(String::as_str).unwrap_or_default();
        entries.sort_by_key(|card| !card.title.to_lowercase().starts_with(first));
        items.extend(entries);
        items.truncate(SHOWN);
        Ok(VendorPage { items, total })
    }

    pub async fn own(project: &str, page: u32) -> Result<OwnVendors, UiError> {
        let project = id(project)?;
        let can_edit = role(project).await? >= Role::Editor;
        let page = Page::new(Some(page), None);
        let found = document_page(project, Collection::Vendors, page).await?;
        Ok(OwnVendors {
            items: found.items.iter().map(own_card).collect(),
            total: found.total,
            page: page.number,
            per_page: page.size,
            can_edit,
        })
    }
}
