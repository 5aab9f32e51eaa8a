//! The rendered payload: what publishing writes for the widget and the browser SDK reads.
//!
//! Text, because decoding is where a small SDK loses most: lines end with `\n`, fields are
//! separated by tabs, and no value holds either (the renderer folds white space).
//!
//! ```text
//! 1 ⇥ project ⇥ identifier ⇥ name ⇥ language ⇥ days ⇥ flags
//! publication ⇥ API address
//! vendor ⇥ vendor ⇥ …          each: name|step|purposes|title
//! step name ⇥ step name ⇥ …
//! style sheet
//! frame of the open widget
//! reopen button (empty: none)
//! placeholder of a frame that waits for consent
//! page of step 0
//! page of step 1 …
//! ```

use alloc::vec::Vec;

/// The first field of a payload; a reader refuses any other.
pub const FORMAT: &str = "1";

/// Flags of a payload, one letter each.
pub mod flag {
    /// Choices are posted to the API.
    pub const SAVE: u8 = b's';
    /// A vendor that the stored choice does not know asks again.
    pub const REASK: u8 = b'r';
    /// Global Privacy Control refuses advertising vendors.
    pub const GPC: u8 = b'g';
    /// Google Consent Mode signals are sent.
    pub const CONSENT_MODE: u8 = b'm';
    /// No reopen button for visitors who have chosen.
    pub const HIDE_REOPEN: u8 = b'h';
}

/// Purposes of a vendor, one letter each.
pub mod purpose {
    /// Advertising.
    pub const ADVERTISING: u8 = b'a';
    /// Audience measurement.
    pub const ANALYTICS: u8 = b'n';
    /// Functions that a visitor asked for.
    pub const FUNCTIONAL: u8 = b'f';
    /// Personalised content.
    pub const PERSONALISATION: u8 = b'p';
}

/// A vendor as the SDK needs it; its looks are in the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vendor<'a> {
    /// Key of the choice.
    pub name: &'a str,
    /// Index of its step.
    pub step: usize,
    /// Letters of [`purpose`].
    pub purposes: &'a str,
    /// Display name.
    pub title: &'a str,
}

/// A payload, read without copying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload<'a> {
    /// The project's id.
    pub project: &'a str,
    /// The configuration's id.
    pub identifier: &'a str,
    /// The configuration's name (`cookiesVersion`).
    pub name: &'a str,
    /// ISO 639-1.
    pub language: &'a str,
    /// How long a choice is kept, in days.
    pub days: u32,
    /// Letters of [`flag`].
    pub flags: &'a str,
    /// SHA-256 (hex) of what the visitor is shown.
    pub publication: &'a str,
    /// Where consents are posted.
    pub api_url: &'a str,
    /// Vendors in the order of the steps.
    pub vendors: Vec<Vendor<'a>>,
    /// Names of the steps.
    pub steps: Vec<&'a str>,
    /// Style sheet of the widget.
    pub css: &'a str,
    /// Frame of the open widget; a page goes into its element of class `s`.
    pub frame: &'a str,
    /// The reopen button, or nothing.
    pub reopen: &'a str,
    /// What stands in for a frame that waits for consent.
    pub placeholder: &'a str,
    /// One page a step.
    pub pages: Vec<&'a str>,
}

impl<'a> Payload<'a> {
    /// Reads a payload; `None` if it is of another format.
    pub fn read(text: &'a str) -> Option<Self> {
        let mut rest = text;
        let mut head = cut(&mut rest, b'\n');
        if cut(&mut head, b'\t') != FORMAT {
            return None;
        }
        let mut place = cut(&mut rest, b'\n');
        let mut vendors = cut(&mut rest, b'\n');
        let mut steps = cut(&mut rest, b'\n');
        Some(Self {
            project: cut(&mut head, b'\t'),
            identifier: cut(&mut head, b'\t'),
            name: cut(&mut head, b'\t'),
            language: cut(&mut head, b'\t'),
            days: number(cut(&mut head, b'\t')),
            flags: head,
            publication: cut(&mut place, b'\t'),
            api_url: place,
            vendors: all(&mut vendors, b'\t', |mut vendor| Vendor {
                name: cut(&mut vendor, b'|'),
                step: number(cut(&mut vendor, b'|')) as usize,
                purposes: cut(&mut vendor, b'|'),
                title: vendor,
            }),
            steps: all(&mut steps, b'\t', |name| name),
            css: cut(&mut rest, b'\n'),
            frame: cut(&mut rest, b'\n'),
            reopen: cut(&mut rest, b'\n'),
            placeholder: cut(&mut rest, b'\n'),
            pages: all(&mut rest, b'\n', |page| page),
        })
    }

    /// Whether a letter of [`flag`] is set.
    pub fn has(&self, flag: u8) -> bool {
        contains(self.flags, flag)
    }
}

/// Whether `letters` holds the ASCII letter.
pub fn contains(letters: &str, letter: u8) -> bool {
    letters.as_bytes().contains(&letter)
}

/// Takes the text before the next ASCII `separator` off `rest`, all of it if there is none.
#[inline(never)]
pub fn cut<'a>(rest: &mut &'a str, separator: u8) -> &'a str {
    let end = rest
        .bytes()
        .position(|byte| byte == separator)
        .unwrap_or(rest.len());
    // An ASCII byte never lies inside a longer character, so both ranges exist.
    let field = rest.get(..end).unwrap_or("");
    *rest = rest.get(end + 1..).unwrap_or("");
    field
}

fn all<'a, T>(rest: &mut &'a str, separator: u8, one: impl Fn(&'a str) -> T) -> Vec<T> {
    let mut found = Vec::new();
    while !rest.is_empty() {
        found.push(one(cut(rest, separator)));
    }
    found
}

fn number(text: &str) -> u32 {
    let mut number = 0u32;
    for byte in text.bytes() {
        number = number
            .wrapping_mul(10)
            .wrapping_add(u32::from(byte.wrapping_sub(b'0')));
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "1\tp\ti\tshop-en\ten\t180\tsr\nabc\thttps://api.example\nads|1|a|Ads | More\tmap|1||Map\nwelcome\tall\n.w{}\n<div>\n\n<p>\npage 0\npage 1";

    #[test]
    fn every_field_is_read_in_its_place() {
        let payload = Payload::read(TEXT).unwrap();
        assert_eq!(payload.project, "p");
        assert_eq!(payload.days, 180);
        assert!(payload.has(flag::REASK) && !payload.has(flag::GPC));
        assert_eq!(payload.publication, "abc");
        assert_eq!(payload.api_url, "https://api.example");
        assert_eq!(
            payload.vendors[0],
            Vendor {
                name: "ads",
                step: 1,
                purposes: "a",
                title: "Ads | More"
            }
        );
        assert_eq!(payload.vendors[1].purposes, "");
        assert_eq!(payload.steps, ["welcome", "all"]);
        assert_eq!((payload.reopen, payload.placeholder), ("", "<p>"));
        assert_eq!(payload.pages, ["page 0", "page 1"]);
    }

    #[test]
    fn another_format_is_refused_and_a_cut_off_payload_does_not_panic() {
        assert_eq!(Payload::read("2\tp"), None);
        assert_eq!(Payload::read(""), None);
        for end in 0..TEXT.len() {
            let _ = Payload::read(&TEXT[..end]);
        }
    }
}
