//! The rows of fields in forms, as their descriptions ask for them.

use domain::documents::field::{Kind, Object, Reach, Rule, Unit};
use leptos::prelude::*;
use serde_json::Value;

use super::choices::{Options, option_text};
use super::names::{hint, label};
use crate::components::draft::Draft;
use crate::components::field::{self, TextField};
use crate::components::lines::{lines, sentences};
use crate::i18n::texts;

/// A field of a draft as it is described and told to people.
struct Told {
    key: &'static str,
    label: &'static str,
    hint: Option<&'static str>,
    rule: Rule,
    /// The value that its absence stands for.
    default: Value,
}

impl Told {
    /// The field at a pointer.
    fn at(draft: Draft, pointer: &str) -> Self {
        let found = draft.described().and_then(|document| document.at(pointer));
        debug_assert!(found.is_some(), "{pointer} is no field of the document");
        let Some((object, field)) = found else {
            return Self {
                key: "",
                label: "",
                hint: None,
                rule: Kind::Any.optional(),
                default: Value::Null,
            };
        };
        Self {
            key: field.key,
            label: label(object, field.key),
            hint: hint(object, field.key),
            rule: field.rule,
            default: field.default_value().unwrap_or_default(),
        }
    }

    /// The words that it may hold, each with its text.
    fn options(&self) -> Options {
        let Kind::Words(words) = self.rule.kind else {
            debug_assert!(false, "{} holds no words", self.key);
            return Options::new();
        };
        let options = words.iter().map(|&word| {
            let text = option_text(self.key, word);
            (word, text.unwrap_or_else(|| word.to_owned()))
        });
        options.collect()
    }
}

/// The field for the text or number at a pointer of a document, with the label, hint, unit and mark that its description
/// asks for.
pub fn line(draft: Draft, pointer: impl Into<String>) -> TextField {
    let pointer: String = pointer.into();
    let told = Told::at(draft, &pointer);
    let line = match told.rule.kind {
        Kind::Number(..) | Kind::Whole(..) => field::number(draft, pointer, told.label),
        _ => field::text(draft, pointer, told.label),
    };
    let line = match told.rule.kind {
        Kind::Text => line.rows(3),
        Kind::Url => line.kind("url").placeholder("https://"),
        _ => line,
    };
    let line = match told.hint {
        Some(hint) => line.hint(hint),
        None => line,
    };
    let line = match told.rule.unit {
        Some(unit) => line.unit(unit_name(unit)),
        None => line,
    };
    if told.default.is_number() {
        return line.placeholder(told.default.to_string());
    }
    match told.rule.to_publish {
        Some(_) => line.needed(),
        None if told.rule.is_required || told.rule.is_expected => line,
        None => line.optional(),
    }
}

fn unit_name(unit: Unit) -> &'static str {
    let t = texts();
    match unit {
        Unit::Pixels => "px",
        Unit::Milliseconds => "ms",
        Unit::Days => t.days,
        Unit::Months => t.months,
    }
}

/// The switch for the flag at a pointer of a document.
pub fn switch(draft: Draft, pointer: impl Into<String>) -> AnyView {
    let pointer: String = pointer.into();
    let told = Told::at(draft, &pointer);
    let is_on = told.default == Value::Bool(true);
    field::switch(draft, pointer, told.label, told.hint, is_on)
}

/// The choice among the words of the field at a pointer of a document. An absent value shows the default; without one, the
/// field may stay without a value.
pub fn choice(draft: Draft, pointer: impl Into<String>) -> AnyView {
    let pointer: String = pointer.into();
    let told = Told::at(draft, &pointer);
    let options = told.options();
    let default = options.iter().find(|(word, _)| told.default == *word);
    match default.map(|(word, _)| *word) {
        Some(default) => {
            field::select_or_default(draft, pointer, told.label, options, default, told.hint)
        }
        None => choice_or(draft, pointer, "–"),
    }
}

/// The same for a field that may stay without a value, which `none` tells.
pub fn choice_or(draft: Draft, pointer: impl Into<String>, none: &str) -> AnyView {
    let pointer: String = pointer.into();
    let options = Told::at(draft, &pointer).options().into_iter();
    let options = options.map(|(word, text)| (word.to_owned(), text));
    let none = std::iter::once((String::new(), none.to_owned()));
    select(draft, pointer, none.chain(options).collect())
}

/// A choice among values that the description does not name; an empty one stands for an absent field.
pub fn select(draft: Draft, pointer: impl Into<String>, options: Vec<(String, String)>) -> AnyView {
    let pointer: String = pointer.into();
    let told = Told::at(draft, &pointer);
    field::select(draft, pointer, told.label, options, told.hint)
}

/// The field for the list of texts at a pointer of a document, one a line.
pub fn list(draft: Draft, pointer: &'static str, placeholder: &'static str) -> AnyView {
    let told = Told::at(draft, pointer);
    let hint = told.hint.unwrap_or_default();
    match told.rule.kind {
        // People read these; the others are codes.
        Kind::Lines => sentences(draft, pointer, told.label, placeholder, hint),
        _ => lines(draft, pointer, told.label, placeholder, hint),
    }
}

/// The row of the field at a pointer of a document, as its kind asks for it; `None` for kinds that need a form of their
/// own.
pub fn row(draft: Draft, pointer: &str) -> Option<AnyView> {
    let told = Told::at(draft, pointer);
    match told.rule.kind {
        Kind::Flag => Some(switch(draft, pointer)),
        Kind::Words(_) => Some(choice(draft, pointer)),
        kind if is_line(kind) => Some(line(draft, pointer).view()),
        _ => None,
    }
}

/// True if one line of text holds the values of a kind.
const fn is_line(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Line
            | Kind::Text
            | Kind::Formatted(_)
            | Kind::Url
            | Kind::Number(..)
            | Kind::Whole(..)
    )
}

/// JSON Pointers of the fields of a document, and of its parts, that people write and [`row`] draws.
pub fn rows(document: &'static Object) -> Vec<String> {
    let mut found = Vec::new();
    collect(document, "", &mut found);
    found
}

fn collect(object: &'static Object, at: &str, found: &mut Vec<String>) {
    let written = object.fields.iter();
    let written =
        written.filter(|field| matches!(field.rule.reach, Reach::Published | Reach::Private));
    for field in written {
        let pointer = format!("{at}/{}", field.key);
        match field.rule.kind {
            Kind::Object(part) | Kind::FlagOr(part) => collect(part, &pointer, found),
            kind if is_line(kind) || matches!(kind, Kind::Flag | Kind::Words(_)) => {
                found.push(pointer);
            }
            _ => {}
        }
    }
}
