//! The files that show again what a publication showed.

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::{
    collection::Collection,
    documents::{self, ConsentBox, ContractBox, CookieConfiguration},
};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::File;
use crate::{
    access::Actor,
    clock::Timestamp,
    consents::{Consents, row::ConsentRow, store},
    error::Result,
    render, sanitise,
    tcf::Layers,
};

/// The manifest of a publication.
pub(super) const MANIFEST: &str = "manifest.json";
/// The payload of a cookie configuration.
pub(super) const PAYLOAD: &str = "payload.txt";
/// The box of a consent box or contract box, as it was drawn.
pub(super) const BOX: &str = "box.json";
/// The data that the widget loads after the payload.
const LATER: &str = "later.json";
/// The partners that the layers of TCF list.
pub(super) const PARTNERS: &str = "partners.txt";
/// The standard texts that the layers of TCF show.
pub(super) const TEXTS: &str = "standard-texts.txt";

/// A publication as a dossier shows it.
pub(super) struct Publication {
    pub identifier: Uuid,
    pub id: String,
    pub published_at: Timestamp,
    pub told: Told,
    /// SHA-256 (hex) of the SDK that was published, as the manifest names it.
    pub sdk: Option<String>,
    /// Names and bytes. Bytes are shared among the consents that name this publication.
    files: Vec<(&'static str, Bytes)>,
}

/// The words that lead to a publication.
#[derive(Default)]
pub(super) struct Told {
    /// Name of the configuration or box.
    pub name: Option<String>,
    pub language: Option<String>,
    /// Title and message of the first screen, as plain text; empty without one.
    pub title: String,
    pub message: String,
    /// Titles of services by their names.
    pub services: BTreeMap<String, String>,
}

/// The parts of a manifest that a dossier reads. Each collection has some of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Manifest {
    configuration: Option<CookieConfiguration>,
    document: Option<Value>,
    drawn: Option<String>,
    sdk: Option<String>,
    tcf: Option<Layers>,
}

impl Publication {
    /// The publication that a consent names. A caller's turns bound the work with large ones.
    pub(super) async fn read(
        consents: &Consents,
        actor: Actor,
        consent: &ConsentRow,
    ) -> Result<Option<Self>> {
        let Some(id) = &consent.publication else {
            return Ok(None);
        };
        let (project, identifier) = (consent.project_id, consent.identifier);
        let found = store::publication(&consents.db, project, identifier, id).await?;
        let Some(found) = found else {
            return Ok(None);
        };
        let collection = Collection::parse(&found.collection);
        let turn = consents.answers.turn(actor).await?;
        let read = turn.compute(move || {
            // The bytes are proven, whatever an earlier version wrote into them.
            let manifest: Manifest = serde_json::from_str(&found.manifest).unwrap_or_default();
            let mut files: Vec<(_, Bytes)> = Vec::new();
            if found.payload.is_empty() {
                let drawn = collection.and_then(|collection| manifest.drawn(collection));
                files.extend(drawn.map(|bytes| (BOX, bytes.into())));
            } else {
                // None of one that is larger than what is published now.
                let later = manifest.configuration.as_ref();
                let later = later.and_then(|configuration| render::later(configuration).ok());
                files.extend(later.map(|later| (LATER, later.into())));
                files.push((PAYLOAD, found.payload.into()));
            }
            files.push((MANIFEST, found.manifest.into()));
            (manifest.told(collection), manifest.sdk, manifest.tcf, files)
        });
        let (_, (told, sdk, layers, mut files)) = read.await?;
        if let Some(layers) = layers {
            let found = layers.files(&consents.objects).await?;
            let named = [PARTNERS, TEXTS].into_iter().zip(found);
            files.extend(named.filter_map(|(name, found)| Some((name, found?.1))));
        }
        files.sort_unstable_by_key(|(name, _)| *name);
        Ok(Some(Self {
            identifier,
            id: id.clone(),
            published_at: found.published_at,
            told,
            sdk,
            files,
        }))
    }

    pub(super) fn files(&self) -> impl Iterator<Item = File> {
        let files = self.files.iter();
        files.map(|(name, bytes)| File::new(*name, bytes.clone()))
    }
}

impl Manifest {
    /// The box, if this version of the product draws it as it was drawn then.
    fn drawn(&self, collection: Collection) -> Option<Vec<u8>> {
        let drawn = render::draw_box(collection, self.document.as_ref()?)?;
        (self.drawn.as_ref() == Some(&drawn.hash())).then(|| drawn.bytes())
    }

    fn told(&self, collection: Option<Collection>) -> Told {
        if let Some(configuration) = &self.configuration {
            let first = configuration.steps.first();
            let vendors = configuration.steps.iter().flat_map(|step| &step.vendors);
            let name = configuration.title.as_ref().unwrap_or(&configuration.name);
            return Told {
                name: Some(name.clone()),
                language: Some(configuration.language.clone()),
                title: first
                    .and_then(|step| step.title.clone())
                    .unwrap_or_default(),
                message: plain(first.and_then(|step| step.message.as_deref())),
                services: vendors
                    .map(|vendor| (vendor.name.clone(), vendor.title.clone()))
                    .collect(),
            };
        }
        let (title, language, message) = match (collection, &self.document) {
            (Some(Collection::Processings), Some(document)) => {
                let own: ConsentBox = documents::read_published(document);
                (own.title, own.language, own.message)
            }
            (Some(Collection::Contracts), Some(document)) => {
                let own: ContractBox = documents::read_published(document);
                (own.title, own.language, own.message)
            }
            _ => (None, None, None),
        };
        Told {
            name: title.clone(),
            language,
            title: title.unwrap_or_default(),
            message: plain(message.as_deref()),
            services: BTreeMap::new(),
        }
    }
}

fn plain(message: Option<&str>) -> String {
    message.map(sanitise::text).unwrap_or_default()
}
