-- Bytes that a publish has paid for, as JSON by the thing that they belong to. An attempt after a crash does not pay again.
ALTER TABLE publish_jobs ADD COLUMN paid TEXT;
