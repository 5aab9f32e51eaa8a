//! API keys of the person, for programs.

use domain::scope::Scope;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;

/// A key without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    pub id: String,
    pub name: String,
    /// First characters of the key.
    pub prefix: String,
    pub scopes: Vec<Scope>,
    /// Titles of the projects that it reaches; `None` for all of the person's.
    pub projects: Option<Vec<String>>,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
    pub expires_at: Option<i64>,
}

/// A key to make.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyWish {
    pub name: String,
    pub scopes: Vec<Scope>,
    /// True if it reaches all of the person's projects, also later ones.
    pub all_projects: bool,
    /// Ids of the projects that it reaches otherwise.
    pub projects: Vec<String>,
    /// Days until it expires; `None` for never.
    pub days: Option<u32>,
}

/// Orders of keys besides the usual one, the latest first.
pub const BY_NAME: &str = "name";
pub const BY_USE: &str = "used";

/// The person's keys, and how many there are without the search, which finds words of names and of projects.
#[server(prefix = "/ui", endpoint = "account/keys", input = Json)]
pub async fn list_keys(listing: Listing) -> Result<(Vec<KeyRow>, u64), UiError> {
    server::list(&listing).await
}

/// Makes a key; answers with its secret, which is shown this once.
#[server(prefix = "/ui", endpoint = "account/keys/make", input = Json)]
pub async fn make_key(wish: KeyWish) -> Result<String, UiError> {
    server::make(wish).await
}

/// Revokes a key.
#[server(prefix = "/ui", endpoint = "account/keys/revoke", input = Json)]
pub async fn revoke_key(key: String) -> Result<(), UiError> {
    use super::server::{actor, id, placet, refuse};
    placet()?
        .auth
        .revoke_key(actor()?, id(&key)?)
        .await
        .map_err(refuse)
}

#[cfg(feature = "ssr")]
mod server {
    use std::cmp::Reverse;
    use std::collections::BTreeSet;

    use domain::collection::Collection;
    use domain::error_code::ErrorCode;
    use service::auth::KeyIn;
    use uuid::Uuid;

    use super::super::documents::server::titles;
    use super::super::server::{actor, id, placet, refuse, visitor};
    use super::{BY_NAME, BY_USE, KeyRow, KeyWish, Listing};
    use crate::error::UiError;

    pub async fn list(listing: &Listing) -> Result<(Vec<KeyRow>, u64), UiError> {
        let keys = placet()?.auth.keys(actor()?).await.map_err(refuse)?;
        let named = keys
            .iter()
            .filter_map(|key| key.projects.as_ref())
            .flatten();
        let named: BTreeSet<Uuid> = named.copied().collect();
        let known = titles(Collection::Projects, named).await?;
        // Of a project that the person has lost access to only the id is known.
        let title = |id: &Uuid| known.get(id).cloned().unwrap_or_else(|| id.to_string());
        let rows = keys.into_iter().map(|key| KeyRow {
            id: key.id.to_string(),
            name: key.name,
            prefix: key.prefix,
            scopes: key.scopes,
            projects: key
                .projects
                .map(|projects| projects.iter().map(title).collect()),
            created_at: key.created_at.millis(),
            last_used_at: key.last_used_at.map(service::clock::Timestamp::millis),
            expires_at: key.expires_at.map(service::clock::Timestamp::millis),
        });
        let mut rows: Vec<KeyRow> = rows.collect();
        let all = rows.len() as u64;
        rows.retain(|key| {
            let projects = key.projects.iter().flatten().map(String::as_str);
            let names = [key.name.as_str(), &key.prefix].into_iter().chain(projects);
            service::search::fits(&listing.text, names)
        });
        match listing.sort.as_str() {
            BY_NAME => rows.sort_by_cached_key(|key| service::search::fold(&key.name)),
            BY_USE => rows.sort_by_key(|key| Reverse(key.last_used_at)),
            Listing::OLDEST => rows.sort_by_key(|key| key.created_at),
            _ => {}
        }
        Ok((rows, all))
    }

    pub async fn make(wish: KeyWish) -> Result<String, UiError> {
        let placet = placet()?;
        let projects = wish
            .projects
            .iter()
            .map(|project| id(project))
            .collect::<Result<Vec<Uuid>, UiError>>()?;
        let none_chosen = projects.is_empty();
        let now = placet.config.clock.now();
        let input = KeyIn {
            name: wish.name,
            scopes: wish.scopes,
            projects: (!wish.all_projects).then_some(projects),
            expires_at: wish.days.map(|days| now.plus_days(i64::from(days))),
        };
        let made = placet.auth.make_key(&visitor()?, input).await;
        made.map(|made| made.secret).map_err(|error| {
            let mut error = refuse(error);
            if let UiError::Invalid { fields } = &mut error {
                for field in fields.iter_mut().filter(|_| none_chosen) {
                    if field.pointer == "/projects" {
                        field.code = ErrorCode::Required;
                    }
                }
            }
            error
        })
    }
}
