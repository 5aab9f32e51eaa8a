//! The logo of the site, at the top of each page.

use domain::documents::{Client, Scheme};

use super::{illustrations::Drawing, links::WebAddress};

pub(super) enum Logo<'a> {
    /// An illustration of ours, in the colours of the widget.
    Drawn(Drawing),
    /// The same picture in light and dark.
    One(WebAddress<'a>),
    /// One for visitors whose system prefers light, one for the others. Browsers load one of them.
    BySystem {
        light: WebAddress<'a>,
        dark: WebAddress<'a>,
    },
    /// One for pages that are light, one for those that are dark. Both lie there, and style shows one.
    ByPage {
        light: WebAddress<'a>,
        dark: WebAddress<'a>,
    },
}

impl<'a> Logo<'a> {
    pub(super) fn of(client: &'a Client, scheme: Scheme) -> Option<Self> {
        let logo = client.logo.as_deref();
        if let Some(drawing) = Drawing::named(logo) {
            return Some(Self::Drawn(drawing));
        }
        let light = WebAddress::of(logo)?;
        let dark = WebAddress::of(client.dark_logo.as_deref());
        Some(match (scheme, dark) {
            (Scheme::Auto, Some(dark)) => Self::BySystem { light, dark },
            (Scheme::Page, Some(dark)) => Self::ByPage { light, dark },
            (Scheme::Dark, Some(dark)) => Self::One(dark),
            (_, None) | (Scheme::Light, Some(_)) => Self::One(light),
        })
    }
}
