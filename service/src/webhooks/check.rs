//! Checks of a webhook at registration: its method, address and event.

use domain::error_code::ErrorCode;
use domain::{field_error::FieldError, webhook::Topic};
use serde::Deserialize;
use url::Url;
use uuid::Uuid;

use super::Webhooks;
use crate::{
    access::{self, Actor, Need},
    error::{Error, Result},
};

/// Methods that an endpoint can be called with.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Longest address.
const MOST_URL: usize = 2_000;

/// A webhook as a caller describes it.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookIn {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`, in any case.
    #[schema(example = "POST")]
    pub method: String,
    /// Address to call; `https` unless the operator allows `http`.
    #[schema(example = "https://shop.example/hooks/consent")]
    pub url: String,
    /// `consent/<project_id>` or `publish/<project_id>`.
    #[schema(example = "consent/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    pub event: String,
    /// True to call it; true when absent.
    #[serde(default)]
    pub active: Option<bool>,
}

/// Changes of a webhook. A field that is absent keeps its value.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookChange {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`, in any case.
    #[schema(example = "POST")]
    pub method: Option<String>,
    /// Address to call; `https` unless the operator allows `http`.
    #[schema(example = "https://shop.example/hooks/consent")]
    pub url: Option<String>,
    /// `consent/<project_id>` or `publish/<project_id>`, of the same project.
    #[schema(example = "consent/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    pub event: Option<String>,
    /// Whether it is called.
    pub active: Option<bool>,
}

impl From<WebhookIn> for WebhookChange {
    fn from(whole: WebhookIn) -> Self {
        Self {
            method: Some(whole.method),
            url: Some(whole.url),
            event: Some(whole.event),
            active: whole.active,
        }
    }
}

/// A webhook with valid fields.
pub(super) struct Checked {
    pub topic: Topic,
    pub project: Uuid,
    pub method: String,
    pub url: String,
}

impl Webhooks {
    /// Validates a webhook. An error names every invalid field.
    pub(super) async fn check(&self, actor: Actor, input: &WebhookIn) -> Result<Checked> {
        let mut errors = Vec::new();
        let method = input.method.to_ascii_uppercase();
        if !METHODS.contains(&method.as_str()) {
            let detail = format!("One of: {}.", METHODS.join(", "));
            errors.push(FieldError::new("/method", ErrorCode::InvalidValue, detail));
        }
        let url = self.check_url(&input.url);
        errors.extend(url.as_ref().err().cloned());
        let event = parse_event(&input.event);
        let mut known = None;
        match event {
            None => errors.push(FieldError::new(
                "/event",
                ErrorCode::InvalidValue,
                "`consent/<project_id>` or `publish/<project_id>`.",
            )),
            Some((topic, project)) => match self.may_listen(actor, topic, project).await {
                Ok(()) => known = Some((topic, project)),
                Err(Error::NotFound) => errors.push(FieldError::new(
                    "/event",
                    ErrorCode::UnknownProject,
                    "This project does not exist, or is not yours.",
                )),
                Err(error) => return Err(error),
            },
        }
        match (known, url) {
            (Some((topic, project)), Ok(url)) if errors.is_empty() => Ok(Checked {
                topic,
                project,
                method,
                url,
            }),
            _ => Err(Error::Invalid(errors)),
        }
    }

    /// Checks that the actor may send these events to an endpoint. An API key also needs the permission to
    /// read their content.
    pub(super) async fn may_listen(&self, actor: Actor, topic: Topic, project: Uuid) -> Result<()> {
        access::project(&self.db, actor, project, Need::EDIT).await?;
        if topic == Topic::Consent {
            access::project(&self.db, actor, project, Need::HEAR_CONSENTS).await?;
        }
        Ok(())
    }

    /// Normalises the address. Names are not resolved here, because they may lead elsewhere at the time of a
    /// call.
    fn check_url(&self, text: &str) -> std::result::Result<String, FieldError> {
        let refuse = |code, detail: &str| Err(FieldError::new("/url", code, detail));
        if text.len() > MOST_URL {
            let detail = format!("At most {MOST_URL} characters.");
            return refuse(ErrorCode::TooLong, &detail);
        }
        if text.contains('\0') {
            return refuse(ErrorCode::InvalidCharacter, "U+0000 is not allowed.");
        }
        let Ok(url) = Url::parse(text) else {
            return refuse(
                ErrorCode::InvalidUrl,
                "An absolute address beginning with https://.",
            );
        };
        if !(url.scheme() == "https" || (self.settings.allow_http && url.scheme() == "http")) {
            return refuse(
                ErrorCode::InvalidUrl,
                "The address must begin with https://.",
            );
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse(
                ErrorCode::InvalidUrl,
                "The address must not hold credentials.",
            );
        }
        if url.fragment().is_some() {
            return refuse(
                ErrorCode::InvalidUrl,
                "The address must not hold a fragment.",
            );
        }
        if !self.outbound.may_call(&url) {
            return refuse(ErrorCode::AddressRefused, "This address may not be called.");
        }
        Ok(url.into())
    }
}

fn parse_event(event: &str) -> Option<(Topic, Uuid)> {
    let (topic, project) = event.split_once('/')?;
    let topic = Topic::parse(topic)?;
    let id = Uuid::parse_str(project).ok()?;
    (id.to_string() == project).then_some((topic, id))
}
