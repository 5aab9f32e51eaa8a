-- Files of others that the layout iab needs, and what is known of their last fetch.
CREATE TABLE tcf_files (
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    -- The content that was taken last; null before the first.
    sha256 TEXT,
    etag TEXT,
    last_modified TEXT,
    tried_at BIGINT,
    -- The last try that brought the content, or found it unchanged.
    fetched_at BIGINT,
    -- Nobody asks for it before.
    due_at BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    failure TEXT,
    PRIMARY KEY (kind, name)
);
