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

/// The project's own services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnVendors {
    pub items: Vec<VendorCard>,
    pub can_edit: bool,
}

/// The project's own services.
#[server(prefix = "/ui", endpoint = "vendors/own", input = Json)]
pub async fn list_own_vendors(project: String) -> Result<OwnVendors, UiError> {
    server::own(&project).await
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use domain::collection::Collection;
    use domain::role::Role;
    use service::vault::Document;
    use uuid::Uuid;

    use super::{OwnVendors, VendorCard, VendorPage};
    use crate::error::UiError;
    use crate::fns::projects::server::{documents, text};
    use crate::fns::server::{actor, id, placet, refuse, role};

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

    /// The services behind ids, in their order; what cannot be found is marked.
    pub async fn cards(ids: &[String], language: &str) -> Result<Vec<VendorCard>, UiError> {
        let (placet, actor) = (placet()?, actor()?);
        let known: Vec<Uuid> = ids
            .iter()
            .filter_map(|id| Uuid::parse_str(id).ok())
            .collect();
        let catalogue = placet
            .vendors
            .by_ids(&known, language)
            .await
            .map_err(|error| refuse(error.into()))?;
        let mut cards = Vec::new();
        for id in ids {
            let uuid = Uuid::parse_str(id).ok();
            if let Some(entry) = uuid.and_then(|id| catalogue.get(&id)) {
                cards.push(VendorCard {
                    id: id.clone(),
                    name: entry.name.clone(),
                    title: entry.title.clone(),
                    description: entry.short_description.clone().unwrap_or_default(),
                    company: String::new(),
                    category: entry.categories.join(", "),
                    custom: false,
                    deprecated: false,
                    missing: false,
                });
                continue;
            }
            let own = match uuid {
                Some(id) => placet.vault.read(actor, Collection::Vendors, id).await.ok(),
                None => None,
            };
            cards.push(own.as_ref().map_or_else(|| missing_card(id), own_card));
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

    pub async fn search(
        project: &str,
        query: &str,
        _language: &str,
    ) -> Result<VendorPage, UiError> {
        let project = id(project)?;
        let needle = query.trim().to_lowercase();
        let items: Vec<VendorCard> = documents(project, Collection::Vendors)
            .await?
            .iter()
            .map(own_card)
            .filter(|card| {
                card.title.to_lowercase().contains(&needle) || card.name.contains(&needle)
            })
            .collect();
        Ok(VendorPage {
            total: items.len() as u64,
            items,
        })
    }

    pub async fn own(project: &str) -> Result<OwnVendors, UiError> {
        let project = id(project)?;
        let can_edit = role(project).await? >= Role::Editor;
        let items = documents(project, Collection::Vendors)
            .await?
            .iter()
            .map(own_card)
            .collect();
        Ok(OwnVendors { items, can_edit })
    }
}
