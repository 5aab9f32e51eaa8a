//! Tokens that a site signs. A signed token is the token, a dot, and the HMAC-SHA256 of the token
//! under the project's secret (`tokenSecret`) in lower-case hexadecimal.

use domain::error_code::ErrorCode;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::{Error, Result};

/// Bytes of a signature.
const SIGNATURE: usize = 32;

/// Which tokens a project takes.
#[derive(Default)]
pub(super) struct Tokens {
    secret: Option<String>,
}

impl Tokens {
    /// Takes signed tokens alone if there is a secret, and all tokens otherwise.
    pub(super) fn new(secret: Option<String>) -> Self {
        Self { secret }
    }

    /// True if the token carries a correct signature.
    pub(super) fn signed(&self, token: &str) -> bool {
        let Some(secret) = &self.secret else {
            return false;
        };
        let Some((name, signature)) = token.rsplit_once('.') else {
            return false;
        };
        let Some(signature) = bytes(signature).filter(|_| !name.is_empty()) else {
            return false;
        };
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
            return false;
        };
        mac.update(name.as_bytes());
        // Compares in constant time.
        mac.verify_slice(&signature).is_ok()
    }

    /// Refuses a token that should be signed and is not. Returns true for signed tokens.
    pub(super) fn check(&self, token: &str) -> Result<bool> {
        let signed = self.signed(token);
        if self.secret.is_some() && !signed {
            return Err(Error::forbidden(
                ErrorCode::UnsignedToken,
                "This project takes signed tokens only: `<token>.<HMAC-SHA256 of it, in hex>`.",
            ));
        }
        Ok(signed)
    }
}

/// The bytes of a signature; in one form only, so that a token has one name.
fn bytes(text: &str) -> Option<[u8; SIGNATURE]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let pairs: &[[u8; 2]; SIGNATURE] = pairs.try_into().ok()?;
    let mut bytes = [0; SIGNATURE];
    for (to, [high, low]) in bytes.iter_mut().zip(pairs) {
        *to = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By Python: `hmac.new(b"0123456789abcdef", b"customer-42", "sha256").hexdigest()`.
    const SIGNED: &str =
        "customer-42.08784800cc1101f6f73149fe5cce052ad77b45908e76d9411a7239646ee8a310";

    #[test]
    fn a_token_is_signed_by_its_last_part() {
        let tokens = Tokens::new(Some("0123456789abcdef".to_owned()));
        assert_eq!(tokens.check(SIGNED).ok(), Some(true));
        let (name, signature) = SIGNED.split_once('.').unwrap();
        for wrong in [
            name.to_owned(),
            format!("{name}."),
            format!(".{signature}"),
            format!("customer-43.{signature}"),
            format!("{name}.x.{signature}"),
            format!("{name}.{}", signature.to_uppercase()),
            SIGNED[..SIGNED.len() - 1].to_owned(),
            SIGNED[..SIGNED.len() - 2].to_owned(),
            format!("{SIGNED}00"),
            format!("{name}.{}", "0".repeat(64)),
            "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f".to_owned(),
            String::new(),
        ] {
            assert!(
                matches!(
                    tokens.check(&wrong),
                    Err(Error::Forbidden {
                        code: ErrorCode::UnsignedToken,
                        ..
                    })
                ),
                "{wrong}"
            );
        }
    }

    #[test]
    fn without_a_secret_every_token_is_taken_and_none_is_signed() {
        assert_eq!(Tokens::default().check(SIGNED).ok(), Some(false));
        assert_eq!(Tokens::default().check("t").ok(), Some(false));
    }
}
