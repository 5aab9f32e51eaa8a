-- Rows of files that are being imported, many to a part, as JSON. Parts of an import whose job is
-- there are decided and move into consents one by one; others are still being read, or left behind.
CREATE TABLE consent_import_parts (
    import_id UUID NOT NULL,
    number BIGINT NOT NULL,
    records TEXT NOT NULL,
    PRIMARY KEY (import_id, number)
);

-- When what names the person was removed; the row stays as a tombstone with an empty token.
ALTER TABLE consents ADD COLUMN erased_at BIGINT;
