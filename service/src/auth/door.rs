//! Decides who may sign up without the operator.

use super::{Auth, invitations::store as invitations, key};
use crate::error::{Error, Result};
use domain::error_code::ErrorCode;

/// The rule for sign-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUp {
    /// Everybody.
    #[default]
    Open,
    /// People with an invitation.
    Invited,
    /// Nobody: the operator makes accounts.
    Off,
}

impl Auth {
    /// The rule for sign-ups on this server.
    pub fn sign_up_is(&self) -> SignUp {
        self.sign_up
    }

    /// Refuses a sign-up that the rule forbids. By invitation, the caller shows the secret of the link, which
    /// proves access to the invited mailbox; knowing an invited address is not enough.
    pub(super) async fn let_in(&self, email: &str, invitation: Option<&str>) -> Result<()> {
        match self.sign_up {
            SignUp::Open => return Ok(()),
            SignUp::Off => return Err(off()),
            SignUp::Invited => {}
        }
        let invited = match invitation {
            Some(token) => self.read_invitation(token).await,
            None => Err(Error::NotFound),
        };
        match invited {
            Ok(invited) if key(&invited.email) == key(email) => Ok(()),
            Ok(_) | Err(Error::NotFound) => Err(not_invited()),
            Err(error) => Err(error),
        }
    }

    /// Applies the rule to a login by a provider that has verified the address.
    pub(super) async fn let_in_by_provider(&self, email: &str) -> Result<()> {
        match self.sign_up {
            SignUp::Open => return Ok(()),
            SignUp::Off => return Err(off()),
            SignUp::Invited => {}
        }
        let now = self.clock.now();
        for id in invitations::waiting(&self.db, &key(email), now).await? {
            if self.invited(id).await?.is_some() {
                return Ok(());
            }
        }
        Err(not_invited())
    }
}

fn off() -> Error {
    Error::forbidden(
        ErrorCode::SignUpOff,
        "This server makes no accounts by itself; its operator does.",
    )
}

fn not_invited() -> Error {
    Error::forbidden(
        ErrorCode::NotInvited,
        "Accounts here are for people who were invited: open the link of the invitation.",
    )
}
