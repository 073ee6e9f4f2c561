-- DuckDB alone reads segments (docs/adr/0020): where in their files values lie is no longer kept.
DROP TABLE segment_maps;
DELETE FROM digests WHERE name = 'segment_maps';
