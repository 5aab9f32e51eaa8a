CREATE TABLE meta (
    key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE users (
    id UUID NOT NULL PRIMARY KEY,
    username TEXT COLLATE "C" NOT NULL,
    username_key TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    email_key TEXT COLLATE "C" NOT NULL,
    display_name TEXT NOT NULL,
    password_hash TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    token_generation BIGINT NOT NULL
);
CREATE UNIQUE INDEX users_username_key ON users (username_key);
CREATE UNIQUE INDEX users_email_key ON users (email_key);

CREATE TABLE signing_keys (
    kid TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    private_key BYTEA NOT NULL,
    public_key BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE revoked_tokens (
    jti UUID NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX revoked_tokens_expires_at ON revoked_tokens (expires_at);

-- A project is a document whose project_id is its own id.
CREATE TABLE documents (
    id UUID NOT NULL PRIMARY KEY,
    collection TEXT COLLATE "C" NOT NULL,
    project_id UUID,
    name_key TEXT COLLATE "C",
    data JSON NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    created_by UUID NOT NULL,
    deleted_at BIGINT,
    last_published_at BIGINT
);
CREATE UNIQUE INDEX documents_configuration_name ON documents (project_id, name_key)
    WHERE collection = 'cookies' AND deleted_at IS NULL;
CREATE INDEX documents_project ON documents (project_id, collection);
CREATE INDEX documents_deleted ON documents (deleted_at);

CREATE TABLE members (
    document_id UUID NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (document_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

-- The durable queue. Jobs of one lane run one after the other, in the order of their ids.
CREATE TABLE jobs (
    id UUID NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    lane TEXT COLLATE "C" NOT NULL,
    payload TEXT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    run_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    lease_until BIGINT,
    lease_owner UUID,
    last_error TEXT,
    created_at BIGINT NOT NULL,
    finished_at BIGINT
);
CREATE INDEX jobs_due ON jobs (status, run_at);
CREATE INDEX jobs_lane ON jobs (lane, status, id);

CREATE TABLE publish_jobs (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL,
    initiated_by UUID,
    rollback_to UUID,
    status TEXT COLLATE "C" NOT NULL,
    steps TEXT NOT NULL,
    plan TEXT,
    started_at BIGINT NOT NULL,
    completed_at BIGINT,
    message TEXT,
    url TEXT,
    error_code TEXT COLLATE "C",
    error_step TEXT COLLATE "C"
);
CREATE INDEX publish_jobs_project ON publish_jobs (project_id, id);

-- What visitors were shown, for ever: the manifest that the id hashes, and the rendered payload.
CREATE TABLE publications (
    project_id UUID NOT NULL,
    configuration_id UUID NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    collection TEXT COLLATE "C" NOT NULL,
    manifest TEXT NOT NULL,
    payload TEXT NOT NULL,
    job_id UUID NOT NULL,
    published_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, configuration_id, id)
);

CREATE TABLE published_vendors (
    project_id UUID NOT NULL,
    configuration_id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, configuration_id, name)
);

CREATE TABLE live_projects (
    project_id UUID NOT NULL PRIMARY KEY,
    job_id UUID NOT NULL,
    content TEXT NOT NULL,
    objects TEXT NOT NULL,
    ip_key BYTEA NOT NULL,
    published_at BIGINT NOT NULL
);

CREATE TABLE consents (
    project_id UUID NOT NULL,
    seq UUID NOT NULL,
    consent_id UUID NOT NULL,
    collection TEXT COLLATE "C" NOT NULL,
    identifier UUID NOT NULL,
    token TEXT COLLATE "C" NOT NULL,
    accept BOOLEAN NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    preferences TEXT NOT NULL,
    value TEXT,
    publication TEXT COLLATE "C",
    received_at BIGINT NOT NULL,
    decided_at BIGINT NOT NULL,
    page_host TEXT,
    ip TEXT,
    country TEXT,
    user_agent TEXT,
    imported BOOLEAN NOT NULL,
    body_hash BYTEA NOT NULL
);
CREATE UNIQUE INDEX consents_id ON consents (project_id, consent_id);
CREATE INDEX consents_time ON consents (project_id, decided_at, seq);
-- Serves the latest consent of a token, its history and lists of tokens. There is no table of
-- states beside it: each key that lies anywhere costs every consent a page.
CREATE INDEX consents_token ON consents (project_id, token, identifier, decided_at, seq, accept);

-- Consents per day of receipt (days since 1970, UTC), for charts. Lanes of the writer count apart,
-- so that no transaction waits for another one's commit.
CREATE TABLE consent_days (
    project_id UUID NOT NULL,
    day BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    lane BIGINT NOT NULL,
    consents BIGINT NOT NULL,
    PRIMARY KEY (project_id, day, outcome, lane)
);
