-- Model calls in flight, so that budgets also bound calls that run in parallel.

CREATE TABLE reservations (
    id             TEXT PRIMARY KEY,
    tenant_id      TEXT NOT NULL,
    agent_name     TEXT NOT NULL,
    session_id     TEXT NOT NULL,
    day            TEXT NOT NULL,        -- the UTC date on which the call began, such as 2026-11-17
    server_id      TEXT NOT NULL,        -- the server that makes the call and settles it
    input_tokens   BIGINT NOT NULL,      -- estimates, as the other two
    output_tokens  BIGINT NOT NULL,
    cost_micro_usd BIGINT NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE INDEX reservations_of_session ON reservations (session_id);
