-- Access tokens as their owner sees them; the id is the token's. A token is valid without a row
-- here: what ends it is its time, the account's generation or `revoked_tokens`.
CREATE TABLE sessions (
    id UUID NOT NULL PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    device TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, created_at);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

CREATE TABLE api_keys (
    id UUID NOT NULL PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    prefix TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    -- Whether it reaches the projects of `api_key_projects` alone.
    limited BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    expires_at BIGINT
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);
CREATE INDEX api_keys_user ON api_keys (user_id, created_at);

CREATE TABLE api_key_projects (
    key_id UUID NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    project_id UUID NOT NULL,
    PRIMARY KEY (key_id, project_id)
);
