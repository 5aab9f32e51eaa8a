//! Exports of any size take the same memory.

use serde_json::json;
use tests::{Engine, Process, on_both};

on_both!(an_export_takes_the_same_memory_whatever_its_size);

/// Exported consents of some 2.5 kB each: an export of 75 MB.
const CONSENTS: usize = 30_000;
/// Most memory of an export in kilobytes: a piece of rows in several forms, and memory that allocators keep.
const MOST_KB: u64 = 30_000;

/// Inserts consents made from a number `i`. Both engines understand it.
const ROWS: &str = "INSERT INTO consents (project_id, seq, consent_id, collection, identifier, \
     token, accept, outcome, preferences, received_at, decided_at, user_agent, body_hash, imported) \
     SELECT c.project_id, {random}, {random}, 'cookies', c.id, 'visitor-' || i, TRUE, 'accepted', \
     '{}', 1700000000000000 + i, 1700000000000000 + i, {long}, {hash}, FALSE \
     FROM documents c, {numbers} WHERE c.collection = 'cookies'";

async fn an_export_takes_the_same_memory_whatever_its_size(engine: Engine) {
    let process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    let shop = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &shop).await;
    let cookies = json!({"projectId": project, "name": "en"});
    ada.create("cookies", &cookies).await;
    let (random, long, hash, numbers) = match engine {
        Engine::Sqlite => (
            "randomblob(16)",
            "hex(zeroblob(1100))",
            "randomblob(32)",
            format!(
                "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {CONSENTS}) \
                 SELECT i FROM n)"
            ),
        ),
        Engine::Postgres => (
            "gen_random_uuid()",
            "repeat('0', 2200)",
            "decode(md5(i::text) || md5(i::text), 'hex')",
            format!("generate_series(1, {CONSENTS}) i"),
        ),
    };
    let sql = ROWS
        .replace("{random}", random)
        .replace("{long}", long)
        .replace("{hash}", hash)
        .replace("{numbers}", &numbers);
    let db = process.database().await;
    let mut tx = db.begin().await.expect("a transaction");
    let sql = sqlx::AssertSqlSafe(sql);
    tx.query(sql).exec().await.expect("consents");
    tx.commit().await.expect("a commit");
    db.close().await;

    // CSV has no user agents.
    for (form, least) in [("ndjson", 2_200), ("csv", 80)] {
        let path = format!("/v1/app/exports/{project}.{form}");
        let request = ada.request(reqwest::Method::GET, &path);
        let mut answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let before = process.anonymous_kb();
        let (mut bytes, mut lines, mut most) = (0, 0, 0);
        while let Some(chunk) = answer.chunk().await.expect("a chunk") {
            bytes += chunk.len();
            lines += chunk.iter().filter(|byte| **byte == b'\n').count();
            // Each check reads a file, so not every chunk is checked.
            if lines % 512 < 4 {
                most = most.max(process.anonymous_kb().saturating_sub(before));
            }
        }
        assert!(lines >= CONSENTS, "{form}: {lines} lines");
        assert!(bytes > least * CONSENTS, "{form}: {bytes} bytes");
        assert!(most < MOST_KB, "{form}: {most} kB for {bytes} bytes");
    }
}
