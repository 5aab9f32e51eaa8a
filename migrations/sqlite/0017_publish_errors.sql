-- The fields of documents that made a publish fail, as JSON.
ALTER TABLE publish_jobs ADD COLUMN error_documents TEXT;
