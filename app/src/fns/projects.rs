//! Projects: the cards, the rail, the overview.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::concerns::Concern;
use crate::fns::proofs::ConsentRow;

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

    /// The consents of several days; they begin at no day.
    pub fn sum(days: &[Self]) -> Self {
        days.iter().fold(Self::default(), |sum, day| Self {
            start: 0,
            accepted: sum.accepted + day.accepted,
            partial: sum.partial + day.partial,
            refused: sum.refused + day.refused,
        })
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
    /// True if something of it needs attention.
    pub has_concerns: bool,
}

/// The data of a project's overview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    pub link: ProjectLink,
    pub live: Live,
    /// Cookie configurations, with the id of the first.
    pub configurations: u64,
    pub first_configuration: Option<String>,
    /// Services named in their steps.
    pub vendors: u64,
    /// True if a consent was ever received.
    pub has_consents: bool,
    /// True if a publish waits for its time, or for approval.
    pub publish_waits: bool,
    pub can_edit: bool,
    pub concerns: Vec<Concern>,
}

/// The consents of a project, in figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// The last thirty days, oldest first; the last one is today.
    pub days: Vec<Day>,
    /// The latest consents, newest first.
    pub latest: Vec<ConsentRow>,
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

/// The person's projects that are part of an organization, by title, and how many there are; the first hundred.
#[server(prefix = "/ui", endpoint = "projects/of-organization", input = Json)]
pub async fn projects_of_organization(
    organization: String,
) -> Result<(Vec<ProjectLink>, u64), UiError> {
    let found = server::of_organization(&organization).await?;
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
            has_concerns: !super::concerns::server::concerns(project.id)
                .await?
                .is_empty(),
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
        configurations: configurations.len() as u64,
        first_configuration: configurations.first().map(|first| first.id.to_string()),
        vendors: configurations
            .iter()
            .map(|configuration| {
                super::documents::server::vendor_ids(&configuration.data).len() as u64
            })
            .sum(),
        has_consents: super::proofs::server::latest(id).await?.is_some(),
        publish_waits: placet
            .publish
            .waiting(actor, id)
            .await
            .map_err(refuse)?
            .is_some(),
        can_edit,
        concerns: super::concerns::server::concerns(id).await?,
    })
}

/// The figures of a project's consents; pages read them again and again.
#[server(prefix = "/ui", endpoint = "projects/figures", input = Json)]
pub async fn read_figures(project: String) -> Result<Figures, UiError> {
    let id = super::server::id(&project)?;
    Ok(Figures {
        days: server::days(id, 30).await?,
        latest: super::proofs::server::newest(id).await?,
    })
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::collections::BTreeMap;

    use domain::collection::Collection;
    use service::clock::Timestamp;
    use service::db::page::{Listed, Page};
    use service::publish::Change;
    use service::vault::{Document, Filter, ListQuery, Sort, SortKey};
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
        let text = Some(query.trim().to_owned()).filter(|text| !text.is_empty());
        let query = ListQuery {
            page,
            text,
            ..ListQuery::default()
        };
        by_title(query).await
    }

    /// Those that are part of an organization.
    pub async fn of_organization(organization: &str) -> Result<Listed<Document>, UiError> {
        const SHOWN: u32 = 100;
        let query = ListQuery {
            page: Page::new(Some(1), Some(SHOWN)),
            filters: vec![Filter::words("organizationId", [organization])],
            ..ListQuery::default()
        };
        by_title(query).await
    }

    async fn by_title(query: ListQuery) -> Result<Listed<Document>, UiError> {
        let sort = Sort {
            by: SortKey::Field("title".to_owned()),
            descending: false,
        };
        let query = ListQuery { sort, ..query };
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
}
