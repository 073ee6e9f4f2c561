/** ClickHouse within a process (chdb), installed from PyPI into a separate cache folder. */
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../harness/scope.ts';
import { available, measure } from '../process.ts';
import { ChildStore } from './child-store.ts';
import { Missing, type Store } from './store.ts';

/** @throws Missing if there is no Python or no package */
export async function startChdb(scope: Scope): Promise<Store> {
  const python = await installed();
  const folder = scope.folder();
  return new ChildStore(
    {
      name: 'ClickHouse (chdb)',
      command: python,
      args: [join(import.meta.dirname, 'chdb-session.py'), folder],
      versionStatement: 'SELECT version()',
      files: [folder],
    },
    scope,
  );
}

async function installed(): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'daybook-bench', 'chdb');
  const python = join(folder, 'bin', 'python3');
  if (!existsSync(python)) {
    if (!(await available('python3'))) throw new Missing('chdb needs python3, which is not here');
    mkdirSync(folder, { recursive: true });
    const venv = await measure('python3', ['-m', 'venv', folder]);
    if (venv.exit !== 0) throw new Missing(`chdb: no virtual environment: ${venv.err.slice(-200)}`);
  }
  if ((await measure(python, ['-c', 'import chdb'])).exit === 0) return python;
  const pip = await measure(python, ['-m', 'pip', 'install', '-q', 'chdb']);
  if (pip.exit !== 0) throw new Missing(`chdb cannot be installed: ${pip.err.trim().slice(-200)}`);
  return python;
}
