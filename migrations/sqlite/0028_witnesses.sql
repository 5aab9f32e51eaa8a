-- What witnesses have signed: the first cosignature of each under a checkpoint, verified before it was stored.
CREATE TABLE ledger_cosignatures (
    size INTEGER NOT NULL,
    -- Name and key, as verifiers write it (a vkey).
    witness TEXT NOT NULL,
    -- The line below the note of the checkpoint.
    line TEXT NOT NULL,
    -- Seconds since 1970, as the witness says.
    signed_at INTEGER NOT NULL,
    PRIMARY KEY (size, witness)
);

-- How it stands with each witness: the largest tree that it signed and when, when it was asked, what was wrong the last
-- time, and how it contradicts the ledger, with the size of the tree that it has seen, until it agrees again.
CREATE TABLE ledger_witnesses (
    witness TEXT NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    cosigned_at INTEGER,
    asked_at INTEGER NOT NULL,
    fault TEXT,
    fault_at INTEGER,
    contradiction TEXT,
    awaited INTEGER
);

-- The witness that the ledger stands still for, one of those that contradict it, and the size of the tree that it has
-- seen. The ledger goes on once its files have that tree and no other witness contradicts it.
ALTER TABLE ledger ADD COLUMN stopped_by TEXT;
ALTER TABLE ledger ADD COLUMN awaited INTEGER;
