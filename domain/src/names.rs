//! Names that become part of addresses, object keys and cookies.

/// Most bytes of such a name.
pub const LONGEST: usize = 64;

/// A cookie configuration's name, which sites put in `cookiesVersion`:
/// `^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`.
pub fn is_configuration_name(name: &str) -> bool {
    starts_well(name, |byte| byte.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A vendor's name, the key of a choice: `^[a-z0-9][a-z0-9_.-]{0,63}$`.
pub fn is_vendor_name(name: &str) -> bool {
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    starts_well(name, lower)
        && name
            .bytes()
            .all(|byte| lower(byte) || matches!(byte, b'_' | b'.' | b'-'))
}

fn starts_well(name: &str, first: impl Fn(u8) -> bool) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.bytes().next().is_some_and(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_names_stay_inside_one_path_segment() {
        for good in ["en", "shop-EN_2", "7"] {
            assert!(is_configuration_name(good), "{good}");
        }
        for bad in [
            "",
            "-en",
            "_en",
            "a/b",
            "..",
            "a.b",
            "é",
            "a b",
            &"a".repeat(65),
        ] {
            assert!(!is_configuration_name(bad), "{bad}");
        }
    }

    #[test]
    fn vendor_names_are_lower_case_slugs() {
        for good in ["google_analytics", "a.b-c", "0"] {
            assert!(is_vendor_name(good), "{good}");
        }
        for bad in ["", "Google", ".a", "a/b", "$$token", "a,b", &"a".repeat(65)] {
            assert!(!is_vendor_name(bad), "{bad}");
        }
    }
}
