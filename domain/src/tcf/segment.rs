//! The segments of a TC string, and the widths of their fields.

use core::fmt;

/// A part of a TC string between dots ("TC String Format").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The first, which bears no number ("The Core String").
    Core = 0,
    /// The vendors that were shown ("Disclosed Vendors").
    DisclosedVendors = 1,
    /// Abolished.
    AllowedVendors = 2,
    /// For publishers themselves ("Publisher Purposes Transparency and Consent").
    PublisherTc = 3,
}

impl Segment {
    /// The segment with this number, which follows the core segment.
    pub(super) fn of(number: u64) -> Option<Self> {
        [
            Self::DisclosedVendors,
            Self::AllowedVendors,
            Self::PublisherTc,
        ]
        .into_iter()
        .find(|segment| *segment as u64 == number)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Core => "core",
            Self::DisclosedVendors => "DisclosedVendors",
            Self::AllowedVendors => "AllowedVendors",
            Self::PublisherTc => "PublisherTC",
        })
    }
}

/// Version of the format.
pub(super) const VERSION: u64 = 2;

/// Bits of the fields.
pub(super) mod width {
    pub const VERSION: u32 = 6;
    pub const TIME: u32 = 36;
    pub const CMP_ID: u32 = 12;
    pub const CMP_VERSION: u32 = 12;
    pub const SCREEN: u32 = 6;
    pub const LETTER: u32 = 6;
    pub const LIST_VERSION: u32 = 12;
    pub const POLICY_VERSION: u32 = 6;
    pub const SPECIAL_FEATURES: u16 = 12;
    pub const PURPOSES: u16 = 24;
    /// An id of a vendor, and the largest id of a section.
    pub const VENDOR: u32 = 16;
    /// The number of ranges, and of publisher restrictions.
    pub const ENTRIES: u32 = 12;
    pub const PURPOSE: u32 = 6;
    pub const RESTRICTION_TYPE: u32 = 2;
    pub const SEGMENT_TYPE: u32 = 3;
    pub const CUSTOM_PURPOSES: u32 = 6;
}
