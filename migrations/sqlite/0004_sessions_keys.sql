-- Access tokens as their owner sees them; the id is the token's. A token is valid without a row
-- here: what ends it is its time, the account's generation or `revoked_tokens`.
CREATE TABLE sessions (
    id BLOB NOT NULL PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    device TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, created_at);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

CREATE TABLE api_keys (
    id BLOB NOT NULL PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash BLOB NOT NULL,
    scopes TEXT NOT NULL,
    -- Whether it reaches the projects of `api_key_projects` alone.
    limited BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    expires_at INTEGER
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_user ON api_keys (user_id, created_at);

CREATE TABLE api_key_projects (
    key_id BLOB NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    project_id BLOB NOT NULL,
    PRIMARY KEY (key_id, project_id)
);
