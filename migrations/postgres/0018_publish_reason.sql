-- Why somebody published in spite of warnings, and the warnings about what was published, as JSON.
ALTER TABLE publish_jobs ADD COLUMN reason TEXT;
ALTER TABLE publish_jobs ADD COLUMN warnings TEXT;
