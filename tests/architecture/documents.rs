//! A field of a document is known by its description in `domain/src/documents` alone. Code of the server reads
//! documents as types; forms name fields by JSON Pointers, and a pointer to a field that nobody describes is
//! a field that is saved and never read.

use std::{collections::BTreeSet, fs};

use domain::{
    collection::Collection,
    documents::{
        self,
        field::{Kind, Object},
    },
};

use crate::{metadata::root, sql::rust_files};

/// Looks a field up by its name.
const LOOKUPS: [&str; 3] = [".get(\"", ".get_mut(\"", ".pointer(\"/"];
/// Files that look up fields of other things by names that documents have, too.
const OTHERS: &[&str] = &[
    // Manifests of publications, which earlier versions wrote, too.
    "app/src/fns/proofs.rs",
    // Answers of the provider of payments.
    "service/src/billing/stripe.rs",
    // Parts of the OpenAPI document.
    "server/src/docs.rs",
    "server/src/openapi/",
    "server/src/http/shape.rs",
    // Names of uploads in a query.
    "server/src/ui/files.rs",
    // Words of the widget by their names; documents come here as types.
    "service/src/render/",
];

#[test]
fn server_code_reads_documents_as_types() {
    let mut keys = BTreeSet::new();
    for collection in Collection::ALL {
        collect(documents::of(collection), &mut keys);
    }
    let mut files = Vec::new();
    for dir in ["service/src", "server/src", "app/src/fns"] {
        rust_files(&root().join(dir), &mut files);
    }
    for file in files {
        let path = file
            .strip_prefix(root())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        if OTHERS.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for lookup in LOOKUPS {
            for (_, rest) in code
                .match_indices(lookup)
                .map(|(at, _)| code[at..].split_at(lookup.len()))
            {
                let key: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
                assert!(
                    !keys.contains(key.as_str()),
                    "{path} looks up `{key}` by itself"
                );
            }
        }
    }
}

/// A column of documents is JSON. A field that was renamed would be NULL for ever in a statement that has its old name.
#[test]
fn statements_name_fields_that_are_described() {
    let mut keys = BTreeSet::new();
    for collection in Collection::ALL {
        collect(documents::of(collection), &mut keys);
    }
    // Of what is published of a project.
    keys.insert("active");
    let mut files = Vec::new();
    rust_files(&root().join("service/src"), &mut files);
    let mut found = 0;
    for file in files {
        let code = fs::read_to_string(&file).unwrap();
        let named = ["-> '", "->> '"].into_iter();
        for rest in named.flat_map(|operator| code.split(operator).skip(1)) {
            let (name, _) = rest.split_once('\'').unwrap_or_default();
            let is_name = !name.is_empty() && name.chars().all(char::is_alphanumeric);
            if is_name {
                found += 1;
                assert!(keys.contains(name), "{}: {name}", file.display());
            }
        }
    }
    assert!(found > 5, "statements were read");
}

/// The names of all fields of an object, and of the objects in it.
fn collect(object: &Object, keys: &mut BTreeSet<&'static str>) {
    for field in object.fields {
        keys.insert(field.key);
        if let Some(part) = field.rule.kind.part() {
            collect(part, keys);
        }
    }
}

/// The pages whose forms edit documents.
const EDITORS: [&str; 4] = ["widget", "boxes", "settings", "design"];

#[test]
fn forms_name_fields_that_are_described() {
    let mut seen = 0;
    for editor in EDITORS {
        let place = root().join("app/src/pages").join(editor);
        let mut files = Vec::new();
        if place.is_dir() {
            rust_files(&place, &mut files);
        } else {
            files.push(place);
        }
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            // Fields are named beside the draft that they belong to.
            for (_, rest) in text.split("draft, \"/").skip(1).map(|rest| ("", rest)) {
                let pointer = rest.split('"').next().unwrap();
                let is_described = Collection::ALL
                    .iter()
                    .any(|collection| names_a_field(documents::of(*collection), pointer));
                assert!(
                    is_described,
                    "{}: /{pointer} is no field of a document",
                    file.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "the forms were really read");
}

/// True for a field, and for a text by its name in one.
fn names_a_field(object: &'static Object, pointer: &str) -> bool {
    let pointer = format!("/{pointer}");
    let is_texts = |outer: &str| {
        let found = object.at(outer);
        found.is_some_and(|(_, field)| matches!(field.rule.kind, Kind::Texts))
    };
    object.at(&pointer).is_some()
        || pointer
            .rsplit_once('/')
            .is_some_and(|(outer, _)| is_texts(outer))
}
