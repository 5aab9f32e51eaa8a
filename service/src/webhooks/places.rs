//! Places for calls. The number of calls at once is bounded, and no endpoint, project or account can take so
//! many places that others wait for its time-outs.

use std::collections::HashMap;

use tokio::task::Id;
use uuid::Uuid;

use crate::clock::Timestamp;

/// Calls at once in all.
const MOST_CALLS: usize = 256;
/// Calls at once to one endpoint.
const OF_ENDPOINT: usize = 4;
/// Calls at once of one project, and of all webhooks that one account has registered, because an account can
/// register endpoints that never answer in any number of projects.
pub(super) const OF_OWNER: usize = MOST_CALLS / 4;

/// An endpoint that waits for a call: as much of its webhook as the choice takes.
#[derive(Clone, sqlx::FromRow)]
pub(super) struct Endpoint {
    pub id: Uuid,
    pub project_id: Uuid,
    /// The account that has registered it.
    pub created_by: Uuid,
    pub failing_since: Option<Timestamp>,
}

impl Endpoint {
    /// The endpoint, its project and its account, each of which has its bound of calls.
    fn owners(&self) -> [Uuid; 3] {
        [self.id, self.project_id, self.created_by]
    }
}

/// The running calls.
#[derive(Default)]
pub(super) struct Places {
    calls: HashMap<Id, [Uuid; 3]>,
    /// Their numbers by endpoint, project and account.
    running: HashMap<Uuid, usize>,
}

impl Places {
    /// Counts a call of this task to an endpoint.
    pub(super) fn take(&mut self, task: Id, endpoint: &Endpoint) {
        let owners = endpoint.owners();
        if self.calls.insert(task, owners).is_none() {
            for owner in owners {
                *self.running.entry(owner).or_default() += 1;
            }
        }
    }

    /// Ends the count of a task's call.
    pub(super) fn leave(&mut self, task: Id) {
        for owner in self.calls.remove(&task).into_iter().flatten() {
            match self.running.get_mut(&owner) {
                Some(running) if *running > 1 => *running -= 1,
                _ => drop(self.running.remove(&owner)),
            }
        }
    }

    /// True if nobody gets a call now.
    pub(super) fn are_taken(&self) -> bool {
        self.calls.len() >= MOST_CALLS
    }

    /// Number of further calls that this endpoint may get now. A failing endpoint has a single place.
    pub(super) fn free(&self, endpoint: &Endpoint) -> usize {
        let own = if endpoint.failing_since.is_some() {
            1
        } else {
            OF_ENDPOINT
        };
        [
            (own, self.running(endpoint.id)),
            (OF_OWNER, self.running(endpoint.project_id)),
            (OF_OWNER, self.running(endpoint.created_by)),
            (MOST_CALLS, self.calls.len()),
        ]
        .into_iter()
        .map(|(most, taken)| most.saturating_sub(taken))
        .min()
        .unwrap_or(0)
    }

    /// Sorts waiting endpoints: fewest running calls of the account, then of the project, then of the
    /// endpoint. Among equals, endpoints that do not fail come first.
    pub(super) fn in_turn(&self, mut waiting: Vec<Endpoint>) -> Vec<Endpoint> {
        waiting.sort_by_key(|endpoint| {
            (
                self.running(endpoint.created_by),
                self.running(endpoint.project_id),
                self.running(endpoint.id),
                endpoint.failing_since.is_some(),
            )
        });
        waiting
    }

    fn running(&self, owner: Uuid) -> usize {
        self.running.get(&owner).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: u128 = 1 << 64;
    const ACCOUNT: u128 = 1 << 65;

    /// Ids of things of another kind differ.
    fn endpoint(project: u128, account: u128, id: u128) -> Endpoint {
        Endpoint {
            id: Uuid::from_u128(ENDPOINT + id),
            project_id: Uuid::from_u128(project),
            created_by: Uuid::from_u128(ACCOUNT + account),
            failing_since: None,
        }
    }

    /// Only the runtime can make ids of tasks.
    fn task() -> Id {
        tokio::spawn(async {}).id()
    }

    fn fill(places: &mut Places, endpoint: &Endpoint) {
        for _ in 0..places.free(endpoint) {
            places.take(task(), endpoint);
        }
    }

    #[tokio::test]
    async fn an_endpoint_has_few_places_and_one_that_fails_has_one() {
        let mut places = Places::default();
        let mut endpoint = endpoint(1, 1, 1);
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
            fill(&mut places, &endpoint(1, id, id));
        }
        assert_eq!(places.calls.len(), 64, "one project");
        for id in 100..200 {
            fill(&mut places, &endpoint(id, 1_000, id));
        }
        assert_eq!(places.calls.len(), 128, "one account with many projects");
        assert_eq!(places.free(&endpoint(2, 2_000, 200)), 4, "anybody else");
        for id in 200..500 {
            fill(&mut places, &endpoint(id, id, id));
        }
        assert_eq!(places.calls.len(), 256);
        assert!(places.are_taken());
        let running: Vec<Id> = places.calls.keys().copied().collect();
        for task in running {
            places.leave(task);
        }
        assert!(places.running.is_empty());
    }

    #[tokio::test]
    async fn endpoints_with_the_fewest_calls_come_first() {
        let mut places = Places::default();
        let greedy = endpoint(1, 1, 1);
        fill(&mut places, &greedy);
        let idle = endpoint(1, 1, 2);
        let mut failing = endpoint(2, 2, 3);
        failing.failing_since = Some(Timestamp(0));
        let other = endpoint(3, 3, 4);
        let turns = places.in_turn(vec![greedy, idle, failing, other]);
        let turns = turns.iter().map(|one| one.id.as_u128() - ENDPOINT);
        assert_eq!(turns.collect::<Vec<_>>(), [4, 3, 2, 1]);
    }
}
