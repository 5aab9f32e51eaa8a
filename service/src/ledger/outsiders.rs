//! Rules for all outside of this installation whom the ledger asks: witnesses and an authority that stamps times.

use std::{pin::pin, time::Duration};

use tokio_util::sync::CancellationToken;

use super::store::CheckpointRow;
use crate::{clock::Timestamp, error::Result};

/// For one call.
pub(super) const DEADLINE: Duration = Duration::from_secs(10);
/// Most seconds by which the clock of an outsider may differ.
pub(super) const SKEW: i64 = 600;
/// Fewest seconds after which an answer is late, however often it is asked for.
const PATIENCE: i64 = 60;

/// Milliseconds, as times count them.
pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Whole seconds, as times count them.
pub(super) fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}

/// Asks round after round with a pause between them, until `stop`. Logs the first round in a row that fails.
pub(super) async fn ask_in_rounds<Asked>(
    who: &str,
    pause: Duration,
    stop: &CancellationToken,
    ask: impl Fn() -> Asked,
) where
    Asked: Future<Output = Result<()>>,
{
    let mut asking = pin!(async {
        let mut failed = false;
        loop {
            let asked = ask().await;
            if let Err(error) = &asked
                && !failed
            {
                tracing::warn!(who, %error, "the ledger could ask nobody outside; it will");
            }
            failed = asked.is_err();
            tokio::time::sleep(pause).await;
        }
    });
    tokio::select! {
        () = stop.cancelled() => {}
        () = &mut asking => {}
    }
}

/// True if there are entries behind the `size` that an outsider answered for, and it was silent for `times` its
/// interval. `heard` is its last answer, or the first checkpoint.
pub(super) fn is_late(
    published: Option<&CheckpointRow>,
    size: i64,
    heard: Option<Timestamp>,
    (times, every): (i64, Duration),
    now: Timestamp,
) -> bool {
    let patience = seconds(every).saturating_mul(times).max(PATIENCE);
    published.is_some_and(|newest| newest.size > size)
        && heard.is_some_and(|heard| heard.plus_seconds(patience) <= now)
}
