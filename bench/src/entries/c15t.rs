//! c15t, self-hosted as in its quickstart: Node.js, Kysely, PostgreSQL.

use std::{path::PathBuf, process::Command};

use anyhow::{Result, ensure};

use super::Entry;
use crate::{
    limits::Psql,
    load::Template,
    process::{Server, free_address},
};

pub struct C15t {
    /// `bench/consents/c15t`, with its packages installed.
    dir: PathBuf,
    logs: PathBuf,
    psql: Psql,
}

impl C15t {
    pub fn prepare(dir: PathBuf, logs: PathBuf, psql: Psql) -> Result<Self> {
        let migrated = Command::new("node")
            .arg("migrate.mjs")
            .current_dir(&dir)
            .env("DATABASE_URL", &psql.url)
            .env("NODE_ENV", "production")
            .output()?;
        ensure!(
            migrated.status.success(),
            "{}",
            String::from_utf8_lossy(&migrated.stderr)
        );
        Ok(Self { dir, logs, psql })
    }
}

impl Entry for C15t {
    fn name(&self) -> String {
        "c15t, one Node process".to_owned()
    }

    fn start(&self) -> Result<Server> {
        let address = free_address()?;
        let mut command = Command::new("node");
        command
            .arg("server.mjs")
            .current_dir(&self.dir)
            .env("DATABASE_URL", &self.psql.url)
            .env("NODE_ENV", "production")
            .env("PORT", address.port().to_string());
        Server::start(
            command,
            address,
            "/api/c15t/init",
            &self.logs.join("c15t.log"),
        )
    }

    fn record(&self) -> Option<Template> {
        let body = r#"{"type":"cookie_banner","subjectId":"sub_{short}","domain":"example.com","preferences":{"necessary":true,"measurement":true,"marketing":false,"functionality":true,"experience":false},"givenAt":1760000000000,"jurisdiction":"GDPR","jurisdictionModel":"opt-in","uiSource":"banner","consentAction":"custom","metadata":{"source":"bench"}}"#;
        Some(Template::post("/api/c15t/subjects", body))
    }

    fn file(&self) -> Option<Template> {
        Some(Template::get("/api/c15t/init"))
    }

    fn stored(&self) -> Result<u64> {
        Ok(self.psql.ask("SELECT count(*) FROM consent")?.parse()?)
    }

    /// Empties its tables. They have no indexes for its own queries, so each stored consent slows it down.
    /// Empty tables give its best result.
    fn reset(&self) -> Result<()> {
        self.psql
            .ask(r#"TRUNCATE "consent", "auditLog", "subject""#)?;
        self.psql.ask("CHECKPOINT").map(drop)
    }
}
