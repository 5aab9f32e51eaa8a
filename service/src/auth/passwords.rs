//! Password hashing with bounded concurrency.

use std::sync::{Arc, LazyLock};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::{
    error::{Error, Result},
    prefix::Subscriber,
    shares::Shares,
};

/// Hashes computed at once: each takes one core and 19 MiB.
const AT_ONCE: usize = 2;
/// Hashes that may wait. More are refused with a time to retry, so that a flood cannot use up the memory.
const WAITING: usize = 64;
/// Hashes of one asker that run or wait, so that nobody fills the queue alone.
const OF_ONE: usize = 16;
/// Passwords that are judged at once while somebody types them, that wait, and those of one asker: strangers may
/// ask for as many as they like, so they have a queue of their own.
const JUDGED_AT_ONCE: usize = 1;
const JUDGED_WAITING: usize = 16;
const JUDGED_OF_ONE: usize = 2;

/// Hash that is verified if there is no such user, so that the answer takes as long as for a real one.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash("nobody has this password").ok());

/// The asker for a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum HashFor {
    /// A client without a session, by its network if that is known.
    Client(Option<Subscriber>),
    /// An account.
    Account(Uuid),
}

/// A queue for work that takes a processor.
struct Queue {
    running: Arc<Semaphore>,
    queued: Arc<Shares<HashFor>>,
}

impl Queue {
    fn new(at_once: usize, waiting: usize, of_one: usize) -> Self {
        Self {
            running: Arc::new(Semaphore::new(at_once)),
            queued: Shares::new(at_once + waiting, of_one),
        }
    }

    /// Works on a thread when it is the asker's turn.
    async fn bounded<T: Send + 'static>(
        &self,
        asker: HashFor,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let place = self.queued.take(asker)?;
        let permit = self
            .running
            .clone()
            .acquire_owned()
            .await
            .map_err(Error::internal)?;
        tokio::task::spawn_blocking(move || {
            // The work holds them: a caller that goes away does not free the core.
            let _held = (place, permit);
            work()
        })
        .await
        .map_err(Error::internal)
    }
}

pub(super) struct Passwords {
    hashes: Queue,
    judged: Queue,
}

impl Passwords {
    pub(super) fn new() -> Self {
        Self {
            hashes: Queue::new(AT_ONCE, WAITING, OF_ONE),
            judged: Queue::new(JUDGED_AT_ONCE, JUDGED_WAITING, JUDGED_OF_ONE),
        }
    }

    /// The PHC string of a password.
    pub(super) async fn hash(&self, asker: HashFor, password: String) -> Result<String> {
        self.bounded(asker, move || hash(&password)).await?
    }

    /// True if the password belongs to the hash. Without a hash it returns `false` after the same time.
    pub(super) async fn verify(
        &self,
        asker: HashFor,
        password: String,
        stored: Option<String>,
    ) -> Result<bool> {
        self.bounded(asker, move || {
            let known = stored.is_some();
            // Made in either case, so that the first call of a process takes equally long for known users.
            let nobody = NOBODY.clone();
            let Some(phc) = stored.or(nobody) else {
                return false;
            };
            let matches = PasswordHash::new(&phc).is_ok_and(|phc| {
                argon2id()
                    .verify_password(password.as_bytes(), &phc)
                    .is_ok()
            });
            known && matches
        })
        .await
    }

    /// Does work that takes about as long as a hash, among them.
    pub(super) async fn bounded<T: Send + 'static>(
        &self,
        asker: HashFor,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        self.hashes.bounded(asker, work).await
    }

    /// Judges a password while somebody types it.
    pub(super) async fn judge<T: Send + 'static>(
        &self,
        asker: HashFor,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        self.judged.bounded(asker, work).await
    }
}

/// OWASP Password Storage Cheat Sheet: argon2id, 19 MiB, 2 passes, 1 lane.
fn argon2id() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn hash(password: &str) -> Result<String> {
    let hash = argon2id()
        .hash_password(password.as_bytes())
        .map_err(Error::internal)?;
    Ok(hash.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_hash_fits_its_password_only_and_names_its_parameters() {
        let passwords = Passwords::new();
        let ada = HashFor::Account(Uuid::nil());
        let stored = passwords.hash(ada, "pass".to_owned()).await.unwrap();
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        assert!(
            passwords
                .verify(ada, "pass".to_owned(), Some(stored.clone()))
                .await
                .unwrap()
        );
        assert!(
            !passwords
                .verify(ada, "Pass".to_owned(), Some(stored))
                .await
                .unwrap()
        );
        assert!(
            !passwords
                .verify(ada, "nobody has this password".to_owned(), None)
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn a_flood_of_passwords_is_refused() {
        let passwords = Passwords::new();
        let client = |last| HashFor::Client(Some(Subscriber::of([203, 0, 113, last].into())));
        let guess = |last| passwords.verify(client(last), "guess".to_owned(), None);
        let tries = (0..200).map(guess);
        let answers = futures::future::join_all(tries).await;
        let refused = answers
            .iter()
            .filter(|answer| matches!(answer, Err(Error::Busy)))
            .count();
        // A few permits may have become free while the others arrived.
        assert!(refused > 200 - AT_ONCE - WAITING - 20, "{refused}");
        let checked = answers.iter().filter(|answer| matches!(answer, Ok(false)));
        assert_eq!(checked.count(), 200 - refused);
        assert!(refused < 200);
        // After the flood the next password is verified again.
        assert!(!guess(0).await.unwrap());
    }

    #[tokio::test]
    async fn a_flood_from_one_network_leaves_others_their_places() {
        let passwords = Passwords::new();
        let client = |last| HashFor::Client(Some(Subscriber::of([203, 0, 113, last].into())));
        let flood = (0..100).map(|_| passwords.verify(client(1), "guess".to_owned(), None));
        let (flood, other) = tokio::join!(
            futures::future::join_all(flood),
            passwords.verify(client(2), "guess".to_owned(), None),
        );
        let checked = flood.iter().filter(|answer| answer.is_ok()).count();
        assert!((OF_ONE..OF_ONE + 10).contains(&checked), "{checked}");
        assert!(!other.unwrap());
    }
}
