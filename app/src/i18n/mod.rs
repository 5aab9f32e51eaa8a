//! The languages of the admin UI. A language is one file with every text, and a column of the tables (`table.rs`);
//! leaving one out does not compile. To add a language: copy `fr.rs`, translate it, and do with it here what is
//! done with French.
//!
//! The language is chosen on the server (cookie, else the browser's preference) and written
//! into `<html lang>`, where the browser side reads it: both render the same words. Browsers fetch
//! the texts of a language other than English when they need them (see [`crate::parts`]).

mod account;
mod audit;
mod billing;
mod boxes;
mod choices;
mod codes;
mod concerns;
mod copies;
mod design;
mod en;
mod evidence;
mod fr;
mod gate;
mod illustrations;
mod install;
pub mod labels;
mod languages;
mod ledger;
mod listing;
mod looks;
mod organizations;
mod overview;
mod palette;
mod people;
mod proofs;
mod publish;
mod rich;
mod services;
mod settings;
mod sites;
mod table;
mod tcf;
mod trash;
mod warnings;
mod webhooks;
mod widget;

use std::sync::OnceLock;

pub use audit::AuditTexts;
pub use billing::BillingTexts;
pub use codes::{concern, words};
pub use concerns::ConcernTexts;
pub use copies::CopyTexts;
pub use en::Texts;
pub use evidence::EvidenceTexts;
pub use illustrations::IllustrationTexts;
pub use languages::LanguageTexts;
pub use ledger::LedgerTexts;
use leptos::prelude::*;
pub use listing::ListingTexts;
pub use looks::LookTexts;
pub use palette::PaletteTexts;
pub use publish::PublishTexts;
pub use rich::RichTexts;
pub use services::ServiceTexts;
pub use sites::SiteTexts;
pub use tcf::{ListTexts, SectionTexts, StepTexts};
use wasm_split_helpers::SplitLoaderError;

/// A shipped language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locale {
    #[default]
    En,
    Fr,
}

impl Locale {
    pub const ALL: [Self; 2] = [Self::En, Self::Fr];

    /// ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
        }
    }

    /// The language's own name.
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Fr => "Français",
        }
    }

    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.code() == code)
    }

    /// The best of an `Accept-Language` header; entries are taken in the order written, which
    /// is the order of preference in every browser.
    pub fn negotiate(accept_language: &str) -> Self {
        accept_language
            .split(',')
            .filter_map(|entry| entry.split([';', '-']).next())
            .find_map(|code| Self::parse(code.trim()))
            .unwrap_or_default()
    }

    pub fn texts(self) -> &'static Texts {
        match self {
            Self::En => &en::EN,
            Self::Fr => french(),
        }
    }

    /// Makes sure that the browser has the texts; English comes with the app.
    pub async fn load(self) -> Result<(), SplitLoaderError> {
        if self == Self::Fr {
            let _ = FRENCH.set(fetch::french().await?);
        }
        Ok(())
    }
}

/// French, once it was fetched.
static FRENCH: OnceLock<&Texts> = OnceLock::new();

#[expect(
    clippy::unnecessary_wraps,
    reason = "fetching can fail, where having cannot"
)]
mod fetch {
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use super::{Texts, fr};

    #[wasm_split(french, fallible)]
    pub(super) fn french() -> Result<&'static Texts, SplitLoaderError> {
        Ok(&fr::FR)
    }
}

fn french() -> &'static Texts {
    #[cfg(not(target_family = "wasm"))]
    return &fr::FR;
    // English also reports that the texts did not load.
    #[cfg(target_family = "wasm")]
    FRENCH.get().copied().unwrap_or(&en::EN)
}

/// The texts in the language of this page.
pub fn texts() -> &'static Texts {
    locale().texts()
}

/// The language of this page.
pub fn locale() -> Locale {
    use_context::<Locale>().unwrap_or_default()
}

/// Puts values into a text's `{name}` places.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}

/// A count with its noun: `one` for exactly one, `many` otherwise, `{n}` filled in.
pub fn count(n: u64, one: &str, many: &str) -> String {
    fill(if n == 1 { one } else { many }, &[("n", &number(n))])
}

/// A number with its thousands apart, as the page's language writes it.
pub fn number(n: u64) -> String {
    let separator = match locale() {
        Locale::En => ',',
        Locale::Fr => '\u{202f}',
    };
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

/// A share of a whole in percent; a dash when there is no whole.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let rounded = (part * 100 + whole / 2) / whole;
    match locale() {
        Locale::En => format!("{rounded}%"),
        Locale::Fr => format!("{rounded}\u{a0}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negotiates_the_first_language_that_is_shipped() {
        assert_eq!(Locale::negotiate("fr-CH, en;q=0.8"), Locale::Fr);
        assert_eq!(Locale::negotiate("de, fr;q=0.5, en;q=0.3"), Locale::Fr);
        assert_eq!(Locale::negotiate("de"), Locale::En);
        assert_eq!(Locale::negotiate(""), Locale::En);
    }

    #[test]
    fn fills_and_counts() {
        assert_eq!(fill("{a} of {b}", &[("a", "1"), ("b", "2")]), "1 of 2");
        assert_eq!(count(1, "{n} step", "{n} steps"), "1 step");
        assert_eq!(count(1_234_567, "{n} step", "{n} steps"), "1,234,567 steps");
        assert_eq!(number(999), "999");
        assert_eq!(percent(1, 3), "33%");
        assert_eq!(percent(0, 0), "–");
    }
}
