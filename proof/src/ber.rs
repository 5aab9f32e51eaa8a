//! Reads ASN.1 in its basic encoding (ITU-T X.690), as far as time stamps need it. Their text is DER. The signed data
//! around it may have indefinite lengths (RFC 5652, section 5.1), and some authorities write them.

use std::borrow::Cow;

use crate::{Result, refused};

pub const BOOLEAN: u8 = 0x01;
pub const INTEGER: u8 = 0x02;
pub const OCTETS: u8 = 0x04;
pub const NULL: u8 = 0x05;
pub const OBJECT_ID: u8 = 0x06;
pub const UTF8: u8 = 0x0c;
pub const GENERALIZED_TIME: u8 = 0x18;
pub const SEQUENCE: u8 = 0x30;
pub const SET: u8 = 0x31;
/// The tag `[0]` around other elements.
pub const ZERO: u8 = 0xa0;
/// The tag `[1]` around other elements.
pub const ONE: u8 = 0xa1;

const CONSTRUCTED: u8 = 0x20;
/// Ends an element of indefinite length.
const END: [u8; 2] = [0, 0];
/// Most elements of indefinite length in each other.
const MOST_DEPTH: usize = 16;

/// Bytes of elements that are still to be read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Reads an element, which must have this tag. Returns its content.
    pub fn take(&mut self, tag: u8) -> Result<Self> {
        match self.next(MOST_DEPTH)? {
            (found, content) if found == tag => Ok(content),
            _ => malformed(),
        }
    }

    /// Reads an element if the next one has this tag.
    pub fn take_if(&mut self, tag: u8) -> Result<Option<Self>> {
        if self.0.first() == Some(&tag) {
            return self.take(tag).map(Some);
        }
        Ok(None)
    }

    /// Reads octets, in one piece or in several.
    pub fn octets(&mut self) -> Result<Cow<'a, [u8]>> {
        let Some(mut pieces) = self.take_if(OCTETS | CONSTRUCTED)? else {
            return self.take(OCTETS).map(|octets| Cow::Borrowed(octets.0));
        };
        let mut octets = Vec::new();
        while !pieces.0.is_empty() {
            octets.extend_from_slice(pieces.take(OCTETS)?.0);
        }
        Ok(Cow::Owned(octets))
    }

    /// Refuses more elements.
    pub fn end(self) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        malformed()
    }

    /// Reads an element: its tag and content.
    fn next(&mut self, depth: usize) -> Result<(u8, Self)> {
        let (Some(&tag), Some(&length)) = (self.0.first(), self.0.get(1)) else {
            return malformed();
        };
        // No element of a time stamp has a longer tag.
        if tag & 0x1f == 0x1f {
            return malformed();
        }
        let rest = self.0.get(2..).unwrap_or_default();
        let (content, rest) = match length {
            0..0x80 => rest.split_at_checked(length.into()),
            0x80 if tag & CONSTRUCTED != 0 && depth > 0 => Some(indefinite(rest, depth - 1)?),
            0x81..=0x84 => {
                let split = rest.split_at_checked((length & 0x7f).into());
                split.and_then(|(length, rest)| {
                    let add = |length: usize, byte: &u8| (length << 8) | usize::from(*byte);
                    rest.split_at_checked(length.iter().fold(0, add))
                })
            }
            _ => None,
        }
        .map_or_else(malformed, Ok)?;
        self.0 = rest;
        Ok((tag, Self(content)))
    }
}

/// The content of an element of indefinite length, and the bytes behind it.
fn indefinite(bytes: &[u8], depth: usize) -> Result<(&[u8], &[u8])> {
    let mut inner = Reader(bytes);
    while !inner.0.starts_with(&END) {
        inner.next(depth)?;
    }
    let content = bytes.get(..bytes.len() - inner.0.len()).unwrap_or_default();
    Ok((content, inner.0.get(END.len()..).unwrap_or_default()))
}

/// The element with this tag and content, which is shorter than 128 bytes.
pub fn short(tag: u8, content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    debug_assert!(content.len() < 0x80, "a longer length has another form");
    let mut element = vec![tag, content.len() as u8];
    element.extend(content);
    element
}

fn malformed<T>() -> Result<T> {
    refused("the bytes of a time stamp are malformed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_in_each_form() {
        let long = [&[SEQUENCE, 0x82, 1, 0], [7; 256].as_slice()].concat();
        assert_eq!(Reader(&long).take(SEQUENCE).unwrap().0, [7; 256]);
        let open = [SEQUENCE, 0x80, SET, 0x80, INTEGER, 1, 5, 0, 0, 0, 0, 9];
        let mut reader = Reader(&open);
        let mut outer = reader.take(SEQUENCE).unwrap();
        assert_eq!(reader.0, [9]);
        let mut inner = outer.take(SET).unwrap();
        outer.end().unwrap();
        assert_eq!(inner.take(INTEGER).unwrap().0, [5]);
        inner.end().unwrap();
        let pieces = [0x24, 0x80, OCTETS, 1, 1, OCTETS, 2, 2, 3, 0, 0];
        assert_eq!(*Reader(&pieces).octets().unwrap(), [1, 2, 3]);
    }

    #[test]
    fn elements_without_an_end_are_refused() {
        let deep = [[SEQUENCE, 0x80]; 40].concat();
        for wrong in [
            &[][..],
            &[SEQUENCE],
            &[SEQUENCE, 1],
            &[SEQUENCE, 0x80, 0],
            &[SEQUENCE, 0x82, 1],
            &[SEQUENCE, 0x84, 255, 255, 255, 255, 1],
            &[SEQUENCE, 0x85, 0, 0, 0, 0, 0],
            &[OCTETS, 0x80, 0, 0],
            &[0x3f, 0x01, 0],
            &deep,
        ] {
            assert!(Reader(wrong).next(MOST_DEPTH).is_err(), "{wrong:?}");
        }
    }
}
