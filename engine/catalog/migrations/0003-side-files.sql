-- The index file beside a segment (days/DAY/ID.idx); null where there is none: the segment is scanned.
ALTER TABLE segments ADD COLUMN index_bytes INTEGER;
ALTER TABLE segments ADD COLUMN index_sha256 TEXT;
