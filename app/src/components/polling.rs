//! Polls the job of a publish. The job goes on without the page, so a question that fails is asked again.

use std::time::Duration;

use futures::channel::oneshot;
use leptos::prelude::*;

use crate::error::UiError;
use crate::fns::publish::{Job, publish_job};

/// Failed questions that are asked again. The pauses between them double, so they take half a minute together.
const MOST_FAILED: u32 = 5;

/// The state of a job after the time that it names.
pub async fn later(project: String, job: &Job) -> Result<Job, UiError> {
    let poll = Duration::from_millis(u64::from(job.poll));
    let mut failed = 0;
    loop {
        pause(poll * 2_u32.pow(failed)).await;
        match publish_job(project.clone(), job.id.clone()).await {
            Err(error) if error.may_pass() && failed < MOST_FAILED => failed += 1,
            answer => return answer,
        }
    }
}

async fn pause(time: Duration) {
    let (wake, woken) = oneshot::channel();
    set_timeout(
        move || {
            let _ = wake.send(());
        },
        time,
    );
    // It ends, too, if the timer is gone.
    let _ = woken.await;
}
