//! The words of webhooks.

crate::words! {
    /// Events that an endpoint is called for.
    pub enum Topic {
        /// Consents of a project.
        Consent = "consent",
        /// The ends of its publish jobs.
        Publish = "publish",
    }
}

crate::words! {
    /// An event, as a call names it.
    pub enum EventKind {
        /// A consent was stored.
        ConsentCreated = "consent.created",
        /// A publish job has ended, and its content is live.
        PublishComplete = "publish.complete",
        /// A publish job has ended without that.
        PublishError = "publish.error",
        /// Somebody tests the endpoint.
        Test = "webhook.test",
    }
}

impl EventKind {
    /// The topic whose endpoints it is told to; `None` for a test, which each endpoint may get.
    pub const fn topic(self) -> Option<Topic> {
        match self {
            Self::ConsentCreated => Some(Topic::Consent),
            Self::PublishComplete | Self::PublishError => Some(Topic::Publish),
            Self::Test => None,
        }
    }

    /// The events of a topic.
    pub fn of(topic: Topic) -> impl Iterator<Item = Self> {
        let all = Self::ALL.iter().copied();
        all.filter(move |kind| kind.topic() == Some(topic))
    }
}

crate::words! {
    /// The state of a delivery.
    pub enum DeliveryStatus {
        /// For its next attempt.
        Waiting = "waiting",
        /// The endpoint has taken it.
        Delivered = "delivered",
        /// It was given up.
        Failed = "failed",
    }
}

crate::words! {
    /// The reason for which an attempt has no answer.
    pub enum NoAnswer {
        /// The server may not call the address.
        AddressRefused = "address_refused",
        /// The endpoint was not reached, or the connection broke.
        ConnectionFailed = "connection_failed",
        /// The endpoint redirects too often.
        TooManyRedirects = "too_many_redirects",
        /// The endpoint did not answer in time.
        Timeout = "timeout",
        /// There was no call, as the content was erased.
        NothingToTell = "nothing_to_tell",
        /// There was no call, as the server could not read the content or the webhook's secret.
        ServerFault = "server_fault",
    }
}
