-- Google's lists of ad technology providers, for Additional Consent. Their bodies are objects.
CREATE TABLE gvl_providers (
    sha256 TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    providers BIGINT NOT NULL,
    source TEXT NOT NULL,
    -- The list with the latest time is in use.
    fetched_at BIGINT NOT NULL
);
