-- Publishes that wait or run are counted before another one starts.
CREATE INDEX publish_jobs_unfinished ON publish_jobs (project_id, initiated_by) WHERE status = 'started';
