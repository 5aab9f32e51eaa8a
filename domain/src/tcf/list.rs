//! The Global Vendor List, as IAB Europe publishes it: read leniently, checked strictly.
//!
//! A list that breaks a rule is refused as a whole, because the choices of visitors depend on it. Declarations
//! that the policies forbid, such as a legitimate interest in purpose 1, are left out; unknown fields are ignored.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    Ids,
    text::{clean, day},
};
use crate::format;

/// Specification of the lists that are read.
const SPECIFICATION: u64 = 3;
/// Purposes that allow no legitimate interest ("Policies", version 4 and later).
pub const CONSENT_ONLY: [u16; 5] = [1, 3, 4, 5, 6];
/// Largest ids ("The Core String"). Sets of others are masks of 32 bits.
const MOST_VERSION: u16 = 4_095;
const MOST_POLICY: u16 = 63;
const MOST_PURPOSE: u16 = 24;
const MOST_SPECIAL_FEATURE: u16 = 12;
const MOST_OTHER: u16 = 32;
const MOST_STACK: u16 = 4_095;
/// Longest address that is kept.
const MOST_ADDRESS: usize = 2_000;

/// The fault of a list or a translation that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is no list: the named field is missing or has another type.
    Field(String),
    /// It has another specification.
    Specification(u64),
    /// A number, at this JSON Pointer, is outside its bounds.
    OutOfRange(String),
    /// An entry, at this JSON Pointer, has another id than its key.
    OtherId(String),
    /// A vendor declares consent and legitimate interest for one purpose.
    BothBases {
        /// The vendor.
        vendor: u16,
        /// The purpose.
        purpose: u16,
    },
    /// A vendor or stack, at this JSON Pointer, names an entry that the list does not describe.
    Undescribed(String),
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Field(field) => write!(f, "{field} is missing or has another type"),
            Self::Specification(found) => {
                write!(
                    f,
                    "the list has specification {found}; {SPECIFICATION} is known"
                )
            }
            Self::OutOfRange(pointer) => write!(f, "{pointer} is out of range"),
            Self::OtherId(pointer) => write!(f, "{pointer} has another id than its key"),
            Self::BothBases { vendor, purpose } => write!(
                f,
                "vendor {vendor} declares consent and legitimate interest for purpose {purpose}"
            ),
            Self::Undescribed(pointer) => {
                write!(
                    f,
                    "{pointer} names an entry that the list does not describe"
                )
            }
        }
    }
}

impl std::error::Error for Refusal {}

type Result<T> = core::result::Result<T, Refusal>;

/// A Global Vendor List.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// Its version.
    pub version: u16,
    /// Version of the policies that it belongs to.
    pub policy: u8,
    /// Time at which it was made (RFC 3339).
    pub last_updated: String,
    /// The day of that time, in days since 1970.
    pub day: u32,
    /// Its texts, in English.
    pub texts: Texts,
    /// Purposes and special features of each stack.
    pub stacks: BTreeMap<u16, StackParts>,
    /// Its vendors by id, those with a date of deletion too.
    pub vendors: BTreeMap<u16, ListedVendor>,
}

/// The purposes and special features that a stack covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackParts {
    /// Purposes.
    pub purposes: Ids,
    /// Special features.
    pub special_features: Ids,
}

/// The texts of a list in one language, each by its id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// Purposes.
    pub purposes: BTreeMap<u16, Text>,
    /// Special purposes.
    pub special_purposes: BTreeMap<u16, Text>,
    /// Features.
    pub features: BTreeMap<u16, Text>,
    /// Special features.
    pub special_features: BTreeMap<u16, Text>,
    /// Stacks.
    pub stacks: BTreeMap<u16, Text>,
    /// Categories of data.
    pub data_categories: BTreeMap<u16, Text>,
    /// Standard sentences by name, such as `features`, which explains features (TCF 2.4).
    pub standard: BTreeMap<String, String>,
}

/// The words of an entry of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Examples; stacks and categories of data have none.
    pub illustrations: Vec<String>,
}

/// A vendor as the list describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedVendor {
    /// Name.
    pub name: String,
    /// Purposes for which it asks consent.
    pub purposes: Ids,
    /// Purposes in which it claims a legitimate interest.
    pub interests: Ids,
    /// Purposes of both kinds for which the publisher may change the legal basis.
    pub flexible: Ids,
    /// Special purposes.
    pub special_purposes: Ids,
    /// Features.
    pub features: Ids,
    /// Special features.
    pub special_features: Ids,
    /// Categories of data.
    pub data_categories: Ids,
    /// Addresses by language.
    pub urls: BTreeMap<String, Urls>,
    /// Time that it keeps data.
    pub retention: Retention,
    /// Its storage on devices.
    pub storage: Storage,
    /// Address at which it describes what it stores.
    pub storage_url: Option<String>,
    /// The day from which it is no vendor any more, in days since 1970.
    pub deleted: Option<u32>,
}

/// Addresses of a vendor in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Urls {
    /// Its privacy policy.
    pub privacy: Option<String>,
    /// The explanation of its legitimate interests.
    pub interest: Option<String>,
}

/// Days for which a vendor keeps data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// For purposes that are not named.
    pub standard: Option<u32>,
    /// For purposes.
    pub purposes: BTreeMap<u16, u32>,
    /// For special purposes.
    pub special_purposes: BTreeMap<u16, u32>,
}

/// A vendor's storage on devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// True if it uses cookies.
    pub cookies: bool,
    /// Seconds that its longest cookie lives; 0 until the browser closes, absent where it does not say.
    pub seconds: Option<u64>,
    /// True if it renews cookies.
    pub refreshes: bool,
    /// True if it uses storage other than cookies.
    pub others: bool,
}

impl ListedVendor {
    /// True if it declares a purpose, on any basis.
    pub fn declares(&self, purpose: u16) -> bool {
        self.purposes.contains(purpose) || self.interests.contains(purpose)
    }

    /// True if it is no vendor any more on a day.
    pub fn is_deleted(&self, today: u32) -> bool {
        self.deleted.is_some_and(|day| day <= today)
    }

    /// Its privacy policy in a language, else in English, else in any.
    pub fn policy_url(&self, language: &str) -> Option<String> {
        self.urls_for(language)
            .find_map(|urls| urls.privacy.clone())
    }

    /// The explanation of its legitimate interests, chosen as the policy.
    pub fn interest_url(&self, language: &str) -> Option<String> {
        self.urls_for(language)
            .find_map(|urls| urls.interest.clone())
    }

    fn urls_for(&self, language: &str) -> impl Iterator<Item = &Urls> {
        let in_language = self.urls.get(language).into_iter();
        in_language
            .chain(self.urls.get("en"))
            .chain(self.urls.values())
    }
}

impl List {
    /// Reads `vendor-list.json`.
    pub fn read(json: &Value) -> Result<Self> {
        let specification = number(json, "gvlSpecificationVersion")?;
        if specification != SPECIFICATION {
            return Err(Refusal::Specification(specification));
        }
        let texts = Texts::read(json)?;
        let last_updated = json.get("lastUpdated").and_then(Value::as_str);
        let (last_updated, day) = last_updated
            .and_then(|time| Some((time.to_owned(), day(time)?)))
            .ok_or_else(|| Refusal::Field("lastUpdated".into()))?;
        let mut list = Self {
            version: version(json, "vendorListVersion", MOST_VERSION)?,
            policy: version(json, "tcfPolicyVersion", MOST_POLICY)?
                .try_into()
                .unwrap_or_default(),
            last_updated,
            day,
            stacks: BTreeMap::new(),
            vendors: BTreeMap::new(),
            texts,
        };
        for (id, pointer, entry) in entries(json, "stacks", MOST_STACK)? {
            let parts = StackParts {
                purposes: list.declared(entry, "purposes", &pointer)?,
                special_features: list.declared(entry, "specialFeatures", &pointer)?,
            };
            list.stacks.insert(id, parts);
        }
        for (id, pointer, entry) in entries(json, "vendors", u16::MAX)? {
            let vendor = list.vendor(id, entry, &pointer)?;
            list.vendors.insert(id, vendor);
        }
        if list.texts.purposes.is_empty() || list.vendors.is_empty() {
            let field = if list.vendors.is_empty() {
                "vendors"
            } else {
                "purposes"
            };
            return Err(Refusal::Field(field.into()));
        }
        Ok(list)
    }

    /// True if a file is a list rather than a translation, which has no vendors.
    pub fn is_one(json: &Value) -> bool {
        json.get("vendors").is_some()
    }

    /// The vendors of a day.
    pub fn vendors_on(&self, today: u32) -> impl Iterator<Item = (u16, &ListedVendor)> {
        let vendors = self.vendors.iter().map(|(id, vendor)| (*id, vendor));
        vendors.filter(move |(_, vendor)| !vendor.is_deleted(today))
    }

    fn vendor(&self, id: u16, json: &Map<String, Value>, pointer: &str) -> Result<ListedVendor> {
        let name = json.get("name").and_then(Value::as_str).map(clean);
        let name = name.filter(|name| !name.is_empty());
        let purposes = self.declared(json, "purposes", pointer)?;
        let claimed = self.declared(json, "legIntPurposes", pointer)?;
        if let Some(purpose) = claimed.iter().find(|purpose| purposes.contains(*purpose)) {
            return Err(Refusal::BothBases {
                vendor: id,
                purpose,
            });
        }
        let interests: Ids = claimed
            .iter()
            .filter(|id| !CONSENT_ONLY.contains(id))
            .collect();
        let flexible = self.declared(json, "flexiblePurposes", pointer)?;
        let flexible = flexible
            .iter()
            .filter(|id| purposes.contains(*id) || interests.contains(*id));
        let flag = |key: &str| json.get(key).and_then(Value::as_bool).unwrap_or_default();
        Ok(ListedVendor {
            name: name.ok_or_else(|| Refusal::Field(format!("{pointer}/name")))?,
            flexible: flexible.collect(),
            special_purposes: self.declared(json, "specialPurposes", pointer)?,
            features: self.declared(json, "features", pointer)?,
            special_features: self.declared(json, "specialFeatures", pointer)?,
            data_categories: self.declared(json, "dataDeclaration", pointer)?,
            urls: urls(json.get("urls")),
            retention: retention(json.get("dataRetention")),
            storage: Storage {
                cookies: flag("usesCookies"),
                seconds: json.get("cookieMaxAgeSeconds").and_then(whole),
                refreshes: flag("cookieRefresh"),
                others: flag("usesNonCookieAccess"),
            },
            storage_url: address(json.get("deviceStorageDisclosureUrl")),
            // Nobody may disclose a vendor that is gone, so a date that nobody can read is no way around it.
            deleted: json
                .get("deletedDate")
                .filter(|date| !date.is_null())
                .map(|date| date.as_str().and_then(day).unwrap_or_default()),
            purposes,
            interests,
        })
    }

    /// A list of ids of a vendor or stack, all of which the list describes. An absent list is empty. Real lists
    /// name categories of data that nobody describes: nobody could show them, and no choice depends on them.
    fn declared(&self, json: &Map<String, Value>, key: &str, pointer: &str) -> Result<Ids> {
        let is_category = key == "dataDeclaration";
        let described = match key {
            "specialPurposes" => &self.texts.special_purposes,
            "features" => &self.texts.features,
            "specialFeatures" => &self.texts.special_features,
            "dataDeclaration" => &self.texts.data_categories,
            _ => &self.texts.purposes,
        };
        let pointer = || format!("{pointer}/{key}");
        let Some(value) = json.get(key).filter(|value| !value.is_null()) else {
            return Ok(Ids::default());
        };
        let items = value.as_array().ok_or_else(|| Refusal::Field(pointer()))?;
        let ids = items.iter().map(|item| {
            let id = item.as_u64().and_then(|id| u16::try_from(id).ok());
            let id = id.ok_or_else(|| Refusal::OutOfRange(pointer()))?;
            if described.contains_key(&id) {
                Ok(Some(id))
            } else if is_category {
                Ok(None)
            } else {
                Err(Refusal::Undescribed(pointer()))
            }
        });
        let ids = ids.collect::<Result<Vec<_>>>()?;
        Ok(ids.into_iter().flatten().collect())
    }
}

impl Texts {
    /// Reads the texts of `vendor-list.json` (English) or of `purposes-<language>.json`.
    pub fn read(json: &Value) -> Result<Self> {
        let texts = |key: &str, most| -> Result<BTreeMap<u16, Text>> {
            let entries = entries(json, key, most)?.into_iter();
            entries
                .map(|(id, pointer, entry)| Ok((id, text(entry, &pointer)?)))
                .collect()
        };
        let standard = json.get("standardTexts").and_then(Value::as_object);
        let standard = standard.into_iter().flatten().filter_map(|(name, text)| {
            let text = text
                .as_str()
                .or_else(|| text.get("description")?.as_str())?;
            Some((clean(name), clean(text)))
        });
        let read = Self {
            purposes: texts("purposes", MOST_PURPOSE)?,
            special_purposes: texts("specialPurposes", MOST_OTHER)?,
            features: texts("features", MOST_OTHER)?,
            special_features: texts("specialFeatures", MOST_SPECIAL_FEATURE)?,
            stacks: texts("stacks", MOST_STACK)?,
            data_categories: texts("dataCategories", MOST_OTHER)?,
            standard: standard
                .filter(|(name, text)| !name.is_empty() && !text.is_empty())
                .collect(),
        };
        if read.purposes.is_empty() {
            return Err(Refusal::Field("purposes".into()));
        }
        Ok(read)
    }

    /// These texts, with those of `english` for entries that are not translated.
    #[must_use]
    pub fn or(&self, english: &Self) -> Self {
        fn merged<K: Ord + Clone, T: Clone>(
            own: &BTreeMap<K, T>,
            other: &BTreeMap<K, T>,
        ) -> BTreeMap<K, T> {
            let mut all = other.clone();
            all.extend(own.iter().map(|(key, text)| (key.clone(), text.clone())));
            // A translation may be of a later list.
            all.retain(|key, _| other.contains_key(key));
            all
        }
        Self {
            purposes: merged(&self.purposes, &english.purposes),
            special_purposes: merged(&self.special_purposes, &english.special_purposes),
            features: merged(&self.features, &english.features),
            special_features: merged(&self.special_features, &english.special_features),
            stacks: merged(&self.stacks, &english.stacks),
            data_categories: merged(&self.data_categories, &english.data_categories),
            standard: self.standard.clone(),
        }
    }
}

fn text(json: &Map<String, Value>, pointer: &str) -> Result<Text> {
    let of = |key: &str| json.get(key).and_then(Value::as_str).map(clean);
    let illustrations = json.get("illustrations").and_then(Value::as_array);
    let illustrations = illustrations
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    Ok(Text {
        name: of("name")
            .filter(|name| !name.is_empty())
            .ok_or_else(|| Refusal::Field(format!("{pointer}/name")))?,
        description: of("description").unwrap_or_default(),
        illustrations: illustrations
            .map(clean)
            .filter(|text| !text.is_empty())
            .collect(),
    })
}

fn urls(json: Option<&Value>) -> BTreeMap<String, Urls> {
    let entries = json.and_then(Value::as_array).into_iter().flatten();
    let read = entries.filter_map(|entry| {
        let language = entry.get("langId")?.as_str()?.trim().to_ascii_lowercase();
        let urls = Urls {
            privacy: address(entry.get("privacy")),
            interest: address(entry.get("legIntClaim")),
        };
        Some((language, urls))
    });
    read.collect()
}

/// An address that people can open.
fn address(json: Option<&Value>) -> Option<String> {
    let address = json?.as_str()?.trim();
    let is_good = address.len() <= MOST_ADDRESS && format::is_http_url(address);
    is_good.then(|| address.to_owned())
}

fn retention(json: Option<&Value>) -> Retention {
    let of = |key: &str| json.and_then(|json| json.get(key));
    let days = |value: &Value| whole(value).and_then(|days| u32::try_from(days).ok());
    let by_id = |key: &str| {
        let entries = of(key).and_then(Value::as_object).into_iter().flatten();
        entries
            .filter_map(|(id, value)| Some((id.parse().ok()?, days(value)?)))
            .collect()
    };
    Retention {
        standard: of("stdRetention").and_then(days),
        purposes: by_id("purposes"),
        special_purposes: by_id("specialPurposes"),
    }
}

/// A whole number. Vendors declare negative ones for what ends with the session.
pub(super) fn whole(json: &Value) -> Option<u64> {
    json.as_u64().or_else(|| json.as_i64().map(|_| 0))
}

fn number(json: &Value, key: &str) -> Result<u64> {
    let number = json.get(key).and_then(Value::as_u64);
    number.ok_or_else(|| Refusal::Field(key.into()))
}

fn version(json: &Value, key: &str, most: u16) -> Result<u16> {
    let number = u16::try_from(number(json, key)?).ok();
    let number = number.filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| Refusal::OutOfRange(format!("/{key}")))
}

type Entries<'a> = Vec<(u16, String, &'a Map<String, Value>)>;

/// The entries of an object by their ids, with their JSON Pointers. An absent object is empty.
fn entries<'a>(json: &'a Value, key: &str, most: u16) -> Result<Entries<'a>> {
    let Some(value) = json.get(key).filter(|value| !value.is_null()) else {
        return Ok(Vec::new());
    };
    let map = value
        .as_object()
        .ok_or_else(|| Refusal::Field(key.into()))?;
    let entries = map.iter().map(|(name, entry)| {
        let pointer = format!("/{key}/{name}");
        let id = name.parse().ok().filter(|id| (1..=most).contains(id));
        let id = id.ok_or_else(|| Refusal::OutOfRange(pointer.clone()))?;
        let entry = entry
            .as_object()
            .ok_or_else(|| Refusal::Field(pointer.clone()))?;
        let own = entry.get("id");
        if own.is_none_or(|own| own.as_u64() == Some(u64::from(id))) {
            Ok((id, pointer, entry))
        } else {
            Err(Refusal::OtherId(pointer))
        }
    });
    entries.collect()
}
