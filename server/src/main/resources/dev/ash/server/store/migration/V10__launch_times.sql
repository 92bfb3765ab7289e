-- When the latest launch of a sandbox began: the key of its placeholder is kept until it ends. Null: before this version.

ALTER TABLE sandboxes ADD COLUMN launched_at BIGINT;
