-- Removal of sessions, and what limits need to know.

-- Sessions whose removal has begun: their row in sessions is gone, so nobody finds them, and the rest follows in batches.
CREATE TABLE purges (
    session_id TEXT PRIMARY KEY,
    tenant_id  TEXT NOT NULL,
    sandbox_id TEXT NOT NULL,
    begun_at   BIGINT NOT NULL
);

ALTER TABLE events ADD COLUMN log_bytes BIGINT;  -- size of the session's log up to and with this event; null: written before V8

-- The size of each version of an agent's files that is still on disk.
CREATE TABLE agent_versions (
    agent_id TEXT NOT NULL,
    version  INTEGER NOT NULL,
    bytes    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, version)
);

CREATE INDEX sessions_ended ON sessions (ended_at) WHERE status = 'ended';
CREATE INDEX sessions_not_ended ON sessions (tenant_id, status) WHERE status <> 'ended';
CREATE INDEX turns_of_session ON turns (session_id, place);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_of_session ON idempotency_keys (session_id);
CREATE INDEX device_cursors_of_session ON device_cursors (session_id);
CREATE INDEX notifications_of_session ON notifications (session_id);
