//! SQL of lists of documents.

use std::fmt::Write as _;

use domain::collection::Collection;
use sqlx::AssertSqlSafe;

use crate::{
    access::Holder,
    clock::Timestamp,
    db::{Db, DbError, Query, page::Listed},
    vault::{
        Document, ListQuery, Sort, SortKey,
        store::{COLUMNS, MOST_OF_A_PAGE, Row, in_json, seen, text_of, with_ids},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// A page of documents; `None` if it is larger than [`MOST_OF_A_PAGE`].
pub(super) async fn whole(
    db: &Db,
    holder: Holder,
    collection: Collection,
    query: &ListQuery,
    deleted_since: Option<Timestamp>,
) -> Result<Option<Listed<Document>>> {
    let columns = AssertSqlSafe(format!("d.data, {COLUMNS}"));
    let within = (Row::size as fn(&Row) -> u64, MOST_OF_A_PAGE);
    let scope = listed(db, holder, collection, query, deleted_since);
    let order = |scope: &mut Query<'_>| order(scope, db, &query.sort);
    let found = scope.page_within(columns, order, query.page, within);
    let found = found.await?;
    Ok(found.map(|found| found.map(Row::into_document)))
}

/// A page of documents with some of their fields. Those that are null are left out, too.
pub(super) async fn fields(
    db: &Db,
    holder: Holder,
    collection: Collection,
    query: &ListQuery,
    deleted_since: Option<Timestamp>,
    fields: &[&'static str],
) -> Result<Listed<Document>> {
    let data = db.json(&object(fields));
    let columns = AssertSqlSafe(format!("{data} AS data, {COLUMNS}"));
    let scope = listed(db, holder, collection, query, deleted_since);
    let order = |scope: &mut Query<'_>| order(scope, db, &query.sort);
    let found = scope.page_in_order::<Row>(columns, order, query.page);
    let narrow = |row: Row| {
        let mut document = row.into_document();
        if let Some(fields) = document.data.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        document
    };
    Ok(found.await?.map(narrow))
}

/// SQL for the text of a JSON object with these fields of a document `d`. Absent ones are null.
fn object(fields: &[&'static str]) -> String {
    let mut sql = "('{'".to_owned();
    for (index, field) in fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(
            sql,
            " || '{comma}\"{field}\":' || COALESCE(CAST(d.data -> '{field}' AS TEXT), 'null')"
        );
    }
    sql + " || '}')"
}

/// The documents of a list, from `FROM` on.
fn listed<'a>(
    db: &'a Db,
    holder: Holder,
    collection: Collection,
    query: &ListQuery,
    deleted_since: Option<Timestamp>,
) -> Query<'a> {
    let mut scope = seen(db, holder, deleted_since);
    scope
        .push(" AND d.collection = ")
        .value(collection.as_str());
    if let Some(project) = query.project_id {
        scope.push(" AND d.project_id = ").value(project);
    }
    if let Some(ids) = &query.ids {
        with_ids(&mut scope, ids);
    }
    for filter in &query.filters {
        scope
            .push(" AND CAST(d.data -> ")
            .value(&filter.field)
            .push(" AS TEXT) IN (")
            .values(&filter.one_of)
            .push(")");
    }
    if let Some(text) = &query.text {
        scope.holds(&text_of(db), [in_json(text)]);
    }
    scope
}

/// Continues with the order of a list.
fn order(scope: &mut Query<'_>, db: &Db, sort: &Sort) {
    match &sort.by {
        SortKey::CreatedAt => scope.push("d.created_at"),
        SortKey::UpdatedAt => scope.push("d.updated_at"),
        SortKey::Field(field) => scope
            .push("COALESCE(CAST(d.data -> ")
            .value(field)
            .push(" AS TEXT), '')")
            .push(db.collate_bytes()),
    };
    scope.push(if sort.descending {
        " DESC, d.id DESC"
    } else {
        ", d.id"
    });
}
