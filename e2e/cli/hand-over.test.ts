/**
 * A handed-over case: killed at random steps and resumed, then read by Python's DuckDB and by ClickHouse, which
 * find as many events, bytes and addresses of each day and kind as Daybook.
 *
 * DAYBOOK_KILLS sets how often it is killed (8 by default).
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateEvidence } from '../harness.ts';
import { ANSWERS, ASKED } from '../torture/step-names.ts';
import { provision, type PythonPackage, whyNot } from '../provision/index.ts';
import { Commands, daybook, json, scratch } from './harness.ts';

const KILLS = Number(process.env['DAYBOOK_KILLS'] ?? 8);
/** For all of them, on a busy machine. */
const PATIENCE = { timeout: 600_000 };
const ENTRY = path.resolve(import.meta.dirname, '../../app/cli/daybook.mjs');
const STEPWISE = path.resolve(import.meta.dirname, '../torture/steps.ts');
/** Of a run, once all files are in place. */
const LAST_STEPS = 40;
/** A step that continues is killed within this time. */
const MOST_DELAY_MS = 25;
const space = scratch();
const commands = new Commands();
const reason = whyNot('duckdb');
const title = (name: string): string => (reason === undefined ? name : `${name} (${reason})`);
const acme = path.join(space.folder, 'acme.daybook');

interface Report {
  events: number;
  byKind: Record<string, number>;
  files: number;
  written: number;
  kept: number;
  sha256: string;
}

async function handOver(folder: string): Promise<Report> {
  const outcome = await commands.run(['hand-over', acme, folder, '--json']);
  expect(outcome.status, outcome.err).toBe(0);
  return json<Report>(outcome);
}

beforeAll(async () => {
  await generateEvidence(space.folder, '--scale', '0.05');
  const run = async (...args: string[]) => {
    const outcome = await daybook(args);
    expect(outcome.status, outcome.err).toBe(0);
  };
  await run('import', acme, path.join(space.folder, 'evidence'), '--recursive');
  await run('tag', acme, 'failed', 'odd');
  await run('delete', acme, 'kind:log session', '--reason', 'a test');
});
afterAll(async () => {
  await commands.close();
  space.remove();
});

describe('a hand-over that is killed', PATIENCE, () => {
  /**
   * Runs one that stops before each change of a file (torture/steps.ts), until it is killed: before its step `at`,
   * or within `delay` milliseconds after it, while DuckDB is working.
   * @returns how many steps it reached, and whether it was killed before it finished
   */
  function handOverUpTo(
    folder: string,
    at = Infinity,
    delay = 0,
  ): Promise<{ steps: number; killed: boolean }> {
    return new Promise((resolve) => {
      const child = spawn(
        process.execPath,
        ['--import', STEPWISE, ENTRY, 'hand-over', acme, folder],
        { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
      );
      const answers = child.stdio[ANSWERS] as Writable;
      let steps = 0;
      let timer: NodeJS.Timeout | undefined;
      // One that is killed reads no answer.
      answers.on('error', () => undefined);
      (child.stdio[ASKED] as Readable).on('data', (asked: Buffer) => {
        const before = steps;
        steps += asked.length;
        if (before < at && at <= steps) {
          if (delay === 0) {
            child.kill('SIGKILL');
            return;
          }
          timer = setTimeout(() => child.kill('SIGKILL'), delay);
        }
        answers.write(Buffer.alloc(asked.length, '.'));
      });
      child.on('exit', (_status, signal) => {
        clearTimeout(timer);
        resolve({ steps, killed: signal === 'SIGKILL' });
      });
    });
  }

  /** The result of `verify` for a folder in each state that a kill may leave. */
  async function expectState(folder: string): Promise<void> {
    const check = await commands.run(['verify', folder, '--json']);
    const isJournalThere = existsSync(path.join(folder, '.hand-over.jsonl'));
    // The manifest may already be in place although the run had not finished.
    if (isJournalThere) expect(check.out).toContain('"unfinished"');
    expect(check.status, check.out).toBe(isJournalThere ? 1 : 0);
  }

  it(`${KILLS} times is finished by the next run: nothing double, nothing half`, async () => {
    const whole = path.join(space.folder, 'whole');
    const expected = await handOver(whole);
    const everything = globSync('{events,tags}/**/*.parquet', { cwd: whole }).sort();
    const folder = path.join(space.folder, 'killed');
    const all = await handOverUpTo(folder);
    rmSync(folder, { recursive: true });
    let state = 20261126;
    const random = (): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    const files = () => globSync('{events,tags}/**/*.parquet', { cwd: folder }).sort();
    let kills = 0;
    let most = 0;
    while (kills < KILLS) {
      const left = 1 - most / everything.length;
      const at = 1 + Math.floor(random() * (LAST_STEPS + left * all.steps));
      const delay = random() < 0.5 ? 0 : 1 + random() * MOST_DELAY_MS;
      const { killed } = await handOverUpTo(folder, at, delay);
      if (!killed) {
        // It finished: the next one starts.
        expect(files()).toEqual(everything);
        rmSync(folder, { recursive: true, force: true });
        most = 0;
        continue;
      }
      kills += 1;
      // Files in place are complete, and stay.
      const now = files();
      expect(now.length).toBeGreaterThanOrEqual(most);
      most = now.length;
      for (const file of now) {
        const bytes = readFileSync(path.join(folder, file));
        expect(bytes.subarray(-4).toString()).toBe('PAR1');
      }
      const isManifestThere = existsSync(path.join(folder, 'manifest.json'));
      if (isManifestThere || (kills % 5 === 0 && most > 0)) await expectState(folder);
    }
    const report = await handOver(folder);
    expect(report).toMatchObject({ events: expected.events, byKind: expected.byKind });
    expect(files()).toEqual(everything);
    for (const one of [folder, whole]) await expectState(one);
    expect(globSync('**/.*', { cwd: folder })).toEqual([]);
  });
});

const PYTHON = `
import sys, json
import duckdb
folder = sys.argv[1]
db = duckdb.connect()
events = "read_parquet('" + folder + "/events/*/*/*.parquet', hive_partitioning = true, hive_types = {'day': VARCHAR})"
rows = db.execute("""SELECT kind, day, count(*), coalesce(sum(bytes), 0)::VARCHAR, count(DISTINCT event_id),
  count(DISTINCT src_ip), count(DISTINCT message), epoch_us(min(ts)) FROM """ + events + " GROUP BY kind, day ORDER BY kind, day").fetchall()
tags = db.execute("SELECT tag, count(*) FROM '" + folder + "/tags/*.parquet' GROUP BY tag").fetchall()
json.dump({"rows": rows, "tags": tags}, sys.stdout)
`;

/** Daybook's figures: kind, day, events, bytes, events again, sources, messages, first time in milliseconds. */
async function byKindAndDay(): Promise<unknown[][]> {
  const stages =
    'stats count() as n, sum(bytes) as bytes, distinct(src_ip) as sources, distinct(message) as messages, min(ts) as first by kind, day';
  const asked = await commands.run(['query', acme, `kind:* | ${stages}`, '--json']);
  expect(asked.status, asked.err).toBe(0);
  const { rows } = json<{ rows: Record<string, string | number | null>[] }>(asked);
  return rows.map((row) => [
    ...[row['kind'], row['day'], row['n'], String(row['bytes'] ?? 0), row['n']],
    ...[row['sources'], row['messages'], Date.parse(String(row['first']).slice(0, 23) + 'Z')],
  ]);
}

const noClickhouse = whyNot('clickhouse');

describe('ClickHouse', () => {
  /** In a separate process: the library is as large as a server. */
  function ask(sql: string): unknown[][] {
    const program = `process.stdout.write(require(process.argv[1]).query(process.argv[2], 'JSONCompactEachRow'))`;
    const { module } = provision().clickhouse!;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program, module, sql], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as unknown[]);
  }

  const name = 'agrees with Daybook on counts, sums and distinct values of each day and kind';
  it.skipIf(noClickhouse !== undefined)(
    noClickhouse === undefined ? name : `${name} (${noClickhouse})`,
    async () => {
      const folder = path.join(space.folder, 'whole');
      await handOver(folder);
      const events = `file('${folder}/events/**/*.parquet', Parquet)`;
      const rows = ask(
        `SELECT toString(kind), toString(day), toUInt32(count()), toString(coalesce(sum(bytes), 0)), toUInt32(uniqExact(event_id)), toUInt32(uniqExact(src_ip)), toUInt32(uniqExact(message)), toFloat64(toUnixTimestamp64Milli(min(ts))) FROM ${events} GROUP BY kind, day`,
      );
      expect(rows.sort()).toEqual((await byKindAndDay()).sort());
      const [[attributes]] = ask(
        `SELECT toUInt32(countIf(mapContains(attributes, 'in'))) FROM ${events} WHERE kind = 'flow'`,
      ) as [[number]];
      const asked = await commands.run(['count', acme, 'kind:flow attrs.in:*', '--json']);
      expect(attributes).toBe(json<{ count: number }>(asked).count);
      expect(attributes).toBeGreaterThan(0);
    },
  );
});

describe('the DuckDB of Python', () => {
  function read({ python, folder: packages }: PythonPackage, folder: string) {
    const { status, stdout, stderr } = spawnSync(python, ['-c', PYTHON, folder], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: packages },
    });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout) as { rows: unknown[][]; tags: unknown[][] };
  }

  it.skipIf(reason !== undefined)(
    title('agrees with Daybook on counts, sums and distinct values of each day and kind'),
    async () => {
      const folder = path.join(space.folder, 'whole');
      await handOver(folder);
      const expected = await byKindAndDay();
      const tagged = await commands.run(['count', acme, 'kind:* tag:odd', '--json']);
      const { oldest, newest } = provision().duckdb!;
      for (const one of [oldest, newest]) {
        const found = read(one, folder);
        const inMillis = found.rows.map((row) => [
          ...row.slice(0, -1),
          Math.floor(Number(row.at(-1)) / 1000),
        ]);
        expect(inMillis.sort()).toEqual(expected.sort());
        expect(found.tags).toEqual([['odd', json<{ count: number }>(tagged).count]]);
      }
    },
  );
});

describe('the page of the hand-over', () => {
  it.skipIf(reason !== undefined)(title('has Python that runs as printed'), async () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/hand-over.md'), 'utf8');
    const [, code] = /^```python\n([^]*?)^```/m.exec(page)!;
    const { events } = await handOver(path.join(space.folder, 'handed-over'));
    const { oldest, newest } = provision().duckdb!;
    for (const { python, folder: packages } of [oldest, newest]) {
      const { status, stdout, stderr } = spawnSync(
        python,
        ['-c', `${code}\nprint(case.sql("SELECT count(*) FROM events").fetchall())`],
        {
          ...{ cwd: space.folder, encoding: 'utf8' },
          env: { ...process.env, PYTHONPATH: packages, PYTHONIOENCODING: 'utf-8' },
        },
      );
      expect(status, stderr).toBe(0);
      expect(stdout.trim().split('\n').at(-1)).toBe(`[(${events},)]`);
    }
  });
});

describe('daybook hand-over', () => {
  it('says what to do where it cannot write, and verifies with the status of the check', async () => {
    const inside = await commands.run(['hand-over', acme, path.join(acme, 'out')]);
    expect(inside).toMatchObject({ status: 2, out: '' });
    expect(inside.err).toContain('choose a place outside the case folder');
    const remote = await daybook(['hand-over', acme, 's3://bucket/acme']);
    expect(remote.status).toBe(2);
    const folder = path.join(space.folder, 'checked');
    const report = await handOver(folder);
    const text = await daybook(['verify', folder]);
    expect(text).toMatchObject({ status: 0, err: '' });
    expect(text.out).toContain(report.sha256);
    rmSync(path.join(folder, 'audit/audit.jsonl'));
    const damaged = await daybook(['verify', folder]);
    expect(damaged.status).toBe(1);
    expect(damaged.out).toContain('error: audit/audit.jsonl is missing');
    const wrong = await daybook(['verify', folder, '--repair']);
    expect(wrong.status).toBe(2);
  });
});
