//! The header of a GPP string ("Header Encoding").

use super::{Error, UNIT, fibonacci};
use crate::bits::{Reader, Writer};

/// Says that a header follows. With the version it makes the `DB` in front of GPP strings.
const TYPE: u64 = 3;
const VERSION: u64 = 1;
/// Bits of the type and of the version.
const WORD: u32 = 6;
/// Bits of the number of ranges.
const RANGES: u32 = 12;

/// Writes the header of these sections, which are ascending.
pub(super) fn encode(ids: &[u16]) -> String {
    let ranges: Vec<_> = ids.chunk_by(|id, next| id + 1 == *next).collect();
    let mut bits = Writer::default();
    bits.number(TYPE, WORD);
    bits.number(VERSION, WORD);
    bits.number(ranges.len() as u64, RANGES);
    let mut before = 0;
    for range in ranges {
        let [first, others @ ..] = range else {
            continue;
        };
        let last = others.last().unwrap_or(first);
        bits.bit(last != first);
        fibonacci::write(&mut bits, first - before);
        if last != first {
            fibonacci::write(&mut bits, last - first);
        }
        before = *last;
    }
    bits.pad(UNIT);
    bits.finish()
}

/// Reads a header that `count` sections follow. Padding may have any length.
pub(super) fn decode(text: &str, count: usize) -> Result<Vec<u16>, Error> {
    let mut bits = Reader::new(text).map_err(Error::Character)?;
    let mut number = |width| bits.number(width).ok_or(Error::Truncated);
    if number(WORD)? != TYPE {
        return Err(Error::NoHeader);
    }
    let version = number(WORD)?;
    if version != VERSION {
        return Err(Error::HeaderVersion(version));
    }
    let ranges = number(RANGES)?;
    let mut ids = Vec::new();
    let mut before = 0_u16;
    for _ in 0..ranges {
        let is_range = bits.bit().ok_or(Error::Truncated)?;
        let mut after = |id: u16| {
            id.checked_add(fibonacci::read(&mut bits)?)
                .ok_or(Error::SectionId)
        };
        let first = after(before)?;
        let last = if is_range { after(first)? } else { first };
        // A range of thousands is no longer than one of two.
        if ids.len() + usize::from(last - first) >= count {
            return Err(Error::Sections);
        }
        ids.extend(first..=last);
        before = last;
    }
    if !bits.only_padding_is_left() {
        return Err(Error::Trailing);
    }
    if ids.len() != count {
        return Err(Error::Sections);
    }
    Ok(ids)
}
