/**
 * DuckDB's driver takes U+FEFF away where a text begins with it, as if each value were a file: values that
 * differ would be shown, counted and indexed as one. Its decoder is replaced by one that leaves them as they
 * are. For all of the process, once this module is loaded.
 */
import accessors from '@duckdb/node-api/lib/vectors/dataAccessors.js';

Object.assign(accessors, { textDecoder: new TextDecoder('utf-8', { ignoreBOM: true }) });
