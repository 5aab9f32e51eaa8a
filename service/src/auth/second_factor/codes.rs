//! Codes of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds, as all apps read them), and recovery
//! codes.

use totp_rs::{Builder, Secret, Totp};

use crate::{
    auth::secrets,
    clock::Timestamp,
    error::{Error, Result},
    random,
};

/// Recovery codes of an account.
const RECOVERY_CODES: usize = 10;
/// Makes a secret of 160 random bits (RFC 4226, section 4).
pub(super) fn secret() -> [u8; 20] {
    let mut secret = [0; 20];
    random::fill(&mut secret);
    secret
}

/// The codes of a secret. `account` and `issuer` name it in the app.
pub(super) fn app(secret: &[u8], account: &str, issuer: &str) -> Result<Totp> {
    // The address of a secret has a colon between the two.
    let plain = |name: &str| name.replace(':', " ");
    Builder::new()
        .with_secret(secret.to_vec())
        .with_account_name(plain(account))
        .with_issuer(Some(plain(issuer)))
        .build()
        .map_err(Error::internal)
}

/// The time step of a code that is right now, or was or will be in 30 seconds: clocks of phones differ.
pub(super) fn time_step(app: &Totp, code: &str, now: Timestamp) -> Option<i64> {
    let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let step = app.check(&digits, now.seconds().unsigned_abs())?;
    i64::try_from(step).ok()
}

/// Makes recovery codes of 80 random bits in base32 (RFC 4648, section 6), such as `mzxw-6ytb-oi4d-gnbv`.
pub(super) fn recovery() -> Vec<String> {
    let code = || {
        let mut bytes = [0; 10];
        random::fill(&mut bytes);
        let letters = Secret::new(bytes.into()).to_base32().to_ascii_lowercase();
        let letters: Vec<char> = letters.chars().collect();
        let groups = letters.chunks(4).map(|group| group.iter().collect());
        groups.collect::<Vec<String>>().join("-")
    };
    std::iter::repeat_with(code).take(RECOVERY_CODES).collect()
}

/// The stored form of a recovery code as it was typed.
pub(super) fn recovery_hash(code: &str) -> Vec<u8> {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    secrets::hash(&letters.collect::<String>().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6238, appendix B, for SHA-1, with the last six of its eight digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let app = app(b"12345678901234567890", "ada", "Placet").unwrap();
        let at = |seconds: i64| Timestamp(0).plus_seconds(seconds);
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let own = Some(seconds / 30);
            assert_eq!(time_step(&app, code, at(seconds)), own);
            assert_eq!(time_step(&app, code, at(seconds + 30)), own);
            assert_eq!(time_step(&app, code, at(seconds - 30)), own);
            assert_eq!(time_step(&app, code, at(seconds + 90)), None);
        }
        assert_eq!(time_step(&app, " 287 082 ", at(59)), Some(1));
        for wrong in ["", "28708", "2870820", "28708a", "٢٨٧٠٨٢"] {
            assert_eq!(time_step(&app, wrong, at(59)), None, "{wrong}");
        }
    }

    #[test]
    fn an_app_reads_the_secret_and_its_name() {
        let app = app(&[7; 20], "ada:x", "Placet").unwrap();
        let uri = app.to_url().unwrap();
        assert!(uri.starts_with("otpauth://totp/Placet:ada%20x?"), "{uri}");
        assert!(
            uri.contains("secret=A4DQOBYHA4DQOBYHA4DQOBYHA4DQOBYH")
                && uri.contains("issuer=Placet")
        );
    }

    #[test]
    fn recovery_codes_are_read_as_people_type_them() {
        let codes = recovery();
        assert_eq!(codes.len(), RECOVERY_CODES);
        let code = &codes[0];
        assert_eq!(code.len(), 19);
        let typed = format!(" {} ", code.to_uppercase().replace('-', " "));
        assert_eq!(recovery_hash(&typed), recovery_hash(code));
        assert_ne!(recovery_hash(&codes[1]), recovery_hash(code));
    }
}
