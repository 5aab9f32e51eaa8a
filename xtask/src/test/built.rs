//! Results that one lane builds and others wait for.

use std::sync::{Condvar, Mutex, PoisonError};

use anyhow::{Result, bail};

/// A result that one lane builds and others wait for.
#[derive(Default)]
pub struct Built {
    /// `true` if the build succeeded, `None` before it ends.
    outcome: Mutex<Option<bool>>,
    decided: Condvar,
}

impl Built {
    /// Records the end of the build.
    pub fn is_decided(&self, went_well: bool) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(went_well);
        self.decided.notify_all();
    }

    /// Waits for the result.
    pub fn wait(&self, what: &str) -> Result<()> {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = self
            .decided
            .wait_while(outcome, |outcome| outcome.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        if *outcome != Some(true) {
            bail!("{what} is not built");
        }
        Ok(())
    }
}
