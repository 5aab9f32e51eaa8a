//! Placet on either database.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Entry;
use crate::{
    limits::Psql,
    load::Template,
    placet::{
        Program, Store,
        project::{self, Project},
    },
    prefill::{self, Fill},
    process::Server,
};

pub struct Placet {
    program: Program,
    project: Project,
    psql: Option<Psql>,
    /// Consents stored before the measurement.
    stored: u64,
    /// True if consents get entries in the ledger.
    ledger: bool,
}

impl Placet {
    /// Prepares Placet in `dir` with an account, a published project and `stored` consents.
    pub fn prepare(
        binary: &Path,
        dir: PathBuf,
        psql: Option<Psql>,
        stored: u64,
        ledger: bool,
    ) -> Result<Self> {
        let store = psql
            .as_ref()
            .map_or(Store::Sqlite, |psql| Store::Postgres(psql.url.clone()));
        let mut program = Program::new(binary, dir, store)?;
        if !ledger {
            program
                .options
                .extend(["--ledger".to_owned(), "off".to_owned()]);
        }
        let server = program.start()?;
        let project = project::make(server.address, "https://example.com")?;
        drop(server);
        let placet = Self {
            program,
            project,
            psql,
            stored,
            ledger,
        };
        if stored > 0 {
            let fill = Fill::alike(stored);
            match &placet.psql {
                Some(psql) => prefill::postgres(psql, &placet.project, fill)?,
                None => prefill::sqlite(&placet.program.sqlite_file(), &placet.project, fill)?,
            }
        }
        Ok(placet)
    }
}

impl Entry for Placet {
    fn name(&self) -> String {
        let engine = if self.psql.is_some() {
            "PostgreSQL"
        } else {
            "SQLite"
        };
        match self.stored {
            0 if !self.ledger => format!("Placet on {engine}, without the ledger"),
            0 => format!("Placet on {engine}"),
            stored => format!("Placet on {engine}, {stored} stored before"),
        }
    }

    fn start(&self) -> Result<Server> {
        self.program.start()
    }

    fn record(&self) -> Option<Template> {
        Some(Template::post(
            &self.project.collect(),
            &self.project.consent(),
        ))
    }

    fn file(&self) -> Option<Template> {
        Some(Template::get(&self.project.file))
    }

    fn stored(&self) -> Result<u64> {
        const COUNT: &str = "SELECT count(*) FROM consents";
        if let Some(psql) = &self.psql {
            return Ok(psql.ask(COUNT)?.parse()?);
        }
        let file = rusqlite::Connection::open(self.program.sqlite_file())?;
        let count: i64 = file.query_row(COUNT, [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }
}
