//! Compares the whole ledger with the database: each entry is opened by the row that it binds, or by none any more, and each
//! row has its entry.

use std::collections::BTreeMap;

use proof::commitment::{
    CONSENT, ERASURE, EVENT, KEY, KeyChange, PICTURES, PUBLICATION, Pictures, key_entry,
};
use serde::Serialize;
use uuid::Uuid;

use super::{
    Consents,
    commitment::erasure_entry,
    prove::{names, record, remains},
    row::BoundRow,
    store::{self, BoundPublication},
};
use crate::{
    error::{Error, Result},
    ledger::{Found, LOST, MOST_FAULTS, Progress, REMOVED, Reading, Readings, ToldChange},
    objects::sha256_hex,
};

/// Rows that are read at a time.
const PAGE: u32 = 500;
/// Set in the type of an entry that a row opened.
const OPENED: u8 = 0x80;

/// The result of an audit of the ledger, and of those before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerAudit {
    /// The present ledger.
    #[serde(flatten)]
    pub present: TreeAudit,
    /// Those that have ended, the oldest first.
    pub ended: Vec<TreeAudit>,
    /// Rows of the database, consents, publications and keys, that no checkpoint covers yet.
    pub waiting: u64,
    /// Rows whose entries are older than the ledger is kept.
    pub entry_removed: u64,
    /// Rows whose entries were in lost files of a ledger that has ended.
    pub entry_lost: u64,
    /// Rows whose entries stand in a ledger that has ended.
    pub in_retired: u64,
    /// Consents that were stored without an entry.
    pub without_entry: u64,
    /// Everything that is not as it should be.
    pub fault_count: u64,
    /// The first 100 faults.
    pub faults: Vec<String>,
}

/// A ledger that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TreeAudit {
    /// Its name.
    pub origin: String,
    /// Entries that the latest checkpoint covers.
    pub entries: u64,
    /// The minimum index: the audit reads the entries from it on. The hashes above the others are compared as well.
    pub pruned_to: u64,
    /// Entries of each type.
    pub of_type: BTreeMap<&'static str, u64>,
    /// Entries of consents, by what opens them.
    pub consents: Opened,
    /// Entries of publications that no row opens: nothing removes publications, but a restored database may lack some.
    pub publications_removed: u64,
    /// Entries of erasures that no row opens: the tombstone went since, by retention or with its project.
    pub erasures_removed: u64,
    /// Entries of lists of pictures that no row opens: they went with their project, or a restored database lacks some.
    pub pictures_removed: u64,
    /// Entries of keys that no key of the database opens: a restored database may lack some.
    pub keys_unknown: u64,
    /// Missing files of a ledger that has ended, which is no fault: many a ledger ends because its files are lost.
    pub lost_files: u64,
}

/// Entries of consents, by what opens them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// By a row with all facts.
    pub by_row: u64,
    /// By what an erasure left.
    pub by_tombstone: u64,
    /// By no row: retention or the deletion of a project removed it, or somebody did.
    pub removed: u64,
}

/// Told how far an audit is: the part, and how many of how many (0 where nobody knows).
pub type AuditProgress<'a> = &'a (dyn Fn(&'static str, u64, u64) + Send + Sync);

impl Consents {
    /// Reads the whole ledger, those before it, and all rows that they bind. `None` where no ledger was ever on. It changes
    /// nothing, works beside a server that runs, and takes a byte of memory for each entry.
    pub async fn audit_ledger(&self, progress: AuditProgress<'_>) -> Result<Option<LedgerAudit>> {
        let told = |done, all| progress("entries", done, all);
        let told: Progress<'_> = &told;
        let Some(mut readings) = self.ledger.read_all(told).await? else {
            return Ok(None);
        };
        let mut audit = LedgerAudit::default();
        let mut trees = Vec::new();
        for reading in &mut readings.all {
            trees.push(TreeAudit {
                origin: reading.origin().to_owned(),
                entries: reading.size(),
                pruned_to: reading.pruned_to(),
                lost_files: reading.lost_files,
                ..TreeAudit::default()
            });
            let about = match reading.number() {
                None => String::new(),
                Some(_) => format!("of {}: ", reading.origin()),
            };
            audit.fault_count += reading.fault_count - reading.faults.len() as u64;
            for fault in std::mem::take(&mut reading.faults) {
                audit.fault(format!("{about}{fault}"));
            }
        }
        let mut opening = Opening {
            readings,
            trees,
            audit,
        };
        self.open_consents(&mut opening, progress).await?;
        self.open_publications(&mut opening).await?;
        self.open_publications_of_ended(&mut opening).await?;
        self.open_keys(&mut opening).await?;
        Ok(Some(opening.end()))
    }

    async fn open_consents(
        &self,
        opening: &mut Opening<'_>,
        progress: AuditProgress<'_>,
    ) -> Result<()> {
        let (mut after, mut read) = ((Uuid::nil(), Uuid::nil()), 0);
        loop {
            let rows = store::bound_after(&self.db, after, PAGE).await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            after = (last.consent.project_id, last.consent.consent_id);
            read += rows.len() as u64;
            progress("consents", read, 0);
            for row in rows {
                open_consent(&row, opening).await?;
            }
        }
    }

    async fn open_publications(&self, opening: &mut Opening<'_>) -> Result<()> {
        let mut after = (Uuid::nil(), Uuid::nil(), String::new());
        loop {
            let rows = store::publications_after(&self.db, &after, PAGE).await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            after = (last.project_id, last.configuration_id, last.id.clone());
            for row in rows {
                open_publication(&row, opening).await?;
            }
        }
    }

    /// Publications have another entry in each ledger.
    async fn open_publications_of_ended(&self, opening: &mut Opening<'_>) -> Result<()> {
        for ledger in opening.ended() {
            let mut after = (Uuid::nil(), Uuid::nil(), String::new());
            loop {
                let rows =
                    store::retired_publications_after(&self.db, ledger, &after, PAGE).await?;
                let Some(last) = rows.last() else {
                    break;
                };
                after = (last.project_id, last.configuration_id, last.id.clone());
                for row in rows {
                    open_publication(&row, opening).await?;
                }
            }
        }
        Ok(())
    }

    /// Finds the entries of the keys.
    async fn open_keys(&self, opening: &mut Opening<'_>) -> Result<()> {
        let Some(origin) = opening.trees.first().map(|tree| tree.origin.clone()) else {
            return Ok(());
        };
        for change in self.ledger.key_changes(&origin).await? {
            open_key(&change, opening).await?;
        }
        for ledger in opening.ended() {
            for entry in self.ledger.key_entries_of_ended(ledger).await? {
                opening.open_unlinked(Some(ledger), KEY, &entry).await?;
            }
        }
        Ok(())
    }
}

/// Finds the entries of a publication and of the list of its pictures.
async fn open_publication(row: &BoundPublication, opening: &mut Opening<'_>) -> Result<()> {
    let about = format!("publication {} of project {}", row.id, row.project_id);
    if let Some(batch) = row.batch {
        let manifest = sha256_hex(row.manifest.as_bytes());
        let is_it = |entry: &[u8]| names(entry, row.project_id, &row.id, Some(&manifest));
        opening.open(batch, is_it, &about).await?;
    }
    if let Some((list, batch)) = row.list.as_ref().zip(row.pictures_batch) {
        let entry = Pictures {
            publication: &row.id,
            pictures: &sha256_hex(list.as_bytes()),
        }
        .entry();
        let about = format!("the list of pictures of {about}");
        opening.open(batch, |found| found == entry, &about).await?;
    }
    Ok(())
}

/// Finds the entries of a consent.
async fn open_consent(row: &BoundRow, opening: &mut Opening<'_>) -> Result<()> {
    let consent = &row.consent;
    let about = format!(
        "consent {} of project {}",
        consent.consent_id, consent.project_id
    );
    let (salt, batch) = match (&row.salt, row.batch) {
        (Some(salt), Some(batch)) => (salt, batch),
        (None, None) => {
            opening.audit.without_entry += 1;
            return Ok(());
        }
        _ => {
            opening.audit.fault(format!(
                "{about}: it has lost a part of its link to the ledger, the salt or the batch"
            ));
            return Ok(());
        }
    };
    let Ok((_, entry)) = record(row, salt, &[]) else {
        let fault = format!("{about}: its salt is of no known length");
        opening.audit.fault(fault);
        return Ok(());
    };
    let found = opening.open(batch, |found| found == entry, &about).await?;
    if let Some(tree) = found {
        let opened = match consent.erased_at {
            None => &mut tree.consents.by_row,
            Some(_) => &mut tree.consents.by_tombstone,
        };
        *opened += 1;
    }
    if consent.erased_at.is_some() && row.erasure_batch.is_none() {
        opening.audit.fault(format!(
            "{about}: it is erased, and the ledger was told of no erasure"
        ));
    }
    if let Some((at, batch)) = consent.erased_at.zip(row.erasure_batch) {
        let entry = erasure_entry(consent, &remains(salt)?, at);
        let about = format!("the erasure of {about}");
        opening.open(batch, |found| found == entry, &about).await?;
    }
    Ok(())
}

/// Finds the entry of a change of the present ledger's keys.
async fn open_key(change: &ToldChange, opening: &mut Opening<'_>) -> Result<()> {
    let ToldChange {
        vkey,
        change,
        batch,
    } = change;
    let about = match change {
        KeyChange::Added => format!("the beginning of the key {vkey}"),
        KeyChange::Retired => format!("the end of the key {vkey}"),
    };
    let entry = key_entry(vkey, *change);
    if let Some(batch) = batch {
        opening.open(*batch, |found| found == entry, &about).await?;
        return Ok(());
    }
    // An earlier release ended keys without this link.
    let may_lack_it = *change == KeyChange::Retired;
    if may_lack_it && opening.open_unlinked(None, KEY, &entry).await? {
        return Ok(());
    }
    // It may stand below the first index that is read.
    let reads_all = opening
        .trees
        .first()
        .is_some_and(|tree| tree.pruned_to == 0);
    if !may_lack_it || reads_all {
        let fault = format!("{about}: it has lost its link to the ledger");
        opening.audit.fault(fault);
    }
    Ok(())
}

impl LedgerAudit {
    fn fault(&mut self, fault: String) {
        self.fault_count += 1;
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }
}

/// An audit in its course.
struct Opening<'a> {
    readings: Readings<'a>,
    /// Of each reading, in the same order.
    trees: Vec<TreeAudit>,
    audit: LedgerAudit,
}

impl Opening<'_> {
    /// The numbers of the ledgers that have ended.
    fn ended(&self) -> Vec<i64> {
        let all = self.readings.all.iter();
        all.filter_map(Reading::number).collect()
    }

    /// Finds the entry of a row, and marks it as opened. Returns its tree; `None` if a checkpoint does not cover it
    /// yet, or if it is not there, which is a fault.
    async fn open(
        &mut self,
        batch: i64,
        is_it: impl Fn(&[u8]) -> bool,
        about: &str,
    ) -> Result<Option<&mut TreeAudit>> {
        let (place, found) = self.readings.find(batch, is_it).await?;
        let Some((reading, tree)) =
            (self.readings.all.get_mut(place)).zip(self.trees.get_mut(place))
        else {
            return Ok(None);
        };
        match found {
            Found::At(index) => {
                mark(reading, index)?;
                self.audit.in_retired += u64::from(reading.number().is_some());
                return Ok(Some(tree));
            }
            Found::Waits => self.audit.waiting += 1,
            Found::Removed => self.audit.entry_removed += 1,
            Found::Lost => self.audit.entry_lost += 1,
            Found::Missing => self.audit.fault(format!(
                "{about}: the ledger has no entry of it as it is stored now"
            )),
        }
        Ok(None)
    }

    /// Finds an entry of a type by its bytes alone, among those of a ledger that nothing has opened, and marks it as
    /// opened. False if it is not there. Reads all of this type, so there must be few.
    async fn open_unlinked(&mut self, ledger: Option<i64>, kind: u8, entry: &[u8]) -> Result<bool> {
        let mut all = self.readings.all.iter_mut();
        let Some(reading) = all.find(|reading| reading.number() == ledger) else {
            return Ok(false);
        };
        let found = reading.find_by_bytes(kind, entry).await?;
        if let Some(index) = found {
            mark(reading, index)?;
        }
        Ok(found.is_some())
    }

    /// Counts the entries of each tree.
    fn end(self) -> LedgerAudit {
        let mut trees = self.trees;
        for (tree, reading) in trees.iter_mut().zip(&self.readings.all) {
            for kind in &reading.kinds {
                *tree.of_type.entry(name_of(kind & !OPENED)).or_default() += 1;
                tree.consents.removed += u64::from(*kind == CONSENT);
                tree.publications_removed += u64::from(*kind == PUBLICATION);
                tree.erasures_removed += u64::from(*kind == ERASURE);
                tree.pictures_removed += u64::from(*kind == PICTURES);
                tree.keys_unknown += u64::from(*kind == KEY);
            }
        }
        let mut trees = trees.into_iter();
        LedgerAudit {
            present: trees.next().unwrap_or_default(),
            ended: trees.collect(),
            ..self.audit
        }
    }
}

fn mark(reading: &mut Reading<'_>, index: u64) -> Result<()> {
    let index = usize::try_from(index).map_err(Error::internal)?;
    if let Some(kind) = reading.kinds.get_mut(index) {
        *kind |= OPENED;
    }
    Ok(())
}

fn name_of(kind: u8) -> &'static str {
    match kind {
        CONSENT => "consent",
        ERASURE => "erasure",
        PUBLICATION => "publication",
        PICTURES => "pictures",
        KEY => "key",
        EVENT => "event",
        0 => "unreadable",
        REMOVED => "removed",
        LOST => "lost",
        _ => "other",
    }
}
