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

#[test]
fn the_first_list_of_services_shows_what_is_always_on_and_why_in_every_language() {
    let mut said = std::collections::BTreeSet::new();
    let category =
        |name: &str| json!({"name": name, "layout": "category", "vendors": [{"name": name}]});
    let steps = json!([{"name": "a", "layout": "welcome"}, category("b"), category("c")]);
    for language in domain::language::LANGUAGES {
        let always_on = json!([{"title": "Basket <1>", "reason": "Keeps what you <b>."}]);
        let own = json!({"language": language.code, "alwaysOn": always_on, "steps": steps});
        let text = rendered(own).payload("", &ADDRESSES);
        let payload = Payload::read(&text).unwrap();
        let rows: Vec<_> = payload.page(1).split("part=always-on>").skip(1).collect();
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert!(
            rows[0].contains("<strong>Basket &#60;1&#62;</strong><small>")
                && rows[0].contains("<p>Keeps what you &#60;b&#62;.</p>"),
            "{rows:?}"
        );
        said.insert(rows[1].to_owned());
        for other in [0, 2] {
            assert!(!payload.page(other).contains("always-on"));
        }
    }
    assert_eq!(said.len(), domain::language::LANGUAGES.len(), "{said:?}");
}

#[test]
fn a_first_layer_without_a_text_of_its_own_says_what_it_must_in_every_language() {
    let mut said = std::collections::BTreeSet::new();
    let vendor = |name: &str, categories: &[&str]| json!({"name": name, "categories": categories});
    let vendors = json!([
        vendor("a", &["video", "advertising"]),
        vendor("b", &["advertising"]),
        vendor("c", &["our statistics"]),
    ]);
    let with = |language: &str, first: serde_json::Value| {
        let steps = json!([first, {"name": "b", "layout": "category", "vendors": vendors}]);
        let text = rendered(json!({"language": language, "steps": steps,
            "dataProcessor": {"name": "Shop <Ltd>", "website": "https://shop.example"}}))
        .payload("", &ADDRESSES);
        Payload::read(&text).unwrap().page(0).to_owned()
    };
    let english = with("en", json!({"name": "a", "layout": "welcome"}));
    for part in [
        "<p>With your agreement we use services for: Advertising, Analytics, Video.</p>",
        "<p>Who processes the data: <a href=\"https://shop.example\"",
        "<bdi>Shop &#60;Ltd&#62;</bdi>",
        "<p><button part=services data-a=3>Number of services: 3</button></p>",
        "<p>Days for which the answer is kept: 180</p>",
        "<p>You can change your mind at any time: “Privacy choices”.</p>",
    ] {
        assert!(english.contains(part), "{part}: {english}");
    }
    for language in domain::language::LANGUAGES {
        let page = with(language.code, json!({"name": "a", "layout": "welcome"}));
        let message = page.split_once("part=message>").unwrap().1;
        said.insert(message.split_once("</div>").unwrap().0.to_owned());
    }
    assert_eq!(said.len(), domain::language::LANGUAGES.len(), "{said:?}");
    // It names no button that visitors who have chosen do not see.
    for settings in [
        json!({"reopenButton": false}),
        json!({"hideForVisitorsWithChoice": true}),
    ] {
        let steps = json!([{"name": "a", "layout": "category", "vendors": vendors}]);
        let configuration = json!({"language": "en", "steps": steps, "settings": settings});
        let text = rendered(configuration).payload("", &ADDRESSES);
        let page = Payload::read(&text).unwrap().page(0).to_owned();
        assert!(page.contains("With your agreement") && !page.contains("change your mind"));
    }
    // The owner's own words stand alone, and a notice asks for nothing.
    let own = with(
        "en",
        json!({"name": "a", "layout": "welcome", "message": "<p>Ours</p>"}),
    );
    assert!(own.contains("<p>Ours</p>") && !own.contains("agreement"));
    let notice = with("en", json!({"name": "a", "layout": "info"}));
    assert!(!notice.contains("part=message"), "{notice}");
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
fn words_come_from_the_step_the_configuration_the_language_then_english() {
    let text = rendered(json!({"language": "fr-CA", "strings": {"dismiss": "Non merci"}}))
        .payload("", &ADDRESSES);
    assert!(text.contains(">Non merci<") && text.contains(">Tout accepter<"));
    let text = rendered(json!({"language": "xx"})).payload("", &ADDRESSES);
    assert!(text.contains(">Accept all<"));
    // Words of the step stand before those of the widget, and these before the shorter table.
    let mut own = json!({
        "strings": {"dismiss": "of the strings"},
        "consentWidgetStrings": {"dismiss": "of the widget"},
        "steps": [{"name": "a", "layout": "welcome", "strings": {"dismiss": "of the step"}}],
    });
    let said = |own: &serde_json::Value| rendered(own.clone()).payload("", &ADDRESSES);
    assert!(said(&own).contains(">of the step<"));
    own["steps"][0]["strings"] = json!({"dismiss": " "});
    assert!(said(&own).contains(">of the widget<"));
    own["consentWidgetStrings"] = json!({});
    assert!(said(&own).contains(">of the strings<"));
}

#[test]
fn a_voice_says_the_words_of_the_widget_and_the_site_goes_before_it() {
    let own = |with: serde_json::Value| {
        let mut own = json!({"language": "fr", "steps": [
            {"name": "a", "layout": "welcome"},
            {"name": "b", "layout": "category", "vendors": [{"name": "ads", "categories": ["advertising"]}]},
        ]});
        own.as_object_mut()
            .unwrap()
            .extend(with.as_object().unwrap().clone());
        own
    };
    let said = |with| rendered(own(with)).payload("", &ADDRESSES);
    assert_eq!(said(json!({"voice": "neutral"})), said(json!({})));
    for (voice, title, asked) in [
        (
            "neutral",
            "Votre vie privée, votre choix",
            "Avec votre accord, nous",
        ),
        (
            "friendly",
            "Ta vie privée, ton choix",
            "Si tu es d’accord, nous",
        ),
        (
            "formal",
            "Vos choix en matière de vie privée",
            "Sous réserve de votre accord, nous",
        ),
    ] {
        let text = said(json!({"voice": voice}));
        for words in [title, asked, ">Tout refuser<", ">Tout accepter<"] {
            assert!(text.contains(words), "{voice}: no {words} in {text}");
        }
    }
    let later = later(&configuration(own(json!({"voice": "friendly"}))));
    assert!(later.contains("Ta dernière réponse"), "{later}");
    // Words that the owner has written go before it, in whichever table, and other languages speak English.
    for table in ["strings", "consentWidgetStrings"] {
        let text = said(json!({"voice": "friendly", table: {"title": "Nos cookies"}}));
        assert!(
            text.contains("Nos cookies") && !text.contains("Ta vie"),
            "{text}"
        );
    }
    let text = said(json!({"voice": "friendly", "language": "xx"}));
    assert!(text.contains("Your privacy is up to you"), "{text}");
}

#[test]
fn the_last_button_has_the_words_of_the_site_for_its_place() {
    let steps = |layout: &str| json!([{"name": "a", "layout": "welcome"}, {"name": "b", "layout": layout, "vendors": [{"name": "ads"}]}]);
    for layout in ["category", "welcome", "soft_consent"] {
        let said = |strings| {
            let own = json!({"steps": steps(layout), "strings": strings});
            rendered(own).payload("", &ADDRESSES)
        };
        assert!(said(json!({"save": "Keep them"})).contains(">Keep them<"));
        let text = said(json!({"save": "Keep them", "lastStep": "Done, thanks"}));
        assert!(
            text.contains(">Done, thanks<") && !text.contains(">Keep them<"),
            "{text}"
        );
    }
}

#[test]
fn closing_refuses_and_the_first_layer_says_so_in_every_language() {
    let close = |act: u32| format!("part=close data-a={act} ");
    let mut said = std::collections::BTreeSet::new();
    for language in domain::language::LANGUAGES {
        let of = |settings| {
            let steps = json!([
                {"name": "a", "layout": "welcome"},
                {"name": "b", "layout": "category", "vendors": [{"name": "ads"}]},
            ]);
            let own = json!({"language": language.code, "settings": settings, "steps": steps});
            rendered(own).payload("", &ADDRESSES)
        };
        let text = of(json!({"askAgainAfterDays": 90}));
        let payload = Payload::read(&text).unwrap();
        assert_eq!((payload.days(false), payload.days(true)), (180, 90));
        let (first, second) = (payload.page(0), payload.page(1));
        let says = first.split_once("part=closing id=c>").unwrap().1;
        said.insert(says.split_once('<').unwrap().0.to_owned());
        assert!(!second.contains("part=closing"), "{second}");
        for page in [first, second] {
            assert!(page.contains(&close(act::DISMISS)), "{page}");
        }
        let text = of(json!({"onClose": "ask_again"}));
        let payload = Payload::read(&text).unwrap();
        assert_eq!(payload.days(true), 0);
        let first = payload.page(0);
        assert!(
            first.contains(&close(act::CLOSE)) && !first.contains("part=closing"),
            "{first}"
        );
    }
    assert_eq!(said.len(), domain::language::LANGUAGES.len(), "{said:?}");
}

#[test]
fn placeholders_say_purpose_policy_and_scope_in_every_language() {
    let mut said = std::collections::BTreeSet::new();
    for language in domain::language::LANGUAGES {
        let later = later(&configuration(json!({"language": language.code})));
        let later: serde_json::Value = serde_json::from_str(&later).unwrap();
        let about = |vendor: &str| later["placeholders"][vendor].as_str().unwrap().to_owned();
        let ads = about("ads");
        assert!(
            ads.contains("<span part=purpose>Shows adverts.</span>"),
            "{ads}"
        );
        assert!(
            ads.contains("href=\"https://ads.example/p\"") && ads.contains(": Ads &#38; Co ("),
            "{ads}"
        );
        let stats = about("stats");
        assert!(
            !stats.contains("part=purpose") && !stats.contains("href"),
            "{stats}"
        );
        said.insert(stats);
    }
    assert_eq!(said.len(), domain::language::LANGUAGES.len(), "{said:?}");
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
fn a_widget_names_its_other_languages_and_stays_what_it_is() {
    let own = rendered(json!({}));
    let others = [("fr", "0f"), ("de", "1e")].map(|(language, hash)| Translation {
        language: language.to_owned(),
        hash: hash.to_owned(),
    });
    let speaking = own.clone().in_other_languages(&others);
    let text = speaking.payload("abc", &ADDRESSES);
    let payload = Payload::read(&text).unwrap();
    assert_eq!(payload.other_languages(), "fr.0f de.1e");
    assert_eq!(payload.api_url(), ADDRESSES.api_url);
    assert_eq!(speaking.hash(), own.hash());
    // A widget in one language says nothing about others.
    assert_eq!(
        own.clone()
            .in_other_languages(&[])
            .payload("abc", &ADDRESSES),
        own.payload("abc", &ADDRESSES)
    );
    let Some(bundle) = speaking.bundle("abc", &ADDRESSES) else {
        return; // Without a built SDK there is none.
    };
    let speaks = |bundle: &str| bundle.contains(".payload\"");
    assert!(speaks(&bundle) && !speaks(&own.bundle("abc", &ADDRESSES).unwrap()));
}

#[test]
fn a_text_without_a_translation_names_its_language() {
    let text = rendered(json!({"language": "fr", "textLanguage": "en", "untranslated": ["/steps/0/message", "/alwaysOn/0/reason"],
        "alwaysOn": [{"title": "Panier", "reason": "It keeps the basket."}]}))
    .payload("", &ADDRESSES);
    let payload = Payload::read(&text).unwrap();
    assert!(payload.has(flag::TRANSLATED));
    let page = payload.page(0);
    assert!(
        page.contains("part=message lang=\"en\" dir=auto>"),
        "{page}"
    );
    assert!(page.contains("part=title>Hello"), "{page}");
    let list = payload.page(1);
    assert!(
        list.contains("<strong>Panier</strong>")
            && list.contains("<p lang=\"en\" dir=auto>It keeps"),
        "{list}"
    );
    let own = rendered(json!({})).payload("", &ADDRESSES);
    assert!(!Payload::read(&own).unwrap().has(flag::TRANSLATED) && !own.contains(" dir=auto"));
}

#[test]
fn a_vendor_without_a_translation_names_its_language() {
    let drawn = |vendor: serde_json::Value| {
        let steps = json!([{"name": "all", "layout": "category", "vendors": [vendor]}]);
        let with = json!({"language": "ar", "textLanguage": "en", "steps": steps});
        let text = rendered(with.clone()).payload("", &ADDRESSES);
        let page = Payload::read(&text).unwrap().page(0).to_owned();
        (page, later(&configuration(with)))
    };
    let vendor = json!({"name": "own", "title": "Our own", "shortDescription": "It counts.", "longDescription": "It counts visits."});
    let mut foreign = vendor.clone();
    foreign["textLanguage"] = "en".into();
    let (page, later) = drawn(foreign);
    let says = r#"lang="en" dir=auto>"#;
    for text in ["Our own</label>", "It counts.</p>", "Our own</span>"] {
        assert!(page.contains(&format!("{says}{text}")), "{page}");
    }
    let later: serde_json::Value = serde_json::from_str(&later).unwrap();
    for kind in ["details", "placeholders"] {
        let html = later[kind]["own"].as_str().unwrap();
        assert!(html.contains(&format!("{says}It counts")), "{html}");
    }
    let (page, later) = drawn(vendor);
    assert!(
        !page.contains("dir=auto") && !later.contains("dir=auto"),
        "{page}{later}"
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

/// A configuration of some purposes with three services each, in words as people write them.
fn of_purposes(purposes: usize) -> CookieConfiguration {
    let steps = (0..purposes).map(|purpose| {
        let vendors: Vec<_> = (0..3)
            .map(|service| {
                let words = ["page views", "clicks and scrolling", "two versions of a page", "adverts"];
                let title = ["Stats", "Heatmap", "Experiments"][service];
                json!({
                    "name": format!("service_{purpose}_{service}"),
                    "title": format!("Example {title}"),
                    "shortDescription": format!("Measures {} for our team.", words[(purpose + service) % 4]),
                    "policyUrl": format!("https://service{purpose}{service}.example/privacy"),
                    "categories": ["analytics"],
                })
            })
            .collect();
        let title = ["Audience measurement", "Advertising", "Embedded media", "Support"][purpose];
        json!({
            "name": format!("purpose_{purpose}"), "layout": "category", "title": title,
            "message": "<p>Switch each service on or off. You can change your mind at any time.</p>",
            "showToggleAllSwitch": true, "vendors": vendors,
        })
    });
    let welcome = json!({
        "name": "welcome", "layout": "welcome", "title": "Your privacy on this site",
        "message": "<p>With your agreement we and our partners use cookies to measure our audience, show relevant advertising and play embedded media. You can accept, refuse, or choose purpose by purpose.</p>",
    });
    let steps: Vec<_> = std::iter::once(welcome).chain(steps).collect();
    configuration(json!({ "steps": steps }))
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

#[test]
fn a_payload_of_twelve_vendors_is_within_its_budget() {
    let rendered = render("p1", true, &Client::default(), &of_purposes(4));
    let size = brotli(&rendered.payload(&"0".repeat(64), &ADDRESSES));
    assert!(size <= budget("payload"), "{size} bytes");
}

/// Also `cargo xtask build --only sdk` bounds the parts; without it there is nothing to weigh.
#[test]
fn a_bundle_of_nine_services_is_within_its_budget() {
    let rendered = render("p1", true, &Client::default(), &of_purposes(3));
    if let Some(bundle) = rendered.bundle(&"0".repeat(64), &ADDRESSES) {
        let size = brotli(&bundle);
        println!("{size} bytes");
        assert!(size <= budget("bundle"), "{size} bytes");
    }
}
