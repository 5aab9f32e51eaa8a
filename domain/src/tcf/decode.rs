//! Text to model.

use std::collections::BTreeMap;

use super::{
    Error, Field, Ids, MOST_CHARACTERS, PublisherRestriction, RestrictionType, TcString,
    segment::{Segment, VERSION, width},
};
use crate::bits::Reader;

type Result<T> = core::result::Result<T, Error>;

impl TcString {
    /// Reads a TC string ("TC String Format"). Padding may have any length, because encoders differ there.
    pub fn decode(text: &str) -> Result<Self> {
        if text.len() > MOST_CHARACTERS {
            return Err(Error::TooLong);
        }
        let mut segments = text.split('.');
        let mut string = core(segments.next().unwrap_or_default())?;
        let mut seen: Vec<Segment> = Vec::new();
        for text in segments {
            let mut fields = Fields::open(text)?;
            if seen.contains(&fields.segment) {
                return Err(Error::RepeatedSegment(fields.segment));
            }
            seen.push(fields.segment);
            match fields.segment {
                Segment::DisclosedVendors => string.disclosed_vendors = Some(fields.vendors()?),
                Segment::PublisherTc => fields.publisher_tc()?,
                Segment::Core | Segment::AllowedVendors => drop(fields.vendors()?),
            }
            fields.end()?;
        }
        Ok(string)
    }
}

fn core(text: &str) -> Result<TcString> {
    let mut fields = Fields::of(text, Segment::Core)?;
    let version = fields.number(width::VERSION)?;
    if version != VERSION {
        return Err(Error::Version(version));
    }
    // The fields stand in the order of the format.
    let string = TcString {
        created: fields.number(width::TIME)?,
        last_updated: fields.number(width::TIME)?,
        cmp_id: fields.number(width::CMP_ID)? as u16,
        cmp_version: fields.number(width::CMP_VERSION)? as u16,
        consent_screen: fields.number(width::SCREEN)? as u8,
        consent_language: fields.letters(Field::ConsentLanguage)?,
        vendor_list_version: fields.number(width::LIST_VERSION)? as u16,
        policy_version: fields.number(width::POLICY_VERSION)? as u8,
        is_service_specific: fields.flag()?,
        use_non_standard_texts: fields.flag()?,
        special_feature_optins: fields.bit_field(width::SPECIAL_FEATURES)?,
        purpose_consents: fields.bit_field(width::PURPOSES)?,
        purpose_legitimate_interests: fields.bit_field(width::PURPOSES)?,
        purpose_one_treatment: fields.flag()?,
        publisher_country_code: fields.letters(Field::PublisherCc)?,
        vendor_consents: fields.vendors()?,
        vendor_legitimate_interests: fields.vendors()?,
        publisher_restrictions: fields.restrictions()?,
        disclosed_vendors: None,
    };
    fields.end()?;
    Ok(string)
}

/// The fields of a segment that are not read yet.
struct Fields<'a> {
    segment: Segment,
    bits: Reader<'a>,
}

impl<'a> Fields<'a> {
    fn of(text: &'a str, segment: Segment) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::EmptySegment);
        }
        let bits = Reader::new(text).map_err(Error::Character)?;
        Ok(Self { segment, bits })
    }

    /// Reads the number of a segment that follows the core segment.
    fn open(text: &'a str) -> Result<Self> {
        let mut fields = Self::of(text, Segment::Core)?;
        let number = fields.number(width::SEGMENT_TYPE)?;
        fields.segment = Segment::of(number).ok_or(Error::UnknownSegment(number))?;
        Ok(fields)
    }

    fn end(self) -> Result<()> {
        if self.bits.only_padding_is_left() {
            Ok(())
        } else {
            Err(Error::Trailing(self.segment))
        }
    }

    fn number(&mut self, width: u32) -> Result<u64> {
        self.bits
            .number(width)
            .ok_or(Error::Truncated(self.segment))
    }

    fn flag(&mut self) -> Result<bool> {
        self.bits.bit().ok_or(Error::Truncated(self.segment))
    }

    /// Two letters, A is 0.
    fn letters(&mut self, field: Field) -> Result<String> {
        let mut letters = String::new();
        for _ in 0..2 {
            match self.number(width::LETTER)? as u8 {
                number @ 0..26 => letters.push(char::from(b'A' + number)),
                _ => return Err(Error::Letters(field)),
            }
        }
        Ok(letters)
    }

    /// A bit for each id up to `max`.
    fn bit_field(&mut self, max: u16) -> Result<Ids> {
        let mut ids = Vec::new();
        for id in 1..=max {
            if self.flag()? {
                ids.push(id);
            }
        }
        Ok(ids.into_iter().collect())
    }

    /// A section of vendors ("Vendor Consent Section").
    fn vendors(&mut self) -> Result<Ids> {
        let max = self.number(width::VENDOR)? as u16;
        if !self.flag()? {
            return self.bit_field(max);
        }
        let ids: Ids = self.entries()?.into_iter().collect();
        match ids.max() {
            Some(id) if id > max => Err(Error::AboveMax { id, max }),
            _ => Ok(ids),
        }
    }

    /// Ranges, with their number before them ("RangeEntry").
    fn entries(&mut self) -> Result<Vec<core::ops::RangeInclusive<u16>>> {
        let mut ranges = Vec::new();
        for _ in 0..self.number(width::ENTRIES)? {
            let is_range = self.flag()?;
            let first = self.number(width::VENDOR)? as u16;
            let last = if is_range {
                self.number(width::VENDOR)? as u16
            } else {
                first
            };
            if first == 0 || first > last {
                return Err(Error::Range { first, last });
            }
            ranges.push(first..=last);
        }
        Ok(ranges)
    }

    /// The rules of the publisher. Several for one purpose and type become one.
    fn restrictions(&mut self) -> Result<Vec<PublisherRestriction>> {
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for _ in 0..self.number(width::ENTRIES)? {
            let purpose = self.number(width::PURPOSE)? as u8;
            if purpose == 0 {
                return Err(Error::NoPurpose);
            }
            let number = self.number(width::RESTRICTION_TYPE)?;
            let kind = RestrictionType::of(number).ok_or(Error::RestrictionType)?;
            let ranges = self.entries()?;
            found.entry((purpose, kind)).or_default().extend(ranges);
        }
        Ok(found
            .into_iter()
            .filter(|(_, ranges)| !ranges.is_empty())
            .map(
                |((purpose_id, restriction_type), ranges)| PublisherRestriction {
                    purpose_id,
                    restriction_type,
                    vendors: ranges.into_iter().collect(),
                },
            )
            .collect())
    }

    /// Checks the segment of publishers themselves ("Publisher Purposes Transparency and Consent").
    fn publisher_tc(&mut self) -> Result<()> {
        self.bit_field(width::PURPOSES)?;
        self.bit_field(width::PURPOSES)?;
        let custom = self.number(width::CUSTOM_PURPOSES)? as u16;
        self.bit_field(custom)?;
        self.bit_field(custom)?;
        Ok(())
    }
}
