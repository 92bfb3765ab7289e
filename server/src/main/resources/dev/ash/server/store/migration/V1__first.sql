-- Times are milliseconds since 1970. ${bytes} is the database's type for bytes.

CREATE TABLE tenants (
    id         TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT NOT NULL,
    key_hash   TEXT NOT NULL UNIQUE,
    key_prefix TEXT NOT NULL,
    label      TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE agents (
    id         TEXT PRIMARY KEY,
    tenant_id  TEXT NOT NULL,
    name       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    path       TEXT NOT NULL,
    env        ${bytes},              -- sealed
    config     TEXT NOT NULL,         -- overlays .ash/agent.json
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (tenant_id, name)
);

CREATE TABLE sessions (
    id                TEXT PRIMARY KEY,
    tenant_id         TEXT NOT NULL,
    agent_id          TEXT NOT NULL,
    agent_name        TEXT NOT NULL,
    agent_version     INTEGER NOT NULL,
    sandbox_id        TEXT NOT NULL,
    status            TEXT NOT NULL,
    paused_by         TEXT,            -- 'client' waits for resume, 'server' wakes on the next message
    runner_id         TEXT,
    parent_session_id TEXT,
    engine            TEXT NOT NULL,
    model             TEXT,
    permission_mode   TEXT NOT NULL,
    settings          ${bytes} NOT NULL, -- sealed: what a resume needs to configure its bridge
    isolation         TEXT,
    error             TEXT,
    created_at        BIGINT NOT NULL,
    last_active_at    BIGINT NOT NULL,
    ended_at          BIGINT
);
CREATE INDEX sessions_by_tenant ON sessions (tenant_id, created_at);
CREATE INDEX sessions_by_agent ON sessions (agent_id, agent_version);
CREATE INDEX sessions_by_status ON sessions (status);

CREATE TABLE sandboxes (
    id            TEXT PRIMARY KEY,
    tenant_id     TEXT NOT NULL,
    session_id    TEXT,
    agent_name    TEXT NOT NULL,
    state         TEXT NOT NULL,
    workspace_dir TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    last_used_at  BIGINT NOT NULL
);

CREATE TABLE turns (
    id         TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    origin     TEXT NOT NULL,          -- 'client' or 'engine'
    status     TEXT NOT NULL,          -- 'running', 'done' or 'error'
    started_at BIGINT NOT NULL,
    ended_at   BIGINT
);
CREATE INDEX turns_running ON turns (session_id) WHERE status = 'running';

CREATE TABLE events (
    session_id TEXT NOT NULL,
    seq        BIGINT NOT NULL,        -- 1, 2, 3 … without a gap
    turn_id    TEXT,
    type       TEXT NOT NULL,          -- prompt, message, error, done, lifecycle
    data       ${bytes} NOT NULL,      -- JSON as it came
    created_at BIGINT NOT NULL,
    bridge_id  TEXT,                   -- which launch of a bridge said it, and as its how manieth event
    n          BIGINT,
    message_no BIGINT,                 -- place among the rows of GET …/messages
    event_no   BIGINT,                 -- place of the first of its rows of GET …/events
    PRIMARY KEY (session_id, seq)
);
CREATE UNIQUE INDEX events_one_done ON events (turn_id) WHERE type = 'done';
CREATE UNIQUE INDEX events_messages ON events (session_id, message_no) WHERE message_no IS NOT NULL;
CREATE UNIQUE INDEX events_events ON events (session_id, event_no) WHERE event_no IS NOT NULL;
CREATE UNIQUE INDEX events_of_bridge ON events (session_id, bridge_id, n) WHERE n IS NOT NULL;

CREATE TABLE idempotency_keys (
    tenant_id  TEXT NOT NULL,
    key        TEXT NOT NULL,
    body_hash  TEXT NOT NULL,
    session_id TEXT NOT NULL,
    turn_id    TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
