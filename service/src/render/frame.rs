//! Around the pages: the open widget without a page, and the small button that opens it again.

use askama::Template;
use domain::{
    documents::{Client, CookieConfiguration, DisplayMode, Entrance, Position},
    payload::act,
};

use super::{markup::filters, speech::Speech, text::Words};

/// The banner, in a dialog with a dimmed background where the page is out of reach. The SDK shows
/// either above everything else.
#[derive(Template)]
#[template(path = "widget/frame.html")]
struct Frame {
    dims: bool,
    mode: &'static str,
    place: &'static str,
    speech: Speech,
    /// It has an entrance, and a script sees it off.
    enters: bool,
}

pub(super) fn frame(configuration: &CookieConfiguration, client: &Client) -> String {
    let frame = Frame {
        dims: dims(configuration),
        mode: match configuration.settings.display_mode {
            DisplayMode::Card => "card",
            DisplayMode::Modal => "modal",
            DisplayMode::Bar => "bar",
        },
        place: place(configuration, client),
        speech: Speech::of(&configuration.language),
        enters: entrance(client).is_some(),
    };
    frame.to_string()
}

/// The block of the style sheet for the entrance, if there is one.
pub(super) fn entrance(client: &Client) -> Option<&'static str> {
    match client.widget_style.entrance.unwrap_or_default() {
        Entrance::None => None,
        entrance => Some(entrance.as_str()),
    }
}

/// True if the page behind the widget is dimmed and out of reach.
pub(super) fn dims(configuration: &CookieConfiguration) -> bool {
    configuration.settings.overlay || configuration.settings.display_mode == DisplayMode::Modal
}

#[derive(Template)]
#[template(path = "widget/reopen.html")]
struct Reopen<'a> {
    right: bool,
    speech: Speech,
    words: Words<'a>,
}

/// The small button; empty where the configuration wants none.
pub(super) fn reopen(configuration: &CookieConfiguration, client: &Client) -> String {
    if !configuration.settings.reopen_button {
        return String::new();
    }
    let reopen = Reopen {
        // It stands in a corner, wherever the banner does.
        right: place(configuration, client) == "bottom-right",
        speech: Speech::of(&configuration.language),
        words: Words::new(configuration, None),
    };
    reopen.to_string()
}

/// The widget's position: a class, and a block of the style sheet.
pub(super) fn place(configuration: &CookieConfiguration, client: &Client) -> &'static str {
    let settings = &configuration.settings;
    let position = settings
        .position
        .or(client.widget_style.position)
        .unwrap_or_default();
    match (settings.display_mode, position) {
        (DisplayMode::Modal, _) | (DisplayMode::Card, Position::Center) => "center",
        (_, Position::Top) => "top",
        (DisplayMode::Bar, _) | (_, Position::Bottom) => "bottom",
        (_, Position::BottomLeft) => "bottom-left",
        (_, Position::BottomRight) => "bottom-right",
    }
}
