//! Texts of the banner that a configuration, or one of its steps, changes.

use std::collections::BTreeMap;

use domain::documents::{CONFIGURATION, Voice};
use leptos::prelude::*;

use super::own_language;
use super::state::Editor;
use super::titles::{self, VOICE, voice_of};
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::text;
use crate::components::loading::{block_skeleton, fetched};
use crate::fns::widget::default_strings;
use crate::pages::fields;

/// The own words of a configuration, of a step, or of a translation of either.
#[derive(Clone)]
pub struct OwnWords {
    /// JSON Pointer of the object that has the words.
    pub holder: String,
    /// JSON Pointer of the object whose words stand in for missing ones, before the shipped ones.
    pub stand_in: Option<String>,
    /// Language of the words.
    pub language: String,
}

impl OwnWords {
    /// The words of the whole configuration, or of the step at `holder`, in the default language.
    pub fn in_own_language(draft: Draft, holder: String) -> Self {
        Self {
            stand_in: (!holder.is_empty()).then(String::new),
            holder,
            language: untrack(|| own_language(draft)),
        }
    }
}

/// The form of the whole banner's texts.
pub fn words(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let words = OwnWords::in_own_language(draft, String::new());
    let fields = view! {
        {voice(draft)}
        {string_fields(editor, words)}
    };
    section(
        fields::label(&CONFIGURATION, "strings"),
        t.widget().words_text,
        fields.into_any(),
    )
}

/// The tone of the shipped words. The default stands for an absent value.
fn voice(draft: Draft) -> AnyView {
    let chosen = Memo::new(move |_| voice_of(draft));
    Effect::new(move |before: Option<Voice>| {
        let now = chosen.get();
        if before.is_some_and(|before| before != now) {
            titles::follow_voice(draft);
        }
        now
    });
    fields::choice(draft, VOICE)
}

/// A field for each word. The placeholder of an empty field is the word that visitors read.
pub fn string_fields(editor: Editor, words: OwnWords) -> AnyView {
    let Editor { draft, .. } = editor;
    let OwnWords {
        holder,
        stand_in,
        language,
    } = words;
    let spoken = language.clone();
    let asked = Memo::new(move |_| (language.clone(), voice_of(draft)));
    let shown = move |defaults: BTreeMap<String, String>| {
        let fields = fields::words()
            .map(|(key, label)| {
                let other = stand_in
                    .as_ref()
                    .map(|holder| untrack(|| draft.text(&format!("{holder}/strings/{key}"))))
                    .filter(|word| !word.is_empty());
                let default = other.or_else(|| defaults.get(key).cloned());
                text(draft, format!("{holder}/strings/{key}"), label)
                    .placeholder(default.unwrap_or_default())
                    .language(&spoken)
                    .view()
            })
            .collect_view();
        view! { <div class="form-pair">{fields}</div> }.into_any()
    };
    let fetch = |(language, voice)| default_strings(language, voice);
    fetched(asked, block_skeleton, fetch, shown)
}
