-- The ledger: one Merkle tree of all consents, erasures and publications. One row, with the name that never
-- changes, the leaves that have an index (size), the leaves in the latest checkpoint (integrated), the
-- largest checkpoint whose partial files are gone (swept), the process that works on it, and why it stands still, if it does.
CREATE TABLE ledger (
    origin TEXT NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    integrated INTEGER NOT NULL,
    swept INTEGER NOT NULL,
    holder BLOB,
    held_until INTEGER NOT NULL,
    stopped TEXT
);

CREATE TABLE ledger_keys (
    public_key BLOB NOT NULL PRIMARY KEY,
    private_key BLOB NOT NULL,
    from_index INTEGER NOT NULL,
    retired INTEGER
);

-- Entries of one transaction each. They wait without an index; transactions that counted would wait for each
-- other's commits. The bytes go once the published files hold them.
CREATE TABLE ledger_batches (
    id INTEGER NOT NULL PRIMARY KEY,
    kind INTEGER NOT NULL,
    leaves INTEGER NOT NULL,
    entries BLOB,
    first_index INTEGER
);
CREATE INDEX ledger_batches_waiting ON ledger_batches (kind, id) WHERE first_index IS NULL;
CREATE INDEX ledger_batches_order ON ledger_batches (first_index);

CREATE TABLE ledger_checkpoints (
    size INTEGER NOT NULL PRIMARY KEY,
    root BLOB NOT NULL,
    note TEXT NOT NULL,
    created_at INTEGER NOT NULL
);

-- Without a salt, a consent stands in no ledger. An erased one keeps 128 bytes here that open only what its
-- tombstone tells.
ALTER TABLE consents ADD COLUMN salt BLOB;
ALTER TABLE consents ADD COLUMN batch INTEGER;
ALTER TABLE consents ADD COLUMN erasure_batch INTEGER;
ALTER TABLE publications ADD COLUMN batch INTEGER;
