-- The batch with the entry that tells of a key; none for the first one, which the ledger's name tells of.
ALTER TABLE ledger_keys ADD COLUMN announced_in INTEGER;
