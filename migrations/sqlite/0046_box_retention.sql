-- A box that moves to another project has a time in each: visitors of either were told of theirs.
CREATE TABLE box_retention_by_project (
    project_id BLOB NOT NULL,
    id BLOB NOT NULL,
    months REAL NOT NULL,
    PRIMARY KEY (project_id, id)
) WITHOUT ROWID;
INSERT INTO box_retention_by_project SELECT project_id, id, months FROM box_retention;
DROP TABLE box_retention;
ALTER TABLE box_retention_by_project RENAME TO box_retention;
