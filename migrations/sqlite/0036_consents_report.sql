-- Reports are counted in the index of the consents' time alone, countries and erased consents included.
DROP INDEX consents_time;
CREATE INDEX consents_time ON consents (project_id, decided_at, seq, outcome, identifier, collection, country, erased_at);
