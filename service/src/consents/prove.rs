//! The proof of a consent.

use proof::{
    Hash, base64,
    bundle::{Bundle, Erasure, Evidence, FORMAT, PictureFile, Publication, Record, Shown},
    commitment::{self as bound, Group, PICTURES, PUBLICATION},
    inclusion::Inclusion,
    receipt::receipt,
    verify::{Outcome, ReadStamp, verify},
};
use uuid::Uuid;

use super::{
    Consents,
    commitment::{self, Remains, erasure_entry, moment, texts},
    row::BoundRow,
    store,
};
use crate::{
    access::Actor,
    error::{Error, Result},
    ledger::{Leaf, Stamped},
    objects::sha256_hex,
};
use domain::{
    consent::{Place, TimeStamp},
    error_code::ErrorCode,
    pictures::{self, PictureList},
};

/// Most bytes of the pictures in a bundle, which has at most 16 MiB with all its texts.
const MOST_PICTURE_BYTES: u64 = 8 * 1024 * 1024;

/// The result of asking for a proof.
#[derive(Clone, Debug)]
pub enum Proven {
    /// A bundle.
    Bundle(Box<Bundle>),
    /// The next checkpoint will cover it.
    Later,
}

/// Parts of a bundle that callers choose.
#[derive(Clone, Debug, Default)]
pub struct Extent {
    /// Groups that it only binds.
    pub withhold: Vec<Group>,
    /// True if it holds pictures of the publication, in the order of their list, as far as there is room.
    pub pictures: bool,
}

impl Consents {
    /// The place of a consent in the ledger, as its proof shows it. The proof is made and verified, as anybody would.
    pub async fn place(&self, actor: Actor, project: Uuid, consent: Uuid) -> Result<Place> {
        let bundle = match self
            .prove(actor, project, consent, &Extent::default())
            .await
        {
            Ok(Proven::Bundle(bundle)) => bundle,
            Ok(Proven::Later) => return Ok(Place::Later),
            Err(Error::Conflict {
                code: ErrorCode::NotInLedger,
                ..
            }) => return Ok(Place::Absent),
            Err(Error::Gone { .. }) => return Ok(Place::Removed),
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
                pictures: u32::try_from(report.pictures.len()).unwrap_or(u32::MAX),
            },
            _ => Place::Refuted(report.verdict),
        })
    }

    /// The proof of a consent.
    pub async fn prove(
        &self,
        actor: Actor,
        project: Uuid,
        consent: Uuid,
        extent: &Extent,
    ) -> Result<Proven> {
        self.audit.reading(actor, project).await?;
        let row = store::bound(&self.db, project, consent)
            .await?
            .ok_or(Error::NotFound)?;
        let mut proven = self.prove_row(&row, &extent.withhold).await?;
        if let Proven::Bundle(bundle) = &mut proven
            && extent.pictures
        {
            let _turn = self.answers.turn(actor).await?;
            bundle.files = self.picture_files(project, bundle).await?;
        }
        Ok(proven)
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
        let mut proofs = vec![leaf.proof.clone()];
        let mut timestamps = Vec::new();
        if let Some(Stamped { proof, stamp }) = self.ledger.stamped(&leaf).await? {
            // Both may be against one checkpoint.
            if !proofs.contains(&proof) {
                proofs.push(proof);
            }
            timestamps.push(stamp);
        }
        let publication = self.publication(row, &leaf).await?;
        let evidence = match &publication {
            Some(_) => self.evidence(row, &leaf).await?,
            None => None,
        };
        let mut bundle = Bundle {
            format: FORMAT.to_owned(),
            publication,
            record,
            proofs,
            timestamps,
            erasure,
            evidence,
            files: Vec::new(),
            receipt: None,
        };
        bundle.receipt = Some(receipt(&bundle));
        Ok(Proven::Bundle(Box::new(bundle)))
    }

    /// The publication that the consent names, if it was in the same ledger before.
    async fn publication(&self, row: &BoundRow, own: &Leaf) -> Result<Option<Publication>> {
        let consent = &row.consent;
        let Some(id) = &consent.publication else {
            return Ok(None);
        };
        let found = store::manifest(&self.db, consent.project_id, consent.identifier, id).await?;
        let Some((manifest, present)) = found else {
            return Ok(None);
        };
        let batch = match own.tree.retired {
            None => present,
            Some(ledger) => self.retired_batches(ledger, row, id).await?.0,
        };
        let Some(batch) = batch else {
            return Ok(None);
        };
        let is_it = |entry: &[u8]| names(entry, consent.project_id, id, None);
        // Publications get their indexes first, so the checkpoint of the consent covers it.
        let found = kept(self.ledger.prove(batch, is_it).await)?;
        let before =
            found.filter(|leaf| leaf.tree.retired == own.tree.retired && leaf.index < own.index);
        Ok(before.map(|leaf| Publication {
            entry: base64(&leaf.entry),
            index: leaf.index,
            proof: leaf.proof,
            manifest,
        }))
    }

    /// The batches of the publication that the consent names, and of the list of its pictures, in a ledger that has ended.
    async fn retired_batches(
        &self,
        ledger: i64,
        row: &BoundRow,
        id: &str,
    ) -> Result<(Option<i64>, Option<i64>)> {
        let (project, configuration) = (row.consent.project_id, row.consent.identifier);
        let found = store::retired_batches(&self.db, ledger, (project, configuration, id));
        Ok(found.await?.unwrap_or_default())
    }

    /// The list of pictures of the publication that the consent names, if a checkpoint of the same ledger covers it.
    async fn evidence(&self, row: &BoundRow, own: &Leaf) -> Result<Option<Evidence>> {
        let consent = &row.consent;
        let Some(id) = &consent.publication else {
            return Ok(None);
        };
        let found = store::pictures(&self.db, consent.project_id, consent.identifier, id).await?;
        let Some((list, present)) = found else {
            return Ok(None);
        };
        let batch = match own.tree.retired {
            None => present,
            Some(ledger) => self.retired_batches(ledger, row, id).await?.1,
        };
        let leaf = kept(self.entry_of_pictures(batch, &list).await)?;
        let leaf = leaf.filter(|leaf| leaf.tree.retired == own.tree.retired);
        Ok(leaf.map(|leaf| Evidence {
            entry: base64(&leaf.entry),
            index: leaf.index,
            proof: leaf.proof,
            pictures: list,
        }))
    }

    /// The entry of a list of pictures in the ledger, once a checkpoint covers it.
    pub(super) async fn entry_of_pictures(
        &self,
        batch: Option<i64>,
        list: &str,
    ) -> Result<Option<Leaf>> {
        let Some(batch) = batch else {
            return Ok(None);
        };
        let hash = sha256_hex(list.as_bytes());
        let is_it = |entry: &[u8]| {
            let Some((&PICTURES, json)) = entry.split_first() else {
                return false;
            };
            let entry = serde_json::from_slice::<serde_json::Value>(json);
            entry.is_ok_and(|entry| entry.get("pictures").is_some_and(|found| *found == *hash))
        };
        self.ledger.prove(batch, is_it).await
    }

    /// The pictures that the list of a bundle names, as far as there is room. Several of them may be one file.
    async fn picture_files(&self, project: Uuid, bundle: &Bundle) -> Result<Vec<PictureFile>> {
        let mut files: Vec<PictureFile> = Vec::new();
        let Some(evidence) = &bundle.evidence else {
            return Ok(files);
        };
        let list: PictureList =
            serde_json::from_str(&evidence.pictures).map_err(Error::internal)?;
        let mut bytes = 0;
        for picture in list.pictures {
            if files.iter().any(|file| file.sha256 == picture.sha256) {
                continue;
            }
            bytes += picture.bytes;
            if bytes > MOST_PICTURE_BYTES {
                break;
            }
            let key = pictures::key(&project.to_string(), &picture.sha256);
            let found = self.objects.get(&key).await.map_err(|error| {
                tracing::error!(%error, "a picture of a publication cannot be read");
                Error::Unavailable
            })?;
            files.extend(found.map(|content| PictureFile {
                sha256: picture.sha256,
                content: base64(&content),
            }));
        }
        Ok(files)
    }

    /// The erasure of the consent; `Some(None)` until a checkpoint covers it.
    async fn erasure(&self, row: &BoundRow, salt: &[u8]) -> Result<Option<Option<Erasure>>> {
        let (Some(at), Some(batch)) = (row.consent.erased_at, row.erasure_batch) else {
            return Ok(None);
        };
        let entry = erasure_entry(&row.consent, &remains(salt)?, at);
        let leaf = self.ledger.prove(batch, |found| found == entry).await;
        let leaf = match leaf {
            // The consent's own entry may be kept beside one that is not.
            Err(Error::Gone { .. }) => return Ok(None),
            leaf => leaf?,
        };
        Ok(Some(leaf.map(|leaf| Erasure {
            erased_at: moment(at),
            entry: base64(&leaf.entry),
            index: leaf.index,
            proof: leaf.proof,
        })))
    }
}

/// The entry, or `None` if it was removed because it is older than the ledger is kept.
fn kept(proven: Result<Option<Leaf>>) -> Result<Option<Leaf>> {
    match proven {
        Err(Error::Gone { .. }) => Ok(None),
        proven => proven,
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
pub(crate) fn names(entry: &[u8], project: Uuid, id: &str, manifest: Option<&str>) -> bool {
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
    let texts = texts(&row.consent);
    if row.consent.erased_at.is_some() {
        let [core, ..] = texts;
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
    let (record, commitment) = commitment::record(texts, &salt, withhold);
    Ok((record, bound::consent_entry(&commitment)))
}
