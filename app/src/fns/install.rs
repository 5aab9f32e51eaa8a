//! The snippet that a site needs for the banner, and a check that it is there.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// The lines for one configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// Name of the configuration.
    pub configuration: String,
    pub language: String,
    /// One hashed file with integrity; needs new lines after each publish.
    pub pinned: Option<String>,
    /// One file that always is the latest.
    pub bundle: Option<String>,
    /// The loader that finds out which configuration fits.
    pub loader: String,
}

/// The data of the install page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallData {
    pub site: String,
    pub live: bool,
    pub snippets: Vec<Snippet>,
}

/// The snippets of a project.
#[server(prefix = "/ui", endpoint = "install/data", input = Json)]
pub async fn read_install(project: String) -> Result<InstallData, UiError> {
    server::data(&project).await
}

/// Checks that the project's site has its snippet. Says nothing else about the site.
#[server(prefix = "/ui", endpoint = "install/check", input = Json)]
pub async fn check_site(project: String) -> Result<bool, UiError> {
    server::check(&project).await
}

#[cfg(feature = "ssr")]
mod server {
    use domain::collection::Collection;
    use service::publish::Live;

    use super::{InstallData, Snippet};
    use crate::error::UiError;
    use crate::fns::documents::server::{documents, text};
    use crate::fns::server::{actor, id, placet, refuse};

    pub async fn data(project: &str) -> Result<InstallData, UiError> {
        let project = id(project)?;
        let (placet, actor) = (placet()?, actor()?);
        let own = placet
            .vault
            .read(actor, Collection::Projects, project)
            .await
            .map_err(refuse)?;
        let live = placet.publish.live(actor, project).await.map_err(refuse)?;
        let (base_url, cdn_url) = (
            escape(&placet.config.base_url),
            escape(&placet.config.cdn_url),
        );
        let loader = format!(
            "<link rel=\"preload\" href=\"{cdn_url}/{project}/index.json\" as=\"fetch\" crossorigin=\"anonymous\">\n\
             <script>window.placetSettings = {{ clientId: \"{project}\" }}</script>\n\
             <script async src=\"{base_url}/sdk.js\"></script>"
        );
        let snippets = documents(project, Collection::Cookies)
            .await?
            .iter()
            .map(|document| {
                let name = text(document, "name");
                // Defaults of consent signals must stand before every tag.
                let head =
                    service::render::consent_defaults(document.data.get("googleConsentMode"))
                        .map_or_else(String::new, |lines| lines + "\n");
                let bundle = live
                    .as_ref()
                    .filter(|live| live.bundles.contains_key(&name))
                    .map(|_| {
                        let name = escape(&name);
                        format!(
                            "{head}<script async src=\"{cdn_url}/{project}/{name}.js\"></script>"
                        )
                    });
                Snippet {
                    pinned: live
                        .as_ref()
                        .and_then(|live| pinned(live, &name))
                        .map(|line| format!("{head}{line}")),
                    configuration: name,
                    language: text(document, "language"),
                    bundle,
                    loader: format!("{head}{loader}"),
                }
            })
            .collect();
        Ok(InstallData {
            site: text(&own, "websiteURL"),
            live: live.is_some(),
            snippets,
        })
    }

    fn pinned(live: &Live, name: &str) -> Option<String> {
        let bundle = live.bundles.get(name)?;
        let (url, integrity) = (escape(&bundle.url), escape(&bundle.integrity));
        Some(format!(
            "<script async src=\"{url}\" integrity=\"{integrity}\" crossorigin=\"anonymous\"></script>"
        ))
    }

    pub async fn check(project: &str) -> Result<bool, UiError> {
        placet()?
            .publish
            .snippet_found(actor()?, id(project)?)
            .await
            .map_err(refuse)
    }

    /// For a value between double quotes.
    fn escape(text: &str) -> String {
        text.replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;")
    }
}
