//! Placet on either database.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{Entry, Used};
use crate::{
    limits::Psql,
    load::Template,
    placet::{
        Program, Store,
        project::{self, Project},
    },
    prefill::{self, Fill},
    process::{Server, cpu_seconds_of_all},
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
        let store = Store::of(psql.as_ref());
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

impl Placet {
    fn count(&self, query: &str) -> Result<u64> {
        if let Some(psql) = &self.psql {
            return Ok(psql.ask(query)?.parse()?);
        }
        let file = rusqlite::Connection::open(self.program.sqlite_file())?;
        let count: i64 = file.query_row(query, [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }
}

impl Entry for Placet {
    fn name(&self) -> String {
        let engine = self.program.store.engine();
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

    fn used(&self, server: &Server) -> Result<Option<Used>> {
        let mut used = Used {
            cpu: server.cpu_seconds(),
            ledger: bytes_below(&self.program.data.join("cdn/ledger"))?,
            ..Used::default()
        };
        if let Some(psql) = &self.psql {
            let folder = psql.ask("SHOW data_directory")?;
            let pid = fs::read_to_string(Path::new(&folder).join("postmaster.pid"))?;
            let pid = pid.lines().next().context("the pid of PostgreSQL")?;
            used.cpu += cpu_seconds_of_all(pid.parse()?);
            let log = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')";
            used.written = psql.ask(log)?.parse()?;
            used.database = (psql.ask("SELECT pg_database_size(current_database())")?).parse()?;
        } else {
            used.written = server.written()?;
            used.database = bytes_of(&self.program.sqlite_file())?;
        }
        Ok(Some(used))
    }

    fn stored(&self) -> Result<u64> {
        self.count("SELECT count(*) FROM consents")
    }

    fn waiting(&self) -> Result<Option<u64>> {
        const WAITING: &str = "SELECT COALESCE(SUM(leaves), 0) FROM ledger_batches \
             WHERE first_index IS NULL AND retired_in IS NULL AND entries IS NOT NULL";
        self.ledger.then(|| self.count(WAITING)).transpose()
    }
}

/// Bytes of a file.
fn bytes_of(file: &Path) -> Result<f64> {
    Ok(fs::metadata(file)?.len() as f64)
}

/// Bytes of all files below a folder. The server goes on: what is not there, or no longer, has none.
fn bytes_below(path: &Path) -> io::Result<f64> {
    let below = || -> io::Result<f64> {
        let about = fs::symlink_metadata(path)?;
        if !about.is_dir() {
            return Ok(about.len() as f64);
        }
        let mut bytes = 0.0;
        for entry in fs::read_dir(path)? {
            bytes += bytes_below(&entry?.path())?;
        }
        Ok(bytes)
    };
    match below() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0.0),
        bytes => bytes,
    }
}
