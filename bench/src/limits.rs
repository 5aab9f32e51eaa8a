//! The limits of this machine's databases: durable transactions of one row, without a server around them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};

use crate::machine::now;

/// A PostgreSQL database and the folder of its client programs.
#[derive(Clone, Debug, clap::Args)]
pub struct Psql {
    /// Folder of `psql` and `pgbench`
    #[arg(long = "postgres-programs", value_name = "FOLDER")]
    pub programs: PathBuf,
    /// A PostgreSQL with the default durability; where it may be left out, SQLite alone is measured
    #[arg(long = "postgres", value_name = "URL")]
    pub url: String,
}

impl Psql {
    /// Creates another database on the same server.
    pub fn database(&self, name: &str) -> Result<Self> {
        self.ask(&format!("CREATE DATABASE {name}"))?;
        let (server, _) = self
            .url
            .rsplit_once('/')
            .context("an address with a database")?;
        Ok(Self {
            programs: self.programs.clone(),
            url: format!("{server}/{name}"),
        })
    }

    /// Runs a statement and returns its output.
    pub fn ask(&self, sql: &str) -> Result<String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .arg(&self.url)
            .output()
            .context("starting psql")?;
        ensure!(
            output.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

/// A consent of usual size, with a key and an index on its person.
const TABLE: &str = "CREATE TABLE limit_consents (
    id {uuid} PRIMARY KEY, subject TEXT NOT NULL, project TEXT NOT NULL, preferences TEXT NOT NULL,
    ip TEXT, user_agent TEXT, given_at BIGINT NOT NULL)";
const INDEX: &str = "CREATE INDEX limit_subject ON limit_consents (subject, given_at)";
// pgbench reads `:name` as a variable, so a space follows each colon.
const PREFERENCES: &str = r#"{"vendors": {"svc_ab": false,"svc_ads": false,"svc_heat": false,"svc_map": true,"svc_pixel": false,"svc_retarget": false,"svc_social": true,"svc_stats": false,"svc_video": true}}"#;
const USER_AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";

/// Rows per second and 99th percentile.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub rate: f64,
    pub p99_ms: f64,
}

/// Measures PostgreSQL with pgbench, prepared statements and one row per transaction.
pub fn postgres(psql: &Psql, dir: &Path, connections: usize, run: Duration) -> Result<Limit> {
    psql.ask("DROP TABLE IF EXISTS limit_consents")?;
    psql.ask(&TABLE.replace("{uuid}", "UUID"))?;
    psql.ask(INDEX)?;
    psql.ask("CHECKPOINT")?;
    let script = dir.join("limit.sql");
    fs::write(
        &script,
        format!(
            "INSERT INTO limit_consents VALUES (gen_random_uuid(), gen_random_uuid()::text, 'p', \
             '{PREFERENCES}', '203.0.113.0', '{USER_AGENT}', 1760000000000);"
        ),
    )?;
    let logs = dir.join("pgbench");
    fs::create_dir_all(&logs)?;
    let output = Command::new(psql.programs.join("pgbench"))
        .args(["-n", "-M", "prepared", "-l", "-c", &connections.to_string()])
        .args(["-j", if connections > 1 { "2" } else { "1" }])
        .args(["-T", &run.as_secs().max(1).to_string()])
        .arg(format!("--log-prefix={}", logs.join("log").display()))
        .arg("-f")
        .arg(&script)
        .arg(&psql.url)
        .output()
        .context("starting pgbench")?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said = String::from_utf8(output.stdout)?;
    let rate = said
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
        .with_context(|| said.clone())?;
    let mut latencies = Vec::new();
    for entry in fs::read_dir(&logs)? {
        for line in fs::read_to_string(entry?.path())?.lines() {
            latencies.extend(
                line.split(' ')
                    .nth(2)
                    .and_then(|micros| micros.parse::<f64>().ok()),
            );
        }
    }
    fs::remove_dir_all(&logs)?;
    Ok(Limit {
        rate,
        p99_ms: percentile_99(latencies) / 1000.0,
    })
}

/// Measures SQLite with one writer and a write-ahead log that is synchronised at each commit.
pub fn sqlite(dir: &Path, run: Duration) -> Result<Limit> {
    let path = dir.join("limit.db");
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(dir.join(format!("limit.db{ending}"))).ok();
    }
    let file = rusqlite::Connection::open(&path)?;
    file.execute_batch(&format!(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {}; {INDEX};",
        TABLE.replace("{uuid}", "BLOB")
    ))?;
    let mut insert = file.prepare(
        "INSERT INTO limit_consents VALUES (randomblob(16), hex(randomblob(16)), 'p', ?1, '203.0.113.0', ?2, 1760000000000)",
    )?;
    let (began, mut rows, mut latencies) = (now(), 0_u64, Vec::new());
    while began.elapsed() < run {
        let started = now();
        insert.execute([PREFERENCES, USER_AGENT])?;
        latencies.push(started.elapsed().as_secs_f64() * 1000.0);
        rows += 1;
    }
    Ok(Limit {
        rate: rows as f64 / began.elapsed().as_secs_f64(),
        p99_ms: percentile_99(latencies),
    })
}

fn percentile_99(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list.get(list.len().saturating_sub(1) * 99 / 100)
        .copied()
        .unwrap_or_default()
}
