-- An erasure takes rows that wait as well, so they name their project. Parts of an older process name none.
ALTER TABLE consent_import_parts ADD COLUMN project_id UUID;
