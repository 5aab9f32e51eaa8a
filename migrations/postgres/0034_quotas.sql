-- Bytes that a document takes, with a flat thousand for its row.
ALTER TABLE documents ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
UPDATE documents SET bytes = 1000 + OCTET_LENGTH(CAST(data AS TEXT));
CREATE INDEX documents_created_by ON documents (created_by, bytes);
CREATE INDEX assets_uploaded_by ON assets (uploaded_by, size);

-- Bytes that an account made the server write and keep on a day (UTC, counted since 1970-01-01): publishes and imports.
CREATE TABLE account_days (
    account_id UUID NOT NULL,
    day BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (account_id, day)
);
CREATE INDEX account_days_day ON account_days (day);
