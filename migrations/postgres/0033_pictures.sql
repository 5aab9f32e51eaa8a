-- Pictures of publications, as Chromium drew them. The list (JSON) names them by their hashes and has its own hash in
-- the ledger; the pictures are in the object store. Without a list they are being taken (asked), or could not be (failed).
CREATE TABLE publication_pictures (
    project_id UUID NOT NULL,
    configuration_id UUID NOT NULL,
    publication TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    fault TEXT,
    list TEXT,
    list_hash TEXT COLLATE "C",
    batch BIGINT,
    PRIMARY KEY (project_id, configuration_id, publication)
);
