//! Descriptions of storage: the file in which a vendor lists what it stores on devices, and the domains that it
//! uses ("Vendor Device Storage & Operational Disclosures").

use serde::Serialize;
use serde_json::Value;

use super::{Refusal, list::whole, text::clean};

/// A vendor's description of its storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = VendorStorage))]
pub struct Description {
    /// Items that it stores on devices or reads there; empty if it does neither.
    pub disclosures: Vec<Stored>,
    /// Domains that it uses to collect and process personal data.
    pub domains: Vec<UsedDomain>,
}

/// An item that a vendor stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = VendorStorageItem))]
pub struct Stored {
    /// Name or key; `*` stands for any characters.
    #[cfg_attr(feature = "schema", schema(example = "retarget-*"))]
    pub identifier: String,
    /// `cookie`, `web` (storage of the browser other than cookies) or `app`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schema(example = "cookie"))]
    pub kind: String,
    /// Seconds that a cookie lives; 0 until the browser closes. Null for other storage.
    #[cfg_attr(feature = "schema", schema(example = 2_592_000))]
    pub max_age_seconds: Option<u64>,
    /// True if the vendor renews the cookie.
    pub cookie_refresh: bool,
    /// Domains; `*` stands for any characters.
    #[cfg_attr(feature = "schema", schema(example = json!(["*.ads.example"])))]
    pub domains: Vec<String>,
    /// Purposes for which it is used. With purpose 1 it needs consent.
    #[cfg_attr(feature = "schema", schema(example = json!([1, 3, 4])))]
    pub purposes: Vec<u16>,
    /// Special purposes for which it is used.
    #[cfg_attr(feature = "schema", schema(example = json!([1])))]
    pub special_purposes: Vec<u16>,
    /// Its use, in the vendor's words.
    #[cfg_attr(
        feature = "schema",
        schema(example = "Shows products that were looked at")
    )]
    pub description: Option<String>,
    /// True if it remembers an objection.
    pub opt_out: bool,
}

/// A domain that a vendor uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = VendorStorageDomain))]
pub struct UsedDomain {
    /// The domain; `*` stands for any characters.
    #[cfg_attr(feature = "schema", schema(example = "*.ads.example"))]
    pub domain: String,
    /// Purposes for which it is used.
    #[cfg_attr(feature = "schema", schema(example = json!([1, 7])))]
    pub purposes: Vec<u16>,
    /// Special purposes for which it is used.
    #[cfg_attr(feature = "schema", schema(example = json!([2])))]
    pub special_purposes: Vec<u16>,
    /// Its use, in the vendor's words.
    #[serde(rename = "use")]
    #[cfg_attr(feature = "schema", schema(example = "Ad server"))]
    pub usage: Option<String>,
}

impl Description {
    /// Reads a vendor's file. Entries without a name or a type are left out, and values of another type than theirs
    /// count as absent: a visitor should read the rest.
    pub fn read(json: &Value) -> Result<Self, Refusal> {
        let list = |key: &str| json.get(key).and_then(Value::as_array);
        let disclosures = list("disclosures");
        let disclosures = disclosures.ok_or_else(|| Refusal::Field("disclosures".into()))?;
        // Files of before 2022 have none.
        let domains = list("domains").into_iter().flatten();
        Ok(Self {
            disclosures: disclosures.iter().filter_map(stored).collect(),
            domains: domains.filter_map(used).collect(),
        })
    }
}

fn stored(json: &Value) -> Option<Stored> {
    let flag = |key: &str| json.get(key).and_then(Value::as_bool).unwrap_or_default();
    let domains = json.get("domains").and_then(Value::as_array);
    let domains = domains.into_iter().flatten().chain(json.get("domain"));
    Some(Stored {
        identifier: words(json.get("identifier"))?,
        kind: words(json.get("type"))?.to_lowercase(),
        max_age_seconds: json.get("maxAgeSeconds").and_then(whole),
        cookie_refresh: flag("cookieRefresh"),
        domains: domains.filter_map(|domain| words(Some(domain))).collect(),
        purposes: ids(json.get("purposes")),
        special_purposes: ids(json.get("specialPurposes")),
        description: words(json.get("description")),
        opt_out: flag("optOut"),
    })
}

fn used(json: &Value) -> Option<UsedDomain> {
    Some(UsedDomain {
        domain: words(json.get("domain"))?,
        purposes: ids(json.get("purposes")),
        special_purposes: ids(json.get("specialPurposes")),
        usage: words(json.get("use")),
    })
}

fn words(json: Option<&Value>) -> Option<String> {
    let text = clean(json?.as_str()?);
    (!text.is_empty()).then_some(text)
}

fn ids(json: Option<&Value>) -> Vec<u16> {
    let ids = json.and_then(Value::as_array).into_iter().flatten();
    let ids = ids.filter_map(|id| u16::try_from(id.as_u64()?).ok());
    ids.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_description_is_read_as_far_as_it_can_be() {
        let read = |json: Value| serde_json::to_value(Description::read(&json).unwrap()).unwrap();
        let file = json!({
            "disclosures": [
                {"identifier": " id* ", "type": "Cookie", "maxAgeSeconds": 60, "cookieRefresh": true,
                    "domains": ["a.example", 1, ""], "purposes": [1, "3", 70_000], "specialPurposes": [2],
                    "description": "A &amp; B\n<b>", "optOut": true, "unknown": {}},
                {"identifier": "key", "type": "web", "maxAgeSeconds": null, "domain": "b.example"},
                {"identifier": "", "type": "web"}, {"type": "web"}, {"identifier": "a"}, 7,
            ],
            "domains": [{"domain": "*.a.example", "purposes": [1], "use": "Ads"}, {"use": "Nothing"}],
            "sdks": [{"name": "com.example"}],
        });
        let expected = json!({
            "disclosures": [
                {"identifier": "id*", "type": "cookie", "maxAgeSeconds": 60, "cookieRefresh": true,
                    "domains": ["a.example"], "purposes": [1], "specialPurposes": [2],
                    "description": "A & B <b>", "optOut": true},
                {"identifier": "key", "type": "web", "maxAgeSeconds": null, "cookieRefresh": false,
                    "domains": ["b.example"], "purposes": [], "specialPurposes": [], "description": null,
                    "optOut": false},
            ],
            "domains": [{"domain": "*.a.example", "purposes": [1], "specialPurposes": [], "use": "Ads"}],
        });
        assert_eq!(read(file), expected);
        let nothing = json!({"disclosures": [], "domains": []});
        assert_eq!(read(json!({"disclosures": []})), nothing);
        for other in [json!({}), json!([]), json!({"disclosures": {}})] {
            let refused = Description::read(&other);
            assert_eq!(refused, Err(Refusal::Field("disclosures".into())));
        }
    }
}
