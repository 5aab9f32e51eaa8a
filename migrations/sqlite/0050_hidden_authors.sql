-- True of an act of somebody whom another member had added by the account's id, and who showed no address there.
ALTER TABLE audit ADD COLUMN is_hidden BOOLEAN NOT NULL DEFAULT FALSE;
