//! Searches in lists: their bounds, and the comparison of texts.

use domain::search::MOST_CHARS;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::error::{Error, Result};

/// Most conditions on fields in one query. Both engines bound the length of a statement.
const MOST_FILTERS: usize = 20;
/// Words of a search that are looked at.
const MOST_WORDS: usize = 8;

/// Refuses a search that is longer than people write.
pub(crate) fn check(text: &str, filters: usize) -> Result<()> {
    if text.chars().count() > MOST_CHARS {
        let detail = format!("`q` has at most {MOST_CHARS} characters.");
        return Err(Error::BadRequest(detail));
    }
    if filters > MOST_FILTERS {
        let detail = format!("A query has at most {MOST_FILTERS} filters.");
        return Err(Error::BadRequest(detail));
    }
    Ok(())
}

/// The words of a text that a list is searched for.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().take(MOST_WORDS)
}

/// Prepares a text for comparison: without regard to case and accents.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|character| !is_combining_mark(*character))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Each word of a text as it is found in a text that SQL has made lower case.
pub(crate) fn lower_words(text: &str) -> impl Iterator<Item = String> {
    words(text).map(str::to_ascii_lowercase)
}

/// True if every word of a search occurs in one of these texts. For short lists, which are read whole.
pub fn fits<'a>(text: &str, of: impl IntoIterator<Item = &'a str>) -> bool {
    let of: Vec<String> = of.into_iter().map(fold).collect();
    words(&fold(text)).all(|word| of.iter().any(|text| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_case_and_accents() {
        assert_eq!(fold("Médiamétrie eStat"), "mediametrie estat");
        assert_eq!(fold("STRÖER"), "stroer");
    }

    #[test]
    fn every_word_is_somewhere_in_the_texts() {
        let texts = ["Ada Lovelace", "ada@shop.example"];
        for (text, is_there) in [
            ("", true),
            ("LOVE shop", true),
            ("lovelace@", false),
            ("ada grace", false),
        ] {
            assert_eq!(fits(text, texts), is_there, "{text}");
        }
    }
}
