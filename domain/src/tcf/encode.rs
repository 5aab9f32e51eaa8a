//! Model to text.

use super::{
    Error, Field, Ids, MOST_CHARACTERS, PublisherRestriction, TcString,
    segment::{Segment, VERSION, width},
};
use crate::bits::Writer;

type Result<T> = core::result::Result<T, Error>;

/// Bits to whose multiple a segment is padded: whole bytes and whole digits, as IAB's reference library does.
const UNIT: usize = 24;
/// Most ranges of a section.
const MOST_ENTRIES: usize = (1 << width::ENTRIES) - 1;

impl TcString {
    /// Writes the TC string ("TC String Format"), each section of vendors in its shorter form. Without
    /// disclosed vendors it is a string of before TCF 2.3.
    pub fn encode(&self) -> Result<String> {
        let mut text = core(self)?;
        if let Some(vendors) = &self.disclosed_vendors {
            let mut fields = Fields::default();
            fields.put(Segment::DisclosedVendors as u64, width::SEGMENT_TYPE);
            fields.vendors(vendors);
            text.push('.');
            text.push_str(&fields.finish());
        }
        if text.len() > MOST_CHARACTERS {
            return Err(Error::TooLong);
        }
        Ok(text)
    }
}

fn core(string: &TcString) -> Result<String> {
    let mut fields = Fields::default();
    // The fields stand in the order of the format.
    fields.put(VERSION, width::VERSION);
    fields.number(string.created, width::TIME, Field::Created)?;
    fields.number(string.last_updated, width::TIME, Field::LastUpdated)?;
    fields.number(string.cmp_id, width::CMP_ID, Field::CmpId)?;
    fields.number(string.cmp_version, width::CMP_VERSION, Field::CmpVersion)?;
    fields.number(string.consent_screen, width::SCREEN, Field::ConsentScreen)?;
    fields.letters(&string.consent_language, Field::ConsentLanguage)?;
    let list = string.vendor_list_version;
    fields.number(list, width::LIST_VERSION, Field::VendorListVersion)?;
    let policy = string.policy_version;
    fields.number(policy, width::POLICY_VERSION, Field::TcfPolicyVersion)?;
    fields.flag(string.is_service_specific);
    fields.flag(string.use_non_standard_texts);
    let features = &string.special_feature_optins;
    fields.bit_field(
        features,
        width::SPECIAL_FEATURES,
        Field::SpecialFeatureOptIns,
    )?;
    let consents = &string.purpose_consents;
    fields.bit_field(consents, width::PURPOSES, Field::PurposesConsent)?;
    let interests = &string.purpose_legitimate_interests;
    fields.bit_field(interests, width::PURPOSES, Field::PurposesLiTransparency)?;
    fields.flag(string.purpose_one_treatment);
    fields.letters(&string.publisher_country_code, Field::PublisherCc)?;
    fields.vendors(&string.vendor_consents);
    fields.vendors(&string.vendor_legitimate_interests);
    fields.restrictions(&string.publisher_restrictions)?;
    Ok(fields.finish())
}

/// The fields of a segment that are written.
#[derive(Default)]
struct Fields(Writer);

impl Fields {
    /// Writes a number that fits.
    fn put(&mut self, number: u64, width: u32) {
        self.0.number(number, width);
    }

    fn number(&mut self, number: impl Into<u64>, width: u32, field: Field) -> Result<()> {
        let number = number.into();
        if number >> width != 0 {
            return Err(Error::TooLarge(field));
        }
        self.put(number, width);
        Ok(())
    }

    fn flag(&mut self, flag: bool) {
        self.0.bit(flag);
    }

    /// Two letters, A is 0.
    fn letters(&mut self, letters: &str, field: Field) -> Result<()> {
        let upper = letters.to_ascii_uppercase();
        if upper.len() != 2 || !upper.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(Error::Letters(field));
        }
        for letter in upper.bytes() {
            self.put(u64::from(letter - b'A'), width::LETTER);
        }
        Ok(())
    }

    /// A bit for each id up to `max`.
    fn bits(&mut self, ids: &Ids, max: u16) {
        let mut next = 1..=max;
        for (first, last) in ids.ranges() {
            for id in next.by_ref() {
                self.flag(id >= *first);
                if id == *last {
                    break;
                }
            }
        }
        for _ in next {
            self.flag(false);
        }
    }

    fn bit_field(&mut self, ids: &Ids, max: u16, field: Field) -> Result<()> {
        if ids.max() > Some(max) {
            return Err(Error::TooLarge(field));
        }
        self.bits(ids, max);
        Ok(())
    }

    /// A section of vendors ("Vendor Consent Section"): ranges if they are shorter than a bit for each vendor.
    fn vendors(&mut self, ids: &Ids) {
        let max = ids.max().unwrap_or_default();
        let as_ranges = width::ENTRIES + ids.ranges().iter().copied().map(entry_width).sum::<u32>();
        // Ranges that are shorter are at most 3,854: their number has room.
        let is_range = as_ranges < u32::from(max);
        self.put(max.into(), width::VENDOR);
        self.flag(is_range);
        if is_range {
            self.entries(ids);
        } else {
            self.bits(ids, max);
        }
    }

    /// Ranges, with their number before them ("RangeEntry").
    fn entries(&mut self, ids: &Ids) {
        self.put(ids.ranges().len() as u64, width::ENTRIES);
        for (first, last) in ids.ranges() {
            self.flag(first != last);
            self.put((*first).into(), width::VENDOR);
            if first != last {
                self.put((*last).into(), width::VENDOR);
            }
        }
    }

    /// The rules of the publisher. A rule without vendors says nothing and is left out.
    fn restrictions(&mut self, restrictions: &[PublisherRestriction]) -> Result<()> {
        const FIELD: Field = Field::PublisherRestrictions;
        let used = || restrictions.iter().filter(|rule| !rule.vendors.is_empty());
        self.number(used().count() as u64, width::ENTRIES, FIELD)?;
        for rule in used() {
            if rule.purpose_id == 0 {
                return Err(Error::NoPurpose);
            }
            self.number(rule.purpose_id, width::PURPOSE, FIELD)?;
            self.put(rule.restriction_type as u64, width::RESTRICTION_TYPE);
            if rule.vendors.ranges().len() > MOST_ENTRIES {
                return Err(Error::TooLarge(FIELD));
            }
            self.entries(&rule.vendors);
        }
        Ok(())
    }

    fn finish(self) -> String {
        let Self(mut bits) = self;
        bits.pad(UNIT);
        bits.finish()
    }
}

/// Bits of a range, or of a single vendor.
fn entry_width((first, last): (u16, u16)) -> u32 {
    let ends = if first == last { 1 } else { 2 };
    1 + ends * width::VENDOR
}
