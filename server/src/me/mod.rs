//! `/me/<project>`: visitors read what they answered, get the proofs of it, withdraw, and erase it where the project
//! lets them.
//!
//! The page itself knows nobody. Its script takes the token from the fragment of the address, which browsers send to no
//! server, and calls the routes of `api/visitors.rs`.

use std::{collections::BTreeMap, sync::LazyLock};

use askama::Template;
use axum::{
    http::{HeaderMap, Method, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use domain::{
    documents::Voice,
    language::{self, LANGUAGES, Language},
};
use service::render;
use uuid::Uuid;

use crate::http::{
    NO_STORE, headers,
    params::Params,
    path::{Path, ProjectPath},
    policy::{Policy, Routes},
};

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = concat!(
    include_str!("../../../style/plain.css"),
    include_str!("page.css")
);
/// Nothing inline, and nothing of others. The icon is the server's own.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The texts of a language, by name.
type Words = BTreeMap<String, String>;

/// The texts by the code of the language.
static WORDS: LazyLock<BTreeMap<String, Words>> =
    LazyLock::new(|| serde_json::from_str(include_str!("words.json")).unwrap_or_default());

/// Words that the widget has too, by their names here and there.
const OF_WIDGET: [(&str, &str); 4] = [
    ("purposes", "iabPurposesTab"),
    ("features", "iabSpecialFeatures"),
    ("partners", "iabPartnersTab"),
    ("interest", "iabClaim"),
];

/// The words of the page in a language, with those that the widget has too.
fn words_in(language: &Language) -> Words {
    let mut words = WORDS.get(language.code).cloned().unwrap_or_default();
    let widget = render::default_strings(language.code, Voice::default());
    let shared = OF_WIDGET.iter().filter_map(|(name, there)| {
        let word = widget.get(*there)?;
        Some(((*name).to_owned(), word.clone()))
    });
    words.extend(shared);
    words
}

/// The page with its script and its styles.
pub fn routes() -> Routes {
    let read = [Method::GET];
    let file = |kind: &'static str, content: &'static str| {
        let headers = [
            (header::CONTENT_TYPE, kind),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        get(async move || (headers, content))
    };
    let script = file("text/javascript; charset=utf-8", SCRIPT);
    let style = file("text/css; charset=utf-8", STYLE);
    Routes::new()
        .plain(Policy::API, "/me/{projectId}", &read, get(page))
        .plain(Policy::API, "/me/page.js", &read, script)
        .plain(Policy::API, "/me/page.css", &read, style)
}

#[derive(Template)]
#[template(path = "me.html")]
struct Page<'a> {
    language: &'a Language,
    languages: &'a [Language],
    project: Uuid,
    words: &'a Words,
    /// The same for the script.
    json: String,
}

impl Page<'_> {
    fn word(&self, name: &str) -> &str {
        self.words.get(name).map_or("", String::as_str)
    }

    fn direction(&self) -> &'static str {
        language::direction(self.language.code)
    }
}

/// The page in the language of `lang`, else of the browser.
async fn page(Path(path): Path<ProjectPath>, params: Params, headers: HeaderMap) -> Response {
    let accepted = headers::text(&headers, header::ACCEPT_LANGUAGE);
    let language = choose(params.get("lang"), accepted.unwrap_or_default());
    let page = render(path.project_id, language);
    let headers = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (NO_STORE, headers, Html(page)).into_response()
}

fn render(project: Uuid, language: &Language) -> String {
    let words = words_in(language);
    let page = Page {
        language,
        languages: &LANGUAGES,
        project,
        words: &words,
        json: serde_json::to_string(&words).unwrap_or_default(),
    };
    page.to_string()
}

/// The first language that the page has, of these: the visitor's choice, then `Accept-Language` in the browser's order
/// of preference. English otherwise.
fn choose(chosen: Option<&str>, accepted: &str) -> &'static Language {
    let accepted = accepted
        .split(',')
        .filter_map(|entry| entry.split(';').next());
    let mut tags = chosen.into_iter().chain(accepted.map(str::trim));
    let [english, ..] = &LANGUAGES;
    tags.find_map(language::find).unwrap_or(english)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_all_texts_and_its_direction() {
        let english = WORDS.get("en").unwrap();
        assert_eq!(WORDS.len(), LANGUAGES.len());
        for language in &LANGUAGES {
            let words = WORDS.get(language.code).unwrap();
            assert!(words.keys().eq(english.keys()), "{}", language.code);
            assert!(words.values().all(|text| !text.trim().is_empty()));
            assert!(words["intro"].contains("{site}"), "{}", language.code);
            let page = render(Uuid::nil(), language);
            let is_mirrored = ["ar", "he"].contains(&language.code);
            assert_eq!(
                page.contains("dir=\"rtl\""),
                is_mirrored,
                "{}",
                language.code
            );
        }
    }

    #[test]
    fn no_sentence_of_another_language_is_english() {
        let english = WORDS.get("en").unwrap();
        for (language, words) in WORDS.iter().filter(|(language, _)| *language != "en") {
            for (name, text) in words.iter().filter(|(_, text)| text.contains(' ')) {
                assert_ne!(Some(text), english.get(name), "{language}: {name}");
            }
        }
    }

    #[test]
    fn the_script_uses_every_text_or_the_page_does() {
        let page = include_str!("../../templates/me.html");
        let [english, ..] = &LANGUAGES;
        let words = words_in(english);
        assert_eq!(words.len(), WORDS["en"].len() + OF_WIDGET.len());
        for name in words.keys() {
            let by_page = page.contains(&format!("word(\"{name}\")"));
            let by_script = SCRIPT.contains(&format!("words.{name}"));
            assert!(by_page || by_script, "{name}");
        }
    }

    #[test]
    fn the_language_is_the_chosen_one_or_the_first_that_is_known() {
        for (chosen, accepted, code) in [
            (Some("ar"), "fr", "ar"),
            (Some("xx"), "fr-CA, en;q=0.5", "fr"),
            (None, "xx, nb-NO;q=0.9, de;q=0.8", "no"),
            (None, "*", "en"),
            (None, "", "en"),
        ] {
            assert_eq!(choose(chosen, accepted).code, code, "{accepted}");
        }
    }
}
