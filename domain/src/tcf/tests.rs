//! Strings of the standard and of others, and random ones.

use super::*;

/// The string of the standard ("TC String Format").
const STANDARD: &str =
    "CQSbk4AQSbk4ANwAAAENAwCgAAAAAAAAAAYgACPAAAAA.IDKQA4AAgAKAGQAygAAA.YAAAAAAAAAAA";
/// One with consents, and with what the publisher may do itself.
const CHOSEN: &str = "CQuCLYAQuCLYAAfABBENAREgAPAAAEIAAAYgF5wBAABAAGAAQAvMABiIAAAA.IF5wBAABAAGAAQAvMAAA.cEAAAAAAAAAA";

fn ids(list: &[u16]) -> Ids {
    list.iter().copied().collect()
}

/// Tenths of a second from 1970 to a day.
fn day(days: u64) -> u64 {
    days * 864_000
}

/// The string of the standard, read.
fn standard() -> TcString {
    TcString {
        created: day(20_242), // 2025-06-03
        last_updated: day(20_242),
        cmp_id: 880,
        cmp_version: 0,
        consent_screen: 0,
        consent_language: "EN".into(),
        vendor_list_version: 48,
        policy_version: 2,
        is_service_specific: true,
        use_non_standard_texts: false,
        special_feature_optins: Ids::default(),
        purpose_consents: Ids::default(),
        purpose_legitimate_interests: Ids::default(),
        purpose_one_treatment: false,
        publisher_country_code: "DE".into(),
        vendor_consents: ids(&[1, 2, 3, 4]),
        vendor_legitimate_interests: Ids::default(),
        publisher_restrictions: Vec::new(),
        disclosed_vendors: Some(ids(&[1, 2, 3, 4, 5, 100, 404])),
    }
}

/// The same numbers in every run.
struct Random(fastrand::Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0.u64(..end)
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn letters(&mut self) -> String {
        (0..2)
            .map(|_| char::from(b'A' + self.below(26) as u8))
            .collect()
    }

    /// Ids up to `max`: none, few, in runs, or every second one.
    fn ids(&mut self, max: u16) -> Ids {
        let every = [u64::MAX, 40, 5, 2, 1][self.below(5) as usize];
        let mut is_in = false;
        (1..=max)
            .filter(|_| {
                if every != u64::MAX && self.below(every) == 0 {
                    is_in = !is_in;
                }
                is_in
            })
            .collect()
    }

    fn vendors(&mut self) -> Ids {
        let max = [1, 44, 45, 46, 100, 1600, u16::MAX][self.below(7) as usize];
        if max == u16::MAX {
            let one = self.below(65_535) as u16 + 1;
            return [1..=one, u16::MAX..=u16::MAX].into_iter().collect();
        }
        self.ids(max)
    }

    fn string(&mut self) -> TcString {
        TcString {
            created: self.below(1 << 36),
            last_updated: self.below(1 << 36),
            cmp_id: self.below(1 << 12) as u16,
            cmp_version: self.below(1 << 12) as u16,
            consent_screen: self.below(1 << 6) as u8,
            consent_language: self.letters(),
            vendor_list_version: self.below(1 << 12) as u16,
            policy_version: self.below(1 << 6) as u8,
            is_service_specific: self.flag(),
            use_non_standard_texts: self.flag(),
            special_feature_optins: self.ids(12),
            purpose_consents: self.ids(24),
            purpose_legitimate_interests: self.ids(24),
            purpose_one_treatment: self.flag(),
            publisher_country_code: self.letters(),
            vendor_consents: self.vendors(),
            vendor_legitimate_interests: self.vendors(),
            publisher_restrictions: self.restrictions(),
            disclosed_vendors: self.flag().then(|| self.vendors()),
        }
    }

    fn restrictions(&mut self) -> Vec<PublisherRestriction> {
        let mut rules = Vec::new();
        for purpose_id in 1..64 {
            for number in 0..3 {
                if self.below(60) != 0 {
                    continue;
                }
                let vendors = self.vendors();
                if !vendors.is_empty() {
                    rules.push(PublisherRestriction {
                        purpose_id,
                        restriction_type: RestrictionType::of(number).unwrap(),
                        vendors,
                    });
                }
            }
        }
        rules
    }
}

/// A segment of these bits, each given as `0` or `1`, padded to whole digits.
fn digits(bits: &str) -> String {
    let mut writer = crate::bits::Writer::default();
    for bit in bits.bytes().filter(|byte| *byte != b' ') {
        writer.bit(bit == b'1');
    }
    writer.finish()
}

/// A core segment whose vendor sections and restrictions are these bits.
fn core(bits: &str) -> String {
    digits(&format!(
        "000010 {0:036b} {0:036b} {1:012b} {0:012b} {0:06b} {0:012b} {0:012b} {0:06b} 1 0 {0:012b} {0:024b} {0:024b} 0 {0:012b} {bits}",
        0, 2
    ))
}

const NO_VENDORS: &str = "0000000000000000 0";
const NO_RULES: &str = "000000000000";

#[test]
fn the_string_of_the_standard_is_read_and_written() {
    assert_eq!(TcString::decode(STANDARD), Ok(standard()));
    // The last segment is the publisher's own and stays out.
    let (own, _) = STANDARD.rsplit_once('.').unwrap();
    assert_eq!(standard().encode().as_deref(), Ok(own));
}

#[test]
fn consents_objections_and_disclosures_are_read_and_written() {
    let string = TcString::decode(CHOSEN).unwrap();
    assert_eq!(string.created, day(20_778)); // 2026-11-21
    assert_eq!(
        (string.cmp_id, string.cmp_version, string.consent_screen),
        (31, 1, 1)
    );
    assert_eq!((string.vendor_list_version, string.policy_version), (17, 4));
    assert_eq!(string.publisher_country_code, "DE");
    assert_eq!(string.purpose_consents, ids(&[1, 2, 3, 4]));
    assert_eq!(string.purpose_legitimate_interests, ids(&[2, 7]));
    assert_eq!(string.vendor_consents, ids(&[2, 6, 8, 755]));
    assert_eq!(string.vendor_legitimate_interests, ids(&[2, 6]));
    assert_eq!(string.disclosed_vendors, Some(ids(&[2, 6, 8, 755])));
    let (own, _) = CHOSEN.rsplit_once('.').unwrap();
    assert_eq!(string.encode().as_deref(), Ok(own));
}

#[test]
fn older_strings_and_abolished_segments_are_tolerated() {
    let old = TcString::decode("COrVd1pOrVd1pACABCENAHCAAAAAAAAAAAiQAAAAAAAA").unwrap();
    assert_eq!((old.cmp_id, old.is_service_specific), (2, false));
    assert_eq!(
        (old.disclosed_vendors, old.publisher_country_code.as_str()),
        (None, "ES")
    );
    // Segments may have any order; vendor 3 is in AllowedVendors.
    let (first, others) = STANDARD.split_once('.').unwrap();
    let (disclosed, publisher) = others.split_once('.').unwrap();
    let allowed = digits("010 0000000000000011 0 001");
    let mixed = format!("{first}.{publisher}.{allowed}.{disclosed}");
    assert_eq!(TcString::decode(&mixed), Ok(standard()));
    // A publisher with three purposes of its own.
    let purposes = format!("011 {:024b} {:024b} 000011 101 010", 1, 2);
    let own = format!("{first}.{}.{disclosed}", digits(&purposes));
    assert_eq!(TcString::decode(&own), Ok(standard()));
    let cut = format!("{first}.{disclosed}.{}", digits(&purposes[..57]));
    assert_eq!(
        TcString::decode(&cut),
        Err(Error::Truncated(Segment::PublisherTc))
    );
}

#[test]
fn every_truncation_is_an_error_or_takes_only_padding() {
    let mut random = Random::new(7);
    let random: Vec<_> = (0..200)
        .filter_map(|_| random.string().encode().ok())
        .filter(|text| text.len() < 300)
        .collect();
    assert!(random.len() > 10, "{}", random.len());
    for text in [STANDARD, CHOSEN]
        .into_iter()
        .chain(random.iter().map(String::as_str))
    {
        let whole = TcString::decode(text).unwrap();
        for end in 0..text.len() {
            let cut = &text[..end];
            let segments = |text: &str| text.split('.').count();
            let Ok(read) = TcString::decode(cut) else {
                continue;
            };
            if segments(cut) == 1 && segments(text) > 1 {
                assert_eq!(read.disclosed_vendors, None, "{cut}");
                assert_eq!(read.vendor_consents, whole.vendor_consents, "{cut}");
            } else {
                assert_eq!(read, whole, "{cut}");
            }
            let rest = text[end..].split('.').next().unwrap_or_default();
            assert!(
                rest.bytes().all(|digit| digit == b'A') && rest.len() < 4,
                "{cut}"
            );
        }
    }
}

#[test]
fn random_strings_come_back() {
    let mut random = Random::new(1);
    let mut longest = 0;
    for _ in 0..500 {
        let string = random.string();
        match string.encode() {
            Ok(text) => {
                longest = longest.max(text.len());
                assert_eq!(TcString::decode(&text).as_ref(), Ok(&string), "{text}");
                assert!(
                    text.split('.')
                        .all(|segment| segment.len().is_multiple_of(4))
                );
            }
            Err(error) => assert_eq!(error, Error::TooLong),
        }
    }
    assert!(longest > MOST_CHARACTERS / 2, "{longest}");
}

#[test]
fn random_texts_do_no_harm() {
    let mut random = Random::new(3);
    for _ in 0..5000 {
        let mut text = [STANDARD, CHOSEN][random.below(2) as usize]
            .as_bytes()
            .to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len() as u64) as usize;
            text[at] = b"ABCabcxyz019-_.~"[random.below(16) as usize];
        }
        let text = String::from_utf8(text).unwrap();
        if let Ok(string) = TcString::decode(&text) {
            let again = string.encode().unwrap();
            assert_eq!(TcString::decode(&again), Ok(string), "{text}");
        }
    }
}

/// A fuzzer of its own, without a tool: the same texts each time, of all characters and lengths.
#[test]
fn arbitrary_texts_do_no_harm() {
    let mut random = Random::new(11);
    let digits: Vec<char> = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
        .chars()
        .collect();
    let mut read = 0;
    for _ in 0..10_000 {
        let whole = [STANDARD, CHOSEN, "C", ""][random.below(4) as usize];
        let mut text: Vec<char> = whole.chars().collect();
        let most = 4_u64.pow(random.below(5) as u32);
        for _ in 0..random.below(1 + most) {
            let one = match random.below(200) {
                0 => char::from_u32(random.below(0x11_0000) as u32).unwrap_or('é'),
                _ => digits[random.below(digits.len() as u64) as usize],
            };
            let at = random.below(text.len() as u64 + 1) as usize;
            match random.below(3) {
                0 if at < text.len() => text[at] = one,
                1 => text.truncate(at.max(text.len().saturating_sub(2))),
                _ => text.insert(at, one),
            }
        }
        let text: String = text.into_iter().collect();
        let Ok(string) = TcString::decode(&text) else {
            continue;
        };
        read += 1;
        match string.encode() {
            Ok(again) => assert_eq!(TcString::decode(&again), Ok(string), "{text}"),
            Err(error) => assert_eq!(error, Error::TooLong, "{text}"),
        }
    }
    assert!(read > 500, "{read}");
}

#[test]
fn a_section_takes_its_shorter_form() {
    let bits = |vendors: Ids| {
        let string = TcString {
            disclosed_vendors: Some(vendors),
            ..standard()
        };
        let text = string.encode().unwrap();
        let (_, segment) = text.split_once('.').unwrap();
        segment.len() * 6
    };
    let padded = |bits: usize| bits.next_multiple_of(24);
    let header = 3 + 16 + 1;
    // A bit for each, up to the width of a range with its count.
    assert_eq!(bits([1..=45].into_iter().collect()), padded(header + 45));
    assert_eq!(
        bits([1..=46].into_iter().collect()),
        padded(header + 12 + 33)
    );
    assert_eq!(
        bits([1..=1600].into_iter().collect()),
        padded(header + 12 + 33)
    );
    assert_eq!(bits(ids(&[1600])), padded(header + 12 + 17));
    assert_eq!(
        bits((1..=100).filter(|id| id % 2 == 1).collect()),
        padded(header + 99)
    );
    // Many ranges, of which there could be too many to count.
    let many: Ids = (0..4096).map(|at| 1 + at * 9).collect();
    assert_eq!(bits(many), padded(header + 1 + 4095 * 9));
    // Equally long: the bits, as in most strings.
    let string = TcString {
        disclosed_vendors: Some([1..=45].into_iter().collect()),
        ..standard()
    };
    let text = string.encode().unwrap();
    let (_, segment) = text.split_once('.').unwrap();
    let mut bits = crate::bits::Reader::new(segment).unwrap();
    assert_eq!(
        (bits.number(3), bits.number(16), bits.bit()),
        (Some(1), Some(45), Some(false))
    );
}

#[test]
fn many_wide_restrictions_take_little_room() {
    // 140 times all vendors for the same purpose and type, and as often for others.
    let all = "1 0000000000000001 1111111111111111";
    let rule = |number| format!("{:06b} 01 000000000001 {all}", 1 + number % 7);
    let rules = (0..140).map(rule).collect::<Vec<_>>().concat();
    let text = core(&format!("{NO_VENDORS} {NO_VENDORS} {:012b} {rules}", 140));
    let string = TcString::decode(&text).unwrap();
    assert_eq!(string.publisher_restrictions.len(), 7);
    for rule in string.publisher_restrictions {
        assert_eq!(rule.vendors.ranges(), [(1, u16::MAX)]);
    }
}

#[test]
fn each_defect_is_named() {
    let of = |text: &str| TcString::decode(text).unwrap_err();
    assert_eq!(of(""), Error::EmptySegment);
    assert_eq!(of(&format!("{STANDARD}.")), Error::EmptySegment);
    assert_eq!(of(&"A".repeat(MOST_CHARACTERS + 1)), Error::TooLong);
    assert_eq!(of("CQ+b"), Error::Character('+'));
    assert_eq!(of("BOEFEAyOEFEAyAHABDENAI4AAAB9vABAASA"), Error::Version(1));
    assert_eq!(of("Cé"), Error::Character('é'));
    let (first, others) = STANDARD.split_once('.').unwrap();
    assert_eq!(of(&format!("{first}.{first}")), Error::UnknownSegment(0));
    assert_eq!(of(&format!("{first}.gAAA")), Error::UnknownSegment(4));
    let disclosed = others.split('.').next().unwrap();
    let twice = format!("{STANDARD}.{disclosed}");
    assert_eq!(
        of(&twice),
        Error::RepeatedSegment(Segment::DisclosedVendors)
    );
    assert_eq!(of(&first[..40]), Error::Truncated(Segment::Core));
    assert_eq!(
        of(&format!("{first}.IDK")),
        Error::Truncated(Segment::DisclosedVendors)
    );
    assert_eq!(
        of(&format!("{first}.Y")),
        Error::Truncated(Segment::PublisherTc)
    );
    assert_eq!(of(&format!("{first}B")), Error::Trailing(Segment::Core));
    // A bit field that announces more vendors than follow.
    let cut = "CQd924AQd924AASACCENCNFsAP_gAEIAACiQL6QBAAGAAOANmAcAF9IAIADgAA.IL6AAAA.YIAAAAAAAAAA";
    assert_eq!(of(cut), Error::Truncated(Segment::DisclosedVendors));
    let letters = STANDARD.replacen("EN", "aN", 1);
    assert_eq!(of(&letters), Error::Letters(Field::ConsentLanguage));
    let section = |entries: &str| {
        core(&format!(
            "0000000000001000 1 {entries} {NO_VENDORS} {NO_RULES}"
        ))
    };
    let range = |first: u16, last: u16| format!("000000000001 1 {first:016b} {last:016b}");
    assert!(TcString::decode(&section(&range(7, 8))).is_ok());
    assert_eq!(
        of(&section(&range(8, 7))),
        Error::Range { first: 8, last: 7 }
    );
    assert_eq!(
        of(&section(&range(0, 7))),
        Error::Range { first: 0, last: 7 }
    );
    assert_eq!(
        of(&section(&range(7, 9))),
        Error::AboveMax { id: 9, max: 8 }
    );
    let rule = |rule: &str| {
        core(&format!(
            "{NO_VENDORS} {NO_VENDORS} 000000000001 {rule} {}",
            range(1, 2)
        ))
    };
    assert!(TcString::decode(&rule("000001 10")).is_ok());
    assert_eq!(of(&rule("000000 10")), Error::NoPurpose);
    assert_eq!(of(&rule("000001 11")), Error::RestrictionType);
}

#[test]
fn values_without_room_are_refused() {
    let of = |change: fn(&mut TcString)| {
        let mut string = standard();
        change(&mut string);
        string.encode().unwrap_err()
    };
    assert_eq!(of(|s| s.created = 1 << 36), Error::TooLarge(Field::Created));
    assert_eq!(of(|s| s.cmp_id = 4096), Error::TooLarge(Field::CmpId));
    assert_eq!(
        of(|s| s.consent_screen = 64),
        Error::TooLarge(Field::ConsentScreen)
    );
    assert_eq!(
        of(|s| s.vendor_list_version = 4096),
        Error::TooLarge(Field::VendorListVersion)
    );
    assert_eq!(
        of(|s| s.purpose_consents = ids(&[25])),
        Error::TooLarge(Field::PurposesConsent)
    );
    let features = of(|s| s.special_feature_optins = ids(&[13]));
    assert_eq!(features, Error::TooLarge(Field::SpecialFeatureOptIns));
    assert_eq!(
        of(|s| s.consent_language = "fra".into()),
        Error::Letters(Field::ConsentLanguage)
    );
    assert_eq!(
        of(|s| s.publisher_country_code = "É".into()),
        Error::Letters(Field::PublisherCc)
    );
    let rule = |purpose_id, vendors| PublisherRestriction {
        purpose_id,
        restriction_type: RestrictionType::NotAllowed,
        vendors,
    };
    let with = |rule| TcString {
        publisher_restrictions: vec![rule],
        ..standard()
    };
    assert_eq!(with(rule(0, ids(&[1]))).encode(), Err(Error::NoPurpose));
    let full = Err(Error::TooLarge(Field::PublisherRestrictions));
    assert_eq!(with(rule(64, ids(&[1]))).encode(), full);
    let scattered = (0..4096).map(|at| 1 + 2 * at).collect();
    assert_eq!(with(rule(1, scattered)).encode(), full);
    assert_eq!(with(rule(1, Ids::default())).encode(), standard().encode());
    let small = TcString {
        consent_language: "en".into(),
        ..standard()
    };
    assert_eq!(small.encode(), standard().encode());
    let wide = TcString {
        vendor_consents: (1..=u16::MAX).step_by(2).collect(),
        ..standard()
    };
    assert_eq!(wide.encode(), Err(Error::TooLong));
}

#[test]
fn a_string_is_a_document_with_the_names_of_the_reference_library() {
    let mut string = TcString::decode(CHOSEN).unwrap();
    string.publisher_restrictions.push(PublisherRestriction {
        purpose_id: 7,
        restriction_type: RestrictionType::RequireConsent,
        vendors: ids(&[8, 2]),
    });
    let document = serde_json::to_value(&string).unwrap();
    assert_eq!(
        document["vendorConsents"],
        serde_json::json!([2, 6, 8, 755])
    );
    assert_eq!(
        document["publisherRestrictions"],
        serde_json::json!([{"purposeId": 7, "restrictionType": 1, "vendors": [2, 8]}])
    );
    string.disclosed_vendors = None;
    let document = serde_json::to_value(&string).unwrap();
    assert!(document.get("disclosedVendors").is_none());
}
