-- Hash manifests that imports met, and what came of comparing them: JSON (ManifestReport of engine/contract/hash-manifest.ts).
CREATE TABLE manifests (
  id INTEGER PRIMARY KEY,
  import_id INTEGER NOT NULL REFERENCES imports(id),
  report TEXT NOT NULL,
  row_hash BLOB
);
-- What manifests say of a source, as a JSON array (ListedHash); null: there was none.
ALTER TABLE sources ADD COLUMN listed_hashes TEXT;
