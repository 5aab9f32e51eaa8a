//! TC and GPP strings beside the libraries of IAB Tech Lab and two decoders by others. Random strings go both ways,
//! and everybody must read the same.

use std::collections::BTreeSet;

use domain::{
    gpp::{GppString, TCF_EU_V2, UsLayout, UsSection},
    tcf::{Ids, PublisherRestriction, RestrictionType, TcString},
};
use iab_gpp::{
    sections::{Section, tcfeuv2::TcfEuV2},
    v1::GPPString,
};
use lib_tcstring::TcModelV2;
use serde_json::{Map, Value, json};
use tests::Oracle;

/// Questions to a library, each of [`BATCH`] strings.
const BATCHES: u64 = 10;
const BATCH: usize = 1_000;

/// The same numbers in every run.
pub struct Random(fastrand::Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0.u64(..end)
    }

    fn letters(&mut self) -> String {
        let mut letter = || char::from(b'A' + self.below(26) as u8);
        [letter(), letter()].iter().collect()
    }

    /// Ids up to `max`: none, or runs of some length.
    fn ids(&mut self, max: u16) -> Ids {
        let run = [0, 1, 2, 8, 50, 100_000][self.below(6) as usize];
        let mut is_in = self.below(2) == 0;
        let mut is_one = |_: &u16| {
            if self.below(run) == 0 {
                is_in = !is_in;
            }
            is_in
        };
        (1..=max).filter(|id| run > 0 && is_one(id)).collect()
    }

    fn vendors(&mut self) -> Ids {
        match self.below(100) {
            0 => self.ids(1_600),
            1 => [40_000 + self.below(25_000) as u16].into_iter().collect(),
            few => self.ids([1, 44, 45, 46, 47, 90][few as usize % 6]),
        }
    }

    fn restrictions(&mut self) -> Vec<PublisherRestriction> {
        let kinds = [
            RestrictionType::NotAllowed,
            RestrictionType::RequireConsent,
            RestrictionType::RequireLegitimateInterest,
        ];
        let mut rules = Vec::new();
        for purpose_id in 1..=24 {
            for restriction_type in kinds {
                if self.below(70) == 0 {
                    rules.push(PublisherRestriction {
                        purpose_id,
                        restriction_type,
                        vendors: self.vendors(),
                    });
                }
            }
        }
        rules.retain(|rule| !rule.vendors.is_empty());
        rules
    }

    pub fn tc_string(&mut self) -> TcString {
        let day = self.below(60_000) * 864_000;
        TcString {
            created: day,
            last_updated: day + self.below(2) * 123_456,
            cmp_id: 2 + self.below(4094) as u16, // others refuse less
            cmp_version: self.below(4096) as u16,
            consent_screen: self.below(64) as u8,
            consent_language: self.letters(),
            vendor_list_version: self.below(4096) as u16,
            policy_version: self.below(64) as u8,
            is_service_specific: self.below(2) == 0,
            use_non_standard_texts: self.below(2) == 0,
            special_feature_optins: self.ids(12),
            purpose_consents: self.ids(24),
            purpose_legitimate_interests: self.ids(24),
            purpose_one_treatment: self.below(2) == 0,
            publisher_country_code: self.letters(),
            vendor_consents: self.vendors(),
            vendor_legitimate_interests: self.vendors(),
            publisher_restrictions: self.restrictions(),
            disclosed_vendors: Some(self.vendors()),
        }
    }

    pub fn us_section(&mut self, layout: &'static UsLayout) -> UsSection {
        let mut section = UsSection::new(layout);
        for (field, count) in layout.fields() {
            let least = u64::from(field == "MspaCoveredTransaction");
            let values: Vec<_> = (0..count)
                .map(|_| (least + self.below(3 - least)) as u8)
                .collect();
            section.set(field, &values).unwrap();
        }
        section.set_gpc(self.below(2) == 0);
        section
    }
}

/// A TC string in the form of the reference library.
pub fn document(string: &TcString) -> Value {
    let mut document = serde_json::to_value(string).unwrap();
    document["created"] = string.created.into();
    document["lastUpdated"] = string.last_updated.into();
    document
}

/// The list of answers that an oracle gives to a question.
pub async fn answers(oracle: &Oracle, name: &str, question: Value) -> Vec<Value> {
    oracle.tell(&question.to_string()).await;
    let mut said = oracle.next(|said| said.get(name).is_some()).await;
    let Value::Array(answers) = said[name].take() else {
        panic!("no list of {name}")
    };
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tc_strings_of_the_reference_library_are_read_and_never_shorter_than_ours() {
    let oracle = Oracle::start("tcf.mjs", &[]).await;
    let (mut shorter, mut restricted) = (0, 0);
    for seed in 0..BATCHES {
        let made = answers(&oracle, "made", json!({"make": BATCH, "seed": seed})).await;
        assert_eq!(made.len(), BATCH);
        for one in made {
            let text = one["text"].as_str().unwrap();
            let mut string =
                TcString::decode(text).unwrap_or_else(|error| panic!("{error} {text}"));
            assert_eq!(document(&string), one["fields"], "{text}");
            // The library widens restrictions over ids that the list lacks; so do we.
            let listed = ids(&one["listed"]);
            let widened: Vec<_> = one["allowed"].as_array().unwrap().iter().collect();
            assert_eq!(string.publisher_restrictions.len(), widened.len(), "{text}");
            for (rule, given) in string.publisher_restrictions.iter_mut().zip(widened) {
                let given = ids(&given["vendors"]).across_gaps(&listed);
                assert_eq!(rule.vendors, given, "{text}");
                restricted += 1;
            }
            // The third segment is for publishers alone.
            let (theirs, _) = text.rsplit_once('.').unwrap();
            let ours = string.encode().unwrap();
            assert!(ours.len() <= theirs.len(), "{ours}\n{theirs}");
            shorter += usize::from(ours.len() < theirs.len());
        }
    }
    assert!(shorter > 0 && restricted > 1000, "{shorter} {restricted}");
}

fn ids(list: &Value) -> Ids {
    let list = list.as_array().unwrap().iter();
    list.map(|id| id.as_u64().unwrap() as u16).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_read_our_tc_strings_as_they_were_meant() {
    let oracle = Oracle::start("tcf.mjs", &[]).await;
    let mut random = Random::new(1);
    for _ in 0..BATCHES {
        let strings: Vec<_> = (0..BATCH).map(|_| random.tc_string()).collect();
        let texts: Vec<_> = strings
            .iter()
            .map(|string| string.encode().unwrap())
            .collect();
        let read = answers(&oracle, "read", json!({"read": texts})).await;
        assert_eq!(read.len(), BATCH);
        for ((string, text), fields) in strings.iter().zip(&texts).zip(read) {
            assert_eq!(document(string), fields, "{text}");
            // `iab_gpp` 0.1 expects restrictions to have the form of a section of vendors.
            if string.publisher_restrictions.is_empty() {
                let read = by_iab_gpp(text);
                assert_eq!(read, meant(string, &read), "{text}");
            }
            let read = by_lib_tcstring(text);
            assert_eq!(read, meant(string, &read), "{text}");
        }
    }
}

/// The first string of the reference library that a codec of browsers does not read as it was meant, or writes so that the
/// library reads something else, or makes longer.
pub async fn unlike_theirs(theirs: &Oracle, codec: &Oracle, made: &[Value]) -> Option<String> {
    let texts: Vec<&str> = made
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    let read = answers(codec, "read", json!({"read": texts})).await;
    let rewritten = answers(codec, "rewritten", json!({"rewrite": texts})).await;
    let again = answers(theirs, "read", json!({"read": rewritten})).await;
    for (index, one) in made.iter().enumerate() {
        let fields = &one["fields"];
        for said in [&read[index], &again[index]] {
            if said != fields {
                return Some(format!("{}: {said} is not {fields}", texts[index]));
            }
        }
        // The third segment is for publishers alone.
        let (whole, _) = texts[index].rsplit_once('.').unwrap();
        let ours = rewritten[index].as_str().unwrap_or_default();
        if ours.len() > whole.len() {
            return Some(format!("{ours} is longer than {whole}"));
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn browsers_read_and_write_the_tc_strings_of_the_reference_library() {
    let (theirs, codec) = tokio::join!(
        Oracle::start("tcf.mjs", &[]),
        Oracle::start("codec.mjs", &[])
    );
    for seed in 0..BATCHES {
        let question = json!({"make": BATCH, "seed": seed + 100});
        let made = answers(&theirs, "made", question).await;
        assert_eq!(made.len(), BATCH);
        assert_eq!(unlike_theirs(&theirs, &codec, &made).await, None);
    }
}

/// The first string of the server that a codec of browsers does not read as it was meant, or writes otherwise.
pub async fn unlike_ours(codec: &Oracle, strings: &[TcString]) -> Option<String> {
    let texts: Vec<_> = strings
        .iter()
        .map(|string| string.encode().unwrap())
        .collect();
    let read = answers(codec, "read", json!({"read": texts})).await;
    let rewritten = answers(codec, "rewritten", json!({"rewrite": texts})).await;
    for (index, string) in strings.iter().enumerate() {
        let fields = document(string);
        if read[index] != fields {
            return Some(format!("{}: {} is not {fields}", texts[index], read[index]));
        }
        if rewritten[index] != texts[index] {
            return Some(format!("{} is not {}", rewritten[index], texts[index]));
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn browsers_write_the_same_tc_strings_as_the_server() {
    let codec = Oracle::start("codec.mjs", &[]).await;
    let mut random = Random::new(2);
    for _ in 0..BATCHES {
        let strings: Vec<_> = (0..BATCH).map(|_| random.tc_string()).collect();
        assert_eq!(unlike_ours(&codec, &strings).await, None);
    }
}

#[tokio::test]
async fn browsers_refuse_what_is_no_tc_string() {
    let codec = Oracle::start("codec.mjs", &[]).await;
    let text = Random::new(3).tc_string().encode().unwrap();
    let (core, _) = text.split_once('.').unwrap_or((&text, ""));
    let cut: Vec<_> = (0..core.len()).map(|end| &core[..end]).collect();
    let read = answers(&codec, "read", json!({"read": cut})).await;
    // The last digit may be padding alone.
    for (text, fields) in cut.iter().zip(read).take(core.len() - 4) {
        assert_eq!(fields, Value::Null, "{text}");
    }
    let strange = [
        core.replacen('C', "A", 1),
        format!("{core}é"),
        "C".repeat(9_000),
    ];
    let read = answers(&codec, "read", json!({"read": strange})).await;
    assert_eq!(json!(read), json!([null, null, null]));
}

/// A TC string as `iab_gpp` reads it, by the names of the reference library.
pub fn by_iab_gpp(text: &str) -> Value {
    let read: TcfEuV2 = text
        .parse()
        .unwrap_or_else(|error| panic!("{error} {text}"));
    let core = read.core;
    json!({
        // Seconds.
        "created": core.created * 10, "lastUpdated": core.last_updated * 10,
        "cmpId": core.cmp_id, "cmpVersion": core.cmp_version,
        "consentScreen": core.consent_screen, "consentLanguage": core.consent_language,
        "vendorListVersion": core.vendor_list_version, "policyVersion": core.policy_version,
        "isServiceSpecific": core.is_service_specific, "useNonStandardTexts": core.use_non_standard_stacks,
        "specialFeatureOptins": core.special_feature_optins, "purposeConsents": core.purpose_consents,
        "purposeLegitimateInterests": core.purpose_legitimate_interests,
        "purposeOneTreatment": core.purpose_one_treatment, "publisherCountryCode": core.publisher_country_code,
        "vendorConsents": core.vendor_consents, "vendorLegitimateInterests": core.vendor_legitimate_interests,
        "disclosedVendors": read.disclosed_vendors,
    })
}

/// A TC string as `lib_tcstring` reads it, by the same names.
pub fn by_lib_tcstring(text: &str) -> Value {
    let read = TcModelV2::try_from(text).unwrap_or_else(|error| panic!("{error:?} {text}"));
    let rules = read.publisher_restrictions.iter();
    let rules = rules.map(|rule| json!([rule.purpose_id, rule.vendor_list]));
    json!({
        // Milliseconds.
        "created": read.created_at / 100,
        "cmpId": read.cmp_id, "consentLanguage": read.consent_language,
        "vendorListVersion": read.vendor_list_version, "policyVersion": read.tcf_policy_version,
        "specialFeatureOptins": read.special_feature_opt_ins, "purposeConsents": read.purposes_consent,
        "purposeLegitimateInterests": read.purposes_li_transparency,
        "publisherCountryCode": read.publisher_country_code,
        "vendorConsents": read.vendors_consent, "vendorLegitimateInterests": read.vendors_li_consent,
        "publisherRestrictions": rules.collect::<Vec<_>>(), "disclosedVendors": read.disclosed_vendors,
    })
}

/// The reading that such a decoder should have of a string: its fields, as far as `read` has them.
pub fn meant(string: &TcString, read: &Value) -> Value {
    let mut fields = document(string);
    // `iab_gpp` has seconds, and `lib_tcstring` no types of restrictions.
    for name in ["created", "lastUpdated"] {
        fields[name] = (fields[name].as_u64().unwrap() / 10 * 10).into();
    }
    let rules = string.publisher_restrictions.iter();
    let rules = rules.map(|rule| json!([rule.purpose_id, rule.vendors]));
    fields["publisherRestrictions"] = rules.collect();
    let fields = fields.as_object_mut().unwrap();
    fields.retain(|name, _| read.get(name).is_some());
    json!(fields)
}

/// The sections of a GPP string in the form of IAB's library.
pub fn sections(string: &GppString) -> Value {
    let section = |(id, text): (&u16, &String)| {
        if *id == TCF_EU_V2 {
            return ("tcfeuv2".to_owned(), json!(text));
        }
        let section = UsSection::decode(layout(*id), text).unwrap();
        let mut fields = Map::new();
        for (field, _) in section.layout().fields() {
            let value = match section.get(field).unwrap() {
                [one] => json!(one),
                several => json!(several),
            };
            fields.insert(field.to_owned(), value);
        }
        if let Some(gpc) = section.gpc() {
            fields.insert("Gpc".to_owned(), json!(gpc));
        }
        (section.layout().name.to_owned(), Value::Object(fields))
    };
    string.sections.iter().map(section).collect()
}

fn layout(id: u16) -> &'static UsLayout {
    let of_it = |layout: &&UsLayout| layout.id == id;
    UsLayout::all().iter().find(of_it).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gpp_strings_of_the_library_of_iab_are_read_and_written_alike() {
    let oracle = Oracle::start("gpp.mjs", &[]).await;
    let layouts: Vec<_> = UsLayout::all()
        .iter()
        .map(|layout| json!({"name": layout.name, "fields": layout.fields().collect::<Vec<_>>()}))
        .collect();
    let question = json!({"make": BATCH, "seed": 1, "layouts": layouts});
    let mut seen = BTreeSet::new();
    for one in answers(&oracle, "made", question).await {
        let text = one["text"].as_str().unwrap();
        let read = GppString::decode(text).unwrap_or_else(|error| panic!("{error} {text}"));
        assert_eq!(sections(&read), one["sections"], "{text}");
        seen.extend(read.sections.keys().copied());
        let mut again = GppString::default();
        for (id, text) in read.sections {
            let section = UsSection::decode(layout(id), &text).unwrap();
            again.sections.insert(id, section.encode());
        }
        assert_eq!(again.encode(), text);
    }
    assert_eq!(seen.len(), layouts.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_read_our_gpp_strings_as_they_were_meant() {
    let oracle = Oracle::start("gpp.mjs", &[]).await;
    let mut random = Random::new(2);
    let strings: Vec<_> = (0..BATCH).map(|_| gpp_string(&mut random)).collect();
    let texts: Vec<_> = strings.iter().map(GppString::encode).collect();
    let read = answers(&oracle, "read", json!({"read": texts})).await;
    assert_eq!(read.len(), BATCH);
    for ((string, text), read) in strings.iter().zip(&texts).zip(read) {
        let expected = sections(string);
        assert_eq!(read, expected, "{text}");
        // `iab_gpp` 0.1 loses count in headers with three separate sections.
        for (id, section) in string.sections.iter().filter(|(id, _)| **id != TCF_EU_V2) {
            let alone = GppString {
                sections: [(*id, section.clone())].into(),
            };
            let alone: GPPString = alone.encode().parse().unwrap();
            let other = alone.section_ids().next().copied().expect("one section");
            assert_eq!(other as u16, *id);
            let read = alone.decode_section(other);
            let read = read.unwrap_or_else(|error| panic!("{error} {section}"));
            let name = layout(*id).name;
            assert_eq!(answers_of(&read), leaves(&expected[name]), "{section}");
        }
    }
}

/// The answers of a section as `iab_gpp` reads them, as numbers.
fn answers_of(section: &Section) -> Vec<u64> {
    let number = |leaf: Value| match leaf {
        Value::Bool(is) => 2 - u64::from(is),
        Value::String(word) => match word.as_str() {
            "NotApplicable" => 0,
            "Provided" | "OptedOut" | "NoConsent" | "Yes" => 1,
            "NotProvided" | "DidNotOptOut" | "Consent" | "No" => 2,
            _ => panic!("{word} is no answer"),
        },
        _ => panic!("{leaf} is no answer"),
    };
    let document = serde_json::to_value(section).unwrap();
    leaves_of(document).into_iter().map(number).collect()
}

/// The answers of a section in the form of IAB's library, as numbers.
fn leaves(section: &Value) -> Vec<u64> {
    let number = |leaf: Value| match leaf {
        Value::Bool(is) => 2 - u64::from(is),
        number => number.as_u64().unwrap(),
    };
    leaves_of(section.clone()).into_iter().map(number).collect()
}

/// All values that hold no others, in order.
fn leaves_of(value: Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values.into_iter().flat_map(leaves_of).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .flat_map(|(_, value)| leaves_of(value))
            .collect(),
        leaf => vec![leaf],
    }
}

fn gpp_string(random: &mut Random) -> GppString {
    let mut string = GppString::default();
    if random.below(2) == 0 {
        let text = random.tc_string().encode().unwrap();
        string.sections.insert(TCF_EU_V2, text);
    }
    let share = 1 + random.below(17);
    for layout in UsLayout::all() {
        if random.below(share) == 0 {
            let section = random.us_section(layout);
            string.sections.insert(layout.id, section.encode());
        }
    }
    string
}
