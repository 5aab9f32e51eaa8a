//! The live preview of a configuration: the step and the language that it shows, and the way from a click in it to a field.

use domain::documents::{language_of, other_languages, translated_at};
use leptos::prelude::*;
use serde_json::Value;

use super::language_name;
use super::state::{Editor, Place};
use crate::components::draft::Draft;
use crate::components::field::{id_of, select_control};
use crate::components::focus::focus_when_there;
use crate::components::preview::{Beside, Clicked, Preview, segments};
use crate::fns::widget::{Shown, preview as draw_preview};
use crate::i18n::LanguageTexts;
use crate::icon::Icon;
use crate::pages::design::ENTRANCE;

/// The design and the configuration that a preview draws, the place in them, and the number of changes of services.
type Input = (Value, Value, Shown, u32);

pub fn live_preview(editor: Editor, design: Draft) -> Beside {
    let Editor {
        draft,
        place,
        project,
        go,
        ..
    } = editor;
    let (language, languages) = preview_language(editor);
    let returning = RwSignal::new(false);
    let controls = Callback::new(move |()| {
        let t = editor.t.widget();
        let visitor = segments(
            t.visitor,
            returning,
            (Icon::Eye, t.visitor_first),
            (Icon::Redo, t.visitor_returning),
        );
        view! { {visitor} {languages.run(())} }.into_any()
    });
    let input = move || {
        let step = match place.get() {
            // Returning visitors find the same at each step.
            Place::Step(index) if !returning.get() => {
                Some(draft.text(&format!("/steps/{index}/name")))
            }
            _ => None,
        };
        let shown = Shown {
            step,
            language: language.get(),
            returning: returning.get(),
        };
        (
            design.value(),
            draft.value(),
            shown,
            editor.chosen.changes(),
        )
    };
    let draw = move |(design, configuration, shown, _): Input, nonce, dark| {
        draw_preview(
            project.get_value(),
            design,
            configuration,
            nonce,
            dark,
            shown,
        )
    };
    let clicked = Callback::new(move |clicked: Clicked| {
        let step = clicked
            .step
            .as_deref()
            .and_then(|name| step_index(draft, name));
        let (target, field) = match (clicked.part.as_str(), step) {
            ("accept", _) => (Place::Words, "/strings/acceptAll".to_owned()),
            ("refuse", _) => (Place::Words, "/strings/dismiss".to_owned()),
            ("configure", _) => (Place::Words, "/strings/configure".to_owned()),
            ("title" | "message", Some(index)) => (
                Place::Step(index),
                format!("/steps/{index}/{}", clicked.part),
            ),
            (_, Some(index)) => (Place::Step(index), format!("/steps/{index}/title")),
            _ => return,
        };
        let (target, field) = match place.get_untracked() {
            Place::Language(code) => {
                let there = draft.with_at("", |whole| translated_at(whole?, &code, &field));
                (Place::Language(code), there.unwrap_or(field))
            }
            _ => (target, field),
        };
        go.run(target);
        focus_when_there(vec![id_of(&field)]);
    });
    Preview::new(input, draw, Some(clicked))
        .entering(move || design.text(ENTRANCE))
        .with_controls(controls)
        .beside()
}

/// The language of the preview, absent for the default one, with the select that chooses it where there are several. A
/// form of translations begins with its own, and a choice holds until then.
fn preview_language(editor: Editor) -> (Memo<Option<String>>, Callback<(), AnyView>) {
    let Editor { draft, place, .. } = editor;
    let chosen = RwSignal::new(None::<String>);
    let languages = Memo::new(move |_| {
        draft.with_at("", |whole| {
            let whole = whole.unwrap_or(&Value::Null);
            let all = std::iter::once(language_of(whole)).chain(other_languages(whole));
            all.map(str::to_owned).collect::<Vec<_>>()
        })
    });
    Effect::new(move |before: Option<Place>| {
        let place = place.get();
        if before.is_some_and(|before| before != place) && matches!(place, Place::Language(_)) {
            chosen.set(None);
        }
        place
    });
    let language = Memo::new(move |_| {
        let of_form = || match place.get() {
            Place::Language(code) => Some(code),
            _ => None,
        };
        let wished = chosen.get().or_else(of_form);
        // The first one is the default, which needs no name.
        let others = languages.get().into_iter().skip(1);
        wished.filter(|wished| others.into_iter().any(|other| other == *wished))
    });
    let controls = Callback::new(move |()| {
        let label = LanguageTexts::of_this_page().preview;
        let select = move || {
            let all = languages.get();
            let default = all.first().cloned().unwrap_or_default();
            let options = all
                .iter()
                .map(|code| (code.clone(), language_name(code.clone())))
                .collect();
            let current = Signal::derive(move || language.get().unwrap_or_else(|| default.clone()));
            (all.len() > 1).then(|| {
                let control = select_control(
                    "preview-language".to_owned(),
                    options,
                    current,
                    move |code| chosen.set(Some(code)),
                    false.into(),
                );
                view! {
                    <label class="preview-language">
                        <span class="quiet">{label}</span>
                        {control}
                    </label>
                }
            })
        };
        view! { {select} }.into_any()
    });
    (language, controls)
}

fn step_index(draft: Draft, name: &str) -> Option<usize> {
    let steps = draft.at("/steps")?;
    steps
        .as_array()?
        .iter()
        .position(|step| step.get("name").and_then(Value::as_str) == Some(name))
}
