//! prebid.js metadata: IAB TCF vendor ids of bidders and the cookies that vendors disclose.

use std::{collections::HashMap, fs, path::Path};

use anyhow::Context;
use serde::{Deserialize, Deserializer};

use super::{Cookie, cookie_name, folded};

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    disclosures: HashMap<String, Disclosure>,
    #[serde(default)]
    components: Vec<Component>,
}

#[derive(Deserialize)]
struct Disclosure {
    disclosures: Option<Vec<Item>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    identifier: Option<String>,
    r#type: Option<String>,
    #[serde(default, deserialize_with = "number")]
    max_age_seconds: Option<u64>,
}

#[derive(Deserialize)]
struct Component {
    #[serde(rename = "componentName")]
    name: String,
    #[serde(default, deserialize_with = "number")]
    gvlid: Option<u64>,
    #[serde(rename = "disclosureURL")]
    disclosure: Option<serde_json::Value>,
}

/// Reads a number. Vendors write numbers, strings or `null`.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(
        match Option::<serde_json::Value>::deserialize(deserializer)? {
            Some(serde_json::Value::Number(number)) => number.as_u64(),
            Some(serde_json::Value::String(text)) => text.parse().ok(),
            _ => None,
        },
    )
}

/// The facts of a bidder that the catalogue uses.
#[derive(Debug, Default)]
pub struct Bidder {
    pub tcf_id: Option<u64>,
    pub cookies: Vec<Cookie>,
}

/// All components by name.
pub struct Prebid(HashMap<String, Bidder>);

impl Prebid {
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut files: Vec<_> = fs::read_dir(folder)
            .with_context(|| format!("reading {}", folder.display()))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        // Several modules describe one vendor, so the order of files decides the result.
        files.sort();
        let mut bidders: HashMap<String, Bidder> = HashMap::new();
        for file in files {
            let text = fs::read_to_string(&file)?;
            let module: Module = serde_json::from_str(&text)
                .with_context(|| format!("reading {}", file.display()))?;
            for component in module.components {
                let bidder = bidders.entry(folded(&component.name)).or_default();
                bidder.tcf_id = bidder.tcf_id.or(component.gvlid);
                let Some(serde_json::Value::String(address)) = component.disclosure else {
                    continue;
                };
                let items = module
                    .disclosures
                    .get(&address)
                    .and_then(|found| found.disclosures.as_ref());
                for item in items.into_iter().flatten() {
                    if item.r#type.as_deref() != Some("cookie") {
                        continue;
                    }
                    let name = item
                        .identifier
                        .as_deref()
                        .and_then(|name| cookie_name(name, false));
                    let Some(name) = name else { continue };
                    if bidder.cookies.iter().all(|cookie| cookie.name != name) {
                        bidder.cookies.push(Cookie {
                            name,
                            max_age: item.max_age_seconds,
                        });
                    }
                }
            }
        }
        Ok(Self(bidders))
    }

    pub fn find(&self, bidder: &str) -> Option<&Bidder> {
        self.0.get(&folded(bidder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_as_numbers_strings_or_nothing() {
        let id = |json: &str| serde_json::from_str::<Component>(json).unwrap().gvlid;
        assert_eq!(id(r#"{"componentName":"a","gvlid":91}"#), Some(91));
        assert_eq!(id(r#"{"componentName":"a","gvlid":"253"}"#), Some(253));
        assert_eq!(id(r#"{"componentName":"a","gvlid":null}"#), None);
        assert_eq!(id(r#"{"componentName":"a"}"#), None);
    }
}
