//! Client of a mail server.

use std::time::Duration;

use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message as Wire, Tokio1Executor,
    message::{
        Mailbox,
        header::{ContentType, MIME_VERSION_1_0},
    },
    transport::smtp::{
        authentication::Credentials,
        client::{Tls, TlsParameters},
        extension::ClientId,
    },
};
use url::Url;
use uuid::Uuid;

use super::Message;

/// Longest duration of one command.
const COMMAND: Duration = Duration::from_secs(20);

/// A mail server and the sender of letters.
#[derive(Clone)]
pub struct Settings {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Settings {
    /// Reads `smtp://[user:password@]host[:port][?tls=required|opportunistic|none]` or
    /// `smtps://…` (TLS from the first byte), and a sender such as `Placet <no-reply@shop.example>`.
    ///
    /// `smtp://` insists on STARTTLS, except on this machine itself (where it is off).
    pub fn parse(url: &str, from: &str) -> Result<Self, String> {
        let from: Mailbox = from.parse().map_err(
            |_| "the sender must be an address such as `Placet <no-reply@shop.example>`",
        )?;
        // The address may contain a password, so errors never repeat it.
        let url = Url::parse(url).map_err(|_| "the SMTP address is malformed")?;
        let host = url
            .host_str()
            .ok_or("the SMTP address names no host")?
            .trim_matches(['[', ']'])
            .to_owned();
        let here = matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1");
        let parameters =
            || TlsParameters::new(host.clone()).map_err(|_| "the SMTP host cannot be named in TLS");
        let wish = url
            .query_pairs()
            .find_map(|(key, value)| (key == "tls").then(|| value.into_owned()));
        let (tls, port) = match (url.scheme(), wish.as_deref()) {
            ("smtps", None) => (Tls::Wrapper(parameters()?), 465),
            ("smtp", Some("none")) => (Tls::None, 25),
            ("smtp", None) if here => (Tls::None, 25),
            ("smtp", Some("opportunistic")) => (Tls::Opportunistic(parameters()?), 587),
            ("smtp", None | Some("required")) => (Tls::Required(parameters()?), 587),
            _ => {
                return Err(
                    "the SMTP address begins with smtp:// or smtps://, and `tls` is required, \
                     opportunistic or none"
                        .to_owned(),
                );
            }
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(url.port().unwrap_or(port))
            .tls(tls)
            .timeout(Some(COMMAND))
            .hello_name(ClientId::Domain(from.email.domain().to_owned()));
        if !url.username().is_empty() {
            let text = |part: &str| {
                let decoded = url::form_urlencoded::parse(
                    format!("x={}", part.replace('+', "%2B")).as_bytes(),
                )
                .next()
                .map(|(_, value)| value.into_owned());
                decoded.unwrap_or_default()
            };
            builder = builder.credentials(Credentials::new(
                text(url.username()),
                text(url.password().unwrap_or_default()),
            ));
        }
        Ok(Self {
            transport: builder.build(),
            from,
        })
    }
}

impl Settings {
    /// Connects and signs in without sending anything. An error has the server's words.
    pub(crate) async fn reach(&self) -> Result<(), String> {
        match self.transport.test_connection().await {
            Ok(true) => Ok(()),
            Ok(false) => Err("it ended the connection".to_owned()),
            Err(error) => Err(words(&error)),
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Settings(from {})", self.from.email)
    }
}

/// Reason why a letter was not accepted.
pub(super) enum Refusal {
    /// A later attempt may succeed.
    Passing(String),
    /// Every attempt fails; with the server's words.
    Lasting(String),
}

pub(crate) struct Smtp(Settings);

impl Smtp {
    pub(super) fn new(settings: &Settings) -> Self {
        Self(settings.clone())
    }

    /// Sends a letter. `id` names it and stays the same for a retry.
    pub(super) async fn send(&self, id: Uuid, message: &Message) -> Result<(), Refusal> {
        let lasting = |error: &dyn std::fmt::Display| Refusal::Lasting(error.to_string());
        let to: Mailbox = message.to.parse().map_err(|error| lasting(&error))?;
        let wire = Wire::builder()
            .from(self.0.from.clone())
            .to(to)
            .subject(&message.subject)
            .message_id(Some(format!("<{id}@{}>", self.0.from.email.domain())))
            // Prevents automatic answers such as "out of office".
            .header(AutoSubmitted)
            .header(MIME_VERSION_1_0)
            .header(ContentType::TEXT_PLAIN)
            .body(message.text.clone())
            .map_err(|error| lasting(&error))?;
        match self.0.transport.send(wire).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_permanent() => Err(Refusal::Lasting(words(&error))),
            Err(error) => Err(Refusal::Passing(words(&error))),
        }
    }
}

/// The error with its causes, which contain the server's words.
fn words(error: &lettre::transport::smtp::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause {
        text = format!("{text}: {source}");
        cause = source.source();
    }
    text
}

/// `Auto-Submitted: auto-generated` (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl lettre::message::header::Header for AutoSubmitted {
    fn name() -> lettre::message::header::HeaderName {
        lettre::message::header::HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> lettre::message::header::HeaderValue {
        lettre::message::header::HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_understood_and_passwords_never_repeated() {
        for good in [
            "smtp://127.0.0.1:2525",
            "smtp://user:p%40ss+word@mail.example",
            "smtp://mail.example?tls=none",
            "smtps://mail.example:465",
        ] {
            assert!(
                Settings::parse(good, "Placet <no-reply@shop.example>").is_ok(),
                "{good}"
            );
        }
        for bad in [
            "http://mail.example",
            "smtp://user:secret@mail.example?tls=perhaps",
            "smtps://user:secret@mail.example?tls=none",
            "nonsense",
        ] {
            let error = Settings::parse(bad, "no-reply@shop.example").unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
        assert!(Settings::parse("smtp://mail.example", "nobody").is_err());
    }
}
