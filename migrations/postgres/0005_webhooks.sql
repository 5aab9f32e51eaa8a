-- Endpoints of customers, called when something happens in a project. Secrets are sealed.
CREATE TABLE webhooks (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL,
    topic TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    inactive_reason TEXT COLLATE "C",
    secret BYTEA NOT NULL,
    old_secret BYTEA,
    old_secret_until BIGINT,
    failing_since BIGINT,
    created_by UUID NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX webhooks_project ON webhooks (project_id, topic);

-- The outbox: what each endpoint is to be told, written with what happened in one transaction. The
-- id is that of the event, the subject names the consent or publish job, whose content is read when
-- it is sent. A claim moves next_at ahead, so a delivery whose process died comes up again. There is
-- no foreign key: a webhook that goes away must not fail the consent that is written meanwhile.
CREATE TABLE webhook_deliveries (
    webhook_id UUID NOT NULL,
    id UUID NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    subject UUID NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    by_hand BOOLEAN NOT NULL,
    next_at BIGINT NOT NULL,
    claimed_by UUID,
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (webhook_id, id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at)
    WHERE status = 'waiting';

CREATE TABLE webhook_attempts (
    webhook_id UUID NOT NULL,
    delivery_id UUID NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    status BIGINT,
    error TEXT,
    answer TEXT,
    latency_ms BIGINT NOT NULL,
    PRIMARY KEY (webhook_id, delivery_id, number)
);
