//! Enums whose values are words in JSON, in the database and in addresses.

use std::fmt;

/// A word that is none of those that an enum has.
#[derive(Debug)]
pub struct UnknownWord(pub String);

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the word `{}` is unknown", self.0)
    }
}

impl std::error::Error for UnknownWord {}

/// Declares an enum with the word of each value, which stands here alone: `ALL`, `as_str`, `parse`, its JSON, and its value
/// in a column of the database come from it.
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        $visible:vis enum $name:ident {
            // A `tt`: derives do not see into a `literal`.
            $($(#[$about:meta])* $variant:ident = $word:tt,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $visible enum $name {
            $($(#[$about])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All values.
            $visible const ALL: &'static [Self] = &[$(Self::$variant,)+];
            /// The words of all values.
            $visible const WORDS: &'static [&'static str] = &[$($word,)+];

            /// Its word.
            $visible const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads what [`Self::as_str`] writes.
            $visible fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::words::UnknownWord;

            fn try_from(word: String) -> std::result::Result<Self, $crate::words::UnknownWord> {
                Self::parse(&word).ok_or($crate::words::UnknownWord(word))
            }
        }
    };
}
