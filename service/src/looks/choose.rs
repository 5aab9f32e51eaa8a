//! A look from the values of a page.
//!
//! The accent comes from the first of these that is there:
//!
//! 1. the colour that most buttons of the page have (those that are called primary count thrice), if it is no grey;
//! 2. a primary button of the page that stands out, also a black one;
//! 3. a variable with a usual name, such as `--primary` or `--bs-primary`;
//! 4. any button of the page that stands out;
//! 5. the rule for buttons with a usual class, such as `.btn-primary`, also if the page has none;
//! 6. `theme-color`;
//! 7. links.
//!
//! The text on buttons and their radius come from the same button, or from the rule of 5. The ground is that of
//! `body`, else of `html`; the text is that of `body`; titles are those of the first headings that can be read on the ground.

use std::collections::BTreeMap;

use domain::colour::{CONTROL, Colour, WHITE};
use serde::{Deserialize, Serialize};

use super::{
    cascade::{Cascade, Values},
    page::{BODY, Element, HTML, Page},
    sheet::Rules,
    value,
};

/// Elements of a kind that are looked at.
const MOST_BUTTONS: usize = 60;
const MOST_HEADINGS: usize = 6;
const MOST_LINKS: usize = 20;
/// Contrast from which on a button is seen as one.
const SEEN: f64 = 1.2;
/// Difference of the channels from which on a colour is no grey.
const COLOURFUL: u8 = 40;
/// Opacity from which on a colour covers.
const COVERS: f64 = 0.5;

/// Variables of accents, the most telling first: general names, then those of frameworks and themes.
const VARIABLES: [&str; 30] = [
    "--primary",
    "--color-primary",
    "--primary-color",
    "--brand",
    "--brand-color",
    "--color-brand",
    "--brand-primary",
    "--color-brand-primary",
    "--accent",
    "--accent-color",
    "--color-accent",
    "--theme-color",
    "--main-color",
    "--link-color",
    "--bs-primary",
    "--wp--preset--color--primary",
    "--wp--preset--color--accent",
    "--wp--preset--color--accent-1",
    "--e-global-color-primary",
    "--e-global-color-accent",
    "--global-palette1",
    "--ast-global-color-0",
    "--theme-palette-color-1",
    "--nv-primary-accent",
    "--mdc-theme-primary",
    "--md-sys-color-primary",
    "--ion-color-primary",
    "--el-color-primary",
    "--color-primary-600",
    "--color-primary-500",
];

/// Buttons as frameworks call them, added to the page for 5.
const USUAL: [(&str, &str); 7] = [
    ("a", "btn btn-primary"),
    ("a", "button button-primary primary"),
    ("a", "button is-primary"),
    ("a", "wp-block-button__link wp-element-button"),
    ("a", "elementor-button"),
    ("button", "button"),
    ("button", ""),
];

/// The source of an accent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A button of the page.
    Button,
    /// A variable of the style sheets.
    Variable,
    /// The rule for buttons, which the page itself does not show.
    Rule,
    /// `theme-color`.
    ThemeColour,
    /// Links.
    Link,
}

/// The look of a page, as far as it could be found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// Accent, and its source.
    pub main: Option<(Colour, Source)>,
    /// Text on buttons of that colour.
    pub button_text: Option<Colour>,
    /// Ground.
    pub background: Option<Colour>,
    /// Text.
    pub text: Option<Colour>,
    /// Titles.
    pub title: Option<Colour>,
    /// Radius of buttons in CSS pixels; 24 makes pills.
    pub button_radius: Option<u8>,
    /// Families of titles, where they differ from those of the text.
    pub title_font: Option<String>,
    /// Families of the text.
    pub text_font: Option<String>,
}

/// A button as it is drawn.
#[derive(Clone, Copy)]
struct Button {
    colour: Colour,
    text: Option<Colour>,
    radius: Option<u8>,
    is_primary: bool,
}

impl Look {
    /// The look of a page with these rules.
    pub(super) fn of(mut page: Page, rules: &Rules) -> Self {
        let own = page.elements.len();
        page.elements.extend(USUAL.map(|(tag, class)| Element {
            tag: tag.to_owned(),
            parent: Some(BODY),
            attributes: vec![("class".to_owned(), class.to_owned())],
        }));
        let cascade = Cascade::new(&page, rules);
        let chooser = Chooser {
            page: &page,
            values: cascade.values(),
            own,
        };
        chooser.look()
    }

    /// True if nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

struct Chooser<'a> {
    page: &'a Page,
    values: Values<'a>,
    /// Number of elements that the page itself has.
    own: usize,
}

impl Chooser<'_> {
    fn look(&self) -> Look {
        let background = self.fill(BODY, WHITE).or_else(|| self.fill(HTML, WHITE));
        let ground = background.unwrap_or(WHITE);
        // Text that nobody can read here belongs on another ground.
        let readable = |colour: &Colour| colour.contrast(ground) >= CONTROL;
        let text = self.ink(BODY, ground).filter(readable);
        let headings = self.page_elements(|element| matches!(&*element.tag, "h1" | "h2" | "h3"));
        let headings: Vec<usize> = headings.take(MOST_HEADINGS).collect();
        let colours = headings.iter().filter_map(|at| self.ink(*at, ground));
        let title = colours
            .into_iter()
            .find(readable)
            .filter(|title| Some(*title) != text);
        let families = |at| value::families(&self.values.inherited(at, "font-family")?);
        let text_font = families(BODY);
        let title_font = headings.first().and_then(|at| families(*at));
        let accent = self.accent(ground);
        let button = accent.as_ref().and_then(|accent| accent.button);
        let button_text = button.and_then(|button| {
            let text = button.text?;
            (text.contrast(button.colour) >= CONTROL).then_some(text)
        });
        Look {
            main: accent.map(|accent| (accent.colour, accent.source)),
            button_text,
            background,
            text,
            title,
            button_radius: button.and_then(|button| button.radius),
            title_font: title_font.filter(|font| text_font.as_ref() != Some(font)),
            text_font,
        }
    }

    fn accent(&self, ground: Colour) -> Option<Accent> {
        let buttons: Vec<Button> = self
            .page_elements(is_button)
            .filter(|at| !self.page.is_foreign(*at))
            .filter_map(|at| self.button(at, ground))
            .take(MOST_BUTTONS)
            .collect();
        let stands_out = |button: &&Button| button.colour.contrast(ground) >= CONTROL;
        let usual = || {
            let usual =
                (self.own..self.page.elements.len()).filter_map(|at| self.button(at, ground));
            usual.into_iter().find(|button| is_colourful(button.colour))
        };
        // The buttons of most pages have one colour, and a search or a menu has another.
        let of_most = most(&buttons);
        let primary = || {
            buttons
                .iter()
                .find(|button| button.is_primary && stands_out(button))
        };
        if let Some(button) = of_most.or_else(primary) {
            return Some(Accent::of(*button, Source::Button));
        }
        let without = |colour, source| Accent {
            colour,
            source,
            // Its shape is that of usual buttons all the same.
            button: usual().filter(|button| button.colour == colour),
        };
        if let Some(colour) = self.of_variables(ground) {
            return Some(without(colour, Source::Variable));
        }
        if let Some(button) = buttons.iter().find(stands_out) {
            return Some(Accent::of(*button, Source::Button));
        }
        if let Some(button) = usual() {
            return Some(Accent::of(button, Source::Rule));
        }
        let theme = self.page.theme_color.as_deref().and_then(value::colour);
        if let Some(theme) = theme
            .map(|paint| paint.on(ground))
            .filter(|colour| is_colourful(*colour))
        {
            return Some(without(theme, Source::ThemeColour));
        }
        let links = self
            .page_elements(|element| element.tag == "a")
            .take(MOST_LINKS);
        let mut links =
            links.filter_map(|at| Some(value::colour(&self.values.own(at, "color")?)?.on(ground)));
        let link = links.find(|colour| is_colourful(*colour))?;
        Some(without(link, Source::Link))
    }

    fn page_elements(&self, is: impl Fn(&Element) -> bool) -> impl Iterator<Item = usize> {
        let own = self.page.elements.iter().take(self.own).enumerate();
        own.filter(move |(_, element)| is(element))
            .map(|(at, _)| at)
    }

    /// The colour that an element is filled with.
    fn fill(&self, at: usize, ground: Colour) -> Option<Colour> {
        let paint = |property| value::colour(&self.values.own(at, property)?);
        let covers = |paint: &value::Paint| paint.opacity >= COVERS;
        let plain = paint("background-color").filter(covers);
        Some(
            plain
                .or_else(|| paint("background-image").filter(covers))?
                .on(ground),
        )
    }

    /// The colour of the text of an element.
    fn ink(&self, at: usize, ground: Colour) -> Option<Colour> {
        ink(&self.values.inherited(at, "color")?, ground)
    }

    fn button(&self, at: usize, ground: Colour) -> Option<Button> {
        let colour = self.fill(at, ground)?;
        if colour.contrast(ground) < SEEN && !is_colourful(colour) {
            return None;
        }
        let words = self
            .page
            .elements
            .get(at)?
            .attribute("class")
            .unwrap_or_default()
            .to_ascii_lowercase();
        Some(Button {
            colour,
            // Browsers have colours of their own for buttons and links.
            text: self
                .values
                .own(at, "color")
                .and_then(|text| ink(&text, colour)),
            radius: self
                .values
                .own(at, "border-radius")
                .and_then(|text| value::radius(&text)),
            is_primary: ["primary", "cta"].iter().any(|word| words.contains(word)),
        })
    }

    fn of_variables(&self, ground: Colour) -> Option<Colour> {
        VARIABLES.iter().find_map(|name| {
            let value = self.values.variable(BODY, name)?;
            let paint =
                value::colour_of_variable(&value).filter(|paint| paint.opacity >= COVERS)?;
            Some(paint.on(ground)).filter(|colour| is_colourful(*colour))
        })
    }
}

struct Accent {
    colour: Colour,
    source: Source,
    button: Option<Button>,
}

impl Accent {
    fn of(button: Button, source: Source) -> Self {
        Self {
            colour: button.colour,
            source,
            button: Some(button),
        }
    }
}

/// The first button of the colour that most of them have, greys apart.
fn most(buttons: &[Button]) -> Option<&Button> {
    let mut votes: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (at, button) in buttons.iter().enumerate() {
        if is_colourful(button.colour) {
            let (count, _) = votes.entry(button.colour.to_string()).or_insert((0, at));
            *count += if button.is_primary { 3 } else { 1 };
        }
    }
    let first = votes
        .into_values()
        .max_by_key(|(count, at)| (*count, std::cmp::Reverse(*at)));
    buttons.get(first?.1)
}

/// Links may be drawn as buttons; those that are not have no ground of their own.
fn is_button(element: &Element) -> bool {
    match &*element.tag {
        "button" | "a" => true,
        "input" => matches!(element.attribute("type"), Some("submit" | "button")),
        _ => element.attribute("role") == Some("button"),
    }
}

fn ink(text: &str, ground: Colour) -> Option<Colour> {
    let paint = value::colour(text).filter(|paint| paint.opacity >= COVERS)?;
    Some(paint.on(ground))
}

fn is_colourful(colour: Colour) -> bool {
    let channels = colour.channels();
    let (least, most) = (channels.iter().min(), channels.iter().max());
    least
        .zip(most)
        .is_some_and(|(least, most)| most - least >= COLOURFUL)
}
