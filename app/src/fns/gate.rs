//! Data and actions of the pages before sign-in: providers, lost passwords, proofs of addresses,
//! invitations. Links in e-mails have their secret in the address; it goes into forms, never into
//! a log.

use leptos::prelude::*;
use leptos::server_fn::codec::{Json, PostUrl};
use serde::{Deserialize, Serialize};

use super::holdings::Holdings;
use super::providers::Provider;
use super::session::{Account, invitation_of};
#[cfg(feature = "ssr")]
use crate::address::address;
use crate::error::UiError;
#[cfg(feature = "ssr")]
use crate::map::Page;

/// The people who can create an account here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Door {
    Open,
    Invited,
    Off,
}

impl Door {
    /// True if somebody who goes to that page afterwards can create an account.
    pub fn opens(self, next: &str) -> bool {
        match self {
            Self::Open => true,
            Self::Invited => invitation_of(next).is_some(),
            Self::Off => false,
        }
    }
}

/// Facts about this server and its visitor for the pages before sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// True if this server sends e-mail.
    pub mail: bool,
    pub providers: Vec<Provider>,
    pub door: Door,
    /// The person who is already signed in.
    pub person: Option<Account>,
}

/// An invitation as the invited person sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    pub email: String,
    /// To a project, else to an organization.
    pub to_project: bool,
    pub name: String,
    pub role: domain::role::Role,
    pub invited_by: String,
    pub expires_at: i64,
}

/// The data of the pages before sign-in.
#[server(prefix = "/ui", endpoint = "gate", input = Json)]
pub async fn read_gate() -> Result<Gate, UiError> {
    use super::server::{Visitor, placet, refuse};
    use service::auth::SignUp;
    let placet = placet()?;
    let visitor = use_context::<Visitor>().and_then(|visitor| visitor.0);
    let person = match visitor {
        Some(visitor) => {
            let user = placet.auth.me(visitor.actor()).await.map_err(refuse)?;
            Some(Account::from(user))
        }
        None => None,
    };
    Ok(Gate {
        mail: placet.mail.is_on(),
        providers: super::providers::server::providers(&placet),
        door: match placet.auth.sign_up_is() {
            SignUp::Open => Door::Open,
            SignUp::Invited => Door::Invited,
            SignUp::Off => Door::Off,
        },
        person,
    })
}

/// Mails a link for a new password, if the address is an account's; answers alike either way.
#[server(prefix = "/ui", endpoint = "auth/local/forgot", input = PostUrl)]
pub async fn forgot_password(#[server(default)] email: String) -> Result<String, UiError> {
    use super::server::{lead, placet, refuse};
    let typed = [("email", email.clone())];
    let input = service::auth::ForgotIn { email };
    let asked = placet()?.auth.forgot(input).await.map_err(refuse);
    let page = Page::ForgotPassword.path();
    lead(
        "forgot-password",
        asked.map(|()| format!("{page}?sent=1")),
        page,
        typed.into(),
    )
}

/// The account that a link for a new password belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResetLink {
    /// The address that it was sent to.
    pub email: String,
    /// True if the account has confirmed the address before. Otherwise nothing can be kept.
    pub email_verified: bool,
    pub holdings: Holdings,
}

/// The account that a link for a new password belongs to; `None` for a link that has expired.
#[server(prefix = "/ui", endpoint = "auth/links/reset", input = Json)]
pub async fn read_reset(token: String) -> Result<Option<ResetLink>, UiError> {
    use super::server::{placet, refuse};
    let placet = placet()?;
    let found = placet.auth.reset_link(&token).await.map_err(refuse)?;
    Ok(found.map(|link| ResetLink {
        email: link.email,
        email_verified: link.email_verified,
        holdings: super::holdings::server::holdings(&placet, link.holdings),
    }))
}

/// Sets a new password by a mailed link. A group is kept where the page has shown it and its box was
/// not ticked: of what came since then nobody has been asked, and it ends.
#[server(prefix = "/ui", endpoint = "auth/local/reset", input = PostUrl)]
pub async fn reset_password(
    #[server(default)] token: String,
    #[server(default)] password: String,
    #[server(default)] shown: String,
    #[server(default)] end_keys: String,
    #[server(default)] end_identities: String,
    #[server(default)] end_invitations: String,
) -> Result<String, UiError> {
    use super::passwords::server::judge;
    use super::server::{lead, placet, refuse};
    let mut password = password;
    let judged = judge(&mut password, "/password", &[]).await?;
    let back = address(Page::ResetPassword.path(), &[("token", &token)]);
    let keep = |group: &str, ends: &str| ends.is_empty() && shown.split(' ').any(|at| at == group);
    let input = service::auth::ResetIn {
        token,
        password,
        keep: super::holdings::Keep {
            keys: keep("keys", &end_keys),
            identities: keep("identities", &end_identities),
            invitations: keep("invitations", &end_invitations),
        }
        .into(),
    };
    let done = placet()?.auth.reset(input).await;
    let done = done.map_err(|error| judged.in_error(refuse(error)));
    lead(
        "reset-password",
        done.map(|()| address(Page::SignIn.path(), &[("reset", "1")])),
        &back,
        std::collections::BTreeMap::new(),
    )
}

/// The proof of an address may need more than its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Needs {
    Nothing,
    /// A session of the account, or a new password.
    SessionOrPassword,
    /// A session of the account.
    Session,
}

/// The address that a link verifies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub email: String,
    pub needs: Needs,
}

/// The address that a link verifies for this visitor; `None` for a link that has expired.
#[server(prefix = "/ui", endpoint = "auth/links/verify", input = Json)]
pub async fn read_proof(token: String) -> Result<Option<Proof>, UiError> {
    use super::server::{Visitor, placet, refuse};
    let visitor = use_context::<Visitor>().and_then(|visitor| visitor.0);
    let found = placet()?.auth.proof(&token, visitor.as_ref()).await;
    Ok(found.map_err(refuse)?.map(|proof| Proof {
        email: proof.email,
        needs: match proof.needs {
            service::auth::Needs::Nothing => Needs::Nothing,
            service::auth::Needs::SessionOrPassword => Needs::SessionOrPassword,
            service::auth::Needs::Session => Needs::Session,
        },
    }))
}

/// Takes the proof that an address is somebody's own. A page asks first: programs that look at
/// e-mails before people do follow links, but press no buttons.
#[server(prefix = "/ui", endpoint = "auth/local/verify", input = PostUrl)]
pub async fn verify_email(
    #[server(default)] token: String,
    #[server(default)] password: Option<String>,
) -> Result<String, UiError> {
    use super::passwords::server::judge;
    use super::server::{Visitor, lead, placet, refuse};
    let mut password = password;
    let judged = match &mut password {
        Some(password) => Some(judge(password, "/password", &[]).await?),
        None => None,
    };
    let visitor = use_context::<Visitor>().and_then(|visitor| visitor.0);
    let back = address(Page::VerifyEmail.path(), &[("token", &token)]);
    let input = service::auth::VerifyIn { token, password };
    let done = placet()?.auth.verify_email(visitor.as_ref(), input).await;
    let done = done.map_err(|error| match judged {
        Some(judged) => judged.in_error(refuse(error)),
        None => refuse(error),
    });
    lead(
        "verify-email",
        done.map(|()| address(Page::VerifyEmail.path(), &[("done", "1")])),
        &back,
        std::collections::BTreeMap::new(),
    )
}

/// Resends the link that verifies the address, and leads to `next`.
#[server(prefix = "/ui", endpoint = "auth/me/verification", input = PostUrl)]
pub async fn send_verification(#[server(default)] next: String) -> Result<String, UiError> {
    use super::server::{actor, lead, local_or_home, placet, refuse};
    let asked = match actor() {
        Ok(actor) => placet()?.auth.ask_verification(actor).await.map_err(refuse),
        Err(error) => Err(error),
    };
    lead(
        "verification",
        asked.map(|()| local_or_home(&next).to_owned()),
        Page::Account.path(),
        std::collections::BTreeMap::new(),
    )
}

/// The invitation behind a mailed link; `None` if it has expired.
#[server(prefix = "/ui", endpoint = "auth/links/invitation", input = Json)]
pub async fn read_invitation(token: String) -> Result<Option<Invitation>, UiError> {
    use super::server::{placet, refuse};
    match placet()?.auth.read_invitation(&token).await {
        Ok(invited) => Ok(Some(Invitation {
            email: invited.email,
            to_project: invited.project_id.is_some(),
            name: invited.name,
            role: invited.role,
            invited_by: invited.invited_by,
            expires_at: invited.expires_at.millis(),
        })),
        Err(service::Error::NotFound) => Ok(None),
        Err(error) => Err(refuse(error)),
    }
}

/// Accepts an invitation and leads to what one was invited to.
#[server(prefix = "/ui", endpoint = "auth/invitation/accept", input = PostUrl)]
pub async fn accept_invitation(#[server(default)] token: String) -> Result<String, UiError> {
    use super::server::{actor, lead, placet, refuse};
    let back = address(Page::Invitation.path(), &[("token", &token)]);
    let accepted = match actor() {
        Ok(actor) => placet()?
            .auth
            .accept_invitation(actor, &token)
            .await
            .map_err(refuse),
        Err(error) => Err(error),
    };
    let next = accepted.map(
        |invited| match (invited.project_id, invited.organization_id) {
            (Some(project), _) => Page::Overview.at(&[&project]),
            (None, Some(organization)) => Page::Organization.at(&[&organization]),
            (None, None) => Page::Projects.path().to_owned(),
        },
    );
    lead("invitation", next, &back, std::collections::BTreeMap::new())
}
