//! The descriptions as the Markdown of `docs/reference.md`, first part.

use std::fmt::Write;

use super::{
    Illustration,
    field::{ALL, Field, FileUse, IDS, Kind, LINE, LIST, Object, Reach, TAGS, TEXT, URL},
    schema::{default_of, needed, words},
};
use crate::collection::Collection;

const HEAD: &str = "# Fields of documents

Every field that Placet knows of the documents under `/v1/vault`. This part is made from the descriptions in
`domain/src/documents`; a test keeps it true. Other fields are kept and given back, and mean nothing. `null` counts
as absent. The other fields of the API, and the SDK, [follow](#the-api-and-the-sdk).

Published fields stand in `<cdn>/<project id>.json` and may be read by everybody; private ones only by members of
the project.
";

/// The part about documents.
pub fn text() -> String {
    let mut text = HEAD.to_owned();
    for collection in Collection::ALL {
        let (path, schema) = (collection.as_str(), collection.schema_name());
        heading(&mut text, 2, &format!("`/v1/vault/{path}` ({schema})"));
        object(&mut text, super::of(collection), "", false);
    }
    text
}

fn heading(text: &mut String, level: usize, title: &str) {
    let _ = writeln!(text, "\n{} {title}\n", "#".repeat(level)); // a `String` takes everything
}

/// The table of an object, and those of the objects in it. Nothing in a private field is published.
fn object(text: &mut String, it: &Object, at: &str, is_private: bool) {
    let _ = writeln!(text, "{}\n", it.about.trim());
    text.push_str("| Field | Holds | Seen by | Meaning |\n|---|---|---|---|\n");
    for field in it.fields {
        row(text, field, is_private);
    }
    for field in it.fields {
        let (inner, path) = match field.rule.kind {
            Kind::Object(inner) | Kind::FlagOr(inner) => (inner, format!("{at}{}", field.key)),
            Kind::Objects(inner, _) => (inner, format!("{at}{}[]", field.key)),
            Kind::Named(inner) => (inner, format!("{at}{}.<name>", field.key)),
            _ => continue,
        };
        heading(text, 3, &format!("`{path}`"));
        let is_private = is_private || matches!(field.rule.reach, Reach::Private);
        object(text, inner, &format!("{path}."), is_private);
    }
}

fn row(text: &mut String, field: &Field, is_private: bool) {
    let mut holds = holds(field.rule.kind);
    if field.rule.is_required {
        holds.push_str("; required");
    }
    if let Some(default) = default_of(field) {
        let _ = write!(
            holds,
            "; `{}` when absent",
            default.as_str().map_or(default.to_string(), str::to_owned)
        );
    }
    if let Some(only) = field.rule.only {
        let _ = write!(holds, "; only with `{}` {}", only.field, words(only.words));
    }
    if let Some(needed) = field.rule.to_publish.map(needed) {
        let _ = write!(holds, "; {needed}");
    }
    if field.rule.rules_consents {
        holds.push_str("; API keys change it with the scopes `consents` and `write`");
    }
    let seen = match field.rule.reach {
        Reach::Published if !is_private => "everybody",
        Reach::Published | Reach::Private => "members",
        Reach::Secret => "nobody",
        Reach::Made => "everybody; made by publishing",
    };
    let about = field.about.trim().replace('|', "\\|");
    let _ = writeln!(
        text,
        "| `{}` | {} | {seen} | {about} |",
        field.key,
        holds.replace('|', "\\|")
    );
}

fn holds(kind: Kind) -> String {
    match kind {
        Kind::Line => format!("text of one line, at most {LINE} characters"),
        Kind::Text => format!("text, at most {TEXT} characters"),
        Kind::Html => format!(
            "HTML, at most {TEXT} characters and {TAGS} tags; published without what could harm"
        ),
        Kind::Formatted(format) => format.about.trim_end_matches('.').to_owned(),
        Kind::Secret(least, most) => format!("text of {least} to {most} characters"),
        Kind::Url => format!("address, at most {URL} characters"),
        Kind::File(FileUse::Document) => "address, or id of an asset".to_owned(),
        Kind::File(FileUse::Picture) => {
            let drawings = Illustration::ALL.iter();
            let drawings = drawings.map(|one| format!("`{}`", one.address()));
            let drawings: Vec<String> = drawings.collect();
            let drawings = drawings.join(", ");
            format!("address, id of an asset, or one of our illustrations: {drawings}")
        }
        Kind::Id => "id".to_owned(),
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Number(least, most) => format!("number from {least} to {most}"),
        Kind::Whole(least, most) => format!("whole number from {least} to {most}"),
        Kind::Words(list) => words(list),
        Kind::Texts => "object of texts by name".to_owned(),
        Kind::Object(_) => "object, see below".to_owned(),
        Kind::FlagOr(_) => "`true`, `false`, or an object, see below".to_owned(),
        Kind::Named(_) => "object of objects by name, see below".to_owned(),
        Kind::Lines => format!("list of at most {LIST} lines"),
        Kind::ListOf(format) => format!("list. {}", format.about.trim_end_matches('.')),
        Kind::Ids(most) => format!("list of at most {IDS} ids from 1 to {most}, each once"),
        Kind::AllOrIds(_) => format!("list of at most {IDS} ids, each once, or `{ALL}`"),
        Kind::Objects(_, unique) => {
            let unique = unique.map(|key| format!(", each with another `{key}`"));
            format!("list of objects, see below{}", unique.unwrap_or_default())
        }
        Kind::Vendors => {
            format!("list of at most {LIST} ids, or objects with `id`; each vendor once")
        }
        Kind::Any => "anything".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference.md");
    /// First line of the part that `tests/api/interface` makes.
    const NEXT: &str = "\n# The API and the SDK\n";

    /// `UPDATE_DOCS=1 cargo test -p domain --features schema` writes the file anew.
    #[test]
    fn the_file_says_what_the_descriptions_say() {
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let there = std::fs::read_to_string(FILE).unwrap();
            let rest = there.split_once(NEXT).map_or("", |(_, rest)| rest);
            std::fs::write(FILE, text() + NEXT + rest).unwrap();
        }
        let there = std::fs::read_to_string(FILE).unwrap();
        let own = there.split_once(NEXT).map(|(own, _)| own);
        assert!(
            own == Some(&text()),
            "docs/reference.md is old: UPDATE_DOCS=1"
        );
    }
}
