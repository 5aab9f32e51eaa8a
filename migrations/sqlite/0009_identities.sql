-- Accounts at OpenID Connect providers that sign in here; the issuer's word for somebody is the
-- subject.
CREATE TABLE identities (
    id BLOB NOT NULL PRIMARY KEY,
    user_id BLOB NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX identities_subject ON identities (issuer, subject);
CREATE INDEX identities_user ON identities (user_id, created_at);

-- Logins that have left for a provider. The state is kept as its hash, the PKCE verifier sealed.
CREATE TABLE oidc_logins (
    state_hash BLOB NOT NULL PRIMARY KEY,
    provider TEXT NOT NULL,
    nonce TEXT NOT NULL,
    verifier BLOB NOT NULL,
    user_id BLOB REFERENCES users (id) ON DELETE CASCADE,
    next TEXT NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX oidc_logins_expires_at ON oidc_logins (expires_at);
