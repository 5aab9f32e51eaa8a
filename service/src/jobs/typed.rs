//! Kinds of jobs as types: the data of a job, and the code that runs it.

use std::{marker::PhantomData, sync::Arc};

use futures::future::BoxFuture;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use uuid::Uuid;

use super::{Claimed, Ended};

/// A kind of background work. Its value is the data of a job. The queue keeps it as JSON.
///
/// A job may run again after a crash, so it must be safe to repeat. To add a kind: a type with this
/// trait, and a line in `Placet::workers`.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Name of the kind in the queue.
    const KIND: &'static str;
    /// Jobs of the kind that one process runs at once: a mail server that hangs keeps letters waiting, and no
    /// publish.
    const AT_ONCE: usize = 4;
    /// True for long work that nobody waits for. It counts apart from the other jobs of its account, is never late, and
    /// stays in the queue while no process works on its kind.
    const ASIDE: bool = false;
    /// The sub-service that does it.
    type Worker: Send + Sync + 'static;

    /// Jobs of one lane run one after the other. `id` is the job's own.
    fn lane(&self, id: Uuid) -> String;

    /// Does the work.
    fn run(self, worker: &Self::Worker, claim: Claim) -> impl Future<Output = Ended> + Send;

    /// Records that the job is given up after its last attempt. Called again if it does not end.
    fn give_up(
        self,
        _worker: &Self::Worker,
        _claim: Claim,
        _cause: &str,
    ) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// Id and attempt of a running job.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Id of the job.
    pub id: Uuid,
    /// Number of this attempt, from 1.
    pub attempts: i64,
}

/// The kinds that a process works on.
#[derive(Clone, Default)]
pub struct Workers(Vec<Arc<dyn Handler>>);

impl Workers {
    /// Works on jobs of this kind, too.
    #[must_use]
    pub fn with<J: Job>(mut self, worker: Arc<J::Worker>) -> Self {
        self.0.push(Arc::new(Typed::<J>(worker, PhantomData)));
        self
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = &Arc<dyn Handler>> {
        self.0.iter()
    }
}

/// A kind whose type is not known.
pub(super) trait Handler: Send + Sync {
    fn kind(&self) -> &'static str;
    fn at_once(&self) -> usize;
    fn run<'a>(&'a self, job: &'a Claimed) -> BoxFuture<'a, Ended>;
    fn give_up<'a>(&'a self, job: &'a Claimed, cause: &'a str) -> BoxFuture<'a, ()>;
}

struct Typed<J: Job>(Arc<J::Worker>, PhantomData<fn() -> J>);

impl<J: Job> Handler for Typed<J> {
    fn kind(&self) -> &'static str {
        J::KIND
    }

    fn at_once(&self) -> usize {
        J::AT_ONCE
    }

    fn run<'a>(&'a self, job: &'a Claimed) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            match read::<J>(&job.payload) {
                Some(about) => about.run(&self.0, job.claim()).await,
                None => Ended::Retry("this version cannot read what the job is about".to_owned()),
            }
        })
    }

    fn give_up<'a>(&'a self, job: &'a Claimed, cause: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Some(about) = read::<J>(&job.payload) {
                about.give_up(&self.0, job.claim(), cause).await;
            }
        })
    }
}

/// The data of a job, as the queue keeps it.
pub(super) fn written<J: Job>(job: &J) -> serde_json::Result<String> {
    serde_json::to_string(job)
}

/// Reads the text that [`written`] wrote, and the bare texts that earlier versions put into the
/// queue.
fn read<J: Job>(payload: &str) -> Option<J> {
    let bare = || match payload {
        "" => Value::Null,
        text => text.into(),
    };
    serde_json::from_str(payload)
        .or_else(|_| serde_json::from_value(bare()))
        .ok()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(transparent)]
    struct About(Uuid);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Nothing;

    macro_rules! job {
        ($($name:ident)+) => {
            $(impl Job for $name {
                const KIND: &'static str = stringify!($name);
                type Worker = ();
                fn lane(&self, id: Uuid) -> String {
                    id.to_string()
                }
                async fn run(self, (): &(), _: Claim) -> Ended {
                    Ended::Done
                }
            })+
        };
    }
    job!(About Nothing);

    #[test]
    fn jobs_are_read_as_they_were_written_by_this_version_and_by_earlier_ones() {
        let id = Uuid::from_u128(7);
        let now = written(&About(id)).unwrap();
        for payload in [now, id.to_string()] {
            assert_eq!(read::<About>(&payload), Some(About(id)));
        }
        let now = written(&Nothing).unwrap();
        for payload in [now.as_str(), ""] {
            assert_eq!(read::<Nothing>(payload), Some(Nothing));
        }
        assert_eq!(read::<About>("other"), None);
    }
}
