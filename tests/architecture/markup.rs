//! Markup stands in templates, which escape every value. A forgotten escape in code that joins strings
//! would run scripts of others on our customers' sites.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{metadata::root, sql::rust_files};

/// Rooms that make pages, or parts of them.
const ROOMS: [&str; 2] = ["service", "server"];

/// Strings with markup that is no markup of ours.
const STRINGS: [(&str, &str); 3] = [
    // Makes the texts of tenants harmless.
    ("service/src/sanitise.rs", "<a "),
    (
        "service/src/sanitise.rs",
        "<a target=_blank aria-describedby=nt ",
    ),
    // Asks whether a text ends its element.
    ("service/src/render/markup.rs", "</script"),
];

/// Templates of files that are read as plain text, where nothing is escaped.
const TEXTS: [&str; 1] = ["dossier/how-to-check.txt"];

/// Files with other strings of that kind.
const FILES: [&str; 2] = [
    // Texts as a tenant writes them, which publishing makes harmless.
    "server/src/demo/mod.rs",
    // XML for CloudFront, of ids and paths of ours.
    "service/src/network.rs",
];

/// Files that say which types templates write as they stand.
const SAFE: [&str; 2] = ["service/src/sanitise.rs", "service/src/render/markup.rs"];

/// Values of the type `Script`, the only ones inside scripts without the filter `bare`.
const SCRIPTS: [(&str, &str); 3] = [
    ("service/templates/preview/document.html", "script"),
    ("service/templates/snippet/defaults.html", "signals"),
    ("service/templates/snippet/stub.html", "script"),
];

/// Addresses of our own.
const ADDRESSES: [(&str, &str); 5] = [
    ("service/templates/snippet/bundle.html", "url"),
    ("service/templates/snippet/loader.html", "cdn_url"),
    ("service/templates/snippet/loader.html", "base_url"),
    ("service/templates/snippet/stub-file.html", "cdn_url"),
    ("server/templates/away.html", "css"),
];

#[test]
fn code_makes_no_markup() {
    let code = code();
    assert!(code.len() > 100, "the files were really read");
    let mut found = Vec::new();
    for (path, code) in code
        .iter()
        .filter(|(path, _)| !FILES.contains(&path.as_str()))
    {
        let strings = strings(code).into_iter().filter(|text| is_markup(text));
        found.extend(strings.map(|text| (path, text)));
    }
    found.retain(|(path, text)| !STRINGS.contains(&(path.as_str(), text.as_str())));
    assert!(
        found.is_empty(),
        "markup belongs into templates: {found:#?}"
    );
}

#[test]
fn few_types_are_written_as_they_stand() {
    let mut templates = 0;
    for (path, code) in code() {
        let safe = ["HtmlSafe", "MaybeSafe", "filters::Safe"];
        assert!(
            !safe.iter().any(|name| code.contains(name)) || SAFE.contains(&path.as_str()),
            "{path}: a type without escapes"
        );
        for (_, arguments) in code
            .match_indices("#[template(")
            .map(|(at, _)| code.split_at(at))
        {
            let arguments = arguments.split(")]").next().unwrap_or_default();
            let file = arguments.strip_prefix("#[template(path = \"");
            assert!(
                file.is_some_and(|file| file.ends_with(".html\"") && !file.contains(',')
                    || TEXTS.iter().any(|text| file == format!("{text}\""))),
                "{path}: {arguments}: only files of HTML are sure to escape"
            );
            templates += 1;
        }
    }
    assert!(templates > 8, "the templates were really found");
}

#[test]
fn values_stay_in_their_place() {
    let mut read = 0;
    for room in ROOMS {
        let mut files = Vec::new();
        template_files(&root().join(room).join("templates"), &mut files);
        for file in files {
            let path = relative(&file);
            let faults = faults(&path, &fs::read_to_string(&file).unwrap());
            assert!(faults.is_empty(), "{path}: {faults:#?}");
            read += 1;
        }
    }
    assert!(read > 10, "the templates were really read");
}

#[test]
fn faults_are_found() {
    for (template, count) in [
        ("<p id=a{{ x }}>", 1),
        ("<p id=a{{ x|bare }} {{ y|bare }}>", 0),
        ("<p id=a{{ x|bare|other }}>", 1),
        ("<p {{ y }}>{{ z }}</p>", 1),
        ("<p title=\"{{ words.get(\"x\") }}\">{{ z }}</p>", 0),
        ("<p{% if a > b %} id=a{{ x }}{% endif %}>", 1),
        ("<p{# > #} id=a{{ x }}>", 1),
        ("<a href=\"{{ x }}\">", 1),
        ("<a href=\"{{ x|target }}\">{{ y|target }}", 1),
        ("<a title=\"\" href=\"#{{ x }}\">", 0),
        ("{{ x|safe }}", 1),
        ("{{ x | safe }}", 1),
        ("{{ x|escape(\"txt\") }}", 1),
        ("{% filter safe %}", 1),
        ("<script>{{ x }}</script>", 1),
        ("<script>{{ x|bare }}</script>{{ y }}", 0),
        ("<style nonce=\"{{ n }}\">{{ x }}</style>", 1),
        ("<p onclick=\"f({{ x }})\">", 1),
        ("<p style=\"color:{{ x }}\">", 1),
    ] {
        let found = faults("", template);
        assert_eq!(found.len(), count, "{template}: {found:#?}");
    }
    let strings = strings("a(\"<p>\\\"\", 'x', '\"') // \"<i>\"\n+ r#\"</b>\"# + \"x\"");
    assert_eq!(strings, ["<p>\\\"", "</b>", "x"]);
    for markup in [
        "<p>",
        "</p>",
        "x<br>",
        "</script",
        "<!doctype html>",
        "a</b",
    ] {
        assert!(is_markup(markup), "{markup}");
    }
    for text in ["a < b", "<project id>/x", "cdn/<project>.js", "<-"] {
        assert!(!is_markup(text), "{text}");
    }
}

/// Path and code of each file without its comments and tests.
fn code() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for room in ROOMS {
        rust_files(&root().join(room).join("src"), &mut files);
    }
    let without_tests = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        (relative(&file), code.to_owned())
    };
    files
        .into_iter()
        .filter(|file| {
            let path = relative(file);
            !path.ends_with("/tests.rs") && !path.contains("/tests/")
        })
        .map(without_tests)
        .collect()
}

fn relative(file: &Path) -> String {
    let path = file.strip_prefix(root()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn template_files(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            template_files(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            files.push(path);
        }
    }
}

/// The string literals of Rust code, as they are written.
fn strings(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|raw| {
            let hashes = raw.len() - raw.trim_start_matches('#').len();
            (&raw[hashes..], hashes)
        });
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some((body, hashes)) = raw.filter(|(body, _)| body.starts_with('"')) {
            let end = format!("\"{}", "#".repeat(hashes));
            let (text, after) = body[1..].split_once(&end).unwrap_or((&body[1..], ""));
            found.push(text.to_owned());
            rest = after;
        } else if c == '"' {
            let end = end_of_string(&rest[1..]);
            found.push(rest[1..=end].to_owned());
            rest = rest.get(end + 2..).unwrap_or_default();
        } else if rest.starts_with("'\"'") {
            rest = &rest[3..];
        } else if rest.starts_with("'\\") {
            rest = rest[3..].split_once('\'').map_or("", |(_, after)| after);
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

/// Bytes before the quote that ends a string.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len() - 1, |(at, _)| at)
}

const ELEMENTS: [&str; 47] = [
    "a", "b", "bdi", "body", "br", "button", "code", "dd", "details", "dialog", "div", "dl",
    "doctype", "dt", "em", "form", "h1", "h2", "h3", "head", "header", "html", "i", "iframe",
    "img", "input", "label", "li", "link", "main", "meta", "nav", "ol", "p", "pre", "script",
    "section", "small", "span", "strong", "style", "summary", "table", "td", "title", "u", "ul",
];

fn is_markup(text: &str) -> bool {
    text.split('<').skip(1).any(|after| {
        let name = after.trim_start_matches('!');
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, next) = name.split_at(end.unwrap_or(name.len()));
        let ends = next.is_empty() || next.starts_with([' ', '>', '\\']);
        after.starts_with('/') || (ends && ELEMENTS.contains(&name))
    })
}

/// The place of a value in a template.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Text,
    Tag,
    Quotes(char),
    Script,
    Style,
}

/// The values that could leave their place.
fn faults(path: &str, template: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut place = Place::Text;
    // The tag that the place is in, up to it.
    let mut tag = String::new();
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("{#") {
            rest = rest.split_once("#}").unwrap().1;
            continue;
        }
        if let Some(block) = rest.strip_prefix("{%") {
            let (block, after) = block.split_once("%}").unwrap();
            let words = block.trim_matches(['-', '+', '~', ' ']);
            if words.starts_with("filter") || block.replace("||", "").contains('|') {
                faults.push(block.to_owned());
            }
            rest = after;
            continue;
        }
        if let Some(value) = rest.strip_prefix("{{") {
            let (value, after) = value.split_once("}}").unwrap();
            let value = value.trim_matches(['-', '+', '~', ' ']);
            let bare = value.strip_suffix("|bare");
            let target = value.strip_suffix("|target");
            let attribute = tag.trim_end_matches(|c| c != '=').rsplit(' ').next();
            let runs =
                attribute.is_some_and(|name| name.starts_with("on") || name.starts_with("style="));
            let leads = ["href=\"", "src=\"", "srcset=\""]
                .iter()
                .any(|attribute| tag.ends_with(attribute));
            let stays = match place {
                Place::Text => true,
                Place::Tag => bare.is_some(),
                Place::Quotes(_) if leads => target.is_some() || ADDRESSES.contains(&(path, value)),
                Place::Quotes(_) => !runs,
                Place::Script => bare.is_some() || SCRIPTS.contains(&(path, value)),
                Place::Style => false,
            };
            let allowed = if leads { target } else { bare };
            if !stays || allowed.unwrap_or(value).contains('|') {
                faults.push(value.to_owned());
            }
            rest = after;
            continue;
        }
        let after = &rest[c.len_utf8()..];
        let opens = after.starts_with(|c: char| c.is_ascii_alphabetic() || "/!".contains(c));
        place = match (place, c) {
            (Place::Text, '<') if opens => {
                tag.clear();
                Place::Tag
            }
            (Place::Tag, '>') if tag.starts_with("script") => Place::Script,
            (Place::Tag, '>') if tag.starts_with("style") => Place::Style,
            (Place::Tag, '>') => Place::Text,
            (Place::Tag, '"' | '\'') => Place::Quotes(c),
            (Place::Quotes(quote), c) if c == quote => Place::Tag,
            (Place::Script, '<') if rest.starts_with("</script") => Place::Tag,
            (Place::Style, '<') if rest.starts_with("</style") => Place::Tag,
            (place, _) => place,
        };
        if c == '<' {
            tag.clear();
        } else {
            tag.push(c);
        }
        rest = after;
    }
    faults
}
