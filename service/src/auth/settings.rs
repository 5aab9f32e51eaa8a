//! The settings of accounts: how people sign up and sign in.

use super::{door::SignUp, oidc::OidcProvider};

/// Settings of accounts.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Address at which browsers and programs reach this server, without a trailing slash.
    pub base_url: String,
    /// Providers that sign in here.
    pub providers: Vec<OidcProvider>,
    /// Private hosts that providers may have.
    pub outbound_allow: Vec<String>,
    /// Rule for sign-ups.
    pub sign_up: SignUp,
    /// True if the tries about one account are bounded: wrong passwords, letters.
    pub account_limits: bool,
}
