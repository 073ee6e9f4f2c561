/**
 * docs/notebooks.md is true: its Python runs in the oldest and the newest DuckDB, its shell lines in the shell, all
 * as printed. Skipped where they cannot be fetched; the test's name says why.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateEvidence } from '../harness.ts';
import { provision, type PythonPackage, whyNot } from '../provision/index.ts';
import { Commands, daybook, json, scratch } from './harness.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/notebooks.md'), 'utf8');
const space = scratch();
const commands = new Commands();
const reason = whyNot('duckdb');

function blocks(language: string): string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'));
  return [...found].map(([, code]) => code!);
}

const folder = path.join(space.folder, 'acme.daybook');
let counts: Record<string, number> = {};

beforeAll(async () => {
  await generateEvidence(space.folder, '--scale', '0.1');
  const imported = await commands.run([
    'import',
    folder,
    path.join(space.folder, 'evidence'),
    '--recursive',
  ]);
  expect(imported.status, imported.err).toBe(0);
  const deleted = await commands.run(['delete', folder, 'kind:log failed', '--reason', 'a test']);
  expect(deleted.status, deleted.err).toBe(0);
  const written = await daybook(['sql', folder, '--out', path.join(space.folder, 'case.sql')]);
  expect(written.status, written.err).toBe(0);
  const asked = await commands.run(['top', folder, 'kind', 'kind:*', '--json', '--n', '20']);
  const { rows } = json<{ rows: { kind: string; count: number }[] }>(asked);
  counts = Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

const title = (name: string): string => (reason === undefined ? name : `${name} (${reason})`);

function python({ python: program, folder: packages }: PythonPackage, code: string): string {
  const { status, stdout, stderr } = spawnSync(program, ['-c', code], {
    cwd: space.folder,
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: packages, PYTHONIOENCODING: 'utf-8' },
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

describe('the page of notebooks', () => {
  it.skipIf(reason !== undefined)(title('has Python that runs as printed'), () => {
    const [code, ...more] = blocks('python');
    expect(more).toEqual([]);
    const { oldest, newest } = provision().duckdb!;
    for (const one of [oldest, newest]) {
      const out = python(one, code!);
      // The table of kinds, and a line for each pair of addresses.
      for (const kind of Object.keys(counts)) expect(out).toContain(kind);
      expect(out.match(/^\S+ \S+ \d+ \d+$/gm)).toHaveLength(10);
    }
  });

  it.skipIf(reason !== undefined)(title('shows Python as many events as Daybook has'), () => {
    const code = `import duckdb, json
case = duckdb.connect()
case.execute(open("case.sql", encoding="utf-8").read())
print(json.dumps(dict(case.sql("SELECT kind, count(*) FROM events GROUP BY kind").fetchall())))`;
    const { oldest, newest } = provision().duckdb!;
    for (const one of [oldest, newest]) expect(JSON.parse(python(one, code))).toEqual(counts);
  });

  it.skipIf(reason !== undefined)(title('has lines of the shell that run as printed'), () => {
    const { shell } = provision().duckdb!;
    const lines = blocks('sh')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('duckdb '));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const { status, stderr, stdout } = spawnSync('sh', ['-c', line], {
        cwd: space.folder,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${path.dirname(shell)}:${process.env['PATH'] ?? ''}` },
      });
      expect(status, `${line}\n${stderr}`).toBe(0);
      expect(stdout).toContain('│');
    }
  });
});

describe('daybook sql', () => {
  it('runs one statement, in every format', async () => {
    const statement = "SELECT kind, count(*) AS n FROM events WHERE kind = 'dns' GROUP BY kind";
    const n = counts['dns'];
    const run = (...more: string[]) => commands.run(['sql', folder, '--run', statement, ...more]);
    expect((await run()).out).toBe(
      `kind  n\ndns   ${n}\n`.replace('n\n', `${'n'.padStart(String(n).length)}\n`),
    );
    expect(JSON.parse((await run('--json')).out)).toEqual({ kind: 'dns', n });
    expect((await run('--format', 'csv')).out).toBe(`kind,n\ndns,${n}\n`);
    expect(JSON.parse((await run('--format', 'json')).out)).toEqual({
      columns: ['kind', 'n'],
      rows: [{ kind: 'dns', n }],
    });
    const file = path.join(space.folder, 'rows.csv');
    expect((await run('--format', 'csv', '--out', file)).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(`kind,n\ndns,${n}\n`);
  });

  it('refuses what it must not replace, and what does more than read', async () => {
    const kept = path.join(space.folder, 'kept.sql');
    writeFileSync(kept, 'kept');
    const there = await commands.run(['sql', folder, '--out', kept]);
    expect(there).toMatchObject({ status: 2, out: '' });
    expect(there.err).toContain('exists already');
    const writes = await commands.run([
      'sql',
      folder,
      '--run',
      'CREATE TABLE t (a INTEGER)',
      '--json',
    ]);
    expect(writes.status).toBe(2);
    expect(JSON.parse(writes.err)).toMatchObject({ error: { code: 'usage' } });
  });

  it('prints a script whose hash is in the audit log', async () => {
    const document = json<{ sha256: string; script: string; segments: number }>(
      await commands.run(['sql', folder, '--json']),
    );
    const attached = document.script.match(/^ATTACH /gm);
    expect(attached).toHaveLength(document.segments);
    const printed = await commands.run(['sql', folder]);
    expect(printed.out).toBe(document.script);
  });
});
