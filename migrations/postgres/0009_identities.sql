-- Accounts at OpenID Connect providers that sign in here; the issuer's word for somebody is the
-- subject.
CREATE TABLE identities (
    id UUID NOT NULL PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider TEXT COLLATE "C" NOT NULL,
    issuer TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    email TEXT,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identities_subject ON identities (issuer, subject);
CREATE INDEX identities_user ON identities (user_id, created_at);

-- Logins that have left for a provider. The state is kept as its hash, the PKCE verifier sealed.
CREATE TABLE oidc_logins (
    state_hash BYTEA NOT NULL PRIMARY KEY,
    provider TEXT COLLATE "C" NOT NULL,
    nonce TEXT NOT NULL,
    verifier BYTEA NOT NULL,
    user_id UUID REFERENCES users (id) ON DELETE CASCADE,
    next TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oidc_logins_expires_at ON oidc_logins (expires_at);
