-- Keys of the ledger for ML-DSA-44, in the order of their numbers. They stand apart from the others because the release
-- before takes each of those for one of Ed25519. A key signs checkpoints of more than from_index leaves, and up to as many as
-- it was retired at. The batches hold the entries that tell of its beginning, which waits for other entries, and of its end.
CREATE TABLE ledger_ml_dsa_keys (
    number BIGINT NOT NULL PRIMARY KEY,
    public_key BYTEA NOT NULL,
    private_key BYTEA NOT NULL,
    from_index BIGINT NOT NULL,
    retired BIGINT,
    announced_in BIGINT,
    ended_in BIGINT
);
