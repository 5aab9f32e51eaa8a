//! Bits in digits of base64url, six a digit, most significant first: the form of IAB's strings.

/// The digits by their values (RFC 4648, section 5).
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Bits of a digit.
const DIGIT: usize = 6;

/// Collects bits.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    /// The bits after the last whole digit.
    pending: u8,
    /// Number of all bits.
    len: usize,
}

impl Writer {
    /// Adds one bit.
    pub(crate) fn bit(&mut self, bit: bool) {
        self.pending = self.pending << 1 | u8::from(bit);
        self.len += 1;
        if self.len.is_multiple_of(DIGIT) {
            let digit = DIGITS.get(usize::from(self.pending)).copied();
            self.text.push(char::from(digit.unwrap_or_default())); // six bits are below 64
            self.pending = 0;
        }
    }

    /// Adds the lowest `width` bits of a number.
    pub(crate) fn number(&mut self, number: u64, width: u32) {
        for place in (0..width).rev() {
            self.bit(number >> place & 1 == 1);
        }
    }

    /// Adds zeros up to a multiple of `unit` bits.
    pub(crate) fn pad(&mut self, unit: usize) {
        while !self.len.is_multiple_of(unit) {
            self.bit(false);
        }
    }

    /// The digits of all bits.
    pub(crate) fn finish(mut self) -> String {
        self.pad(DIGIT);
        self.text
    }
}

/// Reads bits.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    digits: &'a [u8],
    /// Number of bits that were read.
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads the digits of a text. If the text has another character, returns that.
    pub(crate) fn new(text: &'a str) -> Result<Self, char> {
        match text.chars().find(|c| value(*c as u32).is_none()) {
            Some(stranger) => Err(stranger),
            None => Ok(Self {
                digits: text.as_bytes(),
                at: 0,
            }),
        }
    }

    /// The next bit; `None` at the end.
    pub(crate) fn bit(&mut self) -> Option<bool> {
        let digit = *self.digits.get(self.at / DIGIT)?;
        let place = DIGIT - 1 - self.at % DIGIT;
        self.at += 1;
        Some(value(u32::from(digit))? >> place & 1 == 1)
    }

    /// The number in the next `width` bits; `None` if fewer are left.
    pub(crate) fn number(&mut self, width: u32) -> Option<u64> {
        let mut number = 0;
        for _ in 0..width {
            number = number << 1 | u64::from(self.bit()?);
        }
        Some(number)
    }

    /// True if only zeros are left, as padding is.
    pub(crate) fn only_padding_is_left(mut self) -> bool {
        while let Some(bit) = self.bit() {
            if bit {
                return false;
            }
        }
        true
    }
}

/// The value of a digit.
fn value(c: u32) -> Option<u8> {
    let c = u8::try_from(c).ok()?;
    Some(match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_digit_has_its_value() {
        for (index, digit) in DIGITS.iter().enumerate() {
            assert_eq!(value(u32::from(*digit)).map(usize::from), Some(index));
        }
        for stranger in ['+', '/', '=', '.', '~', ' ', '\u{141}'] {
            assert_eq!(Reader::new(&format!("A{stranger}")).err(), Some(stranger));
        }
    }

    #[test]
    fn numbers_come_back_and_the_end_is_seen() {
        let mut bits = Writer::default();
        bits.number(5, 3);
        bits.number(u64::from(u16::MAX) - 1, 16);
        bits.bit(true);
        bits.pad(8);
        let text = bits.finish();
        assert_eq!(text.len(), 4); // 20 bits, padded to 24
        let mut bits = Reader::new(&text).unwrap();
        assert_eq!(bits.number(3), Some(5));
        assert_eq!(bits.number(16), Some(u64::from(u16::MAX) - 1));
        assert!(!bits.clone().only_padding_is_left());
        assert_eq!(bits.bit(), Some(true));
        assert!(bits.clone().only_padding_is_left());
        assert_eq!(bits.number(4), Some(0));
        assert_eq!(bits.number(1), None);
    }
}
