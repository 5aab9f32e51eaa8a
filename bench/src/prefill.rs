//! Fills a database with consents. The database itself makes the rows, in the form in which the server writes
//! consents of the widget.

use std::path::Path;

use anyhow::Result;

use crate::{limits::Psql, placet::project::Project};

/// Inserts a consent made from a number `i`. The placeholders differ by engine.
const CONSENT: &str = "INSERT INTO consents (project_id, seq, consent_id, collection, identifier, token, accept,
    outcome, preferences, value, publication, received_at, decided_at, page_host, ip,
    country, user_agent, imported, body_hash)
  SELECT {project}, {seq}, {id}, 'cookies', {configuration}, {token}, {false}, 'partial',
    '{\"svc_ab\":false,\"svc_ads\":false,\"svc_heat\":false,\"svc_map\":true,\"svc_pixel\":false,\"svc_retarget\":false,\"svc_social\":true,\"svc_stats\":false,\"svc_video\":true}',
    NULL, NULL, 1700000000000000 + i * 1000, 1700000000000000 + i * 1000, 'example.com',
    '127.0.0.0', NULL, 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0', {false}, {hash} FROM {numbers}";

pub fn postgres(psql: &Psql, project: &Project, rows: u64) -> Result<()> {
    let id = |id: &str| format!("'{id}'::uuid");
    let consent = CONSENT
        .replace("{project}", &id(&project.id))
        .replace("{configuration}", &id(&project.configuration))
        .replace("{seq}", "(lpad(to_hex(1700000000000 + i), 12, '0') || '7000' || substr(md5(i::text), 1, 16))::uuid")
        .replace("{id}", "(lpad(to_hex(1700000000000 + i), 12, '0') || '7000' || substr(md5((-i)::text), 1, 16))::uuid")
        .replace("{token}", "lpad(to_hex(1700000000000 + i), 12, '0') || md5(i::text)")
        .replace("{false}", "false")
        .replace("{hash}", "decode(md5(i::text) || md5(i::text), 'hex')")
        .replace("{numbers}", &format!("generate_series(1::bigint, {rows}) i"));
    psql.ask(&consent)?;
    psql.ask("VACUUM ANALYZE")?;
    psql.ask("CHECKPOINT").map(drop)
}

pub fn sqlite(file: &Path, project: &Project, rows: u64) -> Result<()> {
    let id = |id: &str| format!("x'{}'", id.replace('-', ""));
    let consent = CONSENT
        .replace("{project}", &id(&project.id))
        .replace("{configuration}", &id(&project.configuration))
        .replace(
            "{seq}",
            "unhex(printf('%012x7000', 1700000000000 + i)) || randomblob(8)",
        )
        .replace(
            "{id}",
            "unhex(printf('%012x7000', 1700000000000 + i)) || randomblob(8)",
        )
        .replace(
            "{token}",
            "printf('%012x', 1700000000000 + i) || lower(hex(randomblob(16)))",
        )
        .replace("{false}", "0")
        .replace("{hash}", "randomblob(32)")
        .replace("{numbers}", "numbers");
    let database = rusqlite::Connection::open(file)?;
    database.execute_batch(&format!(
        "PRAGMA synchronous=OFF; PRAGMA cache_size=-500000; BEGIN;
         WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {rows}) {consent};
         COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);"
    ))?;
    Ok(())
}
