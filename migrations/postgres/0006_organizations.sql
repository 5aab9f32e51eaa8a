CREATE TABLE organizations (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_by UUID NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE organization_members (
    organization_id UUID NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX organization_members_user ON organization_members (user_id);

-- The organization of a project or custom vendor, and the strongest role that it gives its members
-- there: that of whoever joined the two.
ALTER TABLE documents ADD COLUMN organization_id UUID;
ALTER TABLE documents ADD COLUMN organization_role TEXT COLLATE "C";
CREATE INDEX documents_organization ON documents (organization_id);

-- Of organization and project one is set.
CREATE TABLE invitations (
    id UUID NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    email_key TEXT COLLATE "C" NOT NULL,
    organization_id UUID REFERENCES organizations (id) ON DELETE CASCADE,
    project_id UUID REFERENCES documents (id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL,
    invited_by UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX invitations_organization ON invitations (organization_id);
CREATE INDEX invitations_project ON invitations (project_id);
CREATE INDEX invitations_inviter ON invitations (invited_by, created_at);
CREATE INDEX invitations_expires_at ON invitations (expires_at);
