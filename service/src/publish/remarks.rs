//! Remarks about documents: the errors that keep them from being published, and the warnings that do not. A job keeps
//! the first of each and the number of the others, in few words: whoever polls it reads them again and again.

use std::borrow::Cow;

use domain::{
    collection::Collection,
    documents::{self, CookieConfiguration},
    fairness::Concern,
    field_error::{FieldError, MOST_ERRORS},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

/// Most characters of a title, or of a name, in a remark and in a sentence about a document.
const MOST_OF_A_TITLE: usize = 100;

/// A field of a document that keeps it from being published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentError {
    /// The collection of the document.
    pub collection: Collection,
    /// Id of the document.
    pub id: Uuid,
    /// Title of the document, at most 100 characters of it.
    #[schema(example = "Newsletter")]
    pub title: String,
    /// The field, its rule and the rule in plain English. The pointer of the whole document is empty.
    #[serde(flatten)]
    pub error: FieldError,
}

/// A setting or text that is not fair to visitors, or keeps the widget from them. Nothing refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentWarning {
    /// The collection of the document.
    pub collection: Collection,
    /// Id of the document.
    pub id: Uuid,
    /// Title of the document, at most 100 characters of it.
    #[schema(example = "Shop")]
    pub title: String,
    /// JSON Pointer of the field.
    #[schema(example = "/settings/reopenButton")]
    pub pointer: String,
    /// The concern.
    pub concern: Concern,
    /// The concern in plain English.
    #[schema(example = "Visitors find no button to change their mind.")]
    pub detail: String,
}

/// Remarks, of which the first [`MOST_ERRORS`] are told and the others are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remarks<T> {
    /// The first of them.
    pub told: Vec<T>,
    /// Number of the others.
    pub omitted: usize,
}

impl<T> Remarks<T> {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }
}

impl<T> Default for Remarks<T> {
    fn default() -> Self {
        Self {
            told: Vec::new(),
            omitted: 0,
        }
    }
}

impl<T> Extend<T> for Remarks<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, more: I) {
        for one in more {
            if self.told.len() < MOST_ERRORS {
                self.told.push(one);
            } else {
                self.omitted += 1;
            }
        }
    }
}

impl<T> FromIterator<T> for Remarks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut remarks = Self::default();
        remarks.extend(all);
        remarks
    }
}

impl Remarks<String> {
    /// The sentences, and the number of those that are left out.
    pub(super) fn in_words(self) -> String {
        let more = (self.omitted > 0).then(|| format!("And {} more.", self.omitted));
        let sentences = self.told.into_iter().chain(more);
        sentences.collect::<Vec<_>>().join(" ")
    }
}

/// Remarks of which some are left out, as jobs keep them.
#[derive(Serialize)]
struct Cut<'a, T> {
    told: &'a [T],
    omitted: usize,
}

/// Jobs keep a bare list of remarks of which none is left out.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept<T> {
    All(Vec<T>),
    Cut { told: Vec<T>, omitted: usize },
}

impl<T: Serialize> Serialize for Remarks<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { told, omitted } = self;
        if *omitted == 0 {
            return told.serialize(serializer);
        }
        let omitted = *omitted;
        Cut { told, omitted }.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Remarks<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Kept::deserialize(deserializer)? {
            Kept::All(told) => Self { told, omitted: 0 },
            Kept::Cut { told, omitted } => Self { told, omitted },
        })
    }
}

/// The title of a document in remarks and sentences, else its name or its id.
pub(super) fn title_of(document: &Value, id: Uuid) -> String {
    let title = documents::title(document).unwrap_or_else(|| id.to_string());
    short(&title).into_owned()
}

/// The same of a configuration as it is published.
pub(super) fn title_of_widget(configuration: &CookieConfiguration) -> String {
    let texts = [
        configuration.title.as_deref(),
        Some(configuration.name.as_str()),
    ];
    let mut texts = texts.into_iter().flatten().filter(|text| !text.is_empty());
    short(texts.next().unwrap_or(&configuration.identifier)).into_owned()
}

/// A title, or a name, of a length that people read in a sentence.
pub(super) fn short(title: &str) -> Cow<'_, str> {
    match title.char_indices().nth(MOST_OF_A_TITLE) {
        None => title.into(),
        Some((end, _)) => {
            let part = title.get(..end).unwrap_or_default();
            format!("{part}…").into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_remarks_are_counted_and_read_again() {
        let sentence = |at: usize| format!("Sentence {at}.");
        let few: Remarks<String> = (0..2).map(sentence).collect();
        let mut many: Remarks<String> = (0..MOST_ERRORS).map(sentence).collect();
        many.extend(few.told.clone());
        assert_eq!((many.told.len(), many.omitted), (MOST_ERRORS, 2));
        assert_eq!(few.clone().in_words(), "Sentence 0. Sentence 1.");
        assert!(
            many.clone()
                .in_words()
                .ends_with("Sentence 99. And 2 more.")
        );
        for remarks in [few, many] {
            let kept = serde_json::to_string(&remarks).unwrap();
            assert_eq!(kept.starts_with('['), remarks.omitted == 0, "{kept}");
            assert_eq!(
                serde_json::from_str::<Remarks<String>>(&kept).unwrap(),
                remarks
            );
        }
    }

    #[test]
    fn long_titles_are_cut_between_characters() {
        let long = "é".repeat(MOST_OF_A_TITLE);
        assert_eq!(short(&long), long);
        assert_eq!(short(&format!("{long}é")), format!("{long}…"));
    }
}
