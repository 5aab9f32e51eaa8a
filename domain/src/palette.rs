//! From the colours that a project chose to those that its widgets are drawn with.
//!
//! A project gives up to eight colours; the widget needs about a dozen, in a light and in a dark
//! scheme, and every pair that carries text or a control must reach the contrast that WCAG 2.2
//! asks for (4.5 for text, 3 for controls), whatever was chosen. Rendering draws with [`Palette`],
//! and the editor tells of [`Repair`]s: both ask here, so they cannot disagree.

use crate::colour::{BLACK, CONTROL, Colour, TEXT, WHITE};

/// Accent of a project that chose none.
pub const ACCENT: Colour = Colour::new(0x0032_4fd1);
/// Messages about failures of a project that chose no colour for them.
const DANGER: Colour = Colour::new(0x00b4_2318);
/// Ground of the dark scheme.
const DARK: Colour = Colour::new(0x001c_1f27);

/// The colours that a project chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    main: Option<Colour>,
    secondary: Option<Colour>,
    background: Option<Colour>,
    text: Option<Colour>,
    title: Option<Colour>,
    border: Option<Colour>,
    button_text: Option<Colour>,
    danger: Option<Colour>,
}

/// The colours of one scheme, by their use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Ground.
    pub background: Colour,
    /// Quiet areas on it.
    pub surface: Colour,
    /// Text.
    pub text: Colour,
    /// Titles.
    pub title: Colour,
    /// Less important text.
    pub muted: Colour,
    /// Lines.
    pub line: Colour,
    /// Filled buttons.
    pub accent: Colour,
    /// Text on them.
    pub on_accent: Colour,
    /// Links, and the frame of focus.
    pub link: Colour,
    /// Switches that are off.
    pub toggle: Colour,
    /// Switches that are on.
    pub switch: Colour,
    /// Messages about failures.
    pub danger: Colour,
}

/// The roles of two colours that stand on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// Text on the background.
    Text,
    /// Titles on the background.
    Title,
    /// Buttons on the background.
    Button,
    /// Text on buttons.
    ButtonText,
    /// Links on the background.
    Link,
    /// Messages about failures on the background.
    Danger,
}

/// A chosen colour that cannot be read, and the colour that is drawn instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repair {
    /// The roles of the two colours.
    pub pair: Pair,
    /// The colour that the project chose.
    pub chosen: Colour,
    /// The colour behind it.
    pub ground: Colour,
    /// Their contrast.
    pub found: f64,
    /// The contrast that the pair needs.
    pub needed: f64,
    /// The colour that the widget uses.
    pub used: Colour,
}

impl Chosen {
    /// Reads them by the names that a project gives them. A text that is no colour counts as no
    /// choice.
    pub fn read<'a>(text: impl Fn(&str) -> Option<&'a str>) -> Self {
        let colour = |key| text(key).and_then(Colour::read);
        Self {
            main: colour("main"),
            secondary: colour("secondary"),
            background: colour("background"),
            text: colour("text"),
            title: colour("title"),
            border: colour("border"),
            button_text: colour("buttonText"),
            danger: colour("danger"),
        }
    }

    fn ground(&self) -> Colour {
        self.background.unwrap_or(WHITE)
    }

    /// The scheme that the project chose.
    pub fn palette(&self) -> Palette {
        Palette::new(self, self.ground())
    }

    /// The scheme for visitors who prefer dark pages. A project with a dark background has chosen
    /// for both schemes, and needs none.
    pub fn dark(&self) -> Option<Palette> {
        let chosen = Self {
            text: None,
            title: None,
            border: None,
            ..*self
        };
        (!is_dark(self.ground())).then(|| Palette::new(&chosen, DARK))
    }

    /// Chosen colours that the widget does not use as they are, because nobody could read them.
    pub fn repairs(&self) -> Vec<Repair> {
        let palette = self.palette();
        let grounds = [palette.background, palette.surface];
        let mut found = Vec::new();
        let mut look = |pair, chosen: Option<Colour>, grounds: &[Colour], needed, used| {
            let Some(chosen) = chosen else { return };
            let hardest = grounds
                .iter()
                .map(|ground| (chosen.contrast(*ground), *ground))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((contrast, ground)) = hardest
                && contrast < needed
            {
                found.push(Repair {
                    pair,
                    chosen,
                    ground,
                    found: contrast,
                    needed,
                    used,
                });
            }
        };
        look(Pair::Text, self.text, &grounds, TEXT, palette.text);
        look(Pair::Title, self.title, &grounds, TEXT, palette.title);
        look(Pair::Danger, self.danger, &grounds, TEXT, palette.danger);
        let button = [palette.background];
        look(Pair::Button, self.main, &button, CONTROL, palette.accent);
        let on = [palette.accent];
        look(
            Pair::ButtonText,
            self.button_text,
            &on,
            TEXT,
            palette.on_accent,
        );
        // A repaired colour of buttons repairs links, too. So links are looked at only if buttons
        // keep the chosen colour.
        if palette.accent == self.main.unwrap_or(ACCENT) {
            look(Pair::Link, self.main, &grounds, TEXT, palette.link);
        }
        found
    }
}

fn is_dark(ground: Colour) -> bool {
    ground.luminance() <= 0.2
}

impl Palette {
    fn new(chosen: &Chosen, background: Colour) -> Self {
        let dark = is_dark(background);
        let pole = if dark { WHITE } else { BLACK };
        let main = chosen.main.unwrap_or(ACCENT);
        // A breath of the accent, or the project's second colour thinned out.
        let tint = chosen.secondary.unwrap_or(main);
        let surface = background
            .mix(pole, 0.03)
            .mix(tint, if dark { 0.12 } else { 0.06 });
        let grounds = [background, surface];
        let text = chosen
            .text
            .unwrap_or_else(|| background.mix(pole, 0.86))
            .readable_on(&grounds, TEXT);
        let title = chosen
            .title
            .unwrap_or_else(|| background.mix(pole, 0.95))
            .readable_on(&grounds, TEXT);
        let accent = main.readable_on(&[background], CONTROL);
        Self {
            background,
            surface,
            text,
            title,
            muted: text.mix(background, 0.26).readable_on(&grounds, TEXT),
            line: chosen.border.unwrap_or_else(|| background.mix(pole, 0.12)),
            accent,
            on_accent: accent.ink(chosen.button_text),
            link: main.readable_on(&grounds, TEXT),
            danger: chosen.danger.unwrap_or(DANGER).readable_on(&grounds, TEXT),
            toggle: background.mix(pole, 0.4).readable_on(&grounds, CONTROL),
            // The knob of a switch is white, so the track must carry white.
            switch: main
                .readable_on(&[WHITE], CONTROL)
                .readable_on(&[background], if dark { 1.6 } else { CONTROL }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(colours: &[(&str, &'static str)]) -> Chosen {
        Chosen::read(|key| {
            let found = colours.iter().find(|(name, _)| *name == key);
            found.map(|(_, value)| *value)
        })
    }

    #[test]
    fn unreadable_choices_are_repaired_in_both_schemes() {
        let worst = chosen(&[
            ("main", "#ffff00"),
            ("text", "#eeeeee"),
            ("title", "#ffffff"),
            ("buttonText", "#ffffff"),
            ("danger", "#ff0000"),
            ("background", "#ffffff"),
        ]);
        for palette in [worst.palette(), worst.dark().unwrap()] {
            let ground = palette.background;
            for ink in [
                palette.text,
                palette.title,
                palette.muted,
                palette.link,
                palette.danger,
            ] {
                assert!(ink.contrast(ground) >= TEXT, "{ink} on {ground}");
            }
            assert!(palette.on_accent.contrast(palette.accent) >= TEXT);
            assert!(palette.accent.contrast(ground) >= CONTROL);
        }
    }

    #[test]
    fn each_repair_names_its_pair_and_what_the_widget_draws() {
        let chosen = chosen(&[
            ("main", "#ffd400"),
            ("text", "#999999"),
            ("title", "#111111"),
            ("buttonText", "#ffffff"),
        ]);
        let palette = chosen.palette();
        let repairs = chosen.repairs();
        let pairs: Vec<Pair> = repairs.iter().map(|repair| repair.pair).collect();
        assert_eq!(pairs, [Pair::Text, Pair::Button, Pair::ButtonText]);
        let used: Vec<Colour> = repairs.iter().map(|repair| repair.used).collect();
        assert_eq!(used, [palette.text, palette.accent, palette.on_accent]);
        for repair in repairs {
            assert!(repair.found < repair.needed, "{repair:?}");
            assert!(repair.used.contrast(repair.ground) >= repair.needed);
        }
    }

    #[test]
    fn what_can_be_read_and_what_was_not_chosen_is_no_repair() {
        assert_eq!(chosen(&[]).repairs(), []);
        let good = [
            ("main", "#0f5132"),
            ("text", "#222"),
            ("buttonText", "#fff"),
        ];
        assert_eq!(chosen(&good).repairs(), []);
        // Good enough for a button, not for a line of text.
        let links = chosen(&[("main", "#3b82f6")]).repairs();
        assert_eq!(links.len(), 1);
        assert_eq!(links[0].pair, Pair::Link);
        assert_eq!(chosen(&[("main", "blue")]).repairs(), []);
    }

    #[test]
    fn a_dark_project_is_dark_in_both_schemes() {
        assert_eq!(chosen(&[("background", "#101418")]).dark(), None);
        assert!(chosen(&[]).dark().is_some());
    }
}
