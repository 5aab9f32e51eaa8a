//! Enums whose values are words in JSON, in the database and in addresses.

/// Declares an enum with the word of each value, which stands here alone: `ALL`, `as_str`, `parse` and its JSON come
/// from it.
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
    };
}
