//! The second part of `docs/reference.md`: the API and the SDK, as their own descriptions tell them.

use std::fmt::Write;

use domain::{documents::Voice, error_code::ErrorCode};
use serde_json::Value;
use service::render::default_strings;

use super::{
    Entry,
    place::{Member, Places, about, referred},
};

/// The title. `domain` makes everything before it.
pub const TITLE: &str = "\n# The API and the SDK\n";

const HEAD: &str = "
This part is made from the OpenAPI document and from the SDK's types (`sdk-wasm/npm/index.d.ts`). `/docs` on a running
server has all routes.
";

/// Schemas by chapter.
const CHAPTERS: [(&str, &[&str]); 8] = [
    ("Accounts", &["SignUpIn", "SignInIn", "Session", "User"]),
    ("Members of documents", &["MemberIn"]),
    (
        "The catalogue",
        &[
            "CatalogueVendor",
            "CatalogueVendorData",
            "CatalogueCategoryData",
            "CatalogueCompanyData",
        ],
    ),
    (
        "Publishing",
        &[
            "PublishIn",
            "RollbackIn",
            "PublishJob",
            "JobLinks",
            "Step",
            "JobError",
        ],
    ),
    ("Webhooks", &["WebhookIn", "Webhook", "LastDelivery"]),
    (
        "The client API",
        &[
            "Linked_Project",
            "Document",
            "DocumentFile",
            "ProcessingActivity",
            "Data_Linked_TokenEntry/properties/data/items",
            "TokenConsents",
            "ConsentState",
        ],
    ),
    (
        "Consents that programs post",
        &["ConsentIn", "Preferences", "PreferencesConfig", "Collected"],
    ),
    ("Errors", &["Problem", "FieldError"]),
];

/// Interfaces of the SDK's types with their titles.
const SDK: [(&str, &str, &str); 3] = [
    ("Settings", "Settings", "Setting"),
    ("Events", "Events", "Event"),
    ("PlacetSDK", "`window.placetSDK`", "Member"),
];

/// Addresses outside of the sub-services.
const ELSEWHERE: [(&str, &str); 4] = [
    (
        "/.well-known/jwks.json",
        "The public keys of access tokens.",
    ),
    (
        "/.well-known/placet-ledger.json",
        "The name, the public keys and the files of the ledger.",
    ),
    (
        "/me/<project>",
        "The page on which visitors see, prove and withdraw what they answered.",
    ),
    (
        "/verify",
        "The page that verifies proofs, also without a network.",
    ),
];

/// Words of boxes alone, which follow their language whatever a configuration says.
const OF_BOXES: [&str; 9] = [
    "agree",
    "automated",
    "dataTypes",
    "disagree",
    "failed",
    "openFile",
    "purpose",
    "storage",
    "withdraw",
];

const WORDS: &str = "
Names in `strings` and `consentWidgetStrings` of a configuration and in `strings` of a step, with their English in the
neutral voice. The widget fills in what stands in `{}`. Other names have no effect, and boxes in forms always have the
words of their language.
";

/// The route whose statuses stand for those of all.
const STATUSES: &str = "/paths/~1v1~1vault~1projects~1{documentId}/put/responses";
/// The list whose parameters are shown.
const LIST: &str = "/paths/~1v1~1vendors~1solutions/get/parameters";

/// The whole part.
pub fn text(places: &Places, entries: &[Entry]) -> String {
    let mut text = format!("{TITLE}{HEAD}");
    routes(&mut text, places, entries);
    for (chapter, schemas) in CHAPTERS {
        heading(&mut text, 2, chapter);
        for path in schemas {
            let schema = places.schema(path).expect("the schema exists");
            let name = path.split('/').next().unwrap_or_default();
            schema_table(&mut text, places, plain(name), schema);
        }
    }
    codes(&mut text);
    http(&mut text, places);
    heading(&mut text, 2, "The SDK");
    for (interface, title, column) in SDK {
        heading(&mut text, 3, title);
        table(&mut text, &[column, "Holds", "Meaning"]);
        for Member { name, holds, about } in places.members(interface) {
            row(&mut text, &[&code(&name), &code(&holds), &about]);
        }
    }
    words(&mut text);
    heading(&mut text, 2, "Values and limits");
    table(&mut text, &["Of", "Value or limit", "Meaning"]);
    for entry in entries.iter().filter(|entry| is_value(entry)) {
        let effect = entry.effect(places).unwrap_or_default();
        let of = entry.section.split(" (").next().unwrap_or_default();
        row(&mut text, &[of, &code(&entry.name), &effect]);
    }
    text
}

/// True for names that are no fields, members or routes of their own.
fn is_value(entry: &Entry) -> bool {
    entry.effect.is_some() || entry.at.starts_with("security ") || entry.section == "Limits"
}

/// Sub-services and routes of the interface.
fn routes(text: &mut String, places: &Places, entries: &[Entry]) {
    heading(text, 2, "Routes");
    table(text, &["Path", "Sub-service"]);
    for entry in entries.iter().filter(|entry| entry.at.starts_with("tag ")) {
        let effect = places.effect(&entry.at).unwrap_or_default();
        row(text, &[&code(&format!("/v1{}", entry.name)), &effect]);
    }
    let tags = places.openapi("/tags").and_then(Value::as_array);
    for tag in tags.into_iter().flatten() {
        let name = tag["name"].as_str().unwrap_or_default();
        let place = format!("tag {name}");
        if entries.iter().all(|entry| entry.at != place) {
            let path = match name {
                "health" => "/health".to_owned(),
                name => format!("/v1/{name}"),
            };
            row(text, &[&code(&path), &about(tag)]);
        }
    }
    for (path, effect) in ELSEWHERE {
        row(text, &[&code(path), effect]);
    }
    table(text, &["Method", "Path", "Meaning"]);
    for entry in entries.iter().filter(|entry| entry.effect.is_none()) {
        if let Some(rest) = entry.at.strip_prefix("operation ") {
            let (method, path) = rest.split_once(' ').unwrap_or_default();
            let effect = places.effect(&entry.at).unwrap_or_default();
            row(text, &[&method.to_uppercase(), &code(path), &effect]);
        }
    }
}

/// All codes of errors.
fn codes(text: &mut String) {
    heading(text, 3, &code("ErrorCode"));
    text.push_str("\nThe reason for which a request was refused, or a field of it. Later versions may add codes.\n");
    table(text, &["Code", "Meaning"]);
    for one in ErrorCode::ALL {
        row(text, &[&code(one.as_str()), one.about()]);
    }
}

/// The words of the widget that a configuration may say otherwise.
fn words(text: &mut String) {
    heading(text, 2, "Words of the widget");
    text.push_str(WORDS);
    table(text, &["Name", "English"]);
    let mut shipped = default_strings("en", Voice::Neutral);
    for name in OF_BOXES {
        assert!(shipped.remove(name).is_some(), "boxes have no word {name}");
    }
    for (name, english) in &shipped {
        row(text, &[&code(name), english]);
    }
}

/// Parameters of lists, headers and statuses.
fn http(text: &mut String, places: &Places) {
    heading(text, 2, "Parameters of `GET /v1/vendors/solutions`");
    table(text, &["Parameter", "Holds", "Meaning"]);
    let list = places.openapi(LIST).and_then(Value::as_array);
    for parameter in list.into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        let holds = holds(&parameter["schema"]);
        row(text, &[&code(name), &holds, &about(parameter)]);
    }
    heading(text, 2, "Headers of answers");
    table(text, &["Header", "Holds", "Meaning"]);
    let headers = places.openapi("/components/headers");
    for (name, header) in headers.and_then(Value::as_object).into_iter().flatten() {
        row(
            text,
            &[&code(name), &holds(&header["schema"]), &about(header)],
        );
    }
    heading(text, 2, "Statuses");
    table(text, &["Status", "Meaning where a project is changed"]);
    let statuses = places.openapi(STATUSES).and_then(Value::as_object);
    for (status, answer) in statuses.into_iter().flatten() {
        row(text, &[&code(status), &about(answer)]);
    }
}

fn schema_table(text: &mut String, places: &Places, name: &str, schema: &'static Value) {
    heading(text, 3, &code(name));
    // A wrapping says nothing of its content, which is the first of its parts.
    let first = schema["allOf"].get(0).unwrap_or(schema);
    let content = referred(first).and_then(|name| places.schema(name));
    let description = about(content.unwrap_or(first));
    let _ = writeln!(text, "\n{description}"); // a `String` takes everything
    table(text, &["Field", "Holds", "Meaning"]);
    let required = schema["required"].as_array();
    let is_question = name.ends_with("In");
    for (field, described) in places.fields(schema) {
        let mut holds = holds(described);
        if is_question && required.is_some_and(|all| all.iter().any(|one| one == field)) {
            holds.push_str("; required");
        }
        row(text, &[&code(field), &holds, &about(described)]);
    }
}

/// The name of a schema without the words for its wrapping.
pub fn plain(name: &str) -> &str {
    name.trim_start_matches("Data_")
        .trim_start_matches("Linked_")
}

fn heading(text: &mut String, level: usize, title: &str) {
    let _ = writeln!(text, "\n{} {title}", "#".repeat(level)); // a `String` takes everything
}

/// The head of a table.
fn table(text: &mut String, columns: &[&str]) {
    text.push('\n');
    row(text, columns);
    text.push_str(&"|---".repeat(columns.len()));
    text.push_str("|\n");
}

fn row(text: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// A text as it stands in a cell of a table.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The type of a value in words.
fn holds(schema: &'static Value) -> String {
    if let Some(name) = referred(schema) {
        return match name {
            "Timestamp" => "time".to_owned(),
            name => code(plain(name)),
        };
    }
    let ways = schema["oneOf"].as_array().into_iter().flatten();
    let ways: Vec<String> = ways
        .map(|way| match way["type"].as_str() {
            Some("null") => "null".to_owned(),
            _ => holds(way),
        })
        .collect();
    if !ways.is_empty() {
        return ways.join(" or ");
    }
    let of = |kind: &str| match (kind, schema["format"].as_str()) {
        ("array", _) => format!("list of {}", holds(&schema["items"])),
        ("string", Some("uuid")) => "id".to_owned(),
        ("string", Some("date-time")) => "time".to_owned(),
        ("boolean", _) => "`true` or `false`".to_owned(),
        ("integer", _) => "whole number".to_owned(),
        ("string", _) => "text".to_owned(),
        (other, _) => other.to_owned(),
    };
    match &schema["type"] {
        Value::String(kind) => of(kind),
        Value::Array(kinds) => {
            let kinds = kinds.iter().filter_map(Value::as_str).map(of);
            kinds.collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}
