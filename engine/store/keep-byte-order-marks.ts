/**
 * DuckDB's driver strips U+FEFF at the beginning of a text, as if each value were a file: different values would be
 * shown, counted and indexed as one. Loading this module replaces the driver's decoder, for the whole process, by
 * one that keeps it.
 */
import accessors from '@duckdb/node-api/lib/vectors/dataAccessors.js';

Object.assign(accessors, { textDecoder: new TextDecoder('utf-8', { ignoreBOM: true }) });
