//! Texts of the banner that a configuration, or one of its steps, changes.

use leptos::prelude::*;

use super::catalogue_language;
use super::state::Editor;
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::text;
use crate::components::loading::{block_skeleton, loaded};
use crate::fns::widget::default_strings;
use crate::i18n::Texts;

/// The words that fields change.
#[derive(Clone)]
pub struct Spoken {
    /// The place of the object that has them: the whole configuration, a step, or a translation of either.
    pub of: String,
    /// The place of the object whose words stand where this one has none.
    pub over: Option<String>,
    /// Their language.
    pub language: String,
}

impl Spoken {
    /// The words of the whole configuration, or of the step at `of`, in the default language.
    pub fn by_default(draft: Draft, of: String) -> Self {
        Self {
            over: (!of.is_empty()).then(String::new),
            of,
            language: untrack(|| catalogue_language(draft)),
        }
    }
}

/// The form of the whole banner's texts.
pub fn words(editor: Editor) -> AnyView {
    let t = editor.t;
    let words = Spoken::by_default(editor.draft, String::new());
    section(t.words, t.words_text, string_fields(editor, words))
}

/// Fields for words. An empty field means what its placeholder says.
pub fn string_fields(editor: Editor, words: Spoken) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let Spoken { of, over, language } = words;
    let spoken = language.clone();
    let defaults = Resource::new(move || language.clone(), default_strings);
    loaded(defaults, block_skeleton, move |defaults| {
        let fields = string_labels(t)
            .into_iter()
            .map(|(key, label)| {
                let whole = over.as_ref().map(|over| format!("{over}/strings/{key}"));
                let whole = whole.map(|pointer| untrack(|| draft.text(&pointer)));
                let default = whole.filter(|whole| !whole.is_empty());
                let default = default
                    .or_else(|| defaults.get(key).cloned())
                    .unwrap_or_default();
                text(draft, format!("{of}/strings/{key}"), label)
                    .placeholder(default)
                    .language(&spoken)
                    .view()
            })
            .collect_view();
        view! { <div class="form-pair">{fields}</div> }.into_any()
    })
}

/// The keys of the texts with their labels.
fn string_labels(t: &'static Texts) -> [(&'static str, &'static str); 13] {
    [
        ("acceptAll", t.string_accept_all),
        ("dismiss", t.string_dismiss),
        ("configure", t.string_configure),
        ("nextStep", t.string_next_step),
        ("prevStep", t.string_prev_step),
        ("lastStep", t.string_last_step),
        ("save", t.string_save),
        ("toggleAll", t.string_toggle_all),
        ("readMore", t.string_read_more),
        ("policyLink", t.string_policy_link),
        ("close", t.string_close),
        ("reopen", t.string_reopen),
        ("poweredBy", t.string_powered_by),
    ]
}
