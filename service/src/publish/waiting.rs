//! The documents whose drafts differ from the live content. Content decides, never time. So
//! rollbacks, deleted documents and reverted edits appear correctly.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use domain::{
    collection::Collection,
    differences::{self, Bounds, Differences},
    documents::{self, CookieConfiguration},
    field_error::FieldError,
};
use serde_json::Value;
use uuid::Uuid;

use super::{
    content::Content,
    draft::{Broken, Draft},
    remarks::{short, title_of, title_of_widget},
};

/// Most fields that are told of all documents together.
const MOST_TOLD: usize = 1_000;
/// The bounds of one document.
const BOUNDS: Bounds = Bounds {
    fields: 100,
    characters: 300,
    context: 60,
};

/// A document whose draft is not live as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its collection.
    pub collection: Collection,
    /// Its id.
    pub id: Uuid,
    /// Its title for people, of a length that they read.
    pub title: String,
    /// The difference between the draft and the live content.
    pub change: Change,
}

/// The difference between a draft and the live content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The document is not live.
    New,
    /// The document is live with other values in these fields.
    Changed(Differences),
    /// The document is live and was deleted.
    Removed,
    /// The document cannot be published.
    Broken {
        /// The fields that are the cause; the pointer of the whole is empty.
        errors: Vec<FieldError>,
        /// Number of further fields.
        omitted: usize,
        /// True if an earlier form of it is live.
        is_live: bool,
    },
}

/// Compares a draft with the live content of its project. Tells the fields of the documents in a range of the list, as
/// far as there is room for them, and counts the others.
pub(super) fn waiting(
    project: Uuid,
    draft: &Draft,
    live: Option<&Content>,
    told: Range<usize>,
) -> Vec<Waiting> {
    compare(project, (&draft.content, &draft.broken), live, told)
}

/// As [`waiting`], of content that was published.
pub(super) fn between(
    project: Uuid,
    live: Option<&Content>,
    next: &Content,
    told: Range<usize>,
) -> Vec<Waiting> {
    compare(project, (next, &[]), live, told)
}

fn compare(
    project: Uuid,
    (next, broken): (&Content, &[Broken]),
    live: Option<&Content>,
    told: Range<usize>,
) -> Vec<Waiting> {
    let drafts = entries(next);
    let mut before = live.map(entries).unwrap_or_default();
    // Documents that may have fields to tell: the project, broken ones, new ones, and those that differ.
    let differs = |(id, entry): &(&Uuid, &Entry<'_>)| {
        let before = before.get(*id);
        before.is_none_or(|before| before.json() != entry.json())
    };
    let most = 1 + broken.len() + drafts.iter().filter(differs).count();
    let mut found = Found {
        documents: Vec::new(),
        told: told.start..told.end.min(most),
        left: MOST_TOLD,
    };
    let own = of_project(next);
    if live.is_none_or(|live| of_project(live) != own) {
        let json = |content: &Content| serde_json::to_value(content).unwrap_or_default();
        let change = match live {
            None => Change::New,
            Some(live) => found.changed(&json(&of_project(live)), &json(&own)),
        };
        found.documents.push(Waiting {
            collection: Collection::Projects,
            id: project,
            title: short(&next.project_name).into_owned(),
            change,
        });
    }
    for broken in broken {
        let change = found.broken(&broken.errors, before.remove(&broken.id).is_some());
        found.documents.push(Waiting {
            collection: broken.collection,
            id: broken.id,
            title: broken.title.clone(),
            change,
        });
    }
    for (id, entry) in drafts {
        let change = match before.remove(&id) {
            None => Change::New,
            Some(of_live) => {
                let (before, after) = (of_live.json(), entry.json());
                if before == after {
                    continue;
                }
                found.changed(&before, &after)
            }
        };
        found.documents.push(entry.waiting(id, change));
    }
    let removed = before.into_iter();
    let removed = removed.map(|(id, entry)| entry.waiting(id, Change::Removed));
    found.documents.extend(removed);
    found.documents
}

/// The documents that differ, as far as they are compared.
struct Found {
    documents: Vec<Waiting>,
    /// The documents whose fields are told, by their places.
    told: Range<usize>,
    /// Number of fields that may still be told.
    left: usize,
}

impl Found {
    /// Most fields that are told of the next document: its part of those that are left, so that a long document hides no
    /// change of another.
    fn room(&self) -> usize {
        let next = self.documents.len();
        if self.told.contains(&next) {
            self.left / (self.told.end - next)
        } else {
            0
        }
    }

    fn changed(&mut self, before: &Value, after: &Value) -> Change {
        let bounds = Bounds {
            fields: self.room().min(BOUNDS.fields),
            ..BOUNDS
        };
        let found = differences::between(before, after, bounds);
        self.left -= found.fields.len();
        Change::Changed(found)
    }

    fn broken(&mut self, errors: &[FieldError], is_live: bool) -> Change {
        let (told, others) = errors.split_at(self.room().min(errors.len()));
        self.left -= told.len();
        Change::Broken {
            errors: told.to_vec(),
            omitted: others.len(),
            is_live,
        }
    }
}

/// The content of the project itself, without its documents. The demo banner is not part of a
/// draft, so `active` is always true.
fn of_project(content: &Content) -> Content {
    Content {
        project_name: content.project_name.clone(),
        active: true,
        domains: content.domains.clone(),
        ip_mode: content.ip_mode,
        client: content.client.clone(),
        dpo: content.dpo.clone(),
        cookies: Vec::new(),
        translated: Vec::new(),
        processings: Vec::new(),
        contracts: Vec::new(),
    }
}

/// A document of published content. Its JSON is made of one at a time: all together take much memory.
#[derive(Clone, Copy)]
enum Entry<'a> {
    Widget(&'a Content, &'a CookieConfiguration),
    Box(Collection, &'a Value),
}

impl<'a> Entry<'a> {
    /// The published content of the document.
    fn json(self) -> Cow<'a, Value> {
        match self {
            Self::Widget(content, own) => {
                let mut json = serde_json::to_value(own).unwrap_or_default();
                let translated: Vec<_> = content.translations_of(own).collect();
                if !translated.is_empty()
                    && let Some(fields) = json.as_object_mut()
                {
                    let translated = serde_json::to_value(translated).unwrap_or_default();
                    fields.insert("translated".to_owned(), translated);
                }
                Cow::Owned(json)
            }
            Self::Box(_, document) => Cow::Borrowed(document),
        }
    }

    fn waiting(self, id: Uuid, change: Change) -> Waiting {
        let (collection, title) = match self {
            Self::Widget(_, own) => (Collection::Cookies, title_of_widget(own)),
            Self::Box(collection, document) => (collection, title_of(document, id)),
        };
        Waiting {
            collection,
            id,
            title,
            change,
        }
    }
}

/// The documents of content, by their ids.
fn entries(content: &Content) -> BTreeMap<Uuid, Entry<'_>> {
    let widgets = content.cookies.iter();
    let widgets = widgets.map(|own| (own.identifier.as_str(), Entry::Widget(content, own)));
    let boxes = content.boxes().into_iter();
    let boxes = boxes.flat_map(|(collection, boxes)| {
        boxes.iter().filter_map(move |one| {
            let id = documents::identifier(one)?;
            Some((id, Entry::Box(collection, one)))
        })
    });
    let all = widgets.chain(boxes);
    all.filter_map(|(id, entry)| Some((Uuid::parse_str(id).ok()?, entry)))
        .collect()
}
