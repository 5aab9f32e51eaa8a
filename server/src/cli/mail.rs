//! Flags of mail and of sign-in by providers.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use service::{auth::OidcProvider, mail};

#[derive(Args, Clone)]
#[command(next_help_heading = "Mail and sign-in")]
pub(super) struct MailArgs {
    /// Mail server, such as `smtp://user:password@mail.example:587` (STARTTLS) or `smtps://…`; without
    /// one no letters are sent
    #[arg(
        long,
        env = "PLACET_SMTP_URL",
        hide_env_values = true,
        value_name = "URL",
        requires = "mail_from"
    )]
    smtp_url: Option<String>,
    /// Sender of letters, such as `Placet <no-reply@consent.example>`
    #[arg(long, env = "PLACET_MAIL_FROM", value_name = "ADDRESS")]
    mail_from: Option<String>,
    /// JSON file of OpenID Connect providers to sign in with: `[{"name": "company", "title":
    /// "Company login", "issuer": "https://login.example", "clientId": "…", "clientSecret": "…"}]`
    #[arg(long, env = "PLACET_OIDC_FILE", value_name = "FILE")]
    oidc_file: Option<PathBuf>,
    /// Print links of letters to the log if there is no mail server. The demo sets it.
    #[arg(skip)]
    pub(super) log_mail_links: bool,
}

impl MailArgs {
    /// The providers of the file; none without a file.
    pub(super) fn providers(&self) -> anyhow::Result<Vec<OidcProvider>> {
        let Some(path) = &self.oidc_file else {
            return Ok(Vec::new());
        };
        let file = path.display();
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{file} cannot be read"))?;
        OidcProvider::parse(&text).map_err(|error| anyhow::anyhow!("{file}: {error}"))
    }

    /// The mail server, if it is configured.
    pub(super) fn settings(&self) -> anyhow::Result<Option<mail::Settings>> {
        let (Some(url), Some(from)) = (&self.smtp_url, &self.mail_from) else {
            return Ok(None);
        };
        let settings = mail::Settings::parse(url, from).map_err(anyhow::Error::msg)?;
        Ok(Some(settings))
    }
}
