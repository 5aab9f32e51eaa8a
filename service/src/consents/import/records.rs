//! A file as rows, a piece of it at a time: never more than one row is held.

use bytes::{Buf, Bytes};
use csv_core::ReadRecordResult;

use super::super::Format;

/// Longest row of a file: a consent of 100 KB, with everything quoted.
const MOST_ROW: usize = 256 * 1024;
/// Most cells of a row.
const MOST_CELLS: usize = 64;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The next piece of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A line of NDJSON.
    Line(Vec<u8>),
    /// The cells of a row of CSV, the header too.
    Cells(Vec<Vec<u8>>),
    /// A row that cannot be read, and why.
    Broken(String),
    /// The next piece is needed.
    More,
    /// Nothing.
    End,
}

/// Cuts a file into rows.
pub(super) struct Records {
    /// The unread rest of the current piece.
    piece: Bytes,
    ended: bool,
    /// The beginning, until it is long enough to tell a byte order mark.
    beginning: Option<Vec<u8>>,
    row: u64,
    kind: Kind,
}

enum Kind {
    Lines {
        line: Vec<u8>,
        overlong: bool,
    },
    Cells {
        reader: Box<csv_core::Reader>,
        text: Vec<u8>,
        filled: usize,
        ends: Vec<usize>,
        cells: usize,
        broken: Option<&'static str>,
    },
}

impl Records {
    pub(super) fn new(format: Format) -> Self {
        let kind = match format {
            Format::Ndjson => Kind::Lines {
                line: Vec::new(),
                overlong: false,
            },
            Format::Csv => Kind::Cells {
                reader: Box::new(csv_core::ReaderBuilder::new().delimiter(b';').build()),
                text: vec![0; MOST_ROW],
                filled: 0,
                ends: vec![0; MOST_CELLS],
                cells: 0,
                broken: None,
            },
        };
        Self {
            piece: Bytes::new(),
            ended: false,
            beginning: Some(Vec::new()),
            row: 0,
            kind,
        }
    }

    /// Takes the next piece, once [`Records::next`] has answered [`Next::More`].
    pub(super) fn push(&mut self, piece: Bytes) {
        let Some(beginning) = &mut self.beginning else {
            self.piece = piece;
            return;
        };
        beginning.extend_from_slice(&piece);
        if beginning.len() >= BOM.len() {
            self.begin();
        }
    }

    /// There are no further pieces.
    pub(super) fn end(&mut self) {
        self.begin();
        self.ended = true;
    }

    fn begin(&mut self) {
        if let Some(beginning) = self.beginning.take() {
            self.piece = beginning.into();
            if self.piece.starts_with(BOM) {
                self.piece.advance(BOM.len());
            }
        }
    }

    /// Number of the row that was read last, from 1; the header of CSV is the first.
    pub(super) fn row(&self) -> u64 {
        self.row
    }

    /// The next row.
    pub(super) fn next(&mut self) -> Next {
        match &mut self.kind {
            Kind::Lines { line, overlong } => {
                next_line(&mut self.piece, self.ended, &mut self.row, line, overlong)
            }
            Kind::Cells {
                reader,
                text,
                filled,
                ends,
                cells,
                broken,
            } => loop {
                if self.piece.is_empty() && !self.ended {
                    return Next::More;
                }
                let (result, read, written, ended) = reader.read_record(
                    &self.piece,
                    text.get_mut(*filled..).unwrap_or_default(),
                    ends.get_mut(*cells..).unwrap_or_default(),
                );
                self.piece.advance(read);
                *filled += written;
                *cells += ended;
                match result {
                    ReadRecordResult::InputEmpty => {}
                    ReadRecordResult::OutputFull => {
                        *broken = Some("The row is longer than 256 KB.");
                        *filled = 0;
                    }
                    ReadRecordResult::OutputEndsFull => {
                        *broken = Some("The row has more than 64 cells.");
                        *cells = 0;
                    }
                    ReadRecordResult::Record => {
                        self.row += 1;
                        let next = match broken.take() {
                            Some(cause) => Next::Broken(cause.to_owned()),
                            None => Next::Cells(cut(text, ends, *cells)),
                        };
                        *filled = 0;
                        *cells = 0;
                        return next;
                    }
                    ReadRecordResult::End => return Next::End,
                }
            },
        }
    }
}

fn cut(text: &[u8], ends: &[usize], cells: usize) -> Vec<Vec<u8>> {
    let mut begin = 0;
    ends.iter()
        .take(cells)
        .map(|end| {
            let cell = text.get(begin..*end).unwrap_or_default();
            begin = *end;
            cell.to_vec()
        })
        .collect()
}

fn next_line(
    piece: &mut Bytes,
    ended: bool,
    row: &mut u64,
    line: &mut Vec<u8>,
    overlong: &mut bool,
) -> Next {
    loop {
        let end = piece.iter().position(|byte| *byte == b'\n');
        let part = piece.split_to(end.unwrap_or(piece.len()));
        if line.len() + part.len() > MOST_ROW {
            *overlong = true;
            line.clear();
        }
        if !*overlong {
            line.extend_from_slice(&part);
        }
        if end.is_some() {
            piece.advance(1);
        } else if !ended {
            return Next::More;
        } else if line.is_empty() && !*overlong {
            return Next::End;
        }
        *row += 1;
        let whole = std::mem::take(line);
        if std::mem::take(overlong) {
            return Next::Broken("The line is longer than 256 KB.".to_owned());
        }
        if !whole.trim_ascii().is_empty() {
            return Next::Line(whole);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a file that comes in pieces of `size`.
    fn rows(format: Format, file: &[u8], size: usize) -> Vec<(u64, Next)> {
        let mut records = Records::new(format);
        let mut pieces = file.chunks(size);
        let mut rows = Vec::new();
        loop {
            match records.next() {
                Next::End => return rows,
                Next::More => match pieces.next() {
                    Some(piece) => records.push(Bytes::copy_from_slice(piece)),
                    None => records.end(),
                },
                next => rows.push((records.row(), next)),
            }
        }
    }

    fn cells(cells: &[&str]) -> Next {
        Next::Cells(cells.iter().map(|cell| cell.as_bytes().to_vec()).collect())
    }

    #[test]
    fn rows_of_csv_are_the_same_however_the_file_is_cut() {
        let file = "\u{feff}a;b\r\n1;\"x;\"\"y\"\"\r\nz\"\r\n;\n\"\";é";
        for size in 1..file.len() {
            assert_eq!(
                rows(Format::Csv, file.as_bytes(), size),
                [
                    (1, cells(&["a", "b"])),
                    (2, cells(&["1", "x;\"y\"\r\nz"])),
                    (3, cells(&["", ""])),
                    (4, cells(&["", "é"])),
                ],
                "in pieces of {size}"
            );
        }
    }

    #[test]
    fn lines_are_the_same_however_the_file_is_cut() {
        let file = "\u{feff}{\"a\":1}\r\n\n  \n{\"b\":2}";
        for size in 1..file.len() {
            assert_eq!(
                rows(Format::Ndjson, file.as_bytes(), size),
                [
                    (1, Next::Line(b"{\"a\":1}\r".to_vec())),
                    (4, Next::Line(b"{\"b\":2}".to_vec())),
                ],
                "in pieces of {size}"
            );
        }
    }

    #[test]
    fn rows_without_end_are_not_gathered() {
        for (format, before) in [(Format::Csv, "a;\""), (Format::Ndjson, "{\"a\":\"")] {
            let mut file = before.as_bytes().to_vec();
            file.extend(vec![b'x'; 3 * MOST_ROW]);
            file.extend_from_slice(b"\"\nb\n");
            let rows = rows(format, &file, 10_000);
            assert_eq!(rows.len(), 2, "{format:?}");
            assert!(matches!(rows[0], (1, Next::Broken(_))), "{format:?}");
            assert_eq!(rows[1].0, 2, "{format:?}");
        }
        let wide = format!("{}\na\n", ";".repeat(1_000));
        let rows = rows(Format::Csv, wide.as_bytes(), 100);
        assert!(matches!(rows[0], (1, Next::Broken(_))));
        assert_eq!(rows[1], (2, cells(&["a"])));
    }

    #[test]
    fn nothing_is_no_row() {
        for format in [Format::Csv, Format::Ndjson] {
            for file in ["", "\u{feff}", "\n\n"] {
                assert_eq!(rows(format, file.as_bytes(), 5), [], "{format:?} {file:?}");
            }
        }
    }
}
