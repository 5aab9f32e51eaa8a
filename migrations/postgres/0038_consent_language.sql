-- Reports count consents by the language that the widget spoke. Consents of earlier releases have none here: to write it
-- into each row would keep a large installation from starting for minutes.
ALTER TABLE consents ADD COLUMN language TEXT COLLATE "C";
DROP INDEX consents_time;
CREATE INDEX consents_time ON consents (project_id, decided_at, seq, outcome, identifier, collection, country, language, erased_at);
