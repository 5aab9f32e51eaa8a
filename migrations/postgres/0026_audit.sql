-- The audit log: who did something in a project or an organization (`group_id`), and when.
CREATE TABLE audit (
    id UUID NOT NULL PRIMARY KEY,
    group_id UUID NOT NULL,
    -- The same action of one person on one thing within an hour is one entry. Actions that always count have a slot
    -- of their own.
    slot BIGINT NOT NULL,
    at BIGINT NOT NULL,
    -- Zero: Placet itself.
    user_id UUID NOT NULL,
    -- Zero: without an API key.
    key_id UUID NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    -- The collection of a document.
    collection TEXT COLLATE "C",
    -- Zero: no single thing.
    subject_id UUID NOT NULL,
    title TEXT NOT NULL,
    details TEXT NOT NULL
);
CREATE UNIQUE INDEX audit_slot ON audit (group_id, slot, action, user_id, key_id, subject_id);
CREATE INDEX audit_group ON audit (group_id, id);
