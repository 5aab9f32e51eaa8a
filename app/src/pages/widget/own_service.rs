//! The form of a custom service: its texts, its purposes, and the cookies that it sets.

mod life;

use domain::collection::Collection;
use domain::documents::VENDOR;
use domain::names;
use leptos::prelude::*;
use serde_json::{Value, json};

use crate::components::checks::{check, list};
use crate::components::chip::chip;
use crate::components::draft::Draft;
use crate::components::field::{id_of, problem};
use crate::components::focus::focus_when_there;
use crate::components::form::Form;
use crate::components::items::{Words, items, list_of};
use crate::components::loading::{block_skeleton, loaded};
use crate::components::save::Saver;
use crate::fns::documents::{Document, create_document};
use crate::fns::vendors::{Category, service_categories};
use crate::i18n::{ServiceTexts, fill, locale, texts};
use crate::pages::conflict;
use crate::pages::fields::{hint, label, line};

const CATEGORIES: &str = "/categories";
const COOKIES: &str = "/cookieFacts";

/// Letters and digits of a title, as a name: what sites and cookies call the service.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.to_lowercase().chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.truncate(names::LONGEST);
    slug.trim_end_matches('_').to_owned()
}

/// The input of a form that was closed while it was not saved, for when the same form opens again.
#[derive(Clone, Copy, Default)]
pub struct Kept(StoredValue<Option<(Subject, Value)>>);

/// The document of a form, as it was read; `None` for a new one.
type Subject = Option<(String, i64)>;

impl Kept {
    fn forget(self) {
        self.0.try_set_value(None);
    }

    /// Takes up what was typed before, and keeps what is typed from now on.
    fn follow(self, draft: Draft, subject: Subject) {
        let before = self.0.try_get_value().flatten();
        if let Some((_, value)) = before.filter(|(about, _)| *about == subject) {
            draft.replace(value);
        }
        on_cleanup(move || {
            if draft.dirty_untracked() {
                let value = draft.value_untracked();
                self.0.try_set_value(Some((subject, value)));
            }
        });
    }
}

/// Creates or changes a custom service: `existing` if there is one, else a new one in the
/// project, beginning with `title`. Input stays in `kept` until it is saved or `cancel` is pressed.
pub fn vendor_form(
    project: String,
    existing: Option<Document>,
    title: String,
    kept: Kept,
    saved: Callback<Document>,
    cancel: Callback<()>,
) -> AnyView {
    let t = texts();
    let subject = existing
        .as_ref()
        .map(|document| (document.id.clone(), document.version));
    let after = Callback::new(move |document| {
        kept.forget();
        saved.run(document);
    });
    let changing = existing
        .as_ref()
        .map(|document| Saver::new(Collection::Vendors, document, conflict::table).after(after));
    let draft = match changing {
        Some(saver) => saver.draft,
        None => Draft::of(
            Collection::Vendors,
            json!({"title": title, "name": slug(&title)}),
        ),
    };
    kept.follow(draft, subject);
    // The name follows the title until somebody writes another name.
    if changing.is_none() {
        Effect::new(move |before: Option<String>| {
            let now = slug(&draft.text("/title"));
            let name = untrack(|| draft.text("/name"));
            if before.is_some_and(|before| before == name && now != before) {
                draft.set_text("/name", &now);
            }
            now
        });
    }
    let form = if let Some(saver) = changing {
        Form::saving(saver)
    } else {
        let send = move |mut data: Value| {
            if let Some(fields) = data.as_object_mut() {
                fields.insert("projectId".into(), project.clone().into());
            }
            create_document(Collection::Vendors, data)
        };
        let made = move |made| after.run(made);
        Form::sending(draft, t.widget().create_and_add, send, made)
    };
    let cancel = view! {
        <button
            type="button"
            class="button button-quiet"
            on:click=move |_| {
                draft.replace(draft.saved_untracked());
                kept.forget();
                cancel.run(());
            }
        >
            {t.cancel}
        </button>
    };
    let content = view! {
        <div class="form-pair">
            {line(draft, "/title").view()}
            {line(draft, "/name").view()}
        </div>
        {line(draft, "/shortDescription").view()}
        {line(draft, "/longDescription").view()}
        <div class="form-pair">
            {line(draft, "/company").view()}
            {line(draft, "/country").example("FR").view()}
        </div>
        <div class="form-pair">
            {line(draft, "/domain").example("shop.example").view()}
            {line(draft, "/policyUrl").view()}
        </div>
        {purposes(draft)}
        {cookies(draft)}
    };
    form.class("form form-wide")
        .beside(cancel.into_any())
        .inline(content.into_any())
}

/// The purposes of the service: those of the catalogue, and words of other programs.
fn purposes(draft: Draft) -> AnyView {
    let language = locale().code().to_owned();
    let known = Resource::new(|| (), move |()| service_categories(language.clone()));
    let choices = loaded(known, block_skeleton, move |known: Vec<Category>| {
        let others = other_words(draft, known.iter().map(|one| one.name.clone()).collect());
        let choices = known
            .into_iter()
            .map(|one| check(draft, CATEGORIES, &one.name, one.title, None))
            .collect_view();
        view! {
            <div class="checks checks-wide">{choices}</div>
            {others}
        }
        .into_any()
    });
    let hint_id = format!("{}-hint", id_of(CATEGORIES));
    view! {
        <fieldset class="field" id=id_of(CATEGORIES) tabindex="-1" aria-describedby=hint_id.clone()>
            <legend class="label">{label(&VENDOR, "categories")}</legend>
            <p class="hint" id=hint_id.clone()>{hint(&VENDOR, "categories")}</p>
            {choices}
            {problem(format!("{}-problem", id_of(CATEGORIES)), move || draft.problem(CATEGORIES))}
        </fieldset>
    }
    .into_any()
}

/// Words among the purposes that the catalogue does not know, each with a button that removes it.
fn other_words(draft: Draft, known: Vec<String>) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let words = Memo::new(move |_| {
        let words = list_of(draft, CATEGORIES).into_iter();
        let words = words.filter_map(|word| word.as_str().map(str::to_owned));
        words
            .filter(|word| !known.contains(word))
            .collect::<Vec<_>>()
    });
    let removable = move |word: String| {
        let label = fill(w.purpose_remove, &[("purpose", &word)]);
        let gone = word.clone();
        chip(word, label, draft.read_only, move || {
            list(draft, CATEGORIES, &gone, false);
            focus_when_there(vec![id_of(CATEGORIES)]);
        })
    };
    view! {
        <ul class="chips" hidden=move || words.with(Vec::is_empty)>
            <For each=move || words.get() key=String::clone children=removable />
        </ul>
    }
    .into_any()
}

/// The cookies that the service sets.
fn cookies(draft: Draft) -> AnyView {
    fn entry(draft: Draft, index: usize) -> AnyView {
        let at = format!("{COOKIES}/{index}");
        view! {
            {line(draft, format!("{at}/name")).view()}
            {life::life(draft, format!("{at}/maxAgeSeconds"))}
        }
        .into_any()
    }
    let w = ServiceTexts::of_this_page();
    let words = Words {
        one: w.cookie_n,
        add: w.cookie_add,
    };
    let blank = |_: &[Value]| vec![json!({"name": ""})];
    view! {
        <fieldset class="field stack" id=id_of(COOKIES) tabindex="-1">
            <legend class="label">{label(&VENDOR, "cookieFacts")}</legend>
            <p class="hint">{hint(&VENDOR, "cookieFacts")}</p>
            {items(draft, COOKIES, words, blank, entry)}
        </fieldset>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_titles() {
        assert_eq!(slug("Our Chat – v2!"), "our_chat_v2");
        assert_eq!(slug("  "), "");
        assert!(names::is_vendor_name(&slug("Été 2026")));
        assert_eq!(slug(&"x".repeat(90)).len(), names::LONGEST);
    }
}
