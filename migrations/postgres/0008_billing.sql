-- What is known of an organization at the billing provider.
CREATE TABLE subscriptions (
    organization_id UUID NOT NULL PRIMARY KEY,
    customer_id TEXT COLLATE "C" NOT NULL,
    subscription_id TEXT COLLATE "C",
    state TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C",
    period_end BIGINT,
    cancel_at_period_end BOOLEAN NOT NULL,
    checked_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX subscriptions_customer ON subscriptions (customer_id);
