//! Formats of texts: addresses, hosts, codes, names.

use crate::colour::Colour;
use crate::error_code::ErrorCode;
use crate::{language, names};

/// A format that a text of one line must have.
pub struct Format {
    /// True if a text has the format.
    pub holds: fn(&str) -> bool,
    /// Name of the rule that a text without it breaks.
    pub code: ErrorCode,
    /// The format in words.
    pub about: &'static str,
    /// The format as a regular expression (ECMA-262), if there is a short one.
    pub pattern: Option<&'static str>,
    /// A text that has it.
    pub example: &'static str,
}

/// Name of a cookie configuration.
pub static CONFIGURATION_NAME: Format = Format {
    holds: names::is_configuration_name,
    code: ErrorCode::InvalidName,
    about: "1 to 64 letters, digits, `-` or `_`, beginning with a letter or digit.",
    pattern: Some("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"),
    example: "shop-en",
};

/// Name of a vendor, the key of a choice.
pub static VENDOR_NAME: Format = Format {
    holds: names::is_vendor_name,
    code: ErrorCode::InvalidName,
    about: "1 to 64 lower-case letters, digits, `_`, `.` or `-`, beginning with a letter or digit.",
    pattern: Some("^[a-z0-9][a-z0-9_.-]{0,63}$"),
    example: "own_statistics",
};

/// A name that people see.
pub static NAME: Format = Format {
    holds: is_name,
    code: ErrorCode::InvalidCharacter,
    about: "A text of one line, at most 1000 characters, none of them invisible.",
    // Without tags (U+E0000 and on): not every dialect of patterns can name them.
    pattern: Some(
        r"^[^\u0000-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]{0,1000}$",
    ),
    example: "Ada's shop",
};

/// A language (ISO 639-1).
pub static LANGUAGE: Format = Format {
    holds: language::is_code,
    code: ErrorCode::InvalidValue,
    about: "Two lower-case letters (ISO 639-1), such as fr.",
    pattern: Some("^[a-z]{2}$"),
    example: "fr",
};

/// A language that the widget's words are shipped in (ISO 639-1).
pub static SHIPPED_LANGUAGE: Format = Format {
    holds: |text| language::LANGUAGES.iter().any(|known| known.code == text),
    code: ErrorCode::InvalidValue,
    about: "A language of the widget (ISO 639-1), such as fr.",
    pattern: Some("^[a-z]{2}$"),
    example: "fr",
};

/// A country (ISO 3166-1 alpha-2).
pub static COUNTRY: Format = Format {
    holds: |text| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()),
    code: ErrorCode::InvalidValue,
    about: "Two letters (ISO 3166-1), such as FR.",
    pattern: Some("^[A-Za-z]{2}$"),
    example: "FR",
};

/// A country or a part of one (ISO 3166-1 or 3166-2).
pub static REGION: Format = Format {
    holds: is_region,
    code: ErrorCode::InvalidValue,
    about: "A region (ISO 3166-1 or 3166-2), such as FR or US-CA.",
    pattern: Some("^[A-Z]{2}(-[A-Z0-9]{1,3})?$"),
    example: "US-CA",
};

/// A section of GPP strings that publishers choose.
pub static GPP_SECTION: Format = Format {
    holds: |text| text == "usnat",
    code: ErrorCode::InvalidValue,
    about: "A section of the Global Privacy Platform: usnat.",
    pattern: Some("^usnat$"),
    example: "usnat",
};

/// A host name.
pub static HOST: Format = Format {
    holds: is_host,
    code: ErrorCode::InvalidHost,
    about: "A host name such as shop.example, without https:// or a path.",
    pattern: None,
    example: "shop.example",
};

/// A colour of CSS.
pub static COLOR: Format = Format {
    holds: is_hex_color,
    code: ErrorCode::InvalidColor,
    about: "A colour such as #1a73e8.",
    pattern: Some("^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$"),
    example: "#1a73e8",
};

/// True if people see each character of this name. Characters without width, and those that change the direction of
/// text, make one name look like another.
pub fn is_name(text: &str) -> bool {
    !text.chars().any(is_hidden)
}

/// True if nobody sees this character: it controls text or its direction (the Unicode property `Bidi_Control`), or has
/// no width. The joiners U+200C and U+200D stay, because Persian, Indic scripts and emoji are written with them.
pub fn is_hidden(c: char) -> bool {
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
    );
    // Soft hyphen, zero width space, invisible operators and format controls, byte order mark, tags.
    let has_no_width = matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    turns || has_no_width || c.is_control()
}

/// True if a text or a key of a value holds U+0000, which PostgreSQL cannot keep.
pub fn holds_nul(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| key.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A country code of two letters in upper case (ISO 3166-1 alpha-2), of letters in either case.
pub fn country_code(text: &str) -> Option<String> {
    let letters = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    letters.then(|| text.to_ascii_uppercase())
}

/// ISO 3166-1 or 3166-2, such as `FR` and `US-CA`: it stands in a script.
pub fn is_region(text: &str) -> bool {
    let mut parts = text.split('-');
    let country = parts.next().unwrap_or_default();
    country.len() == 2
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && parts.next().is_none_or(|part| {
            (1..=3).contains(&part.len())
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        })
        && parts.next().is_none()
}

/// True if this is an absolute `http:` or `https:` address with a host and nothing that could end
/// an attribute or start another scheme.
pub fn is_http_url(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    let rest = if lower.starts_with("https://") {
        text.get(8..)
    } else if lower.starts_with("http://") {
        text.get(7..)
    } else {
        None
    };
    let Some(rest) = rest else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, port)| {
            if port.bytes().all(|byte| byte.is_ascii_digit()) {
                host
            } else {
                authority
            }
        });
    let clean = !text
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || "\"<>\\^`{|}".contains(c));
    clean && (is_host(host) || is_bracketed_ipv6(host) || (!host.is_ascii() && is_idn(host)))
}

fn is_bracketed_ipv6(host: &str) -> bool {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|address| address.parse::<core::net::Ipv6Addr>().is_ok())
}

fn is_idn(host: &str) -> bool {
    !host.contains('@') && host.split('.').all(|label| !label.is_empty())
}

/// True if this is a host name (or IPv4 address): dot-separated labels of letters, digits, `-`,
/// `_`.
pub fn is_host(host: &str) -> bool {
    host.len() <= 253
        && host.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

/// True if this is a UUID, hyphenated and in lower case.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        })
}

fn is_hex_color(text: &str) -> bool {
    text.trim() == text && Colour::read(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hide_nothing() {
        for good in [
            "",
            "Ada's shop",
            "متجر",
            "חנות 24",
            "店 ＝",
            "می\u{200c}خواهم",
            "👩\u{200d}💻",
        ] {
            assert!(is_name(good), "{good}");
        }
        for hidden in
            "\0\n\u{7f}\u{9f}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{202a}\u{202e}\u{2060}\u{2066}\u{2069}\u{feff}\u{e0041}".chars()
        {
            assert!(!is_name(&format!("a{hidden}b")), "{hidden:?}");
        }
    }

    #[test]
    fn only_absolute_http_addresses_pass() {
        for good in [
            "https://a.example",
            "http://localhost:8080/x?y#z",
            "https://[::1]/",
            "https://müller.example/",
        ] {
            assert!(is_http_url(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "//a.example",
            "https://",
            "https:///x",
            "https://a b",
            "https://u@h",
            "https://a\"b",
            "ftp://a.example",
            "https://a..b",
        ] {
            assert!(!is_http_url(bad), "{bad}");
        }
    }
}
