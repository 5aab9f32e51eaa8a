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

/// The names of all fields of an object, and of the objects in it.
fn collect(object: &Object, keys: &mut BTreeSet<&'static str>) {
    for field in object.fields {
        keys.insert(field.key);
        if let Some(inner) = inner(field.rule.kind) {
            collect(inner, keys);
        }
    }
}

fn inner(kind: Kind) -> Option<&'static Object> {
    match kind {
        Kind::Object(inner)
        | Kind::FlagOr(inner)
        | Kind::Objects(inner, _)
        | Kind::Named(inner) => Some(inner),
        _ => None,
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
                assert!(
                    Collection::ALL
                        .iter()
                        .any(|collection| is_described(documents::of(*collection), pointer)),
                    "{}: /{pointer} is no field of a document",
                    file.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "the forms were really read");
}

fn is_described(object: &Object, pointer: &str) -> bool {
    let (key, rest) = pointer.split_once('/').unwrap_or((pointer, ""));
    let Some(field) = object.field(key) else {
        return false;
    };
    match inner(field.rule.kind) {
        _ if rest.is_empty() => true,
        Some(inner) => is_described(inner, rest),
        // Texts by name, or entries of a list.
        None => matches!(field.rule.kind, Kind::Texts | Kind::Lines | Kind::ListOf(_)),
    }
}
