mod sizes;
mod texts;

use domain::payload::{Payload, act};
use std::io::Read;

use serde_json::json;

use super::*;

const ADDRESSES: Addresses<'_> = Addresses {
    api_url: "https://api.example",
    cdn_url: "https://cdn.example",
};

fn configuration(with: serde_json::Value) -> CookieConfiguration {
    let mut document = json!({
        "identifier": "0190", "name": "shop-en", "language": "en",
        "steps": [
            {"name": "welcome", "layout": "welcome", "title": "Hello", "message": "<p>We <b>ask</b>. <a href=\"https://a.example\">More</a></p>"},
            {"name": "all", "layout": "category", "showToggleAllSwitch": true, "vendors": [
                {"name": "ads", "title": "Ads & Co", "shortDescription": "Shows adverts.", "longDescription": "At length.", "policyUrl": "https://ads.example/p", "categories": ["advertising"]},
                {"name": "stats", "title": "Stats", "categories": ["analytics"]},
            ]},
        ],
    });
    if let (Some(document), Some(with)) = (document.as_object_mut(), with.as_object()) {
        document.extend(with.clone());
    }
    serde_json::from_value(document).unwrap()
}

fn render(
    project_id: &str,
    active: bool,
    client: &Client,
    configuration: &CookieConfiguration,
) -> Rendered {
    super::render(project_id, active, client, configuration).unwrap()
}

fn later(configuration: &CookieConfiguration) -> String {
    super::later(configuration).unwrap()
}

fn rendered(with: serde_json::Value) -> Rendered {
    render("p1", true, &Client::default(), &configuration(with))
}

#[test]
fn the_sdk_reads_back_what_was_rendered() {
    let text = rendered(json!({"settings": {"respectGpc": true}})).payload("abc", &ADDRESSES);
    let payload = Payload::read(&text).unwrap();
    assert_eq!(
        (
            payload.project(),
            payload.identifier(),
            payload.name(),
            payload.language()
        ),
        ("p1", "0190", "shop-en", "en")
    );
    assert_eq!(
        (payload.publication(), payload.api_url()),
        ("abc", "https://api.example")
    );
    assert!(payload.has(flag::SAVE) && payload.has(flag::GPC) && !payload.has(flag::CONSENT_MODE));
    assert_eq!(payload.days(false), 180);
    let vendors: Vec<_> = payload
        .vendors()
        .map(|vendor| (vendor.name, vendor.step, vendor.purposes, vendor.title))
        .collect();
    assert_eq!(
        vendors,
        [("ads", 1, "a", "Ads &#38; Co"), ("stats", 1, "n", "Stats")]
    );
    assert!(payload.steps().eq(["welcome", "all"]));
    let pages = [payload.page(0), payload.page(1)];
    assert!(pages.iter().all(|page| !page.is_empty()) && payload.page(2).is_empty());
    assert!(payload.css().starts_with(":host{") && payload.frame().contains("part=banner"));
    assert!(payload.reopen().contains("part=reopen") && payload.placeholder().contains('\u{1}'));
}

#[test]
fn refusing_stands_beside_accepting_with_the_same_class_on_the_first_layer_and_on_each_list() {
    let text = rendered(json!({})).payload("", &ADDRESSES);
    let payload = Payload::read(&text).unwrap();
    let pages = [payload.page(0), payload.page(1)];
    assert!(pages[0].contains(
        "<div class=y><button class=b part=refuse data-a=2>Refuse all</button><button class=b part=accept data-a=1>Accept all</button></div><button class=\"b t\" part=configure data-a=3>"
    ));
    // A list behind the first layer has all answers: nobody goes back to accept or refuse.
    assert!(pages[1].contains(
        "<div class=y><button class=b part=refuse data-a=2>Refuse all</button><button class=b part=accept data-a=1>Accept all</button></div>"
    ));
    assert!(pages[1].contains("part=back") && pages[1].contains(">Save my choices<"));
    // A later notice asks for nothing.
    let notice = rendered(json!({"steps": [
        {"name": "welcome", "layout": "welcome"}, {"name": "about", "layout": "info"}, {"name": "none", "layout": "category"},
    ]}))
    .payload("", &ADDRESSES);
    let notice = Payload::read(&notice).unwrap();
    assert!((1..3).all(|index| !notice.page(index).contains("part=accept")));
}

#[test]
fn the_last_layer_names_who_processes_the_data_and_an_address() {
    let with = |contact: &str| {
        rendered(json!({
            "dataProcessor": {"name": "Shop <Ltd>", "website": "https://shop.example"},
            "contact": contact,
        }))
        .payload("", &ADDRESSES)
    };
    let text = with("dpo@shop.example");
    assert_eq!(text.matches("part=responsible").count(), 2, "on one layer");
    assert!(text.contains(
        "Who processes the data: <a href=\"https://shop.example\" target=_blank rel=\"noopener noreferrer\"><bdi>Shop &#60;Ltd&#62;</bdi><span class=hid> (opens in a new tab)</span></a>"
    ));
    assert!(text.contains("Contact: <a href=\"mailto:dpo@shop.example\">dpo@shop.example</a>"));
    assert!(with("https://dpo.example").contains("<a href=\"https://dpo.example\" target=_blank"));
    // Anything else stays text.
    assert!(with("javascript:alert(1)").contains("<bdi>javascript:alert(1)</bdi>"));
    assert!(with("\"><script>@").contains("mailto:&#34;&#62;&#60;script&#62;@"));
    assert!(
        !rendered(json!({}))
            .payload("", &ADDRESSES)
            .contains("responsible")
    );
}

#[test]
fn the_privacy_policy_is_linked_on_the_first_layer_alone() {
    let text = rendered(json!({"privacyPolicyUrl": "https://shop.example/privacy?a&b"}));
    let text = text.payload("", &ADDRESSES);
    let payload = Payload::read(&text).unwrap();
    let link = "part=policy><a href=\"https://shop.example/privacy?a&#38;b\"";
    assert!(payload.page(0).contains(link), "{}", payload.page(0));
    assert!(!payload.page(1).contains("part=policy"));
    let other = rendered(json!({"privacyPolicyUrl": "javascript:alert(1)"}));
    assert!(!other.payload("", &ADDRESSES).contains("part=policy"));
}

/// The details of a service, as a visitor loads them.
fn details(language: &str, vendor: &serde_json::Value) -> String {
    let steps = json!([{"name": "all", "layout": "category", "vendors": [vendor]}]);
    let later = later(&configuration(
        json!({"language": language, "steps": steps}),
    ));
    let later: serde_json::Value = serde_json::from_str(&later).unwrap();
    later["details"][vendor["name"].as_str().unwrap()]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn details_have_the_words_of_their_step() {
    let vendor = json!({"name": "own", "title": "Own", "policyUrl": "https://own.example/privacy"});
    let steps = json!([{"name": "all", "layout": "category", "vendors": [vendor],
        "strings": {"policyLink": "Their own words"}}]);
    let later = later(&configuration(json!({"language": "en", "steps": steps})));
    assert!(later.contains("Their own words"), "{later}");
}

#[test]
fn details_tell_provider_cookies_and_policy_in_every_language_and_stay_out_of_the_payload() {
    let vendor = json!({
        "name": "own", "title": "Own", "longDescription": "At length <b>.", "company": "Own & Co", "country": "ie",
        "policyUrl": "https://own.example/privacy", "cookieFacts": [
            {"name": "own_<id>", "maxAgeSeconds": 34_128_000}, {"name": "own_s", "maxAgeSeconds": 0}, {"name": "own_x"},
        ],
    });
    let mut said = std::collections::BTreeSet::new();
    for language in domain::language::LANGUAGES {
        let html = details(language.code, &vendor);
        for part in [
            "<p>At length &#60;b&#62;.</p>",
            ": <bdi>Own &#38; Co</bdi>, <data value=\"ie\">ie</data>",
            "<li><bdi>own_&#60;id&#62;</bdi> – <data value=\"395\" data-unit=\"day\">395 day</data></li>",
            "<bdi>own_s</bdi> – ",
            "<bdi>own_x</bdi> – ",
            "href=\"https://own.example/privacy\"",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains(" – </"), "{html}");
        said.insert(html);
    }
    assert_eq!(said.len(), domain::language::LANGUAGES.len(), "{said:?}");
    let steps = json!([{"name": "all", "layout": "category", "vendors": [vendor]}]);
    let text = rendered(json!({"steps": steps})).payload("", &ADDRESSES);
    assert!(
        text.contains("aria-expanded=false>Read more <span class=hid>Own</span>")
            && text.contains("<p id=n hidden>")
            && !text.contains("At length")
            && !text.contains("own.example"),
        "{text}"
    );
    let bare = json!([{"name": "all", "layout": "category", "vendors": [{"name": "own"}]}]);
    let text = rendered(json!({"steps": bare})).payload("", &ADDRESSES);
    assert!(!text.contains("part=more") && !text.contains("<p id=n"));
}

#[test]
fn a_service_without_a_policy_names_its_host() {
    let with = |policy: serde_json::Value| {
        details(
            "en",
            &json!({"name": "own", "title": "Own", "domain": "own.example", "policyUrl": policy}),
        )
    };
    assert!(with(json!(null)).contains("<bdi>own.example</bdi>"));
    assert!(!with(json!("https://own.example/privacy")).contains("<bdi>"));
}

#[test]
fn everything_but_the_message_is_escaped_and_stays_on_its_line() {
    let evil = "<img src=x onerror=alert(1)>\"'\n\tx";
    let text = rendered(json!({
        "strings": {"acceptAll": evil, "close": evil, "toggleAll": evil, "reopen": evil, "placeholder": evil},
        "steps": [
            {"name": evil, "layout": "category", "title": evil, "topTitle": evil, "subTitle": evil,
             "image": "javascript:alert(1)", "showToggleAllSwitch": true, "vendors": [
                {"name": "ads", "title": evil, "shortDescription": evil, "longDescription": "<b>", "policyUrl": "javascript:alert(1)"}]},
        ],
    }))
    .payload("", &ADDRESSES);
    let payload = Payload::read(&text).unwrap();
    let pages = [payload.page(0), payload.page(1)];
    assert!(pages[1].is_empty());
    assert_eq!(payload.vendors().count(), 1);
    let details = details(
        "en",
        &json!({"name": "ads", "longDescription": evil, "company": evil, "country": evil, "domain": evil,
            "policyUrl": "javascript:alert(1)", "cookieFacts": [{"name": evil}]}),
    );
    for html in [
        pages[0],
        payload.frame(),
        payload.reopen(),
        payload.placeholder(),
        &details,
    ] {
        assert!(
            !html.contains("<img") && !html.contains("javascript:") && !html.contains("<b>"),
            "{html}"
        );
    }
}

#[test]
fn a_step_says_its_titles() {
    let steps = json!([{"name": "a", "layout": "welcome", "topTitle": "Above", "title": "Here", "subTitle": "Below"}]);
    let text = rendered(json!({ "steps": steps })).payload("", &ADDRESSES);
    for said in [
        "part=top-title>Above<",
        "part=title>Here<",
        "part=subtitle>Below<",
    ] {
        assert!(text.contains(said), "{said} {text}");
    }
}

#[test]
fn a_message_that_nobody_has_cleaned_is_cleaned() {
    let evil = "<p onclick=x>Hi</p><script>alert(1)</script><a href='https://a.example'>a</a>";
    let steps = json!([{"name": "a", "layout": "welcome", "message": evil}]);
    let text = rendered(json!({ "steps": steps })).payload("", &ADDRESSES);
    let clean = "<div class=m id=m part=message><p>Hi</p><a target=_blank aria-describedby=nt href=\"https://a.example\" rel=\"noopener noreferrer\">a</a></div>";
    assert!(text.contains(clean), "{text}");
}

#[test]
fn templates_leave_no_white_space_between_tags() {
    let vendor = json!({"name": "ads", "shortDescription": "a", "longDescription": "b", "policyUrl": "https://a.example",
        "company": "A", "country": "FR", "cookieFacts": [{"name": "a"}, {"name": "b", "maxAgeSeconds": 5}]});
    let step = |layout: &str| {
        json!({
            "name": layout, "layout": layout, "title": "a", "topTitle": "b", "subTitle": "c", "message": "d",
            "image": "https://a.example", "timeout": 1000, "showToggleAllSwitch": true, "vendors": [vendor],
        })
    };
    let steps = ["welcome", "category", "info", "soft_consent", "category"].map(step);
    let settings = json!({"respectGpc": true});
    let responsible = json!({"name": "Shop", "website": "https://shop.example"});
    let own = configuration(json!({
        "steps": steps, "settings": settings, "dataProcessor": responsible, "contact": "a@shop.example",
        "privacyPolicyUrl": "https://shop.example",
    }));
    let text = render("p1", false, &Client::default(), &own).payload("", &ADDRESSES);
    let payload = Payload::read(&text).unwrap();
    let pages = (0..5).map(|index| payload.page(index));
    let details = details("en", &vendor);
    let others = [
        payload.frame(),
        payload.reopen(),
        payload.placeholder(),
        &details,
    ];
    for html in pages.chain(others) {
        assert!(html.starts_with('<') && html.ends_with('>'), "{html}");
        assert!(!html.contains("> <") && !html.contains("  "), "{html}");
    }
}

#[test]
fn the_hash_is_of_what_is_shown() {
    let one = rendered(json!({}));
    assert_eq!(one.hash(), rendered(json!({})).hash());
    assert_eq!(one.hash().len(), 64);
    assert_ne!(one.hash(), rendered(json!({"language": "fr"})).hash());
    assert_ne!(
        one.hash(),
        render("p1", false, &Client::default(), &configuration(json!({}))).hash()
    );
}

#[test]
fn a_project_of_some_hosts_says_so_and_shows_the_same() {
    let (any, own) = (rendered(json!({})), rendered(json!({})));
    let own = own.only_on(&["Shop.example".to_owned(), "localhost".to_owned()]);
    assert_eq!(any.hash(), own.hash());
    assert_eq!(any.clone().only_on(&[]), any);
    let text = own.payload("abc", &ADDRESSES);
    assert_eq!(
        text.lines().nth(1),
        Some("abc\thttps://api.example\t^(shop[.]example|localhost)$")
    );
    let payload = Payload::read(&text).unwrap();
    assert_eq!(
        (payload.publication(), payload.api_url()),
        ("abc", "https://api.example")
    );
    assert_eq!(payload.vendors().count(), 2);
}

#[test]
fn an_index_names_each_configuration() {
    let one = configuration(json!({"isDefault": true, "country": "gb"}));
    let french = CookieConfiguration {
        language: "fr".to_owned(),
        text_language: Some("en".to_owned()),
        ..one.clone()
    };
    assert_eq!(
        index([&one, &french].into_iter()),
        r#"[["shop-en","en","GB",1],["shop-en.fr","fr","GB",1]]"#
    );
}

#[test]
fn services_fold_by_their_first_category_and_those_without_one_are_last() {
    let vendor = |name: &str, categories: &[&str]| json!({"name": name, "title": name, "categories": categories});
    let page = |groups: bool| {
        let step = json!({
            "name": "all", "layout": "category", "groupByCategory": groups, "showToggleAllSwitch": true, "vendors": [
                vendor("own", &[]), vendor("ads", &["advertising", "analytics"]), vendor("stats", &["analytics"]), vendor("more-ads", &["advertising"]),
            ],
        });
        let rendered = rendered(json!({"steps": [{"name": "welcome", "layout": "welcome"}, step]}));
        let text = rendered.payload("abc", &ADDRESSES);
        let payload = Payload::read(&text).unwrap();
        let styles = payload.css().contains("summary");
        (payload.page(1).to_owned(), styles)
    };
    let (folded, styles) = page(true);
    let after = |mark: &str| -> Vec<String> {
        let parts = folded.split(mark).skip(1);
        let parts = parts.map(|part| part.split(['<', '"']).next().unwrap_or_default());
        parts.map(str::to_owned).collect()
    };
    assert_eq!(
        after("<h3>"),
        ["Always on", "Advertising", "Analytics", "Other services"]
    );
    assert_eq!(after("data-vendor=\""), ["ads", "more-ads", "stats", "own"]);
    // The ids are those of a list that does not fold.
    assert_eq!(
        after("<label for="),
        [
            "a>All services of this page",
            "v1>ads",
            "v3>more-ads",
            "v2>stats",
            "v0>own"
        ]
    );
    assert!(styles && !folded.contains("part=search") && !folded.contains("<details open"));
    let (flat, styles) = page(false);
    assert!(!styles && !flat.contains("<details"));
    for act in [act::REFUSE, act::ACCEPT, act::BACK, act::SAVE] {
        let button = format!("data-a={act}>");
        assert!(folded.contains(&button) && flat.contains(&button), "{act}");
    }
}

#[test]
fn a_logo_and_an_entrance_cost_those_who_have_them() {
    let payload = |client: serde_json::Value| {
        let client: Client = serde_json::from_value(client).unwrap();
        let document = configuration(json!({}));
        render("p1", true, &client, &document).payload("", &ADDRESSES)
    };
    let plain = payload(json!({}));
    for marks in [".lo", "part=logo", "--en", "class=ti"] {
        assert!(!plain.contains(marks), "{marks}");
    }
    // The default, a dark logo without a logo, and addresses that are none.
    for nothing in [
        json!({"widgetStyle": {"entrance": "none"}}),
        json!({"darkLogo": "https://a.example/b.png"}),
    ] {
        assert_eq!(payload(nothing), plain);
    }
    assert!(!payload(json!({"logo": "javascript:alert(1)"})).contains("part=logo"));
    let spring = payload(json!({"widgetStyle": {"entrance": "spring"}}));
    assert!(spring.contains("--by:64px") && !spring.contains("--by:24px"));
    assert!(spring.contains("<i class=ti hidden></i>") && !spring.contains(".lo{"));
    let logo = payload(json!({"logo": "https://a.example/a.png?b&c"}));
    let image = "<img class=lo part=logo alt=\"\" src=\"https://a.example/a.png?b&#38;c\">";
    assert_eq!(logo.matches(image).count(), 2);
    assert!(!logo.contains("--en"));
}

#[test]
fn a_picture_above_the_title_costs_those_who_have_one() {
    let payload = |place: &str, image: serde_json::Value, display: &str| {
        let client = json!({"widgetStyle": {"imagePlace": place}});
        let client: Client = serde_json::from_value(client).unwrap();
        let mut document = configuration(json!({"settings": {"displayMode": display}}));
        for step in &mut document.steps {
            step.image = image.as_str().map(str::to_owned);
        }
        render("p1", true, &client, &document).payload("", &ADDRESSES)
    };
    let picture = || json!("https://a.example/a.png");
    let above = payload("above", picture(), "card");
    assert!(above.contains(".ha{") && above.contains("h ha"));
    let beside = payload("beside", picture(), "card");
    assert!(beside.contains(".im{float") && !beside.contains("h ha") && !beside.contains(".ha{"));
    // Bars are too low, and without a picture there is no rule for it.
    assert_eq!(
        payload("above", picture(), "bar"),
        payload("beside", picture(), "bar")
    );
    assert_eq!(
        payload("above", json!(null), "card"),
        payload("beside", json!(null), "card")
    );
}

#[test]
fn lines_of_japanese_end_between_phrases() {
    let payload = |language: &str| {
        let document = configuration(json!({"language": language}));
        render("p1", true, &Client::default(), &document).payload("", &ADDRESSES)
    };
    assert!(payload("ja").contains("word-break:auto-phrase"));
    assert!(!payload("zh").contains("auto-phrase"));
}

pub(super) fn brotli(text: &str) -> usize {
    let mut compressed = Vec::new();
    let mut reader = ::brotli::CompressorReader::new(text.as_bytes(), 4096, 11, 24);
    reader.read_to_end(&mut compressed).unwrap();
    compressed.len()
}

/// Bytes that `sdk-wasm/size-budget.toml` allows.
pub(super) fn budget(key: &str) -> usize {
    include_str!("../../../sdk-wasm/size-budget.toml")
        .lines()
        .filter_map(|line| line.split('#').next()?.split_once('='))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, bytes)| bytes.trim().parse().unwrap())
        .unwrap()
}
