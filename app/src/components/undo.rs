//! Taking one change of a draft back, while everything that was changed since stays.

use serde_json::{Map, Value};

use super::draft::Draft;
use super::toast::{Toasts, toasts};
use crate::i18n::texts;

/// Offers to take changes of a draft back.
#[derive(Clone, Copy)]
pub struct Undo {
    draft: Draft,
    toasts: Toasts,
    label: &'static str,
}

impl Undo {
    pub fn of(draft: Draft) -> Self {
        Self {
            draft,
            toasts: toasts(),
            label: texts().undo,
        }
    }

    /// Says what was changed, and offers to take that back. `before` is the document as it was before the change, which
    /// is made by now. The offer ends with the draft.
    pub fn offer(self, said: impl Into<String>, before: Value) {
        let draft = self.draft;
        let after = draft.value_untracked();
        self.offer_by(said, move || {
            let now = draft.value_untracked();
            draft.replace(taken_back(&before, &after, &now));
        });
    }

    /// The same for a change that `undo` takes back.
    pub fn offer_by(self, said: impl Into<String>, undo: impl Fn() + Send + Sync + 'static) {
        let document = self.draft.document();
        self.toasts.done_in(document, said, self.label, undo);
    }
}

/// The document `now` without the change that led from `before` to `after`.
fn taken_back(before: &Value, after: &Value, now: &Value) -> Value {
    merged(Some(before), Some(after), Some(now)).unwrap_or_default()
}

/// A value that both changes concern keeps the later one.
fn merged(before: Option<&Value>, after: Option<&Value>, now: Option<&Value>) -> Option<Value> {
    if now == after {
        return before.cloned();
    }
    let all = [before, after, now];
    if before != after && all.iter().flatten().all(|value| value.is_object()) {
        let [before, after, now] = all.map(fields);
        let fields = merged_fields(&before, &after, now);
        return (!fields.is_empty() || all[0].is_some()).then_some(Value::Object(fields));
    }
    if before != after && all.iter().flatten().all(|value| value.is_array()) {
        let [before, after, now] =
            all.map(|value| value.and_then(Value::as_array).map_or(&[][..], |list| list));
        let list = merged_lists(before, after, now);
        return (!list.is_empty() || all[0].is_some()).then_some(Value::Array(list));
    }
    now.cloned()
}

fn fields(value: Option<&Value>) -> Map<String, Value> {
    value
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn merged_fields(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    now: Map<String, Value>,
) -> Map<String, Value> {
    let mut result = now;
    let added = after.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(added) {
        match merged(before.get(key), after.get(key), result.get(key)) {
            Some(value) => drop(result.insert(key.clone(), value)),
            None => drop(result.shift_remove(key)),
        }
    }
    result
}

/// The entries that the change removed return behind their old neighbour, and those that it added go.
fn merged_lists(before: &[Value], after: &[Value], now: &[Value]) -> Vec<Value> {
    let shorter = before.len().min(after.len());
    let ahead = before.iter().zip(after);
    let start = ahead.take_while(|(old, new)| old == new).count();
    let behind = before.iter().rev().zip(after.iter().rev());
    let behind = behind.take_while(|(old, new)| old == new).count();
    let end = behind.min(shorter - start);
    let between = |list: &[Value]| -> Vec<Value> {
        let middle = list.len() - end - start;
        list.iter().skip(start).take(middle).cloned().collect()
    };
    let (mut gone, come) = (between(before), between(after));
    if gone.len() == come.len() && now.len() == after.len() {
        let entries = before.iter().zip(after).zip(now);
        let entries = entries.map(|((before, after), now)| taken_back(before, after, now));
        return entries.collect();
    }
    let mut list = now.to_vec();
    list.retain(|entry| !come.iter().any(|added| is_same(added, entry)));
    let neighbour = start.checked_sub(1).and_then(|index| after.get(index));
    let at = neighbour.map_or(0, |neighbour| {
        let found = list.iter().position(|entry| is_same(neighbour, entry));
        found.map_or(start.min(list.len()), |index| index + 1)
    });
    gone.retain(|removed| !list.iter().any(|entry| is_same(removed, entry)));
    list.splice(at..at, gone);
    list
}

/// True for one entry of a list at two times: many have a name, which stays while their other fields change.
fn is_same(one: &Value, other: &Value) -> bool {
    let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
    one == other || name(one).is_some_and(|own| name(other) == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_removed_entry_returns_to_its_place_and_later_changes_stay() {
        let before = json!({"title": "A", "steps": [{"name": "a"}, {"name": "b"}, {"name": "c"}]});
        let after = json!({"title": "A", "steps": [{"name": "a"}, {"name": "c"}]});
        assert_eq!(taken_back(&before, &after, &after), before);
        let now = json!({"title": "B", "new": 1, "steps": [{"name": "c", "title": "C"}, {"name": "a"}, {"name": "d"}]});
        assert_eq!(
            taken_back(&before, &after, &now),
            json!({"title": "B", "new": 1, "steps": [
                {"name": "c", "title": "C"}, {"name": "a"}, {"name": "b"}, {"name": "d"}
            ]})
        );
        // It came back in another way.
        assert_eq!(taken_back(&before, &after, &before), before);
    }

    #[test]
    fn equal_entries_without_names_return_as_well() {
        let before = json!({"cookies": [{"title": ""}, {"title": ""}]});
        let after = json!({"cookies": [{"title": ""}]});
        assert_eq!(taken_back(&before, &after, &after), before);
    }

    #[test]
    fn the_last_entry_of_a_list_returns_beside_new_ones() {
        let before = json!({"languages": ["fr"]});
        let now = json!({"languages": ["it"]});
        assert_eq!(taken_back(&before, &json!({}), &json!({})), before);
        assert_eq!(
            taken_back(&before, &json!({}), &now),
            json!({"languages": ["fr", "it"]})
        );
        // The other way round, a list that the change began ends again.
        assert_eq!(taken_back(&json!({}), &before, &before), json!({}));
        assert_eq!(
            taken_back(&json!({}), &before, &json!({"languages": ["fr", "it"]})),
            json!({"languages": ["it"]})
        );
    }

    #[test]
    fn a_value_that_was_typed_later_stays() {
        let before = json!({"colors": {"main": "#000", "danger": "#a00"}});
        let after = json!({"colors": {"main": "#111", "text": "#222"}, "fonts": {"text": "x"}});
        let now = json!({"colors": {"main": "#333", "text": "#222"}, "fonts": {"text": "x", "title": "y"}});
        assert_eq!(
            taken_back(&before, &after, &now),
            json!({"colors": {"main": "#333", "danger": "#a00"}, "fonts": {"title": "y"}})
        );
    }

    #[test]
    fn steps_that_gave_way_to_another_one_return_in_its_place() {
        let before = json!([{"name": "a"}, {"name": "b"}]);
        let after = json!([{"name": "iab"}]);
        let now = json!([{"name": "iab", "message": "x"}, {"name": "c"}]);
        assert_eq!(
            taken_back(&before, &after, &now),
            json!([{"name": "a"}, {"name": "b"}, {"name": "c"}])
        );
    }
}
