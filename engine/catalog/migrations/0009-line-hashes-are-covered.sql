-- The hashes of lines decide what is left out as an overlap: they are covered like all else.
ALTER TABLE line_hashes ADD COLUMN row_hash BLOB;
