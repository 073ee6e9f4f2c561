-- The catalog of a case: what was read, where it went, what was decided, who changed what.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE imports (
  id INTEGER PRIMARY KEY,
  started_at TEXT NOT NULL,
  finished_at TEXT,
  status TEXT NOT NULL,                 -- running, complete, cancelled, failed, interrupted
  arguments TEXT NOT NULL,              -- JSON: paths and options as given
  quarantine_bytes INTEGER NOT NULL DEFAULT 0 -- committed size of quarantine/<id>.ndjson
);

-- One evidence file or archive member with its own content.
CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,                   -- path below the argument, archive members after '!'
  path TEXT NOT NULL,                   -- the file on disk that holds it
  location TEXT NOT NULL,               -- JSON: how to open it again (container and members)
  raw_size INTEGER,                     -- bytes as they lie, before decompression
  raw_sha256 TEXT,
  content_size INTEGER,                 -- bytes after decompression
  content_sha256 TEXT,
  head_sha256 TEXT,                     -- of the first bytes of the content
  head_size INTEGER,
  whole_lines INTEGER NOT NULL DEFAULT 0, -- the content ends with a line feed
  modified_ms INTEGER,
  importer TEXT NOT NULL,
  importer_version INTEGER NOT NULL,
  format TEXT NOT NULL,
  options TEXT NOT NULL,
  decisions TEXT NOT NULL DEFAULT '{}',
  metadata TEXT NOT NULL DEFAULT '{}',
  notes TEXT NOT NULL DEFAULT '[]',
  status TEXT NOT NULL,                 -- partial, complete, failed
  error TEXT,
  read INTEGER NOT NULL DEFAULT 0,
  stored INTEGER NOT NULL DEFAULT 0,
  duplicate INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  skipped_reasons TEXT NOT NULL DEFAULT '{}',
  by_kind TEXT NOT NULL DEFAULT '{}',   -- rows stored by kind
  emitted TEXT NOT NULL DEFAULT '{}',   -- rows the importer emitted by kind: where a resumed import goes on
  checkpoint_bytes INTEGER NOT NULL DEFAULT 0, -- raw bytes read at the last commit, and their hash
  checkpoint_sha256 TEXT,
  first_ts INTEGER,
  last_ts INTEGER,
  elapsed_ms INTEGER NOT NULL DEFAULT 0,
  import_id INTEGER NOT NULL REFERENCES imports(id)
);
CREATE INDEX sources_by_raw_size ON sources(raw_size);
CREATE INDEX sources_by_head ON sources(head_sha256);
CREATE INDEX sources_by_path ON sources(path);

-- The ledger: one line per source that an import met.
CREATE TABLE ledger (
  import_id INTEGER NOT NULL REFERENCES imports(id),
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  source_id INTEGER REFERENCES sources(id), -- null where nothing could be read
  status TEXT NOT NULL,                 -- complete, duplicate, partial, failed, ignored
  message TEXT,
  read INTEGER NOT NULL, stored INTEGER NOT NULL, duplicate INTEGER NOT NULL,
  quarantined INTEGER NOT NULL, skipped INTEGER NOT NULL,
  PRIMARY KEY (import_id, ordinal)
) WITHOUT ROWID;

CREATE TABLE segments (
  id INTEGER PRIMARY KEY,
  day TEXT NOT NULL,
  kind TEXT NOT NULL,
  file TEXT NOT NULL,                   -- below the case folder, with forward slashes
  rows INTEGER NOT NULL,
  min_ts INTEGER,
  max_ts INTEGER,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  columns TEXT NOT NULL,                -- JSON array of physical column names
  sources TEXT NOT NULL,                -- JSON array of source ids
  unflowed_packets INTEGER NOT NULL,
  import_id INTEGER
);
CREATE INDEX segments_by_day ON segments(day, kind);

CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, created_at TEXT NOT NULL);

-- Rows of a segment that are tagged (tag_id) or deleted (tag_id 0): ascending 32-bit row numbers.
CREATE TABLE marks (
  segment_id INTEGER NOT NULL REFERENCES segments(id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL,
  count INTEGER NOT NULL,
  rows BLOB NOT NULL,
  PRIMARY KEY (segment_id, tag_id)
) WITHOUT ROWID;

-- What changed, for processes that watch. Bounded.
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  operation TEXT NOT NULL,
  detail TEXT NOT NULL
);

-- Append-only: each entry carries the hash of the one before it.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  user TEXT NOT NULL,
  operation TEXT NOT NULL,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL
);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- Measured operations. Bounded.
CREATE TABLE operations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  operation TEXT NOT NULL,
  text TEXT,
  status TEXT NOT NULL,
  total_ms REAL NOT NULL,
  spans TEXT NOT NULL,
  path TEXT,
  days INTEGER,
  segments INTEGER,
  rows_examined INTEGER,
  rows_returned INTEGER
);
