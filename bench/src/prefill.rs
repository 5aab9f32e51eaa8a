//! Fills a database with consents. The database itself makes the rows, in the form in which the server writes
//! consents of the widget.

use std::path::Path;

use anyhow::Result;

use crate::{limits::Psql, placet::project::Project};

/// The consents to make.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    pub rows: u64,
    /// Time of the first one, in microseconds since 1970.
    pub from: u64,
    /// Microseconds between two of them.
    pub step: u64,
    /// True if a tenth is accepted and a thousandth refused; else all are partial.
    pub mixed: bool,
}

impl Fill {
    /// Partial ones, a millisecond apart.
    pub fn alike(rows: u64) -> Self {
        Self {
            rows,
            from: 1_700_000_000_000_000,
            step: 1_000,
            mixed: false,
        }
    }

    /// Puts the values that both engines share into a statement.
    fn put_into(self, statement: &str) -> String {
        let outcome = if self.mixed {
            "CASE WHEN i % 1000 = 7 THEN 'refused' WHEN i % 10 = 0 THEN 'accepted' ELSE 'partial' END"
        } else {
            "'partial'"
        };
        let time = format!("{} + i * {}", self.from, self.step);
        let millis = format!("({time}) / 1000");
        statement
            .replace("{outcome}", outcome)
            .replace("{time}", &time)
            .replace("{millis}", &millis)
    }
}

/// Counts the consents by day, as the server does while it stores them.
const DAYS: &str = "INSERT INTO consent_days (project_id, day, outcome, lane, consents)
  SELECT project_id, received_at / 86400000000, outcome, 0, COUNT(*) FROM consents GROUP BY 1, 2, 3";

/// Inserts a consent made from a number `i`. The placeholders differ by engine.
const CONSENT: &str = "INSERT INTO consents (project_id, seq, consent_id, collection, identifier, token, accept,
    outcome, preferences, value, publication, received_at, decided_at, page_host, ip,
    country, language, user_agent, imported, body_hash)
  SELECT {project}, {seq}, {id}, 'cookies', {configuration}, {token}, {false}, {outcome},
    '{\"svc_ab\":false,\"svc_ads\":false,\"svc_heat\":false,\"svc_map\":true,\"svc_pixel\":false,\"svc_retarget\":false,\"svc_social\":true,\"svc_stats\":false,\"svc_video\":true}',
    NULL, NULL, {time}, {time}, 'example.com',
    '127.0.0.0', CASE i % 5 WHEN 0 THEN 'FR' WHEN 1 THEN 'DE' WHEN 2 THEN 'GB' WHEN 3 THEN 'ES' END,
    CASE i % 3 WHEN 0 THEN 'en' WHEN 1 THEN 'fr' WHEN 2 THEN 'de' END, 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0', {false}, {hash} FROM {numbers}";

pub fn postgres(psql: &Psql, project: &Project, fill: Fill) -> Result<()> {
    let id = |id: &str| format!("'{id}'::uuid");
    let consent = CONSENT
        .replace("{project}", &id(&project.id))
        .replace("{configuration}", &id(&project.configuration))
        // Joined blobs are a text, which equals no id.
        .replace(
            "{seq}",
            "(lpad(to_hex({millis}), 12, '0') || '70008' || substr(md5(i::text), 1, 15))::uuid",
        )
        .replace(
            "{id}",
            "(lpad(to_hex({millis}), 12, '0') || '70008' || substr(md5((-i)::text), 1, 15))::uuid",
        )
        .replace("{token}", "lpad(to_hex({millis}), 12, '0') || md5(i::text)")
        .replace("{false}", "false")
        .replace("{hash}", "decode(md5(i::text) || md5(i::text), 'hex')")
        .replace(
            "{numbers}",
            &format!("generate_series(1::bigint, {}) i", fill.rows),
        );
    psql.ask(&fill.put_into(&consent))?;
    psql.ask(DAYS)?;
    psql.ask("VACUUM ANALYZE")?;
    psql.ask("CHECKPOINT").map(drop)
}

pub fn sqlite(file: &Path, project: &Project, fill: Fill) -> Result<()> {
    let id = |id: &str| format!("x'{}'", id.replace('-', ""));
    let consent = CONSENT
        .replace("{project}", &id(&project.id))
        .replace("{configuration}", &id(&project.configuration))
        .replace(
            "{seq}",
            "CAST(unhex(printf('%012x700080', {millis})) || randomblob(7) AS BLOB)",
        )
        .replace(
            "{id}",
            "CAST(unhex(printf('%012x700080', {millis})) || randomblob(7) AS BLOB)",
        )
        .replace(
            "{token}",
            "printf('%012x', {millis}) || lower(hex(randomblob(16)))",
        )
        .replace("{false}", "0")
        .replace("{hash}", "randomblob(32)")
        .replace("{numbers}", "numbers");
    let (consent, rows) = (fill.put_into(&consent), fill.rows);
    let database = rusqlite::Connection::open(file)?;
    database.execute_batch(&format!(
        "PRAGMA synchronous=OFF; PRAGMA cache_size=-500000; BEGIN;
         WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {rows}) {consent};
         {DAYS}; COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);"
    ))?;
    Ok(())
}
