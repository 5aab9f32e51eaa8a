//! `placet keys`.

use clap::{Args, Subcommand};
use service::auth::Older;

use super::set_up::SetUp;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Sign access tokens with a new key from now on
    Rotate(Box<RotateArgs>),
}

#[derive(Args, Clone)]
pub(super) struct RotateArgs {
    /// Forget the older keys, so that everybody signs in again: for when one has leaked [default:
    /// their tokens stay valid until they end]
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
                println!(
                    "Tokens are signed with {} from now on; running servers follow within a minute.",
                    kid.unwrap_or_default()
                );
                Ok(())
            }
        }
    }
}
