-- A box that moves to another project has a time in each: visitors of either were told of theirs.
ALTER TABLE box_retention
    DROP CONSTRAINT box_retention_pkey,
    ADD PRIMARY KEY (project_id, id);
DROP INDEX box_retention_project;
