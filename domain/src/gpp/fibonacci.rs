//! Numbers as sums of Fibonacci numbers: a bit for each, the smallest first, and a one behind the last ("About
//! Fibonacci Encoding"). No sum needs two neighbours, so two ones in a row end a number.

use super::Error;
use crate::bits::{Reader, Writer};

/// The Fibonacci numbers from 1 and 2 on that 16 bits hold.
const NUMBERS: [u16; 23] = [
    1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1_597, 2_584, 4_181, 6_765, 10_946,
    17_711, 28_657, 46_368,
];

/// Writes a number from 1 on.
pub(super) fn write(bits: &mut Writer, number: u16) {
    let mut rest = number;
    let mut sum = Vec::new();
    for part in NUMBERS.into_iter().rev().skip_while(|part| *part > number) {
        let is_in = part <= rest;
        if is_in {
            rest -= part;
        }
        sum.push(is_in);
    }
    for is_in in sum.into_iter().rev() {
        bits.bit(is_in);
    }
    bits.bit(true);
}

/// Reads a number.
pub(super) fn read(bits: &mut Reader<'_>) -> Result<u16, Error> {
    let mut number = 0_u16;
    let mut was_in = false;
    let mut parts = NUMBERS.into_iter();
    loop {
        let is_in = bits.bit().ok_or(Error::Truncated)?;
        if is_in && was_in {
            return Ok(number);
        }
        let part = parts.next();
        if is_in {
            number = part
                .and_then(|part| number.checked_add(part))
                .ok_or(Error::SectionId)?;
        }
        was_in = is_in;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_those_of_the_standard() {
        for (number, expected) in [
            (1, "11"),
            (2, "011"),
            (3, "0011"),
            (4, "1011"),
            (5, "00011"),
            (6, "10011"),
            (7, "01011"),
        ] {
            let mut bits = Writer::default();
            write(&mut bits, number);
            let text = bits.finish();
            let mut bits = Reader::new(&text).unwrap();
            let read: String = expected
                .bytes()
                .map(|_| if bits.bit().unwrap() { '1' } else { '0' })
                .collect();
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn every_number_comes_back_and_larger_ones_are_errors() {
        for number in 1..=u16::MAX {
            let mut bits = Writer::default();
            write(&mut bits, number);
            bits.bit(true);
            let text = bits.finish();
            let mut bits = Reader::new(&text).unwrap();
            assert_eq!(read(&mut bits), Ok(number));
            assert_eq!(bits.bit(), Some(true));
        }
        let of = |places: &[usize]| {
            let mut bits = Writer::default();
            for place in 0..30 {
                bits.bit(places.contains(&place));
            }
            let text = bits.finish();
            read(&mut Reader::new(&text).unwrap())
        };
        assert_eq!(of(&[20, 22, 23]), Ok(17_711 + 46_368));
        assert_eq!(of(&[0, 2, 20, 22, 24]), Err(Error::SectionId));
        assert_eq!(of(&[16, 18, 20, 22, 23]), Err(Error::SectionId));
        assert_eq!(of(&[23, 24]), Err(Error::SectionId));
        assert_eq!(of(&[3, 7, 29]), Err(Error::SectionId));
        assert_eq!(of(&[3]), Err(Error::Truncated));
    }
}
