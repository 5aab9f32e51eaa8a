-- Passkeys as a second factor (W3C Web Authentication).
CREATE TABLE passkeys (
    id UUID NOT NULL PRIMARY KEY,
    user_id UUID NOT NULL REFERENCES users (id),
    -- The authenticator's own id.
    credential_id BYTEA NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    -- Public key and counter, as the library writes them.
    credential TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);
CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential_id);
-- Questions that a browser has not answered: one for each account and purpose.
CREATE TABLE passkey_questions (
    user_id UUID NOT NULL REFERENCES users (id),
    purpose TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, purpose)
);
-- True if nobody without a second factor has a role on the organization and its projects.
ALTER TABLE organizations ADD COLUMN requires_second_factor BOOLEAN NOT NULL DEFAULT FALSE;
-- Every second factor that a sign-in asks for.
CREATE VIEW confirmed_factors AS
    SELECT user_id FROM second_factors WHERE confirmed_at IS NOT NULL
    UNION ALL SELECT user_id FROM passkeys;
-- Roles that count. Permissions read these views and not the tables.
CREATE VIEW effective_organization_members AS
    SELECT m.organization_id, m.user_id, m.role
    FROM organization_members m JOIN organizations o ON o.id = m.organization_id
    WHERE NOT o.requires_second_factor
        OR EXISTS (SELECT 1 FROM confirmed_factors f WHERE f.user_id = m.user_id);
CREATE VIEW effective_members AS
    SELECT m.document_id, m.user_id, m.role
    FROM members m JOIN documents d ON d.id = m.document_id
    LEFT JOIN documents p ON p.id = d.project_id
    LEFT JOIN organizations o ON o.id = COALESCE(p.organization_id, d.organization_id)
    WHERE o.id IS NULL OR NOT o.requires_second_factor
        OR EXISTS (SELECT 1 FROM confirmed_factors f WHERE f.user_id = m.user_id);
