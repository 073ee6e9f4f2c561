-- How many shapes the messages of a segment are cut by (docs/adr/0017); 0: they are stored whole.
ALTER TABLE segments ADD COLUMN shapes INTEGER NOT NULL DEFAULT 0;
