-- Lists of consents by outcome, configuration or collection are counted and found in the index of their time alone.
DROP INDEX consents_time;
CREATE INDEX consents_time ON consents (project_id, decided_at, seq, outcome, identifier, collection);
