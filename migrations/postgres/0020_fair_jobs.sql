-- The account that asked for a job: no account waits for the many jobs of another.
ALTER TABLE jobs ADD COLUMN account UUID;
CREATE INDEX jobs_account ON jobs (account) WHERE account IS NOT NULL;
