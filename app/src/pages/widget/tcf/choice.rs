//! Choices of ids in the draft: of vendors, where `all` is one, and of purposes and the like, where absence means
//! what the vendors declare.

use serde_json::{Value, json};

use crate::components::draft::Draft;

/// The chosen vendors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    All,
    Ids(Vec<u16>),
}

impl Chosen {
    /// Reads a choice; what is none names nobody.
    pub fn of(value: Option<&Value>) -> Self {
        match value {
            Some(Value::String(word)) if word == "all" => Self::All,
            other => Self::Ids(ids(other).unwrap_or_default()),
        }
    }

    pub fn contains(&self, id: u16) -> bool {
        match self {
            Self::All => true,
            Self::Ids(ids) => ids.contains(&id),
        }
    }

    pub fn value(&self) -> Value {
        match self {
            Self::All => json!("all"),
            Self::Ids(ids) => json!(ids),
        }
    }
}

/// A list of ids; `None` where there is no list.
pub fn ids(value: Option<&Value>) -> Option<Vec<u16>> {
    let list = value?.as_array()?;
    let ids = list
        .iter()
        .filter_map(|id| id.as_u64().and_then(|id| u16::try_from(id).ok()));
    Some(ids.collect())
}

/// Adds an id to a list, or takes it out.
pub fn toggled(mut ids: Vec<u16>, id: u16) -> Vec<u16> {
    match ids.iter().position(|other| *other == id) {
        Some(at) => {
            ids.remove(at);
        }
        None => ids.push(id),
    }
    ids
}

/// Adds an id of `all` to a list that is absent where it has all of them, or takes it out.
pub fn toggled_of_all(chosen: Option<Vec<u16>>, id: u16, all: &[u16]) -> Option<Vec<u16>> {
    let mut left = toggled(chosen.unwrap_or_else(|| all.to_vec()), id);
    left.sort_unstable();
    let is_all = all.iter().all(|id| left.contains(id));
    (!is_all).then_some(left)
}

/// The ids at a pointer.
pub fn ids_at(draft: Draft, pointer: &str) -> Option<Vec<u16>> {
    draft.with_at(pointer, ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_read_and_written_as_it_is() {
        for value in [json!("all"), json!([]), json!([755, 1])] {
            assert_eq!(Chosen::of(Some(&value)).value(), value);
        }
        assert_eq!(Chosen::of(None), Chosen::Ids(Vec::new()));
        assert_eq!(
            Chosen::of(Some(&json!([1, "x", 70_000]))),
            Chosen::Ids(vec![1])
        );
    }

    #[test]
    fn everything_chosen_is_no_choice() {
        let all = [1, 2, 3];
        let without = toggled_of_all(None, 2, &all);
        assert_eq!(without, Some(vec![1, 3]));
        assert_eq!(toggled_of_all(without, 2, &all), None);
        assert_eq!(toggled_of_all(Some(vec![]), 1, &all), Some(vec![1]));
    }
}
