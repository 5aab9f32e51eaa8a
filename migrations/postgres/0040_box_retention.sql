-- For how many months consents to a box are kept. A box that is gone for good leaves it behind, as long as its project is there.
CREATE TABLE box_retention (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL,
    months DOUBLE PRECISION NOT NULL
);
CREATE INDEX box_retention_project ON box_retention (project_id);
