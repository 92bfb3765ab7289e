-- How risky a tool call is, where whoever asks about it says so.

ALTER TABLE approvals ADD COLUMN risk_level TEXT; -- low, medium, high or critical; null: nobody said
