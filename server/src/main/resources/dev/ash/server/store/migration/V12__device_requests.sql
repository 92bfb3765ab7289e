-- Requests of devices that must run once although their connection may have dropped: deleted once the device has confirmed an answer.

CREATE TABLE device_requests (
    id            TEXT PRIMARY KEY,       -- the turn of a message; the idempotency key of a session_start
    device_id     TEXT NOT NULL,
    session_id    TEXT,                   -- null for a session_start
    digest        TEXT NOT NULL,          -- of the session, the id and the content of the request
    connection_id TEXT NOT NULL,          -- the connection that sent it last
    created_at    BIGINT NOT NULL
);
CREATE INDEX device_requests_by_digest ON device_requests (device_id, digest);
CREATE INDEX device_requests_of_session ON device_requests (session_id);
CREATE INDEX device_requests_by_age ON device_requests (created_at);
