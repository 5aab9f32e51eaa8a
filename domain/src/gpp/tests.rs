//! Strings of the standard and of IAB's library, and random ones.

use super::*;

const TC: &str = "CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA";

fn gpp(sections: &[(u16, &str)]) -> GppString {
    let sections = sections.iter().map(|(id, text)| (*id, (*text).to_owned()));
    GppString {
        sections: sections.collect(),
    }
}

fn national() -> UsSection {
    UsSection::new(UsLayout::named("usnat").unwrap())
}

#[test]
fn the_strings_of_the_standard_are_read() {
    let us = "1YNN";
    let one = format!("DBABM~{TC}");
    assert_eq!(GppString::decode(&one), Ok(gpp(&[(2, TC)])));
    let two = format!("DBACNY~{TC}~{us}");
    assert_eq!(GppString::decode(&two), Ok(gpp(&[(2, TC), (6, us)])));
    let canada = format!("DBABjw~{TC}~{us}");
    assert_eq!(GppString::decode(&canada), Ok(gpp(&[(5, TC), (6, us)])));
}

#[test]
fn headers_are_those_of_the_library_of_iab() {
    for (ids, header) in [
        (vec![2], "DBABMA"),
        (vec![7], "DBABLA"),
        (vec![2, 7], "DBACMMA"),
        (vec![2, 6], "DBACNYA"),
        (vec![5, 6], "DBABjw"),
    ] {
        let sections: Vec<_> = ids.iter().map(|id| (*id, "x")).collect();
        let text = gpp(&sections).encode();
        assert_eq!(text, format!("{header}{}", "~x".repeat(ids.len())));
        assert_eq!(GppString::decode(&text), Ok(gpp(&sections)));
    }
}

#[test]
fn browsers_write_these_headers() {
    let script = include_str!("../../../sdk-wasm/js/gpp.js");
    for (ids, place) in [(vec![2], "2"), (vec![7], "7"), (vec![2, 7], "'2,7'")] {
        let sections: Vec<_> = ids.iter().map(|id| (*id, "x")).collect();
        let text = gpp(&sections).encode();
        let (header, _) = text.split_once('~').unwrap();
        let written = format!("{place}: '{header}'");
        assert!(script.contains(&written), "{written}");
    }
}

#[test]
fn a_refusal_of_everything_is_the_string_of_the_library_of_iab() {
    let mut section = national();
    for field in [
        "SharingNotice",
        "SaleOptOutNotice",
        "SharingOptOutNotice",
        "TargetedAdvertisingOptOutNotice",
        "SaleOptOut",
        "SharingOptOut",
        "TargetedAdvertisingOptOut",
    ] {
        section.set(field, &[1]).unwrap();
    }
    section.set_gpc(true);
    let string = gpp(&[(7, &section.encode())]);
    assert_eq!(string.encode(), "DBABLA~CVQVAAAAAACA.YA");
    let read = GppString::decode("DBABLA~CVQVAAAAAACA.YA").unwrap();
    assert_eq!(read, string);
    let text = &read.sections[&7];
    assert_eq!(UsSection::decode(section.layout(), text), Ok(section));
}

#[test]
fn sections_come_back_and_their_truncations_are_errors() {
    for layout in UsLayout::all() {
        let mut section = UsSection::new(layout);
        for (index, (field, count)) in layout.fields().enumerate() {
            let values: Vec<u8> = (0..count).map(|at| ((index + at) % 3) as u8).collect();
            section.set(field, &values).unwrap();
            assert_eq!(section.get(field), Some(values.as_slice()));
        }
        section.set_gpc(true);
        let text = section.encode();
        assert_eq!(
            UsSection::decode(layout, &text),
            Ok(section.clone()),
            "{text}"
        );
        for end in 0..text.len() {
            if let Ok(read) = UsSection::decode(layout, &text[..end]) {
                let is_whole = read == section && text[end..].bytes().all(|digit| digit == b'A');
                let is_core = read.gpc().is_none() && text.starts_with(&read.encode());
                assert!(is_whole || is_core, "{text} {end}");
            }
        }
    }
}

#[test]
fn headers_of_all_sections_come_back() {
    let mut seed = 1_u64;
    for _ in 0..2000 {
        let mut sections = GppString::default();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        for id in 0..40_u16 {
            if seed >> (id + 20) & 1 == 1 {
                let id = 1 + id * if id > 27 { 1600 } else { 1 };
                sections.sections.insert(id, "x".to_owned());
            }
        }
        let text = sections.encode();
        assert_eq!(GppString::decode(&text), Ok(sections), "{text}");
    }
}

/// A fuzzer of its own, without a tool: the same texts each time.
#[test]
fn arbitrary_texts_do_no_harm() {
    let mut seed = 5_u64;
    let mut below = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % most
    };
    let digits: Vec<char> = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~."
        .chars()
        .collect();
    let wholes = [
        "DBABMA~",
        "DBABLA~CVQVAAAAAACA.YA",
        "DBACMMA~x~y",
        "CVQVAAAAAACA.YA",
        "",
    ];
    let (mut strings, mut sections) = (0, 0);
    for _ in 0..20_000 {
        let mut text: Vec<char> = wholes[below(wholes.len())].chars().collect();
        for _ in 0..=below(6) {
            let one = match below(20) {
                0 => char::from_u32(below(0x11_0000) as u32).unwrap_or('é'),
                _ => digits[below(digits.len())],
            };
            let at = below(text.len() + 1);
            match below(3) {
                0 => text.insert(at, one),
                1 if at < text.len() => text[at] = one,
                _ => text.truncate(text.len() - below(2).min(text.len())),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(read) = GppString::decode(&text) {
            strings += 1;
            assert_eq!(GppString::decode(&read.encode()), Ok(read), "{text}");
        }
        for layout in UsLayout::all() {
            if let Ok(read) = UsSection::decode(layout, &text) {
                sections += 1;
                assert_eq!(
                    UsSection::decode(layout, &read.encode()),
                    Ok(read),
                    "{text}"
                );
            }
        }
    }
    assert!(strings > 100 && sections > 20, "{strings} {sections}");
}

#[test]
fn each_defect_of_a_string_is_named() {
    let of = |text: &str| GppString::decode(text).unwrap_err();
    assert_eq!(of(&"D".repeat(MOST_CHARACTERS + 1)), Error::TooLong);
    assert_eq!(of("DBAB+"), Error::Character('+'));
    assert_eq!(of(TC), Error::NoHeader);
    assert_eq!(of("DCABMA~x"), Error::HeaderVersion(2));
    assert_eq!(of(""), Error::Truncated);
    assert_eq!(of("DBAB~x"), Error::Truncated);
    assert_eq!(of("DBABMB~x"), Error::Trailing);
    assert_eq!(of("DBABMA"), Error::Sections);
    assert_eq!(of("DBABMA~x~y"), Error::Sections);
    assert_eq!(of("DBABjw~x"), Error::Sections);
    assert_eq!(of("DBABAAAAAY~x"), Error::SectionId);
}

#[test]
fn each_defect_of_a_section_is_named() {
    let layout = UsLayout::named("usnat").unwrap();
    let of = |text: &str| UsSection::decode(layout, text).unwrap_err();
    assert_eq!(of("BVQVAAAAAACA"), Error::Version(1));
    assert_eq!(of("CVQVAAAAAAC"), Error::Truncated);
    assert_eq!(of("CVQVAAAAAACB"), Error::Trailing);
    assert_eq!(of("CwQVAAAAAACA"), Error::Value);
    assert_eq!(of("CVQVAAAAAACA."), Error::Truncated);
    assert_eq!(of("CVQVAAAAAACA.YB"), Error::Trailing);
    assert_eq!(of("CVQVAAAAAACA.gA"), Error::Subsection(2));
    assert_eq!(of("CVQVAAAAAACA.YA.QA"), Error::Subsection(1));
    assert_eq!(of("CVQVAAAA~ACA"), Error::Character('~'));
    let virginia = UsSection::new(UsLayout::named("usva").unwrap());
    let text = format!("{}.YA", virginia.encode());
    assert_eq!(
        UsSection::decode(virginia.layout(), &text),
        Err(Error::Subsection(1))
    );
    assert_eq!(
        UsSection::decode(virginia.layout(), &virginia.encode()),
        Ok(virginia)
    );
    let mut section = national();
    assert_eq!(section.set("SaleOptOut", &[3]), Err(Error::Value));
    assert_eq!(section.set("SaleOptOut", &[1, 1]), Err(Error::Field));
    assert_eq!(section.set("ProcessingNotice", &[1]), Err(Error::Field));
    assert_eq!(section.get("ProcessingNotice"), None);
    assert_eq!(section, national());
}

#[test]
fn numbers_and_names_of_sections_are_those_of_the_standard() {
    let names: Vec<_> = UsLayout::all().iter().map(|layout| layout.name).collect();
    let states = "nat ca va co ut ct fl mt or tx de ia ne nh nj tn mn";
    let expected: Vec<_> = states
        .split(' ')
        .map(|state| format!("us{state}"))
        .collect();
    assert_eq!(names, expected);
    assert!(UsLayout::all().iter().map(|layout| layout.id).eq(7..=23));
}
