-- The batch with the entry that tells of the end of a key; none while it signs.
ALTER TABLE ledger_keys ADD COLUMN ended_in INTEGER;
