//! Waits for an event.

use std::time::Duration;

/// Longest wait, with room for work of the lowest priority on a busy machine.
const PATIENCE: Duration = Duration::from_mins(3);
/// Pause between two checks.
const PAUSE: Duration = Duration::from_millis(20);

/// Checks repeatedly until there is an answer. Fails with `what` did not happen.
pub async fn until<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(PATIENCE, asking)
        .await
        .unwrap_or_else(|_| panic!("{what}: not within {PATIENCE:?}"))
}
