//! The server functions, one file per area: thin calls into `service`, which decides who may do
//! what. Each has a fixed address under `/ui/`; the host checks session and origin before.
//!
//! They are public endpoints like the REST API's. To add one: write it in its area's file with
//! `prefix = "/ui"` and its own `endpoint`.

#![cfg_attr(
    feature = "ssr",
    expect(
        clippy::unused_async,
        reason = "a server function is async whatever it does"
    )
)]

pub mod account;
pub mod assets;
pub mod audit;
pub mod billing;
pub mod boxes;
pub mod concerns;
pub mod copies;
pub mod documents;
pub mod flash;
pub mod gate;
pub mod holdings;
pub mod illustrations;
pub mod install;
pub mod keys;
pub mod ledger;
pub mod listing;
pub mod looks;
pub mod organizations;
pub mod passwords;
pub mod people;
pub mod pictures;
pub mod projects;
pub mod proofs;
pub mod providers;
pub mod publications;
pub mod publish;
pub mod report;
pub mod second_factor;
pub mod session;
pub mod tcf;
pub mod trash;
pub mod vendors;
pub mod webhooks;
pub mod widget;

/// Helpers that every server function needs on the server.
#[cfg(feature = "ssr")]
pub mod server {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use domain::role::Role;
    use domain::{error_code::ErrorCode, field_error::FieldError};
    use http::StatusCode;
    use leptos::prelude::*;
    use service::Placet;
    use service::access::{Actor, Need};
    use service::auth::{Authenticated, Device};
    use service::error::Error;
    use service::prefix::Subscriber;
    use uuid::Uuid;

    use crate::error::UiError;
    use crate::fns::flash::Flash;

    /// The session of this request; the host provides it in context.
    #[derive(Clone, Debug, Default)]
    pub struct Visitor(pub Option<Authenticated>);

    /// The network of this request's client, if it is known; the host provides it in context.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Network(pub Option<Subscriber>);

    pub fn placet() -> Result<Arc<Placet>, UiError> {
        use_context().ok_or(UiError::Failed)
    }

    pub fn visitor() -> Result<Authenticated, UiError> {
        use_context::<Visitor>()
            .and_then(|visitor| visitor.0)
            .ok_or_else(|| refuse(Error::Unauthenticated))
    }

    /// The browser's own description, and its network.
    pub fn device() -> Device {
        let parts = use_context::<http::request::Parts>();
        let words = parts
            .as_ref()
            .and_then(|parts| parts.headers.get(http::header::USER_AGENT)?.to_str().ok());
        let Network(network) = use_context().unwrap_or_default();
        Device::new(words.unwrap_or_default(), network)
    }

    pub fn actor() -> Result<Actor, UiError> {
        visitor().map(|visitor| visitor.actor())
    }

    /// Reads an id; what is none names nothing.
    pub fn id(text: &str) -> Result<Uuid, UiError> {
        Uuid::parse_str(text).map_err(|_| refuse(Error::NotFound))
    }

    /// The actor's role on a project; without one there is no such project.
    pub async fn role(project: Uuid) -> Result<Role, UiError> {
        let placet = placet()?;
        service::access::project(&placet.db, actor()?, project, Need::READ)
            .await
            .map_err(refuse)
    }

    /// True if the person has a role on a project that meets the requirement of a use case.
    pub async fn may(project: Uuid, need: Need) -> Result<bool, UiError> {
        Ok(need.is_met_by_role(role(project).await?))
    }

    /// A path on this site, else the first page.
    pub fn local_or_home(path: &str) -> &str {
        if crate::address::is_local_path(path) {
            path
        } else {
            "/"
        }
    }

    /// Ends a form. One without script is led on, or back to its page with what was typed; with
    /// script the page itself goes on.
    pub fn lead(
        form: &str,
        outcome: Result<String, UiError>,
        back: &str,
        typed: BTreeMap<&str, String>,
    ) -> Result<String, UiError> {
        let without_script = use_context::<http::request::Parts>().is_some_and(|parts| {
            parts
                .headers
                .get(http::header::ACCEPT)
                .and_then(|accept| accept.to_str().ok())
                .is_some_and(|accept| accept.contains("text/html"))
        });
        if !without_script {
            return outcome;
        }
        let next = outcome.unwrap_or_else(|error| {
            let values = typed
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            let flash = Flash {
                form: form.to_owned(),
                values,
                error,
            };
            crate::cookies::flash(&serde_json::to_string(&flash).unwrap_or_default());
            back.to_owned()
        });
        leptos_axum::redirect(&next);
        Ok(next)
    }

    /// Translates what a use case says.
    pub fn refuse(error: Error) -> UiError {
        let error = error.told();
        let status = status(&error);
        let told = |code, detail| UiError::Refused {
            status: status.as_u16(),
            code,
            detail,
        };
        let refused = match error {
            Error::Unauthenticated => UiError::SignedOut,
            Error::Forbidden {
                code: ErrorCode::RoleTooWeak,
                ..
            } => UiError::Forbidden,
            Error::NotFound => UiError::NotFound,
            Error::BadRequest(detail) => told(ErrorCode::BadRequest, detail),
            Error::Invalid(fields) => UiError::Invalid { fields },
            Error::Conflict {
                pointer: Some(pointer),
                code,
                detail,
            } => UiError::Invalid {
                fields: vec![FieldError::new(pointer, code, detail)],
            },
            Error::Forbidden { code, detail }
            | Error::Gone { code, detail }
            | Error::Conflict {
                pointer: None,
                code,
                detail,
            } => told(code, detail),
            Error::PreconditionFailed => UiError::Conflict,
            Error::DiskLow => told(ErrorCode::DiskLow, String::new()),
            Error::TooMany { retry_after } => UiError::TooMany {
                seconds: retry_after,
            },
            Error::QueueFull { retry_after } => UiError::QueueFull {
                seconds: retry_after,
            },
            Error::Busy | Error::Unavailable => UiError::Busy,
            Error::Db(_) | Error::Internal(_) => UiError::Failed,
        };
        answer(status);
        refused
    }

    /// Gives the status for an error of a use case, the same as in the API. The host provides it.
    #[derive(Clone, Copy)]
    pub struct StatusOf(pub fn(&Error) -> StatusCode);

    fn status(error: &Error) -> StatusCode {
        let status = use_context::<StatusOf>().map(|StatusOf(status)| status(error));
        status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The status of a page that shows an error.
    pub fn status_of(error: &UiError) -> StatusCode {
        let cause = match error {
            UiError::Refused { status, .. } => {
                return StatusCode::from_u16(*status).unwrap_or(StatusCode::FORBIDDEN);
            }
            UiError::SignedOut => Error::Unauthenticated,
            UiError::Forbidden => Error::forbidden(ErrorCode::RoleTooWeak, ""),
            UiError::NotFound => Error::NotFound,
            UiError::Invalid { fields } => Error::Invalid(fields.clone()),
            UiError::Conflict => Error::PreconditionFailed,
            UiError::Busy => Error::Busy,
            UiError::TooMany { seconds } => Error::TooMany {
                retry_after: *seconds,
            },
            UiError::QueueFull { seconds } => Error::QueueFull {
                retry_after: *seconds,
            },
            UiError::Failed | UiError::Unreachable | UiError::NoPasskey => {
                Error::internal("a page failed")
            }
        };
        status(&cause)
    }

    /// Sets the status of a server function's answer. A page that calls the same function while
    /// it renders keeps its own status.
    fn answer(status: StatusCode) {
        let direct = use_context::<http::request::Parts>()
            .is_some_and(|parts| parts.uri.path().starts_with("/ui/"));
        if direct && let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
            response.set_status(status);
        }
    }
}
