-- Letters that strangers ask for are counted by mailbox: an address without what follows a `+` in it.
ALTER TABLE letters ADD COLUMN mailbox TEXT NOT NULL DEFAULT '';
UPDATE letters SET mailbox = recipient;
CREATE INDEX letters_mailbox ON letters (mailbox, created_at);
