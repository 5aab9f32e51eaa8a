-- What witnesses have signed: the first cosignature of each under a checkpoint, verified before it was stored.
CREATE TABLE ledger_cosignatures (
    size BIGINT NOT NULL,
    -- Name and key, as verifiers write it (a vkey).
    witness TEXT COLLATE "C" NOT NULL,
    -- The line below the note of the checkpoint.
    line TEXT NOT NULL,
    -- Seconds since 1970, as the witness says.
    signed_at BIGINT NOT NULL,
    PRIMARY KEY (size, witness)
);

-- How it stands with each witness: the largest tree that it signed and when, when it was asked, what was wrong the last
-- time, and how it contradicts the ledger, with the size of the tree that it has seen, until it agrees again.
CREATE TABLE ledger_witnesses (
    witness TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    cosigned_at BIGINT,
    asked_at BIGINT NOT NULL,
    fault TEXT,
    fault_at BIGINT,
    contradiction TEXT,
    awaited BIGINT
);

-- The witness that the ledger stands still for, one of those that contradict it, and the size of the tree that it has
-- seen. The ledger goes on once its files have that tree and no other witness contradicts it.
ALTER TABLE ledger ADD COLUMN stopped_by TEXT COLLATE "C";
ALTER TABLE ledger ADD COLUMN awaited BIGINT;
