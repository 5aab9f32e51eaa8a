//! The content of a publish, in its canonical form. It has no times and no job.

use std::collections::BTreeMap;

use domain::{
    collection::Collection,
    documents::{self, Client, CookieConfiguration, IpMode, OnClose, Party},
    fairness::{self, Concern},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;
use uuid::Uuid;

use super::remarks::{DocumentWarning, Remarks, short, title_of_widget};
use crate::tcf::Remark;

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

    /// True if its consent boxes are all live and decide alike about consents that are there. Those of a box that is not
    /// live are kept as it was published last, which neither content tells.
    pub(super) fn rules_alike(&self, live: Option<&Self>) -> bool {
        let others: BTreeMap<&str, &Value> = live
            .into_iter()
            .flat_map(|live| &live.processings)
            .filter_map(|one| Some((documents::identifier(one)?, one)))
            .collect();
        self.processings.iter().all(|one| {
            let other = documents::identifier(one).and_then(|id| others.get(id));
            other.is_some_and(|other| documents::rule_alike(Collection::Processings, one, other))
        })
    }

    /// The boxes to be changed, by their collection.
    pub(super) fn boxes_mut(&mut self) -> [(Collection, &mut Vec<Value>); 2] {
        [
            (Collection::Processings, &mut self.processings),
            (Collection::Contracts, &mut self.contracts),
        ]
    }

    /// The findings of [`fairness`] in its configurations, and hosts that leave out the project's site.
    pub(super) fn warnings(&self, project: Uuid, site: Option<&str>) -> Remarks<DocumentWarning> {
        let left_out = site.filter(|site| self.leaves_out(site));
        let left_out = left_out.map(|_| DocumentWarning {
            collection: Collection::Projects,
            id: project,
            title: short(&self.project_name).into_owned(),
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
            let title = title_of_widget(configuration);
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
            Some(DocumentWarning {
                collection: Collection::Cookies,
                id,
                title: title_of_widget(configuration),
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

#[cfg(test)]
mod tests {
    use domain::documents;
    use serde_json::json;

    use super::*;

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
