//! Finished looks: colours for light and dark pages, fonts and shapes that fit together, for each form of the widget. One
//! click takes all over.

use domain::documents::{ButtonCase, ButtonWeight, DisplayMode, Position};
use leptos::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{ENTRANCE, IMAGE_PLACE, LOGO};
use crate::components::draft::Draft;
use crate::components::undo::Undo;
use crate::i18n::{LookTexts, fill};

/// Fields of a project that are its look.
pub const FIELDS: [&str; 4] = ["/colors", "/darkColors", "/fonts", "/widgetStyle"];

/// The colours of a scheme.
struct Scheme {
    main: &'static str,
    button_text: &'static str,
    background: &'static str,
    text: &'static str,
    title: &'static str,
    border: &'static str,
}

/// A finished look.
struct Look {
    name: fn(&LookTexts) -> &'static str,
    light: Scheme,
    dark: Scheme,
    /// Font families of titles and text.
    fonts: [&'static str; 2],
    /// Radius of the corners, of the buttons' corners, and padding, in CSS pixels.
    radius: u8,
    button_radius: u8,
    padding: u8,
    button_weight: ButtonWeight,
    button_case: ButtonCase,
    position: Position,
}

const SERIF: &str = "Georgia, serif";
const MONO: &str = "ui-monospace, monospace";

/// A scheme in one line: buttons, their text, background, text, titles, lines.
const fn scheme(
    main: &'static str,
    button_text: &'static str,
    background: &'static str,
    text: &'static str,
    title: &'static str,
    border: &'static str,
) -> Scheme {
    Scheme {
        main,
        button_text,
        background,
        text,
        title,
        border,
    }
}

const LOOKS: [Look; 12] = [
    Look {
        name: |w| w.classic,
        light: scheme(
            "#324fd1", "#ffffff", "#ffffff", "#242424", "#0d0d0d", "#e0e0e0",
        ),
        dark: scheme(
            "#4761d6", "#ffffff", "#1c1f27", "#dfe0e1", "#f4f4f4", "#373a41",
        ),
        fonts: ["", ""],
        radius: 12,
        button_radius: 8,
        padding: 20,
        button_weight: ButtonWeight::Semibold,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomLeft,
    },
    Look {
        name: |w| w.ink,
        light: scheme(
            "#111111", "#ffffff", "#ffffff", "#222222", "#000000", "#111111",
        ),
        dark: scheme(
            "#f5f5f5", "#111111", "#0e0e0e", "#e6e6e6", "#ffffff", "#f5f5f5",
        ),
        fonts: ["", ""],
        radius: 0,
        button_radius: 0,
        padding: 24,
        button_weight: ButtonWeight::Bold,
        button_case: ButtonCase::Uppercase,
        position: Position::Bottom,
    },
    Look {
        name: |w| w.paper,
        light: scheme(
            "#7a4b2a", "#ffffff", "#fbf6ec", "#43382e", "#2b2118", "#e3d8c5",
        ),
        dark: scheme(
            "#d9a878", "#2b2118", "#241d17", "#eadfce", "#fbf6ec", "#4a3d31",
        ),
        fonts: [SERIF, SERIF],
        radius: 6,
        button_radius: 4,
        padding: 24,
        button_weight: ButtonWeight::Normal,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomLeft,
    },
    Look {
        name: |w| w.ocean,
        light: scheme(
            "#0b6fa4", "#ffffff", "#f4fafe", "#1f3442", "#0a2433", "#cfe3ee",
        ),
        dark: scheme(
            "#5cb8e6", "#06202e", "#0d2330", "#d5e6ef", "#f2f9fd", "#25465a",
        ),
        fonts: ["", ""],
        radius: 18,
        button_radius: 24,
        padding: 22,
        button_weight: ButtonWeight::Semibold,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomRight,
    },
    Look {
        name: |w| w.forest,
        light: scheme(
            "#2c6e49", "#ffffff", "#f7faf5", "#28352c", "#14231a", "#d3dfd2",
        ),
        dark: scheme(
            "#7cc297", "#0e2016", "#16241b", "#d8e4da", "#f3f8f3", "#33493b",
        ),
        fonts: [SERIF, ""],
        radius: 10,
        button_radius: 6,
        padding: 20,
        button_weight: ButtonWeight::Medium,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomLeft,
    },
    Look {
        name: |w| w.rose,
        light: scheme(
            "#b3245f", "#ffffff", "#fff6f9", "#47313a", "#2e1a22", "#f2d3df",
        ),
        dark: scheme(
            "#f28db4", "#33101f", "#2b1620", "#f0dde5", "#fff6f9", "#55303f",
        ),
        fonts: ["", ""],
        radius: 24,
        button_radius: 24,
        padding: 24,
        button_weight: ButtonWeight::Semibold,
        button_case: ButtonCase::AsWritten,
        position: Position::Center,
    },
    Look {
        name: |w| w.sunset,
        light: scheme(
            "#c2410c", "#ffffff", "#fffaf5", "#40302a", "#2a1a13", "#f3dcc9",
        ),
        dark: scheme(
            "#fb923c", "#2a1205", "#271913", "#f3e3d8", "#fff7f0", "#533a2c",
        ),
        fonts: ["", ""],
        radius: 14,
        button_radius: 10,
        padding: 20,
        button_weight: ButtonWeight::Bold,
        button_case: ButtonCase::AsWritten,
        position: Position::Bottom,
    },
    Look {
        name: |w| w.lavender,
        light: scheme(
            "#6941c6", "#ffffff", "#faf8ff", "#3a3350", "#231c38", "#e2daf5",
        ),
        dark: scheme(
            "#b79cf2", "#1f1438", "#1e1930", "#e3dcf4", "#f8f5ff", "#41375f",
        ),
        fonts: ["", ""],
        radius: 16,
        button_radius: 12,
        padding: 24,
        button_weight: ButtonWeight::Medium,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomRight,
    },
    Look {
        name: |w| w.sun,
        light: scheme(
            "#ffd60a", "#1f1a00", "#ffffff", "#2b2a24", "#14130e", "#e9e6d8",
        ),
        dark: scheme(
            "#ffd60a", "#1f1a00", "#1f1e19", "#e9e7dc", "#fffdf2", "#45423a",
        ),
        fonts: ["", ""],
        radius: 8,
        button_radius: 24,
        padding: 20,
        button_weight: ButtonWeight::Bold,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomLeft,
    },
    Look {
        name: |w| w.slate,
        light: scheme(
            "#334155", "#ffffff", "#f8fafc", "#334155", "#0f172a", "#cbd5e1",
        ),
        dark: scheme(
            "#94a3b8", "#0f172a", "#1e293b", "#e2e8f0", "#f8fafc", "#475569",
        ),
        fonts: ["", ""],
        radius: 4,
        button_radius: 4,
        padding: 16,
        button_weight: ButtonWeight::Medium,
        button_case: ButtonCase::AsWritten,
        position: Position::Top,
    },
    Look {
        name: |w| w.midnight,
        light: scheme(
            "#8ab4ff", "#0b1220", "#10182b", "#d7deec", "#ffffff", "#2c3a58",
        ),
        dark: scheme(
            "#8ab4ff", "#0b1220", "#10182b", "#d7deec", "#ffffff", "#2c3a58",
        ),
        fonts: ["", ""],
        radius: 14,
        button_radius: 10,
        padding: 22,
        button_weight: ButtonWeight::Semibold,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomRight,
    },
    Look {
        name: |w| w.terminal,
        light: scheme(
            "#1a7f37", "#ffffff", "#fcfdfc", "#1f2421", "#0b0f0c", "#1f2421",
        ),
        dark: scheme(
            "#3fe06f", "#06130a", "#0b0f0c", "#c8f2d4", "#3fe06f", "#2b5238",
        ),
        fonts: [MONO, MONO],
        radius: 0,
        button_radius: 0,
        padding: 18,
        button_weight: ButtonWeight::Normal,
        button_case: ButtonCase::AsWritten,
        position: Position::BottomLeft,
    },
];

impl Scheme {
    fn document(&self) -> Value {
        json!({
            "main": self.main,
            "buttonText": self.button_text,
            "background": self.background,
            "text": self.text,
            "title": self.title,
            "border": self.border,
        })
    }
}

/// A field with a word; `None` for the default.
fn word<W: Default + PartialEq + Serialize>(key: &str, word: W) -> Option<(String, Value)> {
    (word != W::default()).then(|| (key.to_owned(), json!(word)))
}

impl Look {
    /// The values of [`FIELDS`].
    fn documents(&self) -> [Value; 4] {
        let fonts: Map<String, Value> = ["title", "text"]
            .into_iter()
            .zip(self.fonts)
            .filter(|(_, family)| !family.is_empty())
            .map(|(key, family)| (key.to_owned(), json!(family)))
            .collect();
        let mut style = Map::new();
        style.insert("borderRadius".to_owned(), json!(self.radius));
        style.insert("buttonRadius".to_owned(), json!(self.button_radius));
        style.insert("padding".to_owned(), json!(self.padding));
        // The fields of the page show nothing for what the widget does by itself.
        let words = [
            word("buttonWeight", self.button_weight),
            word("buttonCase", self.button_case),
            word("position", self.position),
        ];
        style.extend(words.into_iter().flatten());
        [
            self.light.document(),
            self.dark.document(),
            fonts.into(),
            style.into(),
        ]
    }

    fn sketch(&self, scheme: &Scheme, form: DisplayMode) -> Sketch {
        Sketch {
            form,
            main: scheme.main.to_owned(),
            button_text: scheme.button_text.to_owned(),
            background: scheme.background.to_owned(),
            text: scheme.text.to_owned(),
            title: scheme.title.to_owned(),
            border: scheme.border.to_owned(),
            radius: self.radius.into(),
            button_radius: self.button_radius.into(),
            position: self.position,
        }
    }

    /// The values of [`FIELDS`] of a project that takes this look. It keeps its entrance and the place of
    /// pictures, which are no part of a look.
    fn taken(&self, draft: Draft) -> [Value; 4] {
        let mut values = self.documents();
        let [.., style] = &mut values;
        for pointer in [ENTRANCE, IMAGE_PLACE] {
            if let (Some(style), Some(kept)) = (style.as_object_mut(), draft.at(pointer))
                && let Some((_, key)) = pointer.rsplit_once('/')
            {
                style.insert(key.to_owned(), kept);
            }
        }
        values
    }

    /// True if the project has this look and no other value in it.
    fn is_of(&self, draft: Draft) -> bool {
        let same = |(pointer, value): (&str, Value)| {
            draft.at(pointer).unwrap_or_else(|| json!({})) == value
        };
        FIELDS.into_iter().zip(self.taken(draft)).all(same)
    }
}

/// The looks to choose from, drawn in the form of a widget.
pub fn gallery(draft: Draft, form: Signal<DisplayMode>) -> AnyView {
    let w = LookTexts::of_this_page();
    view! {
        <ul class="choices looks" aria-label=w.title>
            {LOOKS.iter().map(|look| choice(draft, look, form)).collect_view()}
        </ul>
    }
    .into_any()
}

/// Gives a project these values of [`FIELDS`], and a logo if there is one. Says so with a way back.
pub fn take(
    draft: Draft,
    undo: Undo,
    values: [Option<Value>; 4],
    logo: Option<&str>,
    said: String,
) {
    let before = draft.value_untracked();
    for (pointer, value) in FIELDS.into_iter().zip(values) {
        draft.set(pointer, value);
    }
    if let Some(logo) = logo {
        draft.set_text(LOGO, logo);
    }
    undo.offer(said, before);
}

fn choice(draft: Draft, look: &'static Look, form: Signal<DisplayMode>) -> AnyView {
    let w = LookTexts::of_this_page();
    let name = (look.name)(w);
    let is_chosen = Memo::new(move |_| look.is_of(draft));
    let undo = Undo::of(draft);
    let take = move |_| {
        let taken = fill(w.taken, &[("name", name)]);
        let values = untrack(|| look.taken(draft));
        take(draft, undo, values.map(Some), None, taken);
    };
    let pages = move || {
        let schemes = [(&look.light, "#e9ebef"), (&look.dark, "#05070c")];
        let pages = schemes.into_iter();
        pages
            .map(|(scheme, page)| picture(&look.sketch(scheme, form.get()), page))
            .collect_view()
    };
    view! {
        <li>
            <button
                type="button"
                class="choice"
                disabled=draft.read_only
                aria-pressed=move || if is_chosen.get() { "true" } else { "false" }
                on:click=take
            >
                <span class="look">{pages}</span>
                <span>{name}</span>
            </button>
        </li>
    }
    .into_any()
}

/// A widget as a small picture shows it.
pub struct Sketch {
    pub form: DisplayMode,
    pub main: String,
    pub button_text: String,
    pub background: String,
    pub text: String,
    pub title: String,
    pub border: String,
    pub radius: f64,
    pub button_radius: f64,
    pub position: Position,
}

/// Width and height of the page on a small picture.
const PAGE: (f64, f64) = (88.0, 66.0);
/// Width and height of a button.
const BUTTON: (f64, f64) = (16.0, 7.0);

/// A rectangle on a small picture.
#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Sketch {
    fn area(&self) -> Area {
        let (width, height, gap) = match self.form {
            DisplayMode::Card => (50.0, 42.0, 4.0),
            DisplayMode::Modal => (60.0, 44.0, 4.0),
            DisplayMode::Bar => (PAGE.0, 24.0, 0.0),
        };
        let centred = (PAGE.0 - width) / 2.0;
        let x = match (self.form, self.position) {
            (DisplayMode::Bar, _) => 0.0,
            (_, Position::BottomLeft) => gap,
            (_, Position::BottomRight) => PAGE.0 - width - gap,
            (_, Position::Bottom | Position::Top | Position::Center) => centred,
        };
        let y = match (self.form, self.position) {
            (_, Position::Top) => gap,
            (DisplayMode::Card | DisplayMode::Modal, Position::Center) => (PAGE.1 - height) / 2.0,
            (_, _) => PAGE.1 - height - gap,
        };
        Area {
            x,
            y,
            width,
            height,
        }
    }

    /// The start of the text, and of the buttons. A bar has them side by side.
    fn starts(&self, area: Area) -> [(f64, f64); 2] {
        let Area {
            x,
            y,
            width,
            height,
        } = area;
        let text = (x + 5.0, y + 6.0);
        let (across, _) = BUTTON;
        match self.form {
            DisplayMode::Bar => [
                text,
                (
                    x + width - 2.0 * across - 8.0,
                    y + (height - BUTTON.1) / 2.0,
                ),
            ],
            DisplayMode::Card | DisplayMode::Modal => {
                [text, (x + 5.0, y + height - BUTTON.1 - 5.0)]
            }
        }
    }
}

/// A small page in this colour with the widget on it. Drawn, because the page's policy lets no element bring a style of
/// its own.
pub fn picture(sketch: &Sketch, page: &'static str) -> AnyView {
    let area = sketch.area();
    let Area {
        x,
        y,
        width,
        height,
    } = area;
    let (across, high) = BUTTON;
    // A third of the true sizes, as the whole is. A bar reaches from edge to edge.
    let radius = match sketch.form {
        DisplayMode::Bar => 0.0,
        DisplayMode::Card | DisplayMode::Modal => sketch.radius / 3.0,
    };
    let round = (sketch.button_radius / 3.0).min(high / 2.0);
    let [(text_x, text_y), (pair_x, pair_y)] = sketch.starts(area);
    let line = move |row: f64, length: f64, colour: &str, thick: f64| {
        view! { <rect x=text_x y=text_y + row width=length height=thick rx="0.8" fill=colour.to_owned() /> }
    };
    let lines = [
        line(0.0, 24.0, &sketch.title, 2.6),
        line(6.0, 38.0, &sketch.text, 1.5),
        line(9.6, 38.0, &sketch.text, 1.5),
        line(13.2, 22.0, &sketch.text, 1.5),
    ];
    let pair = [pair_x, pair_x + across + 3.0].map(|at| {
        view! {
            <rect x=at y=pair_y width=across height=high rx=round fill=sketch.main.clone() />
            <rect x=at + 4.0 y=pair_y + 2.8 width=across - 8.0 height="1.4" fill=sketch.button_text.clone() />
        }
    });
    // A dialog dims the page behind it.
    let dimmed = (sketch.form == DisplayMode::Modal).then(|| {
        view! { <path d="M0 0h88v66H0z" fill="#0a0d14" fill-opacity="0.5" /> }
    });
    view! {
        <svg viewBox="0 0 88 66" width="88" height="66" aria-hidden="true">
            <rect width="88" height="66" fill=page />
            {dimmed}
            <rect
                x=x + 0.5
                y=y + 0.5
                width=width - 1.0
                height=height - 1.0
                rx=radius
                fill=sketch.background.clone()
                stroke=sketch.border.clone()
            />
            {lines.into_iter().collect_view()}
            {pair.into_iter().collect_view()}
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use domain::collection::Collection;
    use domain::documents;
    use domain::palette::Pair;

    use super::super::repairs;
    use super::*;

    fn project(look: &Look) -> Value {
        let [colors, dark, fonts, style] = look.documents();
        json!({"title": "Shop", "websiteURL": "https://shop.example", "colors": colors, "darkColors": dark,
            "fonts": fonts, "widgetStyle": style})
    }

    #[test]
    fn everything_of_a_look_can_be_read_and_stored() {
        for look in &LOOKS {
            let project = project(look);
            let found = repairs(&project);
            let pairs: Vec<Pair> = found.iter().map(|repair| repair.pair).collect();
            assert_eq!(pairs, [], "{project}");
            let errors = documents::validate(Collection::Projects, &project);
            assert!(errors.is_empty(), "{errors:?}");
        }
    }

    #[test]
    fn each_form_stands_on_its_page() {
        for look in &LOOKS {
            let places = DisplayMode::ALL.iter().map(|&form| {
                let sketch = look.sketch(&look.light, form);
                let area = sketch.area();
                let [(text, _), (pair, high)] = sketch.starts(area);
                assert!(area.x >= 0.0 && area.x + area.width <= PAGE.0);
                assert!(area.y >= 0.0 && area.y + area.height <= PAGE.1);
                assert!(text > area.x && pair + 2.0 * BUTTON.0 + 3.0 < area.x + area.width);
                assert!(high > area.y && high + BUTTON.1 < area.y + area.height);
                (area.width * 10.0) as u32
            });
            let places: std::collections::BTreeSet<u32> = places.collect();
            assert_eq!(places.len(), DisplayMode::ALL.len());
        }
    }

    #[test]
    fn looks_differ() {
        let mut all: Vec<String> = LOOKS.iter().map(|look| project(look).to_string()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), LOOKS.len());
    }
}
