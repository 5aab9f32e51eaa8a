//! Budgets of a payload and of a bundle.

use serde_json::json;

use super::{super::*, ADDRESSES, brotli, budget, configuration, render};

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

/// A configuration of a megabyte whose own words would make hundreds of it.
#[test]
fn words_that_stand_at_many_services_and_steps_end_at_a_bound() {
    let words = |key: &str| json!({key: "😀".repeat(1_000)});
    let with = |strings: serde_json::Value, services: usize| {
        let service = |at: usize| {
            let name = format!("s{at}");
            json!({"name": name, "title": name, "policyUrl": "https://s.example"})
        };
        let services: Vec<_> = (0..services).map(service).collect();
        let steps = json!([{"name": "all", "layout": "category", "vendors": services}]);
        configuration(json!({"strings": strings, "steps": steps}))
    };
    let drawn =
        |own: &CookieConfiguration| super::super::render("p1", true, &Client::default(), own);
    let more = with(words("readMore"), 1_000);
    assert_eq!(drawn(&more), Err(TooLarge));
    assert!(super::super::later(&more).is_ok());
    let once = with(words("allowOnce"), 1_000);
    assert!(drawn(&once).is_ok());
    assert_eq!(super::super::later(&once), Err(TooLarge));
    let steps: Vec<_> = (0..1_000)
        .map(|at| json!({"name": at.to_string(), "layout": "welcome"}))
        .collect();
    let many = configuration(json!({"strings": words("configure"), "steps": steps}));
    assert_eq!(drawn(&many), Err(TooLarge));
    let few = with(words("readMore"), 500);
    assert!(drawn(&few).is_ok());
}
