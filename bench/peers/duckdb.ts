/** Plain DuckDB: one database file, no index, all threads. */
import { join } from 'node:path';
import type { Scope } from '../harness/scope.ts';
import { ChildStore } from './child-store.ts';
import type { Store } from './store.ts';

export function startDuckdb(scope: Scope): Store {
  const file = join(scope.folder(), 'peer.duckdb');
  return new ChildStore(
    {
      name: 'DuckDB',
      command: process.execPath,
      args: [join(import.meta.dirname, 'duckdb-session.ts'), file],
      versionStatement: 'SELECT library_version FROM pragma_version()',
      files: [file, `${file}.wal`],
    },
    scope,
  );
}
