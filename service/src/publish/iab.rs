//! The additions of a publish to a configuration that asks by TCF: the list, standard texts, partners, and its part
//! of the manifest.

use std::collections::BTreeMap;

use domain::{documents::CookieConfiguration, tcf};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    error::{Error, Result},
    objects::sha256_hex,
    render::Framework,
    tcf::Sources,
};

/// A configuration's plan and its files.
pub(super) struct Iab {
    /// The disclosures and questions; the widget is drawn from them.
    plan: tcf::Plan,
    /// Number of times that visitors were asked again.
    round: u32,
    /// Keys of the files for browsers.
    partners: String,
    texts: String,
    /// Ids in the list of the configuration's own vendors.
    own: BTreeMap<String, u16>,
    /// Keys and bytes of the files.
    pub files: Vec<(String, Vec<u8>)>,
    /// Everything that shows again what the visitor saw.
    pub manifest: Value,
}

/// The part of a manifest that tells how often visitors were asked again.
#[derive(Deserialize)]
struct Manifest {
    tcf: Asked,
}

#[derive(Deserialize)]
struct Asked {
    round: u32,
}

/// The round of a manifest's text, if its configuration asks by TCF.
pub(super) fn round_of(manifest: &str) -> Option<u32> {
    let manifest: Manifest = serde_json::from_str(manifest).ok()?;
    Some(manifest.tcf.round)
}

impl Iab {
    /// Plans a configuration. `stem` is the beginning of its keys. The plan was possible when the publish began.
    pub(super) fn new(
        sources: &Sources,
        configuration: &CookieConfiguration,
        stem: &str,
    ) -> Result<Self> {
        let plan = sources.plan(configuration).map_err(Error::Invalid)?;
        let (list, list_hash) = sources.list();
        let (texts, texts_hash) = sources.texts(&configuration.language);
        let partners = tcf::partners(&plan).into_bytes();
        let texts = tcf::standard_texts(&texts).into_bytes();
        let partners_key = hashed(&format!("{stem}.partners"), &partners);
        let texts_key = hashed(
            &format!("tcf/{}/{}", plan.list_version, plan.language),
            &texts,
        );
        let list_key = format!("tcf/vendor-list-v{}.json", plan.list_version);
        let round = sources.round(configuration);
        let stacks: Vec<_> = plan.stacks.iter().map(|stack| stack.id).collect();
        let mut manifest = json!({
            "cmpId": sources.cmp_id(), "cmpVersion": plan.everything.cmp_version,
            "round": round,
            "list": {"version": plan.list_version, "policyVersion": plan.policy_version, "sha256": list_hash},
            "texts": {"language": plan.language, "sha256": texts_hash, "file": texts_key},
            "partners": {"file": partners_key, "sha256": sha256_hex(&partners)},
            "disclosed": plan.everything.disclosed_vendors,
            "restrictions": plan.everything.publisher_restrictions,
            "stacks": stacks,
            "tcString": plan.tc_string(),
        });
        if let (Some(sha256), Some(manifest)) = (sources.providers(), manifest.as_object_mut()) {
            let disclosed = &plan.asked.providers;
            let providers = json!({"sha256": sha256, "disclosed": disclosed});
            manifest.insert("providers".to_owned(), providers);
        }
        let vendors = configuration.steps.iter().flat_map(|step| &step.vendors);
        Ok(Self {
            manifest,
            own: vendors
                .filter_map(|vendor| Some((vendor.name.clone(), vendor.tcf_vendor_id?)))
                .collect(),
            files: vec![
                (list_key, list.to_vec()),
                (texts_key.clone(), texts),
                (partners_key.clone(), partners),
            ],
            round,
            partners: partners_key,
            texts: texts_key,
            plan,
        })
    }

    /// The files that layers behind the first one load.
    pub(super) fn files_of_layers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.files.iter();
        let of_layers = files.filter(|(key, _)| *key == self.partners || *key == self.texts);
        of_layers.map(|(key, bytes)| (key.as_str(), bytes.as_slice()))
    }

    /// The input of the widget's drawing.
    pub(super) fn framework(&self) -> Framework<'_> {
        Framework {
            plan: &self.plan,
            round: self.round,
            partners: &self.partners,
            texts: &self.texts,
            own: &self.own,
        }
    }
}

fn hashed(stem: &str, bytes: &[u8]) -> String {
    let hash = sha256_hex(bytes);
    format!("{stem}.{}.txt", hash.get(..16).unwrap_or_default())
}
