-- Codes of an authenticator app (RFC 6238), and the codes that replace a lost one.
CREATE TABLE second_factors (
    user_id UUID NOT NULL PRIMARY KEY REFERENCES users (id),
    -- Sealed.
    secret BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    -- Before the first code, nothing asks for one.
    confirmed_at BIGINT,
    -- Time step of the latest code that was used: each is good once.
    last_time_step BIGINT NOT NULL
);
CREATE TABLE recovery_codes (
    user_id UUID NOT NULL REFERENCES users (id),
    hash BYTEA NOT NULL,
    PRIMARY KEY (user_id, hash)
);
