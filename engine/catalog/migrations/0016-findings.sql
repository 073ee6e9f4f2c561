-- What the analyst says of findings (engine/contract/findings.ts), which are tags and notes. `severity`: null where it was not
-- rated. `place`: in the report, from 1; null: after those that have one. `color` of a tag: null for one by its number.
ALTER TABLE tags ADD COLUMN color TEXT;
ALTER TABLE tags ADD COLUMN severity TEXT;
ALTER TABLE tags ADD COLUMN place INTEGER;
ALTER TABLE notes ADD COLUMN severity TEXT;
ALTER TABLE notes ADD COLUMN place INTEGER;
