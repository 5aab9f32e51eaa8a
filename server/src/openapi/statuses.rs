//! The errors that an operation can really give, by its parameters and its policy, and the body of all errors.
//! Handlers add others.

use utoipa::openapi::{
    ContentBuilder, Ref, RefOr, Response,
    path::{Operation, ParameterIn},
};

use crate::http::policy::Policy;

/// Adds the errors that an operation does not tell of itself.
pub(super) fn add(method: &str, operation: &mut Operation, policy: Policy) {
    let has = |wanted: ParameterIn| {
        let mut parameters = operation.parameters.iter().flatten();
        parameters.any(|parameter| matches!(parameter, RefOr::T(one) if one.parameter_in == wanted))
    };
    // One way in alone is none: the operation is for everybody.
    let is_public = operation
        .security
        .as_ref()
        .is_some_and(|ways| ways.len() == 1);
    let takes_body = operation.request_body.is_some();
    let takes_values = has(ParameterIn::Query) || has(ParameterIn::Header);
    // Lists refuse parameters that they do not know.
    let takes_values = takes_values || (method == "get" && !is_public);
    let names_something = has(ParameterIn::Path);
    let writes = matches!(method, "post" | "put" | "patch") && !is_public;
    let is_counted = policy.counted.is_some() || !is_public;
    let reads_database = operation.operation_id.as_deref() != Some("health.live");
    let shared = [
        (
            "400",
            takes_body || takes_values,
            "Malformed JSON, query or header.",
        ),
        (
            "403",
            !is_public,
            "No valid access token, or a role that is too weak.",
        ),
        ("404", names_something, "Unknown, or not the caller's."),
        ("408", true, "The request took too long."),
        (
            "409",
            writes,
            "It collides with what is there; `edited_meanwhile`: somebody else changed it just now; `account_full`, `day_full`: the account keeps as many bytes as it may.",
        ),
        ("413", takes_body, "The body is too large."),
        ("415", takes_body, "The body has an unsupported type."),
        (
            "422",
            takes_body,
            "Fields break a rule; `errors` names all of them.",
        ),
        ("429", is_counted, "Too many requests; see `Retry-After`."),
        ("500", true, "A fault of ours."),
        (
            "503",
            reads_database,
            "A part of the service is away; see `Retry-After`.",
        ),
        (
            "507",
            writes,
            "`disk_low`: the disk of the server is nearly full.",
        ),
    ];
    let responses = &mut operation.responses.responses;
    for (status, _, description) in shared.into_iter().filter(|(_, it_has, _)| *it_has) {
        let problem = || RefOr::T(Response::new(description));
        responses.entry(status.to_owned()).or_insert_with(problem);
    }
    for (status, response) in responses {
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            let schema = Some(Ref::from_schema_name("Problem"));
            let content = ContentBuilder::new().schema(schema).build();
            let media = "application/problem+json".to_owned();
            response.content.insert(media, content.into());
        }
    }
}
