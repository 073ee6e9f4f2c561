-- Days of a segment that holds several of them, in order: [["2026-11-20",120],["2026-11-21",33]]; null: all rows are of `day`,
-- which is the first of them.
ALTER TABLE segments ADD COLUMN days TEXT;
