//! From the colours that a project chose to those that its widgets are drawn with.
//!
//! A project gives up to eight colours; the widget needs about a dozen, in a light and in a dark
//! scheme, and every pair that carries text or a control must reach the contrast that WCAG 2.2
//! asks for (4.5 for text, 3 for controls), whatever was chosen. Buttons keep the chosen colour: its ink and
//! an edge make them readable. Everything else in that colour takes a shade that can be seen there. Rendering draws
//! with [`Palette`], and the editor tells of [`Repair`]s and [`Shade`]s: both ask here, so they cannot disagree.

use crate::colour::{BLACK, CALL_TO_ACTION, CONTROL, Colour, TEXT, WHITE};

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
    /// Edge of filled buttons that would not stand out from the ground without one.
    pub edge: Option<Colour>,
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
    /// Text on buttons.
    ButtonText,
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

/// Things that are drawn in a shade of the chosen main colour where that could not be seen itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shaded {
    /// Buttons, where the widget asks by TCF.
    Buttons,
    /// Links, and the frame of focus.
    Links,
    /// Switches that are on.
    Switches,
    /// The edge of buttons.
    Edge,
}

/// A shade that the widget draws of the main colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shade {
    /// Its use.
    pub of: Shaded,
    /// The main colour that the project chose.
    pub chosen: Colour,
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
        Palette::new(self, self.ground(), Buttons::AsChosen)
    }

    /// The scheme for dark pages, with the colours that the project chose for it. A project with a dark
    /// background and no such colours has chosen for both schemes, and needs none.
    pub fn dark(&self, own: &Self) -> Option<Palette> {
        let dark_anyway = is_dark(self.ground());
        if dark_anyway && *own == Self::default() {
            return None;
        }
        let other =
            |own: Option<Colour>, light: Option<Colour>| own.or(light.filter(|_| dark_anyway));
        let chosen = Self {
            main: own.main.or(self.main),
            secondary: own.secondary.or(self.secondary),
            background: own.background,
            text: other(own.text, self.text),
            title: other(own.title, self.title),
            border: other(own.border, self.border),
            // It was chosen for buttons of that colour.
            button_text: own
                .button_text
                .or(self.button_text.filter(|_| own.main.is_none())),
            danger: own.danger.or(self.danger),
        };
        let ground = other(own.background, self.background).unwrap_or(DARK);
        let buttons = if own.main.is_some() || dark_anyway {
            Buttons::AsChosen
        } else {
            Buttons::Lifted
        };
        Some(Palette::new(&chosen, ground, buttons))
    }

    /// Chosen colours that the widget does not use as they are, because nobody could read them.
    pub fn repairs(&self) -> Vec<Repair> {
        self.repairs_in(&self.palette())
    }

    /// As [`Self::repairs`], of the colours that were chosen for dark pages.
    pub fn dark_repairs(&self, own: &Self) -> Vec<Repair> {
        let palette = self.dark(own);
        palette.map_or_else(Vec::new, |palette| own.repairs_in(&palette))
    }

    fn repairs_in(&self, palette: &Palette) -> Vec<Repair> {
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
        let on = [palette.accent];
        look(
            Pair::ButtonText,
            self.button_text,
            &on,
            TEXT,
            palette.on_accent,
        );
        found
    }

    /// Shades that the widget draws of the main colour, where it cannot have it as it is.
    pub fn shades(&self, by_tcf: bool) -> Vec<Shade> {
        self.shades_in(&self.palette().asking(by_tcf))
    }

    /// As [`Self::shades`], of the main colour that was chosen for dark pages.
    pub fn dark_shades(&self, own: &Self, by_tcf: bool) -> Vec<Shade> {
        let palette = self.dark(own);
        palette.map_or_else(Vec::new, |palette| own.shades_in(&palette.asking(by_tcf)))
    }

    fn shades_in(&self, palette: &Palette) -> Vec<Shade> {
        let Some(chosen) = self.main else {
            return Vec::new();
        };
        [
            (Shaded::Buttons, palette.accent),
            (Shaded::Edge, palette.edge.unwrap_or(palette.accent)),
            (Shaded::Links, palette.link),
            (Shaded::Switches, palette.switch),
        ]
        .into_iter()
        .filter(|(of, used)| match of {
            Shaded::Edge => *used != palette.accent,
            _ => *used != chosen,
        })
        .map(|(of, used)| Shade { of, chosen, used })
        .collect()
    }
}

/// The colour of filled buttons.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buttons {
    /// As it was chosen, for this ground.
    AsChosen,
    /// Moved until it stands out: nobody has chosen it for this ground.
    Lifted,
}

fn is_dark(ground: Colour) -> bool {
    ground.luminance() <= 0.2
}

impl Palette {
    fn new(chosen: &Chosen, background: Colour, buttons: Buttons) -> Self {
        let dark = is_dark(background);
        let pole = if dark { WHITE } else { BLACK };
        let main = chosen.main.unwrap_or(ACCENT);
        // A breath of the accent, or the project's second colour thinned out.
        let tint = chosen.secondary.unwrap_or(main);
        let surface = background
            .mix(pole, 0.03)
            .mix(tint, if dark { 0.12 } else { 0.06 });
        // On a middling grey there may be no ink for both.
        let is_legible = |ink: Colour| ink.contrast(background).min(ink.contrast(surface)) >= TEXT;
        let surface = if is_legible(BLACK) || is_legible(WHITE) {
            surface
        } else {
            background
        };
        let grounds = [background, surface];
        let text = chosen
            .text
            .unwrap_or_else(|| background.mix(pole, 0.86))
            .readable_on(&grounds, TEXT);
        let title = chosen
            .title
            .unwrap_or_else(|| background.mix(pole, 0.95))
            .readable_on(&grounds, TEXT);
        let distinct = main.readable_on(&[background], CONTROL);
        let accent = match (buttons, chosen.main) {
            (Buttons::AsChosen, Some(main)) => main,
            _ => distinct,
        };
        Self {
            background,
            surface,
            text,
            title,
            muted: text.mix(background, 0.26).readable_on(&grounds, TEXT),
            line: chosen.border.unwrap_or_else(|| background.mix(pole, 0.12)),
            accent,
            on_accent: accent.ink(chosen.button_text),
            edge: (accent != distinct).then_some(distinct),
            link: main.readable_on(&grounds, TEXT),
            danger: chosen.danger.unwrap_or(DANGER).readable_on(&grounds, TEXT),
            toggle: background.mix(pole, 0.4).readable_on(&grounds, CONTROL),
            switch: switch(main, background),
        }
    }
}

impl Palette {
    /// That of a widget that asks `by_tcf` or not. TCF asks for more contrast of texts on buttons: a main colour between
    /// light and dark carries neither black nor white at that contrast, and gets darker.
    #[must_use]
    pub fn asking(self, by_tcf: bool) -> Self {
        if by_tcf {
            self.with_calls_to_action()
        } else {
            self
        }
    }

    fn with_calls_to_action(mut self) -> Self {
        let ink = |accent: Colour| {
            let inks = [self.on_accent, BLACK, WHITE].into_iter();
            inks.map(|ink| (ink, ink.contrast(accent)))
                .find(|(_, contrast)| *contrast >= CALL_TO_ACTION)
        };
        let mut darker = (0..=20).map(|step| self.accent.mix(BLACK, f64::from(step) / 20.0));
        if let Some((accent, (ink, _))) = darker.find_map(|accent| Some((accent, ink(accent)?))) {
            self.accent = accent;
            self.on_accent = ink;
        }
        let distinct = self.accent.readable_on(&[self.background], CONTROL);
        self.edge = (self.accent != distinct).then_some(distinct);
        // The quiet button stands on the surface.
        self.text = self
            .text
            .readable_on(&[self.background, self.surface], CALL_TO_ACTION);
        self
    }
}

/// The track of a switch that is on. Its knob is white, so the track must carry white. On a dark ground the
/// knob shows where the switch is, and the track need not stand out by itself.
fn switch(main: Colour, background: Colour) -> Colour {
    let needed = if is_dark(background) { 1.6 } else { CONTROL };
    let track = main
        .readable_on(&[WHITE], CONTROL)
        .readable_on(&[background], needed);
    if track.contrast(WHITE) >= CONTROL {
        track
    } else {
        // Lighter than a middling grey, it would not carry white: darker then.
        (0..=20)
            .map(|step| main.mix(BLACK, f64::from(step) / 20.0))
            .find(|it| it.contrast(WHITE) >= CONTROL && it.contrast(background) >= needed)
            .unwrap_or(BLACK)
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
        for palette in [worst.palette(), worst.dark(&chosen(&[])).unwrap()] {
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
            let edge = palette.edge.unwrap_or(palette.accent);
            assert!(edge.contrast(ground) >= CONTROL);
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
        assert_eq!(pairs, [Pair::Text, Pair::ButtonText]);
        let used: Vec<Colour> = repairs.iter().map(|repair| repair.used).collect();
        assert_eq!(used, [palette.text, palette.on_accent]);
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
        assert_eq!(chosen(&[("main", "blue")]).repairs(), []);
    }

    #[test]
    fn a_dark_project_is_dark_in_both_schemes() {
        let (dark, none) = (chosen(&[("background", "#101418")]), chosen(&[]));
        assert_eq!(dark.dark(&none), None);
        assert!(none.dark(&none).is_some());
        // With a colour for dark pages it is still dark in its own way.
        let own = chosen(&[("main", "#7ee2b8")]);
        let palette = dark.dark(&own).unwrap();
        assert_eq!(palette.background, dark.palette().background);
    }

    #[test]
    fn buttons_keep_a_bright_colour_with_dark_ink_and_an_edge() {
        let bright = chosen(&[("main", "#ffe600"), ("buttonText", "#ffffff")]);
        let palette = bright.palette();
        assert_eq!(palette.accent, Colour::new(0x00ff_e600));
        assert_eq!(palette.on_accent, BLACK);
        let edge = palette.edge.unwrap();
        assert!(edge.contrast(WHITE) >= CONTROL && edge.luminance() < palette.accent.luminance());
        // On the dark ground it stands out, and nothing is drawn around it.
        let dark = bright.dark(&chosen(&[])).unwrap();
        assert_eq!((dark.accent, dark.edge), (palette.accent, None));
        // A colour that was chosen for a light ground moves on a dark one.
        let navy = chosen(&[("main", "#0b1f4d")]);
        assert_eq!(navy.palette().edge, None);
        let dark = navy.dark(&chosen(&[])).unwrap();
        assert!(dark.edge.is_none() && dark.accent.contrast(dark.background) >= CONTROL);
    }

    #[test]
    fn colours_for_dark_pages_are_kept_and_the_others_follow() {
        let light = chosen(&[
            ("main", "#0b6e4f"),
            ("buttonText", "#ffffff"),
            ("text", "#222222"),
            ("background", "#f4fff9"),
        ]);
        let own = chosen(&[("main", "#7ee2b8"), ("background", "#04140e")]);
        let dark = light.dark(&own).unwrap();
        assert_eq!(dark.accent, Colour::new(0x007e_e2b8));
        assert_eq!(dark.background, Colour::new(0x0004_140e));
        // White was chosen for the other buttons, dark text for the other background.
        assert_eq!(dark.on_accent, BLACK);
        assert!(dark.text.luminance() > 0.5);
        assert_eq!(light.dark_repairs(&own), []);
        let poor = chosen(&[("background", "#04140e"), ("text", "#333333")]);
        let pairs: Vec<Pair> = light
            .dark_repairs(&poor)
            .iter()
            .map(|repair| repair.pair)
            .collect();
        assert_eq!(pairs, [Pair::Text]);
        let shades = light.dark_shades(&chosen(&[("main", "#0b1f4d")]), false);
        assert_eq!(shades.first().map(|shade| shade.of), Some(Shaded::Edge));
    }

    #[test]
    fn shades_of_the_main_colour_are_told_by_their_use() {
        let of = |main| {
            let shades = chosen(&[("main", main)]).shades(false);
            shades.iter().map(|shade| shade.of).collect::<Vec<_>>()
        };
        assert_eq!(
            of("#ffe600"),
            [Shaded::Edge, Shaded::Links, Shaded::Switches]
        );
        // Good enough for a button, not for a line of text.
        assert_eq!(of("#3b82f6"), [Shaded::Links]);
        assert_eq!(of("#0f5132"), []);
        assert_eq!(chosen(&[]).shades(false), []);
    }

    /// A main colour on which both inks have a contrast below 5, and others, which stay as they are.
    #[test]
    fn buttons_of_tcf_have_more_contrast() {
        let of = |main| chosen(&[("main", main)]).palette();
        for main in ["#ffe600", "#1f3a8a", "#e5e7eb", "#000000"] {
            assert_eq!(of(main).with_calls_to_action().accent, of(main).accent);
        }
        let middling = "#777777";
        let plain = of(middling);
        assert!(plain.on_accent.contrast(plain.accent) < CALL_TO_ACTION);
        let palette = plain.with_calls_to_action();
        assert!(palette.on_accent.contrast(palette.accent) >= CALL_TO_ACTION);
        assert!(palette.text.contrast(palette.surface) >= CALL_TO_ACTION);
        let shades = chosen(&[("main", middling)]).shades(true);
        let told = shades.iter().find(|shade| shade.of == Shaded::Buttons);
        assert_eq!(told.map(|shade| shade.used), Some(palette.accent));
        // On a dark ground the darker colour gets an edge.
        let dark = chosen(&[("main", middling), ("background", "#222222")]).palette();
        assert!(dark.edge.is_none() && dark.with_calls_to_action().edge.is_some());
    }

    /// Text reaches a contrast of 4.5 and controls reach 3, with any colours of a project.
    #[test]
    fn any_colours_make_a_palette_that_can_be_read() {
        let mut random = fastrand::Rng::with_seed(7);
        // Greys are where inks run out.
        let mut colour = || match random.u32(..4) {
            0 => None,
            1 => Some(Colour::new(random.u32(..256) * 0x0001_0101)),
            _ => Some(Colour::new(random.u32(..0x0100_0000))),
        };
        let mut choose = || Chosen {
            main: colour(),
            secondary: colour(),
            background: colour(),
            text: colour(),
            title: colour(),
            border: colour(),
            button_text: colour(),
            danger: colour(),
        };
        for round in 0..20_000 {
            let chosen = choose();
            let own = if round % 2 == 0 {
                choose()
            } else {
                Chosen::default()
            };
            let dark = chosen.dark(&own);
            for palette in [Some(chosen.palette()), dark].into_iter().flatten() {
                for ground in [palette.background, palette.surface] {
                    for ink in [
                        palette.text,
                        palette.title,
                        palette.muted,
                        palette.link,
                        palette.danger,
                    ] {
                        assert!(ink.contrast(ground) >= TEXT, "{chosen:?} {palette:?}");
                    }
                    assert!(palette.toggle.contrast(ground) >= CONTROL, "{chosen:?}");
                }
                assert!(palette.on_accent.contrast(palette.accent) >= TEXT);
                let edge = palette.edge.unwrap_or(palette.accent);
                assert!(edge.contrast(palette.background) >= CONTROL, "{chosen:?}");
                let needed = if is_dark(palette.background) {
                    1.6
                } else {
                    CONTROL
                };
                let switch = palette.switch;
                assert!(switch.contrast(palette.background) >= needed, "{chosen:?}");
                assert!(switch.contrast(WHITE) >= CONTROL, "{chosen:?}");
            }
            for repair in chosen
                .repairs()
                .into_iter()
                .chain(chosen.dark_repairs(&own))
            {
                assert!(repair.found < repair.needed && repair.used != repair.chosen);
            }
            if let Some(main) = chosen.main {
                assert_eq!(chosen.palette().accent, main);
            }
            if let (Some(main), Some(dark)) = (own.main, dark) {
                assert_eq!(dark.accent, main);
            }
        }
    }
}
