/** Each kind of damage to a case, and each change of its evidence, is found and named; intact ones are not. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { importers } from '../../../importers/registry.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { locationOf } from '../../catalog/source-place.ts';
import type { VerifyReport } from '../../contract/verify-report.ts';
import type { ThreadHandle } from '../../ingest/coordinator/warm-threads.ts';
import {
  BUILDER,
  importInProcess,
  threadInProcess,
  WORKER_TOOLS,
} from '../../ingest/testing/in-process.ts';
import { evidence } from '../../../app/compose.ts';
import { tarOf, zipOf } from '../../../importers/shared/testing/archives.ts';
import { segmentIdentity } from '../../store/segment-identity.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { deleteEvents, tagEvents } from '../marks/mark.ts';
import { retimeSources } from '../case/retime.ts';
import { compactCase } from '../case/compact.ts';
import { type FromVerify, type ToVerify, runVerify, verifyOn } from './verify-thread.ts';

let root: string;
let whole: string;
let folder: string;
let logs: string;

const LINES = 60;

type Entry = { name: string; content: string };

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daybook-damage-'));
  logs = join(root, 'evidence');
  mkdirSync(logs);
  const line = (n: number, day: number): string =>
    `Mar ${String(day).padStart(2, ' ')} 10:00:${String(n % 60).padStart(2, '0')} host sshd[${100 + n}]: Failed password for user${n} from 10.0.0.${n % 250} port ${2000 + n}`;
  const lines = (day: number): string =>
    `${Array.from({ length: LINES }, (_, n) => line(n, day)).join('\n')}\n`;
  writeFileSync(join(logs, 'auth.log'), lines(4));
  writeFileSync(join(logs, 'packed.log.gz'), gzipSync(lines(6)));
  mkdirSync(join(root, 'inner'));
  writeFileSync(join(root, 'inner', 'member.log'), lines(7));
  execFileSync('tar', ['-cf', join(logs, 'bundle.tar'), '-C', join(root, 'inner'), 'member.log']);
  const rows = Array.from(
    { length: 40 },
    (_, n) =>
      `2026-03-05T10:00:${String(n).padStart(2, '0')}Z,10.1.0.${n},10.9.9.9,${n},443,TCP,${n * 7},3,note ${n}`,
  );
  writeFileSync(
    join(logs, 'flows.csv'),
    `ts_start,src_ip,dst_ip,src_port,dst_port,proto,bytes,packets,Note\n${rows.join('\n')}\nbroken\n`,
  );
  // The year of lines without one comes from here.
  for (const name of readdirSync(logs)) utimesSync(join(logs, name), 1773000000, 1773000000);
  whole = join(root, 'whole.daybook');
  await importInProcess(whole, [logs], { options: { year: undefined } });
  await withSession(whole, async (session) => {
    await tagEvents({ session, text: 'user7', zone: 'UTC', name: 'seen', remove: false });
    await deleteEvents({ session, text: 'user9', zone: 'UTC', reason: 'test' });
  });
  const catalog = Catalog.open(whole);
  catalog.transaction(() => {
    catalog.notes.set({ sourceId: catalog.sources.all()[0]!.id, seq: 1 }, 'a note');
    catalog.audit.add('note', {});
  });
  catalog.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeEach(() => {
  folder = join(root, 'x.daybook');
  rmSync(folder, { recursive: true, force: true });
  cpSync(whole, folder, { recursive: true });
});

async function withSession<T>(
  path: string,
  work: (session: CaseSession) => Promise<T>,
): Promise<T> {
  const session = CaseSession.open(path, { memoryLimit: 5e8, threads: 2 });
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Runs in this process what the thread runs: each thread would load the modules again. */
function startInProcess(): ThreadHandle<ToVerify, FromVerify> {
  return threadInProcess<ToVerify, FromVerify>((port) => runVerify(port, WORKER_TOOLS));
}

function verified(
  sample: number | 'all' = 'all',
  { repair = false, thread = startInProcess(), signal = undefined as AbortSignal | undefined } = {},
): Promise<VerifyReport> {
  return verifyOn(
    thread,
    { folder, repair, sample, memoryLimit: 5e8, threads: 2, builder: BUILDER },
    signal,
    () => undefined,
  );
}

/** Changes the catalog like a person who has SQLite and not Daybook. */
function edit(sql: string): void {
  const db = new Database(join(folder, 'case.sqlite'));
  db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  db.close();
}

const segmentFiles = (): string[] =>
  readdirSync(join(folder, 'days'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.duckdb'))
    .sort()
    .map((name) => `days/${name}`);
const quarantine = (): string => join(folder, 'quarantine', '1.ndjson');
const messages = ({ findings }: VerifyReport, about: 'case' | 'evidence'): string[] =>
  findings
    .filter((one) => one.about === about && one.level === 'error')
    .map(({ message }) => message);

it('finds nothing in a case that is sound, and compares every event', async () => {
  const report = await verified('all', { thread: evidence.startVerify() });
  expect(report.findings).toEqual([]);
  expect(report).toMatchObject({
    ...{ ok: true, exitStatus: 0, case: { intact: true, quarantined: 1 } },
    evidence: { state: 'unchanged', files: 4, unchanged: 4, sources: 4 },
    sample: { sources: 4, compared: 3 * LINES + 40, differing: 0, notCompared: [] },
  });
  expect((await verified(10)).sample.compared).toBe(40);
  expect((await verified(0)).sample).toMatchObject({ compared: 0, notCompared: [] });
});

it('finds nothing where events were deleted from the files, merged and retimed', async () => {
  const catalog = Catalog.open(folder);
  const log = catalog.sources.all().find(({ name }) => name === 'auth.log')!;
  catalog.close();
  await compactCase(folder, BUILDER);
  await retimeSources({
    ...{
      folder,
      sources: [String(log.id)],
      timeZone: 'America/New_York',
      year: 2019,
      builder: BUILDER,
    },
  });
  const report = await verified();
  expect(report.findings).toEqual([]);
  expect(report).toMatchObject({ ok: true, sample: { compared: 3 * (LINES - 1) + 40 } });
});

it('finds nothing in a log whose order of dates was decided otherwise since', async () => {
  const log = join(root, 'orders.log');
  const lines = Array.from({ length: 9 }, (_, n) => `0${n + 1}/05/2026 10:00:00 host app: ${n}`);
  writeFileSync(log, `${lines.join('\n')}\n`);
  // Deleted events stay in the segment, as on days with many events.
  vi.stubEnv('DAYBOOK_DENSE_ROWS', '1');
  await importInProcess(folder, [log], { options: { year: undefined } });
  const times = () =>
    withSession(folder, (session) =>
      Promise.resolve(
        session
          .snapshot()
          .sources()
          .find(({ name }) => name === 'orders.log')?.lastTs,
      ),
    );
  const before = await times();
  await retimeSources({
    ...{ folder, sources: ['orders.log'], timeZone: undefined, year: undefined, builder: BUILDER },
    dateOrder: 'mdy',
  });
  expect(await times()).not.toBe(before);
  const report = await verified();
  expect(report.findings).toEqual([]);
  expect(report.sample.compared).toBe(3 * LINES + 40 + 9);
  vi.unstubAllEnvs();
});

describe('the case is damaged', () => {
  const catalogDamages: readonly (readonly [string, string, RegExp])[] = [
    [
      'a deleted event',
      "UPDATE marks SET rows = X'0B000000' WHERE tag_id = 0",
      /table marks, segment_id \d+, tag_id 0/,
    ],
    ['a tag’s name', "UPDATE tags SET name = 'sewn'", /table tags, id 1/],
    ['a note', "UPDATE notes SET text = 'b note'", /table notes/],
    [
      'a ledger',
      "UPDATE ledger SET read = read + 1, stored = stored + 1 WHERE name = 'auth.log'",
      /table ledger/,
    ],
    ['a source', "UPDATE sources SET path = '/elsewhere' WHERE name = 'auth.log'", /table sources/],
    [
      'JSON that is none',
      "UPDATE sources SET decisions = '{' WHERE name = 'auth.log'",
      /table sources/,
    ],
    ['a segment’s times', 'UPDATE segments SET min_ts = min_ts + 1', /table segments/],
    [
      'the audit log',
      "DROP TRIGGER audit_no_update; UPDATE audit SET detail = '{}' WHERE id = 1",
      /audit entry 1 .*does not match its hash/,
    ],
    ['a digest', "UPDATE digests SET rows = rows + 1 WHERE name = 'notes'", /table notes/],
    [
      'a table of somebody else',
      'CREATE TABLE mine (x)',
      /table mine is not one that Daybook makes/,
    ],
  ];
  it.each(catalogDamages)('%s', async (_, sql, expected) => {
    edit(sql);
    const report = await verified(0);
    expect(report).toMatchObject({ ok: false, exitStatus: 1, case: { intact: false } });
    expect(messages(report, 'case')).toContainEqual(expect.stringMatching(expected));
  });

  const fileDamages: readonly (readonly [string, () => void, RegExp])[] = [
    [
      'quarantine edited',
      () =>
        writeFileSync(
          quarantine(),
          readFileSync(quarantine(), 'utf8').replace('flows.csv', 'flaws.csv'),
        ),
      /quarantine\/1\.ndjson differs/,
    ],
    ['quarantine emptied', () => truncateSync(quarantine(), 0), /quarantine\/1\.ndjson is shorter/],
    ['quarantine removed', () => rmSync(quarantine()), /quarantine\/1\.ndjson is missing/],
    [
      'quarantine a link',
      () => {
        renameSync(quarantine(), join(root, 'moved'));
        symlinkSync(join(root, 'moved'), quarantine());
      },
      /1\.ndjson is a link/,
    ],
    [
      'segments swapped',
      () => swap(segmentFiles()[0]!, segmentFiles()[1]!),
      /segment days.* differs from what was written/,
    ],
    [
      'a segment of which one bit is another',
      () => flip(segmentFiles()[0]!),
      /differs from what was written/,
    ],
    [
      'a segment a link',
      () => {
        const [file] = segmentFiles();
        renameSync(join(folder, file!), join(root, 'seg'));
        symlinkSync(join(root, 'seg'), join(folder, file!));
      },
      /is a link/,
    ],
  ];
  it.each(fileDamages)('%s', async (_, harm, expected) => {
    harm();
    const report = await verified(0);
    expect(report).toMatchObject({ exitStatus: 1, case: { intact: false } });
    expect(messages(report, 'case')).toContainEqual(expect.stringMatching(expected));
  });

  it('goes on after a segment that cannot be opened, and one outside the case', async () => {
    const [first, second] = segmentFiles();
    rmSync(join(folder, first!));
    execFileSync('mkfifo', [join(folder, first!)]);
    edit(`UPDATE segments SET file = '../x.duckdb' WHERE file = '${second}'`);
    const report = await verified(0);
    expect(report.case.segments).toBe(segmentFiles().length);
    expect(messages(report, 'case')).toEqual(
      expect.arrayContaining([
        expect.stringContaining(first!),
        expect.stringContaining('../x.duckdb'),
      ]),
    );
    expect(report.evidence.state).toBe('unchanged');
  });

  it.skipIf(process.platform === 'win32').each(['staging', 'days', 'quarantine', 'rollups'])(
    'goes on where %s is a link, and says so',
    async (name) => {
      const elsewhere = join(root, 'elsewhere');
      rmSync(elsewhere, { recursive: true, force: true });
      if (existsSync(join(folder, name))) renameSync(join(folder, name), elsewhere);
      else mkdirSync(elsewhere);
      symlinkSync(elsewhere, join(folder, name));
      for (const repair of [false, true]) {
        const report = await verified(5, { repair });
        expect(report.exitStatus).toBe(1);
        expect(messages(report, 'case')).toContainEqual(
          `${name} is a link; Daybook follows no links inside a case`,
        );
        expect(report.case.segments).toBe(segmentFiles().length);
        expect(report.evidence.state).toBe('unchanged');
        if (name !== 'days') expect(report.sample.compared).toBeGreaterThan(0);
      }
    },
  );

  it.each([
    ['a text', 'message', `message || '!'`, /record \d+ of .*: message is .*!" in the case/],
    ['a time', 'ts', `ts + INTERVAL 1 SECOND`, /record \d+ of .*: ts is/],
    ['a number', 'pid', `pid + 1`, /record \d+ of .*: pid is/],
  ])(
    '%s of a segment, whose hash was made to fit: found in the evidence',
    async (_, column, value, expected) => {
      await forge(column, value);
      expect((await verified(0)).case.intact).toBe(true);
      const report = await verified(200);
      expect(report).toMatchObject({ exitStatus: 1, case: { intact: false } });
      expect(report.sample.differing).toBeGreaterThan(0);
      expect(messages(report, 'case')).toContainEqual(expect.stringMatching(expected));
    },
  );
});

it('a stray file is a warning', async () => {
  writeFileSync(join(folder, 'days', '.DS_Store'), 'x');
  const report = await verified(0);
  expect(report).toMatchObject({
    ok: true,
    findings: [{ level: 'warning', code: 'stray', subject: 'days/.DS_Store' }],
  });
});

describe('the evidence', () => {
  let kept: string;
  beforeEach(() => {
    kept = join(root, 'kept');
    rmSync(kept, { recursive: true, force: true });
    cpSync(logs, kept, { recursive: true, preserveTimestamps: true });
    return () => {
      rmSync(logs, { recursive: true, force: true });
      renameSync(kept, logs);
    };
  });
  const log = (): string => join(logs, 'auth.log');
  const same = (name: string, harm: (bytes: Buffer) => void): void => {
    const bytes = readFileSync(join(logs, name));
    harm(bytes);
    writeFileSync(join(logs, name), bytes);
  };

  const changes: readonly (readonly [string, () => void, object, string, RegExp])[] = [
    [
      'one byte changed',
      () => same('auth.log', (bytes) => bytes.fill(0x58, 100, 101)),
      { changed: 1 },
      'changed',
      /auth\.log has changed since/,
    ],
    ['grown', () => appendFileSync(log(), 'more\n'), { changed: 1 }, 'grown', /grown by 5 bytes/],
    ['missing', () => rmSync(log()), { missing: 1 }, 'missing', /auth\.log is not there/],
    [
      'a folder',
      () => {
        rmSync(log());
        mkdirSync(log());
      },
      { changed: 1 },
      'not-regular',
      /auth\.log is a folder/,
    ],
    [
      'a FIFO',
      () => {
        rmSync(log());
        execFileSync('mkfifo', [log()]);
      },
      { changed: 1 },
      'not-regular',
      /auth\.log is a FIFO/,
    ],
    [
      'a link to a device',
      () => {
        rmSync(log());
        symlinkSync('/dev/zero', log());
      },
      { changed: 1 },
      'not-regular',
      /auth\.log is a device/,
    ],
    [
      'a member of an archive changed',
      () => same('bundle.tar', (bytes) => bytes.fill(0x58, 600, 601)),
      { changed: 1 },
      'changed',
      /member\.log in .*bundle\.tar has changed/,
    ],
    [
      'padding of an archive',
      () => same('bundle.tar', (bytes) => bytes.fill(0x58, bytes.length - 1)),
      { changed: 1 },
      'changed',
      /bundle\.tar has changed .*its member that is a source has not: bytes outside/,
    ],
    [
      'bytes added to an archive',
      () => appendFileSync(join(logs, 'bundle.tar'), 'more'),
      { changed: 1 },
      'changed',
      /bundle\.tar has changed .*its member that is a source has not: bytes outside/,
    ],
    [
      'an archive without its member',
      () => {
        writeFileSync(join(root, 'inner', 'other.log'), 'x');
        execFileSync('tar', [
          '-cf',
          join(logs, 'bundle.tar'),
          '-C',
          join(root, 'inner'),
          'other.log',
        ]);
      },
      { changed: 1 },
      'changed',
      /no longer has the member/,
    ],
  ];
  it.each(changes)(
    '%s: the case is intact, exit status 3',
    async (_, harm, counts, code, expected) => {
      harm();
      const report = await verified(20);
      expect(report).toMatchObject({
        ok: false,
        exitStatus: 3,
        case: { intact: true },
        evidence: { state: 'changed', ...counts },
      });
      const errors = report.findings.filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([{ about: 'evidence', code }]);
      expect(errors[0]!.message).toMatch(expected);
      // The others were compared all the same.
      expect(report.sample.compared).toBeGreaterThanOrEqual(60);
    },
  );

  it('that has grown and was imported again is unchanged', async () => {
    appendFileSync(log(), 'Mar  8 10:00:00 host sshd[7]: one more\n');
    utimesSync(log(), 1773000000, 1773000000);
    await importInProcess(folder, [log()], { options: { year: undefined } });
    const report = await verified();
    expect(report).toMatchObject({ ok: true, evidence: { state: 'unchanged' } });
    expect(report.findings).toMatchObject([{ level: 'note', code: 'grown' }]);
  });
});

it('says what is not known of an archive whose hash no import has kept, and keeps it when asked', async () => {
  const catalog = Catalog.open(folder);
  catalog.transaction(() => {
    for (const source of catalog.sources.all()) {
      const { path, members } = locationOf(source);
      catalog.sources.place(source.id, path, { path, members });
    }
  });
  catalog.close();
  const before = await verified();
  expect(before.evidence).toMatchObject({ state: 'incomplete', unchanged: 3, notChecked: 1 });
  expect(before.findings).toMatchObject([
    {
      ...{ about: 'evidence', level: 'warning', code: 'not-checked' },
      message: expect.stringMatching(/is not known/) as string,
    },
  ]);
  await importInProcess(folder, [logs], { options: { year: undefined } });
  expect(await verified()).toMatchObject({ ok: true, evidence: { state: 'unchanged' } });
});

it('compares events of all parts of a large source', async () => {
  const log = join(logs, 'large.log');
  const text = 'x'.repeat(10_000);
  const lines = Array.from({ length: 2_000 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 4, 1) + n * 1000).toISOString();
    return `${at} host program: ${n} ${text}\n`;
  });
  writeFileSync(log, lines.join(''));
  rmSync(folder, { recursive: true });
  try {
    await importInProcess(folder, [log], { options: { year: undefined } });
    // With this many sources, little of each was read in the past.
    const catalog = Catalog.open(folder);
    const [source] = catalog.sources.all();
    catalog.transaction(() => {
      for (let n = 0; n < 600; n++)
        catalog.sources.add({
          ...source!,
          headSha256: '',
          id: source!.id + 1 + n,
          path: '(standard input)',
          name: `p${n}`,
        });
    });
    catalog.close();
    expect((await verified(200)).sample.differing).toBe(0);
    await forge('host', `CASE WHEN seq > 1900 THEN 'other' ELSE host END`);
    const { compared, differing } = (await verified(200)).sample;
    expect(compared).toBe(200);
    expect(differing).toBeGreaterThan(0);
  } finally {
    rmSync(log);
  }
});

it('compares every event of small and large sources that share a segment', async () => {
  const folderOfLogs = join(root, 'shared-segment');
  mkdirSync(folderOfLogs);
  const sizes = { a: 60, b: 21_000, c: 60, d: 60 };
  for (const [name, size] of Object.entries(sizes)) {
    const lines = Array.from(
      { length: size },
      (_, n) => `${new Date(Date.UTC(2026, 4, 1) + n).toISOString()} host ${name}: ${n}\n`,
    );
    writeFileSync(join(folderOfLogs, `${name}.log`), lines.join(''));
  }
  rmSync(folder, { recursive: true });
  await importInProcess(folder, [folderOfLogs]);
  const catalog = Catalog.open(folder);
  const segments = catalog.segments.all();
  catalog.close();
  expect(segments.map(({ sources }) => sources.length)).toEqual([4]);
  expect((await verified()).sample).toMatchObject({ sources: 4, compared: 21_180, differing: 0 });
  await forge('host', `CASE WHEN seq IN (7, 20500) THEN 'other' ELSE host END`);
  const { sample, findings } = await verified();
  expect(sample).toMatchObject({ compared: 21_180, differing: 5 });
  const differing = findings.filter(({ code }) => code === 'differs');
  const other = 'host is "other" in the case, "host" in the evidence';
  expect(differing.map(({ message }) => message).sort()).toEqual([
    `record 20500 of b.log: ${other}`,
    ...['a', 'b', 'c', 'd'].map((name) => `record 7 of ${name}.log: ${other}`),
  ]);
});

it('is cancelled at once', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const running = verified('all', { thread: evidence.startVerify(), signal });
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'cancelled' });
});

it('does not compare what another version of an importer has read', async () => {
  const catalog = Catalog.open(folder);
  const source = catalog.sources.all().find(({ importer }) => importer === 'syslog')!;
  catalog.close();
  const { version } = importers.find(({ id }) => id === 'syslog')!;
  expect(source.importerVersion).toBe(version);
  edit(`UPDATE sources SET importer_version = ${version + 1} WHERE id = ${source.id}`);
  const report = await verified(5);
  expect(report.sample.notCompared).toEqual([
    expect.objectContaining({
      source: source.id,
      reason: expect.stringContaining(`version ${version + 1}`) as string,
    }),
  ]);
});

function swap(a: string, b: string): void {
  const [one, other] = [join(folder, a), join(folder, b)];
  renameSync(one, `${one}.x`);
  renameSync(other, one);
  renameSync(`${one}.x`, other);
}

function flip(file: string): void {
  const path = join(folder, file);
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(path, bytes);
}

/** Changes a column of the first log segment, and makes everything in the catalog fit. */
async function forge(column: string, value: string): Promise<void> {
  const catalog = Catalog.open(folder);
  const segment = catalog.segments.all().find(({ kind }) => kind === 'log')!;
  const path = join(folder, segment.file);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const columns = segment.columns.map((name) =>
    name === column ? `${value} AS "${name}"` : `"${name}"`,
  );
  await connection.run(`ATTACH '${path}' AS old (READ_ONLY); ATTACH '${path}.new' AS new`);
  await connection.run(
    `CREATE TABLE new.events AS SELECT ${columns.join(', ')} FROM old.events ORDER BY rowid`,
  );
  const times = await connection.runAndReadAll(
    'SELECT epoch_us(min(ts)), epoch_us(max(ts)) FROM new.events',
  );
  const [first, last] = times.getRows()[0]!;
  await connection.run('DETACH old; DETACH new');
  connection.closeSync();
  instance.closeSync();
  renameSync(`${path}.new`, path);
  catalog.transaction(() => {
    catalog.segments.remove(segment.id);
    catalog.segments.add({
      ...segment,
      ...{ minTs: Number(first), maxTs: Number(last), bytes: statSync(path).size, shapes: 0 },
      ...{
        sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
        identity: segmentIdentity(path),
        index: undefined,
      },
    });
  });
  catalog.close();
}

it('finds no difference in a log that is cut off within a line', async () => {
  const text = Array.from(
    { length: 400 },
    (_, n) => `2026-03-08T10:00:00Z host app[${n}]: ${n * 7919}\n`,
  );
  const packed = gzipSync(text.join(''));
  const cut = join(root, 'cut.log.gz');
  writeFileSync(cut, packed.subarray(0, packed.length >> 1));
  // In a case without deletions, every event of the evidence must be found.
  rmSync(folder, { recursive: true });
  await importInProcess(folder, [cut]);
  const report = await verified();
  expect([messages(report, 'case'), report.sample?.differing]).toEqual([[], 0]);
  expect(report.exitStatus).toBe(3);
});

it.each([
  ['tar.gz', (entries: Entry[]) => gzipSync(tarOf(entries))],
  ['zip', (entries: Entry[]) => zipOf(entries)],
])('compares the events of a %s that is cut off within a member', async (ending, pack) => {
  const lines = (host: string) =>
    Array.from({ length: 400 }, (_, n) => `2026-03-08T10:00:00Z ${host} app: ${n * 7919}\n`).join(
      '',
    );
  const names = ['whole.log', 'cut.log'];
  const archive = pack(names.map((name) => ({ name, content: lines(name) })));
  const cut = join(root, `cut.${ending}`);
  writeFileSync(cut, archive.subarray(0, Math.round(archive.length * 0.7)));
  rmSync(folder, { recursive: true });
  const { total } = await importInProcess(folder, [cut]);
  expect(total.stored).toBeGreaterThan(400);
  const report = await verified();
  expect(messages(report, 'case')).toEqual([]);
  expect(report.sample).toMatchObject({ compared: total.stored, differing: 0, notCompared: [] });
  expect(messages(report, 'evidence').join()).not.toContain('could not be read further');
});
