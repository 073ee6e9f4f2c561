-- Where in a segment's file the values of its columns lie (docs/adr/0018); none of small segments, or of those from before.
CREATE TABLE segment_maps (
  segment_id INTEGER PRIMARY KEY REFERENCES segments(id) ON DELETE CASCADE,
  map BLOB NOT NULL
);
