//! From a project's colours, fonts and shape to the custom properties of the style sheet.

use std::fmt::Write;

use domain::documents::Client;
use domain::palette::{Chosen, Palette};

const FONTS: &str = "system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif";

/// The `:host` rules that carry the project's look, light and dark.
pub(super) fn properties(client: &Client) -> String {
    let chosen = chosen(client);
    let radius = pixels(client.widget_style.border_radius, 18.0, 32.0);
    let padding = pixels(client.widget_style.padding, 24.0, 64.0);
    let mut css = format!(
        ":host{{--ft:{};--fh:{};--r:{radius}px;--rb:{}px;--pa:{padding}px;{}}}",
        font(client, "text"),
        font(client, "title"),
        (radius * 0.66).round().min(14.0),
        scheme(&chosen.palette()),
    );
    if let Some(dark) = chosen.dark() {
        let _ = write!(
            css,
            "@media(prefers-color-scheme:dark){{:host{{{}}}}}",
            scheme(&dark)
        );
    }
    css
}

/// The colours that boxes have beside those of [`properties`]: a box stands in the page, whose ground
/// does not change with the visitor's scheme unless the site changes it, so it keeps the project's own.
pub(super) fn box_properties(client: &Client) -> String {
    let properties = properties(client);
    let light = properties.split("@media").next().unwrap_or_default();
    let danger = chosen(client).palette().danger;
    format!("{light}:host{{--da:{danger}}}")
}

fn chosen(client: &Client) -> Chosen {
    Chosen::read(|key| client.colors.get(key).map(String::as_str))
}

fn scheme(palette: &Palette) -> String {
    let Palette {
        background,
        surface,
        text,
        title,
        muted,
        line,
        accent,
        on_accent,
        link,
        toggle,
        switch,
        // Nothing fails in the widget.
        danger: _,
    } = palette;
    format!(
        "--bg:{background};--fg:{text};--ti:{title};--mu:{muted};--li:{line};--sf:{surface};--ac:{accent};--on:{on_accent};--lk:{link};--tg:{toggle};--sw:{switch}"
    )
}

fn pixels(wished: Option<f64>, otherwise: f64, most: f64) -> f64 {
    wished
        .filter(|value| value.is_finite())
        .unwrap_or(otherwise)
        .clamp(0.0, most)
        .round()
}

/// A font stack whose first family is the project's, if it is a plain family name.
fn font(client: &Client, key: &str) -> String {
    let plain = |name: &&str| {
        (1..=64).contains(&name.len())
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
    };
    client
        .fonts
        .get(key)
        .or_else(|| client.fonts.get("text"))
        .map(|name| name.trim().trim_matches(['"', '\'']))
        .filter(plain)
        .map_or_else(|| FONTS.to_owned(), |name| format!("\"{name}\",{FONTS}"))
}

#[cfg(test)]
mod tests {
    use domain::documents::Client;

    use super::*;

    fn client(colors: &[(&str, &str)], font: &str) -> Client {
        Client {
            colors: colors
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            fonts: [("text".to_owned(), font.to_owned())].into(),
            ..Client::default()
        }
    }

    #[test]
    fn both_schemes_carry_every_colour() {
        let css = properties(&client(&[("main", "#ffff00")], ""));
        let (light, dark) = css.split_once("@media").unwrap();
        for scheme in [light, dark] {
            for key in [
                "bg", "fg", "ti", "mu", "li", "sf", "ac", "on", "lk", "tg", "sw",
            ] {
                assert!(scheme.contains(&format!("--{key}:#")), "{key} in {scheme}");
            }
        }
    }

    #[test]
    fn boxes_have_the_colour_of_failures() {
        let css = box_properties(&client(&[("danger", "#aa0000")], ""));
        assert!(
            css.contains("--da:#a00") && !css.contains("@media"),
            "{css}"
        );
    }

    #[test]
    fn a_dark_project_is_dark_in_both_schemes() {
        assert!(!properties(&client(&[("background", "#101418")], "")).contains("@media"));
    }

    #[test]
    fn nothing_but_plain_names_and_colours_reaches_the_sheet() {
        let css = properties(&client(&[("main", "red}*{display:none")], "a\";}*{x:y"));
        assert!(!css.contains("display") && !css.contains("x:y"), "{css}");
        assert!(properties(&client(&[], "Open Sans")).contains("\"Open Sans\",system-ui"));
    }
}
