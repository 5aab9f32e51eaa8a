//! From a project's colours, fonts and shape to the custom properties of the style sheet.

use std::fmt::Write;

use domain::{
    colour::Colour,
    documents::{ButtonCase, Client, Scheme, Strings},
    palette::{Chosen, Palette},
};

const FONTS: &str = "system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif";

/// The palettes of a widget.
pub(super) struct Theme {
    /// Of light pages, or of all.
    first: Palette,
    /// Of dark pages, and the way in which a page is known as dark.
    dark: Option<(Palette, Dark)>,
}

/// The way in which a browser finds out that the widget is to be dark.
enum Dark {
    /// The visitor's system prefers it.
    System,
    /// The page has the color-scheme.
    Page,
}

impl Theme {
    /// In the project's colours; those `by_tcf` have the contrast that its policies ask for.
    pub(super) fn of(client: &Client, scheme: Scheme, by_tcf: bool) -> Self {
        let chosen = chosen(&client.colors);
        let light = chosen.palette().asking(by_tcf);
        let dark = chosen.dark(&self::chosen(&client.dark_colors));
        let dark = dark.map(|dark| dark.asking(by_tcf));
        let (first, dark) = match scheme {
            Scheme::Auto => (light, dark.map(|dark| (dark, Dark::System))),
            Scheme::Page => (light, dark.map(|dark| (dark, Dark::Page))),
            Scheme::Light => (light, None),
            Scheme::Dark => (dark.unwrap_or(light), None),
        };
        Self { first, dark }
    }

    /// True if filled buttons have an edge in one of the schemes.
    pub(super) fn has_edges(&self) -> bool {
        let dark = self.dark.as_ref().map(|(palette, _)| palette);
        let mut palettes = [Some(&self.first), dark].into_iter().flatten();
        palettes.any(|palette| palette.edge.is_some())
    }

    /// The `:host` rules that carry the project's look.
    pub(super) fn properties(&self, client: &Client) -> String {
        let style = &client.widget_style;
        let (radius, padding) = (style.radius(), style.inner_padding());
        let edges = self.has_edges();
        let first = colours(&self.first, edges);
        let mut css = format!(
            ":host{{--ft:{};--fh:{};--r:{radius}px;--rb:{}px;--pa:{padding}px;{}}}",
            font(client, "text"),
            font(client, "title"),
            style.usual_radius_of_buttons(),
            declared(&first, ToString::to_string),
        );
        match &self.dark {
            None => {}
            Some((dark, Dark::System)) => {
                let dark = declared(&colours(dark, edges), ToString::to_string);
                let _ = write!(css, "@media(prefers-color-scheme:dark){{:host{{{dark}}}}}");
            }
            Some((dark, Dark::Page)) => {
                let both = first.iter().zip(colours(dark, edges));
                let both: Vec<_> = both
                    .map(|((name, light), (_, dark))| (*name, (*light, dark)))
                    .collect();
                // Browsers that do not know the function have the light colours.
                let _ = write!(
                    css,
                    "@supports(color:light-dark(#000,#fff)){{:host{{{}}}}}",
                    declared(&both, |(light, dark)| format!("light-dark({light},{dark})"))
                );
            }
        }
        css
    }
}

/// The rule for the shape of buttons, if the project chose one: it stands behind the sheet, and other projects
/// have no byte of it. All buttons have the same.
pub(super) fn buttons(client: &Client, selector: &str) -> String {
    /// Corners that reach into the text of a button of usual height, unless it keeps away from them.
    const ROUND: f64 = 18.0;
    let style = &client.widget_style;
    let mut rules = Vec::new();
    if style.button_radius.is_some() {
        let radius = style.radius_of_buttons();
        rules.push(format!("border-radius:{radius}px"));
        if radius > ROUND {
            rules.push(format!("padding-inline:{ROUND}px"));
        }
    }
    if let Some(weight) = style.button_weight {
        rules.push(format!("font-weight:{}", weight.number()));
    }
    if style.button_case == Some(ButtonCase::Uppercase) {
        rules.push("text-transform:uppercase;letter-spacing:.05em".to_owned());
    }
    if rules.is_empty() {
        return String::new();
    }
    format!("{selector}{{{}}}", rules.join(";"))
}

/// The colours that boxes have beside those of [`properties`]: a box stands in the page, whose ground
/// does not change with the visitor's scheme unless the site changes it, so it keeps the project's own.
pub(super) fn box_properties(client: &Client) -> String {
    let properties = Theme::of(client, Scheme::Light, false).properties(client);
    let danger = chosen(&client.colors).palette().danger;
    format!("{properties}:host{{--da:{danger}}}")
}

fn chosen(colours: &Strings) -> Chosen {
    Chosen::read(|key| colours.get(key).map(String::as_str))
}

/// The custom properties of a palette. One without edges has them in the colour of its buttons if another one
/// has some.
fn colours(palette: &Palette, edges: bool) -> Vec<(&'static str, Colour)> {
    let Palette {
        background,
        surface,
        text,
        title,
        muted,
        line,
        accent,
        on_accent,
        edge,
        link,
        toggle,
        switch,
        // Nothing fails in the widget.
        danger: _,
    } = *palette;
    let edge = edges.then(|| ("ed", edge.unwrap_or(accent)));
    [
        ("bg", background),
        ("fg", text),
        ("ti", title),
        ("mu", muted),
        ("li", line),
        ("sf", surface),
        ("ac", accent),
        ("on", on_accent),
        ("lk", link),
        ("tg", toggle),
        ("sw", switch),
    ]
    .into_iter()
    .chain(edge)
    .collect()
}

/// Custom properties as declarations.
fn declared<T>(properties: &[(&str, T)], value: impl Fn(&T) -> String) -> String {
    let lines = properties
        .iter()
        .map(|(name, one)| format!("--{name}:{}", value(one)));
    lines.collect::<Vec<_>>().join(";")
}

/// Most families of a list that reach the sheet.
pub(crate) const MOST_FAMILIES: usize = 6;
/// Families that each system has by its own choice. The standard has no quotes around them
/// (CSS Fonts Module Level 4, section 2.1.2).
const GENERIC: [&str; 8] = [
    "serif",
    "sans-serif",
    "monospace",
    "system-ui",
    "ui-serif",
    "ui-sans-serif",
    "ui-monospace",
    "ui-rounded",
];

/// A generic family as style sheets write it.
pub(crate) fn generic(name: &str) -> Option<&'static str> {
    let mut generic = GENERIC.iter().copied();
    generic.find(|own| own.eq_ignore_ascii_case(name))
}

/// True if a text is a plain name of a family.
pub(crate) fn is_family(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

/// The project's font families, as far as they are plain names. Behind them stand those of the product, unless a
/// generic family ends the list.
fn font(client: &Client, key: &str) -> String {
    let list = client.fonts.get(key).or_else(|| client.fonts.get("text"));
    let names = list.map(String::as_str).unwrap_or_default().split(',');
    let names = names.map(|name| name.trim().trim_matches(['"', '\'']).trim());
    let mut is_complete = false;
    let mut families: Vec<String> = names
        .filter(|name| is_family(name))
        .take(MOST_FAMILIES)
        .map(|name| {
            let generic = generic(name);
            is_complete |= generic.is_some();
            generic.map_or_else(|| format!("\"{name}\""), str::to_owned)
        })
        .collect();
    if !is_complete {
        families.push(FONTS.to_owned());
    }
    families.join(",")
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

    fn properties(client: &Client, scheme: Scheme) -> String {
        Theme::of(client, scheme, false).properties(client)
    }

    const NAMES: [&str; 11] = [
        "bg", "fg", "ti", "mu", "li", "sf", "ac", "on", "lk", "tg", "sw",
    ];

    #[test]
    fn both_schemes_carry_every_colour() {
        let yellow = client(&[("main", "#ffff00")], "");
        let css = properties(&yellow, Scheme::Auto);
        let (light, dark) = css.split_once("@media").unwrap();
        for scheme in [light, dark] {
            for key in NAMES {
                assert!(scheme.contains(&format!("--{key}:#")), "{key} in {scheme}");
            }
        }
        let css = properties(&yellow, Scheme::Page);
        let (light, both) = css.split_once("@supports").unwrap();
        for key in NAMES {
            assert!(light.contains(&format!("--{key}:#")), "{key} in {light}");
            assert!(
                both.contains(&format!("--{key}:light-dark(#")),
                "{key} in {both}"
            );
        }
    }

    #[test]
    fn a_configuration_may_be_light_or_dark_on_all_pages() {
        let mut own = client(&[("main", "#0b6e4f")], "");
        let background = |css: &str| {
            let (_, rest) = css.split_once("--bg:").unwrap();
            rest.split_once(';').unwrap().0.to_owned()
        };
        for (scheme, ground) in [(Scheme::Light, "#fff"), (Scheme::Dark, "#1c1f27")] {
            let css = properties(&own, scheme);
            assert!(!css.contains('@'), "{css}");
            assert_eq!(background(&css), ground);
        }
        own.dark_colors = [("background".to_owned(), "#04140e".to_owned())].into();
        assert_eq!(background(&properties(&own, Scheme::Dark)), "#04140e");
        assert!(properties(&own, Scheme::Auto).contains("dark){:host{--bg:#04140e;"));
    }

    #[test]
    fn a_scheme_without_edges_draws_none_of_the_other_one() {
        let css = properties(&client(&[("main", "#ffe600")], ""), Scheme::Auto);
        let (light, dark) = css.split_once("@media").unwrap();
        assert!(
            light.contains("--ac:#ffe600;") && !light.contains("--ed:#ffe600"),
            "{light}"
        );
        assert!(
            dark.contains("--ac:#ffe600;") && dark.contains("--ed:#ffe600"),
            "{dark}"
        );
        let green = client(&[("main", "#0b6e4f")], "");
        assert!(!properties(&green, Scheme::Auto).contains("--ed"));
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
    fn buttons_have_the_shape_that_was_chosen_and_none_costs_nothing() {
        let style = |value| Client {
            widget_style: serde_json::from_value(value).unwrap(),
            ..Client::default()
        };
        let of = |value| buttons(&style(value), ".b");
        assert_eq!(of(serde_json::json!({"borderRadius": 4})), "");
        assert_eq!(
            of(serde_json::json!({"buttonRadius": 0, "buttonWeight": "bold"})),
            ".b{border-radius:0px;font-weight:700}"
        );
        assert_eq!(
            of(serde_json::json!({"buttonRadius": 30, "buttonCase": "uppercase"})),
            ".b{border-radius:30px;padding-inline:18px;text-transform:uppercase;letter-spacing:.05em}"
        );
    }

    #[test]
    fn a_dark_project_is_dark_in_both_schemes() {
        let dark = client(&[("background", "#101418")], "");
        for scheme in Scheme::ALL {
            assert!(!properties(&dark, *scheme).contains('@'));
        }
    }

    #[test]
    fn nothing_but_plain_names_and_colours_reaches_the_sheet() {
        let evil = client(&[("main", "red}*{display:none")], "a\";}*{x:y");
        let css = properties(&evil, Scheme::Auto);
        assert!(!css.contains("display") && !css.contains("x:y"), "{css}");
        let font = properties(&client(&[], "Open Sans"), Scheme::Auto);
        assert!(font.contains("\"Open Sans\",system-ui"));
    }

    #[test]
    fn fonts_are_lists_of_plain_names() {
        let drawn = |list: &str| font(&client(&[], list), "text");
        for (list, expected) in [
            ("Georgia, serif", "\"Georgia\",serif".to_owned()),
            (
                "ui-monospace,MONOSPACE",
                "ui-monospace,monospace".to_owned(),
            ),
            (
                "'Open Sans' , \"Lato\"",
                format!("\"Open Sans\",\"Lato\",{FONTS}"),
            ),
            ("", FONTS.to_owned()),
            (" , ,", FONTS.to_owned()),
            // A broken name costs its own place alone.
            ("Lato, url(//evil), a;}*{x:y", format!("\"Lato\",{FONTS}")),
            (
                "a,b,c,d,e,f,g,serif",
                format!("\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",{FONTS}"),
            ),
        ] {
            assert_eq!(drawn(list), expected, "{list}");
        }
    }
}
