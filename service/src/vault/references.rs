//! The files and vendors that a document names: they exist, and its writer may use them.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    collection::Collection,
    documents::{self, field::FileUse},
    error_code::ErrorCode,
    field_error::{FieldError, MOST_ERRORS},
};
use serde_json::Value;
use uuid::Uuid;

use super::{Document, Vault};
use crate::{
    access::{self, Actor},
    assets,
    db::MOST_IDS,
    error::Result,
};

impl Vault {
    /// A named file must be one of the project and of the right type. A file that the document names already
    /// may be gone, and the document stays editable. Asks for no more files once an answer names no further errors.
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
        let mut named = documents::files_named(collection, data);
        named.retain(|(_, id, _)| !stored.contains(id));
        for named in named.chunks(MOST_IDS) {
            if errors.len() >= MOST_ERRORS {
                break;
            }
            let ids = named
                .iter()
                .filter_map(|(_, id, _)| Uuid::parse_str(id).ok());
            let ids: Vec<Uuid> = ids.collect::<BTreeSet<_>>().into_iter().collect();
            let rows = assets::store::by_ids(&self.db, &ids).await?.into_iter();
            let found: BTreeMap<Uuid, _> = rows.map(|row| (row.id, row)).collect();
            for (pointer, id, used) in named {
                let row = Uuid::parse_str(id).ok().and_then(|id| found.get(&id));
                match row.filter(|row| Some(row.project_id) == project) {
                    None => errors.push(FieldError::new(
                        pointer,
                        ErrorCode::UnknownAsset,
                        "The project has no such file.",
                    )),
                    Some(row) if row.is_pdf() != (*used == FileUse::Document) => {
                        let what = match used {
                            FileUse::Picture => "a picture",
                            FileUse::Document => "a PDF",
                        };
                        let detail = format!("The file must be {what}.");
                        let code = ErrorCode::UnsupportedType;
                        errors.push(FieldError::new(pointer, code, detail));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Every vendor must be in the catalogue, or a custom vendor that the writer may read. Asks for no more vendors once
    /// an answer names no further errors.
    pub(super) async fn check_vendors(
        &self,
        actor: Actor,
        data: &Value,
        errors: &mut Vec<FieldError>,
    ) -> Result<()> {
        let (mut asked, mut known) = (BTreeSet::new(), BTreeSet::new());
        for named in documents::vendors_named(data).chunks(MOST_IDS) {
            if errors.len() >= MOST_ERRORS {
                break;
            }
            let ids = named.iter().filter_map(|(_, id)| Uuid::parse_str(id).ok());
            let mut ids: Vec<Uuid> = ids.filter(|id| asked.insert(*id)).collect();
            let listed = self.vendors.known(&ids).await?;
            ids.retain(|id| !listed.contains(id));
            known.extend(listed);
            known.extend(access::reached(&self.db, actor, Collection::Vendors, &ids).await?);
            for (pointer, id) in named {
                if !Uuid::parse_str(id).is_ok_and(|id| known.contains(&id)) {
                    errors.push(FieldError::new(
                        pointer,
                        ErrorCode::UnknownVendor,
                        "Neither in the catalogue nor a custom vendor of yours.",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A configuration names each vendor once. A repetition that is stored already stays editable.
pub(super) fn check_repeated(data: &Value, before: Option<&Document>) -> Vec<FieldError> {
    let stored = before.map(|before| documents::vendors_repeated(&before.data));
    let stored: BTreeSet<&str> = stored.iter().flatten().map(|(_, id)| *id).collect();
    let mut repeated = documents::vendors_repeated(data);
    repeated.retain(|(_, id)| !stored.contains(id));
    repeated
        .into_iter()
        .take(MOST_ERRORS)
        .map(|(pointer, _)| {
            let detail = "This configuration names the vendor before.";
            FieldError::new(pointer, ErrorCode::RepeatedVendor, detail)
        })
        .collect()
}
