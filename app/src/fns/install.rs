//! The snippet that a site needs for the banner, and a check that it is there.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// A configuration whose lines can be asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub id: String,
    pub name: String,
    pub language: String,
}

/// The lines for one configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    pub project: String,
    pub configuration: String,
    /// One hashed file with integrity; needs new lines after each publish.
    pub pinned: Option<String>,
    /// One file that always is the latest.
    pub bundle: Option<String>,
    /// The loader that finds out which configuration fits.
    pub loader: String,
    /// The stub of TCF and GPP as a file, in place of the first line; `None` where there is no stub, or before the
    /// first publish.
    pub stub: Option<String>,
    /// The lines of its other languages, once they are published.
    pub languages: Vec<OneLanguage>,
}

/// The lines that show one language of a configuration, whatever the page says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneLanguage {
    pub language: String,
    /// As [`Snippet::pinned`].
    pub pinned: String,
    /// As [`Snippet::bundle`].
    pub bundle: String,
}

/// A service that a step asks for, as its line for the site needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    pub id: String,
    /// Key of the visitor's choice.
    pub name: String,
    pub title: String,
    /// True if pages usually show it in a frame.
    pub is_frame: bool,
}

/// The data of the install page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallData {
    pub site: String,
    pub live: bool,
    /// The configurations, oldest first.
    pub configurations: Vec<Choice>,
    /// The first services that steps ask for.
    pub services: Vec<Waiting>,
    pub total_services: u64,
    /// Address of this server.
    pub base_url: String,
}

/// The configurations of a project and the services that they ask for.
#[server(prefix = "/ui", endpoint = "install/data", input = Json)]
pub async fn read_install(project: String) -> Result<InstallData, UiError> {
    server::data(&project).await
}

/// The lines of a configuration, of the oldest one where none is named; `None` where the project has none.
#[server(prefix = "/ui", endpoint = "install/snippet", input = Json)]
pub async fn read_snippet(
    project: String,
    configuration: Option<String>,
) -> Result<Option<Snippet>, UiError> {
    server::snippet(&project, configuration.as_deref()).await
}

/// Checks that the project's site has its snippet. Says nothing else about the site.
#[server(prefix = "/ui", endpoint = "install/check", input = Json)]
pub async fn check_site(project: String) -> Result<bool, UiError> {
    server::check(&project).await
}

#[cfg(feature = "ssr")]
mod server {
    use domain::collection::Collection;
    use domain::documents::other_languages;
    use service::render;

    use super::{Choice, InstallData, OneLanguage, Snippet, Waiting};
    use crate::error::UiError;
    use crate::fns::documents::server::{choices, document_of, first_of, text};
    use crate::fns::server::{actor, id, placet, refuse};
    use crate::fns::vendors::server::first_named;

    pub async fn snippet(
        project: &str,
        configuration: Option<&str>,
    ) -> Result<Option<Snippet>, UiError> {
        let project = id(project)?;
        let chosen = match configuration {
            Some(configuration) => Some(id(configuration)?),
            None => first_of(project, Collection::Cookies).await?.0,
        };
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        let document = document_of(project, Collection::Cookies, chosen).await?;
        let placet = placet()?;
        let live = placet.publish.live(actor()?, project).await;
        let live = live.map_err(refuse)?;
        let config = &placet.config;
        let name = text(&document, "name");
        // Pages get the file that is live, whatever its draft says meanwhile.
        let head = live.as_ref().and_then(|live| live.heads.get(&name));
        let head = head.map_or_else(|| render::head(&document.data), String::clone);
        let tag = |url: &str, integrity: Option<&str>| {
            format!("{head}{}", render::bundle_tag(url, integrity))
        };
        // The lines of the latest file, and of the file that is live now.
        let tags = |file: &str| {
            let bundle = live.as_ref()?.bundles.get(file)?;
            let latest = format!("{}/{project}/{file}.js", config.cdn_url);
            let pinned = tag(&bundle.url, Some(&bundle.integrity));
            Some((tag(&latest, None), pinned))
        };
        let languages = other_languages(&document.data).into_iter();
        let languages = languages.filter_map(|language| {
            let (bundle, pinned) = tags(&format!("{name}.{language}"))?;
            Some(OneLanguage {
                language: language.to_owned(),
                pinned,
                bundle,
            })
        });
        let languages = languages.collect();
        let (bundle, pinned) = tags(&name).unzip();
        let stub = live.as_ref().filter(|_| render::has_stub(&head));
        let loader = render::loader_tags(&config.base_url, &config.cdn_url, project);
        Ok(Some(Snippet {
            project: project.to_string(),
            configuration: document.id.to_string(),
            pinned,
            bundle,
            loader: format!("{head}{loader}"),
            stub: stub.and_then(|_| render::stub_tag(&config.cdn_url)),
            languages,
        }))
    }

    pub async fn data(project: &str) -> Result<InstallData, UiError> {
        let project = id(project)?;
        let (placet, actor) = (placet()?, actor()?);
        let own = placet
            .vault
            .read(actor, Collection::Projects, project)
            .await
            .map_err(refuse)?;
        let live = placet.publish.live(actor, project).await.map_err(refuse)?;
        let configurations = choices(project, Collection::Cookies, &["name", "language"]).await?;
        let configurations = configurations.iter().map(|document| Choice {
            id: document.id.to_string(),
            name: text(document, "name"),
            language: text(document, "language"),
        });
        let configurations: Vec<Choice> = configurations.collect();
        // The lines of the widget can be copied also where nobody could read these.
        let named = first_named(project).await?;
        let named = named.map(|named| (named.items, named.total));
        let (named, total_services) = named.unwrap_or_default();
        let services = named.into_iter().filter(|row| !row.card.missing);
        let services = services.map(|row| Waiting {
            id: row.card.id,
            name: row.card.name,
            title: row.card.title,
            is_frame: row.is_frame,
        });
        Ok(InstallData {
            site: text(&own, "websiteURL"),
            live: live.is_some(),
            configurations,
            services: services.collect(),
            total_services,
            base_url: placet.config.base_url.clone(),
        })
    }

    pub async fn check(project: &str) -> Result<bool, UiError> {
        placet()?
            .publish
            .snippet_found(actor()?, id(project)?)
            .await
            .map_err(refuse)
    }
}
