-- Global Vendor Lists of IAB Europe, by version. Their bodies are objects.
CREATE TABLE gvl (
    version INTEGER NOT NULL PRIMARY KEY,
    policy INTEGER NOT NULL,
    -- The time that the list names.
    updated_at INTEGER NOT NULL,
    -- The list with the latest time is in use.
    fetched_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    sha256 TEXT NOT NULL
);
-- Their official translations. The latest of a language is in use.
CREATE TABLE gvl_texts (
    language TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    fetched_at INTEGER NOT NULL,
    PRIMARY KEY (language, sha256)
);
