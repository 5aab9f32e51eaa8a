-- Publishes that wait for a time, or for the approval of a second person. A project has one at most.
ALTER TABLE publish_jobs ADD COLUMN publish_at BIGINT;
-- 'wanted' or 'given'; absent where nobody has to approve.
ALTER TABLE publish_jobs ADD COLUMN approval TEXT COLLATE "C";
-- SHA-256 of the content when somebody asked for it. Drafts that changed before it was kept are not what was asked for.
ALTER TABLE publish_jobs ADD COLUMN asked_content TEXT;
-- Who approved or cancelled it, and when.
ALTER TABLE publish_jobs ADD COLUMN decided_by UUID;
ALTER TABLE publish_jobs ADD COLUMN decided_at BIGINT;
CREATE UNIQUE INDEX publish_jobs_waiting ON publish_jobs (project_id) WHERE status = 'waiting';
