//! The columns of a CSV file. They turn cells into the record of a row.

use super::record::Record;
use crate::spreadsheet::unguarded;

/// The columns of a CSV file, by its header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Columns(Vec<Column>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Token,
    Collection,
    Identifier,
    Accept,
    Date,
    Value,
    Preferences,
    ConsentId,
}

impl Column {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Token, "token"),
        (Self::Collection, "collection"),
        (Self::Identifier, "identifier"),
        (Self::Accept, "accept"),
        (Self::Date, "date"),
        (Self::Value, "value"),
        (Self::Preferences, "preferences"),
        (Self::ConsentId, "consentId"),
    ];
    const NEEDED: usize = 4;

    fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find_map(|(column, name)| (column == self).then_some(name))
            .unwrap_or_default()
    }
}

impl Columns {
    /// Reads the header, in any order.
    pub(super) fn parse(cells: &[Vec<u8>]) -> std::result::Result<Self, String> {
        let mut columns = Vec::with_capacity(cells.len());
        for cell in cells {
            let name = String::from_utf8_lossy(cell);
            let name = name.trim();
            let column = Column::ALL
                .into_iter()
                .find_map(|(column, known)| known.eq_ignore_ascii_case(name).then_some(column));
            match column {
                Some(column) if columns.contains(&column) => {
                    return Err(format!("The header names the column {name} twice."));
                }
                Some(column) => columns.push(column),
                None => {
                    let shown: String = name.chars().take(40).collect();
                    return Err(format!(
                        "The header names a column `{shown}`; the columns are \
                         token;collection;identifier;accept;date;value;preferences, divided by `;`, \
                         and consentId if there are ids."
                    ));
                }
            }
        }
        for (column, name) in Column::ALL.into_iter().take(Column::NEEDED) {
            if !columns.contains(&column) {
                return Err(format!("The header lacks the column {name}."));
            }
        }
        Ok(Self(columns))
    }

    /// Makes a record from the cells of a row, and lists what is wrong with some of them. Fails if
    /// the row has more or fewer cells than the file has columns.
    pub(super) fn record(
        &self,
        cells: Vec<Vec<u8>>,
    ) -> std::result::Result<(Record, Vec<String>), String> {
        if cells.len() != self.0.len() {
            let (there, wanted) = (cells.len(), self.0.len());
            return Err(format!("The row has {there} cells, the header {wanted}."));
        }
        let mut record = Record::default();
        let mut wrong = Vec::new();
        for (column, cell) in self.0.iter().zip(cells) {
            let Ok(text) = String::from_utf8(cell) else {
                wrong.push(format!("{}: Must be UTF-8.", column.name()));
                continue;
            };
            let text = unguarded(&text);
            let some = Some(text.clone()).filter(|text| !text.is_empty());
            match column {
                Column::Token => record.token = some,
                Column::Collection => record.collection = some,
                Column::Identifier => record.identifier = some,
                Column::Accept => match text.trim().to_ascii_lowercase().as_str() {
                    "1" | "true" => record.accept = Some(true),
                    "0" | "false" => record.accept = Some(false),
                    "" => {}
                    _ => wrong.push("accept: Must be 1 or 0.".to_owned()),
                },
                Column::Date => record.created_at = some,
                Column::Value => record.value = some,
                Column::Preferences => {
                    match some.as_deref().map(serde_json::from_str).transpose() {
                        Ok(preferences) => record.preferences = preferences,
                        Err(error) => wrong.push(format!("preferences: {error}.")),
                    }
                }
                Column::ConsentId => record.consent_id = some,
            }
        }
        Ok((record, wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_name_columns_once_and_in_any_order() {
        let parse = |header: &str| {
            let cells: Vec<Vec<u8>> = header
                .split(';')
                .map(|cell| cell.as_bytes().to_vec())
                .collect();
            Columns::parse(&cells)
        };
        assert!(parse("consentId;Accept;identifier; collection;TOKEN").is_ok());
        assert!(
            parse("token;collection;identifier")
                .unwrap_err()
                .contains("accept")
        );
        assert!(parse("token;token").unwrap_err().contains("twice"));
        assert!(parse("token,collection").unwrap_err().contains("divided"));
    }
}
