//! Fields of a [`Draft`]: label, control, hint, and the problem at the field.

use leptos::html;
use leptos::prelude::*;
use serde_json::{Number, Value};

use super::draft::{Draft, error_text};
use crate::i18n::{fill, texts};
use crate::icon::{Icon, icon};
use crate::rcdata::rcdata;

/// The element id of the field at a pointer; saving moves focus to the first broken one by it.
pub fn id_of(pointer: &str) -> String {
    // Names that people choose may hold blanks, which separate ids.
    let pointer = pointer.replace(char::is_whitespace, "_");
    format!("field{}", pointer.replace('/', "-"))
}

/// The problems of a draft that no element on this page shows.
pub fn problems_without_field(draft: Draft) -> Vec<String> {
    let errors = draft.errors_untracked().into_iter();
    let outside = errors.filter(|error| shown_at(&error.pointer).is_none());
    outside.map(|error| error_text(texts(), &error)).collect()
}

/// The element of a field. A problem of a list or a choice is shown by the whole of it.
pub fn shown_at(pointer: &str) -> Option<web_sys::Element> {
    let mut pointer = pointer;
    loop {
        if let Some(element) = document().get_element_by_id(&id_of(pointer)) {
            return Some(element);
        }
        pointer = pointer.rsplit_once('/').map(|(parent, _)| parent)?;
        if pointer.is_empty() {
            return None;
        }
    }
}

/// The problem of a field, in red below it.
pub fn problem(id: String, text: impl Fn() -> Option<String> + Send + Sync + 'static) -> AnyView {
    let text = Memo::new(move |_| text());
    view! {
        <div id=id aria-live="polite">
            {move || {
                text.get().map(|text| view! { <p class="problem">{icon(Icon::Warning)}<span>{text}</span></p> })
            }}
        </div>
    }
    .into_any()
}

/// The hint and the problem of a field, which its control names by their ids.
struct Notes {
    draft: Draft,
    pointer: String,
    /// Id of the control.
    id: String,
    hint: Option<&'static str>,
    /// True while the field has a problem.
    invalid: Memo<bool>,
}

impl Notes {
    fn of(draft: Draft, pointer: &str, hint: Option<&'static str>) -> Self {
        let pointer = pointer.to_owned();
        let invalid = {
            let pointer = pointer.clone();
            Memo::new(move |_| draft.problem(&pointer).is_some())
        };
        Self {
            draft,
            id: id_of(&pointer),
            pointer,
            hint,
            invalid,
        }
    }

    fn hint_id(&self) -> String {
        format!("{}-hint", self.id)
    }

    fn problem_id(&self) -> String {
        format!("{}-problem", self.id)
    }

    /// The value of `aria-describedby`.
    fn described(&self) -> String {
        if self.hint.is_some() {
            format!("{} {}", self.hint_id(), self.problem_id())
        } else {
            self.problem_id()
        }
    }

    fn view(self) -> AnyView {
        let (hint_id, problem_id) = (self.hint_id(), self.problem_id());
        let Self {
            draft,
            pointer,
            hint,
            ..
        } = self;
        view! {
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
            {problem(problem_id, move || draft.problem(&pointer))}
        }
        .into_any()
    }
}

/// A remark beside the label of a field.
#[derive(Clone, Copy)]
enum Mark {
    None,
    /// It may stay empty.
    Optional,
    /// A draft may lack it, and a published document may not.
    Needed,
}

/// A text field under construction.
#[must_use]
pub struct TextField {
    draft: Draft,
    pointer: String,
    label: &'static str,
    hint: Option<&'static str>,
    kind: &'static str,
    placeholder: Option<String>,
    rows: Option<u32>,
    mark: Mark,
    unit: Option<&'static str>,
    language: Option<String>,
}

/// A field for the text at a pointer.
pub fn text(draft: Draft, pointer: impl Into<String>, label: &'static str) -> TextField {
    TextField {
        draft,
        pointer: pointer.into(),
        label,
        hint: None,
        kind: "text",
        placeholder: None,
        rows: None,
        mark: Mark::None,
        unit: None,
        language: None,
    }
}

/// A field for the number at a pointer.
pub fn number(draft: Draft, pointer: impl Into<String>, label: &'static str) -> TextField {
    TextField {
        kind: "number",
        ..text(draft, pointer, label)
    }
}

impl TextField {
    pub fn label(self, label: &'static str) -> Self {
        Self { label, ..self }
    }
    pub fn hint(self, hint: &'static str) -> Self {
        Self {
            hint: Some(hint),
            ..self
        }
    }
    pub fn kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }
    pub fn placeholder(self, placeholder: impl Into<String>) -> Self {
        Self {
            placeholder: Some(placeholder.into()),
            ..self
        }
    }
    /// A value as somebody might write it. It is called an example, as it would look like the field's own otherwise.
    pub fn example(self, value: &str) -> Self {
        self.placeholder(fill(texts().for_example, &[("value", value)]))
    }
    /// Several lines.
    pub fn rows(self, rows: u32) -> Self {
        Self {
            rows: Some(rows),
            ..self
        }
    }
    pub fn optional(self) -> Self {
        Self {
            mark: Mark::Optional,
            ..self
        }
    }
    /// A draft may lack it, and a published document may not.
    pub fn needed(self) -> Self {
        Self {
            mark: Mark::Needed,
            ..self
        }
    }
    pub fn unit(self, unit: &'static str) -> Self {
        Self {
            unit: Some(unit),
            ..self
        }
    }

    /// Its text is in another language than the page.
    pub fn language(self, code: &str) -> Self {
        Self {
            language: Some(code.to_owned()),
            ..self
        }
    }

    pub fn view(self) -> AnyView {
        let t = texts();
        let Self {
            draft,
            pointer,
            label,
            hint,
            kind,
            placeholder,
            rows,
            mark,
            unit,
            language,
        } = self;
        // Its letters run as those of its language do.
        let direction = language.is_some().then_some("auto");
        let notes = Notes::of(draft, &pointer, hint);
        let (id, described, invalid) = (notes.id.clone(), notes.described(), notes.invalid);
        let numeric = kind == "number";
        let read = {
            let pointer = pointer.clone();
            Memo::new(move |_| match draft.at(&pointer) {
                Some(Value::String(text)) => text,
                Some(Value::Number(number)) => plain(&number),
                _ => String::new(),
            })
        };
        let write = {
            let pointer = pointer.clone();
            move |text: String| {
                if numeric {
                    // Other text stays as it is, so that the server refuses it and nobody loses it.
                    let value = match text.parse::<f64>() {
                        _ if text.is_empty() => None,
                        Ok(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                            Some(Value::from(number as i64))
                        }
                        Ok(number) => Some(Value::from(number)),
                        Err(_) => Some(Value::String(text)),
                    };
                    draft.set(&pointer, value);
                } else {
                    draft.set_text(&pointer, &text);
                }
            }
        };
        let aria_invalid = move || invalid.get().then_some("true");
        let control = if let Some(rows) = rows {
            view! {
                <textarea
                    id=id.clone()
                    class="input"
                    lang=language
                    dir=direction
                    rows=rows
                    placeholder=placeholder
                    aria-describedby=described
                    aria-invalid=aria_invalid
                    disabled=draft.read_only
                    prop:value=read
                    on:input:target=move |event| write(event.target().value())
                >
                    {rcdata(read.get_untracked())}
                </textarea>
            }
            .into_any()
        } else {
            view! {
                <input
                    id=id.clone()
                    class="input"
                    class:input-short=numeric
                    lang=language
                    dir=direction
                    type=if numeric { "text" } else { kind }
                    inputmode=numeric.then_some("numeric")
                    autocomplete="off"
                    placeholder=placeholder
                    aria-describedby=described
                    aria-invalid=aria_invalid
                    disabled=draft.read_only
                    value=read.get_untracked()
                    prop:value=read
                    on:input:target=move |event| write(event.target().value())
                />
            }
            .into_any()
        };
        view! {
            <div class="field">
                <label for=id>
                    {label} " "
                    {match mark {
                        Mark::None => None,
                        Mark::Optional => Some(small_mark(t.optional)),
                        Mark::Needed => Some(needed_mark()),
                    }}
                </label>
                {match unit {
                    Some(unit) => view! { <div class="input-with">{control} <span class="muted">{unit}</span></div> }.into_any(),
                    None => control,
                }}
                {notes.view()}
            </div>
        }
        .into_any()
    }
}

/// A number as people write it: without a fraction of nothing.
fn plain(number: &Number) -> String {
    let text = number.to_string();
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Says beside a label that publishing needs the field.
pub fn needed_mark() -> AnyView {
    small_mark(texts().needed_to_publish)
}

fn small_mark(text: &'static str) -> AnyView {
    view! { <span class="optional">" " {text}</span> }.into_any()
}

/// A choice among named values; the first option stands for "not set" when its value is empty.
pub fn select(
    draft: Draft,
    pointer: impl Into<String>,
    label: &'static str,
    options: Vec<(String, String)>,
    hint: Option<&'static str>,
) -> AnyView {
    let pointer: String = pointer.into();
    let (read, written) = (pointer.clone(), pointer.clone());
    let current = Memo::new(move |_| draft.text(&read));
    let change = move |value: String| draft.set_text(&written, &value);
    select_field(draft, pointer, label, options, (current, change), hint)
}

/// A select of words of which one is the default. An absent value shows the default, and choosing that takes the value
/// out of the document.
pub fn select_or_default(
    draft: Draft,
    pointer: impl Into<String>,
    label: &'static str,
    options: Vec<(&'static str, String)>,
    default: &'static str,
    hint: Option<&'static str>,
) -> AnyView {
    let pointer: String = pointer.into();
    let (read, written) = (pointer.clone(), pointer.clone());
    let current = Memo::new(move |_| {
        let text = draft.text(&read);
        if text.is_empty() {
            default.to_owned()
        } else {
            text
        }
    });
    let change = move |value: String| {
        let value = if value == default { "" } else { &value };
        draft.set_text(&written, value);
    };
    let options = options
        .into_iter()
        .map(|(word, label)| (word.to_owned(), label));
    select_field(
        draft,
        pointer,
        label,
        options.collect(),
        (current, change),
        hint,
    )
}

fn select_field(
    draft: Draft,
    pointer: String,
    label: &'static str,
    options: Vec<(String, String)>,
    (current, change): (Memo<String>, impl Fn(String) + 'static),
    hint: Option<&'static str>,
) -> AnyView {
    let notes = Notes::of(draft, &pointer, hint);
    let (described, invalid) = (notes.described(), notes.invalid);
    view! {
        <div class="field">
            <label for=notes.id.clone()>{label}</label>
            {select_of(
                notes.id.clone(),
                options,
                Signal::from(current),
                change,
                Signal::from(draft.read_only),
                Some((described, invalid)),
            )}
            {notes.view()}
        </div>
    }
    .into_any()
}

/// The bare control of a choice. A value that no option names is shown as it is.
pub fn select_control(
    id: String,
    options: Vec<(String, String)>,
    current: Signal<String>,
    change: impl Fn(String) + 'static,
    disabled: Signal<bool>,
) -> AnyView {
    select_of(id, options, current, change, disabled, None)
}

/// The same with its description and whether it has a problem.
fn select_of(
    id: String,
    options: Vec<(String, String)>,
    current: Signal<String>,
    change: impl Fn(String) + 'static,
    disabled: Signal<bool>,
    notes: Option<(String, Memo<bool>)>,
) -> AnyView {
    let (described, invalid) = notes.unzip();
    let mut options = options;
    let now = current.get_untracked();
    if !options.iter().any(|(value, _)| *value == now) {
        options.push((now.clone(), now));
    }
    view! {
        <span class="select">
            <select
                id=id
                class="input"
                aria-describedby=described
                aria-invalid=move || invalid.is_some_and(|invalid| invalid.get()).then_some("true")
                disabled=disabled
                prop:value=current
                on:change:target=move |event| change(event.target().value())
            >
                {options
                    .into_iter()
                    .map(|(value, label)| {
                        let selected = current.with_untracked(|current| *current == value);
                        view! { <option value=value selected=selected>{label}</option> }
                    })
                    .collect_view()}
            </select>
            {icon(Icon::ChevronDown)}
        </span>
    }
    .into_any()
}

/// A switch for the boolean at a pointer; `default` is what its absence means.
pub fn switch(
    draft: Draft,
    pointer: impl Into<String>,
    label: &'static str,
    hint: Option<&'static str>,
    default: bool,
) -> AnyView {
    let pointer: String = pointer.into();
    let id = id_of(&pointer);
    let checked = {
        let pointer = pointer.clone();
        Memo::new(move |_| {
            draft
                .at(&pointer)
                .and_then(|value| value.as_bool())
                .unwrap_or(default)
        })
    };
    let hint_id = format!("{id}-hint");
    let problem_id = format!("{id}-problem");
    let at = pointer.clone();
    view! {
        <div class="field">
            <div class="switch">
                <input
                    type="checkbox"
                    role="switch"
                    id=id.clone()
                    aria-describedby=hint.map(|_| hint_id.clone())
                    disabled=draft.read_only
                    checked=checked.get_untracked()
                    prop:checked=checked
                    on:change:target=move |event| {
                        draft.set(&at, Some(Value::Bool(event.target().checked())));
                    }
                />
                <div>
                    <label for=id>{label}</label>
                    {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
                </div>
            </div>
            {problem(problem_id, move || draft.problem(&pointer))}
        </div>
    }
    .into_any()
}

/// One option of a picture choice.
pub struct Picture {
    pub value: &'static str,
    pub label: &'static str,
    pub picture: AnyView,
    /// Cannot be chosen, only kept.
    pub disabled: bool,
}

/// A choice among pictures, as radio buttons.
pub fn pictures(
    draft: Draft,
    pointer: impl Into<String>,
    label: &'static str,
    default: &'static str,
    options: Vec<Picture>,
) -> AnyView {
    let pointer: String = pointer.into();
    let id = id_of(&pointer);
    let problem_id = format!("{id}-problem");
    let current = {
        let pointer = pointer.clone();
        Memo::new(move |_| {
            let text = draft.text(&pointer);
            if text.is_empty() {
                default.to_owned()
            } else {
                text
            }
        })
    };
    let name = id.clone();
    let options = options
        .into_iter()
        .map(|option| {
            let value = option.value;
            let at = pointer.clone();
            let disabled = option.disabled;
            view! {
                <label class="choice">
                    <input
                        type="radio"
                        name=name.clone()
                        value=value
                        disabled=move || {
                            draft.read_only.get() || (disabled && current.with(|now| now != value))
                        }
                        checked=current.with_untracked(|now| now == value)
                        prop:checked=move || current.with(|now| now == value)
                        on:change=move |_| draft.set_text(&at, value)
                    />
                    {option.picture}
                    <span>{option.label}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="field" id=id tabindex="-1">
            <legend class="label">{label}</legend>
            <div class="choices">{options}</div>
            {problem(problem_id, move || draft.problem(&pointer))}
        </fieldset>
    }
    .into_any()
}

/// A colour: the browser's picker beside the value as text. Empty means the product's default.
pub fn colour(
    draft: Draft,
    pointer: impl Into<String>,
    label: &'static str,
    default: &'static str,
) -> AnyView {
    let t = texts();
    let pointer: String = pointer.into();
    let notes = Notes::of(draft, &pointer, None);
    let (id, described, invalid) = (notes.id.clone(), notes.described(), notes.invalid);
    let current = {
        let pointer = pointer.clone();
        Memo::new(move |_| draft.text(&pointer))
    };
    // The picker knows only six digits.
    let picked =
        move || current.with(|text| six_digits(text).unwrap_or_else(|| default.to_owned()));
    let picker = NodeRef::<html::Input>::new();
    let (by_picker, by_text) = (pointer.clone(), pointer.clone());
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <div class="colour">
                <input
                    node_ref=picker
                    type="color"
                    aria-label=format!("{label}: {}", t.pick_colour)
                    disabled=draft.read_only
                    value=untrack(picked)
                    prop:value=picked
                    on:input:target=move |event| draft.set_text(&by_picker, &event.target().value())
                />
                <input
                    id=id
                    class="input mono"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder=default
                    aria-describedby=described
                    aria-invalid=move || invalid.get().then_some("true")
                    disabled=draft.read_only
                    value=current.get_untracked()
                    prop:value=current
                    on:input:target=move |event| {
                        draft.set_text(&by_text, event.target().value().trim());
                    }
                />
            </div>
            {notes.view()}
        </div>
    }
    .into_any()
}

fn six_digits(colour: &str) -> Option<String> {
    let digits = colour.strip_prefix('#')?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    match digits.len() {
        3 | 4 => {
            let doubled: String = digits
                .chars()
                .take(3)
                .flat_map(|digit| [digit, digit])
                .collect();
            Some(format!("#{doubled}"))
        }
        6 | 8 => digits.get(..6).map(|six| format!("#{six}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (number, text) in [(18.0, "18"), (0.5, "0.5"), (-2.0, "-2")] {
            assert_eq!(
                Number::from_f64(number).as_ref().map(plain).as_deref(),
                Some(text)
            );
        }
        assert_eq!(plain(&Number::from(7)), "7");
    }

    #[test]
    fn the_picker_gets_six_digits_of_every_form() {
        assert_eq!(six_digits("#abc").as_deref(), Some("#aabbcc"));
        assert_eq!(six_digits("#11223344").as_deref(), Some("#112233"));
        assert_eq!(six_digits("red"), None);
        assert_eq!(six_digits("#12"), None);
    }
}
