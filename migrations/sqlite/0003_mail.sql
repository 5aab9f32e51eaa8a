-- When the account last proved that its e-mail address is its own; empty after a change of it.
ALTER TABLE users ADD COLUMN email_verified_at INTEGER;

-- Letters to send. Links with secrets are made when a letter is sent, so none lies here.
CREATE TABLE letters (
    id BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    recipient TEXT NOT NULL,
    content TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    last_answer TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE INDEX letters_finished_at ON letters (finished_at);

-- What a link in a mail proves, once: kept as SHA-256 of a random secret.
CREATE TABLE mailed_secrets (
    hash BLOB NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    subject BLOB NOT NULL,
    email_key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX mailed_secrets_subject ON mailed_secrets (subject, purpose, created_at);
CREATE INDEX mailed_secrets_expires_at ON mailed_secrets (expires_at);
