-- Endpoints of customers, called when something happens in a project. Secrets are sealed.
CREATE TABLE webhooks (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL,
    topic TEXT NOT NULL,
    method TEXT NOT NULL,
    url TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    inactive_reason TEXT,
    secret BLOB NOT NULL,
    old_secret BLOB,
    old_secret_until INTEGER,
    failing_since INTEGER,
    created_by BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX webhooks_project ON webhooks (project_id, topic);

-- The outbox: what each endpoint is to be told, written with what happened in one transaction. The
-- id is that of the event, the subject names the consent or publish job, whose content is read when
-- it is sent. A claim moves next_at ahead, so a delivery whose process died comes up again. There is
-- no foreign key: a webhook that goes away must not fail the consent that is written meanwhile.
CREATE TABLE webhook_deliveries (
    webhook_id BLOB NOT NULL,
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    subject BLOB NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    by_hand BOOLEAN NOT NULL,
    next_at INTEGER NOT NULL,
    claimed_by BLOB,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    PRIMARY KEY (webhook_id, id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at)
    WHERE status = 'waiting';

CREATE TABLE webhook_attempts (
    webhook_id BLOB NOT NULL,
    delivery_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    method TEXT NOT NULL,
    url TEXT NOT NULL,
    status INTEGER,
    error TEXT,
    answer TEXT,
    latency_ms INTEGER NOT NULL,
    PRIMARY KEY (webhook_id, delivery_id, number)
);
