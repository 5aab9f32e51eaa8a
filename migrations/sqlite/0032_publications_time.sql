-- Lists of publications read the newest first. Without it they walk through all manifests and payloads.
CREATE INDEX publications_time ON publications (project_id, published_at DESC, configuration_id, id);
