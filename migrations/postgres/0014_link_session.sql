-- The session that links an identity; a login that links nothing has none. A link ends with its
-- session, and one of a version that did not know this is never finished.
ALTER TABLE oidc_logins ADD COLUMN session_id UUID REFERENCES sessions (id) ON DELETE CASCADE;
CREATE INDEX oidc_logins_session ON oidc_logins (session_id);
CREATE INDEX oidc_logins_user ON oidc_logins (user_id);
