//! API keys for programs. A key has its owner's roles, narrowed by scopes and optionally to some projects.
//!
//! The secret is random, shown once and stored as a hash. [`crate::access`] decides what a key may do.

pub(super) mod store;

use domain::{error_code::ErrorCode, field_error::FieldError};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Auth, Authenticated, checks, secrets};
use crate::{
    access::{self, Actor, Key, Scope, Scopes},
    clock::Timestamp,
    error::{Error, Result},
};

/// Prefix of every key. No access token begins with it.
const MARK: &str = "placet_";
/// Characters of a key that lists show, so that its owner recognises it.
const SHOWN: usize = MARK.len() + 6;
/// Length of a key: the mark and 32 bytes in base64url.
const LENGTH: usize = MARK.len() + 43;
/// Keys that a user may have.
const MOST_KEYS: usize = 100;
/// Projects that a key may be limited to.
const MOST_PROJECTS: usize = 100;
/// Characters of a name.
const MOST_NAME: usize = 100;
/// Shortest time between two updates of a key's last use.
const NOTED_SECONDS: i64 = 60;

/// A key to make.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyIn {
    /// Its purpose, in the user's words.
    #[schema(example = "Newsletter export")]
    pub name: String,
    /// Its permissions; at least one.
    pub scopes: Vec<Scope>,
    /// Projects that it reaches; all of the user's when absent.
    #[serde(default)]
    pub projects: Option<Vec<Uuid>>,
    /// When it ends by itself; never when absent.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

/// A key without its secret.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// Id.
    pub id: Uuid,
    /// Its purpose, in the user's words.
    #[schema(example = "Nightly export")]
    pub name: String,
    /// Its first characters.
    #[schema(example = "placet_Zm9vYm")]
    pub prefix: String,
    /// Its permissions.
    pub scopes: Vec<Scope>,
    /// Projects that it reaches; null for all of the user's.
    pub projects: Option<Vec<Uuid>>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Last used, to within a minute; null if never.
    pub last_used_at: Option<Timestamp>,
    /// When it ends by itself; null for never.
    pub expires_at: Option<Timestamp>,
}

/// A new key with its secret, which is shown this once.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyMade {
    /// The key.
    #[serde(flatten)]
    pub key: ApiKey,
    /// The bearer token that programs send. It is not stored and cannot be shown again.
    #[schema(example = "placet_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4")]
    pub secret: String,
}

/// True if the token has the form of an API key.
pub(super) fn is_key(token: &str) -> bool {
    token.starts_with(MARK)
}

impl Auth {
    /// Makes a key. A key cannot make another one.
    pub async fn make_key(&self, caller: &Authenticated, input: KeyIn) -> Result<KeyMade> {
        let actor = caller.actor();
        actor.user()?;
        let now = self.clock.now();
        let mut errors = Vec::new();
        let name = checks::name(&input.name, MOST_NAME).unwrap_or_else(|error| {
            errors.push(error);
            ""
        });
        if input.scopes.is_empty() {
            errors.push(FieldError::new(
                "/scopes",
                ErrorCode::Required,
                "At least one scope.",
            ));
        }
        if input.expires_at.is_some_and(|ends| ends <= now) {
            errors.push(FieldError::new(
                "/expiresAt",
                ErrorCode::InvalidValue,
                "A time to come.",
            ));
        }
        let mut projects = input.projects.clone();
        if let Some(projects) = &mut projects {
            if projects.is_empty() || projects.len() > MOST_PROJECTS {
                errors.push(FieldError::new(
                    "/projects",
                    ErrorCode::InvalidValue,
                    format!("1 to {MOST_PROJECTS} projects."),
                ));
                projects.truncate(MOST_PROJECTS);
            }
            for (index, project) in projects.iter().enumerate() {
                if access::project_role(&self.db, actor, *project)
                    .await?
                    .is_none()
                {
                    errors.push(FieldError::new(
                        format!("/projects/{index}"),
                        ErrorCode::UnknownProject,
                        "There is no such project, or it is not yours.",
                    ));
                }
            }
            projects.sort_unstable();
            projects.dedup();
        }
        Error::unless_valid(errors)?;
        let secret = format!("{MARK}{}", secrets::make());
        let scopes: Scopes = input.scopes.into_iter().collect();
        let key = ApiKey {
            id: self.ids.next(),
            name: name.to_owned(),
            prefix: secret.get(..SHOWN).unwrap_or_default().to_owned(),
            scopes: scopes.list(),
            projects,
            created_at: now,
            last_used_at: None,
            expires_at: input.expires_at,
        };
        let mut tx = self.db.begin().await?;
        let user = self.hold(&mut tx, caller).await?;
        if !store::add(&mut tx, user, &key, &secrets::hash(&secret), MOST_KEYS).await? {
            return Err(Error::conflict(
                None,
                ErrorCode::TooManyKeys,
                format!("You have {MOST_KEYS} keys; revoke one first."),
            ));
        }
        tx.commit().await?;
        tracing::info!(user.id = %user, key.id = %key.id, "API key made");
        Ok(KeyMade { key, secret })
    }

    /// The caller's keys, the latest first.
    pub async fn keys(&self, actor: Actor) -> Result<Vec<ApiKey>> {
        Ok(store::list(&self.db, actor.user()?).await?)
    }

    /// Revokes a key of the caller.
    pub async fn revoke_key(&self, actor: Actor, id: Uuid) -> Result<()> {
        let user = actor.user()?;
        if !store::remove(&self.db, user, id).await? {
            return Err(Error::NotFound);
        }
        tracing::info!(user.id = %user, key.id = %id, "API key revoked");
        Ok(())
    }

    /// Checks a key. The lookup by hash takes equally long for every wrong guess.
    pub(super) async fn authenticate_key(&self, secret: &str) -> Result<Authenticated> {
        if secret.len() != LENGTH {
            return Err(Error::Unauthenticated);
        }
        let now = self.clock.now();
        let row = store::by_hash(&self.db, &secrets::hash(secret))
            .await?
            .filter(|row| row.expires_at.is_none_or(|ends| ends > now))
            .ok_or(Error::Unauthenticated)?;
        let stale = now.plus_seconds(-NOTED_SECONDS);
        if row.last_used_at.is_none_or(|last| last < stale)
            && let Err(error) = store::note(&self.db, row.id, now).await
        {
            tracing::debug!(%error, "the use of a key was not noted");
        }
        Ok(Authenticated {
            user: row.user_id,
            token_id: row.id,
            expires_at: row.expires_at.unwrap_or(Timestamp(i64::MAX)),
            generation: None,
            key: Some(Key {
                id: row.id,
                user: row.user_id,
                scopes: Scopes::parse(&row.scopes),
                limited: row.limited,
            }),
        })
    }
}
