-- What is known of an organization at the billing provider.
CREATE TABLE subscriptions (
    organization_id BLOB NOT NULL PRIMARY KEY,
    customer_id TEXT NOT NULL,
    subscription_id TEXT,
    state TEXT NOT NULL,
    plan TEXT,
    period_end INTEGER,
    cancel_at_period_end BOOLEAN NOT NULL,
    checked_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX subscriptions_customer ON subscriptions (customer_id);
