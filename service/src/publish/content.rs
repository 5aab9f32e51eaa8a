//! From documents to the canonical content of a publish: what is live, without times and job.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    collection::Collection,
    published::{Client, CookieConfiguration, Layout, Settings, Step, Vendor},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{sanitise, store};
use crate::{
    db::Db,
    error::{Error, Result},
    vault::Document,
    vendors::Vendors,
};

/// What is published of a project. Its JSON is canonical: equal content gives equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Content {
    /// The project's title.
    pub project_name: String,
    /// False where the demo banner is shown.
    pub active: bool,
    /// Hosts from which consents are taken; any, when empty.
    #[serde(default)]
    pub domains: Vec<String>,
    /// How addresses of visitors are kept.
    pub ip_mode: String,
    /// The look.
    pub client: Client,
    /// Data protection officer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dpo: Option<Value>,
    /// Cookie configurations.
    pub cookies: Vec<CookieConfiguration>,
    /// Consent boxes.
    pub processings: Vec<Value>,
    /// Contract boxes.
    pub contracts: Vec<Value>,
}

impl Content {
    /// Its canonical JSON.
    pub fn canonical(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() // strings and numbers only: cannot fail
    }

    /// Whether this draft would publish something else than this canonical JSON. The demo banner
    /// is no part of a draft.
    pub(super) fn differs(mut self, live: &str) -> bool {
        self.active = Self::parse(live).is_none_or(|live| live.active);
        self.canonical() != live
    }

    /// A draft that differs in nothing that is known has the same content.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// Why content cannot be made: the owner's to mend.
fn refuse(what: impl Into<String>) -> Error {
    Error::field("", "build_failed", what)
}

/// The message of a content that cannot be made.
pub(super) fn refusal(error: &Error) -> Option<&str> {
    match error {
        Error::Invalid(errors) => errors.first().map(|error| error.detail.as_str()),
        _ => None,
    }
}

/// Reads a project's documents, all as they are at one moment, and makes its content.
pub(super) async fn read(db: &Db, vendors: &Vendors, project: Uuid) -> Result<Content> {
    let mut snapshot = db.snapshot().await?;
    let documents = store::documents(&mut snapshot, project).await?;
    let ids = documents.iter().flat_map(|document| named(&document.data));
    let custom = store::custom_vendors(&mut snapshot, project, &ids.collect()).await?;
    drop(snapshot);
    let Some(own) = documents
        .iter()
        .find(|document| document.collection == Collection::Projects)
    else {
        return Err(refuse("The project has been deleted."));
    };
    let of = |collection| {
        documents
            .iter()
            .filter(move |document| document.collection == collection)
    };
    let mut cookies = Vec::new();
    for document in of(Collection::Cookies) {
        cookies.push(configuration(vendors, &custom, document.id, &document.data).await?);
    }
    default_one(&mut cookies);
    Ok(Content {
        project_name: text(&own.data, "title").unwrap_or_default(),
        active: true,
        domains: list_of_texts(&own.data, "domains"),
        ip_mode: own
            .data
            .pointer("/retention/ipMode")
            .and_then(Value::as_str)
            .unwrap_or("truncated")
            .to_owned(),
        client: client(&own.data),
        dpo: own
            .data
            .get("dpo")
            .filter(|dpo| dpo.is_object())
            .map(|dpo| picked(dpo, &["name", "email", "phone", "address", "website"])),
        cookies,
        processings: of(Collection::Processings)
            .map(|document| flat(document.id, &document.data, &PROCESSING_FIELDS))
            .collect(),
        contracts: of(Collection::Contracts)
            .map(|document| flat(document.id, &document.data, &CONTRACT_FIELDS))
            .collect(),
    })
}

/// The look and the configuration of drafts, for the preview.
pub(super) async fn of_drafts(
    db: &Db,
    vendors: &Vendors,
    project: Uuid,
    look: &Value,
    draft: &Value,
) -> Result<(Client, CookieConfiguration)> {
    let mut snapshot = db.snapshot().await?;
    let custom = store::custom_vendors(&mut snapshot, project, &named(draft).collect()).await?;
    drop(snapshot);
    let configuration = configuration(vendors, &custom, Uuid::nil(), draft).await?;
    Ok((client(look), configuration))
}

/// The look of a project and a draft of one of its boxes, for the preview.
pub(super) fn of_box(
    collection: Collection,
    id: Uuid,
    look: &Value,
    draft: &Value,
) -> (Client, Value) {
    let fields = match collection {
        Collection::Contracts => CONTRACT_FIELDS.as_slice(),
        _ => PROCESSING_FIELDS.as_slice(),
    };
    (client(look), flat(id, draft, fields))
}

/// Sites that name no configuration get one; without a choice of the owner it is the first.
fn default_one(cookies: &mut [CookieConfiguration]) {
    if !cookies.iter().any(|configuration| configuration.is_default)
        && let Some(first) = cookies.first_mut()
    {
        first.is_default = true;
    }
}

const PROCESSING_FIELDS: [&str; 17] = [
    "language",
    "title",
    "subTitle",
    "picture",
    "message",
    "purpose",
    "buttons",
    "confirmations",
    "processors",
    "personalDataTypes",
    "automatedDecisions",
    "automatedDecisionsContact",
    "automatedDecisionsDetails",
    "consentWithdraw",
    "storageDuration",
    "name",
    "idRequired",
];
const CONTRACT_FIELDS: [&str; 8] = [
    "language",
    "file",
    "title",
    "subTitle",
    "name",
    "message",
    "idRequired",
    "buttons",
];

/// A box as it is published: its own fields, flat, with its HTML made harmless.
fn flat(id: Uuid, data: &Value, fields: &[&str]) -> Value {
    let mut out = Map::new();
    out.insert("identifier".to_owned(), id.to_string().into());
    if let Value::Object(known) = picked(data, fields) {
        out.extend(known);
    }
    if let Some(message) = text(data, "message") {
        out.insert("message".to_owned(), sanitise::html(&message).into());
    }
    if let Some(screens) = out.get_mut("confirmations").and_then(Value::as_object_mut) {
        for screen in screens.values_mut() {
            if let Some(message) = screen.get_mut("message")
                && let Some(dirty) = message.as_str()
            {
                *message = sanitise::html(dirty).into();
            }
        }
    }
    Value::Object(out)
}

fn picked(value: &Value, fields: &[&str]) -> Value {
    let mut out = Map::new();
    for field in fields {
        if let Some(found) = value.get(field).filter(|found| !found.is_null()) {
            out.insert((*field).to_owned(), found.clone());
        }
    }
    Value::Object(out)
}

fn client(project: &Value) -> Client {
    let known = picked(project, &["colors", "fonts", "widgetStyle"]);
    let mut client = Client::default();
    for (target, field, keys) in [
        (
            &mut client.colors,
            "colors",
            [
                "main",
                "secondary",
                "text",
                "title",
                "background",
                "border",
                "buttonText",
                "danger",
            ]
            .as_slice(),
        ),
        (&mut client.fonts, "fonts", ["title", "text"].as_slice()),
    ] {
        for key in keys {
            if let Some(value) = known
                .pointer(&format!("/{field}/{key}"))
                .and_then(Value::as_str)
            {
                target.insert((*key).to_owned(), value.to_owned());
            }
        }
    }
    // Validated when it was saved; a style of before that rule is left out.
    client.widget_style = known
        .get("widgetStyle")
        .and_then(|style| serde_json::from_value(style.clone()).ok())
        .unwrap_or_default();
    client
}

fn text(value: &Value, key: &str) -> Option<String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn flag(value: &Value, key: &str, default: bool) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(default)
}

fn list_of_texts(value: &Value, key: &str) -> Vec<String> {
    let list = value
        .get(key)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    list.iter()
        .filter_map(Value::as_str)
        .map(str::to_ascii_lowercase)
        .collect()
}

fn texts(value: &Value, key: &str) -> BTreeMap<String, String> {
    let fields = value
        .get(key)
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    fields
        .into_iter()
        .filter_map(|(key, value)| Some((key, value.as_str()?.to_owned())))
        .collect()
}

async fn configuration(
    vendors: &Vendors,
    custom: &[Document],
    id: Uuid,
    data: &Value,
) -> Result<CookieConfiguration> {
    let name = text(data, "name").unwrap_or_else(|| id.to_string());
    let language = text(data, "language").unwrap_or_else(|| "en".to_owned());
    let found = inline(vendors, custom, &name, data, &language).await?;
    let mut steps = Vec::new();
    let mut names = BTreeSet::new();
    for (index, raw) in data
        .get("steps")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let mut step = step(&name, index, raw)?;
        for reference in raw
            .get("vendors")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let reference = reference
                .get("id")
                .unwrap_or(reference)
                .as_str()
                .unwrap_or_default();
            let vendor = found
                .get(reference)
                .ok_or_else(|| refuse(format!("Configuration “{name}”, step “{}”: a vendor is neither in the catalogue nor a custom vendor of this project, its organization or their members.", step.name)))?;
            if !names.insert(vendor.name.clone()) {
                return Err(refuse(format!(
                    "Configuration “{name}” names the vendor “{}” twice.",
                    vendor.name
                )));
            }
            step.vendors.push(vendor.clone());
        }
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(refuse(format!(
            "Configuration “{name}” has no steps; add one."
        )));
    }
    let settings: Settings = match data.get("settings").filter(|settings| settings.is_object()) {
        None => Settings::default(),
        Some(settings) => serde_json::from_value(without_nulls(settings.clone()))
            .map_err(|error| refuse(format!("Configuration “{name}”, settings: {error}.")))?,
    };
    Ok(CookieConfiguration {
        identifier: id.to_string(),
        name,
        title: text(data, "title"),
        language,
        country: text(data, "country"),
        is_default: flag(data, "isDefault", false),
        google_consent_mode: data
            .get("googleConsentMode")
            .filter(|mode| !mode.is_null())
            .cloned(),
        with_save_consent: flag(data, "withSaveConsent", true),
        steps,
        strings: texts(data, "strings"),
        settings,
    })
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

fn step(configuration: &str, index: usize, raw: &Value) -> Result<Step> {
    let name = text(raw, "name").unwrap_or_else(|| format!("step-{}", index + 1));
    let layout = match raw.get("layout").and_then(Value::as_str) {
        Some("welcome") => Layout::Welcome,
        Some("category") => Layout::Category,
        Some("info") => Layout::Info,
        Some("soft_consent") => Layout::SoftConsent,
        other => {
            return Err(refuse(format!(
                "Configuration “{configuration}”, step “{name}”: the widget does not draw the layout {} yet; use welcome, category, info or soft_consent.",
                other.unwrap_or("(none)")
            )));
        }
    };
    Ok(Step {
        name,
        layout,
        title: text(raw, "title"),
        top_title: text(raw, "topTitle"),
        sub_title: text(raw, "subTitle"),
        message: text(raw, "message").map(|message| sanitise::html(&message)),
        // As it is written; `images` finds the published copy.
        image: text(raw, "image"),
        vendors: Vec::new(),
        strings: texts(raw, "strings"),
        timeout: raw.get("timeout").and_then(Value::as_u64),
        show_toggle_all_switch: flag(raw, "showToggleAllSwitch", false),
    })
}

/// Ids of vendors that a document names.
fn named(data: &Value) -> impl Iterator<Item = Uuid> {
    crate::vault::vendor_references(data)
        .into_iter()
        .filter_map(|(_, id)| Uuid::parse_str(&id).ok())
}

/// The vendors that a configuration names, by reference: catalogue entries in its language, and
/// those of `custom`.
async fn inline(
    vendors: &Vendors,
    custom: &[Document],
    configuration: &str,
    data: &Value,
    language: &str,
) -> Result<BTreeMap<String, Vendor>> {
    let ids: BTreeSet<Uuid> = named(data).collect();
    let listed: Vec<Uuid> = ids.iter().copied().collect();
    let mut found: BTreeMap<String, Vendor> = vendors
        .by_ids(&listed, language)
        .await?
        .into_iter()
        .map(|(id, vendor)| (id.to_string(), vendor))
        .collect();
    for custom in custom.iter().filter(|custom| ids.contains(&custom.id)) {
        let vendor = custom_vendor(&custom.data).ok_or_else(|| {
            refuse(format!(
                "Configuration “{configuration}”: the custom vendor {} has no valid name.",
                custom.id
            ))
        })?;
        found.insert(custom.id.to_string(), vendor);
    }
    Ok(found)
}

fn custom_vendor(data: &Value) -> Option<Vendor> {
    let name = text(data, "name").filter(|name| domain::names::is_vendor_name(name))?;
    Some(Vendor {
        title: text(data, "title").unwrap_or_else(|| name.clone()),
        name,
        short_description: text(data, "shortDescription"),
        long_description: text(data, "longDescription"),
        domain: text(data, "domain"),
        policy_url: text(data, "policyUrl").filter(|url| domain::validate::is_http_url(url)),
        categories: list_of_texts(data, "categories"),
        cookies: Vec::new(),
    })
}
