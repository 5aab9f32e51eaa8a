//! The files and vendors that a document names: they exist, and its writer may use them.

use std::collections::BTreeSet;

use domain::{
    collection::Collection,
    documents::{self, field::FileUse},
    error_code::ErrorCode,
    field_error::FieldError,
};
use serde_json::Value;
use uuid::Uuid;

use super::{Document, Vault};
use crate::{
    access::{self, Actor},
    assets,
    error::Result,
};

impl Vault {
    /// A named file must be one of the project and of the right type. A file that the document names already
    /// may be gone, and the document stays editable.
    pub(super) async fn check_files(
        &self,
        collection: Collection,
        data: &Value,
        project: Option<Uuid>,
        before: Option<&Document>,
        errors: &mut Vec<FieldError>,
    ) -> Result<()> {
        let stored = before.filter(|before| before.project_id == project);
        let stored = stored.map(|before| documents::files_named(collection, &before.data));
        let stored: BTreeSet<&str> = stored.iter().flatten().map(|(_, id, _)| *id).collect();
        for (pointer, id, used) in documents::files_named(collection, data) {
            if stored.contains(id) {
                continue;
            }
            let found = match Uuid::parse_str(id) {
                Ok(id) => assets::store::lookup(&self.db, id).await?,
                Err(_) => None,
            };
            match found.filter(|row| Some(row.project_id) == project) {
                None => errors.push(FieldError::new(
                    pointer,
                    ErrorCode::UnknownAsset,
                    "The project has no such file.",
                )),
                Some(row) if row.is_pdf() != (used == FileUse::Document) => {
                    let what = match used {
                        FileUse::Picture => "a picture",
                        FileUse::Document => "a PDF",
                    };
                    let detail = format!("The file must be {what}.");
                    errors.push(FieldError::new(pointer, ErrorCode::UnsupportedType, detail));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Every vendor must be in the catalogue, or a custom vendor that the writer may read.
    pub(super) async fn check_vendors(
        &self,
        actor: Actor,
        data: &Value,
        errors: &mut Vec<FieldError>,
    ) -> Result<()> {
        let named = documents::vendors_named(data);
        let ids: BTreeSet<Uuid> = named
            .iter()
            .filter_map(|(_, id)| Uuid::parse_str(id).ok())
            .collect();
        let ids: Vec<Uuid> = ids.into_iter().collect();
        let mut known = self.vendors.known(&ids).await?;
        for id in ids
            .into_iter()
            .filter(|id| !known.contains(id))
            .collect::<Vec<_>>()
        {
            if access::document_role(&self.db, actor, Collection::Vendors, id)
                .await?
                .is_some()
            {
                known.insert(id);
            }
        }
        for (pointer, id) in named {
            if !Uuid::parse_str(id).is_ok_and(|id| known.contains(&id)) {
                errors.push(FieldError::new(
                    pointer,
                    ErrorCode::UnknownVendor,
                    "Neither in the catalogue nor a custom vendor of yours.",
                ));
            }
        }
        Ok(())
    }
}

/// A configuration names each vendor once. What is stored already stays editable.
pub(super) fn check_repeated(data: &Value, before: Option<&Document>) -> Vec<FieldError> {
    let stored = before.map(|before| documents::vendors_repeated(&before.data));
    let stored: BTreeSet<&str> = stored.iter().flatten().map(|(_, id)| *id).collect();
    let mut repeated = documents::vendors_repeated(data);
    repeated.retain(|(_, id)| !stored.contains(id));
    repeated
        .into_iter()
        .map(|(pointer, _)| {
            let detail = "This configuration names the vendor before.";
            FieldError::new(pointer, ErrorCode::RepeatedVendor, detail)
        })
        .collect()
}
