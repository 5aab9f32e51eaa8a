//! Secrets and signatures after Standard Webhooks (version `v1`: HMAC-SHA256).

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::random;

/// Prefix of a secret when it is shown.
const PREFIX: &str = "whsec_";

/// The key of an endpoint's signatures; never printed.
#[derive(Clone)]
pub(super) struct Secret(pub(super) Vec<u8>);

impl Secret {
    pub(super) fn make() -> Self {
        let mut bytes = vec![0_u8; 32];
        random::fill(&mut bytes);
        Self(bytes)
    }

    /// The form that the owner of the endpoint sees once.
    pub(super) fn shown(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    fn sign(&self, id: &str, timestamp: i64, content: &[u8]) -> String {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key");
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(content);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// The header `webhook-signature`: one signature for each secret that is valid.
pub(super) fn header(secrets: &[Secret], id: &str, timestamp: i64, content: &[u8]) -> String {
    let signatures: Vec<String> = secrets
        .iter()
        .map(|secret| secret.sign(id, timestamp, content))
        .collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_the_libraries_do() {
        // The expected signature comes from the npm and PyPI libraries and from openssl, which agree.
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = header(
            &[Secret(key.clone()), Secret(key)],
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            b"{\"test\": 2432232314}",
        );
        let one = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature, format!("{one} {one}"));
    }

    #[test]
    fn secrets_are_long_and_distinct() {
        let secret = Secret::make();
        assert_eq!(secret.0.len(), 32);
        assert!(secret.shown().starts_with("whsec_"));
        assert_ne!(secret.shown(), Secret::make().shown());
    }
}
