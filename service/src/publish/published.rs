//! Documents as they are published: configurations with their services, consent boxes, custom vendors.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use domain::{
    collection::Collection,
    documents::{self, Client, CookieConfiguration, Layout, Project, Vendor},
};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{draft::refuse, remarks::short};
use crate::{
    error::{Error, Result},
    render, sanitise,
    tcf::{Sources, Unready},
    vault::Document,
};

/// Most bytes of a configuration with its services: a widget that size is a mistake, and compressing it
/// keeps other publishes waiting.
const MOST_OF_ONE: usize = 1_000_000;

/// The sources of plans for the layout `iab`, or the reason why there are none.
pub(super) type TcfSources = std::result::Result<Sources, Unready>;

/// The look of a project.
pub(super) fn client(project: &Value) -> Client {
    documents::read::<Project>(project).into()
}

/// HTML that was made harmless, each text once: the languages of a configuration share those that are not translated.
#[derive(Default)]
pub(super) struct Cleaned(RefCell<HashMap<String, String>>);

impl Cleaned {
    fn html(&self, html: &str) -> String {
        let mut known = self.0.borrow_mut();
        if let Some(clean) = known.get(html) {
            return clean.clone();
        }
        let clean = String::from(sanitise::html(html));
        known.insert(html.to_owned(), clean.clone());
        clean
    }
}

/// A box as it is published: its own fields, flat, with its HTML made harmless, in the language of its project unless
/// it names one, and the party that answers for the data of its project.
pub(super) fn boxed(
    collection: Collection,
    cleaned: &Cleaned,
    id: Uuid,
    data: &Value,
    project: &Value,
) -> Value {
    let identifier = (documents::IDENTIFIER.to_owned(), id.to_string().into());
    let fields = documents::published(documents::of(collection), data, &|html| cleaned.html(html));
    let controller = (collection == Collection::Processings)
        .then(|| documents::controller(project))
        .flatten()
        .and_then(|controller| serde_json::to_value(controller).ok())
        .map(|controller| (documents::DATA_PROCESSOR.to_owned(), controller));
    let fields = [identifier].into_iter().chain(fields).chain(controller);
    let mut fields: Map<String, Value> = fields.collect();
    documents::inherit_language(&mut fields, project);
    fields.into()
}

/// A configuration as it is published in one of its languages, with the vendors that it names: entries of the
/// catalogue, and custom ones.
pub(super) fn configuration(
    (listed, custom): (BTreeMap<Uuid, Vendor>, &[Document]),
    cleaned: &Cleaned,
    tcf: &TcfSources,
    id: Uuid,
    data: &Value,
    project: &Value,
    language: &str,
) -> Result<CookieConfiguration> {
    let own_language = documents::language_of(data);
    let spoken = (language != own_language).then(|| documents::spoken_in(data, language));
    let source = spoken.as_ref().map_or(data, |spoken| &spoken.document);
    let mut made: CookieConfiguration =
        documents::read_harmless(source, &|html| cleaned.html(html));
    if let Some(spoken) = &spoken {
        made.untranslated.clone_from(&spoken.untranslated);
        made.text_language = Some(own_language.to_owned());
    }
    made.identifier = id.to_string();
    made.data_processor = documents::controller(project);
    made.contact = documents::contact(project);
    made.privacy_policy_url = documents::privacy_policy(source, project);
    if made.name.is_empty() {
        made.name.clone_from(&made.identifier);
    }
    let name = &made.name;
    let found = found(listed, custom, name, data, made.text_language.as_deref())?;
    let mut names = BTreeSet::new();
    let asks_by_tcf = made.asks_by_tcf();
    for (index, (step, sent)) in made
        .steps
        .iter_mut()
        .zip(documents::steps(data))
        .enumerate()
    {
        if step.name.is_empty() {
            step.name = format!("step-{}", index + 1);
        }
        let layout = Layout::of(sent);
        if layout == Some(Layout::Iab)
            && let Err(unready) = tcf
        {
            return Err(refuse(format!(
                "Configuration “{name}”, step “{}”: {}.",
                short(&step.name),
                unready.sentence()
            )));
        }
        if layout.is_none() {
            return Err(refuse(format!(
                "Configuration “{name}”, step “{}” has no layout; choose one.",
                short(&step.name)
            )));
        }
        for (_, id) in documents::vendors(sent) {
            let vendor = id.and_then(|id| found.get(id));
            let vendor = vendor.ok_or_else(|| refuse(format!("Configuration “{name}”, step “{}”: a vendor is neither in the catalogue nor a custom vendor of this project, its organization or their members.", short(&step.name))))?;
            if !names.insert(&vendor.name) {
                return Err(refuse(format!(
                    "Configuration “{name}” names the vendor “{}” twice.",
                    vendor.name
                )));
            }
            let mut vendor = vendor.clone();
            // Only a configuration that asks by TCF has a use for it.
            vendor.tcf_vendor_id = vendor.tcf_vendor_id.filter(|_| asks_by_tcf);
            step.vendors.push(vendor);
        }
    }
    if made.asks_by_tcf()
        && let Ok(sources) = tcf
    {
        // The policies want both ("Policies", appendix B, C(a) and C(f)).
        made.settings.overlay = true;
        made.settings.reopen_button = true;
        made.settings.hide_for_visitors_with_choice = false;
        sources.plan(&made).map_err(Error::Invalid)?;
    }
    if made.steps.is_empty() {
        return Err(refuse(format!(
            "Configuration “{name}” has no steps; add one."
        )));
    }
    Ok(made)
}

/// Bytes of a configuration as it is published.
///
/// # Errors
/// More of them than [`MOST_OF_ONE`].
pub(super) fn size(made: &CookieConfiguration) -> Result<usize> {
    let bytes = serde_json::to_string(made).map_or(0, |text| text.len());
    if bytes <= MOST_OF_ONE {
        return Ok(bytes);
    }
    Err(refuse(format!(
        "Configuration “{}” has {} KB of texts and services; at most {} KB are published.",
        made.name,
        bytes / 1_000,
        MOST_OF_ONE / 1_000
    )))
}

/// Refuses a configuration whose widget has more bytes than [`render::MOST_BYTES`].
pub(super) fn overgrown(made: &CookieConfiguration) -> Error {
    refuse(format!(
        "Configuration “{}”, language “{}”: with its words at each of its services and steps, the widget has more \
         than {} KB. Shorten them.",
        made.name,
        made.language,
        render::MOST_BYTES / 1_000
    ))
}

/// Ids of vendors that a document names.
pub(super) fn named(data: &Value) -> impl Iterator<Item = Uuid> {
    documents::vendors_named(data)
        .into_iter()
        .filter_map(|(_, id)| Uuid::parse_str(id).ok())
}

/// The vendors that a configuration names, by reference: those of the catalogue, and custom ones. `text_language` is the
/// configuration's own in a translated widget. Custom vendors have no translations and stand in that language.
fn found(
    listed: BTreeMap<Uuid, Vendor>,
    custom: &[Document],
    configuration: &str,
    data: &Value,
    text_language: Option<&str>,
) -> Result<BTreeMap<String, Vendor>> {
    let listed = listed.into_iter();
    let mut found: BTreeMap<_, _> = listed
        .map(|(id, vendor)| (id.to_string(), vendor))
        .collect();
    let ids: BTreeSet<Uuid> = named(data).collect();
    for custom in custom.iter().filter(|custom| ids.contains(&custom.id)) {
        let vendor = custom_vendor(&custom.data, text_language).ok_or_else(|| {
            refuse(format!(
                "Configuration “{configuration}”: the custom vendor {} has no valid name.",
                custom.id
            ))
        })?;
        found.insert(custom.id.to_string(), vendor);
    }
    Ok(found)
}

/// A custom vendor as it is published; `None` without a valid name.
fn custom_vendor(data: &Value, text_language: Option<&str>) -> Option<Vendor> {
    let mut vendor: Vendor = documents::read(data);
    if vendor.name.is_empty() {
        return None;
    }
    if vendor.title.is_empty() {
        vendor.title.clone_from(&vendor.name);
    }
    for category in &mut vendor.categories {
        category.make_ascii_lowercase();
    }
    let cookies = vendor.cookie_facts.iter().map(|cookie| cookie.name.clone());
    vendor.cookies = cookies.collect();
    vendor.text_language = text_language.map(ToOwned::to_owned);
    Some(vendor)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_cookies_of_a_custom_vendor_are_those_that_it_tells_of() {
        let facts = json!([{"name": "own_id", "maxAgeSeconds": 60}, {"name": "own_*"}]);
        let vendor = custom_vendor(
            &json!({"name": "own", "cookieFacts": facts, "cookies": ["other"]}),
            None,
        );
        assert_eq!(vendor.unwrap().cookies, ["own_id", "own_*"]);
    }

    #[test]
    fn a_custom_vendor_names_the_language_of_the_configuration_in_a_translated_widget() {
        let language = |of_configuration| {
            let sent = json!({"name": "own", "textLanguage": "fr"});
            custom_vendor(&sent, of_configuration)
                .unwrap()
                .text_language
        };
        assert_eq!(language(Some("en")), Some("en".to_owned()));
        assert_eq!(language(None), None);
    }
}
