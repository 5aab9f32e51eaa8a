//! Bounds of a document as a whole, which hold before its fields are looked at. Errors repeat the names of fields, and
//! readers hold documents in memory, where a value takes many times the bytes of a short text such as `0`.

use std::io;

use serde_json::Value;

use super::check::below;
use crate::{
    error_code::ErrorCode,
    field_error::{FieldError, MOST_ERRORS},
};

/// Most bytes of a document as JSON. A body has one megabyte at most, and changes may add up to more.
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// Most values in a document, with those in lists and objects.
const MOST_VALUES: usize = 100_000;
/// Most bytes of the name of a field.
const MOST_NAME: usize = 256;

/// True if this is an error of a bound. Fields are not worth looking at then.
pub(super) fn is_exceeded(errors: &[FieldError]) -> bool {
    errors.iter().any(|error| error.code == ErrorCode::TooLong)
}

/// The bounds that a document exceeds, and the texts in it that no database keeps.
pub(super) fn check(document: &Value) -> Vec<FieldError> {
    let mut walk = Walk {
        path: Vec::new(),
        values: 0,
        errors: Vec::new(),
    };
    walk.value(document);
    if walk.values > MOST_VALUES {
        return whole(&format!("A document has at most {MOST_VALUES} values."));
    }
    if weight(document) > MOST_BYTES {
        return whole(&format!("A document has at most {MOST_BYTES} bytes."));
    }
    walk.errors
}

fn whole(detail: &str) -> Vec<FieldError> {
    vec![FieldError::new("", ErrorCode::TooLong, detail)]
}

enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

/// A walk through all values. Pointers are made of a value that is refused, and of no other: names may be long.
struct Walk<'a> {
    path: Vec<Step<'a>>,
    values: usize,
    errors: Vec<FieldError>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, value: &'a Value) {
        self.values += 1;
        match value {
            Value::String(text) if text.contains('\0') => self.refuse_nul(),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.enter(Step::Index(index), item);
                }
            }
            Value::Object(map) => {
                for (name, item) in map {
                    if name.len() > MOST_NAME {
                        let detail = format!("The name of a field has at most {MOST_NAME} bytes.");
                        self.refuse(ErrorCode::TooLong, &detail);
                        continue;
                    }
                    self.enter(Step::Name(name), item);
                }
            }
            _ => {}
        }
    }

    fn enter(&mut self, step: Step<'a>, value: &'a Value) {
        if self.values > MOST_VALUES {
            return;
        }
        let is_refused = matches!(step, Step::Name(name) if name.contains('\0'));
        self.path.push(step);
        if is_refused {
            self.refuse_nul();
        }
        self.value(value);
        self.path.pop();
    }

    /// PostgreSQL keeps no U+0000, so nobody may.
    fn refuse_nul(&mut self) {
        self.refuse(ErrorCode::InvalidCharacter, "U+0000 is not allowed.");
    }

    fn refuse(&mut self, code: ErrorCode, detail: &str) {
        if self.errors.len() == MOST_ERRORS {
            return;
        }
        let pointer = self
            .path
            .iter()
            .fold(String::new(), |pointer, step| match step {
                Step::Name(name) => below(&pointer, name),
                Step::Index(index) => below(&pointer, &index.to_string()),
            });
        self.errors.push(FieldError::new(pointer, code, detail));
    }
}

/// Bytes of a value as JSON.
fn weight(value: &Value) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Neither counting nor a JSON value can fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(document: &Value) -> Vec<String> {
        let errors = check(document);
        let told = errors.iter();
        told.map(|error| format!("{} {}", error.pointer, error.code))
            .collect()
    }

    #[test]
    fn texts_without_a_place_in_databases_are_told_by_their_pointers() {
        let document = json!({"a": ["x", {"b/c": "\0"}], "d\0": 1, "e": "good"});
        assert_eq!(
            told(&document),
            ["/a/1/b~1c invalid_character", "/d\0 invalid_character"]
        );
    }

    #[test]
    fn errors_take_less_than_the_document() {
        let document = json!({"k".repeat(500_000): vec!["\0"; 50_000]});
        assert_eq!(told(&document), [" too_long"]);
        let document = json!({"k".repeat(MOST_NAME): vec!["\0"; 50_000]});
        let errors = check(&document);
        assert_eq!(errors.len(), MOST_ERRORS);
        let last = errors.last().unwrap();
        assert!(last.pointer.ends_with("/99"), "{}", last.pointer);
    }

    #[test]
    fn a_document_has_bounds_as_a_whole() {
        assert_eq!(told(&json!({"x": vec![0; 99_998]})), [""; 0]);
        assert_eq!(told(&json!({"x": vec![0; 99_999]})), [" too_long"]);
        assert_eq!(told(&json!({"x": "y".repeat(MOST_BYTES)})), [" too_long"]);
        assert_eq!(told(&json!({"x": "y".repeat(MOST_BYTES - 8)})), [""; 0]);
    }
}
