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
    store,
};
use crate::{
    error::{Error, Result},
    ledger::{Found, MOST_FAULTS, Progress, REMOVED, Reading, ToldChange},
    objects::sha256_hex,
};

/// Rows that are read at a time.
const PAGE: u32 = 500;
/// Set in the type of an entry that a row opened.
const OPENED: u8 = 0x80;

/// The result of an audit of the ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerAudit {
    /// Name of the ledger.
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
    /// Entries of keys that no key of the database opens: a restored database may lack some.
    pub keys_unknown: u64,
    /// Rows of the database, consents, publications and keys, that no checkpoint covers yet.
    pub waiting: u64,
    /// Rows whose entries are older than the ledger is kept.
    pub entry_removed: u64,
    /// Rows whose entries stand in a ledger that has ended, which is not read.
    pub in_retired: u64,
    /// Consents that were stored without an entry.
    pub without_entry: u64,
    /// Everything that is not as it should be.
    pub fault_count: u64,
    /// The first 100 faults.
    pub faults: Vec<String>,
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
    /// Reads the whole ledger and all rows that it binds. `None` where no ledger was ever on. It changes nothing,
    /// works beside a server that runs, and takes a byte of memory for each entry.
    pub async fn audit_ledger(&self, progress: AuditProgress<'_>) -> Result<Option<LedgerAudit>> {
        let told = |done, all| progress("entries", done, all);
        let told: Progress<'_> = &told;
        let Some(mut reading) = self.ledger.read_all(told).await? else {
            return Ok(None);
        };
        let mut audit = LedgerAudit {
            origin: reading.origin().to_owned(),
            entries: reading.size(),
            pruned_to: reading.pruned_to(),
            ..LedgerAudit::default()
        };
        audit.fault_count = reading.fault_count;
        audit.faults = std::mem::take(&mut reading.faults);
        self.open_consents(&mut reading, &mut audit, progress)
            .await?;
        self.open_publications(&mut reading, &mut audit).await?;
        let changes = self.ledger.key_changes(reading.origin()).await?;
        open_keys(&changes, &mut reading, &mut audit).await?;
        for kind in &reading.kinds {
            *audit.of_type.entry(name_of(kind & !OPENED)).or_default() += 1;
            audit.consents.removed += u64::from(*kind == CONSENT);
            audit.publications_removed += u64::from(*kind == PUBLICATION);
            audit.keys_unknown += u64::from(*kind == KEY);
        }
        Ok(Some(audit))
    }

    async fn open_consents(
        &self,
        reading: &mut Reading<'_>,
        audit: &mut LedgerAudit,
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
                open_consent(&row, reading, audit).await?;
            }
        }
    }

    async fn open_publications(
        &self,
        reading: &mut Reading<'_>,
        audit: &mut LedgerAudit,
    ) -> Result<()> {
        let mut after = (Uuid::nil(), Uuid::nil(), String::new());
        loop {
            let rows = store::publications_after(&self.db, &after, PAGE).await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            after = (last.project_id, last.configuration_id, last.id.clone());
            for row in rows {
                let about = format!("publication {} of project {}", row.id, row.project_id);
                if let Some(batch) = row.batch {
                    let manifest = sha256_hex(row.manifest.as_bytes());
                    let is_it =
                        |entry: &[u8]| names(entry, row.project_id, &row.id, Some(&manifest));
                    reading.open(batch, is_it, &about, audit).await?;
                }
                if let Some((list, batch)) = row.list.zip(row.pictures_batch) {
                    let entry = Pictures {
                        publication: &row.id,
                        pictures: &sha256_hex(list.as_bytes()),
                    }
                    .entry();
                    let about = format!("the list of pictures of {about}");
                    reading
                        .open(batch, |found| found == entry, &about, audit)
                        .await?;
                }
            }
        }
    }
}

/// Finds the entries of a consent.
async fn open_consent(
    row: &BoundRow,
    reading: &mut Reading<'_>,
    audit: &mut LedgerAudit,
) -> Result<()> {
    let consent = &row.consent;
    let about = format!(
        "consent {} of project {}",
        consent.consent_id, consent.project_id
    );
    let (salt, batch) = match (&row.salt, row.batch) {
        (Some(salt), Some(batch)) => (salt, batch),
        (None, None) => {
            audit.without_entry += 1;
            return Ok(());
        }
        _ => {
            audit.fault(format!(
                "{about}: it has lost a part of its link to the ledger, the salt or the batch"
            ));
            return Ok(());
        }
    };
    let Ok((_, entry)) = record(row, salt, &[]) else {
        audit.fault(format!("{about}: its salt is of no known length"));
        return Ok(());
    };
    let is_there = reading
        .open(batch, |found| found == entry, &about, audit)
        .await?;
    let opened = match consent.erased_at {
        None => &mut audit.consents.by_row,
        Some(_) => &mut audit.consents.by_tombstone,
    };
    *opened += u64::from(is_there);
    if consent.erased_at.is_some() && row.erasure_batch.is_none() {
        audit.fault(format!(
            "{about}: it is erased, and the ledger was told of no erasure"
        ));
    }
    if let Some((at, batch)) = consent.erased_at.zip(row.erasure_batch) {
        let entry = erasure_entry(consent, &remains(salt)?, at);
        let about = format!("the erasure of {about}");
        reading
            .open(batch, |found| found == entry, &about, audit)
            .await?;
    }
    Ok(())
}

/// Finds the entries of the keys.
async fn open_keys(
    changes: &[ToldChange],
    reading: &mut Reading<'_>,
    audit: &mut LedgerAudit,
) -> Result<()> {
    for ToldChange {
        vkey,
        change,
        batch,
    } in changes
    {
        let about = match change {
            KeyChange::Added => format!("the beginning of the key {vkey}"),
            KeyChange::Retired => format!("the end of the key {vkey}"),
        };
        let entry = key_entry(vkey, *change);
        if let Some(batch) = batch {
            reading
                .open(*batch, |found| found == entry, &about, audit)
                .await?;
            continue;
        }
        // An earlier release ended keys without this link.
        let may_lack_it = *change == KeyChange::Retired;
        if may_lack_it && reading.open_unlinked(KEY, &entry).await? {
            continue;
        }
        // It may stand below the first index that is read.
        if !may_lack_it || reading.pruned_to() == 0 {
            audit.fault(format!("{about}: it has lost its link to the ledger"));
        }
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

impl Reading<'_> {
    /// Finds the entry of a row, and marks it as opened. False if a checkpoint does not cover it yet, or if it is not there,
    /// which is a fault.
    async fn open(
        &mut self,
        batch: i64,
        is_it: impl Fn(&[u8]) -> bool,
        about: &str,
        audit: &mut LedgerAudit,
    ) -> Result<bool> {
        match self.find(batch, is_it).await? {
            Found::At(index) => {
                self.mark(index)?;
                return Ok(true);
            }
            Found::Waits => audit.waiting += 1,
            Found::Removed => audit.entry_removed += 1,
            Found::Retired => audit.in_retired += 1,
            Found::Missing => audit.fault(format!(
                "{about}: the ledger has no entry of it as it is stored now"
            )),
        }
        Ok(false)
    }

    /// Finds an entry of a type by its bytes alone, among those that nothing has opened, and marks it as opened. False if it is
    /// not there. Reads all of this type, so there must be few.
    async fn open_unlinked(&mut self, kind: u8, entry: &[u8]) -> Result<bool> {
        let found = self.find_by_bytes(kind, entry).await?;
        if let Some(index) = found {
            self.mark(index)?;
        }
        Ok(found.is_some())
    }

    fn mark(&mut self, index: u64) -> Result<()> {
        let index = usize::try_from(index).map_err(Error::internal)?;
        if let Some(kind) = self.kinds.get_mut(index) {
            *kind |= OPENED;
        }
        Ok(())
    }
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
        _ => "other",
    }
}
