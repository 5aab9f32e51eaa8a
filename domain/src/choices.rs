//! The outcome of a visitor's choices. The server derives the proof's outcome and the SDK the
//! `accept` that it sends from the same rules.

/// The outcome of one consent to a cookie configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Outcome {
    /// Every vendor accepted.
    Accepted,
    /// No vendor accepted.
    Refused,
    /// Some vendors accepted.
    Partial,
}

impl Outcome {
    /// The word used in JSON and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Partial => "partial",
        }
    }

    /// Reads the word of [`Outcome::as_str`].
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Accepted, Self::Refused, Self::Partial]
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
    }
}

/// The outcome of a set of vendor choices; `accept` decides when there is no vendor.
pub fn outcome(choices: impl IntoIterator<Item = bool>, accept: bool) -> Outcome {
    let (mut accepted, mut refused) = (false, false);
    for choice in choices {
        accepted |= choice;
        refused |= !choice;
    }
    match (accepted, refused) {
        (true, true) => Outcome::Partial,
        (true, false) => Outcome::Accepted,
        (false, false) if accept => Outcome::Accepted,
        (false, _) => Outcome::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_follows_the_vendors_and_only_without_them_the_flag() {
        assert_eq!(outcome([true, true], false), Outcome::Accepted);
        assert_eq!(outcome([false, false], true), Outcome::Refused);
        assert_eq!(outcome([true, false], true), Outcome::Partial);
        assert_eq!(outcome([], true), Outcome::Accepted);
        assert_eq!(outcome([], false), Outcome::Refused);
    }
}
