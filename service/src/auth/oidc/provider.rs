//! A configured provider: requests to it and the checks of its answers (`openidconnect`).

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, RwLock},
};

use futures::future::BoxFuture;
use openidconnect::{
    AccessTokenHash, AsyncHttpClient, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    HttpRequest, HttpResponse, IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, Scope, TokenResponse,
    core::{
        CoreAuthenticationFlow, CoreClient, CoreIdTokenClaims, CoreJwsSigningAlgorithm,
        CoreProviderMetadata, CoreUserInfoClaims,
    },
};
use serde::Deserialize;
use url::Url;

use super::ProviderOut;
use crate::{
    clock::Timestamp,
    error::{Error, Result},
    outbound::{Outbound, OutboundError},
};

/// Time for which a provider's metadata are used.
const FRESH_SECONDS: i64 = 300;
/// Longest answer of a provider.
const MOST_BYTES: usize = 1024 * 1024;
/// Longest `code` and subject that are accepted.
const LONGEST: usize = 4096;
const LONGEST_SUBJECT: usize = 255;
/// Difference between the clocks of a provider and this server that is forgiven.
const SKEW: chrono::TimeDelta = chrono::TimeDelta::minutes(5);

/// A provider as the operator configures it.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OidcProvider {
    /// Stands in addresses: lower-case letters, digits, `-`.
    pub name: String,
    /// Title for people; the name when absent.
    #[serde(default)]
    pub title: Option<String>,
    /// The issuer, exactly as the provider writes it.
    pub issuer: String,
    /// The client id that the provider gave us.
    pub client_id: String,
    /// The client secret that the provider gave us; absent for public clients.
    #[serde(default)]
    pub client_secret: Option<String>,
    /// Scopes besides `openid`; `email` and `profile` when absent.
    #[serde(default)]
    pub scopes: Option<Vec<String>>,
    /// Treats addresses as verified where the provider does not say so (`email_verified` is absent).
    #[serde(default)]
    pub trust_email: bool,
}

impl std::fmt::Debug for OidcProvider {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "OidcProvider({} at {})", self.name, self.issuer)
    }
}

impl OidcProvider {
    /// Reads a JSON array of providers.
    pub fn parse(json: &str) -> std::result::Result<Vec<Self>, String> {
        let providers: Vec<Self> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let mut names = BTreeSet::new();
        for provider in &providers {
            let name = &provider.name;
            let plain = (1..=32).contains(&name.len())
                && name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            if !plain || name == "local" || !names.insert(name) {
                return Err(format!(
                    "`{name}`: each provider needs a name of its own, of small letters, digits and -, not `local`"
                ));
            }
            if !domain::format::is_http_url(&provider.issuer) || provider.client_id.is_empty() {
                return Err(format!(
                    "`{name}` needs the issuer's address and a clientId"
                ));
            }
        }
        Ok(providers)
    }
}

/// The trusted claims about a person.
pub(super) struct Claims {
    pub subject: String,
    pub email: Option<String>,
    pub email_verified: bool,
    pub name: Option<String>,
    pub username: Option<String>,
}

impl Claims {
    fn new(provider: &OidcProvider, believed: &CoreIdTokenClaims) -> Self {
        let name = believed.name().and_then(|name| name.get(None));
        Self {
            subject: believed.subject().to_string(),
            email: believed.email().map(|email| email.to_string()),
            email_verified: believed.email_verified().unwrap_or(provider.trust_email),
            name: name.map(|name| name.to_string()),
            username: believed.preferred_username().map(|name| name.to_string()),
        }
    }

    /// Takes the address from the userinfo endpoint, and the names that the ID token lacks.
    fn complete(&mut self, provider: &OidcProvider, info: &CoreUserInfoClaims) {
        self.email = info.email().map(|email| email.to_string());
        self.email_verified = info.email_verified().unwrap_or(provider.trust_email);
        if self.name.is_none() {
            let name = info.name().and_then(|name| name.get(None));
            self.name = name.map(|name| name.to_string());
        }
        if self.username.is_none() {
            self.username = info.preferred_username().map(|name| name.to_string());
        }
    }
}

pub(in crate::auth) struct Providers {
    list: Vec<OidcProvider>,
    base_url: String,
    outbound: Outbound,
    known: RwLock<HashMap<String, (Timestamp, Arc<CoreProviderMetadata>)>>,
}

/// Signatures alone: `none` proves nothing, and with HMAC everybody who knows the client secret could sign.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// Adapts the guarded client to `openidconnect`.
struct Http(Outbound);

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = OutboundError;
    type Future = BoxFuture<'c, std::result::Result<HttpResponse, OutboundError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.0.exchange(request, MOST_BYTES))
    }
}

/// Builds the client of a provider. It is a macro because the type says which endpoints are known.
macro_rules! client {
    ($self:expr, $provider:expr, $metadata:expr) => {
        CoreClient::from_provider_metadata(
            CoreProviderMetadata::clone($metadata),
            ClientId::new($provider.client_id.clone()),
            $provider.client_secret.clone().map(ClientSecret::new),
        )
        .set_redirect_uri(
            RedirectUrl::new(format!(
                "{}/v1/auth/oidc/{}/callback",
                $self.base_url, $provider.name
            ))
            .map_err(Error::internal)?,
        )
    };
}

impl Providers {
    /// The issuers' own hosts may be private, because the operator named them. Other hosts that their
    /// metadata name must be public, or allowed by `outbound_allow`.
    pub(in crate::auth) fn new(
        list: Vec<OidcProvider>,
        base_url: String,
        mut allowed: Vec<String>,
    ) -> Result<Self> {
        allowed.extend(list.iter().filter_map(|provider| {
            let url = Url::parse(&provider.issuer).ok()?;
            Some(url.host_str()?.trim_matches(['[', ']']).to_owned())
        }));
        Ok(Self {
            list,
            base_url,
            outbound: Outbound::new(allowed).map_err(Error::internal)?,
            known: RwLock::default(),
        })
    }

    pub(super) fn list(&self) -> Vec<ProviderOut> {
        let out = |provider: &OidcProvider| ProviderOut {
            name: provider.name.clone(),
            title: provider
                .title
                .clone()
                .unwrap_or_else(|| provider.name.clone()),
        };
        self.list.iter().map(out).collect()
    }

    pub(super) fn get(&self, name: &str) -> Option<&OidcProvider> {
        self.list.iter().find(|provider| provider.name == name)
    }

    /// Asks each provider for its metadata.
    pub(in crate::auth) async fn reach_each(&self, now: Timestamp) -> Vec<(String, Result<()>)> {
        let mut tried = Vec::with_capacity(self.list.len());
        for provider in &self.list {
            let reached = self.metadata(provider, now).await.map(drop);
            tried.push((provider.name.clone(), reached));
        }
        tried
    }

    async fn metadata(
        &self,
        provider: &OidcProvider,
        now: Timestamp,
    ) -> Result<Arc<CoreProviderMetadata>> {
        let cached = self
            .known
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .get(&provider.name)
            .filter(|(at, _)| *at > now.plus_seconds(-FRESH_SECONDS))
            .map(|(_, metadata)| metadata.clone());
        if let Some(metadata) = cached {
            return Ok(metadata);
        }
        let issuer = IssuerUrl::new(provider.issuer.clone()).map_err(Error::internal)?;
        let http = Http(self.outbound.clone());
        // This refuses metadata of another issuer.
        let metadata = CoreProviderMetadata::discover_async(issuer, &http)
            .await
            .map_err(|error| away(provider, &error))?;
        let metadata = Arc::new(metadata);
        self.known
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .insert(provider.name.clone(), (now, metadata.clone()));
        Ok(metadata)
    }

    /// Address to send the browser to, and the PKCE verifier to keep.
    pub(super) async fn authorize(
        &self,
        provider: &OidcProvider,
        state: &str,
        nonce: &str,
        now: Timestamp,
    ) -> Result<(String, String)> {
        let metadata = self.metadata(provider, now).await?;
        let client = client!(self, provider, &metadata);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (state, nonce) = (state.to_owned(), nonce.to_owned());
        let usual = || vec!["email".to_owned(), "profile".to_owned()];
        let scopes = provider.scopes.clone().unwrap_or_else(usual);
        let (url, _, _) = client
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                || CsrfToken::new(state),
                || Nonce::new(nonce),
            )
            .add_scopes(scopes.into_iter().map(Scope::new))
            .set_pkce_challenge(challenge)
            .url();
        Ok((url.into(), verifier.into_secret()))
    }

    /// Exchanges the code for claims. Returns `None` if a check fails.
    pub(super) async fn claims(
        &self,
        provider: &OidcProvider,
        code: String,
        verifier: String,
        nonce: &str,
        now: Timestamp,
    ) -> Result<Option<Claims>> {
        if code.len() > LONGEST {
            return Ok(None);
        }
        let metadata = self.metadata(provider, now).await?;
        let client = client!(self, provider, &metadata);
        let http = Http(self.outbound.clone());
        let tokens = client
            .exchange_code(AuthorizationCode::new(code))
            .map_err(Error::internal)?
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request_async(&http)
            .await;
        let tokens = match tokens {
            Ok(tokens) => tokens,
            Err(openidconnect::RequestTokenError::Request(error)) => {
                return Err(away(provider, &error));
            }
            Err(error) => return Ok(distrust(provider, &error)),
        };
        let Some(id_token) = tokens.id_token() else {
            return Ok(distrust(provider, &"no ID token"));
        };
        let believed = {
            let moment = chrono::DateTime::from_timestamp_millis(now.millis())
                .ok_or_else(|| Error::internal("a time out of range"))?;
            let checks = client
                .id_token_verifier()
                .set_allowed_algs(ALGORITHMS)
                .set_time_fn(move || moment)
                .set_issue_time_verifier_fn(move |issued| {
                    if issued > moment + SKEW {
                        return Err(format!("issued at {issued}, which has not come yet"));
                    }
                    Ok(())
                });
            // Checks signature, issuer, audience, times and nonce.
            let believed = match id_token.claims(&checks, &Nonce::new(nonce.to_owned())) {
                Ok(claims) => claims,
                Err(error) => return Ok(distrust(provider, &error)),
            };
            // The library leaves this claim to us.
            let authorized = believed.authorized_party();
            if authorized.is_some_and(|party| **party != provider.client_id) {
                return Ok(distrust(provider, &"issued to another client"));
            }
            if let Some(expected) = believed.access_token_hash() {
                let key = match id_token.signing_key(&checks) {
                    Ok(key) => key,
                    Err(error) => return Ok(distrust(provider, &error)),
                };
                let actual =
                    id_token
                        .signing_alg()
                        .map_err(Error::internal)
                        .and_then(|algorithm| {
                            AccessTokenHash::from_token(tokens.access_token(), algorithm, key)
                                .map_err(Error::internal)
                        })?;
                if actual != *expected {
                    return Ok(distrust(provider, &"another access token"));
                }
            }
            believed
        };
        let subject = believed.subject().clone();
        if subject.is_empty() || subject.len() > LONGEST_SUBJECT {
            return Ok(distrust(provider, &"the subject's length"));
        }
        let mut claims = Claims::new(provider, believed);
        // Many providers tell the address only at the userinfo endpoint.
        if claims.email.is_none()
            && let Ok(request) = client.user_info(tokens.access_token().clone(), Some(subject))
        {
            let info: std::result::Result<CoreUserInfoClaims, _> =
                request.request_async(&http).await;
            match info {
                Ok(info) => claims.complete(provider, &info),
                Err(error) => return Ok(distrust(provider, &error)),
            }
        }
        Ok(Some(claims))
    }
}

/// The provider is unreachable or gives an invalid answer.
fn away(provider: &OidcProvider, error: &dyn std::error::Error) -> Error {
    tracing::warn!(
        provider = provider.name,
        cause = words(error),
        "the provider cannot be asked"
    );
    Error::Unavailable
}

/// Logs the reason and keeps it from the caller, who learns nothing from a failed login.
fn distrust<T>(provider: &OidcProvider, cause: &dyn std::fmt::Display) -> Option<T> {
    tracing::warn!(provider = provider.name, %cause, "a login was refused");
    None
}

fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text = format!("{text}: {source}");
        cause = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_read_precisely_and_never_print_their_secret() {
        let good = r#"[{"name": "company", "issuer": "https://login.example", "clientId": "placet", "clientSecret": "hush"}]"#;
        let providers = OidcProvider::parse(good).unwrap();
        assert!(!format!("{providers:?}").contains("hush"));
        for bad in [
            r#"[{"name": "local", "issuer": "https://login.example", "clientId": "p"}]"#,
            r#"[{"name": "A", "issuer": "https://login.example", "clientId": "p"}]"#,
            r#"[{"name": "a", "issuer": "login.example", "clientId": "p"}]"#,
            r#"[{"name": "a", "issuer": "https://login.example", "clientId": ""}]"#,
            r#"[{"name": "a", "issuer": "https://login.example", "clientId": "p", "secret": "x"}]"#,
            r#"[{"name": "a", "issuer": "https://a.example", "clientId": "p"}, {"name": "a", "issuer": "https://b.example", "clientId": "p"}]"#,
        ] {
            assert!(OidcProvider::parse(bad).is_err(), "{bad}");
        }
    }
}
