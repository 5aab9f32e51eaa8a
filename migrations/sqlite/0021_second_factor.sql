-- Codes of an authenticator app (RFC 6238), and the codes that replace a lost one.
CREATE TABLE second_factors (
    user_id BLOB NOT NULL PRIMARY KEY REFERENCES users (id),
    -- Sealed.
    secret BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    -- Before the first code, nothing asks for one.
    confirmed_at INTEGER,
    -- Time step of the latest code that was used: each is good once.
    last_time_step INTEGER NOT NULL
);
CREATE TABLE recovery_codes (
    user_id BLOB NOT NULL REFERENCES users (id),
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
);
