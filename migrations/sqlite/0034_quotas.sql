-- Bytes that a document takes, with a flat thousand for its row, and the account that they are counted for: the last
-- one that made it grow. Zero and null where a release wrote it that knows neither.
ALTER TABLE documents ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN held_by BLOB;
UPDATE documents SET bytes = 1000 + OCTET_LENGTH(data), held_by = created_by;
CREATE INDEX documents_held_by ON documents (held_by, bytes);
CREATE INDEX documents_unweighed ON documents (id) WHERE bytes = 0;
ALTER TABLE asset_renders ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

-- Bytes that the documents, the files and their renders of an account take.
CREATE TABLE account_bytes (
    account_id BLOB NOT NULL PRIMARY KEY,
    bytes INTEGER NOT NULL
);
INSERT INTO account_bytes (account_id, bytes)
SELECT held.id, SUM(held.bytes) FROM (
    SELECT held_by AS id, bytes FROM documents
    UNION ALL SELECT uploaded_by, size FROM assets
) held GROUP BY held.id;

-- Bytes that an account made the server write and keep on a day (UTC, counted since 1970-01-01): publishes and imports.
CREATE TABLE account_days (
    account_id BLOB NOT NULL,
    day INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (account_id, day)
);
CREATE INDEX account_days_day ON account_days (day);
