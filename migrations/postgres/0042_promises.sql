-- The key that signs promises of the ledger, sealed, and the batch with the entry that tells of it. Made with the first
-- promise, so there is none where nobody asks for one.
CREATE TABLE ledger_promise_keys (
    public_key BYTEA NOT NULL PRIMARY KEY,
    private_key BYTEA NOT NULL,
    announced_in BIGINT NOT NULL
);
