//! The documents whose drafts differ from the live content. Content decides, never time. So
//! rollbacks, deleted documents and reverted edits appear correctly.

use std::collections::BTreeMap;

use domain::{collection::Collection, documents, field_error::FieldError};
use serde_json::Value;
use uuid::Uuid;

use super::{
    content::Content,
    differences::{self, Differences},
    draft::{Broken, Draft},
};

/// A document whose draft is not live as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its collection.
    pub collection: Collection,
    /// Its id.
    pub id: Uuid,
    /// Its title for people.
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
        /// True if an earlier form of it is live.
        is_live: bool,
    },
}

/// Compares a draft with the live content of its project.
pub(super) fn waiting(project: Uuid, draft: &Draft, live: Option<&Content>) -> Vec<Waiting> {
    compare(project, (&draft.content, &draft.broken), live)
}

/// Compares content that was published with the live content of its project.
pub(super) fn between(project: Uuid, live: Option<&Content>, next: &Content) -> Vec<Waiting> {
    compare(project, (next, &[]), live)
}

fn compare(
    project: Uuid,
    (next, broken): (&Content, &[Broken]),
    live: Option<&Content>,
) -> Vec<Waiting> {
    let mut found = Vec::new();
    let own = of_project(next);
    if live.is_none_or(|live| of_project(live) != own) {
        let json = |content: &Content| serde_json::to_value(content).unwrap_or_default();
        found.push(Waiting {
            collection: Collection::Projects,
            id: project,
            title: next.project_name.clone(),
            change: live.map_or(Change::New, |live| {
                Change::Changed(differences::between(&json(&of_project(live)), &json(&own)))
            }),
        });
    }
    let drafts = entries(next);
    let mut live = live.map(entries).unwrap_or_default();
    for broken in broken {
        found.push(Waiting {
            collection: broken.collection,
            id: broken.id,
            title: broken.title.clone(),
            change: Change::Broken {
                errors: broken.errors.clone(),
                is_live: live.remove(&broken.id).is_some(),
            },
        });
    }
    for (id, (collection, entry)) in drafts {
        let change = match live.remove(&id) {
            None => Change::New,
            Some((_, live)) if live != entry => {
                Change::Changed(differences::between(&live, &entry))
            }
            Some(_) => continue,
        };
        found.push(one(collection, id, &entry, change));
    }
    for (id, (collection, entry)) in live {
        found.push(one(collection, id, &entry, Change::Removed));
    }
    found
}

fn one(collection: Collection, id: Uuid, entry: &Value, change: Change) -> Waiting {
    Waiting {
        collection,
        id,
        title: documents::title(entry).unwrap_or_else(|| id.to_string()),
        change,
    }
}

/// The content of the project itself, without its documents. The demo banner is not part of a
/// draft, so `active` is always true.
fn of_project(content: &Content) -> Content {
    let mut own = Content {
        active: true,
        cookies: Vec::new(),
        translated: Vec::new(),
        ..content.clone()
    };
    for (_, boxes) in own.boxes_mut() {
        boxes.clear();
    }
    own
}

/// The published content of each document, by its id.
fn entries(content: &Content) -> BTreeMap<Uuid, (Collection, Value)> {
    let cookies = content.cookies.iter();
    let cookies = cookies.filter_map(|one| {
        let mut entry = serde_json::to_value(one).ok()?;
        let translated: Vec<_> = content.translations_of(one).collect();
        if !translated.is_empty() {
            let translated = serde_json::to_value(translated).ok()?;
            let fields = entry.as_object_mut()?;
            fields.insert("translated".to_owned(), translated);
        }
        Some(entry)
    });
    let cookies = cookies.map(|one| (Collection::Cookies, one));
    let boxes = content.boxes().into_iter();
    let boxes = boxes.flat_map(|(collection, boxes)| {
        let boxes = boxes.iter().cloned();
        boxes.map(move |one| (collection, one))
    });
    cookies
        .chain(boxes)
        .filter_map(|(collection, one)| {
            let id = documents::identifier(&one)?;
            Some((Uuid::parse_str(id).ok()?, (collection, one)))
        })
        .collect()
}
