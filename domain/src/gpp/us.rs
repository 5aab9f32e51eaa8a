//! The sections of the United States and of its states: answers of two bits each, and the Global Privacy Control
//! in a subsection ("Section Encoding").
//!
//! The states with the numbers 24 to 27 are absent: their documents give them a header of their own, which IAB's
//! library neither writes nor reads.

use super::{Error, UNIT};
use crate::bits::{Reader, Writer};

/// Name of a field in the API of GPP, and the number of its values.
type Field = (&'static str, usize);

/// The fields of a section, from the document of that section.
#[derive(Debug, PartialEq, Eq)]
pub struct UsLayout {
    /// Number of the section ("Section IDs").
    pub id: u16,
    /// Name of the section in the API of GPP.
    pub name: &'static str,
    version: u8,
    fields: &'static [&'static [Field]],
    /// True if it has a subsection for the Global Privacy Control.
    has_gpc: bool,
}

/// Bits of the version.
const VERSION: u32 = 6;
/// Bits of a value: 0 does not apply, 1 is yes or opted out, 2 is no.
const VALUE: u32 = 2;
const MOST_VALUE: u8 = 2;
/// Bits of a subsection's number.
const SUBSECTION: u32 = 2;
/// Number of the subsection for the Global Privacy Control.
const GPC: u64 = 1;

const SHARING: &[Field] = &[
    ("SharingNotice", 1),
    ("SaleOptOutNotice", 1),
    ("TargetedAdvertisingOptOutNotice", 1),
];
const PROCESSING: &[Field] = &[
    ("ProcessingNotice", 1),
    ("SaleOptOutNotice", 1),
    ("TargetedAdvertisingOptOutNotice", 1),
];
const OPT_OUTS: &[Field] = &[("SaleOptOut", 1), ("TargetedAdvertisingOptOut", 1)];
const ADDITIONAL: &[Field] = &[("AdditionalDataProcessingConsent", 1)];
const MSPA: &[Field] = &[
    (COVERED, 1),
    ("MspaOptOutOptionMode", 1),
    ("MspaServiceProviderMode", 1),
];
/// The field that says whether the Multi-State Privacy Agreement applies. Alone it cannot be 0.
const COVERED: &str = "MspaCoveredTransaction";

const fn sensitive(values: usize) -> Field {
    ("SensitiveDataProcessing", values)
}

const fn children(values: usize) -> Field {
    ("KnownChildSensitiveDataConsents", values)
}

/// The layout of a state's section.
const fn state(id: u16, name: &'static str, fields: &'static [&'static [Field]]) -> UsLayout {
    UsLayout {
        id,
        name,
        version: 1,
        fields,
        has_gpc: true,
    }
}

/// The same for a state without a subsection for the Global Privacy Control.
const fn without_gpc(layout: UsLayout) -> UsLayout {
    UsLayout {
        has_gpc: false,
        ..layout
    }
}

static LAYOUTS: [UsLayout; 17] = [
    UsLayout {
        id: 7,
        name: "usnat",
        version: 2,
        fields: &[
            &[
                ("SharingNotice", 1),
                ("SaleOptOutNotice", 1),
                ("SharingOptOutNotice", 1),
                ("TargetedAdvertisingOptOutNotice", 1),
                ("SensitiveDataProcessingOptOutNotice", 1),
                ("SensitiveDataLimitUseNotice", 1),
                ("SaleOptOut", 1),
                ("SharingOptOut", 1),
                ("TargetedAdvertisingOptOut", 1),
                sensitive(16),
                children(3),
                ("PersonalDataConsents", 1),
            ],
            MSPA,
        ],
        has_gpc: true,
    },
    state(
        8,
        "usca",
        &[
            &[
                ("SaleOptOutNotice", 1),
                ("SharingOptOutNotice", 1),
                ("SensitiveDataLimitUseNotice", 1),
                ("SaleOptOut", 1),
                ("SharingOptOut", 1),
                sensitive(9),
                children(2),
                ("PersonalDataConsents", 1),
            ],
            MSPA,
        ],
    ),
    without_gpc(state(
        9,
        "usva",
        &[SHARING, OPT_OUTS, &[sensitive(8), children(1)], MSPA],
    )),
    state(
        10,
        "usco",
        &[SHARING, OPT_OUTS, &[sensitive(7), children(1)], MSPA],
    ),
    without_gpc(state(
        11,
        "usut",
        &[
            SHARING,
            &[("SensitiveDataProcessingOptOutNotice", 1)],
            OPT_OUTS,
            &[sensitive(8), children(1)],
            MSPA,
        ],
    )),
    state(
        12,
        "usct",
        &[SHARING, OPT_OUTS, &[sensitive(8), children(3)], MSPA],
    ),
    without_gpc(state(
        13,
        "usfl",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(8), children(3)],
            ADDITIONAL,
            MSPA,
        ],
    )),
    state(
        14,
        "usmt",
        &[
            SHARING,
            OPT_OUTS,
            &[sensitive(8), children(3)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        15,
        "usor",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(11), children(3)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        16,
        "ustx",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(8), children(1)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        17,
        "usde",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(9), children(5)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        18,
        "usia",
        &[
            PROCESSING,
            &[("SensitiveDataOptOutNotice", 1)],
            OPT_OUTS,
            &[sensitive(8), children(1)],
            MSPA,
        ],
    ),
    state(
        19,
        "usne",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(8), children(1)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        20,
        "usnh",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(8), children(3)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        21,
        "usnj",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(10), children(5)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        22,
        "ustn",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(8), children(1)],
            ADDITIONAL,
            MSPA,
        ],
    ),
    state(
        23,
        "usmn",
        &[
            PROCESSING,
            OPT_OUTS,
            &[sensitive(8), children(1)],
            ADDITIONAL,
            MSPA,
        ],
    ),
];

impl UsLayout {
    /// All layouts, by their numbers.
    pub fn all() -> &'static [Self] {
        &LAYOUTS
    }

    /// The layout of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| layout.name == name)
    }

    /// Names of the fields and numbers of their values, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.fields.iter().copied().flatten().copied()
    }
}

/// A section of the United States or of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsSection {
    layout: &'static UsLayout,
    /// The values of all fields, in order.
    values: Vec<u8>,
    /// The Global Privacy Control; `None` without its subsection.
    gpc: Option<bool>,
}

impl UsSection {
    /// A section in which nothing applies, without the Global Privacy Control.
    pub fn new(layout: &'static UsLayout) -> Self {
        let mut section = Self {
            layout,
            values: vec![0; layout.fields().map(|(_, values)| values).sum()],
            gpc: layout.has_gpc.then_some(false),
        };
        let _ = section.set(COVERED, &[2]); // every layout has the field
        section
    }

    /// The fields.
    pub fn layout(&self) -> &'static UsLayout {
        self.layout
    }

    /// The values of a field.
    pub fn get(&self, field: &str) -> Option<&[u8]> {
        let mut values = self.values.as_slice();
        for (name, count) in self.layout.fields() {
            let (own, others) = values.split_at_checked(count)?;
            if name == field {
                return Some(own);
            }
            values = others;
        }
        None
    }

    /// Sets the values of a field: each is 0, 1 or 2.
    pub fn set(&mut self, field: &str, to: &[u8]) -> Result<(), Error> {
        let mut values = self.values.as_mut_slice();
        for (name, count) in self.layout.fields() {
            let (own, others) = values.split_at_mut_checked(count).ok_or(Error::Field)?;
            if name == field && count == to.len() {
                if to.iter().any(|value| *value > MOST_VALUE) {
                    return Err(Error::Value);
                }
                own.copy_from_slice(to);
                return Ok(());
            }
            values = others;
        }
        Err(Error::Field)
    }

    /// True if the browser sends the Global Privacy Control; `None` without its subsection.
    pub fn gpc(&self) -> Option<bool> {
        self.gpc
    }

    /// Sets the Global Privacy Control, if the section has a place for it.
    pub fn set_gpc(&mut self, gpc: bool) {
        if self.layout.has_gpc {
            self.gpc = Some(gpc);
        }
    }

    /// Writes the section.
    pub fn encode(&self) -> String {
        let mut bits = Writer::default();
        bits.number(self.layout.version.into(), VERSION);
        for value in &self.values {
            bits.number((*value).into(), VALUE);
        }
        bits.pad(UNIT);
        let mut text = bits.finish();
        if let Some(gpc) = self.gpc {
            let mut bits = Writer::default();
            bits.number(GPC, SUBSECTION);
            bits.bit(gpc);
            bits.pad(UNIT);
            text.push('.');
            text.push_str(&bits.finish());
        }
        text
    }

    /// Reads a section. Padding may have any length.
    pub fn decode(layout: &'static UsLayout, text: &str) -> Result<Self, Error> {
        let mut section = Self::new(layout);
        section.gpc = None;
        let mut parts = text.split('.');
        let mut fields = Fields::open(parts.next().unwrap_or_default())?;
        let version = fields.number(VERSION)?;
        if version != u64::from(layout.version) {
            return Err(Error::Version(version));
        }
        for value in &mut section.values {
            *value = fields.number(VALUE)? as u8;
            if *value > MOST_VALUE {
                return Err(Error::Value);
            }
        }
        fields.end()?;
        for part in parts {
            let mut fields = Fields::open(part)?;
            let number = fields.number(SUBSECTION)?;
            if number != GPC || !layout.has_gpc || section.gpc.is_some() {
                return Err(Error::Subsection(number));
            }
            section.gpc = Some(fields.number(1)? == 1);
            fields.end()?;
        }
        Ok(section)
    }
}

/// The fields of a subsection that are not read yet.
struct Fields<'a>(Reader<'a>);

impl<'a> Fields<'a> {
    fn open(text: &'a str) -> Result<Self, Error> {
        Reader::new(text).map(Self).map_err(Error::Character)
    }

    fn number(&mut self, width: u32) -> Result<u64, Error> {
        self.0.number(width).ok_or(Error::Truncated)
    }

    fn end(self) -> Result<(), Error> {
        if self.0.only_padding_is_left() {
            Ok(())
        } else {
            Err(Error::Trailing)
        }
    }
}
