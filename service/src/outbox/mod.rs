//! The outbox of webhooks. A delivery is added in the transaction of its cause, and `webhooks` sends it. The
//! outbox stands apart, so publishing need not know the sub-service that reads from publishing.

pub(crate) mod store;
