//! Access tokens: JWT (RFC 7519) signed with EdDSA, by keys that rotate.

use std::sync::{Arc, RwLock};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    TOKEN_DAYS,
    keys::{KID_BYTES, Key, Older, SealedKey},
    store,
};
use crate::{
    clock::{SharedClock, Timestamp},
    db::Db,
    error::{Error, Result},
    secret::SecretKey,
};

/// Time for which a key signs before the next one takes over. It verifies tokens for as long again and
/// [`TOKEN_DAYS`] more.
const KEY_DAYS: i64 = 30;
/// Time for which keys in memory are used. Another process may make or end keys meanwhile.
const KNOWN_SECONDS: i64 = 60;
/// Longest token that is parsed.
const LONGEST_TOKEN: usize = 4096;

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: Uuid,
    jti: Uuid,
    iat: i64,
    exp: i64,
    /// Token generation of the account. Raising it revokes every token.
    #[serde(rename = "gen")]
    generation: i64,
}

/// The content of a valid token.
pub(super) struct Verified {
    pub user: Uuid,
    pub token_id: Uuid,
    pub generation: i64,
    pub expires_at: Timestamp,
}

/// A JSON Web Key Set (RFC 7517).
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Jwks {
    /// The keys, newest first.
    pub keys: Vec<Jwk>,
}

/// An Ed25519 public key (RFC 8037).
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Jwk {
    /// Always `OKP`.
    #[schema(example = "OKP")]
    pub kty: &'static str,
    /// Always `Ed25519`.
    #[schema(example = "Ed25519")]
    pub crv: &'static str,
    /// Always `EdDSA`.
    #[schema(example = "EdDSA")]
    pub alg: &'static str,
    /// Always `sig`.
    #[serde(rename = "use")]
    #[schema(example = "sig")]
    pub usage: &'static str,
    /// Names the key in a token's header.
    #[schema(example = "kPrK_qmxVWaYVA9w")]
    pub kid: String,
    /// The public key, base64url.
    #[schema(example = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")]
    pub x: String,
}

pub(super) struct Tokens {
    db: Db,
    clock: SharedClock,
    secret: SecretKey,
    issuer: String,
    /// The keys and the time when they were read.
    keys: RwLock<(Timestamp, Arc<Vec<Key>>)>,
}

impl Tokens {
    pub(super) fn new(db: Db, clock: SharedClock, secret: SecretKey, issuer: String) -> Self {
        Self {
            db,
            clock,
            secret,
            issuer,
            keys: RwLock::new((Timestamp::from_millis(0), Arc::default())),
        }
    }

    pub(super) async fn prepare(&self) -> Result<()> {
        self.signing_key().await.map(drop)
    }

    /// Reads the keys that verify tokens, the newest first.
    async fn load(&self) -> Result<Arc<Vec<Key>>> {
        let oldest = self.clock.now().plus_days(-(2 * KEY_DAYS + TOKEN_DAYS));
        let mut keys = Vec::new();
        for sealed in store::keys(&self.db, oldest).await? {
            let kid = sealed.kid.clone();
            keys.push(sealed.open(&self.secret).ok_or_else(|| {
                Error::Internal(format!(
                    "signing key {kid} was sealed with another secret key; \
                     start with the secret key of this database (--secret-key-file)"
                ))
            })?);
        }
        let keys = Arc::new(keys);
        *self
            .keys
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = (self.clock.now(), keys.clone());
        Ok(keys)
    }

    /// The keys as they were at most [`KNOWN_SECONDS`] ago.
    async fn known(&self) -> Result<Arc<Vec<Key>>> {
        let (read_at, keys) = self
            .keys
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone();
        if read_at > self.clock.now().plus_seconds(-KNOWN_SECONDS) {
            Ok(keys)
        } else {
            self.load().await
        }
    }

    /// Number of keys that verify tokens.
    pub(super) async fn count(&self) -> Result<usize> {
        Ok(self.load().await?.len())
    }

    fn fresh(&self, keys: &[Key]) -> Option<Key> {
        let due = self.clock.now().plus_days(-KEY_DAYS);
        keys.first().filter(|key| key.created_at > due).cloned()
    }

    async fn signing_key(&self) -> Result<Key> {
        if let Some(key) = self.fresh(&self.known().await?) {
            return Ok(key);
        }
        // Another process may have made the next one already.
        if let Some(key) = self.fresh(&self.load().await?) {
            return Ok(key);
        }
        let keys = self.rotate(Older::Stay).await?;
        let newest = keys.first().cloned();
        newest.ok_or_else(|| Error::internal("no signing key"))
    }

    /// Makes the next signing key and returns all keys that verify tokens, the newest first.
    pub(super) async fn rotate(&self, older: Older) -> Result<Arc<Vec<Key>>> {
        let sealed = SealedKey::generate(&self.secret, self.clock.now());
        store::add_key(&self.db, &sealed, older).await?;
        tracing::info!(key.id = sealed.kid, ?older, "signing key made");
        self.load().await
    }

    pub(super) async fn issue(
        &self,
        user: Uuid,
        token_id: Uuid,
        generation: i64,
    ) -> Result<(String, Timestamp)> {
        let key = self.signing_key().await?;
        let now = self.clock.now();
        let expires_at = Timestamp::from_millis(now.seconds() * 1000).plus_days(TOKEN_DAYS);
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: self.issuer.clone(),
            sub: user,
            jti: token_id,
            iat: now.seconds(),
            exp: expires_at.seconds(),
            generation,
        };
        let header = Header {
            kid: Some(key.kid),
            ..Header::new(Algorithm::EdDSA)
        };
        let token =
            jsonwebtoken::encode(&header, &claims, &key.encoding).map_err(Error::internal)?;
        Ok((token, expires_at))
    }

    pub(super) async fn verify(&self, token: &str) -> Result<Verified> {
        let refuse = |_| Error::Unauthenticated;
        if token.len() > LONGEST_TOKEN {
            return Err(Error::Unauthenticated);
        }
        let header = jsonwebtoken::decode_header(token).map_err(refuse)?;
        let kid = header.kid.ok_or(Error::Unauthenticated)?;
        let find = |keys: &[Key]| keys.iter().find(|key| key.kid == kid).cloned();
        let key = match find(&self.known().await?) {
            Some(key) => key,
            None if is_kid(&kid) => find(&self.load().await?).ok_or(Error::Unauthenticated)?,
            None => return Err(Error::Unauthenticated),
        };
        // Only EdDSA, whatever the header says. The times are checked below with the injected clock.
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.validate_exp = false;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.issuer]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let claims = jsonwebtoken::decode::<Claims>(token, &key.decoding, &validation)
            .map_err(refuse)?
            .claims;
        let expires_at = Timestamp::from_millis(claims.exp.saturating_mul(1000));
        if expires_at <= self.clock.now() {
            return Err(Error::Unauthenticated);
        }
        Ok(Verified {
            user: claims.sub,
            token_id: claims.jti,
            generation: claims.generation,
            expires_at,
        })
    }

    pub(super) async fn jwks(&self) -> Result<Jwks> {
        self.signing_key().await?;
        let keys = self.known().await?;
        Ok(Jwks {
            keys: keys
                .iter()
                .map(|key| Jwk {
                    kty: "OKP",
                    crv: "Ed25519",
                    alg: "EdDSA",
                    usage: "sig",
                    kid: key.kid.clone(),
                    x: URL_SAFE_NO_PAD.encode(&key.public),
                })
                .collect(),
        })
    }
}

/// True if this has the form of a key id. Other strings need no query.
fn is_kid(kid: &str) -> bool {
    // Four characters of base64 stand for three bytes.
    kid.len() == KID_BYTES / 3 * 4
        && kid
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
