-- One index in place of two, because the transaction of each consent writes it. Entries that wait stand together without a
-- first index, in the order in which they get one.
DROP INDEX ledger_batches_waiting;
DROP INDEX ledger_batches_present;
CREATE INDEX ledger_batches_order ON ledger_batches (first_index, kind, id) WHERE retired_in IS NULL;
