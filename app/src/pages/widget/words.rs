//! Texts of the banner that a configuration, or one of its steps, changes.

use leptos::prelude::*;

use super::catalogue_language;
use super::state::Editor;
use crate::components::editor::section;
use crate::components::field::text;
use crate::components::loading::{block_skeleton, loaded};
use crate::fns::widget::default_strings;
use crate::i18n::Texts;

/// The form of the whole banner's texts.
pub fn words(editor: Editor) -> AnyView {
    let t = editor.t;
    section(t.words, t.words_text, string_fields(editor, String::new()))
}

/// Fields for the texts of the whole banner, or of the step at `of`. An empty field means what its
/// placeholder says.
pub fn string_fields(editor: Editor, of: String) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let language = Memo::new(move |_| catalogue_language(draft));
    let defaults = Resource::new(move || language.get(), default_strings);
    loaded(defaults, block_skeleton, move |defaults| {
        let fields = string_labels(t)
            .into_iter()
            .map(|(key, label)| {
                let whole = untrack(|| draft.text(&format!("/strings/{key}")));
                let default = if of.is_empty() || whole.is_empty() {
                    defaults.get(key).cloned().unwrap_or_default()
                } else {
                    whole
                };
                text(draft, format!("{of}/strings/{key}"), label)
                    .placeholder(default)
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
