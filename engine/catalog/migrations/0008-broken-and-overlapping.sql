-- Where the reading of a source stopped before its end, as JSON (SourceRow.broken); null: it was read to its end.
ALTER TABLE sources ADD COLUMN broken TEXT;
-- Stretches of a source that another source has as well, found by content when it was imported.
CREATE TABLE overlaps (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES sources(id),
  from_offset INTEGER NOT NULL,         -- of its content: [from_offset, to_offset)
  to_offset INTEGER NOT NULL,
  other_id INTEGER NOT NULL REFERENCES sources(id),
  records INTEGER NOT NULL,             -- lines of the stretch; of a source that is superseded, its records
  superseded INTEGER NOT NULL,          -- 1: the other one was read further than this one
  left_out INTEGER NOT NULL DEFAULT 0,  -- 1: its events are hidden (marks of tag -1), until they are shown again
  row_hash BLOB
);
-- Hashes of the lines of a source, by which later ones are compared with it: 32 bits each, little endian.
CREATE TABLE line_hashes (
  source_id INTEGER PRIMARY KEY REFERENCES sources(id),
  hashes BLOB NOT NULL
);
