//! Lists and plans: single cases, and random choices of random lists.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::{
    documents::{Tcf, read},
    error_code::ErrorCode,
};

/// 2026-11-25.
const TODAY: u32 = 20_782;

fn order<'a>(list: &'a List, tcf: &'a Tcf) -> Order<'a> {
    Order {
        list,
        translation: None,
        language: "en",
        tcf,
        providers: &[],
        today: TODAY,
        cmp_id: 31,
        cmp_version: 2,
        follows_list: false,
    }
}

fn list(vendors: usize) -> List {
    List::read(&gvl::list(1, vendors)).unwrap()
}

fn tcf(document: Value) -> Tcf {
    let mut document = document;
    document["publisherCC"] = "de".into();
    read(&document)
}

fn ids(list: &[u16]) -> Ids {
    list.iter().copied().collect()
}

fn refused(change: impl Fn(&mut Value)) -> Refusal {
    let mut json = gvl::list(1, 20);
    change(&mut json);
    List::read(&json).unwrap_err()
}

/// The id of a hard case of the generator.
fn hard(list: &List, at: usize) -> u16 {
    *list.vendors.keys().nth(at).unwrap()
}

#[test]
fn a_list_is_read_leniently() {
    let list = list(gvl::MANY);
    assert_eq!((list.version, list.policy, list.day), (200, 5, 20_776));
    assert_eq!(list.vendors.len(), gvl::MANY);
    assert_eq!(list.vendors.keys().last(), Some(&gvl::LAST_ID));
    let names: Vec<_> = list
        .vendors
        .values()
        .map(|vendor| vendor.name.as_str())
        .collect();
    let is_clean = |name: &&str| {
        !name.contains(['\n', '\t', '\u{200b}']) && !name.contains("&amp;") && name.trim() == *name
    };
    assert!(names.iter().all(is_clean));
    assert!(names.iter().any(|name| name.contains("GmbH & Co. KG")));
    assert_eq!(list.texts.purposes[&1].name, "Purpose 1");
    assert_eq!(
        list.texts.purposes[&1].description,
        "Description of Purpose 1. Second line."
    );
    assert_eq!(list.texts.purposes[&1].illustrations.len(), 2);
    assert_eq!(
        list.texts.standard["features"],
        "Features are used for the purposes above."
    );
    let vendor = |at| &list.vendors[&hard(&list, at)];
    assert!(vendor(1).is_deleted(TODAY) && !vendor(2).is_deleted(TODAY));
    // No legitimate interest in purpose 3, and nothing flexible that is not declared.
    assert_eq!(vendor(3).interests, ids(&[7]));
    assert_eq!(vendor(3).flexible, ids(&[7]));
    assert_eq!(vendor(4).urls["de"], Urls::default());
    assert!(vendor(4).data_categories.is_empty());
    assert_eq!(
        (vendor(5).storage.cookies, vendor(5).storage.seconds),
        (false, None)
    );
    assert_eq!(vendor(6).storage.seconds, Some(0));
    let mut undated = gvl::list(1, 20);
    undated["vendors"][gvl::LAST_ID.to_string()]["deletedDate"] = "soon".into();
    assert!(List::read(&undated).unwrap().vendors[&gvl::LAST_ID].is_deleted(TODAY));
}

#[test]
fn a_list_is_checked_strictly() {
    let last = gvl::LAST_ID;
    let at = format!("/vendors/{last}");
    let vendor =
        |json: &mut Value, key: &str, value: Value| json["vendors"][last.to_string()][key] = value;
    assert_eq!(
        List::read(&json!([])),
        Err(Refusal::Field("gvlSpecificationVersion".into()))
    );
    assert_eq!(
        refused(|json| json["gvlSpecificationVersion"] = 2.into()),
        Refusal::Specification(2)
    );
    for (key, most) in [("vendorListVersion", 4096), ("tcfPolicyVersion", 64)] {
        assert_eq!(
            refused(|json| json[key] = most.into()),
            Refusal::OutOfRange(format!("/{key}"))
        );
        assert_eq!(
            refused(|json| json[key] = 0.into()),
            Refusal::OutOfRange(format!("/{key}"))
        );
        assert_eq!(
            refused(|json| json[key] = "1".into()),
            Refusal::Field(key.into())
        );
    }
    assert_eq!(
        refused(|json| json["lastUpdated"] = "today".into()),
        Refusal::Field("lastUpdated".into())
    );
    assert_eq!(
        refused(|json| json["vendors"] = json!({})),
        Refusal::Field("vendors".into())
    );
    assert_eq!(
        refused(|json| json["vendors"] = json!([])),
        Refusal::Field("vendors".into())
    );
    assert_eq!(
        refused(|json| json["purposes"]["25"] = json!({"id": 25, "name": "x"})),
        Refusal::OutOfRange("/purposes/25".into())
    );
    assert_eq!(
        refused(|json| json["specialFeatures"]["13"] = json!({"name": "x"})),
        Refusal::OutOfRange("/specialFeatures/13".into())
    );
    assert_eq!(
        refused(|json| json["vendors"]["70000"] = json!({})),
        Refusal::OutOfRange("/vendors/70000".into())
    );
    assert_eq!(
        refused(|json| vendor(json, "id", 5.into())),
        Refusal::OtherId(at.clone())
    );
    assert_eq!(
        refused(|json| vendor(json, "name", "\u{200b}".into())),
        Refusal::Field(format!("{at}/name"))
    );
    assert_eq!(
        refused(|json| vendor(json, "purposes", json!([12]))),
        Refusal::Undescribed(format!("{at}/purposes"))
    );
    assert_eq!(
        refused(|json| vendor(json, "features", json!([-1]))),
        Refusal::OutOfRange(format!("{at}/features"))
    );
    assert_eq!(
        refused(|json| json["stacks"]["2"]["purposes"] = json!([24])),
        Refusal::Undescribed("/stacks/2/purposes".into())
    );
    let both = refused(|json| {
        vendor(json, "purposes", json!([1, 7]));
        vendor(json, "legIntPurposes", json!([7]));
    });
    assert_eq!(
        both,
        Refusal::BothBases {
            vendor: last,
            purpose: 7
        }
    );
}

#[test]
fn translations_fall_back_to_english() {
    let list = list(20);
    let french = Texts::read(&gvl::translation("fr")).unwrap();
    let tcf = tcf(json!({"vendors": "all"}));
    let plan = Plan::new(Order {
        translation: Some(&french),
        language: "fr",
        ..order(&list, &tcf)
    })
    .unwrap();
    let name = |id| {
        plan.purposes
            .iter()
            .find(|entry| entry.id == id)
            .map(|entry| entry.text.name.as_str())
    };
    assert_eq!((name(1), name(12)), (Some("fr: Purpose 1"), None));
    if let Some(name) = name(11) {
        assert_eq!(name, "Purpose 11");
    }
    assert_eq!(plan.everything.consent_language, "FR");
    assert_eq!(
        plan.standard["features"],
        "fr: Features are used for the purposes above."
    );
    assert!(plan.vendors.iter().any(|vendor| {
        vendor
            .policy_url
            .as_ref()
            .is_some_and(|url| url.ends_with("confidentialite"))
    }));
    assert_eq!(
        Texts::read(&json!({})),
        Err(Refusal::Field("purposes".into()))
    );
}

/// Takes the values of a column of the partners file.
fn column(file: &str, line: usize) -> Vec<String> {
    file.split('\n')
        .nth(line - 1)
        .unwrap()
        .split('\t')
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_partners_file_says_what_the_plan_says() {
    let list = list(20);
    let tcf = tcf(json!({"vendors": "all", "additionalConsent": [89, 7, 3000]}));
    let provider = |id| Provider {
        id,
        name: format!("Provider {id}"),
        policy_url: Some(format!("https://{id}.example/")),
    };
    let providers = [provider(7), provider(89), provider(90)];
    let plan = Plan::new(Order {
        providers: &providers,
        ..order(&list, &tcf)
    })
    .unwrap();
    assert_eq!(plan.notices, [Notice::ProviderGone(3000)]);
    let file = partners(&plan);
    assert_eq!(file.split('\n').count(), 15);
    for line in 1..=12 {
        assert_eq!(column(&file, line).len(), plan.vendors.len(), "{line}");
    }
    let mut id = 0;
    for (at, delta) in column(&file, 1).iter().enumerate() {
        id += delta.parse::<u16>().unwrap();
        assert_eq!(id, plan.vendors[at].id);
    }
    let at = |hard_case: usize| {
        plan.vendors
            .iter()
            .position(|vendor| vendor.id == hard(&list, hard_case))
            .unwrap()
    };
    let cell = |line, hard_case| column(&file, line)[at(hard_case)].clone();
    assert_eq!([3, 4, 5].map(|line| cell(line, 0)), ["", "", "3"]);
    assert_eq!([3, 4].map(|line| cell(line, 3)), ["1", "40"]);
    assert_eq!([8, 9, 10].map(|line| cell(line, 4)), [""; 3]);
    assert!(
        cell(12, 5).trim_end_matches('d').ends_with('n') && !cell(12, 5).starts_with(['0', '-'])
    );
    assert!(cell(12, 6).starts_with('0'));
    assert_eq!(cell(11, 7), ",1:14,s1:3");
    // Claims of interests only where one is left, and `=` where it is the policy.
    assert_eq!(cell(10, 9), "");
    assert!(column(&file, 10).iter().any(|claim| claim == "="));
    assert_eq!(
        [13, 14, 15].map(|line| column(&file, line).join("|")),
        [
            "7|82",
            "Provider 7|Provider 89",
            "https://7.example/|https://89.example/"
        ]
    );
    // A vendor with a day of deletion ahead stays until then.
    assert!(
        plan.vendors
            .iter()
            .any(|vendor| vendor.id == hard(&list, 2))
    );
    assert!(
        !plan
            .vendors
            .iter()
            .any(|vendor| vendor.id == hard(&list, 1))
    );
}

#[test]
fn answers_are_told_by_the_names_of_the_files() {
    let list = list(20);
    let tcf = tcf(json!({"vendors": "all", "additionalConsent": [7, 89]}));
    let provider = |id| Provider {
        id,
        name: format!("Provider {id}"),
        policy_url: None,
    };
    let providers = [provider(7), provider(89)];
    let plan = Plan::new(Order {
        providers: &providers,
        ..order(&list, &tcf)
    })
    .unwrap();
    let asked = &plan.everything;
    let (file, texts) = (partners(&plan), standard_texts(&list.texts));
    let said = TcString {
        purpose_consents: ids(&[1]),
        purpose_legitimate_interests: ids(&[2]),
        vendor_consents: Ids::default(),
        ..asked.clone()
    };
    let told = Answers::read(&said, asked, Some("2~89~dv.7"), &file, &texts);
    let purpose = |id: u16| told.purposes.iter().find(|one| one.id == id).unwrap();
    let first = Answer {
        id: 1,
        name: Some("Purpose 1".to_owned()),
        consent: Some(true),
        interest: None,
    };
    assert_eq!(*purpose(1), first);
    assert_eq!(purpose(2).interest, Some(true));
    assert_eq!(purpose(7).interest, Some(false), "an objection");
    // Nobody is asked about a vendor that has special purposes alone.
    let is_asked = |vendor: &&Disclosed| {
        let id = vendor.id;
        asked.vendor_consents.contains(id) || asked.vendor_legitimate_interests.contains(id)
    };
    let vendors: Vec<_> = plan.vendors.iter().filter(is_asked).collect();
    assert_eq!(told.vendors.len(), vendors.len());
    for (answer, vendor) in told.vendors.iter().zip(vendors) {
        assert_eq!(
            (answer.id, answer.name.as_ref()),
            (vendor.id, Some(&vendor.name))
        );
        let asks = asked.vendor_consents.contains(vendor.id);
        assert_eq!(answer.consent, asks.then_some(false));
        let claims = asked.vendor_legitimate_interests.contains(vendor.id);
        assert_eq!(answer.interest, claims.then_some(true));
    }
    let provided = |one: &Answer| (one.id, one.consent);
    let provided: Vec<_> = told.providers.iter().map(provided).collect();
    assert_eq!(provided, [(7, Some(false)), (89, Some(true))]);
    // Without the files the answers stay, and without the other string there are no providers.
    let bare = Answers::read(&said, asked, None, "", "");
    assert_eq!(bare.purposes.len(), told.purposes.len());
    assert!(bare.vendors.iter().all(|one| one.name.is_none()));
    assert_eq!(bare.providers, []);
}

#[test]
fn the_file_of_standard_texts_has_a_line_for_each_entry() {
    let list = list(20);
    let file = standard_texts(&list.texts);
    let lines: Vec<_> = file.split('\n').collect();
    assert_eq!(lines.len(), 11 + 3 + 3 + 2 + 11 + 1);
    assert_eq!(
        lines[0],
        "p1\tPurpose 1\tDescription of Purpose 1. Second line.\tFor example Purpose 1.\tAnother."
    );
    assert_eq!(lines[11].split('\t').next(), Some("s1"));
    assert_eq!(
        lines[19],
        "c1\tCategory 1\tDescription of Category 1. Second line."
    );
    assert_eq!(
        lines.last(),
        Some(&"tfeatures\tFeatures are used for the purposes above.")
    );
}

#[test]
fn restrictions_change_what_is_disclosed_and_are_written() {
    let list = list(20);
    // Legitimate interest in 2 and 7, flexible at 7; consent for 2 and 7, flexible at 2.
    let (claims, asks) = (hard(&list, 8), hard(&list, 9));
    let plan = |document: Value| Plan::new(order(&list, &tcf(document)));
    let bases = |plan: &Plan, id: u16| {
        let vendor = plan.vendors.iter().find(|vendor| vendor.id == id).unwrap();
        (vendor.consent.clone(), vendor.interest.clone())
    };
    let rules = |plan: &Plan| -> Vec<_> {
        let rules = plan.everything.publisher_restrictions.iter();
        rules
            .map(|rule| {
                (
                    rule.purpose_id,
                    rule.restriction_type as u8,
                    rule.vendors.ranges().to_vec(),
                )
            })
            .collect()
    };
    let both = [claims, asks];
    let free = plan(json!({"vendors": both})).unwrap();
    assert_eq!(bases(&free, claims), (ids(&[]), ids(&[2, 7])));
    assert_eq!(rules(&free), []);
    let ruled = plan(json!({"vendors": both, "restrictions": [
        {"purpose": 7, "type": "consent", "vendors": [claims]},
        {"purpose": 7, "type": "not_allowed", "vendors": [asks]},
        {"purpose": 2, "type": "legitimate_interest", "vendors": "all"}]}))
    .unwrap();
    assert_eq!(bases(&ruled, claims), (ids(&[7]), ids(&[2])));
    assert_eq!(bases(&ruled, asks), (ids(&[]), ids(&[2])));
    assert_eq!(
        rules(&ruled),
        [
            (2, 2, vec![(asks, asks)]),
            (7, 0, vec![(asks, asks)]),
            (7, 1, vec![(claims, claims)])
        ]
    );
    assert_eq!(
        (ruled.purposes[0].consent, ruled.purposes[0].interest),
        (0, 2)
    );
    // Without legitimate interests: consent where the vendor is flexible, else nothing.
    let none = plan(json!({"vendors": both, "legitimateInterests": false})).unwrap();
    assert_eq!(bases(&none, claims), (ids(&[7]), ids(&[])));
    assert_eq!(
        rules(&none),
        [(2, 1, vec![(1, asks)]), (7, 1, vec![(1, asks)])]
    );
    assert!(none.everything.vendor_legitimate_interests.is_empty());
    assert!(none.everything.purpose_legitimate_interests.is_empty());
    let mixed = plan(json!({"vendors": both, "legitimateInterests": false,
        "restrictions": [{"purpose": 7, "type": "not_allowed", "vendors": [asks]}]}))
    .unwrap();
    assert_eq!(
        rules(&mixed)[1..],
        [(7, 0, vec![(asks, asks)]), (7, 1, vec![(1, asks - 1)])]
    );
    // A rule that cannot apply would allow more than its author wants.
    let errors = plan(json!({"vendors": both, "restrictions": [
        {"purpose": 2, "type": "consent", "vendors": [asks, claims, 4000]},
        {"purpose": 9, "type": "not_allowed", "vendors": [asks]}]}))
    .unwrap_err();
    let pointers: Vec<_> = errors.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(
        pointers,
        [
            "/tcf/restrictions/0/vendors/1",
            "/tcf/restrictions/1/vendors/0"
        ]
    );
}

#[test]
fn a_rule_that_a_new_list_does_not_fit_forbids_where_nobody_can_mend_it() {
    let before = list(20);
    // Legitimate interest in 2 and 7, flexible at 7.
    let claims = hard(&before, 8);
    let owners = tcf(json!({"vendors": [claims], "restrictions": [
        {"purpose": 7, "type": "consent", "vendors": [claims]}]}));
    let old = Plan::new(order(&before, &owners)).unwrap();
    let follow = |change: fn(&mut ListedVendor)| {
        let mut list = before.clone();
        change(list.vendors.get_mut(&claims).unwrap());
        let strict = Plan::new(order(&list, &owners)).unwrap_err();
        assert_eq!(
            strict.first().unwrap().pointer,
            "/tcf/restrictions/0/vendors/0"
        );
        Plan::new(Order {
            follows_list: true,
            ..order(&list, &owners)
        })
        .unwrap()
    };
    let told = Notice::RuleTightened {
        rule: 0,
        vendor: claims,
    };
    let stiff = follow(|vendor| vendor.flexible = Ids::default());
    let vendor = stiff.vendors.first().unwrap();
    assert_eq!((&vendor.consent, &vendor.interest), (&ids(&[]), &ids(&[2])));
    let written = stiff.everything.publisher_restrictions.first().unwrap();
    assert_eq!((written.purpose_id, written.restriction_type as u8), (7, 0));
    assert_eq!(stiff.notices, std::slice::from_ref(&told));
    // A list alone asks nobody again; the owner who permits the purpose again does.
    assert!(!stiff.asks_more_than(&old.asked));
    assert!(!old.asks_more_than(&stiff.asked));
    let permits = tcf(json!({"vendors": [claims]}));
    let permitted = Plan::new(order(&before, &permits)).unwrap();
    assert!(permitted.asks_more_than(&stiff.asked));
    assert!(permitted.asks_more_than(&old.asked));
    // Nothing is forbidden that nobody declares.
    let gone = follow(|vendor| {
        vendor.flexible = Ids::default();
        vendor.interests = ids(&[2]);
    });
    assert_eq!(gone.everything.publisher_restrictions, []);
    assert_eq!(gone.notices, [told]);
    assert!(!gone.asks_more_than(&old.asked));
}

#[test]
fn a_rule_for_all_follows_a_new_list_and_asks_nobody_again() {
    let before = list(20);
    // Legitimate interest in 2 and 7, flexible at 7.
    let claims = hard(&before, 8);
    for kind in ["consent", "not_allowed"] {
        let owners = tcf(json!({"vendors": "all", "restrictions": [
            {"purpose": 7, "type": kind, "vendors": "all"}]}));
        let old = Plan::new(order(&before, &owners)).unwrap();
        let is_ruled = |plan: &Plan| {
            let mut ruled = plan.asked.restricted.values();
            ruled.any(|ids| ids.contains(&claims))
        };
        assert!(is_ruled(&old), "{kind}");
        let mut later = before.clone();
        let vendor = later.vendors.get_mut(&claims).unwrap();
        vendor.flexible = Ids::default();
        vendor.interests = ids(&[2]);
        let new = Plan::new(order(&later, &owners)).unwrap();
        assert!(!is_ruled(&new), "{kind}");
        assert!(!new.asks_more_than(&old.asked), "{kind}");
        // Nor does an owner who changes another rule at the same time.
        let mut changed = owners.clone();
        let other = json!([{"purpose": 7, "type": kind, "vendors": "all"},
            {"purpose": 10, "type": "not_allowed", "vendors": "all"}]);
        changed.restrictions = serde_json::from_value(other).unwrap();
        let new = Plan::new(order(&later, &changed)).unwrap();
        assert!(!new.asks_more_than(&old.asked), "{kind}");
    }
}

#[test]
fn what_is_left_out_is_told() {
    let list = list(20);
    let (special, gone, interest, asks) = (
        hard(&list, 0),
        hard(&list, 1),
        hard(&list, 8),
        hard(&list, 9),
    );
    let plan = |document: Value| Plan::new(order(&list, &tcf(document)));
    let narrow = plan(json!({"vendors": [special, gone, interest, asks, 5000], "purposes": [7, 11], "specialFeatures": [],
        "stacks": [2, 99], "restrictions": [{"purpose": 7, "type": "not_allowed", "vendors": [interest]}]})).unwrap();
    assert_eq!(
        narrow.notices,
        [
            Notice::VendorGone(gone),
            Notice::VendorGone(5000),
            Notice::VendorEmpty(interest),
            Notice::StackUncovered(2),
            Notice::StackUncovered(99)
        ]
    );
    let purposes: Vec<_> = narrow.purposes.iter().map(|entry| entry.id).collect();
    assert_eq!(purposes, [7]);
    assert_eq!(narrow.special_features, []);
    // A vendor with special purposes alone is disclosed and nothing else.
    assert_eq!(
        narrow.everything.disclosed_vendors,
        Some(ids(&[special, asks]))
    );
    assert_eq!(narrow.everything.vendor_consents, ids(&[asks]));
    assert!(narrow.everything.vendor_legitimate_interests.is_empty());
    let stacked = plan(json!({"vendors": "all", "stacks": [2, 43]})).unwrap();
    assert!(
        stacked
            .purposes_beside_stacks()
            .all(|entry| ![2, 7].contains(&entry.id))
    );
    assert_eq!(stacked.special_features_beside_stacks().count(), 0);
    let first = |document| plan(document).unwrap_err().remove(0);
    let error = first(json!({"vendors": "all", "stacks": [2, 3]}));
    assert_eq!(
        (error.pointer.as_str(), error.code),
        ("/tcf/stacks/1", ErrorCode::Duplicate)
    );
    let error = first(json!({"vendors": [gone]}));
    assert_eq!(
        (error.pointer.as_str(), error.code),
        ("/tcf/vendors", ErrorCode::Required)
    );
    let nowhere = Plan::new(order(&list, &read(&json!({"vendors": "all"})))).unwrap_err();
    assert_eq!(
        (nowhere[0].pointer.as_str(), nowhere[0].code),
        ("/tcf/publisherCC", ErrorCode::Required)
    );
    let treated = plan(json!({"vendors": "all", "purposeOneTreatment": true})).unwrap();
    assert!(
        treated.everything.purpose_one_treatment
            && !treated.everything.purpose_consents.contains(1)
    );
    assert!(
        treated
            .vendors
            .iter()
            .all(|vendor| !vendor.consent.contains(1))
    );
}

/// A random choice of an owner that keeps the rules of documents.
fn choice(random: &mut fastrand::Rng, list: &List) -> Tcf {
    let mut some = |percent: u8| -> Vec<u16> {
        let ids = list.vendors.keys().copied();
        ids.filter(|_| random.u8(..100) < percent).collect()
    };
    let vendors = match some(50) {
        ids if ids.len().is_multiple_of(3) => json!("all"),
        ids => json!(ids),
    };
    let interests = random.u8(..3) != 0;
    let mut rules = Vec::new();
    for purpose in [2, 7, 9, 10] {
        let kind = ["not_allowed", "consent", "legitimate_interest"]
            [random.usize(..if interests { 3 } else { 2 })];
        if random.bool() {
            rules.push(json!({"purpose": purpose, "type": kind, "vendors": "all"}));
        }
    }
    let mut document = json!({"vendors": vendors, "legitimateInterests": interests, "restrictions": rules,
        "purposeOneTreatment": random.bool(), "stacks": [42]});
    if random.bool() {
        document["purposes"] = (1..=11).filter(|_| random.u8(..4) != 0).collect();
        document["specialFeatures"] = (1..=2).filter(|_| random.bool()).collect();
    }
    tcf(document)
}

#[test]
fn random_plans_keep_the_policies() {
    let mut random = fastrand::Rng::with_seed(11);
    for seed in 0..40 {
        let list = List::read(&gvl::list(seed, 15 + random.usize(..200))).unwrap();
        let tcf = choice(&mut random, &list);
        let Ok(plan) = Plan::new(order(&list, &tcf)) else {
            continue;
        };
        let string = &plan.everything;
        assert_eq!(TcString::decode(&plan.tc_string()).as_ref(), Ok(string));
        let asked: BTreeSet<_> = plan.purposes.iter().map(|entry| entry.id).collect();
        for vendor in &plan.vendors {
            let declared = &list.vendors[&vendor.id];
            assert!(tcf.vendors.contains(vendor.id) && !declared.is_deleted(TODAY));
            assert!(
                !(vendor.consent.is_empty()
                    && vendor.interest.is_empty()
                    && vendor.special_purposes.is_empty())
            );
            assert_eq!(
                string.vendor_consents.contains(vendor.id),
                !vendor.consent.is_empty()
            );
            assert_eq!(
                string.vendor_legitimate_interests.contains(vendor.id),
                !vendor.interest.is_empty()
            );
            for purpose in vendor.consent.iter() {
                assert!(declared.purposes.contains(purpose) || declared.flexible.contains(purpose));
                assert!(asked.contains(&purpose) && !vendor.interest.contains(purpose));
            }
            for purpose in vendor.interest.iter() {
                assert!(!CONSENT_ONLY.contains(&purpose) && tcf.legitimate_interests);
                assert!(
                    declared.interests.contains(purpose) || declared.flexible.contains(purpose)
                );
            }
            // No vendor stands under two rules of a purpose.
            for purpose in &asked {
                let rules = string.publisher_restrictions.iter();
                let ruled = rules.filter(|rule| {
                    u16::from(rule.purpose_id) == *purpose && rule.vendors.contains(vendor.id)
                });
                assert!(ruled.count() < 2, "{purpose} {}", vendor.id);
            }
        }
        for entry in &plan.purposes {
            assert_eq!(
                string.purpose_consents.contains(entry.id),
                entry.consent > 0
            );
            assert_eq!(
                string.purpose_legitimate_interests.contains(entry.id),
                entry.interest > 0
            );
        }
        assert!(!plan.asks_more_than(&plan.asked));
        assert_eq!(
            partners(&plan),
            partners(&Plan::new(order(&list, &tcf)).unwrap())
        );
    }
}

#[test]
fn partners_and_string_keep_their_budgets() {
    let list = list(gvl::MANY);
    let all: Vec<u16> = list.vendors_on(TODAY).map(|(id, _)| id).collect();
    for (vendors, most) in [
        (100, 4_000),
        (200, 7_000),
        (400, 13_000),
        (700, 21_000),
        (all.len(), 42_000),
    ] {
        let chosen: Vec<_> = all
            .iter()
            .step_by(all.len() / vendors)
            .take(vendors)
            .collect();
        let plan = Plan::new(order(&list, &tcf(json!({"vendors": chosen})))).unwrap();
        assert_eq!(plan.vendors.len(), vendors);
        let size = brotli(partners(&plan).as_bytes());
        assert!(size <= most, "{vendors} vendors take {size} bytes");
        assert!(plan.tc_string().len() < 2_300, "{}", plan.tc_string().len());
    }
}

/// The list of IAB that its library carries, for those who have it beside the repository.
const REAL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../shared/data/gvl/vendor-list-v17.json"
);

#[test]
fn a_real_list_is_planned_in_full() {
    let Ok(real) = std::fs::read_to_string(REAL) else {
        return;
    };
    let list = List::read(&serde_json::from_str(&real).unwrap()).unwrap();
    assert_eq!((list.version, list.policy), (17, 4));
    let plan = Plan::new(order(&list, &tcf(json!({"vendors": "all"})))).unwrap();
    let there = list.vendors_on(TODAY).count();
    let empty = |notice: &&Notice| matches!(notice, Notice::VendorEmpty(_));
    let emptied = plan.notices.iter().filter(empty).count();
    assert_eq!(plan.vendors.len() + emptied, there);
    assert!(there > 500, "{there}");
    // Names and addresses are longer than invented ones, and the real list has no categories of data.
    let size = brotli(partners(&plan).as_bytes());
    assert!(size <= 21_000, "{there} vendors take {size} bytes");
    // Their official English is as long as it will be on sites.
    let texts = standard_texts(&list.texts);
    let size = brotli(texts.as_bytes());
    assert!(texts.len() > 15_000 && size <= 6_000, "{size}");
    let text = plan.tc_string();
    assert!(text.len() < 2_300, "{}", text.len());
    assert_eq!(TcString::decode(&text).unwrap(), plan.everything);
}

fn brotli(text: &[u8]) -> usize {
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: 11,
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &*text, &mut packed, &parameters).unwrap()
}
