-- What a server that comes back needs to know to go on where another was killed.

ALTER TABLE turns ADD COLUMN query ${bytes};    -- the command for the bridge, sent again if it does not know the turn
ALTER TABLE turns ADD COLUMN place BIGINT;      -- order among the queued turns of a session
-- turns.status is also 'queued' (not begun), 'deferred' (its question is laid aside, no engine runs) and
-- 'continued' (an engine took the question up again)
DROP INDEX turns_running;
CREATE INDEX turns_open ON turns (session_id, place) WHERE status IN ('queued', 'running', 'deferred', 'continued');

ALTER TABLE sandboxes ADD COLUMN nonce TEXT;    -- of its latest launch; also bridge_id of its events

CREATE TABLE approvals (
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT NOT NULL,
    session_id    TEXT NOT NULL,
    turn_id       TEXT,
    kind          TEXT NOT NULL,        -- tool, question or plan
    tool          TEXT NOT NULL,
    tool_use_id   TEXT,
    description   TEXT,
    input         ${bytes} NOT NULL,    -- JSON as the engine wrote it
    status        TEXT NOT NULL,        -- pending, approved, modified, rejected, expired, cancelled
    decided_input ${bytes},
    message       TEXT,
    scope         TEXT,
    decided_by    TEXT,
    created_at    BIGINT NOT NULL,
    decided_at    BIGINT,
    expires_at    BIGINT,
    bridge_id     TEXT NOT NULL,        -- who asks, under which name, as its how manieth event
    question      TEXT NOT NULL,
    n             BIGINT NOT NULL,
    spent_at      BIGINT,               -- the decision was given to a bridge: never to another call
    told_at       BIGINT                -- a later prompt carried the decision, as there was nobody to give it to
);
CREATE INDEX approvals_pending ON approvals (tenant_id, created_at) WHERE status = 'pending';
CREATE INDEX approvals_of_tenant ON approvals (tenant_id, created_at);
CREATE INDEX approvals_of_session ON approvals (session_id, created_at);
CREATE INDEX approvals_unspent ON approvals (session_id) WHERE spent_at IS NULL;
CREATE UNIQUE INDEX approvals_of_bridge ON approvals (session_id, bridge_id, n);

CREATE TABLE approval_rules (
    session_id TEXT NOT NULL,
    tool       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (session_id, tool)
);
