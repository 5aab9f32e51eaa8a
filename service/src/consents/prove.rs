//! The proof of a consent.

use proof::{
    Hash, base64,
    bundle::{Bundle, Erasure, FORMAT, Publication, Record, Shown},
    commitment::{self as bound, Group, PUBLICATION},
    inclusion::Inclusion,
    receipt::receipt,
    verify::{Outcome, ReadStamp, verify},
};
use uuid::Uuid;

use super::{
    Consents,
    commitment::{Remains, erasure_entry, moment, texts},
    row::BoundRow,
    store,
};
use crate::{
    access::Actor,
    error::{Error, Result},
    ledger::{Leaf, Stamped},
};
use domain::{
    consent::{Place, TimeStamp},
    error_code::ErrorCode,
};

/// The result of asking for a proof.
#[derive(Clone, Debug)]
pub enum Proven {
    /// A bundle.
    Bundle(Box<Bundle>),
    /// The next checkpoint will cover it.
    Later,
}

impl Consents {
    /// The place of a consent in the ledger, as its proof shows it. The proof is made and verified, as anybody would.
    pub async fn place(&self, actor: Actor, project: Uuid, consent: Uuid) -> Result<Place> {
        let bundle = match self.prove(actor, project, consent, &[]).await {
            Ok(Proven::Bundle(bundle)) => bundle,
            Ok(Proven::Later) => return Ok(Place::Later),
            Err(Error::Conflict {
                code: ErrorCode::NotInLedger,
                ..
            }) => return Ok(Place::Absent),
            Err(error) => return Err(error),
        };
        let text = serde_json::to_string(&bundle).map_err(Error::internal)?;
        let report = verify(&text, self.ledger.policy().await?.as_ref());
        let inclusion = bundle.proofs.first().map(|text| Inclusion::parse(text));
        Ok(match inclusion {
            Some(Ok(inclusion)) if report.outcome != Outcome::Failed => Place::Entry {
                witnesses: self.ledger.witnesses_under(&inclusion.note),
                origin: inclusion.checkpoint.origin,
                index: inclusion.index,
                size: inclusion.checkpoint.size,
                stamps: report.stamps.into_iter().map(told).collect(),
            },
            _ => Place::Refuted(report.verdict),
        })
    }

    /// The proof of a consent, without the groups that are withheld.
    pub async fn prove(
        &self,
        actor: Actor,
        project: Uuid,
        consent: Uuid,
        withhold: &[Group],
    ) -> Result<Proven> {
        self.audit.reading(actor, project).await?;
        let row = store::bound(&self.db, project, consent)
            .await?
            .ok_or(Error::NotFound)?;
        self.prove_row(&row, withhold).await
    }

    /// The proof of a stored consent, for callers who may have it.
    pub(super) async fn prove_row(&self, row: &BoundRow, withhold: &[Group]) -> Result<Proven> {
        let (Some(salt), Some(batch)) = (&row.salt, row.batch) else {
            return Err(Error::conflict(
                None,
                ErrorCode::NotInLedger,
                "This consent was stored without an entry in the ledger.",
            ));
        };
        let (record, entry) = record(row, salt, withhold)?;
        let Some(leaf) = self.ledger.prove(batch, |found| found == entry).await? else {
            return Ok(Proven::Later);
        };
        let erasure = match self.erasure(row, salt).await? {
            Some(None) => return Ok(Proven::Later),
            erasure => erasure.flatten(),
        };
        let mut proofs = vec![leaf.proof];
        let mut timestamps = Vec::new();
        if let Some(Stamped { proof, stamp }) = self.ledger.stamped(leaf.index).await? {
            // Both may be against one checkpoint.
            if !proofs.contains(&proof) {
                proofs.push(proof);
            }
            timestamps.push(stamp);
        }
        let mut bundle = Bundle {
            format: FORMAT.to_owned(),
            publication: self.publication(row, leaf.index).await?,
            record,
            proofs,
            timestamps,
            erasure,
            receipt: None,
        };
        bundle.receipt = Some(receipt(&bundle));
        Ok(Proven::Bundle(Box::new(bundle)))
    }

    /// The publication that the consent names, if it was in the ledger before.
    async fn publication(&self, row: &BoundRow, before: u64) -> Result<Option<Publication>> {
        let consent = &row.consent;
        let Some(id) = &consent.publication else {
            return Ok(None);
        };
        let found = store::manifest(&self.db, consent.project_id, consent.identifier, id).await?;
        let Some((manifest, Some(batch))) = found else {
            return Ok(None);
        };
        let is_it = |entry: &[u8]| names(entry, consent.project_id, id, None);
        // Publications get their indexes first, so the checkpoint of the consent covers it.
        let Some(Leaf {
            index,
            entry,
            proof,
        }) = self.ledger.prove(batch, is_it).await?
        else {
            return Ok(None);
        };
        Ok((index < before).then(|| Publication {
            entry: base64(&entry),
            index,
            proof,
            manifest,
        }))
    }

    /// The erasure of the consent; `Some(None)` until a checkpoint covers it.
    async fn erasure(&self, row: &BoundRow, salt: &[u8]) -> Result<Option<Option<Erasure>>> {
        let (Some(at), Some(batch)) = (row.consent.erased_at, row.erasure_batch) else {
            return Ok(None);
        };
        let entry = erasure_entry(&row.consent, &remains(salt)?, at);
        let leaf = self.ledger.prove(batch, |found| found == entry).await?;
        Ok(Some(leaf.map(|leaf| Erasure {
            erased_at: moment(at),
            entry: base64(&leaf.entry),
            index: leaf.index,
            proof: leaf.proof,
        })))
    }
}

fn told(stamp: ReadStamp) -> TimeStamp {
    TimeStamp {
        url: stamp.url,
        at: stamp.seconds,
    }
}

pub(super) fn remains(salt: &[u8]) -> Result<Remains> {
    Remains::parse(salt).ok_or_else(|| Error::internal("a salt is of no known length"))
}

/// True for the entry of a publication with this id, and with this SHA-256 of its manifest if one is asked for. The same
/// content may be published again elsewhere.
pub(super) fn names(entry: &[u8], project: Uuid, id: &str, manifest: Option<&str>) -> bool {
    let Some((&PUBLICATION, json)) = entry.split_first() else {
        return false;
    };
    let Ok(entry) = serde_json::from_slice::<serde_json::Value>(json) else {
        return false;
    };
    let is = |field: &str, value: &str| entry.get(field).is_some_and(|found| found == value);
    is("publication", id)
        && is("projectId", &project.to_string())
        && manifest.is_none_or(|manifest| is("manifest", manifest))
}

/// The record of a consent, and its entry.
pub(super) fn record(row: &BoundRow, salt: &[u8], withhold: &[Group]) -> Result<(Record, Vec<u8>)> {
    let [core, choice, person, circumstances] = texts(&row.consent);
    if row.consent.erased_at.is_some() {
        let remains = remains(salt)?;
        let entry = bound::consent_entry(&remains.commitment(&core));
        let [choice, person, circumstances] = remains.digests;
        let record = Record {
            core: Shown::open(&remains.core_salt, core),
            choice: Shown::withheld(&choice),
            person: Shown::withheld(&person),
            circumstances: Shown::withheld(&circumstances),
        };
        return Ok((record, entry));
    }
    let salt = Hash::try_from(salt).map_err(Error::internal)?;
    let digest = |group: Group, text: &str| bound::digest(&group.salt(&salt), text);
    let digests = [
        digest(Group::Core, &core),
        digest(Group::Choice, &choice),
        digest(Group::Person, &person),
        digest(Group::Circumstances, &circumstances),
    ];
    let show = |group: Group, text: String| {
        if withhold.contains(&group) {
            Shown::withheld(&digest(group, &text))
        } else {
            Shown::open(&group.salt(&salt), text)
        }
    };
    let record = Record {
        core: show(Group::Core, core),
        choice: show(Group::Choice, choice),
        person: show(Group::Person, person),
        circumstances: show(Group::Circumstances, circumstances),
    };
    Ok((record, bound::consent_entry(&bound::commitment(&digests))))
}
