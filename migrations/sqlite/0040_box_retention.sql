-- For how many months consents to a box are kept. A box that is gone for good leaves it behind, as long as its project is there.
CREATE TABLE box_retention (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL,
    months REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX box_retention_project ON box_retention (project_id);
