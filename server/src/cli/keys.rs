//! `placet keys`.

use clap::{Args, Subcommand};
use service::auth::Older;

use super::out::say;
use super::set_up::SetUp;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Make a new key, which signs access tokens from now on
    Rotate(Box<RotateArgs>),
}

#[derive(Args, Clone)]
pub(super) struct RotateArgs {
    /// Delete the older keys after a leak, so that everybody has to sign in again [default: tokens stay
    /// valid until they expire]
    #[arg(long)]
    end_sessions: bool,
    #[command(flatten)]
    set_up: SetUp,
}

impl KeysCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Rotate(args) => {
                let older = if args.end_sessions {
                    Older::End
                } else {
                    Older::Stay
                };
                let placet = args.set_up.open().await?;
                let rotated = placet.auth.rotate_keys(older).await;
                let newest = placet.auth.jwks().await;
                placet.close().await;
                rotated?;
                let kid = newest?.keys.into_iter().next().map(|key| key.kid);
                say(format_args!(
                    "The key {} signs tokens from now on. Running servers follow within a minute.",
                    kid.unwrap_or_default()
                ));
                Ok(())
            }
        }
    }
}
