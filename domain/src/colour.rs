//! Colours: read, mixed, and moved until they can be read on each other (WCAG 2.2).

/// An opaque sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Colour([u8; 3]);

/// White.
pub const WHITE: Colour = Colour([255; 3]);
/// Black.
pub const BLACK: Colour = Colour([0; 3]);

/// Contrast that text needs.
pub const TEXT: f64 = 4.5;
/// Contrast that controls and focus rings need.
pub const CONTROL: f64 = 3.0;
/// Contrast of texts on buttons of TCF ("Policies", appendix B, C(g)).
pub const CALL_TO_ACTION: f64 = 5.0;

impl Colour {
    /// From `0xrrggbb`.
    pub const fn new(rgb: u32) -> Self {
        Self([(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8])
    }

    /// Reads `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa` (alpha is dropped); anything else is no colour.
    pub fn read(text: &str) -> Option<Self> {
        let hex = text.trim().strip_prefix('#')?;
        if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let digits = u32::from_str_radix(hex, 16).ok()?;
        let short = |digits: u32| Self([8, 4, 0].map(|shift| ((digits >> shift & 15) * 17) as u8));
        match hex.len() {
            3 => Some(short(digits)),
            4 => Some(short(digits >> 4)),
            6 => Some(Self::new(digits)),
            8 => Some(Self::new(digits >> 8)),
            _ => None,
        }
    }

    /// Red, green and blue.
    pub const fn channels(self) -> [u8; 3] {
        self.0
    }

    /// This colour with `share` (0 to 1) of another.
    #[must_use]
    pub fn mix(self, other: Self, share: f64) -> Self {
        let Self([r, g, b]) = self;
        let Self([r2, g2, b2]) = other;
        Self([(r, r2), (g, g2), (b, b2)].map(|(from, to)| {
            (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
        }))
    }

    /// Relative luminance, WCAG 2.2.
    pub fn luminance(self) -> f64 {
        let Self(channels) = self;
        let [r, g, b] = channels.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Contrast ratio of two colours, 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// This colour, moved towards black or white (whichever stands out from `ground`) just as
    /// far as `ratio` on each of `grounds` needs.
    #[must_use]
    pub fn readable_on(self, grounds: &[Self], ratio: f64) -> Self {
        let lowest = |colour: Self| {
            grounds
                .iter()
                .map(|ground| colour.contrast(*ground))
                .fold(f64::INFINITY, f64::min)
        };
        let pole = if lowest(BLACK) >= lowest(WHITE) {
            BLACK
        } else {
            WHITE
        };
        (0..=20)
            .map(|step| self.mix(pole, f64::from(step) / 20.0))
            .find(|colour| lowest(*colour) >= ratio)
            .unwrap_or(pole)
    }

    /// `wished` if it can be read on this colour, else black or white.
    #[must_use]
    pub fn ink(self, wished: Option<Self>) -> Self {
        wished
            .filter(|colour| colour.contrast(self) >= TEXT)
            .unwrap_or_else(|| {
                if WHITE.contrast(self) >= TEXT {
                    WHITE
                } else {
                    BLACK.readable_on(&[self], TEXT)
                }
            })
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(channels) = self;
        f.write_str("#")?;
        let short = channels.iter().all(|channel| channel % 17 == 0);
        for channel in channels {
            if short {
                write!(f, "{:x}", channel / 17)?;
            } else {
                write!(f, "{channel:02x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hex_colours_are_read() {
        assert_eq!(Colour::read("#1a2"), Some(Colour::new(0x0011_aa22)));
        assert_eq!(Colour::read("#1a2f"), Some(Colour::new(0x0011_aa22)));
        assert_eq!(Colour::read(" #112233 "), Some(Colour::new(0x0011_2233)));
        assert_eq!(Colour::read("#11223344"), Some(Colour::new(0x0011_2233)));
        for bad in ["red", "#12", "#12345", "#ff;}", "#+12", "", "url(#fff)"] {
            assert_eq!(Colour::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((WHITE.contrast(BLACK) - 21.0).abs() < 1e-9);
        assert!((Colour::new(0x0076_7676).contrast(WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn any_colour_becomes_readable_on_any_ground() {
        for ground in [0x00ff_ffff, 0, 0x0080_8080, 0x00ff_d700, 0x0012_2b4a] {
            let ground = Colour::new(ground);
            for colour in [0x00ff_ff00, 0x0000_00ff, 0x0077_7777, 0x00ff_ffff, 0] {
                let colour = Colour::new(colour);
                assert!(colour.readable_on(&[ground], TEXT).contrast(ground) >= TEXT);
                assert!(ground.ink(Some(colour)).contrast(ground) >= TEXT);
            }
        }
    }
}
