-- True for somebody whom another member added by the account's id, until that person accepts an invitation there: it was
-- nobody's own wish.
ALTER TABLE members ADD COLUMN is_added BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE organization_members ADD COLUMN is_added BOOLEAN NOT NULL DEFAULT FALSE;
-- The project that a letter warns of.
ALTER TABLE letters ADD COLUMN about UUID;
