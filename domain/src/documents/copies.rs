//! Copies of documents: what changes when one is made, in its project or in another.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{files_named, leave_organization, publish::vendor_id};
use crate::collection::Collection;

/// The ids that take the place of others in a copy. A copy does not name what has no id in its place.
pub type Replaced = BTreeMap<String, Option<String>>;

/// Most characters of a configuration's name ([`crate::names::is_configuration_name`]).
const MOST_NAME: usize = 64;

/// Puts a copy into a project. It is not the default there, and joins no organization but that of the project.
pub fn put_into(copy: &mut Value, project: &str) {
    leave_organization(copy);
    if let Some(fields) = copy.as_object_mut() {
        fields.shift_remove("isDefault");
        fields.insert("projectId".to_owned(), project.into());
    }
}

/// Fields of a project that are about its own site and people.
const OF_SITE: [&str; 6] = [
    "websiteURL",
    "title",
    "name",
    "privacyPolicyUrl",
    "organizationId",
    "domains",
];

/// A new project with the fields of another one: its look, its parties and its rules, and none that are about the other
/// site. Fields that are `given` take their place.
pub fn begin_like(original: &Value, given: Value) -> Value {
    let fields = original.as_object().into_iter().flatten();
    let kept = fields.filter(|(name, _)| !OF_SITE.contains(&name.as_str()));
    let mut fields: Map<String, Value> = match given {
        Value::Object(given) => given,
        _ => Map::new(),
    };
    for (name, value) in kept {
        if !fields.contains_key(name) {
            fields.insert(name.clone(), value.clone());
        }
    }
    fields.into()
}

/// The ids of the files that a document names, with none in their place.
pub fn without_files(collection: Collection, document: &Value) -> Replaced {
    let named = files_named(collection, document).into_iter();
    named.map(|(_, id, _)| (id.to_owned(), None)).collect()
}

/// Gives a copy a title.
pub fn entitle(copy: &mut Value, title: String) {
    if let Some(fields) = copy.as_object_mut() {
        fields.insert("title".to_owned(), title.into());
    }
}

/// Gives a copy another name.
pub fn rename(copy: &mut Value, name: String) {
    if let Some(fields) = copy.as_object_mut() {
        fields.insert("name".to_owned(), name.into());
    }
}

/// The name of a configuration's copy with a number; the name itself for 0.
pub fn name_of_copy(name: &str, number: u32) -> String {
    let end = match number {
        0 => String::new(),
        1 => "-copy".to_owned(),
        number => format!("-copy-{number}"),
    };
    let begin: String = name.chars().take(MOST_NAME - end.len()).collect();
    begin + &end
}

/// Replaces files that a document names.
pub fn replace_files(collection: Collection, document: &mut Value, by: &Replaced) {
    let named: Vec<(String, Option<String>)> = files_named(collection, document)
        .into_iter()
        .filter_map(|(pointer, id, _)| Some((pointer, by.get(id)?.clone())))
        .collect();
    for (pointer, id) in named {
        let Some((parent, key)) = pointer.rsplit_once('/') else {
            continue;
        };
        // Every file is named by a field of an object.
        let Some(Value::Object(fields)) = document.pointer_mut(parent) else {
            continue;
        };
        match id {
            Some(id) => fields.insert(key.to_owned(), id.into()),
            None => fields.shift_remove(key),
        };
    }
}

/// Replaces vendors that the steps of a configuration name, and then names each once.
pub fn replace_vendors(configuration: &mut Value, by: &Replaced) {
    let mut seen = BTreeSet::<String>::new();
    let steps = configuration.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten() {
        let vendors = step.get_mut("vendors").and_then(Value::as_array_mut);
        let Some(vendors) = vendors else {
            continue;
        };
        vendors.retain_mut(|vendor| {
            let Some(named) = vendor_id(vendor).map(str::to_owned) else {
                return true;
            };
            let id = match by.get(&named) {
                None => return seen.insert(named),
                Some(None) => return false,
                Some(Some(id)) => id,
            };
            match vendor {
                Value::Object(fields) => drop(fields.insert("id".to_owned(), id.clone().into())),
                vendor => *vendor = id.clone().into(),
            }
            seen.insert(id.clone())
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GONE: &str = "01a21f38-9b59-74fc-922d-6f7731935900";
    const OLD: &str = "01a21f38-9b59-74fc-922d-6f7731935901";
    const NEW: &str = "01a21f38-9b59-74fc-922d-6f7731935902";
    const KEPT: &str = "01a21f38-9b59-74fc-922d-6f7731935903";

    fn replaced() -> Replaced {
        [(GONE, None), (OLD, Some(NEW.to_owned()))]
            .map(|(id, by)| (id.to_owned(), by))
            .into()
    }

    #[test]
    fn a_project_begins_like_another_but_for_its_site() {
        let original = json!({"title": "Shop", "websiteURL": "https://shop.example", "name": "Shop", "language": "fr",
            "domains": ["shop.example"], "organizationId": GONE, "privacyPolicyUrl": "https://shop.example/privacy",
            "colors": {"main": "#0a7"}, "logo": OLD, "own": [1]});
        let given = json!({"title": "Blog", "language": "de"});
        let expected = json!({"title": "Blog", "language": "de", "colors": {"main": "#0a7"}, "logo": OLD, "own": [1]});
        assert_eq!(begin_like(&original, given), expected);
        let files = without_files(Collection::Projects, &expected);
        assert_eq!(files, [(OLD.to_owned(), None)].into());
    }

    #[test]
    fn a_copy_names_what_takes_the_place_of_others_once() {
        let step = json!({"vendors": [OLD, GONE, {"id": OLD, "optional": true}, KEPT, NEW]});
        let mut copy = json!({"steps": [step, {"vendors": [{"id": KEPT}]}, {"title": "x"}]});
        replace_vendors(&mut copy, &replaced());
        let expected = json!([{"vendors": [NEW, KEPT]}, {"vendors": []}, {"title": "x"}]);
        assert_eq!(copy["steps"], expected);
    }

    #[test]
    fn files_that_are_gone_are_not_named() {
        let mut copy =
            json!({"steps": [{"image": OLD}, {"image": GONE, "title": "x"}, {"image": KEPT}]});
        replace_files(Collection::Cookies, &mut copy, &replaced());
        let expected = json!([{"image": NEW}, {"title": "x"}, {"image": KEPT}]);
        assert_eq!(copy["steps"], expected);
    }

    #[test]
    fn names_of_copies_stay_short_enough() {
        let name = "a".repeat(MOST_NAME);
        for (number, end) in [(0, "aa"), (1, "-copy"), (12, "-copy-12")] {
            let name = name_of_copy(&name, number);
            assert!(crate::names::is_configuration_name(&name) && name.ends_with(end));
        }
    }
}
