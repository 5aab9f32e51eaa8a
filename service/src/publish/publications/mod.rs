//! The publications of a project: everything that visitors were ever shown.

pub(super) mod store;

use std::collections::HashMap;

use domain::{collection::Collection, consent::Shown, error_code::ErrorCode};
use proof::{base64, bundle};
use serde::Serialize;
use uuid::Uuid;

pub use store::{Publication, PublicationKey};

use super::Publish;
use crate::{
    access::{self, Actor, Need},
    clock::Timestamp,
    consents,
    db::page::{Asked, Listed, Page},
    error::{Error, Result},
    search,
    turns::Turn,
};

/// Most publications of a page: the name of each is read from its manifest, which may be a megabyte.
const MOST: u32 = 25;

/// A publication in the list of a project's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedPublication {
    /// SHA-256 (hex) of its manifest.
    #[schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")]
    pub publication: String,
    /// The configuration or box that it shows.
    pub configuration: Uuid,
    /// The collection of that document.
    pub collection: Collection,
    /// The title at that time, else the name; empty without either.
    #[schema(example = "Banner")]
    pub title: String,
    /// The language of its texts (ISO 639-1); empty where it names none.
    #[schema(example = "en")]
    pub language: String,
    /// Time of its first publish.
    pub published_at: Timestamp,
    /// The job that published it first.
    pub job_id: Uuid,
}

impl Publish {
    /// The publications of a project. Words of a search are found in the name that the configuration or box has now; the
    /// first characters of a hash find those publications.
    pub async fn publications(
        &self,
        actor: Actor,
        project: Uuid,
        asked: &Asked,
    ) -> Result<Listed<ListedPublication>> {
        search::check(&asked.text, 0)?;
        access::project(&self.db, actor, project, Need::READ).await?;
        let _turn = self.answers.turn(actor).await?;
        let Page { number, size } = asked.page;
        let asked = Asked {
            page: Page::new(Some(number), Some(size.min(MOST))),
            ..asked.clone()
        };
        let found = store::publications(&self.db, project, &asked).await?;
        let ids = found.items.iter().map(|row| row.id.as_str());
        let names = store::names(&self.db, project, ids).await?;
        let names: HashMap<_, _> = names
            .into_iter()
            .map(|row| ((row.configuration_id, row.id), (row.title, row.language)))
            .collect();
        let (total, page) = (found.total, found.page);
        let items = found.items.into_iter().map(|row| {
            let collection = Collection::parse(&row.collection);
            let (title, language) = names
                .get(&(row.configuration_id, row.id.clone()))
                .cloned()
                .unwrap_or_default();
            Ok(ListedPublication {
                publication: row.id,
                configuration: row.configuration_id,
                collection: collection
                    .ok_or_else(|| Error::internal("a publication has no collection"))?,
                title,
                language,
                published_at: row.published_at,
                job_id: row.job_id,
            })
        });
        let items = items.collect::<Result<_>>()?;
        Ok(Listed { items, total, page })
    }

    /// A publication as visitors saw it, which may be megabytes, and the turn in which it was read.
    pub(super) async fn publication(
        &self,
        actor: Actor,
        key: PublicationKey<'_>,
    ) -> Result<(Turn, Publication)> {
        access::project(&self.db, actor, key.project, Need::READ).await?;
        let turn = self.answers.turn(actor).await?;
        let found = store::publication(&self.db, key).await?;
        Ok((turn, found.ok_or(Error::NotFound)?))
    }

    /// Its manifest and its entry in the ledger with a proof, as bundles have them. `None` until a checkpoint covers it.
    pub async fn proof_of_publication(
        &self,
        actor: Actor,
        key: PublicationKey<'_>,
    ) -> Result<Option<bundle::Publication>> {
        let PublicationKey {
            project,
            configuration,
            publication: id,
        } = key;
        access::project(&self.db, actor, project, Need::READ).await?;
        let found = consents::manifest(&self.db, project, configuration, id).await?;
        let (manifest, batch) = found.ok_or(Error::NotFound)?;
        let Some(batch) = batch else {
            return Err(Error::conflict(
                None,
                ErrorCode::NotInLedger,
                "This publication has no entry in the ledger.",
            ));
        };
        let is_it = |entry: &[u8]| consents::names(entry, project, id, None);
        let leaf = self.ledger.prove(batch, is_it).await?;
        Ok(leaf.map(|leaf| bundle::Publication {
            entry: base64(&leaf.entry),
            index: leaf.index,
            proof: leaf.proof,
            manifest,
        }))
    }

    /// Its manifest, and the time of its first publish.
    pub async fn shown_by(&self, actor: Actor, key: PublicationKey<'_>) -> Result<Shown> {
        let (turn, found) = self.publication(actor, key).await?;
        let (_, manifest) = turn
            .compute(move || serde_json::from_str(&found.manifest))
            .await?;
        Ok(Shown {
            publication: found.id,
            published_at: found.published_at.to_string(),
            manifest: manifest.map_err(Error::internal)?,
        })
    }
}
