-- Keys of earlier versions have all scopes (scopes is null) and never expire.
-- A revoked row keeps no hash: its key_hash becomes 'revoked:' and the id, so that no version accepts the key again.

ALTER TABLE api_keys ADD COLUMN scopes TEXT;
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT;
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT;
ALTER TABLE api_keys ADD COLUMN revoked_at BIGINT;

CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id);
