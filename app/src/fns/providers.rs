//! OpenID Connect providers that sign in here.

use serde::{Deserialize, Serialize};

/// A provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// Stands in addresses.
    pub name: String,
    /// For people.
    pub title: String,
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use service::Placet;

    use super::Provider;

    pub fn providers(placet: &Placet) -> Vec<Provider> {
        placet
            .auth
            .oidc_providers()
            .into_iter()
            .map(|provider| Provider {
                name: provider.name,
                title: provider.title,
            })
            .collect()
    }

    /// The title of a provider; its name if it is no longer configured.
    pub fn title(providers: &[Provider], name: &str) -> String {
        let known = providers.iter().find(|provider| provider.name == name);
        known.map_or_else(|| name.to_owned(), |provider| provider.title.clone())
    }
}
