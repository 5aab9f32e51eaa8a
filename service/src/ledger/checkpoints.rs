//! The published checkpoints, for people who compare them with those that they noted.

use serde::Serialize;

use super::{Ledger, store};
use crate::{
    clock::Timestamp,
    db::page::{Listed, Page},
    error::Result,
};

/// A published checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedCheckpoint {
    /// Entries that it covers.
    #[schema(example = 120_937)]
    pub size: u64,
    /// The root of the tree of these entries (hex).
    #[schema(example = "b54b8a02a094601a2a36e63b51809663f990a430658b861b7d792db1b7714d2b")]
    pub root: String,
    /// The signed note, with the signatures of the witnesses below it.
    #[schema(
        example = "consent.example/ledger/5f0c9d2e8b7a\n120937\ntUuKAqCUYBoqNuY7UYCWY/mQpDBli4YbfXktsbdxTSs=\n\n— consent.example/ledger/5f0c9d2e8b7a R7U9nw==\n"
    )]
    pub note: String,
    /// Time at which it was signed, as the operator states.
    pub at: Timestamp,
    /// The witnesses that have signed it, the earliest first.
    pub cosigned_by: Vec<CheckpointWitness>,
}

/// A witness that has signed a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointWitness {
    /// Its name.
    #[schema(example = "witness.example/w1")]
    pub name: String,
    /// Its public key, as verifiers want it.
    #[schema(example = "witness.example/w1+a2b1c3d4+BQ==")]
    pub vkey: String,
    /// Time of the signature, as the witness states.
    pub at: Timestamp,
}

impl Ledger {
    /// The published checkpoints, newest first; none where no ledger was ever on. They name no account or project, and
    /// each was public when it was the latest.
    pub async fn checkpoints(&self, page: Page) -> Result<Listed<ListedCheckpoint>> {
        let Listed { items, total, page } = store::checkpoints(&self.db, page).await?;
        let sizes: Vec<_> = items.iter().map(|row| row.size).collect();
        let cosignatures = store::cosignatures_of(&self.db, None, &sizes).await?;
        let told = items.into_iter().map(|row| {
            let signed = cosignatures.iter().filter(|one| one.size == row.size);
            let lines: String = signed.clone().map(|one| &*one.line).collect();
            ListedCheckpoint {
                size: row.size.unsigned_abs(),
                root: hex::encode(row.root),
                note: row.note + &lines,
                at: row.created_at,
                cosigned_by: signed
                    .map(|one| CheckpointWitness {
                        name: (one.witness.split('+').next().unwrap_or_default()).to_owned(),
                        vkey: one.witness.clone(),
                        at: Timestamp::from_millis(one.signed_at.saturating_mul(1_000)),
                    })
                    .collect(),
            }
        });
        Ok(Listed {
            items: told.collect(),
            total,
            page,
        })
    }
}
