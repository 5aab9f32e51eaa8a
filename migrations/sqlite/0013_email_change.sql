-- The address that an account wants instead of its own and has not proved yet, and how long it may.
ALTER TABLE users ADD COLUMN pending_email TEXT;
ALTER TABLE users ADD COLUMN pending_email_until INTEGER;
