//! Rules of names, addresses and passwords of accounts.

use domain::{
    error_code::ErrorCode,
    field_error::FieldError,
    format::{is_hidden, is_name},
};

use super::User;

/// The form in which usernames and addresses are compared.
pub(super) fn key(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Validates a new account, except its password.
pub(super) fn check_account(user: &User) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (username, email) = (&user.username, &user.email);
    if username.is_empty() {
        errors.push(FieldError::new(
            "/username",
            ErrorCode::Required,
            "Choose a username.",
        ));
    } else if username.chars().count() > 64 || username.chars().any(is_unprintable) {
        errors.push(FieldError::new(
            "/username",
            ErrorCode::InvalidValue,
            "At most 64 characters, without spaces and hidden ones.",
        ));
    } else if username.contains('@') && key(username) != key(email) {
        errors.push(FieldError::new(
            "/username",
            ErrorCode::InvalidValue,
            "An @ is only allowed in your own e-mail address.",
        ));
    }
    errors.extend(check_email(email));
    errors.extend(check_display_name(&user.display_name));
    errors
}

/// Reads the name of a key, a passkey or an organization: 1 to `most` characters without the spaces around them.
pub(crate) fn name(name: &str, most: usize) -> Result<&str, FieldError> {
    let name = name.trim();
    if !name.is_empty() && name.chars().count() <= most && is_name(name) {
        return Ok(name);
    }
    Err(FieldError::new(
        "/name",
        ErrorCode::InvalidValue,
        format!("1 to {most} characters, none of them hidden."),
    ))
}

pub(super) fn check_email(email: &str) -> Vec<FieldError> {
    if is_email(email) {
        return Vec::new();
    }
    vec![FieldError::new(
        "/email",
        ErrorCode::InvalidEmail,
        "An address such as ada@shop.example.",
    )]
}

pub(super) fn check_display_name(name: &str) -> Vec<FieldError> {
    let name = name.trim();
    if name.chars().count() <= 200 && is_name(name) {
        return Vec::new();
    }
    vec![FieldError::new(
        "/displayName",
        ErrorCode::TooLong,
        "At most 200 characters, none of them hidden.",
    )]
}

fn is_unprintable(c: char) -> bool {
    c.is_whitespace() || is_hidden(c)
}

pub(super) fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else {
        return false;
    };
    let plain = text.chars().count() <= 254 && !text.chars().any(is_unprintable);
    plain && is_dot_atom(local) && domain::format::is_host(host)
}

/// True for the usual form of the part before the `@` (RFC 5322, section 3.2.3; RFC 6531). Quoted forms are other
/// spellings of an address, by which somebody could pass the bounds of letters to it.
fn is_dot_atom(local: &str) -> bool {
    let is_of_atom =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let mut atoms = local.split('.');
    atoms.all(|atom| !atom.is_empty() && atom.chars().all(is_of_atom))
}

pub(super) fn check_password(pointer: &str, password: &str) -> Vec<FieldError> {
    if password.is_empty() {
        vec![FieldError::new(
            pointer,
            ErrorCode::Required,
            "Choose a password.",
        )]
    } else if password.chars().count() > 1_000 {
        vec![FieldError::new(
            pointer,
            ErrorCode::TooLong,
            "At most 1,000 characters.",
        )]
    } else if password.contains('\0') {
        let detail = "U+0000 is not allowed.";
        vec![FieldError::new(
            pointer,
            ErrorCode::InvalidCharacter,
            detail,
        )]
    } else {
        Vec::new()
    }
}
