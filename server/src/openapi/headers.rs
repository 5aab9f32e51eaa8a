//! The headers of answers. Each is described once, under `components`, and chosen by the operation.

use serde_json::json;
use utoipa::openapi::{
    Components, Header, Object, Ref, RefOr, Response, Type,
    path::{Operation, ParameterIn},
    schema::SchemaType,
};

/// A header as it is described.
struct Described {
    name: &'static str,
    kind: Type,
    example: &'static str,
    description: &'static str,
}

const fn text(name: &'static str, example: &'static str, description: &'static str) -> Described {
    Described {
        name,
        kind: Type::String,
        example,
        description,
    }
}

const fn number(name: &'static str, example: &'static str, description: &'static str) -> Described {
    Described {
        name,
        kind: Type::Integer,
        example,
        description,
    }
}

/// On every answer.
const REQUEST_ID: Described = text(
    "X-Request-Id",
    "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71",
    "Names the request in the server's log.",
);

/// Headers of answers that a limit counts.
const LIMITS: [Described; 3] = [
    number("X-RateLimit-Limit", "6000", "Requests a minute."),
    number(
        "X-RateLimit-Remaining",
        "5988",
        "Requests that are left in this minute.",
    ),
    number(
        "X-RateLimit-Reset",
        "42",
        "Seconds until all of them are there again.",
    ),
];

/// On lists that come in pages.
const PAGES: [Described; 5] = [
    number("X-Page", "2", "This page, from 1."),
    number("X-Per-Page", "30", "Entries of a page."),
    number("X-Last-Page", "5", "The last page."),
    number("X-Total-Count", "142", "Entries in all."),
    text(
        "Link",
        "<https://consent.shop.example/v1/organizations?page=3>; rel=\"next\"",
        "Addresses of the first, previous, next and last page (RFC 8288).",
    ),
];

const ETAG: Described = text(
    "ETag",
    "\"3\"",
    "Names this version, for `If-Match` of documents and `If-None-Match` of files.",
);
const LOCATION: Described = text(
    "Location",
    "https://consent.shop.example/v1/vault/projects/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70",
    "The address of what was made, or of what to read next.",
);
const DISPOSITION: Described = text(
    "Content-Disposition",
    "attachment; filename=\"consents.csv\"",
    "Whether it is shown or saved, and under which name.",
);
const LANGUAGE: Described = text("Content-Language", "fr", "The language of the words.");
const RETRY: Described = number("Retry-After", "2", "Seconds after which to come again.");
const AUTHENTICATE: Described = text(
    "WWW-Authenticate",
    "Bearer",
    "There, where no valid access token was sent.",
);

/// Puts all headers under `components`.
pub(super) fn define(components: &mut Components) {
    let all = LIMITS.iter().chain(&PAGES).chain([
        &REQUEST_ID,
        &ETAG,
        &LOCATION,
        &DISPOSITION,
        &LANGUAGE,
        &RETRY,
        &AUTHENTICATE,
    ]);
    for described in all {
        let mut header = Header::new(Object::with_type(SchemaType::Type(described.kind.clone())));
        header.description = Some(described.description.to_owned());
        header.example = Some(match described.kind {
            Type::Integer => described
                .example
                .parse::<u64>()
                .map_or(json!(0), |n| json!(n)),
            _ => json!(described.example),
        });
        components
            .headers
            .insert(described.name.to_owned(), RefOr::T(header));
    }
}

/// Names the headers of an operation's answers.
pub(super) fn add(operation: &mut Operation) {
    // An operation that a limit counts also refuses some requests.
    let is_counted = operation.responses.responses.contains_key("429");
    let takes = |name: &str| {
        operation
            .parameters
            .iter()
            .flatten()
            .any(|parameter| match parameter {
                RefOr::T(parameter) => {
                    parameter.name == name && parameter.parameter_in == ParameterIn::Query
                }
                RefOr::Ref(_) => false,
            })
    };
    let (pages, languages) = (takes("page"), takes("lang"));
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else {
            continue;
        };
        let mut headers = vec![&REQUEST_ID];
        if is_counted {
            headers.extend(&LIMITS);
        }
        let good = status.starts_with('2');
        if good && pages {
            headers.extend(&PAGES);
        }
        if good && languages {
            headers.push(&LANGUAGE);
        }
        // Few handlers send the other headers. Those handlers name them in their descriptions.
        for one in [&ETAG, &LOCATION, &DISPOSITION] {
            if response.description.contains(&format!("`{}`", one.name)) {
                headers.push(one);
            }
        }
        match status.as_str() {
            "403" => headers.push(&AUTHENTICATE),
            "429" | "503" => headers.push(&RETRY),
            _ => {}
        }
        for header in headers {
            name(response, header);
        }
    }
}

fn name(response: &mut Response, header: &Described) {
    let reference = Ref::new(format!("#/components/headers/{}", header.name));
    response
        .headers
        .entry(header.name.to_owned())
        .or_insert(RefOr::Ref(reference));
}
