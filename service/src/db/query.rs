//! Statements with their values, for either engine.
//!
//! `db.query("SELECT name FROM users WHERE id = $1").bind(id).optional_value().await?` reads on a connection
//! for reading, `db.query("UPDATE …")….exec()` writes on one for writing, and the same on a [`Tx`] belongs to
//! its transaction. A statement on a [`Db`] is a transaction of its own.

use futures::TryStreamExt;
use sqlx::{
    Arguments as _, AssertSqlSafe, FromRow, SqlSafeStr, SqlStr,
    postgres::{PgArguments, PgRow},
    sqlite::{SqliteArguments, SqliteRow},
    types::Json,
};
use uuid::Uuid;

use super::{
    Begun, Db, DbError, Tx,
    page::{Asked, Listed, Page, Slice},
    queue::{self, Purpose},
};
use crate::clock::Timestamp;

type Result<T> = std::result::Result<T, DbError>;

/// Ids in one statement that asks for many. Engines take thousands, but each number of ids is a statement of its own.
pub(crate) const MOST_IDS: usize = 100;

/// Orders of ids that tell the time.
const NEWEST: &str = "id DESC";
const OLDEST: &str = "id";

/// A value of a statement. The type matters to PostgreSQL also where the value is absent.
#[derive(Clone, Debug)]
pub enum Value {
    /// An id.
    Id(Option<Uuid>),
    /// Text.
    Text(Option<String>),
    /// A 64-bit number.
    Number(Option<i64>),
    /// A 32-bit number.
    Small(Option<i32>),
    /// A number with a fraction.
    Real(Option<f64>),
    /// A truth value.
    Flag(Option<bool>),
    /// Bytes.
    Bytes(Option<Vec<u8>>),
    /// JSON, in columns of that type.
    Json(serde_json::Value),
}

/// Reads from rows of both engines.
pub trait Readable:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

impl<T> Readable for T where
    T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

/// The database, or a transaction that has begun, for questions that are asked of either.
pub(crate) enum Target<'a> {
    Db(&'a Db),
    Tx(&'a mut Tx),
}

/// A statement, its values, and the database or transaction that runs it.
pub struct Query<'a> {
    text: String,
    values: Vec<Value>,
    target: Target<'a>,
    purpose: Purpose,
}

impl Db {
    /// Begins a statement. Its values stand in the text as `$1`, `$2` … and follow by [`Query::bind`], or are
    /// added with the text that they end ([`Query::push`], [`Query::value`]).
    pub fn query(&self, text: impl SqlSafeStr) -> Query<'_> {
        Query::new(text, Target::Db(self))
    }
}

impl Tx {
    /// Begins a statement of this transaction, as [`Db::query`] does.
    pub fn query(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        Query::new(text, Target::Tx(self))
    }
}

/// Runs a query on its database: `with!(query, |query, at| …)` has sqlx's query and where it runs.
macro_rules! with {
    ($query:expr, |$sqlx:ident, $at:ident| $run:expr) => {{
        let Query {
            text,
            values,
            target,
            purpose,
        } = $query;
        let text = safe(text);
        match target {
            Target::Db(Db::Sqlite {
                writer, readers, ..
            }) => {
                let held = match purpose {
                    Purpose::Reading => queue::reader(readers),
                    Purpose::Writing => queue::connection(writer, purpose),
                };
                let mut held = held.await?;
                let $at = held.get();
                let $sqlx = sqlx::query_as_with(text, Value::sqlite(values)?);
                let done = $run;
                held.end();
                done
            }
            Target::Db(Db::Postgres(pool)) => {
                let mut held = queue::connection(pool, purpose).await?;
                let $at = held.get();
                let $sqlx = sqlx::query_as_with(text, Value::postgres(values)?);
                let done = $run;
                held.end();
                done
            }
            Target::Tx(Tx {
                begun: Begun::Sqlite(tx),
                ..
            }) => {
                let $at = &mut **tx;
                let $sqlx = sqlx::query_as_with(text, Value::sqlite(values)?);
                $run
            }
            Target::Tx(Tx {
                begun: Begun::Postgres(tx),
                ..
            }) => {
                let $at = &mut **tx;
                let $sqlx = sqlx::query_as_with(text, Value::postgres(values)?);
                $run
            }
        }
    }};
}

impl<'a> Query<'a> {
    fn new(text: impl SqlSafeStr, target: Target<'a>) -> Self {
        Self {
            text: text.into_sql_str().as_str().to_owned(),
            values: Vec::new(),
            target,
            purpose: Purpose::Reading,
        }
    }

    /// The value of the next placeholder of the text.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Continues the text.
    pub fn push(&mut self, text: impl SqlSafeStr) -> &mut Self {
        self.text.push_str(text.into_sql_str().as_str());
        self
    }

    /// Continues the text with a value.
    pub fn value(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        self.text.push('$');
        self.text.push_str(&self.values.len().to_string());
        self
    }

    /// Continues the text with values between commas.
    pub fn values<V: Into<Value>>(&mut self, values: impl IntoIterator<Item = V>) -> &mut Self {
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            self.value(value);
        }
        self
    }

    /// Continues the text with tuples of values: `($1, $2), ($3, $4)`.
    pub fn tuples<R, V>(&mut self, rows: impl IntoIterator<Item = R>) -> &mut Self
    where
        R: IntoIterator<Item = V>,
        V: Into<Value>,
    {
        for (index, row) in rows.into_iter().enumerate() {
            self.text.push_str(if index == 0 { "(" } else { ", (" });
            self.values(row);
            self.text.push(')');
        }
        self
    }

    /// Continues with the condition that each of these texts occurs in an expression.
    pub fn holds(
        &mut self,
        expression: &str,
        texts: impl IntoIterator<Item = String>,
    ) -> &mut Self {
        for text in texts {
            self.push(" AND ").position(expression, text).push(" > 0");
        }
        self
    }

    /// Continues with the position of a text in an expression: from 1, and 0 if it does not occur there. Both
    /// engines compare at every place at worst; a `LIKE` takes several times as long, and callers choose both texts.
    pub fn position(&mut self, expression: &str, text: impl Into<Value>) -> &mut Self {
        self.text.push_str(match self.target {
            Target::Db(Db::Sqlite { .. })
            | Target::Tx(Tx {
                begun: Begun::Sqlite(_),
                ..
            }) => "INSTR(",
            Target::Db(Db::Postgres(_))
            | Target::Tx(Tx {
                begun: Begun::Postgres(_),
                ..
            }) => "STRPOS(",
        });
        self.text.push_str(expression);
        self.push(", ").value(text).push(")")
    }

    /// Runs the statement on a connection for writing, although it answers with rows.
    #[must_use]
    pub fn writes(mut self) -> Self {
        self.purpose = Purpose::Writing;
        self
    }

    /// All rows.
    pub async fn all<T: Readable>(self) -> Result<Vec<T>> {
        Ok(with!(self, |query, at| query.fetch_all(at).await)?)
    }

    /// The first row, if there is one.
    pub async fn optional<T: Readable>(self) -> Result<Option<T>> {
        Ok(with!(self, |query, at| query.fetch_optional(at).await)?)
    }

    /// The first row. That there is one must follow from the statement.
    pub async fn one<T: Readable>(self) -> Result<T> {
        Ok(with!(self, |query, at| query.fetch_one(at).await)?)
    }

    /// The first column of all rows.
    pub async fn all_values<T>(self) -> Result<Vec<T>>
    where
        (T,): Readable,
    {
        let rows = self.all::<(T,)>().await?;
        Ok(rows.into_iter().map(|(value,)| value).collect())
    }

    /// The first column of the first row, if there is one.
    pub async fn optional_value<T>(self) -> Result<Option<T>>
    where
        (T,): Readable,
    {
        Ok(self.optional::<(T,)>().await?.map(|(value,)| value))
    }

    /// The first column of the first row. That there is one must follow from the statement.
    pub async fn one_value<T>(self) -> Result<T>
    where
        (T,): Readable,
    {
        Ok(self.one::<(T,)>().await?.0)
    }

    /// The result of a `COUNT(*)`.
    pub async fn count(self) -> Result<u64> {
        Ok(self.one_value::<i64>().await?.unsigned_abs())
    }

    /// Runs the statement and returns the number of rows that it changed.
    pub async fn exec(self) -> Result<u64> {
        let text = safe(self.text);
        Ok(match self.target {
            Target::Db(Db::Sqlite { writer, .. }) => {
                let statement = sqlx::query_with(text, Value::sqlite(self.values)?);
                let mut held = queue::connection(writer, Purpose::Writing).await?;
                let done = statement.execute(held.get()).await?;
                held.end();
                done.rows_affected()
            }
            Target::Db(Db::Postgres(pool)) => {
                let statement = sqlx::query_with(text, Value::postgres(self.values)?);
                let mut held = queue::connection(pool, Purpose::Writing).await?;
                let done = statement.execute(held.get()).await?;
                held.end();
                done.rows_affected()
            }
            Target::Tx(Tx {
                begun: Begun::Sqlite(tx),
                ..
            }) => {
                let statement = sqlx::query_with(text, Value::sqlite(self.values)?);
                statement.execute(&mut **tx).await?.rows_affected()
            }
            Target::Tx(Tx {
                begun: Begun::Postgres(tx),
                ..
            }) => {
                let statement = sqlx::query_with(text, Value::postgres(self.values)?);
                statement.execute(&mut **tx).await?.rows_affected()
            }
        })
    }

    /// Reads one page of a list and counts all of it. The text is the part of the statement from `FROM` on.
    pub async fn page<T: Readable>(
        mut self,
        columns: impl SqlSafeStr,
        order: impl SqlSafeStr,
        page: Page,
    ) -> Result<Listed<T>> {
        let total = self.total().await?;
        let items = self.part(columns, order, page.limit(), page.offset());
        Ok(Listed {
            items: items.await?,
            total,
            page,
        })
    }

    /// As [`Query::page`], in the order of ids that tell the time (`UUIDv7`, RFC 9562 section 5.7).
    pub async fn page_by_id<T: Readable>(
        self,
        columns: impl SqlSafeStr,
        asked: &Asked,
    ) -> Result<Listed<T>> {
        self.page(columns, asked.order(NEWEST, OLDEST), asked.page)
            .await
    }

    /// Reads the rows of a list that follow an id in the order of [`Query::page_by_id`]. The place stays valid when its row
    /// is deleted.
    pub async fn beyond<T: Readable>(
        mut self,
        columns: impl SqlSafeStr,
        after: Uuid,
        asked: &Asked,
    ) -> Result<Slice<T>> {
        self.push(asked.order(" AND id < ", " AND id > "))
            .value(after);
        let size = asked.page.size;
        let rows = self.part(
            columns,
            asked.order(NEWEST, OLDEST),
            Slice::<T>::limit(size),
            0,
        );
        Ok(Slice::new(rows.await?, size))
    }

    /// As [`Query::page`], in an order with values of its own.
    pub async fn page_in_order<T: Readable>(
        mut self,
        columns: impl SqlSafeStr,
        order: impl FnOnce(&mut Query<'_>),
        page: Page,
    ) -> Result<Listed<T>> {
        let total = self.total().await?;
        self.ordered(columns, order, page);
        let items = self.all().await?;
        Ok(Listed { items, total, page })
    }

    /// As [`Query::page_in_order`], for rows that may be large. `None` if the sizes of the page's rows add up to more
    /// than `most`. Reads no more of them than that.
    pub async fn page_within<T: Readable>(
        mut self,
        columns: impl SqlSafeStr,
        order: impl FnOnce(&mut Query<'_>),
        page: Page,
        within: (fn(&T) -> u64, u64),
    ) -> Result<Option<Listed<T>>> {
        let total = self.total().await?;
        self.ordered(columns, order, page);
        let items = self.all_within(within).await?;
        Ok(items.map(|items| Listed { items, total, page }))
    }

    /// All rows, or `None` if their sizes add up to more than `most`. Reads no more of them than that.
    pub async fn all_within<T: Readable>(
        self,
        (size, most): (fn(&T) -> u64, u64),
    ) -> Result<Option<Vec<T>>> {
        let (mut items, mut read) = (Vec::new(), 0);
        with!(self, |query, at| {
            let mut rows = query.fetch(at);
            while let Some(row) = rows.try_next().await? {
                read += size(&row);
                if read > most {
                    return Ok(None);
                }
                items.push(row);
            }
            Ok(Some(items))
        })
    }

    /// Reads some rows of a list. The text is the part of the statement from `FROM` on.
    pub async fn part<T: Readable>(
        mut self,
        columns: impl SqlSafeStr,
        order: impl SqlSafeStr,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<T>> {
        self.select(columns);
        self.push(order);
        self.cut(limit, offset);
        self.all().await
    }

    /// Begins the text with the columns and ends it before the order.
    fn select(&mut self, columns: impl SqlSafeStr) {
        let columns = columns.into_sql_str();
        self.text = format!("SELECT {} {} ORDER BY ", columns.as_str(), self.text);
    }

    /// Completes the text to that of one page.
    fn ordered(
        &mut self,
        columns: impl SqlSafeStr,
        order: impl FnOnce(&mut Query<'_>),
        page: Page,
    ) {
        self.select(columns);
        order(self);
        self.cut(page.limit(), page.offset());
    }

    /// Counts all rows of a list.
    /// The row of figures about all that the text selects, which is the part of the statement from `FROM` on. `columns` are
    /// aggregates, so that there is one row.
    pub async fn figures<T: Readable>(mut self, columns: impl SqlSafeStr) -> Result<T> {
        let columns = columns.into_sql_str();
        self.text = format!("SELECT {} {}", columns.as_str(), self.text);
        self.one().await
    }

    async fn total(&mut self) -> Result<u64> {
        let total = Query {
            text: format!("SELECT COUNT(*) {}", self.text),
            values: self.values.clone(),
            target: self.target.again(),
            purpose: self.purpose,
        };
        total.count().await
    }

    fn cut(&mut self, limit: i64, offset: i64) {
        self.push(" LIMIT ").value(limit);
        self.push(" OFFSET ").value(offset);
    }
}

impl Target<'_> {
    /// Begins a statement.
    pub(crate) fn query(&mut self, text: impl SqlSafeStr) -> Query<'_> {
        Query::new(text, self.again())
    }

    fn again(&mut self) -> Target<'_> {
        match self {
            Self::Db(db) => Target::Db(db),
            Self::Tx(tx) => Target::Tx(tx),
        }
    }
}

/// Every piece of the text has come in as [`SqlSafeStr`].
fn safe(text: String) -> SqlStr {
    AssertSqlSafe(text).into_sql_str()
}

macro_rules! arguments {
    ($name:ident, $arguments:ty) => {
        /// Values as arguments of the engine.
        pub(crate) fn $name(values: Vec<Self>) -> Result<$arguments> {
            let mut arguments = <$arguments>::default();
            for value in values {
                match value {
                    Self::Id(value) => arguments.add(value),
                    Self::Text(value) => arguments.add(value),
                    Self::Number(value) => arguments.add(value),
                    Self::Small(value) => arguments.add(value),
                    Self::Real(value) => arguments.add(value),
                    Self::Flag(value) => arguments.add(value),
                    Self::Bytes(value) => arguments.add(value),
                    Self::Json(value) => arguments.add(Json(value)),
                }
                .map_err(|error| DbError::Fault(sqlx::Error::Encode(error)))?;
            }
            Ok(arguments)
        }
    };
}

impl Value {
    arguments!(sqlite, SqliteArguments);
    arguments!(postgres, PgArguments);
}

/// Conversions of a type, also optional and borrowed, into a variant.
macro_rules! value {
    ($variant:ident: $($type:ty => $convert:expr),+) => {
        $(
            impl From<$type> for Value {
                fn from(value: $type) -> Self {
                    Self::$variant(Some($convert(value)))
                }
            }

            impl From<Option<$type>> for Value {
                fn from(value: Option<$type>) -> Self {
                    Self::$variant(value.map($convert))
                }
            }
        )+
    };
}

value!(Id: Uuid => std::convert::identity);
value!(Text: String => std::convert::identity, &str => str::to_owned, &String => String::clone);
value!(Number: i64 => std::convert::identity, Timestamp => |time: Timestamp| time.0);
value!(Small: i32 => std::convert::identity);
value!(Real: f64 => std::convert::identity);
value!(Flag: bool => std::convert::identity);
value!(Bytes: Vec<u8> => std::convert::identity, &[u8] => <[u8]>::to_vec, &Vec<u8> => Vec::clone);

impl From<&Option<String>> for Value {
    fn from(value: &Option<String>) -> Self {
        Self::Text(value.clone())
    }
}

impl From<&serde_json::Value> for Value {
    fn from(value: &serde_json::Value) -> Self {
        Self::Json(value.clone())
    }
}
