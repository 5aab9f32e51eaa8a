-- Time stamps over checkpoints (RFC 3161), checked before they were stored, but for the authority's signature.
CREATE TABLE ledger_timestamps (
    size BIGINT NOT NULL,
    -- The address of the authority.
    url TEXT COLLATE "C" NOT NULL,
    -- The stamp as the authority gave it.
    token BYTEA NOT NULL,
    -- The time in it.
    stamped_at BIGINT NOT NULL,
    PRIMARY KEY (size, url)
);

-- How it stands with each authority: when it was asked, how often in a row in vain (a question that has no answer yet
-- counts), and what was wrong the last time.
CREATE TABLE ledger_authorities (
    url TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    asked_at BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    fault TEXT,
    fault_at BIGINT
);
