//! The audit log as a CSV file, a piece at a time.

use bytes::Bytes;
use domain::{audit::Action, collection::Collection};
use futures::{StreamExt, stream, stream::BoxStream};
use uuid::Uuid;

use super::{Audit, Entry, store};
use crate::{
    access::Actor,
    db::Db,
    error::{Error, Result},
    search,
    spreadsheet::cell,
    turns::Sending,
};

/// Entries read at once.
const PIECE: i64 = 500;
/// The first row.
const HEAD: &str = "at;action;email;userId;keyName;keyId;collection;subjectId;title;details\r\n";

struct State {
    db: Db,
    sending: Sending,
    groups: [Uuid; 2],
    action: Option<Action>,
    text: String,
    before: Option<Uuid>,
    ended: bool,
}

impl Audit {
    /// The entries that [`Audit::list`] lists for an action and a text, newest first, as a file for spreadsheets.
    pub async fn export(
        &self,
        actor: Actor,
        project: Uuid,
        action: Option<Action>,
        text: String,
    ) -> Result<BoxStream<'static, Result<Bytes>>> {
        search::check(&text, 0)?;
        let state = State {
            db: self.db.clone(),
            groups: self.groups(actor, project).await?,
            sending: self.answers.file(actor)?,
            action,
            text,
            before: None,
            ended: false,
        };
        let pieces = stream::try_unfold(state, |mut state| async move {
            if state.ended {
                return Ok(None);
            }
            let _turn = state.sending.turn().await?;
            let wanted = (state.action, state.text.as_str());
            let found = store::older(&state.db, state.groups, wanted, state.before, PIECE).await?;
            state.ended = (found.len() as i64) < PIECE;
            state.before = found.last().map(|row| row.id);
            let mut text = String::new();
            for entry in found.into_iter().filter_map(store::Row::into_entry) {
                line(&mut text, &entry);
            }
            Ok::<_, Error>(Some((Bytes::from(text), state)))
        });
        let head = stream::once(async { Ok(Bytes::from_static(HEAD.as_bytes())) });
        Ok(head.chain(pieces).boxed())
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
