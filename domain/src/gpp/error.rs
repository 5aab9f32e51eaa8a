//! Faults of texts that are no GPP string or section.

use core::fmt;

use super::MOST_CHARACTERS;

/// The fault of a text that is no GPP string or section, or of a value that has no place in one. Displayed, it is a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is longer than [`MOST_CHARACTERS`].
    TooLong,
    /// A character is no digit of base64url.
    Character(char),
    /// The text does not begin as GPP strings do.
    NoHeader,
    /// The version of the header is another one than 1.
    HeaderVersion(u64),
    /// The header or a section ends within a field.
    Truncated,
    /// Something follows the last field.
    Trailing,
    /// A section's number is above 65,535.
    SectionId,
    /// The header names more or fewer sections than follow.
    Sections,
    /// The version of a section is another one than this program knows.
    Version(u64),
    /// A section has a subsection of this number, which it cannot have, or twice.
    Subsection(u64),
    /// The section has no such field, or it has another number of values.
    Field,
    /// A value is above 2.
    Value,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "A GPP string has at most {MOST_CHARACTERS} characters."),
            Self::Character(c) => write!(f, "The character {c:?} does not occur here."),
            Self::NoHeader => f.write_str("GPP strings begin with D."),
            Self::HeaderVersion(version) => write!(f, "The version is {version}, not 1."),
            Self::Truncated => f.write_str("The text ends too early."),
            Self::Trailing => f.write_str("Something follows the last field."),
            Self::SectionId => f.write_str("The number of a section is too large."),
            Self::Sections => f.write_str("The header names more or fewer sections than follow."),
            Self::Version(version) => {
                write!(f, "The version {version} of the section is unknown.")
            }
            Self::Subsection(number) => {
                write!(f, "The section cannot have subsection {number} here.")
            }
            Self::Field => f.write_str("The section has no such field."),
            Self::Value => f.write_str("A value is above 2."),
        }
    }
}

impl core::error::Error for Error {}
