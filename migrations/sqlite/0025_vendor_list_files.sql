-- Files of others that the layout iab needs, and what is known of their last fetch.
CREATE TABLE tcf_files (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    -- The content that was taken last; null before the first.
    sha256 TEXT,
    etag TEXT,
    last_modified TEXT,
    tried_at INTEGER,
    -- The last try that brought the content, or found it unchanged.
    fetched_at INTEGER,
    -- Nobody asks for it before.
    due_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    failure TEXT,
    PRIMARY KEY (kind, name)
);
