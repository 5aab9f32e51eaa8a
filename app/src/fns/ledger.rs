//! The ledger, for the operator of the server.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// The state of the ledger, with moments in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerStatus {
    pub origin: String,
    pub vkey: String,
    /// The key before, while both sign.
    pub older_vkey: Option<String>,
    /// The key for ML-DSA-44, which signs proofs too.
    pub ml_dsa_vkey: Option<String>,
    /// Entries that the latest checkpoint covers.
    pub published: u64,
    /// Entries that wait for the next one.
    pub waiting: u64,
    /// Seconds since the latest checkpoint while entries wait, else 0; the metric `placet_ledger_lag_seconds`.
    pub lag_seconds: Option<u64>,
    pub checkpoint_at: Option<i64>,
    /// Entries below this index are older than the ledger is kept.
    pub pruned_to: Option<u64>,
    /// Ledgers that have ended, the oldest first.
    pub predecessors: Vec<Ended>,
    /// The reason for which it stands still.
    pub stopped: Option<String>,
    /// Those who are asked to sign its checkpoints.
    pub witnesses: Vec<Voucher>,
    /// The authority that stamps their time.
    pub authority: Option<Voucher>,
}

/// A ledger that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub origin: String,
    /// Its entries.
    pub size: u64,
    pub ended_at: i64,
    /// Entries below this index are older than the ledger is kept.
    pub pruned_to: Option<u64>,
}

/// The state of a witness, or of an authority that stamps the time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voucher {
    /// Its name, or its address.
    pub name: String,
    /// Entries of the largest checkpoint that it signed.
    pub size: Option<u64>,
    pub signed_at: Option<i64>,
    /// The fault when it was last asked, and when that was.
    pub fault: Option<String>,
    pub fault_at: Option<i64>,
    /// True if it should have signed by now.
    pub late: bool,
}

/// The state of the ledger; `None` where no ledger was ever on.
#[server(prefix = "/ui", endpoint = "operator/ledger", input = Json)]
pub async fn read_ledger() -> Result<Option<LedgerStatus>, UiError> {
    use super::server::{actor, placet, refuse};
    use service::{Error, clock::Timestamp};
    let found = match placet()?.ledger.operators_status(actor()?).await {
        Err(Error::NotFound) => return Ok(None),
        found => found.map_err(refuse)?,
    };
    Ok(Some(LedgerStatus {
        waiting: found.to_publish(),
        origin: found.origin,
        vkey: found.vkey,
        older_vkey: found.older_vkey,
        ml_dsa_vkey: found.ml_dsa_vkey,
        published: found.published,
        lag_seconds: found.lag_seconds,
        checkpoint_at: found.checkpoint_at.map(Timestamp::millis),
        pruned_to: found.pruned_to,
        predecessors: found
            .predecessors
            .into_iter()
            .map(|one| Ended {
                origin: one.origin,
                size: one.size,
                ended_at: one.ended_at.millis(),
                pruned_to: one.pruned_to,
            })
            .collect(),
        stopped: found.stopped,
        witnesses: found
            .witnesses
            .into_iter()
            .map(|witness| Voucher {
                name: witness.name,
                size: witness.size,
                signed_at: witness.cosigned_at.map(Timestamp::millis),
                fault: witness.fault,
                fault_at: witness.fault_at.map(Timestamp::millis),
                late: witness.late,
            })
            .collect(),
        authority: found.authority.map(|authority| Voucher {
            name: authority.url,
            size: authority.size,
            signed_at: authority.stamped_at.map(Timestamp::millis),
            fault: authority.fault,
            fault_at: authority.fault_at.map(Timestamp::millis),
            late: authority.late,
        }),
    }))
}
