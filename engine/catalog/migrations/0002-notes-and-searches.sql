-- What people add to a case: what they say of events, views they keep, tags they set event by event.
CREATE TABLE notes (
  source_id INTEGER NOT NULL REFERENCES sources(id),
  seq INTEGER NOT NULL,                 -- record number in the source; negative for derived events
  text TEXT NOT NULL,
  at TEXT NOT NULL,                     -- of the last change
  user TEXT NOT NULL,
  PRIMARY KEY (source_id, seq)
) WITHOUT ROWID;

CREATE TABLE searches (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice
  name TEXT NOT NULL,
  view TEXT NOT NULL,                   -- engine/contract/view-string.ts
  note TEXT NOT NULL,
  created_at TEXT NOT NULL
);

-- Events that were tagged one by one, not by a query; that they are tagged stands in marks.
CREATE TABLE hand_tags (
  tag_id INTEGER NOT NULL REFERENCES tags(id),
  source_id INTEGER NOT NULL REFERENCES sources(id),
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (tag_id, source_id, seq)
) WITHOUT ROWID;
