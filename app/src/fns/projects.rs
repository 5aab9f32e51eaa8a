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

/// A page of a list of links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPage {
    pub items: Vec<ProjectLink>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
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
    /// Documents that were changed since; `None` where the project is too large to be compared, or published.
    pub waiting: Option<u64>,
}

/// The order of the list of projects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProjectOrder {
    #[default]
    Name,
    /// Most consents of the last seven days first.
    Consents,
    /// Most concerns first.
    Concerns,
    /// Not live first, then those whose last publish is the longest ago.
    Published,
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
    /// True if the person may publish it.
    pub can_publish: bool,
}

/// The data of a project's overview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    pub link: ProjectLink,
    pub live: Live,
    /// Cookie configurations, with the id of the first.
    pub configurations: u64,
    pub first_configuration: Option<String>,
    /// Services named in their steps, each counted once; `None` where the steps are too large to be counted.
    pub vendors: Option<u64>,
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
    /// The id of the project.
    pub project: String,
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
    let found = server::projects(service::watch::Wish {
        page,
        ..Default::default()
    });
    Ok(found.await?.items)
}

/// The first of the person's projects whose title or site has these words, and how many there are.
#[server(prefix = "/ui", endpoint = "projects/find", input = Json)]
pub async fn find_projects(query: String) -> Result<(Vec<ProjectLink>, u64), UiError> {
    let page = service::db::page::Page::new(Some(1), Some(20));
    let found = server::projects(service::watch::Wish {
        text: query,
        page,
        ..Default::default()
    });
    let found = found.await?;
    Ok((found.items, found.total))
}

/// Those of these projects that the person takes part in, by title.
#[server(prefix = "/ui", endpoint = "projects/named", input = Json)]
pub async fn name_projects(ids: Vec<String>) -> Result<Vec<ProjectLink>, UiError> {
    let ids = ids.iter().filter_map(|id| super::server::id(id).ok());
    let found = server::projects(service::watch::Wish {
        ids: Some(ids.collect()),
        ..Default::default()
    });
    Ok(found.await?.items)
}

/// A page of the person's projects that are part of an organization, by title; `query` narrows them by words of their
/// title and site.
#[server(prefix = "/ui", endpoint = "projects/of-organization", input = Json)]
pub async fn projects_of_organization(
    organization: String,
    query: String,
    page: u32,
) -> Result<LinkPage, UiError> {
    let page = service::db::page::Page::new(Some(page), None);
    let found = server::projects(service::watch::Wish {
        text: query,
        organization: Some(super::server::id(&organization)?),
        page,
        ..Default::default()
    });
    let found = found.await?;
    Ok(LinkPage {
        items: found.items,
        total: found.total,
        page: page.number,
        per_page: page.size,
    })
}

/// A page of the person's projects with their figures; `query` narrows them by words of their title and site.
#[server(prefix = "/ui", endpoint = "projects/cards", input = Json)]
pub async fn project_cards(
    query: String,
    page: u32,
    order: ProjectOrder,
) -> Result<ProjectPage, UiError> {
    const PER_PAGE: u32 = 24;
    let page = service::db::page::Page::new(Some(page), Some(PER_PAGE));
    let wish = service::watch::Wish {
        text: query,
        order: server::order(order),
        page,
        ..Default::default()
    };
    let projects = server::projects(wish).await?;
    let mut cards = Vec::new();
    for link in projects.items {
        match server::card(link).await {
            Ok(card) => cards.push(card),
            // It was deleted, or the person has left it, since the list was read.
            Err(UiError::NotFound) => {}
            Err(error) => return Err(error),
        }
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
    use super::server::{actor, id, may, placet, refuse};
    use domain::collection::Collection;
    use service::access::Need;
    let id = id(&project)?;
    let can_edit = may(id, Need::EDIT).await?;
    let (placet, actor) = (placet()?, actor()?);
    let document = placet
        .vault
        .read(actor, Collection::Projects, id)
        .await
        .map_err(refuse)?;
    let (first, configurations) =
        super::documents::server::first_of(id, Collection::Cookies).await?;
    let vendors = super::vendors::server::named(id).await?;
    Ok(Overview {
        link: server::link(&document),
        live: server::live(id).await?,
        configurations,
        first_configuration: first.map(|first| first.to_string()),
        vendors: vendors.map(|named| named.ids().count() as u64),
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
        project: id.to_string(),
        days: server::days(id, 30).await?,
        latest: super::proofs::server::newest(id).await?,
    })
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::collections::BTreeMap;

    use service::access::Need;
    use service::clock::Timestamp;
    use service::db::page::Listed;
    use service::publish::{self, Change};
    use service::vault::Document;
    use service::watch::{Named, Order, Wish};
    use uuid::Uuid;

    use super::{Day, Live, ProjectCard, ProjectLink, ProjectOrder};
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

    /// A page of the person's projects.
    pub async fn projects(wish: Wish) -> Result<Listed<ProjectLink>, UiError> {
        let found = placet()?.watch.projects(actor()?, &wish).await;
        let link = |named: Named| ProjectLink {
            id: named.id.to_string(),
            title: named.title,
            site: named.site,
        };
        Ok(found.map_err(refuse)?.map(link))
    }

    pub fn order(order: ProjectOrder) -> Order {
        match order {
            ProjectOrder::Name => Order::Name,
            ProjectOrder::Consents => Order::Consents,
            ProjectOrder::Concerns => Order::Concerns,
            ProjectOrder::Published => Order::Published,
        }
    }

    pub async fn card(link: ProjectLink) -> Result<ProjectCard, UiError> {
        let id = crate::fns::server::id(&link.id)?;
        Ok(ProjectCard {
            live: live(id).await?,
            week: days(id, 7).await?,
            has_concerns: !crate::fns::concerns::server::concerns(id).await?.is_empty(),
            can_publish: crate::fns::server::may(id, Need::PUBLISH).await?,
            link,
        })
    }

    /// The live publish, and the documents that wait; `None` for these where they are too large to be compared.
    async fn compared(
        project: Uuid,
    ) -> Result<(Option<publish::Live>, Option<Vec<publish::Waiting>>), UiError> {
        let (publish, actor) = (&placet()?.publish, actor()?);
        match publish.state(actor, project).await {
            Ok(state) => Ok((state.live, Some(state.waiting))),
            Err(service::Error::Invalid(_)) => {
                let live = publish.live(actor, project).await.map_err(refuse)?;
                Ok((live, None))
            }
            Err(error) => Err(refuse(error)),
        }
    }

    pub async fn live(project: Uuid) -> Result<Live, UiError> {
        let (live, waiting) = compared(project).await?;
        Ok(live.map_or_else(Live::default, |live| Live {
            published_at: Some(live.published_at.millis()),
            waiting: waiting.map(|waiting| waiting.len() as u64),
        }))
    }

    /// The documents of a project that are not live, and those that are live otherwise.
    pub async fn waiting(project: Uuid) -> Result<Unpublished, UiError> {
        let (live, waiting) = compared(project).await?;
        let changes = |waiting: Vec<publish::Waiting>| {
            let waiting = waiting.into_iter().map(|one| (one.id, one.change));
            waiting.collect()
        };
        Ok(Unpublished {
            is_live: live.is_some(),
            waiting: waiting.map(changes),
        })
    }

    /// The drafts of a project that are not what is live.
    pub struct Unpublished {
        is_live: bool,
        /// `None` where the project is too large to be compared.
        waiting: Option<BTreeMap<Uuid, Change>>,
    }

    impl Unpublished {
        /// The relation of a document to what is live.
        pub fn of(&self, id: Uuid) -> Standing {
            let Some(waiting) = &self.waiting else {
                // Nothing is called live that may not be.
                return if self.is_live {
                    Standing::Changed
                } else {
                    Standing::NotLive
                };
            };
            match waiting.get(&id) {
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
