/**
 * Other DuckDB versions read a case, too: the oldest for which segments are written, and the newest, open every
 * segment of cases of every kind and read the same values. Skipped where they cannot be fetched; the test's name
 * says why.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateEvidence } from '../harness.ts';
import { type PythonPackage, provision, whyNot } from '../provision/index.ts';
import { daybook, scratch } from './harness.ts';

const space = scratch();
const reason = whyNot('duckdb');
const mixed = path.join(space.folder, 'mixed.daybook');
const rewritten = path.join(space.folder, 'rewritten.daybook');

/** Lines whose messages are cut into shapes, in a segment large enough to be written part by part. */
function longLog(): string {
  const lines: string[] = [];
  for (let i = 0; i < 60_000; i++) {
    const time = new Date(Date.UTC(2026, 2, 1) + i * 700).toISOString().slice(0, -1);
    const from = `10.${i % 250}.3.${i % 200} port ${1024 + (i % 60_000)}`;
    lines.push(
      `${time} web${i % 9} sshd[${i % 30_000}]: Failed password for u${i % 77} from ${from}`,
    );
  }
  return lines.join('\n') + '\n';
}

/** Records with attributes of every sort, and some without a time. */
function records(): string {
  const lines: string[] = [];
  for (let i = 0; i < 5000; i++) {
    const time = i % 10 === 0 ? {} : { '@timestamp': new Date(1.8e12 + i * 1e6).toISOString() };
    const texts = { user: `u${i % 50}`, note: 'ü'.repeat(i % 90), empty: '', [`n${i % 40}`]: i };
    lines.push(
      JSON.stringify({ ...time, ...texts, real: i / 7, yes: i % 2 === 0, list: [i, 'x'] }),
    );
  }
  return lines.join('\n') + '\n';
}

async function run(...args: string[]): Promise<void> {
  const outcome = await daybook(args);
  expect(outcome.status, outcome.err).toBe(0);
}

beforeAll(async () => {
  if (reason !== undefined) return;
  const evidence = path.join(space.folder, 'made');
  mkdirSync(evidence);
  await generateEvidence(evidence, '--scale', '0.1');
  writeFileSync(path.join(evidence, 'evidence/long.log'), longLog());
  writeFileSync(path.join(evidence, 'evidence/records.ndjson'), records());
  await run('import', mixed, path.join(evidence, 'evidence'), '--recursive');
  cpSync(mixed, rewritten, { recursive: true });
  // Segments created in other ways: rewritten, merged.
  await run('retime', rewritten, 'long.log', '--tz', 'Europe/Berlin');
  await run('delete', rewritten, 'failed u7', '--reason', 'a test');
  await run('compact', rewritten);
});
afterAll(() => space.remove());

/** For each column the number of values, and a sum over all of them with their positions. */
const DIGEST = `SELECT count(*)::VARCHAR, count(COLUMNS(*))::VARCHAR,
  bit_xor(md5_number_lower(concat(rowid, ':', COLUMNS(*)::VARCHAR)))::VARCHAR FROM s.events`;

const PYTHON = `
import sys, json
sys.path.insert(0, sys.argv[1])
import duckdb
found = {}
for file in json.load(sys.stdin):
    with duckdb.connect() as db:
        # It would go to standard output where a query takes longer than two seconds.
        db.execute("SET enable_progress_bar = false")
        db.execute("ATTACH '" + file + "' AS s (READ_ONLY)")
        found[file] = [str(value) for value in db.execute(sys.argv[2]).fetchall()[0]]
json.dump(found, sys.stdout)
`;

function digests({ python, folder }: PythonPackage, files: readonly string[]): unknown {
  const { status, stdout, stderr } = spawnSync(python, ['-c', PYTHON, folder, DIGEST], {
    input: JSON.stringify(files),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as unknown;
}

describe('the oldest and the newest DuckDB', () => {
  const title = (name: string): string => (reason === undefined ? name : `${name} (${reason})`);

  for (const [name, folder] of Object.entries({ mixed, rewritten })) {
    it.skipIf(reason !== undefined)(title(`read the same of a ${name} case`), () => {
      const files = globSync('days/*/*.duckdb', { cwd: folder }).map((file) =>
        path.join(folder, file),
      );
      expect(files.length).toBeGreaterThan(4);
      const { oldest, newest } = provision().duckdb!;
      expect(digests(newest, files)).toEqual(digests(oldest, files));
    });
  }
});
