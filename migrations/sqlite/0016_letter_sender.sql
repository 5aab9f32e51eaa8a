-- Whose wish a letter is: what somebody sends to others is counted, whatever becomes of it.
ALTER TABLE letters ADD COLUMN sender BLOB;
CREATE INDEX letters_sender ON letters (sender, created_at);
