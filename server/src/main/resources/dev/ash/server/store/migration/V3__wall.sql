-- What stands between a session and everything else, and what it has used of the model.

ALTER TABLE sessions ADD COLUMN wall TEXT;               -- JSON: limits, network, credential, budget
ALTER TABLE sessions ADD COLUMN is_set_up BOOLEAN NOT NULL DEFAULT FALSE; -- install.sh and startup.sh have succeeded
ALTER TABLE sessions ADD COLUMN input_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN output_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cache_creation_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cache_read_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cost_micro_usd BIGINT NOT NULL DEFAULT 0;

CREATE TABLE credentials (
    id           TEXT PRIMARY KEY,
    tenant_id    TEXT NOT NULL,
    type         TEXT NOT NULL,        -- anthropic or openai
    label        TEXT NOT NULL,
    secret       ${bytes} NOT NULL,    -- sealed
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX credentials_of_tenant ON credentials (tenant_id, created_at);
