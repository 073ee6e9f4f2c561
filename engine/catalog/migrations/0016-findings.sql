-- Ratings of findings (engine/contract/findings.ts), which are tags and notes. `severity`: null if unrated. `place`: in the
-- report, from 1; null: after the findings with a place. `color` of a tag: null for the default by its number.
ALTER TABLE tags ADD COLUMN color TEXT;
ALTER TABLE tags ADD COLUMN severity TEXT;
ALTER TABLE tags ADD COLUMN place INTEGER;
ALTER TABLE notes ADD COLUMN severity TEXT;
ALTER TABLE notes ADD COLUMN place INTEGER;
