//! Faults of texts that are no TC string, and of models that cannot be one.

use core::fmt;

use super::{MOST_CHARACTERS, segment::Segment};

/// The fault of a text that is no TC string, or of a model that cannot be one. Displayed, it is a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is longer than [`MOST_CHARACTERS`].
    TooLong,
    /// Nothing stands before, between or after dots.
    EmptySegment,
    /// A character is no digit of base64url.
    Character(char),
    /// The version of the format is another one than 2.
    Version(u64),
    /// A segment other than the first has an unknown number.
    UnknownSegment(u64),
    /// A segment is there twice.
    RepeatedSegment(Segment),
    /// A segment ends within a field.
    Truncated(Segment),
    /// Something follows the last field of a segment.
    Trailing(Segment),
    /// A field's two letters are not from A to Z.
    Letters(Field),
    /// A range of vendors begins with 0 or after its end.
    Range {
        /// First id of the range.
        first: u16,
        /// Its last id.
        last: u16,
    },
    /// A vendor is above the largest id that its section announces.
    AboveMax {
        /// Id of the vendor.
        id: u16,
        /// The largest id of the section.
        max: u16,
    },
    /// A publisher restriction is for purpose 0.
    NoPurpose,
    /// A publisher restriction has the undefined type 3.
    RestrictionType,
    /// A value has no room in its field.
    TooLarge(Field),
}

/// A field of the core segment whose value may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Time of the decision.
    Created,
    /// Time of the decision again.
    LastUpdated,
    /// Id of the platform.
    CmpId,
    /// Version of the platform.
    CmpVersion,
    /// Screen of the decision.
    ConsentScreen,
    /// Language of the texts.
    ConsentLanguage,
    /// Version of the vendor list.
    VendorListVersion,
    /// Version of the policies.
    TcfPolicyVersion,
    /// Special features.
    SpecialFeatureOptIns,
    /// Purposes by consent.
    PurposesConsent,
    /// Purposes by legitimate interest.
    PurposesLiTransparency,
    /// Country of the publisher.
    PublisherCc,
    /// Rules of the publisher.
    PublisherRestrictions,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "A TC string has at most {MOST_CHARACTERS} characters."),
            Self::EmptySegment => f.write_str("A segment is empty."),
            Self::Character(c) => write!(f, "The character {c:?} does not occur in TC strings."),
            Self::Version(version) => write!(f, "The version is {version}, not 2."),
            Self::UnknownSegment(number) => write!(f, "No segment has the number {number}."),
            Self::RepeatedSegment(segment) => write!(f, "The {segment} segment is there twice."),
            Self::Truncated(segment) => write!(f, "The {segment} segment ends too early."),
            Self::Trailing(segment) => {
                write!(
                    f,
                    "Something follows the last field of the {segment} segment."
                )
            }
            Self::Letters(field) => write!(f, "{field:?} is not two letters."),
            Self::Range { first, last } => {
                write!(f, "Vendors {first} to {last} are no range.")
            }
            Self::AboveMax { id, max } => {
                write!(
                    f,
                    "Vendor {id} is in a section that ends with vendor {max}."
                )
            }
            Self::NoPurpose => f.write_str("A publisher restriction is for purpose 0."),
            Self::RestrictionType => f.write_str("A publisher restriction has the type 3."),
            Self::TooLarge(field) => write!(f, "{field:?} has no room for its value."),
        }
    }
}

impl core::error::Error for Error {}
