//! Starts the real program with a published project.

pub mod project;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::{
    limits::Psql,
    process::{Server, free_address},
};

/// Database of Placet.
#[derive(Clone, Debug)]
pub enum Store {
    /// SQLite in the data folder.
    Sqlite,
    /// PostgreSQL at this address.
    Postgres(String),
}

impl Store {
    /// The store in a database of PostgreSQL, or SQLite without one.
    pub fn of(database: Option<&Psql>) -> Self {
        database.map_or(Self::Sqlite, |psql| Self::Postgres(psql.url.clone()))
    }

    /// The name of its engine.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }
}

/// Arguments for starting Placet.
#[derive(Clone, Debug)]
pub struct Program {
    pub binary: PathBuf,
    pub data: PathBuf,
    pub store: Store,
    /// Options of `placet serve` besides address, folder and log.
    pub options: Vec<String>,
}

impl Program {
    /// A program without limits of requests.
    pub fn new(binary: &Path, data: PathBuf, store: Store) -> Result<Self> {
        fs::create_dir_all(&data)?;
        Ok(Self {
            binary: binary.to_owned(),
            data,
            store,
            options: vec!["--rate-limit".to_owned(), "off".to_owned()],
        })
    }

    /// Starts it on a free port and waits until it is ready.
    pub fn start(&self) -> Result<Server> {
        let address = free_address()?;
        let mut command = Command::new(&self.binary);
        command
            .args(["serve", "--log", "warn", "--listen"])
            .arg(address.to_string())
            .args(&self.options)
            .arg("--data-dir")
            .arg(&self.data);
        if let Store::Postgres(url) = &self.store {
            command.env("PLACET_DATABASE_URL", url);
        }
        Server::start(command, address, "/health/ready", &self.data.join("log"))
    }

    /// Imports a Global Vendor List into the data of a server that runs.
    pub fn import_list(&self, list: &Path) -> Result<()> {
        let output = Command::new(&self.binary)
            .args(["gvl", "import"])
            .arg(list)
            .arg("--data-dir")
            .arg(&self.data)
            .output()
            .context("starting placet gvl import")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "placet gvl import: {said}");
        Ok(())
    }

    /// File of the SQLite database.
    pub fn sqlite_file(&self) -> PathBuf {
        self.data.join("placet.db")
    }
}
