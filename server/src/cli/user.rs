//! `placet user`: makes the first account, resets lost passwords, and changes addresses where no mail
//! is sent.

use std::{io::Read, path::PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use service::{
    Error,
    auth::{Keep, SignUpIn},
    quota::megabytes,
};

use super::out::say;
use super::set_up::SetUp;

/// Longest password file that is read.
const LONGEST: u64 = 4_096;

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Make an account
    Create(Box<CreateArgs>),
    /// Set a new password; ends the account's sessions, API keys, linked identities, invitations and second factor
    Password(Box<PasswordArgs>),
    /// List the accounts that keep most bytes here
    Usage(Box<UsageArgs>),
    /// Change an account's e-mail address; the previous address is told if mail is set up
    Email(Box<EmailArgs>),
}

#[derive(Args, Clone)]
pub(super) struct CreateArgs {
    /// Name to sign in with
    #[arg(value_name = "USERNAME")]
    username: String,
    /// E-mail address
    #[arg(long, value_name = "ADDRESS")]
    email: String,
    /// Name shown to others [default: the username]
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,
    /// Treat the address as verified, so that invitations to it work at once
    #[arg(long)]
    email_verified: bool,
    #[command(flatten)]
    password: NewPassword,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(super) struct PasswordArgs {
    /// Username or e-mail address
    #[arg(value_name = "USERNAME")]
    username: String,
    /// Keep the account's API keys
    #[arg(long)]
    keep_keys: bool,
    /// Keep linked identities
    #[arg(long)]
    keep_identities: bool,
    /// Keep pending invitations that the account sent
    #[arg(long)]
    keep_invitations: bool,
    /// Keep the second factor: the account's owner still has its authenticator app
    #[arg(long)]
    keep_second_factor: bool,
    #[command(flatten)]
    password: NewPassword,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
pub(super) struct EmailArgs {
    /// Username or current e-mail address
    #[arg(value_name = "USERNAME")]
    username: String,
    /// The new address
    #[arg(value_name = "ADDRESS")]
    email: String,
    /// Treat the address as verified
    #[arg(long)]
    email_verified: bool,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
pub(super) struct UsageArgs {
    /// Accounts to list
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    most: u32,
    #[command(flatten)]
    set_up: SetUp,
}

/// A password is never an argument, because everybody on the machine can read arguments.
#[derive(Args, Clone)]
struct NewPassword {
    /// File with the password in its first line, - for standard input [default: a password is made and
    /// printed]
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl NewPassword {
    /// The password, and true if it was made here.
    fn get(&self) -> anyhow::Result<(String, bool)> {
        let Some(path) = &self.password_file else {
            return Ok((service::secret::new_password(), true));
        };
        let source: Box<dyn Read> = if path.as_os_str() == "-" {
            Box::new(std::io::stdin())
        } else {
            let file = std::fs::File::open(path);
            Box::new(file.with_context(|| format!("{} cannot be read", path.display()))?)
        };
        let mut text = String::new();
        source.take(LONGEST).read_to_string(&mut text)?;
        let line = text.lines().next().unwrap_or_default();
        anyhow::ensure!(!line.is_empty(), "the first line contains no password");
        Ok((line.to_owned(), false))
    }
}

impl UserCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Create(args) => {
                let (password, made) = args.password.get()?;
                let placet = args.set_up.open().await?;
                let input = SignUpIn {
                    display_name: args.display_name,
                    username: args.username,
                    email: args.email,
                    password: password.clone(),
                    invitation: None,
                };
                let user = placet.auth.make_account(input, args.email_verified).await;
                placet.close().await;
                let user = user.map_err(in_words)?;
                say(format_args!(
                    "{} can sign in now ({}).",
                    user.username, user.id
                ));
                tell(&password, made);
            }
            Self::Password(args) => {
                let (password, made) = args.password.get()?;
                let placet = args.set_up.open().await?;
                let keep = Keep {
                    keys: args.keep_keys,
                    identities: args.keep_identities,
                    invitations: args.keep_invitations,
                    second_factor: args.keep_second_factor,
                };
                let replaced = placet
                    .auth
                    .replace_password(&args.username, password.clone(), keep)
                    .await;
                placet.close().await;
                let (user, ended) = replaced.map_err(in_words)?;
                say(format_args!(
                    "{} has a new password. All sessions have ended.",
                    user.username
                ));
                list("API keys", &ended.keys);
                list("linked identities", &ended.identities);
                list("invitations", &ended.invitations);
                if ended.second_factor {
                    say(format_args!(
                        "Ended the second factor: the password alone signs in."
                    ));
                }
                tell(&password, made);
            }
            Self::Usage(args) => {
                let placet = args.set_up.open().await?;
                let largest = placet.usage(args.most).await;
                placet.close().await;
                say(format_args!("held now\twritten in 30 days\taccount"));
                for account in largest? {
                    let name = account.username.unwrap_or_else(|| "deleted".to_owned());
                    say(format_args!(
                        "{}\t{}\t{name} ({})",
                        megabytes(account.held.unsigned_abs()),
                        megabytes(account.written.unsigned_abs()),
                        account.id
                    ));
                }
            }
            Self::Email(args) => {
                let placet = args.set_up.open().await?;
                let user = placet
                    .auth
                    .replace_email(&args.username, &args.email, args.email_verified)
                    .await;
                placet.close().await;
                let user = user.map_err(in_words)?;
                say(format_args!(
                    "{} now has the address {}.",
                    user.username, user.email
                ));
            }
        }
        Ok(())
    }
}

/// Prints the things that ended. Names come from users, so they are quoted to stay on their line.
fn list(what: &str, ended: &[String]) {
    if !ended.is_empty() {
        let names: Vec<String> = ended.iter().map(|name| format!("{name:?}")).collect();
        say(format_args!("Ended {what}: {}", names.join(", ")));
    }
}

fn tell(password: &str, made: bool) {
    if made {
        say(format_args!("Password: {password}"));
    }
}

/// Puts the error of each field into words, because there is no form to show it.
fn in_words(error: Error) -> anyhow::Error {
    match error {
        Error::Invalid(errors) => {
            let lines = errors.iter().map(|error| {
                let field = error.pointer.trim_start_matches('/');
                format!("{field}: {}", error.detail)
            });
            anyhow::anyhow!(lines.collect::<Vec<_>>().join("\n"))
        }
        Error::NotFound => anyhow::anyhow!("there is no such account"),
        error => error.into(),
    }
}
