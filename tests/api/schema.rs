//! Both databases have the same tables, columns, types, nullability, keys and indexes, so that queries work
//! on both and are as fast. Also tests their guarantees when several connections read and write.

use std::collections::BTreeSet;

use service::db::{Db, Tx};
use tempfile::TempDir;
use tests::{Database, Engine, TestApp, both, until};

/// The schema in comparable lines: `table.column kind null`, `table key columns`, `index …`.
type Schema = BTreeSet<String>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_databases_have_the_same_tables_columns_and_indexes() {
    let sqlite = sqlite(&TestApp::start(Engine::Sqlite).await.placet.db).await;
    let postgres = postgres(&TestApp::start(Engine::Postgres).await.placet.db).await;
    assert!(sqlite.len() > 50, "the schema was really read");
    let only = |of: &Schema, not: &Schema| of.difference(not).cloned().collect::<Vec<_>>();
    assert_eq!(
        only(&sqlite, &postgres),
        Vec::<String>::new(),
        "only on SQLite"
    );
    assert_eq!(
        only(&postgres, &sqlite),
        Vec::<String>::new(),
        "only on PostgreSQL"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_that_is_a_key_compares_by_bytes_on_postgres() {
    let app = TestApp::start(Engine::Postgres).await;
    let Db::Postgres(pool) = &app.placet.db else {
        unreachable!()
    };
    let otherwise: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT t.relname || '.' || a.attname
         FROM pg_index i
         JOIN pg_class t ON t.oid = i.indrelid
         JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public'
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
         JOIN pg_collation c ON c.oid = a.attcollation
         WHERE t.relname <> '_sqlx_migrations' AND c.collname <> 'C'",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    assert_eq!(
        otherwise,
        Vec::<String>::new(),
        "SQLite sorts these otherwise"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checkpoints_fill_the_file_of_sqlite_beside_the_writer() {
    let folder = TempDir::new().unwrap();
    let database = Database::empty(Engine::Sqlite, folder.path()).await;
    let db = Db::open(database.url()).await.unwrap();
    let Db::Sqlite { writer, .. } = &db else {
        unreachable!()
    };
    // Too little for SQLite's own checkpoint.
    for sql in ["CREATE TABLE notes (note TEXT NOT NULL)"]
        .into_iter()
        .chain(["INSERT INTO notes VALUES ('in the log for now')"; 40])
    {
        sqlx::query(sql).execute(writer).await.unwrap();
    }
    let file = folder.path().join("placet.db");
    let written = b"in the log for now";
    until("the log is brought in", async || {
        let content = std::fs::read(&file).unwrap();
        let found = content.windows(written.len()).any(|bytes| bytes == written);
        found.then_some(())
    })
    .await;
    db.close().await;
    assert!(!folder.path().join("placet.db-wal").exists());
}

async fn users(tx: &mut Tx) -> i64 {
    tx.query("SELECT COUNT(*) FROM users")
        .one_value()
        .await
        .unwrap()
}

both!(a_snapshot_stays_as_it_was, |app| async move {
    let db = &app.placet.db;
    let mut snapshot = db.snapshot().await.unwrap();
    let before = users(&mut snapshot).await;
    app.user("ada").await;
    assert_eq!(users(&mut snapshot).await, before);
    drop(snapshot);
    assert_eq!(users(&mut db.snapshot().await.unwrap()).await, before + 1);
});

/// A common name for types that the engines name differently.
fn kind(declared: &str) -> &'static str {
    match declared.to_ascii_lowercase().as_str() {
        "blob" | "bytea" | "uuid" => "bytes",
        "integer" | "bigint" => "integer",
        "boolean" => "boolean",
        "real" | "double precision" => "real",
        // Only PostgreSQL has a type for JSON that keeps the text.
        "text" | "json" => "text",
        other => panic!("a kind of column that this test does not know: {other}"),
    }
}

async fn sqlite(db: &Db) -> Schema {
    let Db::Sqlite { writer, .. } = db else {
        unreachable!()
    };
    let columns: Vec<(String, String, String, bool, i64)> = sqlx::query_as(
        "SELECT t.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_master t
         JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> '_sqlx_migrations'
         ORDER BY t.name, c.pk",
    )
    .fetch_all(writer)
    .await
    .unwrap();
    let mut schema = Schema::new();
    let mut keys = std::collections::BTreeMap::<String, Vec<String>>::new();
    for (table, column, declared, required, key) in columns {
        schema.insert(column_line(&table, &column, kind(&declared), required));
        if key > 0 {
            keys.entry(table).or_default().push(column);
        }
    }
    schema.extend(
        keys.iter()
            .map(|(table, columns)| format!("{table} key {}", columns.join(", "))),
    );
    let views: Vec<String> =
        sqlx::query_scalar("SELECT name FROM sqlite_master WHERE type = 'view'")
            .fetch_all(writer)
            .await
            .unwrap();
    schema.extend(views.iter().map(|view| format!("view {view}")));
    let indexes: Vec<(String, String, bool, bool, String)> = sqlx::query_as(
        "SELECT t.name, i.name, i.\"unique\", i.partial,
                (SELECT group_concat(coalesce(c.name, '(expression)') || iif(c.\"desc\", ' desc', ''), ', ')
                 FROM (SELECT * FROM pragma_index_xinfo(i.name) WHERE key ORDER BY seqno) c)
         FROM sqlite_master t JOIN pragma_index_list(t.name) i
         WHERE t.type = 'table' AND t.name <> '_sqlx_migrations' AND i.origin = 'c'",
    )
    .fetch_all(writer)
    .await
    .unwrap();
    for (table, name, unique, partial, columns) in indexes {
        schema.insert(index_line(&table, &name, unique, partial, &columns));
    }
    schema
}

async fn postgres(db: &Db) -> Schema {
    let Db::Postgres(pool) = db else {
        unreachable!()
    };
    let columns: Vec<(String, String, String, bool)> = sqlx::query_as(
        "SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'NO'
         FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name <> '_sqlx_migrations'
         AND table_name NOT IN (SELECT table_name FROM information_schema.views)",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let mut schema: Schema = columns
        .iter()
        .map(|(table, column, declared, required)| {
            column_line(table, column, kind(declared), *required)
        })
        .collect();
    let views: Vec<String> = sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.views WHERE table_schema = 'public'",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    schema.extend(views.iter().map(|view| format!("view {view}")));
    let indexes: Vec<(String, String, bool, bool, bool, String)> = sqlx::query_as(
        "SELECT t.relname::text, x.relname::text, i.indisprimary, i.indisunique, i.indpred IS NOT NULL,
                (SELECT string_agg(coalesce(a.attname::text, '(expression)')
                        || CASE WHEN (i.indoption[k.at - 1] & 1) = 1 THEN ' desc' ELSE '' END, ', ' ORDER BY k.at)
                 FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(number, at)
                 LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number AND k.number > 0)
         FROM pg_index i
         JOIN pg_class t ON t.oid = i.indrelid
         JOIN pg_class x ON x.oid = i.indexrelid
         JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public'
         WHERE t.relname <> '_sqlx_migrations'",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    for (table, name, primary, unique, partial, columns) in indexes {
        schema.insert(if primary {
            format!("{table} key {columns}")
        } else {
            index_line(&table, &name, unique, partial, &columns)
        });
    }
    schema
}

fn column_line(table: &str, column: &str, kind: &str, required: bool) -> String {
    format!(
        "{table}.{column} {kind}{}",
        if required { "" } else { " null" }
    )
}

fn index_line(table: &str, name: &str, unique: bool, partial: bool, columns: &str) -> String {
    let mut line = format!("index {name} on {table} ({columns})");
    if unique {
        line += " unique";
    }
    if partial {
        line += " partial";
    }
    line
}
