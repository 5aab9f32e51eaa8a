//! Titles of steps that come with Placet. They exist in each language and voice, so that nobody has to write them anew.
//! Other titles are the owner's.

use domain::documents::{Voice, other_languages, translated_at};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::own_language;
use crate::components::draft::Draft;
use crate::fns::widget::shipped_titles;

pub const VOICE: &str = "/voice";

/// The voice of a draft.
pub fn voice_of(draft: Draft) -> Voice {
    Voice::parse(&draft.text(VOICE)).unwrap_or_default()
}

/// Translates them into a language that was just added, as far as it has no titles yet.
pub fn translate(draft: Draft, code: String) {
    let own = untrack(|| own_language(draft));
    spawn_local(async move {
        // Without them the titles wait for a translation, as texts of the owner do.
        let (Ok(from), Ok(to)) = (
            shipped_titles(own).await,
            shipped_titles(code.clone()).await,
        ) else {
            return;
        };
        for (title, place) in titles(draft, Some(code.as_str())) {
            let found = from.iter().position(|one| *one == title);
            let translated = found.and_then(|at| to.get(at));
            if let Some(translated) = translated.filter(|_| text(draft, &place).is_empty()) {
                draft.set_text(&place, translated);
            }
        }
    });
}

/// Gives the titles of another voice those of the chosen one, in each language.
pub fn follow_voice(draft: Draft) {
    let others =
        untrack(|| draft.with_at("", |whole| whole.map(other_languages).unwrap_or_default()));
    let languages = std::iter::once(None).chain(others.into_iter().map(Some));
    for language in languages {
        let asked = language.map_or_else(|| untrack(|| own_language(draft)), str::to_owned);
        spawn_local(async move {
            let Ok(shipped) = shipped_titles(asked).await else {
                return; // They stay, as texts of the owner do.
            };
            // Without a draft there are no titles. Another voice may have been chosen meanwhile.
            for (_, place) in titles(draft, language) {
                let now = untrack(|| voice_of(draft));
                let of_voices = || Voice::ALL.iter().zip(&shipped);
                let there = text(draft, &place);
                let is_shipped = of_voices().any(|(_, title)| *title == there);
                let wanted = of_voices().find(|(voice, _)| **voice == now);
                if let Some((_, title)) = wanted.filter(|(_, title)| is_shipped && **title != there)
                {
                    draft.set_text(&place, title);
                }
            }
        });
    }
}

/// The titles of the steps, each with the place of the same title in a language, else its own place. Nothing once the
/// editor is closed.
fn titles(draft: Draft, language: Option<&str>) -> Vec<(String, String)> {
    let Some(whole) = draft.document().try_get_untracked() else {
        return Vec::new();
    };
    let steps = whole.get("steps").and_then(Value::as_array);
    let steps = steps.into_iter().flatten().enumerate();
    let found = steps.filter_map(|(index, step)| {
        let title = step.get("title")?.as_str()?;
        let own = format!("/steps/{index}/title");
        let place = match language {
            Some(code) => translated_at(&whole, code, &own)?,
            None => own,
        };
        Some((title.to_owned(), place))
    });
    found.collect()
}

fn text(draft: Draft, place: &str) -> String {
    untrack(|| draft.text(place))
}
