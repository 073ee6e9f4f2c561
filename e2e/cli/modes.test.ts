/**
 * Files that Daybook writes are for the current user only: no other user of the machine may read them, whatever the
 * umask.
 */
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { daybook, scratch } from './harness.ts';

const { folder, remove } = scratch();
afterAll(remove);
const at = (...names: string[]): string => path.join(folder, ...names);

/** The permissions that others have on `root`, or anything below it. */
function open(root: string): string[] {
  const below = statSync(root).isDirectory()
    ? readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name))
    : [];
  return [root, ...below].flatMap((one) => {
    const mode = statSync(one).mode & 0o777;
    return (mode & 0o077) === 0 ? [] : [`${path.relative(folder, one)} ${mode.toString(8)}`];
  });
}

it.skipIf(process.platform === 'win32')(
  'cases, exports, reports and caches are private',
  async () => {
    chmodSync(folder, 0o755);
    // Whatever keeps compiled code for the tests: the state folder is made as it is for a person.
    const env = { DAYBOOK_STATE: at('state'), NODE_COMPILE_CACHE: undefined };
    const lines = Array.from(
      { length: 5000 },
      (_, i) =>
        `<34>1 2026-11-2${i % 2}T00:00:${String(i % 60).padStart(2, '0')}Z h app ${i} - - entry ${i}`,
    );
    writeFileSync(at('a.log'), `${lines.join('\n')}\n`);
    writeFileSync(at('b.jsonl'), '{"a":\n'.repeat(3));
    // One that was there before, empty and open to everybody.
    const made = at('made.daybook');
    mkdirSync(made, { mode: 0o755 });
    const umask = process.umask(0o022);
    try {
      for (const name of ['new.daybook', 'made.daybook']) {
        const run = await daybook(['import', at(name), at('a.log'), at('b.jsonl')], { env });
        expect(run.status, run.err).toBe(3); // some records are in quarantine
      }
      const out = at('rows.csv');
      const query = ['query', at('new.daybook'), 'entry', '--format', 'csv', '--out', out];
      expect((await daybook(query, { env })).status).toBe(0);
      const parquet = ['query', at('new.daybook'), 'entry', '--format', 'parquet'];
      expect((await daybook([...parquet, '--out', at('rows.parquet')], { env })).status).toBe(0);
      const report = ['report', at('new.daybook'), '--out', at('report.html')];
      expect((await daybook(report, { env })).status).toBe(0);
    } finally {
      process.umask(umask);
    }
    const names = ['new.daybook', 'made.daybook', 'rows.csv', 'rows.parquet', 'report.html'];
    expect([...names, 'state'].flatMap((name) => open(at(name)))).toEqual([]);
    expect(readdirSync(at('state', 'cache', 'code'), { recursive: true }).length).toBeGreaterThan(
      1,
    );
    // There was a file of each kind to check.
    const files = readdirSync(at('new.daybook'), { recursive: true, encoding: 'utf8' }).join('\n');
    for (const kind of [/case[.]sqlite$/m, /[.]duckdb$/m, /[.]idx$/m, /quarantine.*ndjson$/m])
      expect(files).toMatch(kind);
  },
);
