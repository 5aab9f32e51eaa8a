//! The language and direction of texts, as attributes.

use std::fmt;

use domain::language::direction;

use super::markup::Bare;

/// `lang` and `dir`.
pub(super) struct Speech {
    /// Letters, digits and hyphens.
    language: String,
}

impl Speech {
    /// For a language tag that can stand in an attribute, else English.
    pub(super) fn of(language: &str) -> Self {
        let plain = (2..=35).contains(&language.len())
            && language
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        Self {
            language: if plain {
                language.to_ascii_lowercase()
            } else {
                "en".to_owned()
            },
        }
    }
}

impl fmt::Display for Speech {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "lang={} dir={}",
            self.language,
            direction(&self.language)
        )
    }
}

impl Bare for Speech {}
