//! The dossier of a token: a ZIP file for an authority, with a folder for each consent.
//!
//! A folder has the proof bundle, the consent as it is stored, and everything that the visitor was shown
//! (`shown`). Pictures of publications follow in folders of their own (`pictures`). `index.html` tells in plain
//! English which consents there are, and `HOW-TO-CHECK.txt` has the commands that check them (`page`). The file is
//! made a folder at a time and never held whole. The same data gives the same bytes, except for the time of making.

mod archive;
mod page;
mod pictures;
mod shown;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    vec,
};

use bytes::Bytes;
use domain::{consent::may_be_token, error_code::ErrorCode};
use futures::stream::BoxStream;
use uuid::Uuid;

use self::{
    archive::Archive,
    page::{Chapter, Pages},
    pictures::Gallery,
    shown::Publication,
};
use super::{Consents, by_token, prove::Proven, row::BoundRow, store};
use crate::{
    access::Actor,
    clock::Timestamp,
    error::{Error, Result},
    places::Place,
    sending,
};

/// Dossiers that one process makes at once, and those of one account among them.
pub(super) const AT_ONCE: usize = 4;
pub(super) const OF_ONE: usize = 1;
/// The name of a dossier among the exports of the audit log.
const DETAIL: &str = "dossier";
/// Most consents of a dossier.
const MOST_CONSENTS: usize = 500;
/// Bytes of files, before compression, after which no further consent is taken.
const MOST_BYTES: usize = 128 * 1024 * 1024;
/// Bytes of pictures, after which those of no further publication are taken. They come after all consents.
const MOST_PICTURE_BYTES: usize = 128 * 1024 * 1024;

/// The result of asking for a dossier.
pub enum Dossier {
    /// A ZIP file.
    File(BoxStream<'static, Result<Bytes>>),
    /// The next checkpoint will cover the consents.
    Later,
}

/// A file of a dossier.
struct File {
    name: String,
    bytes: Bytes,
}

impl File {
    fn new(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
        }
    }
}

impl Consents {
    /// Makes the dossier of a token, with consents from `before` a moment or all. A caller makes one at a time.
    pub async fn dossier(
        self: &Arc<Self>,
        actor: Actor,
        project: Uuid,
        token: &str,
        before: Option<Timestamp>,
    ) -> Result<Dossier> {
        self.audit.reading(actor, project).await?;
        if !may_be_token(token) {
            return Err(Error::NotFound);
        }
        let place = self.compiling.take(actor.owner())?;
        let way = place.way();
        let limit = MOST_CONSENTS as i64 + 1;
        // No consent has the nil id, so all of this moment come after the position.
        let position = before.map(|before| (before, Uuid::nil()));
        let mut found = by_token::newest(&self.db, project, token, position, limit).await?;
        if found.is_empty() {
            return Err(Error::NotFound);
        }
        let left_out = found.get(MOST_CONSENTS).map(|entry| entry.decided_at);
        found.truncate(MOST_CONSENTS);
        // Another dossier has the consents from before a moment, so all of one moment are in the same dossier.
        if found.first().map(|entry| entry.decided_at) != left_out {
            found.retain(|entry| Some(entry.decided_at) != left_out);
        }
        let all = found.len();
        // Without the ledger's work no checkpoint would ever come.
        if self.ledger.is_on() {
            // A visitor who goes on answering must not keep the other consents from being shown.
            let covered = self
                .ledger
                .covered(found.iter().filter_map(|entry| entry.batch));
            let covered = covered.await?;
            found.retain(|entry| entry.batch.is_none_or(|batch| covered.contains(&batch)));
            if found.is_empty() {
                return Ok(Dossier::Later);
            }
        }
        self.audit
            .exporting(actor, project, DETAIL.to_owned())
            .await?;
        let site = store::site(&self.db, project).await?;
        let about = self.ledger.about("").await?;
        let witnessed = about.as_ref().filter(|_| self.ledger.is_witnessed());
        let policy = witnessed.map(|about| about.policy.clone());
        let pages = Pages {
            project,
            site: site.unwrap_or_default(),
            token: token.to_owned(),
            made_at: self.clock.now(),
            ledger: about.map(|about| about.origin),
            policy,
            is_ledger_on: self.ledger.is_on(),
            before,
            uncovered: all - found.len(),
            is_cut: left_out.is_some(),
            chapters: Vec::new(),
            without_pictures: HashSet::new(),
        };
        let making = Making {
            archive: Archive::new(),
            folders: Folders {
                consents: self.clone(),
                actor,
                left: found.into_iter(),
                last: None,
                pages,
                bytes: 0,
                known: None,
                galleries: HashMap::new(),
                hanging: VecDeque::new(),
                picture_bytes: 0,
                _place: place,
            },
        };
        // Made before the answer begins, so that the status can report a database that is away.
        let first = making.next().await?;
        Ok(Dossier::File(sending::sent(first, Making::next, way)))
    }
}

/// A dossier that is being made.
struct Making {
    archive: Archive,
    folders: Folders,
}

/// The folders that are left, and the pages about those that are made.
struct Folders {
    consents: Arc<Consents>,
    /// The account whose turns the work takes.
    actor: Actor,
    left: vec::IntoIter<by_token::TokenEntry>,
    /// When the last consent was decided.
    last: Option<Timestamp>,
    pages: Pages,
    bytes: usize,
    /// The publication of the consent before. Most consents of a token name the same one.
    known: Option<Arc<Publication>>,
    /// The pictures of the publications so far.
    galleries: HashMap<String, Option<Arc<Gallery>>>,
    /// Those whose files are not in the dossier yet.
    hanging: VecDeque<Arc<Gallery>>,
    picture_bytes: usize,
    _place: Place,
}

impl Making {
    /// The next piece of the file, and what is left.
    async fn next(self) -> Result<(Bytes, Option<Self>)> {
        let Self {
            mut archive,
            mut folders,
        } = self;
        while let Some(files) = folders.next().await? {
            let turn = folders.consents.answers.turn(folders.actor).await?;
            let (taken, piece) = archive.add(turn, files).await?;
            archive = taken;
            if !piece.is_empty() {
                return Ok((piece, Some(Self { archive, folders })));
            }
        }
        let turn = folders.consents.answers.turn(folders.actor).await?;
        let piece = archive.end(turn, move || folders.pages.files()).await?;
        Ok((piece, None))
    }
}

impl Folders {
    /// The files of the next consent, then of the next publication with pictures.
    async fn next(&mut self) -> Result<Option<Vec<File>>> {
        if let Some(files) = self.next_consent().await? {
            return Ok(Some(files));
        }
        Ok(self.next_gallery().await)
    }

    /// Pictures that there is no room for, or that the store cannot give, are named on the page: they must not keep the
    /// proofs from anybody.
    async fn next_gallery(&mut self) -> Option<Vec<File>> {
        while let Some(gallery) = self.hanging.pop_front() {
            let is_full = self.picture_bytes >= MOST_PICTURE_BYTES;
            let files = if is_full {
                None
            } else {
                gallery.files(&self.consents, self.pages.project).await
            };
            if let Some(files) = files {
                self.picture_bytes += files.iter().map(|file| file.bytes.len()).sum::<usize>();
                return Some(files);
            }
            self.pages.without_pictures.insert(gallery.folder.clone());
        }
        None
    }

    /// The files of the next consent.
    async fn next_consent(&mut self) -> Result<Option<Vec<File>>> {
        while let Some(entry) = self.left.as_slice().first() {
            if self.bytes >= MOST_BYTES && self.last != Some(entry.decided_at) {
                self.pages.is_cut = true;
                break;
            }
            let consent = entry.consent_id;
            self.last = Some(entry.decided_at);
            self.left.next();
            let found = store::bound(&self.consents.db, self.pages.project, consent).await?;
            // It may have been erased or removed since the dossier began.
            let Some(row) = found.filter(|row| row.consent.token == self.pages.token) else {
                continue;
            };
            let files = self.files_of(row).await?;
            self.bytes += files.iter().map(|file| file.bytes.len()).sum::<usize>();
            return Ok(Some(files));
        }
        Ok(None)
    }

    async fn files_of(&mut self, row: BoundRow) -> Result<Vec<File>> {
        let (mut files, mut lacks) = (Vec::new(), None);
        match self.consents.prove_row(&row, &[]).await {
            Ok(Proven::Bundle(bundle)) => {
                let name = format!("{}.placet-proof.json", row.consent.consent_id);
                let bytes = serde_json::to_vec(&bundle).map_err(Error::internal)?;
                files.push(File::new(name, bytes));
            }
            Ok(Proven::Later) if self.pages.is_ledger_on => {
                return Err(Error::internal(
                    "a consent of a dossier left its checkpoint",
                ));
            }
            Ok(Proven::Later) => lacks = Some("no signed checkpoint of the ledger covers it"),
            Err(Error::Conflict {
                code: ErrorCode::NotInLedger,
                ..
            }) => lacks = Some("it was stored without an entry in the ledger"),
            Err(Error::Gone { .. }) => {
                lacks = Some("its entry is older than the ledger is kept, or its file was lost");
            }
            Err(error) => return Err(error),
        }
        let publication = self.publication(&row).await?;
        let gallery = match &publication {
            Some(publication) => self.gallery(publication).await?,
            None => None,
        };
        let consent = row.consent.into_consent();
        let text = serde_json::to_string_pretty(&consent).map_err(Error::internal)?;
        files.push(File::new("consent.json", text));
        if let Some(publication) = &publication {
            files.extend(publication.files());
        }
        let chapter = Chapter::new(
            self.pages.chapters.len() + 1,
            consent,
            publication.as_deref(),
            gallery,
            lacks,
            &files,
        );
        for file in &mut files {
            file.name = format!("{}/{}", chapter.folder, file.name);
        }
        self.pages.chapters.push(chapter);
        Ok(files)
    }

    /// The pictures of a publication.
    async fn gallery(&mut self, publication: &Publication) -> Result<Option<Arc<Gallery>>> {
        if let Some(known) = self.galleries.get(&publication.id) {
            return Ok(known.clone());
        }
        let project = self.pages.project;
        let gallery = Gallery::read(&self.consents, project, publication).await?;
        let gallery = gallery.map(Arc::new);
        self.hanging.extend(gallery.clone());
        self.galleries
            .insert(publication.id.clone(), gallery.clone());
        Ok(gallery)
    }

    /// The publication that the visitor was shown.
    async fn publication(&mut self, row: &BoundRow) -> Result<Option<Arc<Publication>>> {
        let consent = &row.consent;
        let Some(id) = &consent.publication else {
            return Ok(None);
        };
        let same = self.known.take();
        let same = same.filter(|known| known.id == *id && known.identifier == consent.identifier);
        self.known = match same {
            Some(same) => Some(same),
            None => Publication::read(&self.consents, self.actor, consent)
                .await?
                .map(Arc::new),
        };
        Ok(self.known.clone())
    }
}
