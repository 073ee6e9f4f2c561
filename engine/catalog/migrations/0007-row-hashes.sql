-- Whether the catalog still holds what was written: a hash of each row, and for each table the number of its rows and
-- the sum of their hashes (engine/catalog/row-hashes.ts). Columns that later migrations add need a default.
ALTER TABLE meta ADD COLUMN row_hash BLOB;
ALTER TABLE imports ADD COLUMN row_hash BLOB;
ALTER TABLE sources ADD COLUMN row_hash BLOB;
ALTER TABLE ledger ADD COLUMN row_hash BLOB;
ALTER TABLE segments ADD COLUMN row_hash BLOB;
ALTER TABLE segment_maps ADD COLUMN row_hash BLOB;
ALTER TABLE tags ADD COLUMN row_hash BLOB;
ALTER TABLE marks ADD COLUMN row_hash BLOB;
ALTER TABLE hand_tags ADD COLUMN row_hash BLOB;
ALTER TABLE notes ADD COLUMN row_hash BLOB;
ALTER TABLE searches ADD COLUMN row_hash BLOB;
ALTER TABLE changes ADD COLUMN row_hash BLOB;
ALTER TABLE operations ADD COLUMN row_hash BLOB;
CREATE TABLE digests (
  name TEXT PRIMARY KEY,                -- of a table; of `audit` the sum is the hash of its last entry
  rows INTEGER NOT NULL,
  sum TEXT NOT NULL,                    -- of the rows' hashes, modulo 2^256, in hexadecimal
  after_audit INTEGER NOT NULL          -- the last audit entry when the table was last changed
) WITHOUT ROWID;
-- The digests of the case's tables when the entry was written; part of what its hash covers. Null before this migration.
ALTER TABLE audit ADD COLUMN state TEXT;
-- Of the committed bytes of quarantine/<id>.ndjson; null where that was written before this migration.
ALTER TABLE imports ADD COLUMN quarantine_sha256 TEXT;
