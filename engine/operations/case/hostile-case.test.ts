/**
 * Cases prepared by an attacker: whatever they contain, nothing outside is read, written or removed, and files that
 * are not Daybook's stay in place.
 */
import {
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
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { CaseWriter } from '../../ingest/case/case-writer.ts';
import { BUILDER, importInProcess } from '../../ingest/testing/in-process.ts';
import { rfc5424 } from '../../ingest/testing/small-evidence.ts';
import { caseContents } from '../../ingest/case/case-contents.ts';
import { CaseSession } from '../../search/index.ts';
import { CasePool } from '../../search/session/case-pool.ts';
import { caseHandlers } from './handlers.ts';
import { compactCase } from './compact.ts';
import { startQuery } from '../../search/query.ts';
import { verifyCase } from '../verify/verify-case.ts';
import { called } from '../testing/called.ts';
import { smallCase, type SmallCase } from '../testing/small-case.ts';

let small: SmallCase;
let root: string;
let folder: string;
let outside: string;
let cases: CasePool;
beforeAll(async () => {
  small = await smallCase({ 'a.log': rfc5424(40), 'b.log': 'no time in here\n' }, evidence);
});
afterAll(() => small.dispose());
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'daybook-hostile-'));
  folder = join(root, 'sent.daybook');
  cpSync(small.folder, folder, { recursive: true });
  outside = join(root, 'documents');
  mkdirSync(join(outside, 'letters'), { recursive: true });
  writeFileSync(join(outside, 'thesis.doc'), 'years of work');
  writeFileSync(join(outside, '000000ff.duckdb'), 'of another case');
  writeFileSync(join(outside, 'letters', 'one.txt'), 'dear');
  cases = new CasePool(() => ({ memoryLimit: 3e8, threads: 2 }));
});
afterEach(async () => {
  await cases.close();
  rmSync(root, { recursive: true, force: true });
});

/** Every file outside the case with its content. */
function documents(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(outside, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]),
  );
}
const untouched = {
  'thesis.doc': 'years of work',
  '000000ff.duckdb': 'of another case',
  'one.txt': 'dear',
};

const open = () =>
  called(caseHandlers({ ...small.services, cases }), 'case.open', { case: folder });
const importMore = async () => {
  const more = join(root, 'more.log');
  writeFileSync(more, rfc5424(3));
  return importInProcess(folder, [more]);
};

/** Puts a link where something of the case is or could be. */
function link(name: string, target: string): void {
  const path = join(folder, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  // A file left by a killed import, so that opening the case recovers it.
  if (name === 'days') return;
  mkdirSync(join(folder, 'days/2020-01-02'), { recursive: true });
  writeFileSync(join(folder, 'days/2020-01-02/000000fe.duckdb'), 'half');
}

describe.skipIf(process.platform === 'win32')('a link in a case', () => {
  const places = [
    ['days', ''],
    ['days/2020-01-01', ''],
    ['days/2020-01-01/000000fd.duckdb', 'thesis.doc'],
    ['days/undated', 'letters'],
    ['staging', ''],
    ['staging/spill-1', ''],
    ['staging/segment-0.duckdb', 'thesis.doc'],
    ['quarantine', ''],
    ['quarantine/1.ndjson', 'thesis.doc'],
    ['quarantine/2.ndjson', 'thesis.doc'],
    ['rollups', ''],
    ['received', ''],
    ['writer.lock', 'thesis.doc'],
    ['case.sqlite-wal', 'thesis.doc'],
  ] as const;
  it.each(places)('as %s is refused by name when the case is opened', async (name, target) => {
    link(name, join(outside, target));
    await expect(open()).rejects.toMatchObject({
      code: 'case-damaged',
      message: `${join(folder, name)} is a link; Daybook follows no links inside a case`,
      hint: expect.stringMatching(/^remove the link/) as string,
    });
    expect(documents()).toEqual(untouched);
  });

  it.each(places)('as %s is refused by name by an import', async (name, target) => {
    link(name, join(outside, target));
    await expect(importMore()).rejects.toMatchObject({
      code: 'case-damaged',
      message: expect.stringContaining(`${join(folder, name)} is a link`) as string,
    });
    expect(documents()).toEqual(untouched);
  });

  it('to nowhere is one, too: nothing comes to be there', async () => {
    link('quarantine/2.ndjson', join(outside, 'new.ndjson'));
    await expect(importMore()).rejects.toMatchObject({ code: 'case-damaged' });
    expect(documents()).toEqual(untouched);
  });

  it('in the place of a segment is not read, nor of its day', async () => {
    await cases.use(folder, async (session) => {
      const [segment] = session.snapshot().segments;
      const file = join(folder, segment!.file);
      renameSync(file, join(outside, 'segment.duckdb'));
      symlinkSync(join(outside, 'segment.duckdb'), file);
      await expect(session.store.attach([segment!])).rejects.toMatchObject({
        code: 'case-damaged',
        message: `${file} is a link; Daybook follows no links inside a case`,
      });
      rmSync(file);
      renameSync(join(outside, 'segment.duckdb'), file);
      renameSync(dirname(file), join(outside, 'day'));
      symlinkSync(join(outside, 'day'), dirname(file));
      await expect(session.store.attach([segment!])).rejects.toMatchObject({
        message: `${dirname(file)} is a link; Daybook follows no links inside a case`,
      });
    });
  });
});

describe('what is not Daybook’s', () => {
  const strays = [
    ...[
      '.DS_Store',
      'days/.DS_Store',
      'days/Thumbs.db',
      'staging/Thumbs.db',
      'quarantine/.DS_Store',
    ],
    ...[
      'days/@eaDir/a',
      'days/2026-11-21/notes/mine.txt',
      'days/2026-11-21/copy of 00000001.duckdb',
    ],
    ...['staging/mine/thesis.doc', 'rollups/mine.rollup', 'days/my thesis.duckdb'],
  ];
  beforeEach(() => {
    for (const name of strays) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), 'mine');
    }
    mkdirSync(join(folder, 'days/2020-01-02'), { recursive: true });
    writeFileSync(join(folder, 'days/2020-01-02/000000fe.duckdb'), 'half');
  });
  const areThere = () => strays.filter((name) => existsSync(join(folder, name)));

  it('is passed over when a case is opened and recovered', async () => {
    const { result } = await open();
    expect(result.recovered).toEqual(['removed 1 segment files that no import had committed']);
    expect(areThere()).toEqual(strays);
  });

  it('is passed over by imports and compaction, and named for verify', async () => {
    await importMore();
    await compactCase(folder, BUILDER);
    expect(areThere()).toEqual(strays);
    const writer = await CaseWriter.open(folder, 'test', BUILDER);
    const { strays: found, orphans, links } = caseContents(folder, writer.catalog);
    writer.close();
    expect(orphans).toEqual([]);
    expect(links).toEqual([]);
    expect(found.toSorted()).toEqual(
      [
        ...[
          '.DS_Store',
          'days/.DS_Store',
          'days/Thumbs.db',
          'staging/Thumbs.db',
          'quarantine/.DS_Store',
        ],
        ...['days/@eaDir', 'days/2026-11-21/notes', 'days/2026-11-21/copy of 00000001.duckdb'],
        ...['staging/mine', 'rollups/mine.rollup', 'days/my thesis.duckdb'],
      ].toSorted(),
    );
  });
});

it('a catalog that names files outside the case has none of them read or removed', async () => {
  await cases.use(folder, async (session) => {
    for (const file of [
      '../documents/thesis.doc',
      '/etc/passwd',
      'days/../../documents/thesis.doc',
    ])
      await expect(session.store.attach([{ id: 9, file }])).rejects.toMatchObject({
        code: 'case-damaged',
        message: expect.stringContaining('names a file outside the case') as string,
      });
  });
  expect(documents()).toEqual(untouched);
});

describe('a catalog whose rows were changed', () => {
  const edit = (sql: string): void => {
    const db = new Database(join(folder, 'case.sqlite'));
    db.exec(sql);
    db.close();
  };
  const files = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:duckdb|idx|ndjson)$/.test(name))
      .map((name) => [name, statSync(join(folder, name)).size])
      .toSorted();

  it.each([
    [
      'names another file for a segment',
      "UPDATE segments SET file = 'days/2020-01-01/000000ff.duckdb'",
    ],
    ['has lost a segment', 'DELETE FROM segments WHERE id = 1'],
    ['has lost that of all segments', 'DELETE FROM segments'],
    [
      'says that fewer quarantined records were committed',
      'UPDATE imports SET quarantine_bytes = 3',
    ],
  ])('that %s has no file removed or cut by a writer', async (_, sql) => {
    mkdirSync(join(folder, 'quarantine'), { recursive: true });
    writeFileSync(join(folder, 'quarantine/1.ndjson'), '{"record":"broken"}\n');
    edit(sql);
    const before = files();
    const refused = {
      code: 'case-damaged',
      message: expect.stringMatching(/files of the case could be removed/) as string,
    };
    await expect(importMore()).rejects.toMatchObject(refused);
    await expect(CaseWriter.open(folder, 'test', BUILDER)).rejects.toMatchObject(refused);
    const session = CaseSession.openDamaged(folder, BUILDER);
    try {
      const report = await verifyCase(session, { repair: true, builder: BUILDER });
      expect(report.exitStatus).toBe(1);
      expect(report.findings.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^nothing was repaired: the catalog was changed/),
      );
    } finally {
      await session.close();
    }
    expect(files()).toEqual(before);
  });

  it('since a snapshot is refused where its sources are read', async () => {
    await cases.use(folder, async (session) => {
      const snapshot = session.snapshot();
      edit('UPDATE sources SET row_hash = zeroblob(32)');
      expect(() => snapshot.sources()).toThrow(
        expect.objectContaining({
          code: 'case-damaged',
          message: expect.stringContaining('what it answers could be wrong') as string,
        }) as Error,
      );
    });
  });
});

it('an import leaves the spill of readers alone, and takes what dead ones have left', async () => {
  mkdirSync(join(folder, 'staging/spill-4711'), { recursive: true });
  writeFileSync(join(folder, 'staging/spill-4711/duckdb_temp_storage-0.tmp'), 'left');
  await cases.use(folder, async (session) => {
    await session.store.rows('SET threads = 1').catch(() => undefined);
    const spills = () => readdirSync(join(folder, 'staging')).filter((one) => /^spill-/.test(one));
    expect(spills().length).toBe(2);
    const spill = spills().filter((one) => one !== 'spill-4711');
    writeFileSync(join(folder, 'staging', spill[0]!, 'spilled'), 'needed');
    await importMore();
    expect(spills()).toEqual(spill);
    expect(existsSync(join(folder, 'staging', spill[0]!, 'spilled'))).toBe(true);
    // And it is where statements spill to.
    const [[path]] = (await session.store.rows(`SELECT current_setting('temp_directory')`)) as [
      [string],
    ];
    expect(path.startsWith(join(folder, 'staging', spill[0]!))).toBe(true);
  });
  await cases.close();
  expect(readdirSync(join(folder, 'staging'))).toEqual([]);
});

it('segments that are not what the catalog says are named so, without SQL', async () => {
  await cases.use(folder, async (session) => {
    const [segment] = session.snapshot().segments;
    await session.store.attach([segment!]);
    const name = `seg_${segment!.id}.events`;
    for (const sql of [
      // Another segment is in its place.
      `SELECT dst_port FROM ${name}`,
      // A row count of the catalog that was edited.
      `SELECT bitstring_agg(CAST(rowid AS INTEGER), 0, 1000000000) FROM ${name}`,
    ]) {
      const error: unknown = await session.store.rows(sql).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'case-damaged',
        hint: expect.stringContaining('daybook verify CASE') as string,
      });
      expect(String(error)).not.toMatch(/SELECT|seg_/);
    }
  });
});

it('segments that were exchanged are refused by their size, not counted', async () => {
  await cases.use(folder, async (session) => {
    const [segment] = session.snapshot().segments;
    const grown = { ...segment!, id: segment!.id + 5000, bytes: segment!.bytes + 1 };
    await expect(session.store.attach([grown])).rejects.toMatchObject({
      code: 'case-damaged',
      message: expect.stringContaining('another file is in its place') as string,
    });
  });
});

describe('a case that was changed since it was written', () => {
  const asked = 'kind:* | stats count(), sum(bytes)';
  const answer = (at: string) =>
    cases.use(at, (session) => startQuery(session, { text: asked, zone: 'UTC' }).answer());
  const damaged = (message: string) => ({
    code: 'case-damaged',
    message: expect.stringContaining(message) as string,
  });
  let twins: SmallCase;
  /** Two segments of one size. */
  let files: [string, string];
  beforeEach(async () => {
    const head = 'ts_start,src_ip,dst_ip,dst_port,proto,bytes,packets';
    const flows = (day: number, bytes: number): string =>
      `${head}\n2026-11-0${day}T10:00:00Z,10.0.0.1,10.9.9.9,443,TCP,${bytes},1\n`;
    vi.stubEnv('DAYBOOK_DENSE_ROWS', '1');
    twins = await smallCase({ '1.csv': flows(1, 100), '2.csv': flows(2, 200) }, evidence);
    vi.unstubAllEnvs();
    files = await cases.use(twins.folder, async (session) => {
      const [one, other] = session.snapshot().segments;
      return [join(twins.folder, one!.file), join(twins.folder, other!.file)];
    });
    expect(statSync(files[0]).size).toBe(statSync(files[1]).size);
    expect(await answer(twins.folder)).toMatchObject({ rows: [{ 'sum(bytes)': 300 }] });
    await cases.close();
    cases = new CasePool(() => ({ memoryLimit: 3e8, threads: 2 }));
  });
  afterEach(() => twins.dispose());

  it('refuses a whole segment in the place of another of its size', async () => {
    cpSync(files[0], files[1]);
    await expect(answer(twins.folder)).rejects.toMatchObject(
      damaged('another file is in its place'),
    );
  });

  it('answers where an earlier Daybook wrote a segment and did not say which file it is', async () => {
    const catalog = Catalog.open(twins.folder);
    const [segment] = catalog.segments.all();
    catalog.transaction(() => {
      catalog.segments.remove(segment!.id);
      catalog.segments.add({ ...segment!, identity: undefined });
    });
    catalog.close();
    expect(await answer(twins.folder)).toMatchObject({ rows: [{ 'sum(bytes)': 300 }] });
  });

  it.each([
    ['UPDATE segments SET rows = 7 WHERE id = 1', 'table segments, id 1'],
    ['DELETE FROM segments WHERE id = 2', 'table segments: rows are missing'],
    ["UPDATE sources SET name = 'other' WHERE id = 1", 'table sources, id 1'],
    [
      "INSERT INTO marks(segment_id, tag_id, count, rows) VALUES (1, 0, 1, x'00000000')",
      'table marks, segment_id 1, tag_id 0',
    ],
  ])('refuses a catalog after %s', async (sql, message) => {
    const database = new Database(join(twins.folder, 'case.sqlite'));
    database.exec(sql);
    database.close();
    await expect(answer(twins.folder)).rejects.toMatchObject(damaged(message));
  });
});
