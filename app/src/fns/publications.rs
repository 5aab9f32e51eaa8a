//! Publications: what visitors saw, from the first publish on.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;
use crate::fns::proofs::Screen;

/// A publication in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicationRow {
    /// SHA-256 of its manifest.
    pub publication: String,
    /// Id of the configuration or box.
    pub configuration: String,
    pub collection: Collection,
    pub title: String,
    /// Name of the language; empty where none is named.
    pub language: String,
    pub published_at: i64,
}

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicationPage {
    pub items: Vec<PublicationRow>,
    pub total: u64,
    pub per_page: u32,
}

/// One publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnePublication {
    /// Title of the configuration or box at that time.
    pub title: String,
    pub published_at: i64,
    /// SHA-256 of the SDK that drew it.
    pub sdk: String,
    pub screens: Vec<Screen>,
    /// The address of its page.
    pub address: String,
}

/// A page of a project's publications.
#[server(prefix = "/ui", endpoint = "publications/list", input = Json)]
pub async fn publications(project: String, listing: Listing) -> Result<PublicationPage, UiError> {
    server::list(&project, listing).await
}

/// One publication.
#[server(prefix = "/ui", endpoint = "publications/one", input = Json)]
pub async fn read_publication(
    project: String,
    configuration: String,
    publication: String,
) -> Result<OnePublication, UiError> {
    server::one(&project, &configuration, &publication).await
}

/// The page that shows a publication again; for a sandboxed frame.
#[server(prefix = "/ui", endpoint = "publications/seen", input = Json)]
pub async fn see_publication(
    project: String,
    configuration: String,
    publication: String,
    nonce: String,
    dark: bool,
) -> Result<String, UiError> {
    server::seen(&project, &configuration, &publication, &nonce, dark).await
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use serde_json::Value;
    use service::publish::{ListedPublication, PublicationKey};
    use service::render::PreviewOptions;

    use super::{Listing, OnePublication, PublicationPage, PublicationRow};
    use crate::error::UiError;
    use crate::fns::proofs::server::{millis, screens};
    use crate::fns::server::{actor, id, placet, refuse};
    use crate::map;

    const PER_PAGE: u32 = 25;

    pub async fn list(project: &str, listing: Listing) -> Result<PublicationPage, UiError> {
        let asked = listing.asked(Some(PER_PAGE));
        let publish = &placet()?.publish;
        let found = publish.publications(actor()?, id(project)?, &asked).await;
        let found = found.map_err(refuse)?;
        Ok(PublicationPage {
            items: found.items.into_iter().map(row).collect(),
            total: found.total,
            per_page: found.page.size,
        })
    }

    fn row(one: ListedPublication) -> PublicationRow {
        let language = domain::language::find(&one.language);
        PublicationRow {
            publication: one.publication,
            configuration: one.configuration.to_string(),
            collection: one.collection,
            title: one.title,
            language: language.map_or(one.language, |language| language.name.to_owned()),
            published_at: one.published_at.millis(),
        }
    }

    /// The publication that an address of a page names.
    pub fn key<'a>(
        project: &str,
        configuration: &str,
        publication: &'a str,
    ) -> Result<PublicationKey<'a>, UiError> {
        Ok(PublicationKey {
            project: id(project)?,
            configuration: id(configuration)?,
            publication,
        })
    }

    pub async fn one(
        project: &str,
        configuration: &str,
        publication: &str,
    ) -> Result<OnePublication, UiError> {
        let key = key(project, configuration, publication)?;
        let placet = placet()?;
        let shown = placet
            .publish
            .shown_by(actor()?, key)
            .await
            .map_err(refuse)?;
        let text = |pointer: &str| {
            let text = shown.manifest.pointer(pointer).and_then(Value::as_str);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let title = [
            "/configuration/title",
            "/configuration/name",
            "/document/title",
            "/document/name",
        ];
        let base = &placet.config.base_url;
        Ok(OnePublication {
            title: title.into_iter().find_map(text).unwrap_or_default(),
            published_at: millis(&shown.published_at),
            sdk: text("/sdk").unwrap_or_default(),
            screens: screens(key, &shown.manifest).await?,
            address: format!(
                "{base}{}",
                map::Page::Publication.at(&[&project, &configuration, &publication])
            ),
        })
    }

    pub async fn seen(
        project: &str,
        configuration: &str,
        publication: &str,
        nonce: &str,
        dark: bool,
    ) -> Result<String, UiError> {
        let options = PreviewOptions {
            dark,
            nonce,
            ..PreviewOptions::default()
        };
        let key = key(project, configuration, publication)?;
        let publish = &placet()?.publish;
        let seen = publish.show_again(actor()?, key, &options);
        seen.await.map_err(refuse)
    }
}
