-- Concerns of projects that their people were told of, each once while it lasts. One that began anew has another `since`.
CREATE TABLE concerns (
    project_id BLOB NOT NULL,
    kind TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (project_id, kind)
);

-- Sites that had the snippet once at this address, since when it is missing, and how many looks in a row have missed it.
CREATE TABLE site_checks (
    project_id BLOB NOT NULL PRIMARY KEY,
    address TEXT NOT NULL,
    checked_at INTEGER NOT NULL,
    missing_since INTEGER,
    misses INTEGER NOT NULL
);
CREATE INDEX site_checks_due ON site_checks (checked_at);

-- The last publish of a project to end, which need not be the last to be asked for.
CREATE INDEX publish_jobs_ended ON publish_jobs (project_id, completed_at, id) WHERE completed_at IS NOT NULL;
-- How many letters an address has had of late.
CREATE INDEX letters_recipient ON letters (recipient, created_at);

-- Letters that an account wants, and the last week whose digest it was sent.
ALTER TABLE users ADD COLUMN concern_letters BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE users ADD COLUMN digest_letters BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN digest_week INTEGER;
