-- With a secret, a project takes consents of tokens that its site has signed, and no others. It stands
-- beside the document, so that nothing that reads or searches documents finds it.
ALTER TABLE documents ADD COLUMN token_secret TEXT;

-- Whether the token carried a right signature when its consent was stored.
ALTER TABLE consents ADD COLUMN token_signed BOOLEAN NOT NULL DEFAULT FALSE;
