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

    /// Refuses a sign-up that the rule forbids, and says whether the person was invited. The caller shows the secret of
    /// the link, which proves access to the invited mailbox; knowing an invited address is not enough.
    pub(super) async fn let_in(&self, email: &str, invitation: Option<&str>) -> Result<bool> {
        let is_invited = match invitation {
            Some(token) => match self.read_invitation(token).await {
                Err(error @ (Error::Db(_) | Error::Internal(_))) => return Err(error),
                Err(_) => false,
                Ok(invited) => key(&invited.email) == key(email),
            },
            None => false,
        };
        self.lets_in(is_invited)
    }

    /// As [`Auth::let_in`], for a login by a provider that has verified the address.
    pub(super) async fn let_in_by_provider(&self, email: &str) -> Result<bool> {
        let now = self.clock.now();
        let mut is_invited = false;
        for id in invitations::waiting(&self.db, &key(email), now).await? {
            is_invited = is_invited || self.invited(id).await?.is_some();
        }
        self.lets_in(is_invited)
    }

    fn lets_in(&self, is_invited: bool) -> Result<bool> {
        match self.sign_up {
            SignUp::Open => Ok(is_invited),
            SignUp::Invited if is_invited => Ok(is_invited),
            SignUp::Invited => Err(not_invited()),
            SignUp::Off => Err(off()),
        }
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
