//! GPP strings of IAB Tech Lab's Global Privacy Platform 1.1, read and written.
//!
//! A string has a header, which names the sections, and the sections behind it. Section 2 is a TC string
//! ([`crate::tcf`]); the sections of the United States are [`UsSection`]s. Names in quotation marks are sections
//! of "Global Privacy Platform String".

mod error;
mod fibonacci;
mod header;
mod us;

use std::collections::BTreeMap;

use crate::tcf;

pub use error::Error;
pub use us::{UsLayout, UsSection};

/// Number of the section that holds a TC string ("Section IDs").
pub const TCF_EU_V2: u16 = 2;
/// Longest GPP string that is read: a TC string, and sections of the United States.
pub const MOST_CHARACTERS: usize = tcf::MOST_CHARACTERS + 2_048;

/// Bits to whose multiple a header or section is padded before its last digit, as IAB's library does.
const UNIT: usize = 8;

/// The sections of a GPP string, by their numbers ("GPP String Format").
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GppString {
    /// The text of each section, verbatim, by the number of the section, which is not 0.
    pub sections: BTreeMap<u16, String>,
}

impl GppString {
    /// Writes the GPP string.
    pub fn encode(&self) -> String {
        let ids: Vec<u16> = self.sections.keys().copied().collect();
        let mut text = header::encode(&ids);
        for section in self.sections.values() {
            text.push('~');
            text.push_str(section);
        }
        text
    }

    /// Reads a GPP string. Sections stay text.
    pub fn decode(text: &str) -> Result<Self, Error> {
        if text.len() > MOST_CHARACTERS {
            return Err(Error::TooLong);
        }
        let mut parts = text.split('~');
        let header = parts.next().unwrap_or_default();
        let texts: Vec<_> = parts.collect();
        let ids = header::decode(header, texts.len())?;
        let sections = ids.into_iter().zip(texts);
        Ok(Self {
            sections: sections.map(|(id, text)| (id, text.to_owned())).collect(),
        })
    }
}

#[cfg(test)]
mod tests;
