//! The look of a site, read for the page "Design".

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// The answer for a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SiteLook {
    Found(Box<FoundLook>),
    /// Its page tells of no look.
    Nothing,
    /// It answers with something else than a page of HTML.
    NoPage,
    /// It answers with this status.
    Status(u16),
    Redirects,
    Late,
    TooMuch,
    Unreachable,
    /// The server may not call the address.
    Refused,
    NoAddress,
}

/// The source of an accent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccentFrom {
    Button,
    Variable,
    Rule,
    ThemeColour,
    Link,
}

/// The look of a site, as far as it could be found; colours as `#rrggbb`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundLook {
    pub main: Option<(String, AccentFrom)>,
    pub button_text: Option<String>,
    pub background: Option<String>,
    pub text: Option<String>,
    pub title: Option<String>,
    /// In CSS pixels.
    pub button_radius: Option<u8>,
    pub title_font: Option<String>,
    pub text_font: Option<String>,
    /// Address of the logo.
    pub logo: Option<String>,
}

/// Reads the look of the page at an address. Tells nothing else of it.
#[server(prefix = "/ui", endpoint = "looks/site", input = Json)]
pub async fn read_site_look(project: String, address: String) -> Result<SiteLook, UiError> {
    server::read(&project, &address).await
}

/// Copies the logo at an address into the files of a project, and returns the id of the file. `None` if there is no picture
/// that a logo may be.
#[server(prefix = "/ui", endpoint = "looks/logo", input = Json)]
pub async fn take_site_logo(project: String, address: String) -> Result<Option<String>, UiError> {
    server::take_logo(&project, &address).await
}

#[cfg(feature = "ssr")]
mod server {
    use service::Error;
    use service::looks::{self, Look, Source};

    use super::{AccentFrom, FoundLook, SiteLook};
    use crate::error::UiError;
    use crate::fns::server::{actor, id, placet, refuse};

    pub async fn read(project: &str, address: &str) -> Result<SiteLook, UiError> {
        let placet = placet()?;
        let found = placet.looks.of_site(actor()?, id(project)?, address);
        Ok(match found.await.map_err(refuse)? {
            looks::SiteLook::Found(look, logo) => SiteLook::Found(Box::new(FoundLook {
                logo: logo.map(String::from),
                ..found_look(look)
            })),
            looks::SiteLook::Nothing => SiteLook::Nothing,
            looks::SiteLook::NoPage => SiteLook::NoPage,
            looks::SiteLook::Status(status) => SiteLook::Status(status),
            looks::SiteLook::Redirects => SiteLook::Redirects,
            looks::SiteLook::Late => SiteLook::Late,
            looks::SiteLook::TooMuch => SiteLook::TooMuch,
            looks::SiteLook::Unreachable => SiteLook::Unreachable,
            looks::SiteLook::Refused => SiteLook::Refused,
            looks::SiteLook::NoAddress => SiteLook::NoAddress,
        })
    }

    fn found_look(look: Look) -> FoundLook {
        let source = |source| match source {
            Source::Button => AccentFrom::Button,
            Source::Variable => AccentFrom::Variable,
            Source::Rule => AccentFrom::Rule,
            Source::ThemeColour => AccentFrom::ThemeColour,
            Source::Link => AccentFrom::Link,
        };
        FoundLook {
            main: look
                .main
                .map(|(main, from)| (main.to_string(), source(from))),
            button_text: look.button_text.map(|colour| colour.to_string()),
            background: look.background.map(|colour| colour.to_string()),
            text: look.text.map(|colour| colour.to_string()),
            title: look.title.map(|colour| colour.to_string()),
            button_radius: look.button_radius,
            title_font: look.title_font,
            text_font: look.text_font,
            logo: None,
        }
    }

    pub async fn take_logo(project: &str, address: &str) -> Result<Option<String>, UiError> {
        let placet = placet()?;
        let (actor, project) = (actor()?, id(project)?);
        let place = placet.assets.receive(actor).map_err(refuse)?;
        let file = placet.looks.logo(actor, project, address);
        let file = place.way().hold(file).await.map_err(refuse)?;
        let Some(file) = file.map_err(refuse)? else {
            return Ok(None);
        };
        match placet.assets.upload(actor, file, place).await {
            Ok(asset) => Ok(Some(asset.id.to_string())),
            // By its content it is no picture that is taken.
            Err(Error::Invalid(_)) => Ok(None),
            Err(error) => Err(refuse(error)),
        }
    }
}
