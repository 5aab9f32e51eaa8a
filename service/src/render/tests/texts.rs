//! Texts of the widget, and their languages.

use domain::payload::{Payload, act};
use serde_json::json;

use super::{super::*, ADDRESSES, configuration, later, rendered};

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
        "<p>Days for which the answer is kept: <data value=\"180\">180</data></p>",
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
fn the_text_of_screens_is_read_as_visitors_saw_it() {
    let vendor = json!({"name": "ads", "title": "Ads & more", "shortDescription": "Shows ads.", "policyUrl": "https://a.example"});
    let steps = json!([
        {"name": "first", "layout": "welcome", "title": "Hello"},
        {"name": "second", "layout": "category", "title": "Services", "message": "<p>One <b>bold</b> word</p><ul><li>a</li><li>b</li></ul>",
            "vendors": [vendor]},
    ]);
    let own = json!({"steps": steps, "settings": {"respectGpc": true}});
    let text = rendered(own).payload("", &ADDRESSES);
    let [first, second] = &screen_texts(&text)[..] else {
        panic!("two screens");
    };
    assert_eq!(first.title, "Hello");
    // The widget's own words, where the configuration has none.
    assert!(
        first.lines.iter().any(|line| line.contains("is kept: 180")),
        "{first:?}"
    );
    assert!(first.lines.contains(&"Accept all".to_owned()), "{first:?}");
    // Few visitors have sent the signal.
    assert!(
        !first
            .lines
            .iter()
            .any(|line| line.contains("Privacy Control")),
        "{first:?}"
    );
    assert_eq!(second.title, "Services");
    assert_eq!(
        second.lines[..5],
        ["One bold word", "a", "b", "Ads & more", "Shows ads."]
    );
    assert!(second.lines.contains(&"Always on".to_owned()), "{second:?}");
    assert!(
        !second.lines.iter().any(|line| line.contains("Read more")),
        "{second:?}"
    );
}
