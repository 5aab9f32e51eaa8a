//! Documents of the vault as the client API shows them.

use std::collections::HashMap;

use domain::{
    collection::Collection,
    consent::{ConsentCollection, Preferences},
    documents::{self, ConsentBox, ContractBox, CookieConfiguration, Party, Processor},
};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::store::{DocumentRow, FileRow};
use crate::{assets::Assets, consents::row::ConsentRow};

/// A project.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Id.
    pub id: Uuid,
    /// True when the widget shows no demo banner.
    pub active: bool,
    /// Details of the project: its document in the vault.
    #[schema(value_type = Object)]
    pub configuration: Value,
    /// Name shown to users.
    #[schema(example = "Shop")]
    pub name: Option<String>,
    /// Address of the site.
    #[schema(example = "https://shop.example")]
    pub website: Option<String>,
    /// The party responsible for processing personal data.
    #[schema(value_type = Object)]
    pub data_processor: Party,
    /// Documents submitted for approval.
    pub documents: Vec<Document>,
    /// Data processings that need consent.
    pub processing_activities: Vec<ProcessingActivity>,
}

/// A contract box.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Id.
    pub identifier: Uuid,
    /// Name shown in the box.
    #[schema(example = "Terms of sale")]
    pub name: Option<String>,
    /// ISO 639-1.
    #[schema(example = "en")]
    pub language: Option<String>,
    /// The file.
    pub file: DocumentFile,
}

/// The file of a contract box. Unknown fields are null. A file at an external address has only its
/// address, and a deleted file has nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentFile {
    /// Name of the uploaded file.
    #[schema(example = "terms.pdf")]
    pub original_name: Option<String>,
    /// Time of the upload.
    #[schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")]
    pub uploaded_at: Option<String>,
    /// Size in bytes.
    #[schema(example = 48211)]
    pub size: Option<u64>,
    /// Public address of the file.
    #[schema(example = "https://shop.example/terms.pdf")]
    pub url: Option<String>,
}

/// Files that contract boxes name by their ids.
pub(super) struct Files<'a> {
    pub known: HashMap<Uuid, FileRow>,
    pub assets: &'a Assets,
}

impl Files<'_> {
    fn of(&self, contract: &DocumentRow) -> DocumentFile {
        let Some(id) = uploaded(contract) else {
            return DocumentFile {
                url: documents::read::<ContractBox>(&contract.data.0).file,
                ..DocumentFile::default()
            };
        };
        let own = |file: &&FileRow| contract.project_id == Some(file.project_id);
        let file = self.known.get(&id).filter(own);
        file.map_or_else(DocumentFile::default, |file| DocumentFile {
            original_name: Some(file.original_name.clone()),
            uploaded_at: Some(file.uploaded_at.to_string()),
            size: Some(file.size.unsigned_abs()),
            url: Some(self.assets.url(id)),
        })
    }
}

/// The id of the uploaded file that a contract box names.
pub(super) fn uploaded(document: &DocumentRow) -> Option<Uuid> {
    let contract = document.collection == Collection::Contracts.as_str();
    let file = contract.then(|| documents::read::<ContractBox>(&document.data.0).file)??;
    Uuid::parse_str(&file).ok()
}

/// A consent box.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessingActivity {
    /// Id.
    pub identifier: Uuid,
    /// Name shown in the box.
    #[schema(example = "Newsletter")]
    pub name: Option<String>,
    /// ISO 639-1.
    #[schema(example = "en")]
    pub language: Option<String>,
    /// Types of personal data processed.
    #[schema(example = json!(["e-mail"]))]
    pub personal_data_types: Vec<String>,
    /// Third parties with access to the data.
    #[schema(value_type = Vec<Object>, example = json!([{"name": "Mailer Ltd"}]))]
    pub data_transfer_third_parties: Vec<Processor>,
    /// The way to withdraw a consent.
    #[schema(example = "Write to privacy@shop.example.")]
    pub consent_withdraw_procedure: Option<String>,
    /// The sentence that is accepted.
    #[schema(example = "Yes, send me the newsletter")]
    pub accept: Option<String>,
}

/// The answer of a token to one document that the project asks about. Null if it never answered.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConsentState)]
pub struct State {
    /// Collection of the document.
    pub collection: ConsentCollection,
    /// Its id.
    pub identifier: Uuid,
    /// Its name.
    #[schema(example = "shop-en")]
    pub name: Option<String>,
    /// ISO 639-1.
    #[schema(example = "en")]
    pub language: Option<String>,
    /// The answer.
    pub accept: Option<bool>,
    /// Id of the latest consent.
    pub consent_id: Option<Uuid>,
    /// The time of the decision.
    #[schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")]
    pub created_at: Option<String>,
    /// Choices and their context.
    pub preferences: Option<Preferences>,
    /// Value of the pressed button.
    #[schema(example = "monthly newsletter")]
    pub value: Option<String>,
}

pub(super) fn project(
    own: &DocumentRow,
    boxes: &[&DocumentRow],
    files: &Files<'_>,
    active: bool,
) -> Project {
    let data = &own.data.0;
    let known: documents::Project = documents::read(data);
    let of = |collection: Collection| {
        boxes
            .iter()
            .filter(move |row| row.collection == collection.as_str())
    };
    let language = |own: Option<String>| own.or_else(|| known.language.clone());
    let document = |row: &&&DocumentRow| {
        let contract: ContractBox = documents::read(&row.data.0);
        Document {
            identifier: row.id,
            name: contract.title,
            language: language(contract.language),
            file: files.of(row),
        }
    };
    let activity = |row: &&&DocumentRow| {
        let mut activity = activity(row.id, documents::read(&row.data.0));
        activity.language = language(activity.language);
        activity
    };
    Project {
        id: own.id,
        active,
        documents: of(Collection::Contracts)
            .map(|row| document(&row))
            .collect(),
        processing_activities: of(Collection::Processings)
            .map(|row| activity(&row))
            .collect(),
        name: known.name.clone().or_else(|| present(known.title.clone())),
        website: known.website_url.clone(),
        data_processor: known.data_processor.clone().unwrap_or_default(),
        configuration: data.clone(),
    }
}

fn present(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn activity(identifier: Uuid, own: ConsentBox) -> ProcessingActivity {
    let accepting = own.buttons.iter().find(|button| button.accepts());
    let accept = accepting.and_then(|button| button.text.clone());
    ProcessingActivity {
        identifier,
        accept: accept.or_else(|| own.title.clone()),
        name: own.title,
        language: own.language,
        personal_data_types: own.personal_data_types,
        data_transfer_third_parties: own.processors,
        consent_withdraw_procedure: own.consent_withdraw,
    }
}

/// Name and language of something that a project asks.
fn titled(collection: ConsentCollection, data: &Value) -> (Option<String>, Option<String>) {
    match collection {
        ConsentCollection::Cookies => {
            let own: CookieConfiguration = documents::read(data);
            (own.title.or_else(|| present(own.name)), Some(own.language))
        }
        ConsentCollection::Processings => {
            let own: ConsentBox = documents::read(data);
            (own.title.or(own.name), own.language)
        }
        ConsentCollection::Contracts => {
            let own: ContractBox = documents::read(data);
            (own.title.or(own.name), own.language)
        }
    }
}

pub(super) fn states(
    own: &DocumentRow,
    asked: &[DocumentRow],
    mut latest: HashMap<Uuid, ConsentRow>,
) -> Vec<State> {
    let common = documents::read::<documents::Project>(&own.data.0).language;
    asked
        .iter()
        .filter_map(|row| {
            let collection = ConsentCollection::parse(&row.collection)?;
            let (name, language) = titled(collection, &row.data.0);
            let consent = latest
                .remove(&row.id)
                .map(|consent| (consent.consent_id, consent.into_consent()));
            let (consent_id, consent) = consent.unzip();
            Some(State {
                collection,
                identifier: row.id,
                name,
                language: language.or_else(|| common.clone()),
                accept: consent.as_ref().map(|consent| consent.accept),
                consent_id,
                created_at: consent.as_ref().map(|consent| consent.created_at.clone()),
                value: consent.as_ref().and_then(|consent| consent.value.clone()),
                preferences: consent.map(|consent| consent.preferences),
            })
        })
        .collect()
}
