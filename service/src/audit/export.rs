//! The audit log as a CSV file, a piece at a time.

use bytes::Bytes;
use domain::{audit::Action, collection::Collection};
use futures::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use super::{Audit, Entry, store};
use crate::{access::Actor, error::Result, search, sending::Outgoing, spreadsheet::cell};

/// Entries read at once.
const PIECE: i64 = 500;
/// The first row.
const HEAD: &str = "at;action;email;userId;keyName;keyId;collection;subjectId;title;details\r\n";

impl Audit {
    /// The entries that [`Audit::list`] lists for an action and a text, newest first, as a file for spreadsheets.
    pub async fn export(
        &self,
        actor: Actor,
        project: Uuid,
        action: Option<Action>,
        text: String,
    ) -> Result<Outgoing> {
        search::check(&text, 0)?;
        let groups = self.groups(actor, project).await?;
        let db = self.db.clone();
        let read = move |before| {
            let (db, text) = (db.clone(), text.clone());
            async move { store::older(&db, groups, (action, &text), before, PIECE).await }
        };
        let sending = self.answers.file(actor)?;
        let way = sending.way();
        let pieces = sending
            .pieces(PIECE, |row: &store::Row| row.id, read)
            .await?;
        let pieces = pieces.map_ok(|rows| {
            let mut text = String::new();
            for entry in rows.into_iter().filter_map(store::Row::into_entry) {
                line(&mut text, &entry);
            }
            Bytes::from(text)
        });
        let head = stream::once(async { Ok(Bytes::from_static(HEAD.as_bytes())) });
        let pieces = head.chain(pieces).boxed();
        Ok(Outgoing { pieces, way })
    }
}

fn line(text: &mut String, entry: &Entry) {
    let id = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
    let cells = [
        entry.at.to_string(),
        entry.action.as_str().to_owned(),
        entry.by.email.clone().unwrap_or_default(),
        id(entry.by.user_id),
        entry.by.key_name.clone().unwrap_or_default(),
        id(entry.by.key_id),
        entry
            .collection
            .map(Collection::as_str)
            .unwrap_or_default()
            .to_owned(),
        id(entry.subject_id),
        entry.title.clone(),
        entry.details.join(" "),
    ];
    for (index, content) in cells.iter().enumerate() {
        if index > 0 {
            text.push(';');
        }
        cell(text, content);
    }
    text.push_str("\r\n");
}
