-- How the numbers of cut messages lie: 1 as bytes of one list, 0 in a list for each width (docs/adr/0017).
ALTER TABLE segments ADD COLUMN number_bytes INTEGER NOT NULL DEFAULT 0;
