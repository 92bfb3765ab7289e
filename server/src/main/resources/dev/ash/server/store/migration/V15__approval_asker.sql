-- Who asks: an engine through its bridge, a terminal through its hooks, or a run of a pair. Earlier versions tell it by a prefix of bridge_id.

ALTER TABLE approvals ADD COLUMN asker TEXT NOT NULL DEFAULT 'engine'; -- engine, hooks or pair

UPDATE approvals SET asker = 'hooks' WHERE substr(bridge_id, 1, 6) = 'hooks:';
UPDATE approvals SET asker = 'pair' WHERE substr(bridge_id, 1, 5) = 'pair:';
