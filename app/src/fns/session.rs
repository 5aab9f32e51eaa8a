//! Signing up, in and out; the account; look and language. The forms among them work without
//! script: they redirect, and keep what was typed for the page that they lead back to.

#[cfg(feature = "ssr")]
use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos::server_fn::codec::{Json, PostUrl};
use serde::{Deserialize, Serialize};

use super::holdings::Keep;
use crate::error::UiError;
use crate::map::Page;

/// The signed-in person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    pub id: String,
    pub display_name: String,
    pub username: String,
    pub email: String,
    /// True once the address is confirmed.
    pub email_verified: bool,
    /// The address that takes its place once it is verified.
    pub pending_email: Option<String>,
    /// The letters that the person wants: about concerns of projects, and on Mondays.
    pub concern_letters: bool,
    pub digest_letters: bool,
}

/// The secret of the invitation that a path leads to.
pub fn invitation_of(path: &str) -> Option<&str> {
    path.strip_prefix(Page::Invitation.path())?
        .strip_prefix("?token=")
}

/// Signs in, with a code or the browser's answer for a passkey where the account has a second factor; answers with
/// the path to go to.
#[server(prefix = "/ui", endpoint = "sign-in", input = PostUrl)]
pub async fn sign_in(
    username: String,
    password: String,
    #[server(default)] code: String,
    #[server(default)] passkey: String,
    #[server(default)] next: String,
) -> Result<String, UiError> {
    use super::server::{device, placet, refuse};
    let typed = [("username", username.clone())];
    let passkey = serde_json::from_str(&passkey).ok();
    let code = Some(code).filter(|code| !code.trim().is_empty());
    let input = service::auth::SignInIn {
        username,
        password,
        code,
        passkey,
    };
    let session = placet()?
        .auth
        .sign_in(input, &device())
        .await
        .map_err(refuse);
    enter(Page::SignIn, session, &next, typed.into())
}

/// Makes an account and signs in.
#[server(prefix = "/ui", endpoint = "sign-up", input = PostUrl)]
pub async fn sign_up(
    #[server(default)] display_name: String,
    username: String,
    email: String,
    password: String,
    #[server(default)] next: String,
) -> Result<String, UiError> {
    use super::passwords::server::judge;
    use super::server::{device, placet, refuse};
    let about = [&*display_name, &*username, &*email];
    let mut password = password;
    let judged = judge(&mut password, "/password", &about).await?;
    let typed = [
        ("displayName", display_name.clone()),
        ("username", username.clone()),
        ("email", email.clone()),
    ];
    let input = service::auth::SignUpIn {
        display_name: Some(display_name).filter(|name| !name.trim().is_empty()),
        username,
        email,
        password,
        invitation: invitation_of(&next).map(str::to_owned),
    };
    let session = placet()?
        .auth
        .sign_up(input, &device())
        .await
        .map_err(|error| judged.in_error(refuse(error)));
    enter(Page::SignUp, session, &next, typed.into())
}

/// Ends the session and leads to the sign-in page, which leads to `next`.
#[server(prefix = "/ui", endpoint = "sign-out", input = PostUrl)]
pub async fn sign_out(#[server(default)] next: String) -> Result<(), UiError> {
    use super::server::{local_or_home, placet, refuse, visitor};
    if let Ok(visitor) = visitor() {
        placet()?.auth.sign_out(&visitor).await.map_err(refuse)?;
    }
    crate::cookies::end_session();
    leptos_axum::redirect(&crate::address::sign_in_path(local_or_home(&next)));
    Ok(())
}

/// Keeps look or language and leads back.
#[server(prefix = "/ui", endpoint = "preferences", input = PostUrl)]
pub async fn preferences(
    name: String,
    value: String,
    #[server(default)] next: String,
) -> Result<(), UiError> {
    use crate::cookies;
    let known = match name.as_str() {
        "theme" => value.is_empty() || crate::session::Theme::parse(&value).is_some(),
        "language" => crate::i18n::Locale::parse(&value).is_some(),
        _ => false,
    };
    if known {
        let cookie = if name == "theme" {
            cookies::THEME
        } else {
            cookies::LANGUAGE
        };
        cookies::prefer(cookie, &value);
    }
    leptos_axum::redirect(super::server::local_or_home(&next));
    Ok(())
}

/// The signed-in person.
#[server(prefix = "/ui", endpoint = "account", input = Json)]
pub async fn read_account() -> Result<Account, UiError> {
    use super::server::{actor, placet, refuse};
    placet()?
        .auth
        .me(actor()?)
        .await
        .map(Account::from)
        .map_err(refuse)
}

/// Changes the name, and asks for another e-mail address if one is given.
#[server(prefix = "/ui", endpoint = "account/update", input = Json)]
pub async fn update_account(
    display_name: String,
    email: Option<String>,
    present_password: Option<String>,
) -> Result<Account, UiError> {
    use super::server::{placet, refuse, visitor};
    let profile = service::auth::ProfileIn {
        display_name,
        username: None,
        email,
        present_password,
        concern_letters: None,
        digest_letters: None,
    };
    placet()?
        .auth
        .update_me(&visitor()?, profile)
        .await
        .map(Account::from)
        .map_err(refuse)
}

/// Changes the letters that the person wants.
#[server(prefix = "/ui", endpoint = "account/letters", input = Json)]
pub async fn choose_letters(concerns: bool, digest: bool) -> Result<Account, UiError> {
    use super::server::{actor, placet, refuse, visitor};
    let auth = &placet()?.auth;
    let profile = service::auth::ProfileIn {
        display_name: auth.me(actor()?).await.map_err(refuse)?.display_name,
        username: None,
        email: None,
        present_password: None,
        concern_letters: Some(concerns),
        digest_letters: Some(digest),
    };
    let changed = auth.update_me(&visitor()?, profile).await;
    changed.map(Account::from).map_err(refuse)
}

/// Keeps the present address and forgets the pending one.
#[server(prefix = "/ui", endpoint = "account/keep-email", input = PostUrl)]
pub async fn keep_email() -> Result<String, UiError> {
    use super::server::{actor, lead, placet, refuse};
    let kept = match actor() {
        Ok(actor) => placet()?.auth.keep_email(actor).await.map_err(refuse),
        Err(error) => Err(error),
    };
    let page = Page::Account.path();
    lead(
        "keep-email",
        kept.map(|()| page.to_owned()),
        page,
        BTreeMap::new(),
    )
}

/// Changes the password, which ends every other session and what is not kept, and renews this one.
#[server(prefix = "/ui", endpoint = "account/password", input = Json)]
pub async fn change_password(
    password: String,
    new_password: String,
    #[server(default)] keep: Keep,
) -> Result<(), UiError> {
    use super::passwords::server::judge;
    use super::server::{device, placet, refuse, visitor};
    let mut new_password = new_password;
    let judged = judge(&mut new_password, "/newPassword", &[]).await?;
    let input = service::auth::PasswordIn {
        password,
        new_password,
        keep: keep.into(),
    };
    let session = placet()?
        .auth
        .change_password(&visitor()?, input, &device())
        .await
        .map_err(|error| judged.in_error(refuse(error)))?;
    crate::cookies::start_session(&session.token, service::auth::TOKEN_DAYS * 86_400);
    Ok(())
}

#[cfg(feature = "ssr")]
impl From<service::auth::User> for Account {
    fn from(user: service::auth::User) -> Self {
        Self {
            id: user.id.to_string(),
            display_name: user.display_name,
            username: user.username,
            email: user.email,
            email_verified: user.email_verified,
            pending_email: user.pending_email,
            concern_letters: user.concern_letters,
            digest_letters: user.digest_letters,
        }
    }
}

/// Ends a sign-in or sign-up: with the session and the way on, or back to the form.
#[cfg(feature = "ssr")]
fn enter(
    page: Page,
    session: Result<service::auth::Session, UiError>,
    next: &str,
    typed: BTreeMap<&str, String>,
) -> Result<String, UiError> {
    let next = super::server::local_or_home(next);
    if let Ok(session) = &session {
        crate::cookies::start_session(&session.token, service::auth::TOKEN_DAYS * 86_400);
    }
    let back = crate::address::with_next(page.path(), next);
    // The form is named after its page.
    let form = page.path().trim_start_matches('/');
    super::server::lead(form, session.map(|_| next.to_owned()), &back, typed)
}
