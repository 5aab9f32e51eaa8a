//! Databases for the tests of storage modules.

use std::path::Path;

use super::Db;

/// A new SQLite database in this folder.
pub(crate) async fn new_in(folder: &Path) -> Db {
    let file = folder.join("placet.db");
    let db = Db::open(&format!("sqlite:{}", file.display())).await;
    let db = db.unwrap();
    db.migrate().await.unwrap();
    db
}
