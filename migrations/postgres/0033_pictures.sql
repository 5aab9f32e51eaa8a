-- Pictures of publications, as Chromium drew them. The list (JSON) names them by their hashes and has its own hash in
-- the ledger; the pictures are in the object store. Without a list they are being taken (asked), or could not be (failed).
-- `bytes` are those of the pictures; `asked_by` is the account that asked.
CREATE TABLE publication_pictures (
    project_id UUID NOT NULL,
    configuration_id UUID NOT NULL,
    publication TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    fault TEXT,
    asked_by UUID,
    bytes BIGINT NOT NULL DEFAULT 0,
    list TEXT,
    list_hash TEXT COLLATE "C",
    batch BIGINT,
    PRIMARY KEY (project_id, configuration_id, publication)
);
CREATE INDEX publication_pictures_asked_by ON publication_pictures (asked_by);

-- Long work that nobody waits for.
ALTER TABLE jobs ADD COLUMN aside BOOLEAN NOT NULL DEFAULT FALSE;
