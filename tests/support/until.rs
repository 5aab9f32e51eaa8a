//! Waiting for what happens by itself.

use std::time::Duration;

/// Nothing takes longer, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two questions.
const PAUSE: Duration = Duration::from_millis(20);

/// Asks again and again until there is an answer; says `what` did not happen when there is none.
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
