//! Texts without `core::fmt`, which alone would double the module.

use alloc::string::String;

/// Appends each part.
#[inline(never)]
pub fn push(text: &mut String, parts: &[&str]) {
    for part in parts {
        text.push_str(part);
    }
}

/// 32 hexadecimal digits, of which twelve are milliseconds since 1970, as a UUID of version 7
/// (RFC 9562): those of one time lie together in the database's indexes.
pub fn uuid(digits: &str) -> String {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    let mut uuid = String::new();
    push(
        &mut uuid,
        &[
            part(0, 8),
            "-",
            part(8, 12),
            "-7",
            part(13, 16),
            "-8",
            part(17, 20),
            "-",
            part(20, 32),
        ],
    );
    uuid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_its_form() {
        assert_eq!(
            uuid(&"f0".repeat(16)),
            "f0f0f0f0-f0f0-70f0-80f0-f0f0f0f0f0f0"
        );
    }
}
