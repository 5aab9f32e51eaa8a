//! Consents as a file of any size, a piece at a time.

use std::fmt::Write;

use bytes::Bytes;
use futures::{StreamExt, stream, stream::BoxStream};
use uuid::Uuid;

use super::{Span, row::ConsentRow, store};
use crate::{
    clock::Timestamp,
    db::Db,
    error::{Error, Result},
    spreadsheet::cell,
    turns::Sending,
};

/// Consents read at once: with the largest preferences still only some megabytes.
const PIECE: i64 = 250;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `token;collection;identifier;accept;date;value;preferences`, for spreadsheets.
    Csv,
    /// A consent a line, with everything that is kept.
    Ndjson,
}

impl Format {
    /// The suffix of its files.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }

    /// Reads the suffix of a file.
    pub fn parse(suffix: &str) -> Option<Self> {
        [Self::Csv, Self::Ndjson]
            .into_iter()
            .find(|format| format.suffix() == suffix)
    }
}

struct State {
    db: Db,
    sending: Sending,
    project: Uuid,
    format: Format,
    span: Span,
    after: Option<(Timestamp, Uuid)>,
    /// Read before the answer begins, so that the status can report a database that is away.
    first: Option<Vec<ConsentRow>>,
    ended: bool,
}

pub(super) async fn stream(
    db: Db,
    sending: Sending,
    project: Uuid,
    format: Format,
    span: Span,
) -> Result<BoxStream<'static, Result<Bytes>>> {
    let turn = sending.turn().await?;
    let first = store::next(&db, project, span, None, PIECE).await?;
    drop(turn);
    let head = match format {
        Format::Csv => {
            Bytes::from_static(b"token;collection;identifier;accept;date;value;preferences\r\n")
        }
        Format::Ndjson => Bytes::new(),
    };
    let state = State {
        db,
        sending,
        project,
        format,
        span,
        after: None,
        first: Some(first),
        ended: false,
    };
    let pieces = stream::try_unfold(state, |mut state| async move {
        if state.ended {
            return Ok(None);
        }
        let _turn = state.sending.turn().await?;
        let rows = match state.first.take() {
            Some(rows) => rows,
            None => store::next(&state.db, state.project, state.span, state.after, PIECE).await?,
        };
        state.ended = (rows.len() as i64) < PIECE;
        state.after = rows.last().map(ConsentRow::place);
        let text = match state.format {
            Format::Csv => csv(rows),
            Format::Ndjson => ndjson(rows)?,
        };
        Ok::<_, Error>(Some((Bytes::from(text), state)))
    });
    Ok(stream::once(async { Ok(head) })
        .chain(pieces)
        .filter(|piece| {
            let keep = piece.as_ref().map_or(true, |bytes| !bytes.is_empty());
            std::future::ready(keep)
        })
        .boxed())
}

fn ndjson(rows: Vec<ConsentRow>) -> Result<String> {
    let mut text = String::new();
    for row in rows {
        text += &serde_json::to_string(&row.into_consent()).map_err(Error::internal)?;
        text.push('\n');
    }
    Ok(text)
}

fn csv(rows: Vec<ConsentRow>) -> String {
    let mut text = String::new();
    // An erased consent has no column that could say so: NDJSON tells of it.
    for row in rows.into_iter().filter(|row| row.erased_at.is_none()) {
        cell(&mut text, &row.token);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            ";{};{};{};{};",
            row.collection,
            row.identifier,
            u8::from(row.accept),
            row.decided_at
        );
        cell(&mut text, row.value.as_deref().unwrap_or_default());
        text.push(';');
        cell(&mut text, &row.preferences);
        text.push_str("\r\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_guarded() {
        for (content, expected) in [
            ("plain", "plain"),
            ("=1+1", "\"'=1+1\""),
            ("\tx", "\"'\tx\""),
            ("'quoted'", "\"'quoted'\""),
            ("a;b\"c", "\"a;b\"\"c\""),
            ("a,=1", "\"a,'=1\""),
            ("{\"a\":1}", "\"{\"\"a\"\":1}\""),
            ("", ""),
        ] {
            let mut text = String::new();
            cell(&mut text, content);
            assert_eq!(text, expected, "{content:?}");
        }
    }
}
