-- The folder of the host that an agent's files were copied from, as the client named it; null: they were uploaded.

ALTER TABLE agents ADD COLUMN source TEXT;
