//! A document on the server, as a page knows it. It outlives the page, so that a save ends after somebody has left, and
//! the last changes follow it.

use domain::collection::Collection;
use leptos::prelude::*;
use serde_json::Value;

use crate::error::UiError;
use crate::fns::documents::{Document, read_document, save_document};

/// A document that a page has read. Clones of it are the same document.
#[derive(Clone)]
pub struct Stored {
    collection: Collection,
    id: String,
    known: ArcStoredValue<Known>,
}

struct Known {
    version: i64,
    /// Documents that were sent since then, of which no answer says whether the server has stored them.
    unanswered: Vec<Value>,
    /// The last changes of a page that somebody left while a save ran.
    left: Option<Value>,
}

impl Known {
    /// Unanswered documents that are kept, the latest ones: each is a whole document.
    const MOST: usize = 3;
}

/// The reason for which a document is not saved.
pub enum Unsaved {
    /// Somebody else saved first; this is theirs.
    Conflict(Box<Document>),
    Failed(UiError),
}

impl Stored {
    pub fn new(collection: Collection, document: &Document) -> Self {
        Self {
            collection,
            id: document.id.clone(),
            known: ArcStoredValue::new(Known {
                version: document.version,
                unanswered: Vec::new(),
                left: None,
            }),
        }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// Notes the version that the next save replaces.
    pub fn know(&self, version: i64) {
        self.known.update_value(|known| {
            known.version = version;
            known.unanswered.clear();
        });
    }

    /// Saves over the known version, or over one that was sent from here and whose answer was lost.
    pub async fn save(&self, data: Value) -> Result<Document, Unsaved> {
        loop {
            let version = self.known.with_value(|known| known.version);
            let saved = save_document(self.collection, self.id.clone(), version, data.clone());
            match saved.await {
                Ok(document) => return Ok(self.known_as(document)),
                Err(UiError::Conflict) => {}
                Err(error) => return Err(self.failed(error, data)),
            }
            let theirs = read_document(self.collection, self.id.clone()).await;
            let theirs = theirs.map_err(Unsaved::Failed)?;
            if theirs.data == data {
                return Ok(self.known_as(theirs));
            }
            if !self.was_sent(&theirs.data) {
                return Err(Unsaved::Conflict(Box::new(theirs)));
            }
            self.know(theirs.version);
        }
    }

    fn known_as(&self, document: Document) -> Document {
        self.know(document.version);
        document
    }

    fn failed(&self, error: UiError, data: Value) -> Unsaved {
        if error.may_pass() {
            self.known.update_value(|known| {
                if !known.unanswered.contains(&data) {
                    known.unanswered.push(data);
                }
                let surplus = known.unanswered.len().saturating_sub(Known::MOST);
                known.unanswered.drain(..surplus);
            });
        }
        Unsaved::Failed(error)
    }

    fn was_sent(&self, data: &Value) -> bool {
        self.known
            .with_value(|known| known.unanswered.contains(data))
    }

    /// Leaves the last changes of a page to the save that runs.
    pub fn leave(&self, data: Value) {
        self.known.update_value(|known| known.left = Some(data));
    }

    /// The last changes that a page has left, if they are others than those that are `saved`.
    pub fn left(&self, saved: Option<&Value>) -> Option<Value> {
        let left = self.known.try_update_value(|known| known.left.take());
        left.flatten().filter(|left| saved != Some(left))
    }
}
