//! Who is measured. Every entry answers the same questions; what it cannot do it leaves out.

mod c15t;
mod nginx;
mod placet;

pub use c15t::C15t;
pub use nginx::Nginx;
pub use placet::Placet;

use std::net::SocketAddr;

use anyhow::Result;

use crate::{load::Template, process::Server};

/// A server side by side with others.
pub trait Entry {
    /// As tables call it.
    fn name(&self) -> String;

    /// Starts it anew, prepared before.
    fn start(&self) -> Result<Server>;

    /// The request that stores a consent.
    fn record(&self) -> Option<Template>;

    /// The request for a published configuration.
    fn file(&self) -> Option<Template>;

    /// How many consents it has stored.
    fn stored(&self) -> Result<u64>;

    /// Empties it before a measurement, where its makers do not mean it to hold many.
    fn reset(&self) -> Result<()> {
        Ok(())
    }
}

/// A running entry.
pub struct Running<'a> {
    pub entry: &'a dyn Entry,
    pub server: Server,
}

impl Running<'_> {
    pub fn address(&self) -> SocketAddr {
        self.server.address
    }
}
