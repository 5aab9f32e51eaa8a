//! Places for calls. The number of calls at once is bounded, and no endpoint, project or account can take so
//! many places that others wait for its time-outs.

use std::collections::HashMap;

use tokio::task::Id;
use uuid::Uuid;

use super::store::WebhookRow;

/// Calls at once in all.
const MOST_CALLS: usize = 256;
/// Calls at once to one endpoint.
const OF_ENDPOINT: usize = 4;
/// Calls at once of one project, and of all webhooks that one account has registered, because an account can
/// register endpoints that never answer in any number of projects.
const OF_OWNER: usize = MOST_CALLS / 4;

/// Owners of a call.
#[derive(Clone, Copy)]
struct Of {
    endpoint: Uuid,
    project: Uuid,
    account: Uuid,
}

impl From<&WebhookRow> for Of {
    fn from(webhook: &WebhookRow) -> Self {
        Self {
            endpoint: webhook.id,
            project: webhook.project_id,
            account: webhook.created_by,
        }
    }
}

/// The running calls.
#[derive(Default)]
pub(super) struct Places {
    calls: HashMap<Id, Of>,
}

impl Places {
    /// Counts a call of this task to an endpoint.
    pub(super) fn take(&mut self, task: Id, webhook: &WebhookRow) {
        self.calls.insert(task, webhook.into());
    }

    /// Ends the count of a task's call.
    pub(super) fn leave(&mut self, task: Id) {
        self.calls.remove(&task);
    }

    /// Number of further calls that this endpoint may get now. A failing endpoint has a single place.
    pub(super) fn free(&self, webhook: &WebhookRow) -> usize {
        let of = Of::from(webhook);
        let own = if webhook.failing_since.is_some() {
            1
        } else {
            OF_ENDPOINT
        };
        [
            (own, self.count(|call| call.endpoint == of.endpoint)),
            (OF_OWNER, self.count(|call| call.project == of.project)),
            (OF_OWNER, self.count(|call| call.account == of.account)),
            (MOST_CALLS, self.calls.len()),
        ]
        .into_iter()
        .map(|(most, taken)| most.saturating_sub(taken))
        .min()
        .unwrap_or(0)
    }

    /// Sorts waiting endpoints: fewest running calls of the account, then of the project, then of the
    /// endpoint. Among equals, endpoints that do not fail come first.
    pub(super) fn in_turn(&self, mut waiting: Vec<WebhookRow>) -> Vec<WebhookRow> {
        waiting.sort_by_cached_key(|webhook| {
            let of = Of::from(webhook);
            (
                self.count(|call| call.account == of.account),
                self.count(|call| call.project == of.project),
                self.count(|call| call.endpoint == of.endpoint),
                webhook.failing_since.is_some(),
            )
        });
        waiting
    }

    fn count(&self, is: impl Fn(&Of) -> bool) -> usize {
        self.calls.values().filter(|call| is(call)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn webhook(project: u128, account: u128, id: u128) -> WebhookRow {
        WebhookRow {
            id: Uuid::from_u128(id),
            project_id: Uuid::from_u128(project),
            topic: String::new(),
            method: String::new(),
            url: String::new(),
            active: true,
            inactive_reason: None,
            secret: Vec::new(),
            old_secret: None,
            old_secret_until: None,
            failing_since: None,
            created_by: Uuid::from_u128(account),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    /// Only the runtime can make ids of tasks.
    fn task() -> Id {
        tokio::spawn(async {}).id()
    }

    fn fill(places: &mut Places, webhook: &WebhookRow) {
        for _ in 0..places.free(webhook) {
            places.take(task(), webhook);
        }
    }

    #[tokio::test]
    async fn an_endpoint_has_few_places_and_one_that_fails_has_one() {
        let mut places = Places::default();
        let mut endpoint = webhook(1, 1, 1);
        assert_eq!(places.free(&endpoint), 4);
        let first = task();
        places.take(first, &endpoint);
        assert_eq!(places.free(&endpoint), 3);
        endpoint.failing_since = Some(Timestamp(0));
        assert_eq!(places.free(&endpoint), 0);
        places.leave(first);
        assert_eq!(places.free(&endpoint), 1);
    }

    #[tokio::test]
    async fn neither_a_project_nor_an_account_takes_more_than_a_quarter() {
        let mut places = Places::default();
        for id in 0..100 {
            fill(&mut places, &webhook(1, id, id));
        }
        assert_eq!(places.calls.len(), 64, "one project");
        for id in 100..200 {
            fill(&mut places, &webhook(id, 1_000, id));
        }
        assert_eq!(places.calls.len(), 128, "one account with many projects");
        assert_eq!(places.free(&webhook(2, 2_000, 200)), 4, "anybody else");
        for id in 200..500 {
            fill(&mut places, &webhook(id, id, id));
        }
        assert_eq!(places.calls.len(), 256);
    }

    #[tokio::test]
    async fn endpoints_with_the_fewest_calls_come_first() {
        let mut places = Places::default();
        let greedy = webhook(1, 1, 1);
        fill(&mut places, &greedy);
        let idle = webhook(1, 1, 2);
        let mut failing = webhook(2, 2, 3);
        failing.failing_since = Some(Timestamp(0));
        let other = webhook(3, 3, 4);
        let turns = places.in_turn(vec![greedy, idle, failing, other]);
        let turns: Vec<u128> = turns.iter().map(|webhook| webhook.id.as_u128()).collect();
        assert_eq!(turns, [4, 3, 2, 1]);
    }
}
