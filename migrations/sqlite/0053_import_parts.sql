-- An erasure looks into the parts of its project that wait. Without an index it reads past the records of all others.
CREATE INDEX consent_import_parts_project ON consent_import_parts (project_id);
