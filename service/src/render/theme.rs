//! From a project's colours, fonts and shape to the custom properties of the style sheet.

use std::fmt::Write;

use domain::published::Client;

use super::colour::{BLACK, CONTROL, Colour, TEXT, WHITE};

/// Accent of a project that chose none.
const ACCENT: Colour = Colour::new(0x0032_4fd1);
const DARK: Colour = Colour::new(0x001c_1f27);
const FONTS: &str = "system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif";

/// The `:host` rules that carry the project's look, light and dark.
pub(super) fn properties(client: &Client) -> String {
    let colour = |key: &str| client.colors.get(key).and_then(|text| Colour::read(text));
    let chosen = Chosen {
        main: colour("main").unwrap_or(ACCENT),
        secondary: colour("secondary"),
        text: colour("text"),
        title: colour("title"),
        border: colour("border"),
        button_text: colour("buttonText"),
    };
    let background = colour("background").unwrap_or(WHITE);
    let radius = pixels(client.widget_style.border_radius, 18.0, 32.0);
    let padding = pixels(client.widget_style.padding, 24.0, 64.0);
    let mut css = format!(
        ":host{{--ft:{};--fh:{};--r:{radius}px;--rb:{}px;--pa:{padding}px;{}}}",
        font(client, "text"),
        font(client, "title"),
        (radius * 0.66).round().min(14.0),
        scheme(&chosen, background),
    );
    // A project whose background is dark has said what it wants for both schemes.
    if background.luminance() > 0.2 {
        let dark = Chosen {
            text: None,
            title: None,
            border: None,
            ..chosen
        };
        let _ = write!(
            css,
            "@media(prefers-color-scheme:dark){{:host{{{}}}}}",
            scheme(&dark, DARK)
        );
    }
    css
}

struct Chosen {
    main: Colour,
    secondary: Option<Colour>,
    text: Option<Colour>,
    title: Option<Colour>,
    border: Option<Colour>,
    button_text: Option<Colour>,
}

fn scheme(chosen: &Chosen, bg: Colour) -> String {
    let dark = bg.luminance() < 0.2;
    let pole = if dark { WHITE } else { BLACK };
    // Quiet surface: a breath of the accent, or the project's second colour thinned out.
    let tint = chosen.secondary.unwrap_or(chosen.main);
    let sf = bg.mix(pole, 0.03).mix(tint, if dark { 0.12 } else { 0.06 });
    let grounds = [bg, sf];
    let fg = chosen
        .text
        .unwrap_or_else(|| bg.mix(pole, 0.86))
        .readable_on(&grounds, TEXT);
    let ti = chosen
        .title
        .unwrap_or_else(|| bg.mix(pole, 0.95))
        .readable_on(&grounds, TEXT);
    let mu = fg.mix(bg, 0.26).readable_on(&grounds, TEXT);
    let ac = chosen.main.readable_on(&[bg], CONTROL);
    let lk = chosen.main.readable_on(&grounds, TEXT);
    let li = chosen.border.unwrap_or_else(|| bg.mix(pole, 0.12));
    let tg = bg.mix(pole, 0.4).readable_on(&grounds, CONTROL);
    // The knob of a switch is white, so the track must carry white.
    let sw = chosen
        .main
        .readable_on(&[WHITE], CONTROL)
        .readable_on(&[bg], if dark { 1.6 } else { CONTROL });
    let on = ac.ink(chosen.button_text);
    format!(
        "--bg:{bg};--fg:{fg};--ti:{ti};--mu:{mu};--li:{li};--sf:{sf};--ac:{ac};--on:{on};--lk:{lk};--tg:{tg};--sw:{sw}"
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
    use domain::published::Client;

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

    fn value(css: &str, key: &str) -> Colour {
        let (_, rest) = css.split_once(&format!("--{key}:")).unwrap();
        Colour::read(rest.split([';', '}']).next().unwrap()).unwrap()
    }

    #[test]
    fn unreadable_choices_are_repaired_in_both_schemes() {
        let worst = [
            ("main", "#ffff00"),
            ("text", "#eeeeee"),
            ("title", "#ffffff"),
            ("buttonText", "#ffffff"),
            ("background", "#ffffff"),
        ];
        let css = properties(&client(&worst, ""));
        let (light, dark) = css.split_once("@media").unwrap();
        for scheme in [light, dark] {
            let bg = value(scheme, "bg");
            for ink in ["fg", "ti", "mu", "lk"] {
                assert!(value(scheme, ink).contrast(bg) >= TEXT, "{ink} in {scheme}");
            }
            assert!(value(scheme, "on").contrast(value(scheme, "ac")) >= TEXT);
            assert!(value(scheme, "ac").contrast(bg) >= CONTROL);
        }
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
