//! Events: how a sub-service tells of something without knowing who needs it.
//!
//! An [`Event`] reaches this process at once and is lost with it: it only refreshes what is kept in
//! memory. A consequence that must happen is a job, written in the transaction of its cause:
//! [`ProjectDeleted`] is one. To add an event: a variant here, [`Events::tell`] where it happens,
//! [`Events::listen`] where a sub-service is made.

use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The rules that a project's consents are checked against changed: its live content, its token
    /// secret, or its webhooks.
    ProjectChanged(Uuid),
    /// The outbox of webhooks has new deliveries.
    OutboxFilled,
}

/// A project was deleted. A job: what is live of it must become inert.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ProjectDeleted(pub Uuid);

/// A project went to another organization, or left one. A job: the plan that pays for it may have changed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ProjectMoved(pub Uuid);

type Listener = Box<dyn Fn(Event) + Send + Sync>;

/// Passes events on to those who listen.
#[derive(Default)]
pub(crate) struct Events {
    listeners: RwLock<Vec<Listener>>,
}

impl Events {
    /// Calls `listener` for each event from now on. It must neither wait nor tell events itself.
    pub(crate) fn listen(&self, listener: impl Fn(Event) + Send + Sync + 'static) {
        let mut listeners = self
            .listeners
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.push(Box::new(listener));
    }

    /// Tells of an event; returns when all have heard it.
    pub(crate) fn tell(&self, event: Event) {
        let listeners = self
            .listeners
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        for listener in listeners.iter() {
            listener(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn all_hear_each_event() {
        let events = Events::default();
        let heard = Arc::new(Mutex::new(Vec::new()));
        for name in ["a", "b"] {
            let heard = heard.clone();
            events.listen(move |event| heard.lock().unwrap().push((name, event)));
        }
        events.tell(Event::OutboxFilled);
        let expected = [("a", Event::OutboxFilled), ("b", Event::OutboxFilled)];
        assert_eq!(*heard.lock().unwrap(), expected);
    }
}
