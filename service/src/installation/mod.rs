//! The addresses of an installation, kept in its database.
//!
//! Published files hold them, and stay live for years. A process with others would lead the visitors of all
//! sites elsewhere, as a command does that runs without the environment of the service. So a process publishes
//! only with the addresses of the installation, and it takes an explicit wish to change them.

mod store;

use serde::{Deserialize, Serialize};

use crate::{
    db::Db,
    error::{Error, Result},
};

/// The addresses at which browsers reach the server and the published files, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Addresses {
    /// The server.
    pub base_url: String,
    /// Published files.
    pub cdn_url: String,
}

/// The addresses of a process.
pub(crate) struct Settled {
    pub addresses: Addresses,
    /// True if they replaced others, which visitors may know.
    pub moved: bool,
}

/// The relation of a process to the installation's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRule {
    /// A command without addresses of its own: takes those of the installation, if there are any.
    Inherit,
    /// A command with addresses: publishes only if the installation has the same.
    Compare,
    /// A server: its addresses become those of an installation that has none, or that only its own machine
    /// could reach.
    Serve,
    /// Its addresses become those of the installation.
    Replace,
}

impl From<Addresses> for Settled {
    fn from(addresses: Addresses) -> Self {
        Self {
            addresses,
            moved: false,
        }
    }
}

impl Addresses {
    /// True if only the machine itself reaches the server. No visitor's browser holds such an address.
    pub fn are_local(&self) -> bool {
        let host = url::Url::parse(&self.base_url);
        host.is_ok_and(|url| match url.host() {
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            Some(url::Host::Domain(name)) => name == "localhost",
            None => false,
        })
    }
}

/// Reads the addresses of the installation. `None` before its first server.
pub async fn addresses(db: &Db) -> Result<Option<Addresses>> {
    let stored = store::addresses(db).await?;
    let stored = stored.map(|text| serde_json::from_str(&text));
    stored.transpose().map_err(Error::internal)
}

/// Compares the addresses of a process with those of the installation, and stores them if the rule says so.
pub(crate) async fn settle(db: &Db, here: Addresses, rule: AddressRule) -> Result<Settled> {
    let stored = addresses(db).await?;
    if stored.as_ref() == Some(&here) {
        return Ok(here.into());
    }
    let replaces = match rule {
        AddressRule::Replace => true,
        AddressRule::Serve => stored.as_ref().is_none_or(Addresses::are_local),
        AddressRule::Inherit | AddressRule::Compare => false,
    };
    if replaces {
        let text = serde_json::to_string(&here).map_err(Error::internal)?;
        store::set_addresses(db, &text).await?;
        let moved = stored.is_some() && !here.are_local();
        return Ok(Settled {
            addresses: here,
            moved,
        });
    }
    Ok(match stored {
        Some(stored) if rule == AddressRule::Inherit => stored.into(),
        _ => here.into(),
    })
}

/// Tells in a sentence why a process with these addresses must not publish. `None` if it may.
pub(crate) async fn refusal(db: &Db, here: &Addresses) -> Result<Option<String>> {
    let stored = addresses(db).await?;
    let other = stored.filter(|stored| stored != here && !stored.are_local());
    Ok(other.map(|stored| {
        format!(
            "This process has the addresses {} and {}, the installation {} and {}. Nothing is published \
             with others: correct --base-url and --cdn-url, or move the installation with --new-base-url",
            here.base_url, here.cdn_url, stored.base_url, stored.cdn_url
        )
    }))
}
