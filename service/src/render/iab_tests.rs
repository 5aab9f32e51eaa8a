//! The first layer by TCF and the facts behind the pages, drawn from plans of invented lists.

use std::collections::BTreeMap;

use domain::{
    documents::{Client, CookieConfiguration, Tcf},
    language::LANGUAGES,
    payload::{Payload, flag},
    tcf::{Disclosed, Ids, List, Order, Plan, TcString, standard_texts},
};
use serde_json::{Value, json};

use super::{Addresses, Framework, Rendered, render, render_by_tcf};

#[path = "../../../tests/support/gvl.rs"]
#[expect(
    dead_code,
    reason = "the tests of other crates use the rest of the file"
)]
mod gvl;

const ADDRESSES: Addresses<'_> = Addresses {
    api_url: "https://api.example",
    cdn_url: "https://cdn.example",
};

fn plan(vendors: usize, tcf: Value, language: &str) -> Plan {
    let list = List::read(&gvl::list(1, vendors)).unwrap();
    let tcf: Tcf = serde_json::from_value(tcf).unwrap();
    Plan::new(Order {
        list: &list,
        translation: None,
        language,
        tcf: &tcf,
        providers: &[],
        today: 20_000,
        cmp_id: 31,
        cmp_version: 1,
        follows_list: false,
    })
    .unwrap()
}

fn configuration(with: &Value) -> CookieConfiguration {
    let mut document = json!({
        "identifier": "0190", "name": "news-en", "language": "en",
        "tcf": {"publisherCC": "FR", "vendors": "all"},
        "settings": {"overlay": true},
        "steps": [{"name": "tcf", "layout": "iab", "vendors": [{"name": "own", "title": "Own"}, {"name": "both", "title": "Both"}]}],
    });
    for (key, value) in with.as_object().unwrap() {
        document[key] = value.clone();
    }
    serde_json::from_value(document).unwrap()
}

fn drawn(plan: &Plan, with: &Value, own: &BTreeMap<String, u16>) -> Rendered {
    let framework = Framework {
        plan,
        round: 3,
        partners: "p1/news-en.partners.0.txt",
        texts: "tcf/200/en.0.txt",
        own,
    };
    let configuration = configuration(with);
    render_by_tcf("p1", true, &Client::default(), &configuration, &framework).unwrap()
}

fn text_of(rendered: &Rendered) -> String {
    rendered.payload("abc", &ADDRESSES)
}

#[test]
fn the_first_layer_says_what_the_policies_demand() {
    let plan = plan(
        100,
        json!({"publisherCC": "FR", "vendors": "all", "stacks": [2]}),
        "en",
    );
    let both = plan.vendors.first().unwrap().id;
    let own = BTreeMap::from([("both".to_owned(), both), ("gone".to_owned(), 65_000)]);
    let text = text_of(&drawn(&plan, &json!({}), &own));
    let payload = Payload::read(&text).unwrap();
    let page = payload.page(0);
    // A service that is a partner counts once.
    let count = plan.vendors.len() + 1;
    assert!(
        page.contains(&format!("Number of partners: {count}<")),
        "{page}"
    );
    for part in [
        "partners",
        "interests",
        "configure",
        "refuse",
        "accept",
        "purposes",
    ] {
        assert!(page.contains(&format!("part={part}")), "{part}: {page}");
    }
    let stack = plan.stacks.first().unwrap();
    assert!(page.contains(&format!(">{}<", stack.text.name)));
    for entry in &plan.purposes {
        let beside = !stack.purposes.contains(entry.id);
        let name = format!(">{}<", entry.text.name);
        assert_eq!(page.contains(&name), beside, "{name}");
    }
    for entry in &plan.special_features {
        assert!(page.contains(&format!(">{}<", entry.text.name)));
    }
    // There is no way out before an answer, and always a way back.
    assert!(page.contains("button class=x hidden "), "{page}");
    assert!(payload.frame()[1..].starts_with("dialog") && payload.reopen().contains("part=reopen"));
    assert!(payload.has(flag::TCF) && !payload.has(flag::GPP));
}

#[test]
fn purposes_of_legitimate_interests_alone_stand_beside_the_right_to_object() {
    let mut plan = plan(
        100,
        json!({"publisherCC": "FR", "vendors": "all", "stacks": [2]}),
        "en",
    );
    // The stack stands for 2 and 7.
    for entry in &mut plan.purposes {
        if [2, 7, 9].contains(&entry.id) {
            (entry.consent, entry.interest) = (0, 3);
        }
    }
    let page = |plan: &Plan| {
        let text = text_of(&drawn(plan, &json!({}), &BTreeMap::new()));
        let page = Payload::read(&text).unwrap().page(0).to_owned();
        let listed = |part: &str| {
            let (_, list) = page
                .split_once(&format!("ul part={part}>"))
                .unwrap_or_default();
            let (list, _) = list.split_once("/ul>").unwrap_or_default();
            let names = list.split("li>");
            let names = names.filter_map(|name| name.strip_suffix('/')?.strip_suffix('<'));
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        (listed("purposes"), listed("interest-purposes"))
    };
    let asked = [1, 3, 4, 5, 6, 8, 10, 11].map(|id| format!("Purpose {id}"));
    let claimed = ["Stack 2".to_owned(), "Purpose 9".to_owned()];
    assert_eq!(page(&plan), (asked.to_vec(), claimed.to_vec()));
    // A stack with a purpose that needs consent, or a special feature, needs consent.
    let stack = plan.stacks.first_mut().unwrap();
    stack.special_features = [1].into_iter().collect();
    assert_eq!(page(&plan).1, ["Purpose 9"]);
    plan.stacks.first_mut().unwrap().special_features = Ids::default();
    let seven = plan.purposes.iter_mut().find(|entry| entry.id == 7);
    seven.unwrap().consent = 1;
    assert_eq!(page(&plan).1, ["Purpose 9"]);
}

#[test]
fn the_browsers_signal_is_told_in_words_that_are_true() {
    let honoured = "is honoured: advertising services stay off.";
    let until = "is honoured until you accept.";
    let plan = plan(20, json!({"publisherCC": "FR", "vendors": "all"}), "en");
    let (states, respects) = (
        json!({"gpp": {"sections": ["usnat"]}}),
        json!({"settings": {"respectGpc": true}}),
    );
    let both = json!({"gpp": states["gpp"], "settings": respects["settings"]});
    let plain = json!({"tcf": null, "steps": [{"name": "all", "layout": "category", "vendors": [{"name": "own", "title": "Own"}]}]});
    for (with, by_tcf, otherwise) in [
        (json!({}), None, None),
        (states, Some(until), Some(until)),
        (respects, Some(until), Some(honoured)),
        (both, Some(until), Some(honoured)),
    ] {
        let mut plainly = plain.clone();
        for (key, value) in with.as_object().unwrap() {
            plainly[key] = value.clone();
        }
        let plainly = render("p1", true, &Client::default(), &configuration(&plainly)).unwrap();
        let drawn = drawn(&plan, &with, &BTreeMap::new());
        for (rendered, told) in [(drawn, by_tcf), (plainly, otherwise)] {
            let text = text_of(&rendered);
            let page = Payload::read(&text).unwrap().page(0).to_owned();
            for sentence in [honoured, until] {
                assert_eq!(
                    page.contains(sentence),
                    told == Some(sentence),
                    "{with} {page}"
                );
            }
        }
    }
}

#[test]
fn features_are_explained_also_where_the_list_has_no_sentence() {
    let mut list = gvl::list(1, 20);
    list.as_object_mut().unwrap().remove("standardTexts");
    let list = List::read(&list).unwrap();
    assert!(!standard_texts(&list.texts).contains("\nt"));
    let explained = |language: &str| {
        let later = super::later(&configuration(&json!({"language": language}))).unwrap();
        let later: Value = serde_json::from_str(&later).unwrap();
        later["tcf"]["featuresText"].as_str().unwrap().to_owned()
    };
    assert!(explained("en").starts_with("Features are ways of processing data"));
    for language in LANGUAGES.iter().filter(|one| one.code != "en") {
        assert_ne!(
            explained(language.code),
            explained("en"),
            "{}",
            language.code
        );
    }
}

#[test]
fn two_lines_follow_the_last_page() {
    let plan = plan(100, json!({"publisherCC": "FR", "vendors": "all"}), "en");
    let first = |wanted: fn(&Disclosed) -> bool| plan.vendors.iter().find(|one| wanted(one));
    let vendor = first(|one| one.consent.len() > 1).unwrap();
    let claimant = first(|one| one.consent.is_empty() && one.interest.len() > 1).unwrap();
    let special = first(|one| one.consent.is_empty() && one.interest.is_empty()).unwrap();
    let own = BTreeMap::from([
        ("both".to_owned(), vendor.id),
        ("claims".to_owned(), claimant.id),
        ("special".to_owned(), special.id),
    ]);
    let with = json!({"gpp": {"sections": ["usnat"]}});
    let text = text_of(&drawn(&plan, &with, &own));
    assert!(Payload::read(&text).unwrap().has(flag::GPP));
    let (before, string) = text.rsplit_once('\n').unwrap();
    assert_eq!(TcString::decode(string).unwrap(), plan.everything);
    let facts = before.rsplit_once('\n').unwrap().1;
    let dotted = |ids: &Ids| {
        let ids: Vec<_> = ids.iter().map(|id| id.to_string()).collect();
        ids.join(".")
    };
    let expected = [
        "3",
        "a",
        "p1/news-en.partners.0.txt",
        "tcf/200/en.0.txt",
        "CA",
        "",
        &format!("both|{}|{}", vendor.id, dotted(&vendor.consent)),
        // Interests are in force until somebody objects.
        &format!("claims|{}|{}|i", claimant.id, dotted(&claimant.interest)),
        &format!("special|{}|", special.id),
    ];
    assert_eq!(facts.split('\t').collect::<Vec<_>>(), expected);
}

#[test]
fn the_states_need_no_tcf_and_other_configurations_have_no_line_more() {
    let category = json!({"tcf": null, "steps": [{"name": "all", "layout": "category", "vendors": [{"name": "own", "title": "Own"}]}]});
    let plain = render("p1", true, &Client::default(), &configuration(&category)).unwrap();
    let plain = text_of(&plain);
    assert_eq!(plain.lines().count(), 9);
    for (mspa, digits) in [
        (json!({}), "CA"),
        (json!({"mspa": "opt_out"}), "BY"),
        (json!({"mspa": "service_provider"}), "Bk"),
    ] {
        let mut with = category.clone();
        with["gpp"] = mspa;
        with["gpp"]["sections"] = json!(["usnat"]);
        let one = render("p1", true, &Client::default(), &configuration(&with)).unwrap();
        let text = text_of(&one);
        assert!(
            text.ends_with(&format!("\n0\ta\t\t\t{digits}\t\n")),
            "{text}"
        );
        // The page says besides that the browser's signal is honoured.
        let (before, rest) = text.split_once("p class=z part=gpc").unwrap();
        let before = before.strip_suffix('<').unwrap();
        let text = format!("{before}{}", rest.split_once("/p>").unwrap().1);
        let head = plain.split_once('\n').unwrap().1;
        assert!(text.split_once('\n').unwrap().1.starts_with(head));
        if let Some(bundle) = one.bundle("abc", &ADDRESSES) {
            assert!(bundle.contains("usnat"));
        }
    }
}

#[test]
fn every_language_is_drawn_within_the_budget() {
    for language in LANGUAGES {
        let plan = plan(
            700,
            json!({"publisherCC": "FR", "vendors": "all"}),
            language.code,
        );
        let with = json!({"language": language.code});
        let rendered = drawn(&plan, &with, &BTreeMap::new());
        let text = text_of(&rendered);
        let page = Payload::read(&text).unwrap().page(0).to_owned();
        assert!(!page.contains("{count}") && !page.contains("> <"), "{page}");
        let added = super::tests::brotli(&page) + super::tests::brotli(&plan.tc_string());
        assert!(
            added <= super::tests::budget("first-layer"),
            "{}: {added}",
            language.code
        );
        if let Some(bundle) = rendered.bundle(&"0".repeat(64), &ADDRESSES) {
            let size = super::tests::brotli(&bundle);
            println!("{}: {added} {size}", language.code);
            assert!(size <= super::tests::budget("bundle-iab"), "{size}");
        }
    }
}
