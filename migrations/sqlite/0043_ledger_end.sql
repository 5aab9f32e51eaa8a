-- The published minimum index, and the index below which the files of leaves are gone: entries that are older than the
-- ledger is kept.
ALTER TABLE ledger ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

-- The first key of the next ledger, sealed, once the last entry of this one names it: nothing stands behind that entry.
ALTER TABLE ledger ADD COLUMN next_public_key BLOB;
ALTER TABLE ledger ADD COLUMN next_private_key BLOB;

-- Ledgers that have ended, by their numbers from 1 on: the name, the leaves that published checkpoints cover, both indexes as
-- above, and the public key of the promises, if there are any. The tables below have what was theirs, so that nothing takes it for the present ledger's.
CREATE TABLE retired_ledgers (
    number INTEGER NOT NULL PRIMARY KEY,
    origin TEXT NOT NULL,
    size INTEGER NOT NULL,
    pruned INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    retired_at INTEGER NOT NULL,
    promise_key BLOB
);

-- Public halves. The private ones are destroyed when a ledger ends.
CREATE TABLE retired_keys (
    ledger INTEGER NOT NULL,
    public_key BLOB NOT NULL,
    from_index INTEGER NOT NULL,
    retired INTEGER NOT NULL,
    PRIMARY KEY (ledger, public_key)
);

CREATE TABLE retired_checkpoints (
    ledger INTEGER NOT NULL,
    size INTEGER NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (ledger, size)
);

CREATE TABLE retired_cosignatures (
    ledger INTEGER NOT NULL,
    size INTEGER NOT NULL,
    witness TEXT NOT NULL,
    line TEXT NOT NULL,
    signed_at INTEGER NOT NULL,
    PRIMARY KEY (ledger, size, witness)
);

CREATE TABLE retired_timestamps (
    ledger INTEGER NOT NULL,
    size INTEGER NOT NULL,
    url TEXT NOT NULL,
    token BLOB NOT NULL,
    stamped_at INTEGER NOT NULL,
    PRIMARY KEY (ledger, size, url)
);

-- The batches of publications, and of the lists of their pictures, in a ledger that has ended. They have others in the next
-- one, because a proof shows the publication that stands before its consent in the same ledger.
CREATE TABLE retired_publications (
    ledger INTEGER NOT NULL,
    project_id BLOB NOT NULL,
    configuration_id BLOB NOT NULL,
    id TEXT NOT NULL,
    batch INTEGER,
    pictures_batch INTEGER,
    PRIMARY KEY (ledger, project_id, configuration_id, id)
);

-- The number of the ledger that has ended with these entries; none in the present one. The rows stay, because SQLite would
-- give their ids again, and consents name them.
ALTER TABLE ledger_batches ADD COLUMN retired_in INTEGER;

-- Batches of the present ledger in their order, without those of ledgers that have ended.
CREATE INDEX ledger_batches_present ON ledger_batches (first_index) WHERE retired_in IS NULL;
DROP INDEX ledger_batches_order;
