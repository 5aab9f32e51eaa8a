//! Consents from elsewhere: files of any size, in constant memory.
//!
//! A file is cut into rows (`records`), each row is read (`record`) and checked (`row`), and good ones are
//! gathered into parts of some hundred. With `partial`, each part is stored at once, and bad rows are told.
//!
//! Otherwise all rows are stored or none. One transaction for all of them would keep every visitor
//! waiting for as long as it takes (SQLite has one writer), so parts are kept aside first, in short
//! transactions. Only when the last row was good is the import decided, by a job that is written
//! in one transaction; from then on the parts move into `consents` one by one, each in a short
//! transaction that also removes it, and the writer of visitors' consents gets its turn between
//! them. The process that read the file moves them itself; when it dies, the job makes another one
//! go on. Readers may see a part of a decided import for a moment, but never a part of one that fails.
//!
//! A consent whose id is already stored stays as it is. A consent without an id in the file (CSV)
//! gets an id from its content, and is skipped if the same consent is stored under another id.

mod columns;
mod record;
mod records;
mod row;
mod store;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use domain::{audit::Action, consent::ConsentCollection, format};
use futures::{StreamExt, stream::BoxStream};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::{
    columns::Columns,
    records::{Next, Records},
    row::{Checked, Entry, Known},
    store::Placed,
};
use super::{Consents, Format, removal::By, store as stored};
use crate::{
    access::{self, Actor, Need},
    audit::Subject,
    db::Tx,
    error::{Error, Result},
    ids,
    jobs::{Claim, Ended, Job},
    places::{Places, RULE, Rule, Way},
    quota::For,
};

/// Rows and bytes of a part.
const PART_ROWS: usize = 500;
const PART_BYTES: usize = 1024 * 1024;
/// Between two parts.
const BREATH: Duration = Duration::from_millis(5);
/// Broken rows that are reported, and characters of each report: one error can quote a whole row.
const MOST_ERRORS: usize = 100;
const MOST_DETAIL: usize = 1_000;
/// Imports that one process reads at once, and those of one account among them.
const AT_ONCE: usize = 8;
const OF_ONE: usize = 2;
/// Days after which parts without a decision were left behind by a process that died.
const LEFT_BEHIND_DAYS: i64 = 1;
/// Days for which the rows of an import that was given up stay for the operator.
const GIVEN_UP_DAYS: i64 = 30;

/// Places for imports. An import that has made room is to begin anew, so a quick one never does.
pub(super) fn places() -> Arc<Places> {
    let rule = Rule {
        old: Duration::MAX,
        ..RULE
    };
    Places::with(AT_ONCE, OF_ONE, rule)
}

/// A file of consents to take in.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// The project.
    pub project: Uuid,
    /// The format of the file.
    pub format: Format,
    /// True if good rows are stored although others are broken.
    pub partial: bool,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Consents that are stored now.
    #[schema(example = 1_200)]
    pub imported: u64,
    /// Consents that were stored before: either their id is stored, or they have none and an equal
    /// consent is stored.
    #[schema(example = 3)]
    pub skipped: u64,
    /// Of those that were skipped, consents that were erased; they stay erased.
    #[schema(example = 0)]
    pub erased: u64,
    /// Rows that break a rule.
    #[schema(example = 1)]
    pub error_count: u64,
    /// The first 100 of them.
    pub errors: Vec<RowError>,
}

/// A row that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct RowError {
    /// Which row: the line of NDJSON; in CSV the header is row 1, and blank lines do not count.
    #[schema(example = 17)]
    pub row: u64,
    /// Every broken field, in plain English.
    #[schema(example = "identifier: Nothing in cookies of this project has this id.")]
    pub detail: String,
}

impl Imported {
    fn refuse(&mut self, row: u64, detail: &str) {
        self.error_count += 1;
        if self.errors.len() < MOST_ERRORS {
            let detail = shown(detail);
            self.errors.push(RowError { row, detail });
        }
    }

    fn add(&mut self, placed: Placed) {
        self.imported += placed.imported;
        self.skipped += placed.skipped;
        self.erased += placed.erased;
    }
}

/// A detail as it is told. It quotes the file, which may be long and hold signs that command a terminal.
fn shown(detail: &str) -> String {
    let plain = |sign: char| match sign {
        _ if format::is_hidden(sign) => char::REPLACEMENT_CHARACTER,
        _ => sign,
    };
    let mut shown: String = detail.chars().take(MOST_DETAIL).map(plain).collect();
    if detail.chars().nth(MOST_DETAIL).is_some() {
        shown.push('…');
    }
    shown
}

/// Told how many rows have been read.
pub type Progress = Box<dyn Fn(u64) + Send + Sync>;

impl Consents {
    /// Refuses callers who may not import consents.
    pub async fn may_import(&self, actor: Actor, project: Uuid) -> Result<()> {
        access::project(&self.db, actor, project, Need::IMPORT_CONSENTS).await?;
        Ok(())
    }

    /// Takes a file in. Without `partial`, a file with a broken row changes nothing.
    pub async fn import(
        self: &Arc<Self>,
        actor: Actor,
        import: Import,
        file: BoxStream<'static, Result<Bytes>>,
        progress: Progress,
    ) -> Result<Imported> {
        self.may_import(actor, import.project).await?;
        let place = self.importing.take(actor.owner())?;
        let consents = self.clone();
        // A caller who goes away does not stop it half-way.
        let task = tokio::spawn(async move {
            let imported = consents.take_in(actor, import, file, (progress, place.way()));
            let imported = imported.await;
            drop(place);
            imported
        });
        task.await.map_err(Error::internal)?
    }

    async fn take_in(
        &self,
        actor: Actor,
        import: Import,
        mut file: BoxStream<'static, Result<Bytes>>,
        (progress, way): (Progress, Way),
    ) -> Result<Imported> {
        // Files of nothing cost work, too.
        way.waits_always();
        let known = self.known(import.project).await?;
        let mut sink = Sink {
            consents: self,
            actor,
            import,
            id: self.ids.next(),
            entries: Vec::new(),
            bytes: 0,
            parts: 0,
            full: None,
            way,
            passed: 0,
            kept: 0,
            spent: BTreeMap::new(),
            decided: false,
            told: Imported::default(),
        };
        let read = sink.read(&known, &mut file, &progress).await;
        let told = match read {
            Ok(()) => sink.finish().await,
            Err(error) => Err(error),
        };
        if !sink.decided && sink.parts > 0 {
            if let Err(error) = self.forget_parts(sink.id).await {
                tracing::warn!(%error, "rows of a failed import are left; housekeeping removes them");
            }
            if let Err(error) = sink.refund_all().await {
                tracing::warn!(%error, "an import that failed stays paid");
            }
        }
        told
    }

    async fn known(&self, project: Uuid) -> Result<Known> {
        let asked: HashMap<Uuid, ConsentCollection> = store::asked(&self.db, project)
            .await?
            .into_iter()
            .filter_map(|(id, word)| Some((id, ConsentCollection::parse(&word)?)))
            .collect();
        Ok(Known {
            project_id: project,
            asked,
            live: self.projects.latest(project).await?,
            id_key: self.projects.id_key(project),
            now: self.clock.now(),
        })
    }

    /// Keeps a publication that this configuration really published.
    async fn verify(&self, known: &Known, entry: &mut Entry) -> Result<()> {
        let Some(publication) = entry.publication.take() else {
            return Ok(());
        };
        let live = known.live.as_deref();
        let in_memory = live
            .and_then(|live| live.configurations.get(&entry.identifier))
            .is_some_and(|configuration| configuration.publications.contains(&publication));
        let may_be_older =
            stored::may_be_publication(&publication) && live.is_none_or(|live| !live.complete);
        if in_memory
            || may_be_older
                && stored::is_publication(
                    &self.db,
                    known.project_id,
                    entry.identifier,
                    &publication,
                )
                .await?
        {
            entry.publication = Some(publication);
        }
        Ok(())
    }

    /// Moves the parts of a decided import; several processes may do so at once. Consents that were stored before cost
    /// nothing.
    async fn move_parts(&self, project: Uuid, import: Uuid) -> Result<Placed> {
        let mut all = Placed::default();
        while let Some(number) = store::next(&self.db, import).await? {
            let mut tx = self.db.begin().await?;
            if let Some(records) = store::take(&mut tx, (import, number)).await? {
                let entries: Vec<Entry> =
                    serde_json::from_str(&records).map_err(Error::internal)?;
                let paid = entries.first().and_then(|entry| entry.paid);
                let (now, bound) = (self.clock.now(), self.ledger.is_on());
                let placed = store::place(&mut tx, project, entries, now, bound).await?;
                let bytes = placed.skipped_bytes;
                if let Some(paid) = paid.filter(|_| bytes > 0) {
                    self.quota.refund(&mut tx, paid, bytes).await?;
                }
                all += placed;
            }
            tx.commit().await?;
            // Another process can only take SQLite's lock while nobody has it.
            tokio::time::sleep(BREATH).await;
        }
        Ok(all)
    }

    /// Takes the rows of a token out of imports that wait, and returns their number. They never were consents.
    pub(super) async fn drop_waiting(&self, project: Uuid, token: &str, by: &By) -> Result<u64> {
        let written = serde_json::to_string(token).map_err(Error::internal)?;
        let written = format!("\"token\":{written}");
        let mut dropped = 0;
        for part in store::waiting_with(&self.db, project, &written).await? {
            let mut tx = self.db.begin().await?;
            let Some(records) = store::take(&mut tx, part).await? else {
                // It was moved meanwhile, so its rows are consents.
                continue;
            };
            let mut entries: Vec<Entry> =
                serde_json::from_str(&records).map_err(Error::internal)?;
            let before = entries.len();
            entries.retain(|entry| entry.token != token);
            if entries.len() == before {
                continue;
            }
            dropped += (before - entries.len()) as u64;
            by.record(&self.audit, &mut tx, project).await?;
            let records = serde_json::to_string(&entries).map_err(Error::internal)?;
            store::keep(&mut tx, project, part, &records).await?;
            tx.commit().await?;
            self.db.scrub();
        }
        Ok(dropped)
    }

    async fn forget_parts(&self, import: Uuid) -> Result<()> {
        while store::forget_some(&self.db, import).await? {}
        Ok(())
    }

    /// Removes the rows of imports whose process died while it read the file, of those that were given up long ago, and of
    /// projects that are gone.
    pub(crate) async fn forget_imports(&self) -> Result<()> {
        let [before, given_up] = [LEFT_BEHIND_DAYS, GIVEN_UP_DAYS]
            .map(|days| ids::first_of(self.clock.now().plus_days(-days)));
        for import in store::left_behind(&self.db, before, given_up).await? {
            self.forget_parts(import).await?;
        }
        Ok(())
    }
}

/// Takes the rows of a file.
struct Sink<'a> {
    consents: &'a Consents,
    actor: Actor,
    import: Import,
    id: Uuid,
    entries: Vec<Entry>,
    bytes: usize,
    parts: i64,
    /// The reason for which further rows are passed over: the account may store no more today, or the disk is nearly full.
    full: Option<String>,
    /// It counts the bytes of good rows alone.
    way: Way,
    /// Good rows that were passed over.
    passed: u64,
    /// Rows that were kept aside, and the bytes that the account has paid for them, by the day.
    kept: u64,
    spent: BTreeMap<i64, u64>,
    /// True if the job that ends the import may have been written. The parts then belong to that
    /// job.
    decided: bool,
    told: Imported,
}

impl Sink<'_> {
    async fn read(
        &mut self,
        known: &Known,
        file: &mut BoxStream<'static, Result<Bytes>>,
        progress: &Progress,
    ) -> Result<()> {
        let mut records = Records::new(self.import.format);
        let mut columns = None;
        loop {
            let checked = match records.next() {
                Next::End => break,
                Next::More => {
                    match self.way.hold(file.next()).await? {
                        Some(piece) => records.push(piece?),
                        None => records.end(),
                    }
                    progress(records.row());
                    continue;
                }
                Next::Broken(cause) => Checked::Bad(cause),
                Next::Line(line) => row::line(known, records.row(), &line)?,
                Next::Cells(cells) => match &columns {
                    Some(columns) => row::cells(known, columns, records.row(), cells)?,
                    None => match Columns::parse(&cells) {
                        Ok(parsed) => {
                            columns = Some(parsed);
                            continue;
                        }
                        Err(cause) => return self.unreadable(file, cause).await,
                    },
                },
            };
            match checked {
                Checked::Good(_) if self.is_lost() => self.passed += 1,
                Checked::Good(mut entry) => {
                    self.consents.verify(known, &mut entry).await?;
                    self.take(*entry).await?;
                }
                Checked::Bad(cause) => self.told.refuse(records.row(), &cause),
                Checked::Blank => {}
            }
        }
        if self.import.format == Format::Csv && columns.is_none() && self.told.error_count == 0 {
            self.told.refuse(1, "The file lacks its header.");
        }
        self.hand_on().await?;
        if let Some(detail) = self.full.take() {
            // Without `partial`, rows that were kept aside are not stored, either.
            let passed = self.passed + self.kept;
            let rows = if passed == 1 { "row was" } else { "rows were" };
            let detail = format!("{passed} {rows} not imported: {detail}");
            self.told.refuse(records.row(), &detail);
            self.told.error_count += passed - 1;
        }
        Ok(())
    }

    /// Without a header nothing can be read; the rest is passed over, because a client that is still
    /// sending would not see the answer.
    async fn unreadable(
        &mut self,
        file: &mut BoxStream<'static, Result<Bytes>>,
        cause: String,
    ) -> Result<()> {
        self.told.refuse(1, &cause);
        while let Some(piece) = self.way.hold(file.next()).await? {
            piece?;
        }
        Ok(())
    }

    async fn take(&mut self, entry: Entry) -> Result<()> {
        self.bytes += entry.bytes();
        self.way.add(entry.bytes());
        self.entries.push(entry);
        if self.entries.len() >= PART_ROWS || self.bytes >= PART_BYTES {
            self.hand_on().await?;
        }
        Ok(())
    }

    /// True if the import will store nothing more.
    fn is_lost(&self) -> bool {
        self.full.is_some() || !self.import.partial && self.told.error_count > 0
    }

    /// Stores the gathered rows, or keeps them aside.
    async fn hand_on(&mut self) -> Result<()> {
        let entries = std::mem::take(&mut self.entries);
        let bytes = std::mem::take(&mut self.bytes);
        if entries.is_empty() || self.is_lost() {
            self.passed += entries.len() as u64;
            return Ok(());
        }
        let rows = entries.len() as u64;
        let stored = if self.import.partial {
            self.store(entries, bytes).await
        } else {
            self.keep_aside(entries, bytes).await
        };
        match stored {
            Err(Error::Conflict { detail, .. }) => self.full = Some(detail),
            Err(Error::DiskLow) => self.full = Some(Error::DiskLow.to_string()),
            stored => return stored,
        }
        self.passed += rows;
        Ok(())
    }

    async fn store(&mut self, entries: Vec<Entry>, bytes: usize) -> Result<()> {
        let Consents {
            db, clock, ledger, ..
        } = self.consents;
        let mut tx = db.begin().await?;
        self.may_still(&mut tx).await?;
        self.record(&mut tx).await?;
        let (project, now, bound) = (self.import.project, clock.now(), ledger.is_on());
        let placed = store::place(&mut tx, project, entries, now, bound).await?;
        // Those that were stored before cost nothing.
        let before = usize::try_from(placed.skipped_bytes).map_err(Error::internal)?;
        self.spend(&mut tx, bytes.saturating_sub(before)).await?;
        tx.commit().await?;
        self.told.add(placed);
        Ok(())
    }

    /// Keeps rows aside, if the account may store as many today. It pays now, because the disk does too.
    async fn keep_aside(&mut self, mut entries: Vec<Entry>, bytes: usize) -> Result<()> {
        let mut tx = self.consents.db.begin().await?;
        self.may_still(&mut tx).await?;
        let paid = self.spend(&mut tx, bytes).await?;
        for entry in &mut entries {
            entry.paid = paid;
        }
        let records = serde_json::to_string(&entries).map_err(Error::internal)?;
        let part = (self.id, self.parts);
        store::keep(&mut tx, self.import.project, part, &records).await?;
        tx.commit().await?;
        self.parts += 1;
        if let Some((_, day)) = paid {
            *self.spent.entry(day).or_default() += bytes as u64;
        }
        self.kept += entries.len() as u64;
        Ok(())
    }

    /// Counts bytes for the account that imports. Returns it with the day that they count for.
    async fn spend(&self, tx: &mut Tx, bytes: usize) -> Result<Option<(Uuid, i64)>> {
        let Some(account) = self.actor.responsible() else {
            return Ok(None);
        };
        let quota = &self.consents.quota;
        let day = quota.spend(tx, account, bytes as u64, For::New).await?;
        Ok(Some((account, day)))
    }

    /// Refuses a caller who has lost the role since the file began. It may take a day.
    async fn may_still(&self, tx: &mut Tx) -> Result<()> {
        let need = Need::IMPORT_CONSENTS;
        access::document_in(tx, self.actor, self.import.project, need).await?;
        Ok(())
    }

    /// Records the import, once.
    async fn record(&self, tx: &mut Tx) -> Result<()> {
        let (project, subject) = (self.import.project, Subject::new(self.id));
        let audit = &self.consents.audit;
        Ok(audit
            .record(tx, self.actor, project, Action::ConsentsImported, subject)
            .await?)
    }

    /// Gives back what the rows kept aside have cost.
    async fn refund_all(&self) -> Result<()> {
        let Some(account) = self.actor.responsible() else {
            return Ok(());
        };
        let Consents { db, quota, .. } = self.consents;
        quota.refund_failed(db, account, &self.spent).await
    }

    /// Decides, and moves the rows that were kept aside.
    async fn finish(&mut self) -> Result<Imported> {
        if self.parts > 0 && !self.is_lost() {
            let (project, consents) = (self.import.project, self.consents);
            let mut tx = consents.db.begin().await?;
            self.may_still(&mut tx).await?;
            if store::count(&mut tx, self.id).await? != self.parts {
                return Err(Error::internal("rows of an import are gone"));
            }
            self.record(&mut tx).await?;
            let job = EndImport(project);
            let held = consents.jobs.enqueue_held(&mut tx, self.id, &job).await?;
            self.decided = true;
            tx.commit().await?;
            let placed = held.run(consents.move_parts(project, self.id)).await?;
            self.told.add(placed);
        }
        Ok(std::mem::take(&mut self.told))
    }
}

/// Ends an import of a project that was decided. The job has the id of the import. If the job is
/// given up, the import's rows stay for [`GIVEN_UP_DAYS`] days, and the failed job shows it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct EndImport(Uuid);

impl Job for EndImport {
    const KIND: &'static str = "consents.import";
    type Worker = Consents;

    fn lane(&self, id: Uuid) -> String {
        format!("import:{id}")
    }

    async fn run(self, consents: &Consents, claim: Claim) -> Ended {
        let moved = consents.move_parts(self.0, claim.id).await;
        let said = moved.map(|placed| {
            tracing::info!(
                import.id = %claim.id, placed.imported, placed.skipped,
                "an import was ended for a process that died"
            );
        });
        said.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_quote_little_of_a_file_and_nothing_that_commands_a_terminal() {
        let mut told = Imported::default();
        for row in 0..200 {
            told.refuse(row, &"\u{1b}[2J\u{202e}é".repeat(100_000));
        }
        assert_eq!((told.error_count, told.errors.len()), (200, MOST_ERRORS));
        for error in &told.errors {
            assert_eq!(error.detail.chars().count(), MOST_DETAIL + 1);
            assert!(format::is_name(&error.detail));
        }
        assert_eq!(shown("accept: Required."), "accept: Required.");
    }
}
