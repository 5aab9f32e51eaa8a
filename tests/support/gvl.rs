//! Global Vendor Lists of invented vendors: as large as the real one, with all that makes reading one hard.
//!
//! The unit tests of `domain` use this file, too.

use serde_json::{Map, Value, json};

/// Largest id of a list; real lists have gaps below it.
pub const LAST_ID: u16 = 4_176;
/// Vendors of a list that is as large as the real one.
pub const MANY: usize = 1_600;
/// Version of [`list`].
pub const VERSION: u16 = 200;

const PURPOSES: u16 = 11;
const CONSENT_ONLY: [u16; 5] = [1, 3, 4, 5, 6];
const SYLLABLES: [&str; 32] = [
    "ad", "bid", "click", "data", "ex", "flow", "graph", "hub", "in", "jet", "kin", "loop",
    "media", "net", "omni", "pixel", "quant", "reach", "sight", "tap", "up", "view", "wave", "xi",
    "yield", "zen", "mar", "tor", "sel", "via", "lo", "nex",
];
const FORMS: [&str; 8] = [
    "Inc.",
    "GmbH",
    "Ltd",
    "SAS",
    "B.V.",
    "S.r.l.",
    "GmbH &amp; Co. KG",
    "Inc.\u{200b} \n",
];

/// The list of a seed with so many vendors. The same arguments give the same list.
pub fn list(seed: u64, vendors: usize) -> Value {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut ids: Vec<u16> = (1..LAST_ID).collect();
    random.shuffle(&mut ids);
    ids.truncate(vendors.saturating_sub(1));
    ids.push(LAST_ID);
    ids.sort_unstable();
    let vendors: Map<String, Value> = ids
        .into_iter()
        .enumerate()
        .map(|(at, id)| (id.to_string(), vendor(&mut random, at, id)))
        .collect();
    let mut list = texts("");
    let stacks = [
        (2, vec![2, 7], vec![]),
        (3, vec![2, 3, 4], vec![]),
        (42, vec![2, 7, 9, 10], vec![]),
        (43, vec![], vec![1, 2]),
    ];
    for (id, purposes, features) in stacks {
        list["stacks"][id.to_string()]["purposes"] = json!(purposes);
        list["stacks"][id.to_string()]["specialFeatures"] = json!(features);
    }
    list["vendors"] = vendors.into();
    list
}

/// `purposes-<language>.json` for [`list`]: each text begins with the language.
pub fn translation(language: &str) -> Value {
    let mut texts = texts(&format!("{language}: "));
    // A translation of another day may lack an entry, and know another.
    let purposes = texts["purposes"].as_object_mut().unwrap();
    let last = purposes.remove("11").unwrap();
    purposes.insert(
        "12".into(),
        json!({"id": 12, "name": last["name"], "description": "Later"}),
    );
    texts
}

fn texts(mark: &str) -> Value {
    let entries = |what: &str, ids: &[u16], with_illustrations: bool| {
        let entries = ids.iter().map(|id| {
            let mut entry = json!({"id": id, "name": format!("{mark}{what} {id} \n"),
                "description": format!("{mark}Description of {what} {id}.\nSecond line."), "unknown": {"kept": true}});
            if with_illustrations {
                entry["illustrations"] = json!([format!("{mark}For example {what} {id}."), "Another."]);
            }
            (id.to_string(), entry)
        });
        Value::Object(entries.collect())
    };
    let to = |last: u16| (1..=last).collect::<Vec<_>>();
    json!({
        "gvlSpecificationVersion": 3, "vendorListVersion": VERSION, "tcfPolicyVersion": 5,
        "lastUpdated": "2026-11-19T16:00:27Z",
        "purposes": entries("Purpose", &to(PURPOSES), true),
        "specialPurposes": entries("Special purpose", &to(3), true),
        "features": entries("Feature", &to(3), true),
        "specialFeatures": entries("Special feature", &to(2), true),
        "stacks": entries("Stack", &[2, 3, 42, 43], false),
        "dataCategories": entries("Category", &to(11), false),
        "standardTexts": {"features": format!("{mark}Features are used for the purposes above. ")},
        "unknown": [1],
    })
}

/// A vendor; the first ones are the hard cases, one each.
fn vendor(random: &mut fastrand::Rng, at: usize, id: u16) -> Value {
    let word = |random: &mut fastrand::Rng| SYLLABLES[random.usize(..SYLLABLES.len())];
    let name = format!("{}{}{}", word(random), word(random), word(random));
    let company = FORMS[random.usize(..FORMS.len())];
    let site = format!(
        "https://www.{name}.{}/",
        ["com", "de", "io", "example"][random.usize(..4)]
    );
    let (mut purposes, mut interests, mut flexible) = (Vec::new(), Vec::new(), Vec::new());
    for purpose in 1..=PURPOSES {
        let bases = if CONSENT_ONLY.contains(&purpose) {
            1
        } else {
            2
        };
        match random.usize(..bases * 3) {
            0 | 1 => purposes.push(purpose),
            4 => interests.push(purpose),
            _ => continue,
        }
        if bases == 2 && random.bool() {
            flexible.push(purpose);
        }
    }
    let some = |random: &mut fastrand::Rng, last: u16| {
        (1..=last)
            .filter(|_| random.u8(..3) != 0)
            .collect::<Vec<_>>()
    };
    let policy = format!(
        "{site}{}",
        [
            "privacy",
            "privacy-policy",
            "legal/privacy/",
            "en/privacy-notice"
        ][random.usize(..4)]
    );
    let mut urls = vec![
        json!({"langId": "en", "privacy": policy, "legIntClaim": if random.bool() { policy.clone() } else { format!("{policy}#interest") }}),
    ];
    if random.u8(..4) == 0 {
        urls.push(json!({"langId": "fr", "privacy": format!("{site}fr/confidentialite")}));
    }
    let days = [30, 90, 180, 365, 390, 730];
    let mut vendor = json!({
        "id": id, "name": format!("{}{} {company}", name[..1].to_uppercase(), &name[1..]),
        "purposes": purposes, "legIntPurposes": interests, "flexiblePurposes": flexible,
        "specialPurposes": some(random, 3), "features": some(random, 3), "specialFeatures": some(random, 2),
        "cookieMaxAgeSeconds": 86_400 * days[random.usize(..6)], "usesCookies": true, "cookieRefresh": random.bool(),
        "usesNonCookieAccess": random.bool(),
        "dataRetention": {"stdRetention": days[random.usize(..6)], "purposes": {}, "specialPurposes": {}},
        "urls": urls, "dataDeclaration": some(random, 11),
        "deviceStorageDisclosureUrl": format!("{site}storage.json"),
    });
    let change = match at {
        0 => {
            json!({"purposes": [], "legIntPurposes": [], "flexiblePurposes": [], "specialPurposes": [1, 2]})
        }
        1 => json!({"deletedDate": "2026-01-01T00:00:00Z"}),
        2 => json!({"deletedDate": "2090-01-01T00:00:00Z"}),
        3 => json!({"purposes": [1], "legIntPurposes": [3, 7], "flexiblePurposes": [3, 7, 9]}),
        4 => {
            json!({"dataDeclaration": [12], "urls": [{"langId": "de", "privacy": "javascript:alert(1)"}]})
        }
        5 => {
            json!({"usesCookies": false, "cookieMaxAgeSeconds": null, "usesNonCookieAccess": true})
        }
        6 => json!({"cookieMaxAgeSeconds": -1, "overflow": {"httpGetLimit": 32}}),
        7 => {
            json!({"dataDeclaration": null, "dataRetention": {"purposes": {"1": 14}, "specialPurposes": {"1": 3}}, "purposes": [1], "legIntPurposes": [], "flexiblePurposes": [], "specialPurposes": [1]})
        }
        8 => {
            json!({"purposes": [], "legIntPurposes": [2, 7], "flexiblePurposes": [7], "specialPurposes": []})
        }
        9 => {
            json!({"purposes": [2, 7], "legIntPurposes": [], "flexiblePurposes": [2], "specialPurposes": [], "features": []})
        }
        _ => json!({}),
    };
    let fields = vendor.as_object_mut().unwrap();
    fields.extend(change.as_object().unwrap().clone());
    vendor
}
