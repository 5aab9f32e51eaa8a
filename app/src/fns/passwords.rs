//! Strength of a new password. The pages of this UI ask for a good one; callers of the API choose
//! their own rule.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// Strength of a password, by the number of attempts until it is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Strength {
    /// Shorter than the shortest that is accepted.
    Short,
    /// Common, or easy to guess.
    Weak,
    Fair,
    Strong,
}

/// Judges a password while somebody types it. `about` holds words that are easy to guess for this
/// person. The list of common passwords is large, so it stays on the server.
#[server(prefix = "/ui", endpoint = "auth/strength", input = Json)]
pub async fn password_strength(password: String, about: Vec<String>) -> Result<Strength, UiError> {
    let about: Vec<&str> = about.iter().map(String::as_str).collect();
    server::while_typing(&password, &about).await
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use domain::error_code::ErrorCode;
    use domain::field_error::FieldError;
    use zxcvbn::{Score, zxcvbn};

    use super::Strength;
    use crate::error::UiError;
    use crate::fns::server::{device, placet, refuse};

    /// Characters of the shortest password.
    const SHORTEST: usize = 10;
    /// Nobody guesses what follows these. The time of a look grows with their square. The slowest passwords found of
    /// this length take 27 ms, as a hash does.
    const LOOKED_AT: usize = 24;
    /// Words about the person that are compared, and characters of each.
    const WORDS: usize = 5;

    /// Judges a password that is typed. Strangers ask for it, and others wait for none of it.
    pub async fn while_typing(password: &str, about: &[&str]) -> Result<Strength, UiError> {
        let Some(look) = look(password, about) else {
            return Ok(Strength::Short);
        };
        let judged = placet()?.auth.while_typing(&device(), look).await;
        judged.map_err(refuse)
    }

    /// Judges a password that is about to be hashed, where that happens: it takes as long.
    async fn strength(password: &str, about: &[&str]) -> Result<Strength, UiError> {
        let Some(look) = look(password, about) else {
            return Ok(Strength::Short);
        };
        let judged = placet()?.auth.beside_hashes(&device(), look).await;
        judged.map_err(refuse)
    }

    /// The look at a password; `None` for one that is too short to be looked at.
    fn look(password: &str, about: &[&str]) -> Option<impl FnOnce() -> Strength + Send + use<>> {
        if password.chars().count() < SHORTEST {
            return None;
        }
        let head = |text: &str| text.chars().take(LOOKED_AT).collect::<String>();
        let about: Vec<_> = about.iter().take(WORDS).map(|word| head(word)).collect();
        let password = head(password);
        Some(move || guessed(&password, &about))
    }

    fn guessed(password: &str, about: &[String]) -> Strength {
        let about: Vec<&str> = about.iter().map(String::as_str).collect();
        match zxcvbn(password, &about).score() {
            Score::Zero | Score::One => Strength::Weak,
            Score::Two => Strength::Fair,
            _ => Strength::Strong,
        }
    }

    /// A new password on its way to a use case.
    pub struct Judged(Option<FieldError>);

    /// Judges a new password. A refused one is emptied, so that the use case refuses it too and still
    /// finds every other broken field; [`Judged::in_error`] then says why.
    pub async fn judge(
        password: &mut String,
        pointer: &str,
        about: &[&str],
    ) -> Result<Judged, UiError> {
        let strength = strength(password, about).await?;
        Ok(of_strength(password, pointer, strength))
    }

    fn of_strength(password: &mut String, pointer: &str, strength: Strength) -> Judged {
        let (code, detail) = match strength {
            Strength::Short => (ErrorCode::PasswordShort, "Use at least 10 characters."),
            Strength::Weak => (ErrorCode::PasswordWeak, "This password is easy to guess."),
            Strength::Fair | Strength::Strong => return Judged(None),
        };
        if password.is_empty() {
            return Judged(None);
        }
        password.clear();
        Judged(Some(FieldError::new(pointer, code, detail)))
    }

    impl Judged {
        pub fn in_error(self, error: UiError) -> UiError {
            match (self.0, error) {
                (Some(own), UiError::Invalid { mut fields }) => {
                    fields.retain(|field| field.pointer != own.pointer);
                    fields.push(own);
                    UiError::Invalid { fields }
                }
                (_, error) => error,
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn passwords_are_judged_by_guessing() {
            for (password, expected) in [
                ("password123", Strength::Weak),
                ("azertyuiop", Strength::Weak),
                ("adalovelace", Strength::Weak),
                ("correct horse battery", Strength::Strong),
            ] {
                let about = ["ada", "lovelace"].map(str::to_owned);
                assert_eq!(guessed(password, &about), expected, "{password}");
            }
        }

        #[test]
        fn a_refused_password_is_named_beside_the_other_fields() {
            let error = || UiError::Invalid {
                fields: ["/password", "/email"]
                    .map(|pointer| FieldError::new(pointer, ErrorCode::Required, ""))
                    .into(),
            };
            let mut password = "password123".to_owned();
            let fields = |error: &UiError| {
                let fields = error.fields().iter();
                fields
                    .map(|field| format!("{} {}", field.pointer, field.code))
                    .collect::<Vec<_>>()
            };
            let judged = of_strength(&mut password, "/password", Strength::Weak);
            assert_eq!(password, "");
            assert_eq!(
                fields(&judged.in_error(error())),
                ["/email required", "/password password_weak"]
            );
            let judged = of_strength(&mut password, "/password", Strength::Short);
            assert_eq!(judged.in_error(error()), error());
        }
    }
}
