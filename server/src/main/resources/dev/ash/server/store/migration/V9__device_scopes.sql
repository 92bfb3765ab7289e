-- What a device may do, and until when.

ALTER TABLE devices ADD COLUMN scopes TEXT;             -- watch, approve, steer, separated by commas; null: all
ALTER TABLE devices ADD COLUMN token_expires_at BIGINT; -- of the device's own token; null: never
