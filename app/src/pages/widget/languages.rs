//! The languages of a configuration: the list of them, and the form of one, beside the texts of the default language.

use std::collections::BTreeSet;

use domain::collection::Collection;
use domain::documents::field::Kind;
use domain::documents::{
    CONFIGURATION, STEP, TRANSLATED_LISTS, TranslatedList, adopt, below, language_of,
    other_languages, rename, spoken_in, translated_at,
};
use domain::language::{self, LANGUAGES};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_params_map;
use serde_json::Value;

use super::own_language;
use super::state::{Editor, Place};
use super::steps::step_label;
use super::titles;
use super::words::{OwnWords, string_fields};
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::{id_of, problem, select_control, text};
use crate::components::focus::focus_when_there;
use crate::components::layout::{Tone, badge};
use crate::components::loading::{error_message, fetched};
use crate::components::rich::{as_shown, rich};
use crate::components::toast::toasts;
use crate::components::undo::Undo;
use crate::error::UiError;
use crate::fns::documents::read_document;
use crate::fns::listing::Listing;
use crate::fns::widget::configurations;
use crate::i18n::{LanguageTexts, Texts, fill};
use crate::icon::{Icon, icon};
use crate::pages::fields::{label, line};
use crate::pages::project_id;

/// The list of other languages.
const AT: &str = "/languages";

/// A language in the words of its speakers.
pub fn name_of(code: &str) -> &str {
    language::name(code).unwrap_or(code)
}

/// The other languages of a draft.
pub fn others(draft: Draft) -> Memo<Vec<&'static str>> {
    Memo::new(move |_| draft.with_at("", |whole| whole.map(other_languages).unwrap_or_default()))
}

/// The number of missing texts in a language, in words; `None` if none is missing.
pub fn missing(configuration: &Value, language: &str) -> Option<String> {
    let w = LanguageTexts::of_this_page();
    let count = spoken_in(configuration, language).untranslated.len();
    let words = match count {
        0 => return None,
        1 => w.one_missing,
        _ => w.some_missing,
    };
    Some(fill(words, &[("n", &count.to_string())]))
}

/// The same as a sentence for the owner.
pub fn warning(configuration: &Value, code: &str) -> Option<String> {
    let missing = missing(configuration, code)?;
    let values = [
        ("language", name_of(code)),
        ("missing", &missing),
        ("default", name_of(language_of(configuration))),
    ];
    Some(fill(LanguageTexts::of_this_page().warn_missing, &values))
}

/// Keeps a draft whole while somebody edits other parts of it. Translations name steps and services by their names:
/// when one gets another name, its texts go along. A language that becomes the default one is no other one any longer.
pub fn follow(draft: Draft) {
    let is_listed = Memo::new(move |_| {
        let own = own_language(draft);
        draft.with_at(AT, |listed| {
            let mut listed = listed.and_then(Value::as_array).into_iter().flatten();
            listed.any(|code| code.as_str() == Some(&own))
        })
    });
    Effect::new(move |_| {
        if is_listed.get() && !draft.read_only.get_untracked() {
            write(draft, other_languages(&draft.value_untracked()));
        }
    });
    for TranslatedList {
        key: list, name, ..
    } in TRANSLATED_LISTS
    {
        let names = Memo::new(move |_| {
            let entries = draft.at(&below("", list));
            let entries = entries.as_ref().and_then(Value::as_array);
            let names = entries.into_iter().flatten().map(|entry| {
                let name = entry.get(name).and_then(Value::as_str);
                name.unwrap_or_default().to_owned()
            });
            names.collect::<Vec<_>>()
        });
        Effect::new(move |before: Option<Vec<String>>| {
            let now = names.get();
            // On the way to another name a step may have the name of its neighbour for a while.
            if now.iter().collect::<BTreeSet<_>>().len() < now.len() {
                return before.unwrap_or(now);
            }
            if let Some((from, to)) = before.as_deref().and_then(|before| renamed(before, &now)) {
                let (from, to) = (from.to_owned(), to.to_owned());
                draft.edit("/translations", |whole| rename(whole, list, &from, &to));
            }
            now
        });
    }
}

/// Writes the other languages; an empty list is left out.
fn write(draft: Draft, codes: Vec<&'static str>) {
    let codes: Vec<Value> = codes.into_iter().map(Value::from).collect();
    draft.set(AT, (!codes.is_empty()).then_some(Value::Array(codes)));
}

/// The name that became another one, if that is the only difference.
fn renamed<'a>(before: &'a [String], now: &'a [String]) -> Option<(&'a str, &'a str)> {
    if before.len() != now.len() {
        return None;
    }
    let mut changed = before.iter().zip(now).filter(|(before, now)| before != now);
    let one = changed.next()?;
    (changed.next().is_none() && !before.contains(one.1))
        .then_some((one.0.as_str(), one.1.as_str()))
}

/// The list of languages.
pub fn languages(editor: Editor) -> AnyView {
    let Editor { draft, .. } = editor;
    let w = LanguageTexts::of_this_page();
    let listed = others(draft);
    let own = Memo::new(move |_| own_language(draft));
    let rows = move || {
        let rows = listed.get().into_iter().map(|code| row(editor, code));
        rows.collect_view()
    };
    let content = view! {
        <ul class="languages" id=id_of(AT)>
            <li class="row-between">
                <a href=format!("?at={}", Place::General.code())>
                    {move || own.with(|own| name_of(own).to_owned())}
                </a>
                {badge(Tone::Neutral, w.default)}
            </li>
            {rows}
        </ul>
        {problem(format!("{}-problem", id_of(AT)), move || draft.problem(AT))}
        {move || (!draft.read_only.get()).then(|| view! { {add(editor, own, listed)} {adopting(editor)} })}
    };
    section(w.languages, w.about, content.into_any())
}

fn row(editor: Editor, code: &'static str) -> AnyView {
    let Editor { draft, .. } = editor;
    let w = LanguageTexts::of_this_page();
    let undo = Undo::of(draft);
    let name = name_of(code);
    let state =
        Memo::new(move |_| draft.with_at("", |whole| whole.and_then(|whole| missing(whole, code))));
    let remove = move |_| {
        let before = draft.value_untracked();
        let mut left = other_languages(&before);
        left.retain(|other| *other != code);
        // Its texts stay in the draft, for the day on which it comes back.
        write(draft, left);
        undo.offer(fill(w.removed, &[("language", name)]), before);
        focus_when_there(vec![ADD.to_owned()]);
    };
    let label = fill(w.remove, &[("language", name)]);
    let button = move || {
        let label = label.clone();
        (!draft.read_only.get()).then(|| {
            view! {
                <button
                    type="button"
                    class="button button-quiet button-small button-icon"
                    aria-label=label.clone()
                    title=label
                    on:click=remove
                >
                    {icon(Icon::Trash)}
                </button>
            }
        })
    };
    view! {
        <li class="row-between">
            <a href=format!("?at={}", Place::Language(code.to_owned()).code()) lang=code>{name}</a>
            <span class="row">
                {move || match state.get() {
                    Some(words) => badge(Tone::Warn, words),
                    None => badge(Tone::Ok, w.none_missing),
                }}
                {button}
            </span>
        </li>
    }
    .into_any()
}

/// The element that chooses the next language.
const ADD: &str = "add-language";

fn add(editor: Editor, own: Memo<String>, listed: Memo<Vec<&'static str>>) -> AnyView {
    let Editor { draft, go, .. } = editor;
    let w = LanguageTexts::of_this_page();
    let undo = Undo::of(draft);
    let chosen = RwSignal::new(String::new());
    let add = move |_| {
        let code = chosen.get_untracked();
        if code.is_empty() {
            focus_when_there(vec![ADD.to_owned()]);
            return;
        }
        let before = draft.value_untracked();
        let mut codes = other_languages(&before);
        codes.extend(language::find(&code).map(|language| language.code));
        write(draft, codes);
        undo.offer(fill(w.added, &[("language", name_of(&code))]), before);
        titles::translate(draft, code.clone());
        go.run(Place::Language(code));
        focus_when_there(vec![HEAD.to_owned()]);
    };
    let choice = move || {
        let listed = listed.get();
        let free = LANGUAGES.iter().filter(|language| {
            own.with(|own| own != language.code) && !listed.contains(&language.code)
        });
        let free = free.map(|language| (language.code.to_owned(), language.name.to_owned()));
        let none = (String::new(), w.choose.to_owned());
        select_control(
            ADD.to_owned(),
            [none].into_iter().chain(free).collect(),
            chosen.into(),
            move |code| chosen.set(code),
            Signal::from(draft.read_only),
        )
    };
    view! {
        <div class="field">
            <label for=ADD>{w.add}</label>
            <div class="row">
                {choice}
                <button type="button" class="button" on:click=add>
                    {icon(Icon::Plus)}
                    {w.add}
                </button>
            </div>
        </div>
    }
    .into_any()
}

/// The element that chooses the configuration whose texts are taken.
const SOURCE: &str = "texts-from";
/// Most pages of configurations that are offered.
const MOST_PAGES: u32 = 8;

/// Makes translations of the texts of another configuration of the project, for owners who have had one for each
/// language.
fn adopting(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let w = LanguageTexts::of_this_page();
    let (toasts, undo) = (toasts(), Undo::of(draft));
    let params = use_params_map();
    let here = params.with_untracked(|params| params.get("configuration").unwrap_or_default());
    let project = project_id().get_untracked();
    let chosen = RwSignal::new(String::new());
    let asked = Memo::new(move |_| (project.clone(), here.clone()));
    let read = |(project, here)| others_of(project, here);
    let take = move |_| {
        let id = chosen.get_untracked();
        if id.is_empty() {
            focus_when_there(vec![SOURCE.to_owned()]);
            return;
        }
        spawn_local(async move {
            let other = match read_document(Collection::Cookies, id).await {
                Ok(other) => other.data,
                Err(error) => return toasts.problem(error_message(t, &error)),
            };
            // The page may be gone by now.
            let Some(before) = draft.document().try_get_untracked() else {
                return;
            };
            let mut after = before.clone();
            let adopted = adopt(&mut after, &other);
            if adopted.languages.is_empty() {
                return toasts.problem(w.adopted_nothing.to_owned());
            }
            draft.replace(after);
            let names: Vec<&str> = adopted.languages.iter().copied().map(name_of).collect();
            let words = if adopted.left.is_empty() {
                w.adopted
            } else {
                w.adopted_left
            };
            let values = [
                ("n", &*adopted.texts.to_string()),
                ("languages", &*names.join(", ")),
                ("left", &*adopted.left.join(", ")),
            ];
            undo.offer(fill(words, &values), before);
        });
    };
    let nothing = || ().into_any();
    fetched(
        asked,
        nothing,
        read,
        move |others: Vec<(String, String)>| {
            if others.is_empty() {
                return nothing();
            }
            let none = (String::new(), w.adopt_choose.to_owned());
            let choice = select_control(
                SOURCE.to_owned(),
                [none].into_iter().chain(others).collect(),
                chosen.into(),
                move |id| chosen.set(id),
                Signal::from(draft.read_only),
            );
            view! {
                <div class="field">
                    <label for=SOURCE>{w.adopt}</label>
                    <div class="row">
                        {choice}
                        <button type="button" class="button" on:click=take>{w.take}</button>
                    </div>
                    <p class="hint">{w.adopt_hint}</p>
                </div>
            }
            .into_any()
        },
    )
}

/// The other configurations of a project: id and title with language.
async fn others_of(project: String, here: String) -> Result<Vec<(String, String)>, UiError> {
    let mut others = Vec::new();
    for page in 1..=MOST_PAGES {
        let asked = Listing {
            page,
            ..Listing::default()
        };
        let list = configurations(project.clone(), asked).await?;
        let read = u64::from(page) * u64::from(list.per_page);
        let rows = list.rows.into_iter().filter(|row| row.id != here);
        others.extend(rows.map(|row| {
            let label = format!("{} ({})", row.title, name_of(&row.language));
            (row.id, label)
        }));
        if read >= list.total {
            break;
        }
    }
    Ok(others)
}

/// The heading of a language's form.
const HEAD: &str = "translation";

/// A text of the default language, and the place of its translation.
#[derive(Clone, PartialEq)]
struct Pair {
    label: &'static str,
    original: String,
    pointer: String,
    form: Form,
}

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Line,
    Lines,
    /// HTML.
    Rich,
}

/// The texts of a step, or of a service that needs no consent.
#[derive(Clone, PartialEq)]
struct Group {
    title: String,
    pairs: Vec<Pair>,
    /// The place of the step's own words, if it has some.
    words: Option<String>,
}

/// The form of one language.
pub fn translation(editor: Editor, code: String) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let w = LanguageTexts::of_this_page();
    let listed = others(draft);
    let spoken = Memo::new({
        let code = code.clone();
        move |_| listed.with(|listed| listed.contains(&code.as_str()))
    });
    let form = move || {
        if !spoken.get() {
            return view! { <p class="muted card card-pad">{w.not_there}</p> }.into_any();
        }
        // Typing a translation must not draw its field anew.
        let groups = Memo::new({
            let code = code.clone();
            move |_| {
                draft.with_at("", |whole| {
                    whole
                        .map(|whole| groups(whole, &code, t))
                        .unwrap_or_default()
                })
            }
        });
        let own = untrack(|| own_language(draft));
        let name = name_of(&code).to_owned();
        let root = below("/translations", &code);
        let state = Memo::new({
            let code = code.clone();
            move |_| draft.with_at("", |whole| whole.and_then(|whole| missing(whole, &code)))
        });
        let policy = {
            let (root, own) = (root.clone(), own.clone());
            let pointer = format!("{root}/privacyPolicyUrl");
            let original = Memo::new(move |_| draft.text("/privacyPolicyUrl"));
            move || {
                (!original.with(String::is_empty)).then(|| {
                    let field = line(draft, pointer.clone()).hint(w.same_policy).view();
                    beside(
                        label(&CONFIGURATION, "privacyPolicyUrl"),
                        plain(original.get(), &own),
                        &own,
                        field,
                    )
                })
            }
        };
        let cards = {
            let (own, code, root) = (own.clone(), code.clone(), root.clone());
            move || {
                let cards = groups.get().into_iter();
                let cards = cards.map(|group| card(editor, group, &own, &code, &root));
                cards.collect_view()
            }
        };
        let words = OwnWords {
            holder: root.clone(),
            stand_in: None,
            language: code.clone(),
        };
        let own_words = fill(w.own_words, &[("language", &name)]);
        view! {
            <section class="card card-pad form form-wide" aria-labelledby=HEAD>
                <div class="row-between">
                    <h2 id=HEAD tabindex="-1">{fill(w.translate, &[("language", &name)])}</h2>
                    {move || match state.get() {
                        Some(words) => badge(Tone::Warn, words),
                        None => badge(Tone::Ok, w.none_missing),
                    }}
                </div>
                <p class="muted">{w.translate_text}</p>
                <p><a href=format!("?at={}", Place::Languages.code())>{w.back}</a></p>
                {policy}
            </section>
            {cards}
            {section_of_words(editor, own_words, words)}
        }
        .into_any()
    };
    view! { <div class="stack">{form}</div> }.into_any()
}

fn groups(configuration: &Value, code: &str, t: &'static Texts) -> Vec<Group> {
    let place = |pointer: &str| translated_at(configuration, code, pointer);
    let groups = TRANSLATED_LISTS.iter().flat_map(|list| {
        let entries = configuration.get(list.key).and_then(Value::as_array);
        let entries = entries.into_iter().flatten().enumerate();
        entries.map(move |(index, entry)| {
            let at = format!("/{}/{index}", list.key);
            let pairs = list.texts.iter().filter_map(|key| {
                let original = entry.get(*key).and_then(Value::as_str)?.trim();
                (!original.is_empty()).then_some(())?;
                let (label, form) = label_and_form(list.key, key)?;
                Some(Pair {
                    label,
                    original: original.to_owned(),
                    pointer: place(&format!("{at}/{key}"))?,
                    form,
                })
            });
            let words = entry.get("strings").and_then(Value::as_object);
            let has_words = words.is_some_and(|words| !words.is_empty());
            Group {
                title: step_label(entry, t),
                pairs: pairs.collect(),
                words: place(&format!("{at}/strings")).filter(|_| has_words),
            }
        })
    });
    groups.collect()
}

/// The label of a text in the form of the default language, and its form.
fn label_and_form(list: &str, key: &str) -> Option<(&'static str, Form)> {
    let entry = CONFIGURATION.field(list)?.rule.kind.part()?;
    let field = entry.field(key)?;
    let form = match field.rule.kind {
        Kind::Html => Form::Rich,
        // A sentence, where the others are a few words.
        _ if key == "reason" => Form::Lines,
        _ => Form::Line,
    };
    Some((label(entry, field.key), form))
}

fn card(editor: Editor, group: Group, own: &str, code: &str, root: &str) -> AnyView {
    let Editor { draft, .. } = editor;
    let w = LanguageTexts::of_this_page();
    let is_empty = group.pairs.is_empty() && group.words.is_none();
    let pairs = group.pairs.into_iter().map(|pair| {
        let lacks = {
            let pointer = pair.pointer.clone();
            Memo::new(move |_| draft.text(&pointer).trim().is_empty())
        };
        let (pointer, label) = (pair.pointer, pair.label);
        let field = match pair.form {
            Form::Line => text(draft, pointer, label).language(code).view(),
            Form::Lines => text(draft, pointer, label).rows(3).language(code).view(),
            Form::Rich => rich(draft, pointer, label, code.to_owned()).view(),
        };
        let field = view! {
            <div>
                {field}
                {move || lacks.get().then(|| view! { <p class="hint">{w.missing}</p> })}
            </div>
        };
        let original = match pair.form {
            Form::Rich => as_shown(pair.original, Some(own.to_owned())),
            Form::Line | Form::Lines => plain(pair.original, own),
        };
        beside(pair.label, original, own, field.into_any())
    });
    let pairs = pairs.collect_view();
    let words = group.words.map(|place| {
        let words = OwnWords {
            holder: place.trim_end_matches("/strings").to_owned(),
            stand_in: Some(root.to_owned()),
            language: code.to_owned(),
        };
        string_fields(editor, words)
    });
    let title = group.title.clone();
    view! {
        <section class="card card-pad form form-wide" aria-label=title>
            <h3>{group.title}</h3>
            {is_empty.then(|| view! { <p class="muted">{w.nothing}</p> })}
            {pairs}
            {words.map(|words| view! { <p class="muted">{label(&STEP, "strings")}</p> {words} })}
        </section>
    }
    .into_any()
}

/// A text of the default language beside the field of its translation.
fn beside(label: &'static str, original: AnyView, language: &str, field: AnyView) -> AnyView {
    view! {
        <div class="form-pair form-pair-texts">
            <div class="original">
                <span class="label">{label} " · " {name_of(language).to_owned()}</span>
                {original}
            </div>
            {field}
        </div>
    }
    .into_any()
}

fn plain(original: String, language: &str) -> AnyView {
    view! { <p lang=language.to_owned() dir="auto">{original}</p> }.into_any()
}

/// The words of buttons: few change them, so they are fetched and shown when asked for.
fn section_of_words(editor: Editor, title: String, words: OwnWords) -> AnyView {
    let open = RwSignal::new(false);
    let fields = move || open.get().then(|| string_fields(editor, words.clone()));
    view! {
        <details class="card card-pad form form-wide" on:toggle:target=move |event| open.set(event.target().open())>
            <summary>{title}</summary>
            {fields}
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn each_text_has_a_field() {
        for list in TRANSLATED_LISTS {
            for key in list.texts {
                let is_rich = label_and_form(list.key, key).map(|(_, form)| form == Form::Rich);
                assert_eq!(is_rich, Some(*key == "message"), "{}/{key}", list.key);
            }
        }
    }

    #[test]
    fn one_other_name_at_the_same_place_is_a_rename() {
        let before = names(&["hello", "services"]);
        let to = |now: &[&str]| {
            let now = names(now);
            renamed(&before, &now).map(|(from, to)| (from.to_owned(), to.to_owned()))
        };
        assert_eq!(
            to(&["hi", "services"]),
            Some(("hello".to_owned(), "hi".to_owned()))
        );
        assert_eq!(to(&["services", "hello"]), None);
        assert_eq!(to(&["hello"]), None);
        assert_eq!(to(&["hello", "services"]), None);
    }
}
