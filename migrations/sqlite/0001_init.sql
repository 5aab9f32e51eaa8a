CREATE TABLE meta (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE users (
    id BLOB NOT NULL PRIMARY KEY,
    username TEXT NOT NULL,
    username_key TEXT NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    display_name TEXT NOT NULL,
    password_hash TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    token_generation INTEGER NOT NULL
);
CREATE UNIQUE INDEX users_username_key ON users (username_key);
CREATE UNIQUE INDEX users_email_key ON users (email_key);

CREATE TABLE signing_keys (
    kid TEXT NOT NULL PRIMARY KEY,
    private_key BLOB NOT NULL,
    public_key BLOB NOT NULL,
    created_at INTEGER NOT NULL
);

CREATE TABLE revoked_tokens (
    jti BLOB NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
);
CREATE INDEX revoked_tokens_expires_at ON revoked_tokens (expires_at);

-- A project is a document whose project_id is its own id.
CREATE TABLE documents (
    id BLOB NOT NULL PRIMARY KEY,
    collection TEXT NOT NULL,
    project_id BLOB,
    name_key TEXT,
    data TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    created_by BLOB NOT NULL,
    deleted_at INTEGER,
    last_published_at INTEGER
);
CREATE UNIQUE INDEX documents_configuration_name ON documents (project_id, name_key)
    WHERE collection = 'cookies' AND deleted_at IS NULL;
CREATE INDEX documents_project ON documents (project_id, collection);
CREATE INDEX documents_deleted ON documents (deleted_at);

CREATE TABLE members (
    document_id BLOB NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    user_id BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (document_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

-- The durable queue. Jobs of one lane run one after the other, in the order of their ids.
CREATE TABLE jobs (
    id BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    lane TEXT NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    run_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    lease_until INTEGER,
    lease_owner BLOB,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE INDEX jobs_due ON jobs (status, run_at);
CREATE INDEX jobs_lane ON jobs (lane, status, id);

CREATE TABLE publish_jobs (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL,
    initiated_by BLOB,
    rollback_to BLOB,
    status TEXT NOT NULL,
    steps TEXT NOT NULL,
    plan TEXT,
    started_at INTEGER NOT NULL,
    completed_at INTEGER,
    message TEXT,
    url TEXT,
    error_code TEXT,
    error_step TEXT
);
CREATE INDEX publish_jobs_project ON publish_jobs (project_id, id);

-- What visitors were shown, for ever: the manifest that the id hashes, and the rendered payload.
CREATE TABLE publications (
    project_id BLOB NOT NULL,
    configuration_id BLOB NOT NULL,
    id TEXT NOT NULL,
    collection TEXT NOT NULL,
    manifest TEXT NOT NULL,
    payload TEXT NOT NULL,
    job_id BLOB NOT NULL,
    published_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, configuration_id, id)
);

CREATE TABLE published_vendors (
    project_id BLOB NOT NULL,
    configuration_id BLOB NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (project_id, configuration_id, name)
);

CREATE TABLE live_projects (
    project_id BLOB NOT NULL PRIMARY KEY,
    job_id BLOB NOT NULL,
    content TEXT NOT NULL,
    objects TEXT NOT NULL,
    ip_key BLOB NOT NULL,
    published_at INTEGER NOT NULL
);

CREATE TABLE consents (
    project_id BLOB NOT NULL,
    seq BLOB NOT NULL,
    consent_id BLOB NOT NULL,
    collection TEXT NOT NULL,
    identifier BLOB NOT NULL,
    token TEXT NOT NULL,
    accept BOOLEAN NOT NULL,
    outcome TEXT NOT NULL,
    preferences TEXT NOT NULL,
    value TEXT,
    publication TEXT,
    received_at INTEGER NOT NULL,
    decided_at INTEGER NOT NULL,
    page_host TEXT,
    ip TEXT,
    country TEXT,
    user_agent TEXT,
    imported BOOLEAN NOT NULL,
    body_hash BLOB NOT NULL
);
CREATE UNIQUE INDEX consents_id ON consents (project_id, consent_id);
CREATE INDEX consents_time ON consents (project_id, decided_at, seq);
-- Serves the latest consent of a token, its history and lists of tokens. There is no table of
-- states beside it: each key that lies anywhere costs every consent a page.
CREATE INDEX consents_token ON consents (project_id, token, identifier, decided_at, seq, accept);

-- Consents per day of receipt (days since 1970, UTC), for charts. Lanes of the writer count apart,
-- so that no transaction waits for another one's commit.
CREATE TABLE consent_days (
    project_id BLOB NOT NULL,
    day INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    lane INTEGER NOT NULL,
    consents INTEGER NOT NULL,
    PRIMARY KEY (project_id, day, outcome, lane)
) WITHOUT ROWID;
