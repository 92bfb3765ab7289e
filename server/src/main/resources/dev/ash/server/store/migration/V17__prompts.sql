-- Finds the prompt of a turn without reading the log of its session.

CREATE INDEX events_prompts ON events (turn_id) WHERE type = 'prompt';
