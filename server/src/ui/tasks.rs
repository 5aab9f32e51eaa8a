//! Tasks of pages. They wait for the database in the queue of the client who asked for the page.

use any_spawner::{CustomExecutor, Executor, PinnedFuture, PinnedLocalFuture};
use service::db::Queue;

struct Tasks;

/// Has Leptos begin its tasks here. It must come before anything of Leptos, which brings its own way.
pub(super) fn prepare() {
    // The second router of a process finds it done.
    drop(Executor::init_custom_executor(Tasks));
}

impl CustomExecutor for Tasks {
    fn spawn(&self, task: PinnedFuture<()>) {
        match Queue::current() {
            Some(queue) => drop(tokio::spawn(queue.wait_in(task))),
            None => drop(tokio::spawn(task)),
        }
    }

    fn spawn_local(&self, task: PinnedLocalFuture<()>) {
        drop(tokio::task::spawn_local(task));
    }

    fn poll_local(&self) {}
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use service::{db::Queues, prefix::Subscriber};
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_task_waits_in_the_queue_of_its_client() {
        prepare();
        let (tell, told) = oneshot::channel();
        let task = async move { tell.send(Queue::current().is_some()).unwrap_or_default() };
        let queue = Queues::default().of(Subscriber::of(Ipv4Addr::LOCALHOST.into()));
        queue.wait_in(async { Executor::spawn(task) }).await;
        assert!(told.await.unwrap());
    }
}
