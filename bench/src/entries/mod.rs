//! The measured servers. All implement the same trait. A method that does not apply returns `None`.

mod c15t;
mod nginx;
mod placet;

pub use c15t::C15t;
pub use nginx::Nginx;
pub use placet::Placet;

use std::net::SocketAddr;

use anyhow::Result;

use crate::{load::Template, process::Server};

/// A server to compare.
pub trait Entry {
    /// Name in tables.
    fn name(&self) -> String;

    /// Starts the prepared server.
    fn start(&self) -> Result<Server>;

    /// Request that stores a consent.
    fn record(&self) -> Option<Template>;

    /// Request for a published configuration.
    fn file(&self) -> Option<Template>;

    /// Number of stored consents.
    fn stored(&self) -> Result<u64>;

    /// Entries that wait for their index in its ledger. `None` if it has no ledger.
    fn waiting(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Its use of the machine since it was started, and the disk that it takes, with its database.
    fn used(&self, server: &Server) -> Result<Option<Used>> {
        let _ = server;
        Ok(None)
    }

    /// Empties it before a measurement, if it is not built to hold many consents.
    fn reset(&self) -> Result<()> {
        Ok(())
    }
}

/// The use of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Seconds of processor time.
    pub cpu: f64,
    /// Bytes that went to disk for durability: the write-ahead log of PostgreSQL; all writes of the process on SQLite.
    pub written: f64,
    /// Bytes of the database.
    pub database: f64,
    /// Bytes of the ledger's files.
    pub ledger: f64,
}

/// A running entry.
pub struct Running<'a> {
    pub entry: &'a dyn Entry,
    pub server: Server,
}

impl Running<'_> {
    pub fn used(&self) -> Result<Option<Used>> {
        self.entry.used(&self.server)
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address
    }
}
