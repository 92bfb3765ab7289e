-- Devices that steer sessions, what they have seen, and sessions that run outside Ash.

ALTER TABLE sessions ADD COLUMN project TEXT; -- the folder of the host that it works in; null: a workspace of its own

CREATE TABLE devices (
    id              TEXT PRIMARY KEY,
    tenant_id       TEXT NOT NULL,
    name            TEXT NOT NULL,
    platform        TEXT,
    token_hash      ${bytes} NOT NULL,    -- of the pairing token until its first use, then of the device's own
    expires_at      BIGINT,               -- of the pairing token; null once it is paired
    created_at      BIGINT NOT NULL,
    paired_at       BIGINT,
    last_seen_at    BIGINT,
    revoked_at      BIGINT,
    acknowledged_at BIGINT                -- a person accepted that it connects over the open internet
);
CREATE UNIQUE INDEX devices_by_token ON devices (token_hash);
CREATE INDEX devices_of_tenant ON devices (tenant_id, created_at);

CREATE TABLE device_cursors (
    device_id  TEXT NOT NULL,
    session_id TEXT NOT NULL,
    seq        BIGINT NOT NULL,           -- the last event that the device has confirmed
    PRIMARY KEY (device_id, session_id)
);

CREATE TABLE notifications (
    device_id  TEXT NOT NULL,
    id         TEXT NOT NULL,
    session_id TEXT NOT NULL,
    subject    TEXT NOT NULL,             -- what it is about: a newer one about the same takes its place
    data       ${bytes} NOT NULL,         -- the payload, as it is sent
    created_at BIGINT NOT NULL,
    PRIMARY KEY (device_id, id)
);
CREATE INDEX notifications_by_subject ON notifications (device_id, subject);

CREATE TABLE hook_sessions (
    id         TEXT PRIMARY KEY,          -- as the engine in the terminal names it
    tenant_id  TEXT NOT NULL,
    directory  TEXT NOT NULL,
    title      TEXT NOT NULL,
    status     TEXT NOT NULL,             -- active or ended
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL
);
CREATE INDEX hook_sessions_of_tenant ON hook_sessions (tenant_id, seen_at);
