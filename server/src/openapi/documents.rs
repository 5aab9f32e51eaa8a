//! The vault in the API's document: the generic paths without the version, and under `/v1` those of
//! each collection with the schema of its documents.

use domain::{
    collection::Collection,
    documents::{self, schema},
};
use serde_json::{Map, Value, json};

use super::set;

/// Begins the paths that handlers know.
const GENERIC: &str = "/v1/vault/{resource}";
/// The paths that the document lists for each collection. All other paths are the same for all
/// collections and appear under the generic path alone.
const OF_EACH: [&str; 2] = ["", "/{documentId}"];

/// Describes the documents, and takes the generic paths apart.
pub(super) fn describe(document: &mut Value) {
    for collection in Collection::ALL {
        let name = collection.schema_name();
        let stored = json!({
            "description": format!("{} as it is kept.", collection.one().replacen('a', "A", 1)),
            "allOf": [
                {"$ref": "#/components/schemas/DocumentOut"},
                {"type": "object", "required": ["data"],
                 "properties": {"data": {"$ref": reference(name)}}},
            ],
        });
        if let Some(schemas) = object(document, "/components/schemas") {
            schemas.insert(name.to_owned(), schema::of(documents::of(collection)));
            schemas.insert(format!("Stored{name}"), stored);
        }
    }
    let Some(paths) = object(document, "/paths") else {
        return;
    };
    let mut told = Map::new();
    for (path, item) in std::mem::take(paths) {
        let Some(rest) = path.strip_prefix(GENERIC) else {
            told.insert(path, item);
            continue;
        };
        if OF_EACH.contains(&rest) {
            for collection in Collection::ALL {
                let path = format!("/v1/vault/{}{rest}", collection.as_str());
                told.insert(path, of_collection(&item, collection));
            }
        }
        let mut item = item;
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            let note = "Under `/v1/vault` as well; this is the same for every collection.";
            let about = operation.get("description").and_then(Value::as_str);
            let about = about.map_or_else(|| note.to_owned(), |about| format!("{about}\n\n{note}"));
            set(operation, "description", about);
        }
        told.insert(format!("/vault/{{resource}}{rest}"), item);
    }
    *paths = told;
}

fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

fn object<'a>(document: &'a mut Value, pointer: &str) -> Option<&'a mut Map<String, Value>> {
    document.pointer_mut(pointer)?.as_object_mut()
}

/// The operations of a generic path for one collection.
fn of_collection(item: &Value, collection: Collection) -> Value {
    let name = collection.schema_name();
    let mut item = item.clone();
    for (method, operation) in item.as_object_mut().into_iter().flatten() {
        let part = |key: &str| {
            operation
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let id = part("operationId").replace("vault.", &format!("vault.{}.", collection.as_str()));
        let summary = part("summary")
            .replace("a document", collection.one())
            .replace(
                "the caller's documents",
                &format!("the caller's {}", collection.many()),
            );
        set(operation, "operationId", id);
        set(operation, "summary", summary);
        if let Some(Value::Array(parameters)) = operation.get_mut("parameters") {
            parameters.retain(|one| one.get("name").is_none_or(|name| name != "resource"));
        }
        // A patch may hold any part of a document.
        if method != "patch"
            && let Some(content) = operation.pointer_mut("/requestBody/content/application~1json")
        {
            *content = json!({"schema": {"$ref": reference(name)}});
        }
        let stored = json!({"$ref": reference(&format!("Stored{name}"))});
        let content = "/content/application~1json/schema";
        let responses = operation
            .get_mut("responses")
            .and_then(Value::as_object_mut);
        for (status, response) in responses.into_iter().flatten() {
            if let Some(schema) = response.pointer_mut(content)
                && status.starts_with('2')
            {
                let is_list = schema.get("type").is_some_and(|kind| kind == "array");
                *schema = if is_list {
                    json!({"type": "array", "items": stored})
                } else {
                    stored.clone()
                };
            }
        }
    }
    item
}
