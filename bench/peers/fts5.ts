/** SQLite's FTS5: a contentless index of row numbers, the log beside it as the text. */
import { join } from 'node:path';
import type { Scope } from '../harness/scope.ts';
import { ChildStore } from './child-store.ts';
import type { Store } from './store.ts';

export function startFts5(scope: Scope): Store {
  const file = join(scope.folder(), 'peer.sqlite');
  return new ChildStore(
    {
      name: 'SQLite FTS5',
      command: process.execPath,
      args: [join(import.meta.dirname, 'fts5-session.ts'), file],
      versionStatement: 'SELECT sqlite_version()',
      files: [file],
    },
    scope,
  );
}
