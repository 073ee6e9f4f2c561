-- Extractors that people added to the case, as they gave them: docs/extractors.md.
CREATE TABLE extractors (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  document TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  added_at TEXT NOT NULL,
  user TEXT NOT NULL,
  row_hash BLOB
);
