//! The rendered payload: publishing writes it for the widget, and the browser SDK reads it.
//!
//! Text, because decoding is where a small SDK loses most: lines end with `\n`, fields are
//! separated by tabs, and no value holds either (the renderer folds white space).
//!
//! ```text
//! 1 ⇥ project ⇥ identifier ⇥ name ⇥ language ⇥ days ⇥ flags [⇥ days after closing]
//! publication ⇥ API address [⇥ hosts that it is for, as a regular expression [⇥ other languages]]
//! vendor ⇥ vendor ⇥ …          each: name|step|purposes|title (as HTML)
//! step name ⇥ step name ⇥ …
//! style sheet; what a reopen button alone does not need follows `/**/`
//! frame of the open widget
//! reopen button (empty: none)
//! placeholder of a frame that waits for consent
//! page of step 0
//! page of step 1 …
//! ```
//!
//! Other languages are separated by spaces, each with the hash in the name of its payload file: `fr.0123456789abcdef`.
//!
//! With flag `t` or `u` two lines follow the last page. `sdk-wasm/js/iab.js` takes them off before the module reads
//! the rest:
//!
//! ```text
//! round ⇥ applies ⇥ partners file ⇥ texts file ⇥ MSPA ⇥ providers ⇥ own vendor ⇥ own vendor ⇥ …
//! TC string that allows everything (empty without `t`)
//! ```
//!
//! `applies` is `a` (always) or `s` (the site says whether). Files are below the address of published files. MSPA is
//! the end of section usnat, two digits as `domain::gpp` writes them, or nothing without `u`. Providers of Additional
//! Consent are ids with dots between them. An own vendor that is in the framework is
//! `name|id there|purposes that it needs`, these with dots between them.

/// The first field of a payload; a reader refuses any other.
pub const FORMAT: &str = "1";

/// Milliseconds after which the API takes a choice no more, which a browser without a network keeps until then.
pub const MOST_AGE_MILLIS: u64 = 30 * 86_400_000;

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
    /// IAB's Transparency and Consent Framework: the payload has a TC string.
    pub const TCF: u8 = b't';
    /// The widget was translated: its files have the language in their names.
    pub const TRANSLATED: u8 = b'l';
    /// Section usnat of IAB's Global Privacy Platform.
    pub const GPP: u8 = b'u';
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

/// The actions of buttons: the number in a button's `data-a`.
pub mod act {
    /// Allows every vendor and decides.
    pub const ACCEPT: u32 = 1;
    /// Refuses every vendor and decides.
    pub const REFUSE: u32 = 2;
    /// Shows the next step.
    pub const FORWARD: u32 = 3;
    /// Shows the step before.
    pub const BACK: u32 = 4;
    /// Decides by the state of the switches.
    pub const SAVE: u32 = 5;
    /// Closes without deciding.
    pub const CLOSE: u32 = 6;
    /// Moves the switch of the vendor in `data-vendor`.
    pub const TOGGLE: u32 = 7;
    /// Moves all switches of the step.
    pub const TOGGLE_ALL: u32 = 8;
    /// Opens the widget.
    pub const REOPEN: u32 = 9;
    /// Allows the vendor of a placeholder.
    pub const ALLOW: u32 = 10;
    /// Closes, and refuses every vendor if nothing has been decided.
    pub const DISMISS: u32 = 11;
    /// Shows the details of the service in whose row the button is, or hides them.
    pub const MORE: u32 = 12;
    /// Shows the layer in `data-layer`: `purposes`, `interests` or `partners`.
    pub const LAYER: u32 = 13;
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
    /// Display name, escaped for HTML.
    pub title: &'a str,
}

/// Lines of the shown payload, counted from the style sheet. The SDK leaves these to the browser:
/// they are most of a payload, and the SDK reads nothing in them.
pub mod line {
    /// Number of lines of facts before them.
    pub const FACTS: usize = 4;
    /// Style sheet.
    pub const CSS: usize = 0;
    /// Frame of the open widget.
    pub const FRAME: usize = 1;
    /// The reopen button.
    pub const REOPEN: usize = 2;
    /// The placeholder of a frame that waits for consent.
    pub const PLACEHOLDER: usize = 3;
    /// The page of the first step.
    pub const PAGES: usize = 4;
}

/// A payload. Each part is found when it is asked for: that is less code than a place for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload<'a>(&'a str);

impl<'a> Payload<'a> {
    /// Takes a payload, or its lines of facts; `None` if it is of another format.
    pub fn read(text: &'a str) -> Option<Self> {
        let payload = Self(text);
        (payload.head(0) == FORMAT).then_some(payload)
    }

    #[inline(never)]
    fn line(self, number: usize) -> &'a str {
        nth(self.0, b'\n', number)
    }

    #[inline(never)]
    fn head(self, number: usize) -> &'a str {
        nth(self.line(0), b'\t', number)
    }

    /// The project's id.
    pub fn project(self) -> &'a str {
        self.head(1)
    }

    /// The configuration's id.
    pub fn identifier(self) -> &'a str {
        self.head(2)
    }

    /// The configuration's name (`cookiesVersion`).
    pub fn name(self) -> &'a str {
        self.head(3)
    }

    /// ISO 639-1.
    pub fn language(self) -> &'a str {
        self.head(4)
    }

    /// Days for which a choice is kept, or a refusal by closing.
    pub fn days(self, closed: bool) -> u32 {
        number(self.head(if closed { 7 } else { 5 }))
    }

    /// True if a character of [`flag`] is set.
    pub fn has(self, flag: u8) -> bool {
        contains(self.head(6), flag)
    }

    /// SHA-256 (hex) of the publication that the visitor sees.
    pub fn publication(self) -> &'a str {
        nth(self.line(1), b'\t', 0)
    }

    /// Address to which consents are posted.
    pub fn api_url(self) -> &'a str {
        nth(self.line(1), b'\t', 1)
    }

    /// Other languages, each with the hash in the name of its payload file.
    pub fn other_languages(self) -> &'a str {
        nth(self.line(1), b'\t', 3)
    }

    /// Vendors in the order of the steps.
    pub fn vendors(self) -> Vendors<'a> {
        Vendors(Fields {
            rest: self.line(2),
            separator: b'\t',
        })
    }

    /// Names of the steps.
    pub fn steps(self) -> Fields<'a> {
        Fields {
            rest: self.line(3),
            separator: b'\t',
        }
    }

    /// Style sheet of the widget.
    pub fn css(self) -> &'a str {
        self.line(line::FACTS + line::CSS)
    }

    /// Frame of the open widget; a page goes into its element of class `s`.
    pub fn frame(self) -> &'a str {
        self.line(line::FACTS + line::FRAME)
    }

    /// The reopen button, or nothing.
    pub fn reopen(self) -> &'a str {
        self.line(line::FACTS + line::REOPEN)
    }

    /// The placeholder of a frame that waits for consent.
    pub fn placeholder(self) -> &'a str {
        self.line(line::FACTS + line::PLACEHOLDER)
    }

    /// The page of a step, nothing after the last.
    pub fn page(self, step: usize) -> &'a str {
        self.line(line::FACTS + line::PAGES + step)
    }
}

/// True if `letters` holds the ASCII letter.
pub fn contains(letters: &str, letter: u8) -> bool {
    letters.bytes().any(|byte| byte == letter)
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

/// The field of that number, empty after the last.
#[inline(never)]
fn nth(mut text: &str, separator: u8, number: usize) -> &str {
    for _ in 0..number {
        cut(&mut text, separator);
    }
    cut(&mut text, separator)
}

/// Fields of a line, read one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields<'a> {
    rest: &'a str,
    separator: u8,
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        (!self.rest.is_empty()).then(|| cut(&mut self.rest, self.separator))
    }
}

/// Vendors of a line, read one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vendors<'a>(Fields<'a>);

impl<'a> Iterator for Vendors<'a> {
    type Item = Vendor<'a>;

    #[inline(never)]
    fn next(&mut self) -> Option<Vendor<'a>> {
        let mut vendor = self.0.next()?;
        Some(Vendor {
            name: cut(&mut vendor, b'|'),
            step: number(cut(&mut vendor, b'|')) as usize,
            purposes: cut(&mut vendor, b'|'),
            title: vendor,
        })
    }
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

    const TEXT: &str = "1\tp\ti\tshop-en\ten\t180\tsr\t90\nabc\thttps://api.example\nads|1|a|Ads | More\tmap|1||Map\nwelcome\tall\n.w{}\n<div>\n\n<p>\npage 0\npage 1";

    #[test]
    fn every_field_is_read_in_its_place() {
        let payload = Payload::read(TEXT).unwrap();
        assert_eq!((payload.project(), payload.identifier()), ("p", "i"));
        assert_eq!((payload.name(), payload.language()), ("shop-en", "en"));
        assert_eq!((payload.days(false), payload.days(true)), (180, 90));
        assert!(payload.has(flag::REASK) && !payload.has(flag::GPC));
        assert_eq!(payload.publication(), "abc");
        assert_eq!(payload.api_url(), "https://api.example");
        assert_eq!(
            payload.vendors().next().unwrap(),
            Vendor {
                name: "ads",
                step: 1,
                purposes: "a",
                title: "Ads | More"
            }
        );
        assert!(
            payload
                .vendors()
                .map(|vendor| vendor.name)
                .eq(["ads", "map"])
        );
        assert!(payload.steps().eq(["welcome", "all"]));
        assert_eq!((payload.css(), payload.frame()), (".w{}", "<div>"));
        assert_eq!((payload.reopen(), payload.placeholder()), ("", "<p>"));
        assert_eq!((payload.page(0), payload.page(1)), ("page 0", "page 1"));
        assert_eq!(payload.page(2), "");
    }

    #[test]
    fn another_format_is_refused_and_a_cut_off_payload_does_not_panic() {
        assert_eq!(Payload::read("2\tp"), None);
        assert_eq!(Payload::read(""), None);
        for end in 1..TEXT.len() {
            let payload = Payload::read(&TEXT[..end]).unwrap();
            assert!(payload.vendors().count() <= 2 && payload.page(9).is_empty());
        }
    }
}
