//! Projects: the cards, the rail, the overview.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// A project's name and site, for lists of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectLink {
    pub id: String,
    pub title: String,
    pub site: String,
}

/// Consents received on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Day {
    /// Milliseconds since 1970 at its beginning, UTC.
    pub start: i64,
    pub accepted: u64,
    pub partial: u64,
    pub refused: u64,
}

impl Day {
    pub fn total(&self) -> u64 {
        self.accepted + self.partial + self.refused
    }
}

/// The live state of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// When it was published last; `None` before the first time.
    pub published_at: Option<i64>,
    /// Documents that were changed since.
    pub waiting: u64,
}

/// A project in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectCard {
    pub link: ProjectLink,
    pub live: Live,
    /// The last seven days, oldest first.
    pub week: Vec<Day>,
}

/// The data of a project's overview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    pub link: ProjectLink,
    pub live: Live,
    /// The last thirty days, oldest first; the last one is today.
    pub days: Vec<Day>,
    /// Cookie configurations, with the id of the first.
    pub configurations: u64,
    pub first_configuration: Option<String>,
    /// Services named in their steps.
    pub vendors: u64,
    /// Moment of the latest consent ever received.
    pub last_consent: Option<i64>,
    pub can_edit: bool,
}

/// A page of the project list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectPage {
    pub cards: Vec<ProjectCard>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
}

/// The person's projects by title, for rail and switcher; the first hundred.
#[server(prefix = "/ui", endpoint = "projects/links", input = Json)]
pub async fn project_links() -> Result<Vec<ProjectLink>, UiError> {
    let page = service::db::page::Page::new(Some(1), Some(100));
    Ok(server::projects("", page)
        .await?
        .items
        .iter()
        .map(server::link)
        .collect())
}

/// The first of the person's projects that hold these words, and how many there are.
#[server(prefix = "/ui", endpoint = "projects/find", input = Json)]
pub async fn find_projects(query: String) -> Result<(Vec<ProjectLink>, u64), UiError> {
    let page = service::db::page::Page::new(Some(1), Some(20));
    let found = server::projects(&query, page).await?;
    Ok((found.items.iter().map(server::link).collect(), found.total))
}

/// A page of the person's projects with their figures; `query` narrows them by text.
#[server(prefix = "/ui", endpoint = "projects/cards", input = Json)]
pub async fn project_cards(query: String, page: u32) -> Result<ProjectPage, UiError> {
    const PER_PAGE: u32 = 24;
    let page = service::db::page::Page::new(Some(page), Some(PER_PAGE));
    let projects = server::projects(&query, page).await?;
    let mut cards = Vec::new();
    for project in &projects.items {
        cards.push(ProjectCard {
            link: server::link(project),
            live: server::live(project.id).await?,
            week: server::days(project.id, 7).await?,
        });
    }
    Ok(ProjectPage {
        cards,
        total: projects.total,
        page: page.number,
        per_page: PER_PAGE,
    })
}

/// One project's figures and what is left to do.
#[server(prefix = "/ui", endpoint = "projects/overview", input = Json)]
pub async fn read_overview(project: String) -> Result<Overview, UiError> {
    use super::server::{actor, id, placet, refuse, role};
    use domain::collection::Collection;
    let id = id(&project)?;
    let can_edit = role(id).await? >= domain::role::Role::Editor;
    let (placet, actor) = (placet()?, actor()?);
    let document = placet
        .vault
        .read(actor, Collection::Projects, id)
        .await
        .map_err(refuse)?;
    let configurations = super::documents::server::documents(id, Collection::Cookies).await?;
    Ok(Overview {
        link: server::link(&document),
        live: server::live(id).await?,
        days: server::days(id, 30).await?,
        configurations: configurations.len() as u64,
        first_configuration: configurations.first().map(|first| first.id.to_string()),
        vendors: configurations
            .iter()
            .map(|configuration| {
                super::documents::server::vendor_ids(&configuration.data).len() as u64
            })
            .sum(),
        last_consent: server::last_consent(id).await?,
        can_edit,
    })
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::collections::BTreeMap;

    use domain::collection::Collection;
    use service::clock::Timestamp;
    use service::db::page::{Listed, Page};
    use service::publish::Change;
    use service::vault::{Document, ListQuery, Sort, SortKey};
    use uuid::Uuid;

    use super::{Day, Live, ProjectLink};
    use crate::error::UiError;
    use crate::fns::documents::Standing;
    use crate::fns::documents::server::text;
    use crate::fns::server::{actor, placet, refuse};

    pub fn link(project: &Document) -> ProjectLink {
        ProjectLink {
            id: project.id.to_string(),
            title: text(project, "title"),
            site: text(project, "websiteURL"),
        }
    }

    /// The person's projects by title.
    pub async fn projects(query: &str, page: Page) -> Result<Listed<Document>, UiError> {
        let sort = Sort {
            by: SortKey::Field("title".to_owned()),
            descending: false,
        };
        let text = Some(query.trim().to_owned()).filter(|text| !text.is_empty());
        let query = ListQuery {
            page,
            sort,
            text,
            ..ListQuery::default()
        };
        placet()?
            .vault
            .list(actor()?, Collection::Projects, query)
            .await
            .map_err(refuse)
    }

    pub async fn live(project: Uuid) -> Result<Live, UiError> {
        let state = placet()?.publish.state(actor()?, project).await;
        let state = state.map_err(refuse)?;
        Ok(state.live.map_or_else(Live::default, |live| Live {
            published_at: Some(live.published_at.millis()),
            waiting: state.waiting.len() as u64,
        }))
    }

    /// The documents of a project that are not live, and those that are live otherwise.
    pub async fn waiting(project: Uuid) -> Result<Unpublished, UiError> {
        let state = placet()?.publish.state(actor()?, project).await;
        let state = state.map_err(refuse)?;
        let is_live = state.live.is_some();
        let waiting = state.waiting.into_iter().map(|one| (one.id, one.change));
        Ok(Unpublished {
            is_live,
            waiting: waiting.collect(),
        })
    }

    /// The drafts of a project that are not what is live.
    pub struct Unpublished {
        is_live: bool,
        waiting: BTreeMap<Uuid, Change>,
    }

    impl Unpublished {
        /// The relation of a document to what is live.
        pub fn of(&self, id: Uuid) -> Standing {
            match self.waiting.get(&id) {
                _ if !self.is_live => Standing::NotLive,
                None => Standing::Live,
                Some(Change::New | Change::Broken { is_live: false, .. }) => Standing::NotLive,
                Some(Change::Changed(_) | Change::Removed | Change::Broken { .. }) => {
                    Standing::Changed
                }
            }
        }
    }

    /// The last days, oldest first; the last one is today.
    pub async fn days(project: Uuid, days: u32) -> Result<Vec<Day>, UiError> {
        let overview = placet()?
            .consents
            .overview(actor()?, project, days)
            .await
            .map_err(refuse)?;
        Ok(overview
            .days
            .iter()
            .map(|day| Day {
                start: Timestamp::parse(&day.date)
                    .map(Timestamp::millis)
                    .unwrap_or_default(),
                accepted: day.accepted,
                partial: day.partial,
                refused: day.refused,
            })
            .collect())
    }

    /// When the latest consent was received.
    pub async fn last_consent(project: Uuid) -> Result<Option<i64>, UiError> {
        let latest = crate::fns::proofs::server::latest(project).await?;
        Ok(latest
            .and_then(|consent| Timestamp::parse(&consent.received_at))
            .map(Timestamp::millis))
    }
}
