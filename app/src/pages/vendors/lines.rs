//! The lines that make elements of a site wait for a service.

/// A script that waits. The key has only letters, digits, `-` and `_`.
pub fn script(key: &str) -> String {
    format!(
        "<script type=\"text/plain\" data-requires-vendor-consent=\"{key}\" src=\"https://…\"></script>"
    )
}

/// A frame that waits behind a placeholder.
pub fn frame(key: &str) -> String {
    format!("<iframe data-requires-vendor-consent=\"{key}\" data-src=\"https://…\"></iframe>")
}

/// The form that pages usually have.
pub fn usual(key: &str, is_frame: bool) -> String {
    if is_frame { frame(key) } else { script(key) }
}
