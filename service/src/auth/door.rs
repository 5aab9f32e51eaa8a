//! Who gets an account without the operator.

use super::{Auth, invitations::store as invitations, key};
use crate::error::{Error, Result};

/// Who may sign up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUp {
    /// Everybody.
    #[default]
    Open,
    /// Whom somebody here has invited.
    Invited,
    /// Nobody: the operator makes accounts.
    Off,
}

impl Auth {
    /// Who may sign up here.
    pub fn sign_up_is(&self) -> SignUp {
        self.sign_up
    }

    /// Refuses whom this server gives no account. The secret of an invitation's link shows that the
    /// mailbox is read: to know an address that was invited is not enough.
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

    /// The same for whom a provider knows by an address that it has verified.
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
        "sign_up_off",
        "This server makes no accounts by itself; its operator does.",
    )
}

fn not_invited() -> Error {
    Error::forbidden(
        "not_invited",
        "Accounts here are for people who were invited: open the link of the invitation.",
    )
}
