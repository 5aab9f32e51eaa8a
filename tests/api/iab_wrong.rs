//! Codecs and strings that are wrong in one place. The comparisons of `iab.rs` must notice each of them, else they would
//! show nothing.

use std::collections::BTreeSet;

use domain::{
    gpp::{GppString, UsLayout},
    tcf::{Ids, PublisherRestriction, RestrictionType, TcString},
};
use serde_json::{Value, json};
use tests::Oracle;

use crate::iab::{
    Random, answers, by_iab_gpp, by_lib_tcstring, document, meant, sections, unlike_ours,
    unlike_theirs,
};

/// Pieces of the browsers' codec, and what stands in their place.
const CODECS: [(&str, &str); 9] = [
    (
        "features: -12, purposes: -24",
        "purposes: -24, features: -12",
    ),
    ("runs.push([id, id])", "runs.push([id, id + 1])"),
    (
        "binary(purpose, 6) + binary(type, 2)",
        "binary(type, 2) + binary(purpose, 6)",
    ),
    ("digits('001' +", "digits('010' +"),
    ("wide ? number(16) : first", "first"),
    ("while (first <= last)", "while (first < last)"),
    ("ids.push(at + 1)", "ids.push(at)"),
    // Strings that say the same in more characters.
    ("runs.length < most", "runs.length < 0"),
    ("bits.length / 24) * 24", "bits.length / 24) * 24 + 24"),
];
/// The server writes no segment besides the vendors that were disclosed, so that strings of the library alone show this one.
const SEGMENTS: (&str, &str) = (
    "if (number(3) == 1) model.disclosed",
    "number(3); model.disclosed",
);
/// The library dates both times of a string on one day, so that strings of the server alone show this one.
const DATES: (&str, &str) = ("created: 36, updated: 36", "updated: 36, created: 36");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_codec_that_is_wrong_in_one_place_is_noticed() {
    const STRINGS: usize = 120;
    let theirs = Oracle::start("tcf.mjs", &[]).await;
    let question = json!({"make": STRINGS, "seed": 7});
    let made = answers(&theirs, "made", question).await;
    let mut random = Random::new(7);
    let ours: Vec<_> = (0..STRINGS).map(|_| random.tc_string()).collect();
    for mutant in CODECS.iter().chain([&DATES, &SEGMENTS]) {
        let (piece, wrong) = mutant;
        let codec = Oracle::start("codec.mjs", &[piece, wrong]).await;
        let noticed = unlike_theirs(&theirs, &codec, &made).await;
        assert_eq!(noticed.is_some(), *mutant != DATES, "library: {piece}");
        let noticed = unlike_ours(&codec, &ours).await;
        assert_eq!(noticed.is_some(), *mutant != SEGMENTS, "server: {piece}");
    }
}

/// A string with a value in each field, none of which another field has.
fn string() -> TcString {
    let ids = |list: &[u16]| list.iter().copied().collect::<Ids>();
    TcString {
        created: 20_000 * 864_000,
        last_updated: 20_001 * 864_000,
        cmp_id: 31,
        cmp_version: 7,
        consent_screen: 3,
        consent_language: "EN".to_owned(),
        vendor_list_version: 178,
        policy_version: 5,
        is_service_specific: true,
        use_non_standard_texts: false,
        special_feature_optins: ids(&[1]),
        purpose_consents: ids(&[1, 3]),
        purpose_legitimate_interests: ids(&[2, 7]),
        purpose_one_treatment: false,
        publisher_country_code: "FR".to_owned(),
        vendor_consents: ids(&[2, 8]),
        vendor_legitimate_interests: ids(&[12]),
        publisher_restrictions: Vec::new(),
        disclosed_vendors: Some(ids(&[2, 8, 12, 755])),
    }
}

/// The same string with another value in one field, for each field of the reference library's documents.
fn spoilt() -> Vec<(&'static str, TcString)> {
    let other = || [5].into_iter().collect::<Ids>();
    let rule = PublisherRestriction {
        purpose_id: 7,
        restriction_type: RestrictionType::RequireConsent,
        vendors: other(),
    };
    let change = |name, how: &dyn Fn(&mut TcString)| {
        let mut one = string();
        how(&mut one);
        (name, one)
    };
    vec![
        change("created", &|one| one.created -= 864_000),
        change("lastUpdated", &|one| one.last_updated += 864_000),
        change("cmpId", &|one| one.cmp_id += 1),
        change("cmpVersion", &|one| one.cmp_version += 1),
        change("consentScreen", &|one| one.consent_screen += 1),
        change("consentLanguage", &|one| one.consent_language = "EO".into()),
        change("vendorListVersion", &|one| one.vendor_list_version += 1),
        change("policyVersion", &|one| one.policy_version += 1),
        change("isServiceSpecific", &|one| one.is_service_specific = false),
        change("useNonStandardTexts", &|one| {
            one.use_non_standard_texts = true;
        }),
        change("specialFeatureOptins", &|one| {
            one.special_feature_optins = other();
        }),
        change("purposeConsents", &|one| one.purpose_consents = other()),
        change("purposeLegitimateInterests", &|one| {
            one.purpose_legitimate_interests = other();
        }),
        change("purposeOneTreatment", &|one| {
            one.purpose_one_treatment = true;
        }),
        change("publisherCountryCode", &|one| {
            one.publisher_country_code = "FS".into();
        }),
        change("vendorConsents", &|one| one.vendor_consents = other()),
        change("vendorLegitimateInterests", &|one| {
            one.vendor_legitimate_interests = other();
        }),
        change("publisherRestrictions", &|one| {
            one.publisher_restrictions.push(rule.clone());
        }),
        change("disclosedVendors", &|one| {
            one.disclosed_vendors = Some(other());
        }),
    ]
}

/// Names of the fields in which two documents differ.
fn differing(one: &Value, other: &Value) -> Vec<String> {
    let names = one.as_object().unwrap().keys();
    let differ = names.filter(|name| one[name.as_str()] != other[name.as_str()]);
    differ.cloned().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_string_that_is_wrong_in_one_field_is_noticed_by_whoever_reads_the_field() {
    let library = Oracle::start("tcf.mjs", &[]).await;
    let right = string();
    let spoilt = spoilt();
    let all: BTreeSet<_> = document(&right)
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let changed: BTreeSet<_> = spoilt.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(changed, all, "each field is changed");
    let texts: Vec<_> = spoilt
        .iter()
        .map(|(_, one)| one.encode().unwrap())
        .collect();
    let read = answers(&library, "read", json!({"read": texts})).await;
    for (index, (name, _)) in spoilt.iter().enumerate() {
        let text = &texts[index];
        assert_eq!(differing(&document(&right), &read[index]), [*name]);
        let mut seconds = vec![by_lib_tcstring(text)];
        // It reads no restrictions.
        if *name != "publisherRestrictions" {
            seconds.push(by_iab_gpp(text));
        }
        for found in seconds {
            let reads_it = found.get(*name).is_some();
            let expected: &[&str] = if reads_it { &[*name] } else { &[] };
            assert_eq!(
                differing(&found, &meant(&right, &found)),
                expected,
                "{found}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_section_of_the_states_that_is_wrong_in_one_field_is_noticed() {
    let library = Oracle::start("gpp.mjs", &[]).await;
    let mut random = Random::new(7);
    let (mut texts, mut rights) = (Vec::new(), Vec::new());
    for layout in UsLayout::all() {
        let right = random.us_section(layout);
        let whole = |section: String| GppString {
            sections: [(layout.id, section)].into(),
        };
        let mut put = |section: String| {
            texts.push(whole(section).encode());
            rights.push(sections(&whole(right.encode())));
        };
        for (field, _) in layout.fields() {
            let mut values = right.get(field).unwrap().to_vec();
            let last = values.last_mut().unwrap();
            *last = if *last == 1 { 2 } else { 1 };
            let mut wrong = right.clone();
            wrong.set(field, &values).unwrap();
            put(wrong.encode());
        }
        if let Some(gpc) = right.gpc() {
            let mut wrong = right.clone();
            wrong.set_gpc(!gpc);
            put(wrong.encode());
        }
    }
    let read = answers(&library, "read", json!({"read": texts})).await;
    for ((text, right), read) in texts.iter().zip(&rights).zip(&read) {
        assert_ne!(read, right, "{text}");
        let section = |all: &Value| all.as_object().unwrap().values().next().cloned();
        let (right, read) = (section(right).unwrap(), section(read).unwrap());
        assert_eq!(differing(&right, &read).len(), 1, "{text}");
    }
    assert!(texts.len() > 100, "{}", texts.len());
}
