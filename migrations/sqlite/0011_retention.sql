-- Consents of a project that are gone because their time was over. Days go on counting them.
CREATE TABLE consents_removed (
    project_id BLOB NOT NULL PRIMARY KEY,
    consents INTEGER NOT NULL
);
