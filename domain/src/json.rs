//! JSON text as values, within bounds: a [`Value`] takes up to a hundred times the bytes of a short text such as `[0]`.

use std::{cell::Cell, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Most values in a body, with those in lists and objects. They take 50 MB of memory at most, beside their texts.
pub const MOST_VALUES: usize = 131_072;

/// Bytes of a text that an [`outline`] keeps: ids, times and words are shorter.
const MOST_TEXT: usize = 256;

/// The memory of a usual document is at most so many times its text.
const USUAL: usize = 8;

/// The reason for which a text gives no value.
#[derive(Debug)]
pub enum Fault {
    /// It is no JSON.
    Malformed(serde_json::Error),
    /// It has more values than this, with those in lists and objects.
    TooMany(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => error.fmt(formatter),
            Self::TooMany(most) => write!(formatter, "it has more than {most} values"),
        }
    }
}

impl std::error::Error for Fault {}

/// False for a text that is too short for more values than `most`: each but the first needs two bytes.
pub fn may_exceed(text: &[u8], most: usize) -> bool {
    text.len().div_ceil(2) > most
}

/// Reads a text with at most `most` values, with those in lists and objects.
///
/// # Errors
/// [`Fault`], for text that is no JSON, and as soon as there are more values.
pub fn read(text: &[u8], most: usize) -> Result<Value, Fault> {
    if may_exceed(text, most) {
        return take(text, most, usize::MAX);
    }
    serde_json::from_slice(text).map_err(Fault::Malformed)
}

/// As [`read`], with long texts cut. The rest is enough to tell types, ids, times, words and U+0000.
///
/// # Errors
/// As [`read`].
pub fn outline(text: &[u8], most: usize) -> Result<Value, Fault> {
    take(text, most, MOST_TEXT)
}

fn take(text: &[u8], most: usize, most_text: usize) -> Result<Value, Fault> {
    let left = Cell::new(Some(most));
    let reader = Reader {
        left: &left,
        most_text,
    };
    let mut json = serde_json::Deserializer::from_slice(text);
    let value = reader.deserialize(&mut json);
    let value = value.and_then(|value| json.end().map(|()| value));
    value.map_err(|error| match left.get() {
        Some(_) => Fault::Malformed(error),
        None => Fault::TooMany(most),
    })
}

/// Reads values, as `serde_json` does.
#[derive(Clone, Copy)]
struct Reader<'a> {
    /// The number of further values; `None` once there were too many.
    left: &'a Cell<Option<usize>>,
    /// Bytes of a text that are kept.
    most_text: usize,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().and_then(|left| left.checked_sub(1));
        self.left.set(left);
        if left.is_none() {
            return Err(D::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        let end = text.floor_char_boundary(self.most_text);
        let (kept, rest) = text.split_at(end);
        let mut kept = kept.to_owned();
        if rest.contains('\0') {
            kept.push('\0');
        }
        Ok(Value::String(kept))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self)?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

/// Bytes of a value for bounds of values that are in memory together: about those of its text, or an eighth of its
/// memory, if that is more.
pub fn weight(value: &Value) -> u64 {
    let mut size = Size::default();
    size.add(value);
    size.text.max(size.memory / USUAL) as u64
}

/// Bytes of a value as text and in memory.
#[derive(Default)]
struct Size {
    text: usize,
    memory: usize,
}

impl Size {
    /// Bytes of a number or a word.
    const WORD: usize = 4;
    /// Bytes of a field in memory, beside its name: with its hash, and its place in the table of hashes.
    const FIELD: usize = size_of::<(usize, String, Value)>() + 2 * size_of::<usize>();
    /// An object has room for so many fields at least.
    const LEAST: usize = 4;

    /// Adds a value, without the place that holds it.
    fn add(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => self.text += Self::WORD,
            Value::String(text) => self.add_text(text),
            Value::Array(items) => {
                self.text += items.len() + 2;
                self.memory += items.capacity() * size_of::<Value>();
                for item in items {
                    self.add(item);
                }
            }
            Value::Object(fields) => {
                self.text += 2 * fields.len() + 2;
                if !fields.is_empty() {
                    self.memory += fields.len().max(Self::LEAST) * Self::FIELD;
                }
                for (name, field) in fields {
                    self.add_text(name);
                    self.add(field);
                }
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        self.text += text.len() + 2;
        self.memory += text.len();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_serde_reads_them() {
        for text in [
            r#"{"b": [1, -2, 3.5, 1e300, null, true], "a": {"\u0041": "é\n"}, "b2": [], "c": {}}"#,
            r#"{"a": 1, "a": 2}"#,
            "\"x\"",
            "18446744073709551615",
        ] {
            let expected: Value = serde_json::from_str(text).unwrap();
            assert_eq!(outline(text.as_bytes(), 100).unwrap(), expected, "{text}");
            let read = take(text.as_bytes(), 100, usize::MAX).unwrap();
            assert_eq!(read.to_string(), expected.to_string());
        }
        for broken in ["", "[1,]", "{\"a\"}", "1 2", "\"\\x\"", "[1"] {
            let expected = serde_json::from_str::<Value>(broken).unwrap_err();
            let fault = outline(broken.as_bytes(), 100).unwrap_err();
            assert_eq!(fault.to_string(), expected.to_string(), "{broken}");
        }
    }

    #[test]
    fn too_many_values_are_refused_before_they_are_read() {
        for (text, values) in [("[0,0,0]", 4), ("{\"a\":{\"b\":0}}", 3), ("[[[]]]", 3)] {
            assert!(read(text.as_bytes(), values).is_ok(), "{text}");
            let fault = read(text.as_bytes(), values - 1).unwrap_err();
            assert!(
                matches!(fault, Fault::TooMany(most) if most == values - 1),
                "{text}"
            );
        }
        // Nothing is read behind the bound.
        let fault = read(b"[0,0,0,0,0,0,0,0 and no JSON", 4).unwrap_err();
        assert_eq!(fault.to_string(), "it has more than 4 values");
    }

    #[test]
    fn an_outline_cuts_texts_and_still_tells_of_nul() {
        let text = json!(["é".repeat(1_000), "x".repeat(MOST_TEXT)]).to_string();
        let cut = outline(text.as_bytes(), 10).unwrap();
        assert_eq!(cut[0], "é".repeat(MOST_TEXT / 2));
        assert_eq!(cut[1], "x".repeat(MOST_TEXT));
        let text = json!("x".repeat(1_000) + "\0").to_string();
        let cut = outline(text.as_bytes(), 10).unwrap();
        assert!(
            cut.as_str()
                .is_some_and(|cut| cut.contains('\0') && cut.len() < 300)
        );
    }

    #[test]
    fn short_values_weigh_more_than_their_text() {
        let weight = |text: &str| weight(&serde_json::from_str(text).unwrap()) as usize;
        let usual = json!({"title": "x".repeat(100_000), "name": "Cookies"}).to_string();
        assert!(
            weight(&usual).abs_diff(usual.len()) < 20,
            "{}",
            weight(&usual)
        );
        for dense in ["[0]", "{\"\":0}"] {
            let text = format!("[{}]", vec![dense; 10_000].join(","));
            assert!(weight(&text) > 3 * text.len(), "{dense}: {}", weight(&text));
        }
    }
}
