-- Global Vendor Lists of IAB Europe, by version. Their bodies are objects.
CREATE TABLE gvl (
    version BIGINT NOT NULL PRIMARY KEY,
    policy BIGINT NOT NULL,
    -- The time that the list names.
    updated_at BIGINT NOT NULL,
    -- The list with the latest time is in use.
    fetched_at BIGINT NOT NULL,
    source TEXT NOT NULL,
    sha256 TEXT NOT NULL
);
-- Their official translations. The latest of a language is in use.
CREATE TABLE gvl_texts (
    language TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    fetched_at BIGINT NOT NULL,
    PRIMARY KEY (language, sha256)
);
