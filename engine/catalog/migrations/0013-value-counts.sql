-- How many rows have a value: an array of numbers, one for each of `columns` in their order, then for the source and the destination
-- address, which are in two columns each. Null: written before this, until the case is compacted.
ALTER TABLE segments ADD COLUMN value_counts TEXT;
