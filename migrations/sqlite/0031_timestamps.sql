-- Time stamps over checkpoints (RFC 3161), checked before they were stored, but for the authority's signature.
CREATE TABLE ledger_timestamps (
    size INTEGER NOT NULL,
    -- The address of the authority.
    url TEXT NOT NULL,
    -- The stamp as the authority gave it.
    token BLOB NOT NULL,
    -- The time in it.
    stamped_at INTEGER NOT NULL,
    PRIMARY KEY (size, url)
);

-- How it stands with each authority: when it was asked, how often in a row in vain (a question that has no answer yet
-- counts), and what was wrong the last time.
CREATE TABLE ledger_authorities (
    url TEXT NOT NULL PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    fault TEXT,
    fault_at INTEGER
);
