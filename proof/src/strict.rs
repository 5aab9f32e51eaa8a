//! JSON that all programs read in the same way: no key twice, no `null`, no list in the place of an object, and lists of
//! a bounded length, but for those of a receipt, which is compared as a whole. Libraries differ in what they make of these.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

/// Most members of a list. The smallest ones take ten times their text in memory.
const MOST: usize = 1_024;

/// A value that stands as an object. Derived code takes a list for one, too.
pub(crate) struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(AsObject(PhantomData))
            .map(Self)
    }
}

struct AsObject<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AsObject<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// Reads an object.
pub(crate) fn object<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Object::deserialize(deserializer).map(|Object(object)| object)
}

/// Reads the value of a key that may be absent. A `null` is a value, and a wrong one.
pub(crate) fn given<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// As [`given`], of an object.
pub(crate) fn given_object<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    object(deserializer).map(Some)
}

/// Reads a list of at most [`MOST`] members.
pub(crate) fn list<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(AsList(PhantomData))
}

/// Reads a list of at most [`MOST`] objects.
pub(crate) fn objects<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let members: Vec<Object<T>> = list(deserializer)?;
    Ok(members.into_iter().map(|Object(member)| member).collect())
}

/// As [`objects`], of a key that may be absent.
pub(crate) fn given_objects<'de, T, D>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    objects(deserializer).map(Some)
}

struct AsList<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AsList<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(member) = members.next_element()? {
            if list.len() == MOST {
                let most = format!("a list has more than {MOST} members");
                return Err(A::Error::custom(most));
            }
            list.push(member);
        }
        Ok(list)
    }
}

/// Reads an object of any keys, each once.
pub(crate) fn members<'de, T, D>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(AsMembers(PhantomData))
}

struct AsMembers<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AsMembers<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((key, value)) = map.next_entry()? {
            if members.insert(key, value).is_some() {
                return Err(A::Error::custom("a key stands twice"));
            }
        }
        Ok(members)
    }
}

/// Reads the facts of a group or an entry: one object of texts and flags. `None` for any other text.
pub(crate) fn facts<T: DeserializeOwned>(json: &[u8]) -> Option<T> {
    /// A text or a flag.
    struct Fact(Value);

    impl<'de> Deserialize<'de> for Fact {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(AsFact).map(Self)
        }
    }

    struct AsFact;

    impl Visitor<'_> for AsFact {
        type Value = Value;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a text or a flag")
        }

        fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
            Ok(Value::Bool(flag))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
            Ok(Value::from(text))
        }
    }

    let mut reader = serde_json::Deserializer::from_slice(json);
    let facts: BTreeMap<String, Fact> = members(&mut reader).ok()?;
    reader.end().ok()?;
    let facts = facts.into_iter().map(|(key, Fact(fact))| (key, fact));
    serde_json::from_value(Value::Object(facts.collect())).ok()
}

/// Reads texts in objects and lists, as a receipt has them.
pub(crate) fn given_texts<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Value>, D::Error> {
    Texts::deserialize(deserializer).map(|Texts(texts)| Some(texts))
}

struct Texts(Value);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsTexts).map(Self)
    }
}

struct AsTexts;

impl<'de> Visitor<'de> for AsTexts {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("texts in objects and lists")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Texts(member)) = members.next_element()? {
            list.push(member);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        let members: BTreeMap<String, Texts> = AsMembers(PhantomData).visit_map(map)?;
        let members = members.into_iter().map(|(key, Texts(value))| (key, value));
        Ok(Value::Object(members.collect::<Map<_, _>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_texts_and_flags_each_once() {
        let facts = |json: &str| facts::<Value>(json.as_bytes());
        let right = serde_json::json!({"a": "b", "c": true});
        assert_eq!(facts(r#" {"a":"b","c":true} "#), Some(right));
        for wrong in [
            r#"{"a":"b","a":"b"}"#,
            r#"{"a":null}"#,
            r#"{"a":1}"#,
            r#"{"a":[]}"#,
            r#"{"a":{}}"#,
            r#"["a"]"#,
            r#"{"a":"b"}{}"#,
            "",
        ] {
            assert_eq!(facts(wrong), None, "{wrong}");
        }
    }
}
