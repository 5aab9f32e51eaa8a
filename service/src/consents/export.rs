//! Consents as a file of any size, a piece at a time.

use std::fmt::Write;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream, stream::BoxStream};
use uuid::Uuid;

use super::{Span, row::ConsentRow, store};
use crate::{
    answers::Sending,
    db::Db,
    error::{Error, Result},
    spreadsheet::cell,
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

pub(super) async fn stream(
    db: Db,
    sending: Sending,
    project: Uuid,
    format: Format,
    span: Span,
) -> Result<BoxStream<'static, Result<Bytes>>> {
    let read = move |after| {
        let db = db.clone();
        async move { store::next(&db, project, span, after, PIECE).await }
    };
    let pieces = sending.pieces(PIECE, ConsentRow::place, read).await?;
    let head = match format {
        Format::Csv => {
            Bytes::from_static(b"token;collection;identifier;accept;date;value;preferences\r\n")
        }
        Format::Ndjson => Bytes::new(),
    };
    let pieces = pieces.and_then(move |rows| {
        std::future::ready(match format {
            Format::Csv => Ok(Bytes::from(csv(rows))),
            Format::Ndjson => ndjson(rows).map(Bytes::from),
        })
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
