//! Builds the canonical content of a publish from documents. The content has no times and no job.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    collection::Collection,
    documents::{
        self, Client, CookieConfiguration, IpMode, Layout, OnClose, Party, Project, Vendor,
    },
    error_code::ErrorCode,
    fairness::{self, Concern},
    field_error::FieldError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use uuid::Uuid;

use super::{
    remarks::{DocumentError, DocumentWarning},
    stop::{Done, Stop},
    store,
};
use crate::{
    db::Db,
    error::{Error, Result},
    sanitise,
    tcf::{Needs, Remark, Sources, Tcf, Unready},
    vault::Document,
    vendors::Vendors,
};

/// Most bytes of a configuration with its services: a widget that size is a mistake, and compressing it
/// keeps other publishes waiting.
const MOST_OF_ONE: usize = 1_000_000;
/// Most bytes of a project's content.
const MOST: usize = 8_000_000;

/// The published documents of a project. Its JSON is canonical: equal content gives equal bytes.
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
    /// The form in which visitors' IP addresses are kept.
    #[serde(default)]
    pub ip_mode: IpMode,
    /// The look.
    pub client: Client,
    /// Data protection officer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dpo: Option<Party>,
    /// Cookie configurations.
    #[serde(deserialize_with = "as_published")]
    pub cookies: Vec<CookieConfiguration>,
    /// The same in their other languages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub translated: Vec<CookieConfiguration>,
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

    /// Each widget: a configuration in one language.
    pub(super) fn widgets(&self) -> impl Iterator<Item = &CookieConfiguration> {
        self.cookies.iter().chain(&self.translated)
    }

    /// The widgets to be changed.
    pub(super) fn widgets_mut(&mut self) -> impl Iterator<Item = &mut CookieConfiguration> {
        self.cookies.iter_mut().chain(&mut self.translated)
    }

    /// A configuration in its other languages, in its order.
    pub(super) fn translations_of(
        &self,
        configuration: &CookieConfiguration,
    ) -> impl Iterator<Item = &CookieConfiguration> {
        let own = configuration.identifier.clone();
        let translated = self.translated.iter();
        translated.filter(move |one| one.identifier == own)
    }

    /// The boxes, by their collection.
    pub(super) fn boxes(&self) -> [(Collection, &[Value]); 2] {
        [
            (Collection::Processings, self.processings.as_slice()),
            (Collection::Contracts, self.contracts.as_slice()),
        ]
    }

    /// The boxes to be changed, by their collection.
    pub(super) fn boxes_mut(&mut self) -> [(Collection, &mut Vec<Value>); 2] {
        [
            (Collection::Processings, &mut self.processings),
            (Collection::Contracts, &mut self.contracts),
        ]
    }

    /// The findings of [`fairness`] in its configurations, and hosts that leave out the project's site.
    pub(super) fn warnings(&self, project: Uuid, site: Option<&str>) -> Vec<DocumentWarning> {
        let left_out = site.filter(|site| self.leaves_out(site));
        let left_out = left_out.map(|_| DocumentWarning {
            collection: Collection::Projects,
            id: project,
            title: self.project_name.clone(),
            pointer: "/domains".to_owned(),
            concern: Concern::SiteLeftOut,
            detail: Concern::SiteLeftOut.sentence().to_owned(),
        });
        let cookies = self.cookies.iter();
        let found = cookies.filter_map(|configuration| {
            let mut value = serde_json::to_value(configuration).ok()?;
            // They are published as widgets of their own, and so left out of this one.
            let translations = serde_json::to_value(&configuration.translations).ok()?;
            value
                .as_object_mut()?
                .insert("translations".to_owned(), translations);
            let id = Uuid::parse_str(&configuration.identifier).ok()?;
            let title = documents::title(&value).unwrap_or_else(|| id.to_string());
            let findings = fairness::findings(&value, &Value::Null).into_iter();
            Some(findings.map(move |finding| DocumentWarning {
                collection: Collection::Cookies,
                id,
                title: title.clone(),
                pointer: finding.pointer,
                concern: finding.concern,
                detail: finding.concern.sentence().to_owned(),
            }))
        });
        left_out.into_iter().chain(found.flatten()).collect()
    }

    /// True if pages of this address get no widget.
    fn leaves_out(&self, site: &str) -> bool {
        let url = Url::parse(site);
        let host = url.as_ref().ok().and_then(Url::host_str);
        host.is_some_and(|host| {
            !self.domains.is_empty() && !self.domains.iter().any(|one| one == host)
        })
    }

    /// Remarks on plans as warnings.
    pub(super) fn remarked(&self, remarks: Vec<Remark>) -> impl Iterator<Item = DocumentWarning> {
        remarks.into_iter().filter_map(|remark| {
            let mut cookies = self.cookies.iter();
            let configuration = cookies.find(|one| one.identifier == remark.configuration)?;
            let id = Uuid::parse_str(&configuration.identifier).ok()?;
            let value = serde_json::to_value(configuration).ok()?;
            Some(DocumentWarning {
                collection: Collection::Cookies,
                id,
                title: documents::title(&value).unwrap_or_else(|| id.to_string()),
                pointer: remark.pointer,
                concern: remark.concern,
                detail: remark.concern.sentence().to_owned(),
            })
        })
    }

    /// Reads the text that [`Self::canonical`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// Reads published configurations. Those of before `onClose` ask again, and go on with it: to render them
/// with a newer SDK must not change their effect.
fn as_published<'de, D>(deserializer: D) -> std::result::Result<Vec<CookieConfiguration>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let published = Vec::<Map<String, Value>>::deserialize(deserializer)?;
    let configurations = published.into_iter().map(|mut configuration| {
        let settings = configuration
            .entry("settings")
            .or_insert_with(|| Map::new().into());
        if let Some(settings) = settings.as_object_mut() {
            let ask_again = || OnClose::AskAgain.as_str().into();
            settings.entry("onClose").or_insert_with(ask_again);
        }
        serde_json::from_value(configuration.into()).map_err(serde::de::Error::custom)
    });
    configurations.collect()
}

/// Refuses to make content, for a fault that its owner can mend.
fn refuse(what: impl Into<String>) -> Error {
    Error::field("", ErrorCode::BuildFailed, what)
}

/// Refuses a project whose documents are far larger than what can be published.
fn too_large() -> Error {
    refuse(format!(
        "The project has too many texts and services; at most {} KB are published.",
        MOST / 1_000
    ))
}

/// A project's content as a publish would make it now.
pub(super) struct Draft {
    /// The content without the broken documents.
    pub content: Content,
    /// The address of the project's site.
    pub site: Option<String>,
    /// Documents that cannot be published.
    pub broken: Vec<Broken>,
}

/// A document that cannot be published.
pub(super) struct Broken {
    pub collection: Collection,
    pub id: Uuid,
    pub title: String,
    /// The fields that keep it from being published; the pointer of the whole is empty.
    pub errors: Vec<FieldError>,
}

impl Broken {
    fn new(document: &Document, errors: Vec<FieldError>) -> Self {
        Self {
            collection: document.collection,
            id: document.id,
            title: documents::title(&document.data).unwrap_or_else(|| document.id.to_string()),
            errors,
        }
    }

    /// One for each field.
    fn into_errors(self) -> impl Iterator<Item = DocumentError> {
        let Self {
            collection,
            id,
            title,
            errors,
        } = self;
        errors.into_iter().map(move |error| DocumentError {
            collection,
            id,
            title: title.clone(),
            error,
        })
    }

    /// The errors in a sentence or two. Errors of the whole document name it themselves.
    fn sentence(&self) -> String {
        let details = self.errors.iter().map(|error| {
            if error.pointer.is_empty() {
                error.detail.clone()
            } else {
                format!("“{}”, {}: {}", self.title, error.pointer, error.detail)
            }
        });
        details.collect::<Vec<_>>().join(" ")
    }
}

impl Draft {
    /// The content, if all of it can be published.
    pub(super) fn whole(self) -> Done<Content> {
        if !self.broken.is_empty() {
            let sentences = self.broken.iter().map(Broken::sentence);
            return Err(Stop::Refused {
                message: sentences.collect::<Vec<_>>().join(" "),
                errors: self
                    .broken
                    .into_iter()
                    .flat_map(Broken::into_errors)
                    .collect(),
            });
        }
        let bytes = self.content.canonical().len();
        if bytes > MOST {
            return Err(refuse(format!(
                "The project has {} KB of texts and services; at most {} KB are published.",
                bytes / 1_000,
                MOST / 1_000
            ))
            .into());
        }
        Ok(self.content)
    }
}

/// A project's documents, all as they are at one moment, and the catalogue entries that they name.
pub(super) struct Documents {
    project: Document,
    /// The others that are published.
    others: Vec<Document>,
    /// Custom vendors.
    custom: Vec<Document>,
    /// Catalogue entries that a configuration names, by the configuration and the language.
    catalogue: BTreeMap<(Uuid, String), BTreeMap<Uuid, Vendor>>,
    /// The sources of plans for configurations with the layout `iab`.
    tcf: TcfSources,
}

/// The sources of plans for the layout `iab`, or the reason why there are none.
type TcfSources = std::result::Result<Sources, Unready>;

/// The sources of the configurations that ask by TCF, if there are any.
async fn sources<'a>(
    tcf: &Tcf,
    project: &Value,
    configurations: impl Iterator<Item = &'a Value>,
) -> Result<TcfSources> {
    let mut needs = Needs::default();
    for asking in configurations.filter(|one| documents::asks_by_tcf(one)) {
        needs.add(&documents::read(asking), languages(asking));
    }
    if needs.is_empty() {
        // Nobody asks for them.
        return Ok(Err(Unready::NoList));
    }
    let own_cmp = documents::read::<Project>(project).tcf_cmp_id;
    tcf.sources(own_cmp, &needs).await
}

/// The languages of a configuration, its own first.
fn languages(data: &Value) -> impl Iterator<Item = String> {
    let others = documents::other_languages(data).into_iter();
    [documents::language_of(data)]
        .into_iter()
        .chain(others)
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Reads a project's documents.
pub(super) async fn read(
    db: &Db,
    vendors: &Vendors,
    tcf: &Tcf,
    project: Uuid,
) -> Result<Documents> {
    let mut snapshot = db.snapshot().await?;
    let documents = store::documents(&mut snapshot, project).await?;
    let mut documents = documents.ok_or_else(too_large)?;
    let ids = documents.iter().flat_map(|document| named(&document.data));
    let custom = store::custom_vendors(&mut snapshot, project, &ids.collect()).await?;
    let custom = custom.ok_or_else(too_large)?;
    drop(snapshot);
    let is_project = |document: &Document| document.collection == Collection::Projects;
    let Some(at) = documents.iter().position(is_project) else {
        return Err(refuse("The project has been deleted."));
    };
    let project = documents.remove(at);
    let mut catalogue = BTreeMap::new();
    for one in &documents {
        if one.collection == Collection::Cookies {
            for language in languages(&one.data) {
                let entries = listed(vendors, &one.data, &language).await?;
                catalogue.insert((one.id, language), entries);
            }
        }
    }
    let configurations = documents
        .iter()
        .filter(|one| one.collection == Collection::Cookies);
    let tcf = sources(tcf, &project.data, configurations.map(|one| &one.data)).await?;
    Ok(Documents {
        project,
        others: documents,
        custom,
        catalogue,
        tcf,
    })
}

impl Documents {
    /// Makes the content. It computes only, which takes a while for megabytes.
    pub(super) fn draft(self) -> Result<Draft> {
        let own = &self.project.data;
        let of = |collection| {
            let others = self.others.iter();
            others.filter(move |document| document.collection == collection)
        };
        let (mut cookies, mut broken) = (Vec::new(), Vec::new());
        let none = BTreeMap::new();
        let mut translated = Vec::new();
        for document in of(Collection::Cookies) {
            let made = languages(&document.data).map(|language| {
                let key = (document.id, language);
                let listed = self.catalogue.get(&key).unwrap_or(&none);
                let vendors = (listed, self.custom.as_slice());
                let (id, data) = (document.id, &document.data);
                configuration(vendors, &self.tcf, id, data, own, &key.1)
            });
            match made.collect::<Result<Vec<_>>>() {
                Ok(made) => {
                    let mut made = made.into_iter();
                    cookies.extend(made.next());
                    translated.extend(made);
                }
                Err(Error::Invalid(errors)) => broken.push(Broken::new(document, errors)),
                Err(error) => return Err(error),
            }
        }
        default_one(&mut cookies);
        for widget in &mut translated {
            let of = cookies
                .iter()
                .find(|one| one.identifier == widget.identifier);
            widget.is_default = of.is_some_and(|one| one.is_default);
        }
        let mut boxes = |collection| {
            let mut whole = Vec::new();
            for document in of(collection) {
                let missing = documents::missing(collection, &document.data, own);
                if missing.is_empty() {
                    whole.push(boxed(collection, document.id, &document.data, own));
                } else {
                    broken.push(Broken::new(document, missing));
                }
            }
            whole
        };
        let (processings, contracts) =
            (boxes(Collection::Processings), boxes(Collection::Contracts));
        let mut project: Project = documents::read(own);
        for domain in &mut project.domains {
            domain.make_ascii_lowercase();
        }
        let site = project.website_url.take();
        let content = Content {
            project_name: project.title.clone(),
            active: true,
            domains: std::mem::take(&mut project.domains),
            ip_mode: project.retention.ip_mode,
            dpo: project.dpo.take(),
            client: project.into(),
            cookies,
            translated,
            processings,
            contracts,
        };
        Ok(Draft {
            content,
            site,
            broken,
        })
    }
}

/// The look and the configuration of drafts in a language of its own (its default one when absent), for the preview,
/// with the sources of its plan if it asks by TCF.
pub(super) async fn of_drafts(
    db: &Db,
    vendors: &Vendors,
    tcf: &Tcf,
    project: Uuid,
    look: &Value,
    draft: &Value,
    language: Option<&str>,
) -> Result<(Client, CookieConfiguration, Option<Sources>)> {
    let mut snapshot = db.snapshot().await?;
    let custom = store::custom_vendors(&mut snapshot, project, &named(draft).collect()).await?;
    let custom = custom.ok_or_else(too_large)?;
    drop(snapshot);
    let spoken = documents::language_of(draft);
    let language = language.unwrap_or(spoken);
    let listed = listed(vendors, draft, language).await?;
    let tcf = if documents::asks_by_tcf(draft) {
        let mut needs = Needs::default();
        needs.add(&documents::read(draft), [language.to_owned()]);
        tcf.sources_of_draft(&needs).await?
    } else {
        Err(Unready::NoList)
    };
    let configuration =
        configuration((&listed, &custom), &tcf, Uuid::nil(), draft, look, language)?;
    Ok((client(look), configuration, tcf.ok()))
}

/// The look of a project and a draft of one of its boxes, for the preview.
pub(super) fn of_box(
    collection: Collection,
    id: Uuid,
    look: &Value,
    draft: &Value,
) -> (Client, Value) {
    (client(look), boxed(collection, id, draft, look))
}

fn client(project: &Value) -> Client {
    documents::read::<Project>(project).into()
}

/// Sites that name no configuration get one; without a choice of the owner it is the first.
fn default_one(cookies: &mut [CookieConfiguration]) {
    if !cookies.iter().any(|configuration| configuration.is_default)
        && let Some(first) = cookies.first_mut()
    {
        first.is_default = true;
    }
}

fn harmless(html: &str) -> String {
    sanitise::html(html).into()
}

/// A box as it is published: its own fields, flat, with its HTML made harmless, in the language of its project unless
/// it names one, and the party that answers for the data of its project.
fn boxed(collection: Collection, id: Uuid, data: &Value, project: &Value) -> Value {
    let identifier = (documents::IDENTIFIER.to_owned(), id.to_string().into());
    let fields = documents::published(documents::of(collection), data, &harmless);
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
fn configuration(
    (listed, custom): (&BTreeMap<Uuid, Vendor>, &[Document]),
    tcf: &TcfSources,
    id: Uuid,
    data: &Value,
    project: &Value,
    language: &str,
) -> Result<CookieConfiguration> {
    let own_language = documents::language_of(data);
    let spoken = (language != own_language).then(|| documents::spoken_in(data, language));
    let source = spoken.as_ref().map_or(data, |spoken| &spoken.document);
    let mut made: CookieConfiguration = documents::read_harmless(source, &harmless);
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
                step.name,
                unready.sentence()
            )));
        }
        if layout.is_none() {
            return Err(refuse(format!(
                "Configuration “{name}”, step “{}” has no layout; choose one.",
                step.name
            )));
        }
        for (_, id) in documents::vendors(sent) {
            let vendor = id.and_then(|id| found.get(id));
            let vendor = vendor.ok_or_else(|| refuse(format!("Configuration “{name}”, step “{}”: a vendor is neither in the catalogue nor a custom vendor of this project, its organization or their members.", step.name)))?;
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
    let bytes = serde_json::to_string(&made).map_or(0, |text| text.len());
    if bytes > MOST_OF_ONE {
        return Err(refuse(format!(
            "Configuration “{}” has {} KB of texts and services; at most {} KB are published.",
            made.name,
            bytes / 1_000,
            MOST_OF_ONE / 1_000
        )));
    }
    Ok(made)
}

/// Ids of vendors that a document names.
fn named(data: &Value) -> impl Iterator<Item = Uuid> {
    documents::vendors_named(data)
        .into_iter()
        .filter_map(|(_, id)| Uuid::parse_str(id).ok())
}

/// The catalogue entries that a configuration names, in a language.
async fn listed(vendors: &Vendors, data: &Value, language: &str) -> Result<BTreeMap<Uuid, Vendor>> {
    let ids: BTreeSet<Uuid> = named(data).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    Ok(vendors.by_ids(&ids, language).await?)
}

/// The vendors that a configuration names, by reference: those of the catalogue, and custom ones. `text_language` is the
/// configuration's own in a translated widget. Custom vendors have no translations and stand in that language.
fn found(
    listed: &BTreeMap<Uuid, Vendor>,
    custom: &[Document],
    configuration: &str,
    data: &Value,
    text_language: Option<&str>,
) -> Result<BTreeMap<String, Vendor>> {
    let listed = listed.iter();
    let mut found: BTreeMap<_, _> = listed
        .map(|(id, vendor)| (id.to_string(), vendor.clone()))
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

    #[test]
    fn content_of_before_a_setting_keeps_its_effect() {
        let content = |settings: Value| {
            let steps = json!([{"name": "a", "layout": "welcome"}]);
            let content = json!({"projectName": "Shop", "active": true,
                "client": {}, "cookies": [{"name": "en", "steps": steps, "settings": settings}],
                "processings": [], "contracts": []});
            Content::parse(&content.to_string()).unwrap()
        };
        let on_close = |content: &Content| content.cookies[0].settings.on_close;
        for (settings, expected) in [
            (json!({"overlay": true}), OnClose::AskAgain),
            (json!({"onClose": "refuse"}), OnClose::Refuse),
            (json!({"onClose": "ask_again"}), OnClose::AskAgain),
        ] {
            let content = content(settings);
            assert_eq!(on_close(&content), expected);
            let again = Content::parse(&content.canonical()).unwrap();
            assert_eq!(on_close(&again), expected);
        }
        // A draft that does not say gets the default of today.
        assert_eq!(
            documents::read::<CookieConfiguration>(&json!({}))
                .settings
                .on_close,
            OnClose::Refuse
        );
    }
}
