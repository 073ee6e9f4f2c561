/** Logs that share runs of lines: found by content, reported, and left out by one switch that can be reversed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../../../fixtures/evidence/random.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { compactCase } from './compact.ts';
import { changeOverlaps, listOverlaps } from './overlap.ts';
import { LineHasher } from '../../ingest/overlap/line-hashes.ts';
import { LineIndex } from '../../ingest/overlap/line-runs.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';

let folder = '';
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'daybook-overlap-'));
  folder = join(home, 'case');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const BUILDER = { memoryLimit: 256 * 2 ** 20, threads: 1 };
const put = (name: string, text: string): string => {
  const path = join(home, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
};
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => {
    const time = new Date(Date.UTC(2026, 0, 5) + (from + i) * 1000).toISOString();
    return `${time} host app[7]: message ${from + i}\n`;
  }).join('');

/** Events that queries see. */
function visible(): number {
  const catalog = Catalog.open(folder);
  try {
    return catalog.segments
      .all()
      .reduce((sum, { id, rows }) => sum + rows - catalog.marks.of(id, 0).length, 0);
  } finally {
    catalog.close();
  }
}

const cases: [string, [string, string][], number][] = [
  [
    'pieces that share lines',
    [
      ['a.log', lines(0, 1000)],
      ['b.log.gz', lines(900, 2000)],
    ],
    100,
  ],
  [
    'a longer copy, first',
    [
      ['a.log', lines(0, 2000)],
      ['b.log', lines(500, 800)],
    ],
    300,
  ],
  [
    'a longer copy, second',
    [
      ['a.log', lines(500, 800)],
      ['b.log', lines(0, 2000)],
    ],
    300,
  ],
  [
    'a copy with a line changed',
    [
      ['a.log', lines(0, 400)],
      ['b.log', lines(0, 400).replace('message 200', 'message 2OO')],
    ],
    399,
  ],
  [
    'logs of other lines',
    [
      ['a.log', lines(0, 400)],
      ['b.log', lines(400, 800)],
    ],
    0,
  ],
  [
    'logs that repeat single lines',
    [
      ['a.log', lines(0, 400)],
      ['b.log', Array.from({ length: 60 }, (_, i) => lines(7 * i, 7 * i + 5) + 'x\n').join('')],
    ],
    0,
  ],
];
describe.each(cases)('%s', (_, files, shared) => {
  it(`have ${shared} lines in common`, async () => {
    const total = files.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0);
    const paths = files.map(([name, text]) => put(name, text));
    const report = await importInProcess(folder, paths);
    expect(listOverlaps(folder).reduce((sum, { records }) => sum + records, 0)).toBe(shared);
    const notes = report.sources.flatMap((source) => source.notes).join('\n');
    if (shared === 0) expect(notes).not.toMatch(/of its lines are also in source/);
    else expect(notes).toContain(`${shared} of its lines are also in source`);
    // A growing log is stored once anyway; nothing else is left out without a request.
    const before = visible();
    expect(before).toBe(total);

    const hidden = await changeOverlaps({
      folder,
      ids: undefined,
      leftOut: true,
      builder: BUILDER,
    });
    expect(hidden).toBe(shared);
    expect(visible()).toBe(before - shared);
    await compactCase(folder, BUILDER);
    expect(visible()).toBe(before - shared);
    const shown = await changeOverlaps({
      folder,
      ids: undefined,
      leftOut: false,
      builder: BUILDER,
    });
    expect(shown).toBe(shared);
    expect(visible()).toBe(before);
    const catalog = Catalog.open(folder);
    const audited = catalog.audit.entries().filter(({ operation }) => operation === 'overlap');
    catalog.close();
    expect(audited).toHaveLength(2 * listOverlaps(folder).length);
  });
});

it('leaves them out at once where an import is told to', async () => {
  await importInProcess(folder, [put('a.log', lines(0, 1000))]);
  await importInProcess(folder, [put('b.log', lines(900, 2000))], { leaveOutOverlap: true });
  expect(visible()).toBe(2000);
  expect(listOverlaps(folder)).toMatchObject([{ records: 100, leftOut: true, source: 'b.log' }]);
});

it('leaves a table out that was cut off, once it is read whole', async () => {
  const head = 'ts,src_ip,src_port,dst_ip,dst_port,bytes\n';
  const rows = Array.from(
    { length: 3000 },
    (_, i) =>
      `2026-01-05T00:00:00.${String(i).padStart(6, '0')}Z,10.0.0.${i % 250},${1024 + i},10.1.0.1,443,${i * 3}\n`,
  ).join('');
  const whole = gzipSync(head + rows);
  const path = join(home, 'flows.csv.gz');
  writeFileSync(path, whole.subarray(0, whole.length >> 1));
  const first = await importInProcess(folder, [path]);
  expect(first.sources[0]).toMatchObject({ status: 'partial' });
  expect(first.sources[0]!.stored).toBeGreaterThan(100);
  writeFileSync(path, whole);
  const second = await importInProcess(folder, [path]);
  expect(second.sources[0]).toMatchObject({ status: 'complete', stored: 3000 });
  expect(second.sources[0]!.notes.join()).toMatch(/its events are marked to be left out/);
  expect(visible()).toBe(3000);
});

it('takes no lines that records of indented JSON share for a copy', async () => {
  const records = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => ({
      ts: new Date(Date.UTC(2026, 0, 5) + (from + i) * 1000).toISOString(),
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`flag_${n}`, 0])),
      src_ip: `192.0.2.${(from + i) % 250}`,
    }));
  const first = put('a.json', JSON.stringify(records(0, 200), undefined, 2));
  await importInProcess(folder, [first]);
  await importInProcess(folder, [put('b.json', JSON.stringify(records(5000, 5200), undefined, 2))]);
  expect(listOverlaps(folder)).toHaveLength(0);
  expect(visible()).toBe(400);
  // Whole records that are in both are found, and no other is hidden. The last line of a.json's last record is part
  // of a different record in c.json, where a comma follows: that record stays.
  await importInProcess(folder, [put('c.json', JSON.stringify(records(100, 300), undefined, 2))]);
  const found = listOverlaps(folder);
  expect(found).toHaveLength(1);
  await changeOverlaps({ folder, ids: [found[0]!.id], leftOut: true, builder: BUILDER });
  expect(visible()).toBe(501);
});

it('takes no lines without times for copies that a log repeats as it grows', async () => {
  const night = Array.from({ length: 60 }, (_, i) => `job ${i} ended with status ${i % 3}\n`).join(
    '',
  );
  const path = put('jobs.log', night.repeat(3));
  await importInProcess(folder, [path]);
  put('jobs.log', night.repeat(8));
  await importInProcess(folder, [path], { leaveOutOverlap: true });
  put('jobs.log', night.repeat(9));
  await importInProcess(folder, [path], { leaveOutOverlap: true });
  expect(listOverlaps(folder)).toEqual([]);
  expect(visible()).toBe(540);
});

it('one run of lines without times is the copy of one run only', async () => {
  const night = Array.from({ length: 60 }, (_, i) => `job ${i} ended with status ${i % 3}\n`).join(
    '',
  );
  await importInProcess(folder, [put('one.log', night)]);
  await importInProcess(folder, [put('three.log', `begin\n${night.repeat(3)}`)], {
    leaveOutOverlap: true,
  });
  expect(listOverlaps(folder).map(({ records }) => records)).toEqual([60]);
  expect(visible()).toBe(60 + 121);
});

it('a run of lines with times has as many copies as there are', async () => {
  const once = lines(0, 300);
  await importInProcess(folder, [put('one.log', once)]);
  await importInProcess(folder, [put('two.log', once + once)]);
  await importInProcess(folder, [
    put('three.log', `${lines(900, 901)}${once}${lines(901, 902)}${once}`),
  ]);
  await changeOverlaps({ folder, ids: undefined, leftOut: true, builder: BUILDER });
  expect(visible()).toBe(302);
});

it('hashes lines alike whatever the blocks and line ends', () => {
  const text = lines(0, 200);
  const whole = new LineHasher();
  whole.update(Buffer.from(text));
  const expected = whole.end()!;
  expect(expected.hashes).toHaveLength(200);
  for (const size of [1, 7, 64, 1000]) {
    const hasher = new LineHasher();
    const bytes = Buffer.from(text.trimEnd());
    for (let at = 0; at < bytes.length; at += size) hasher.update(bytes.subarray(at, at + size));
    expect(hasher.end()!.hashes).toEqual(expected.hashes);
  }
  const windows = new LineHasher();
  windows.update(Buffer.from(text.replaceAll('\n', '\r\n')));
  expect(windows.end()!.hashes).toEqual(expected.hashes);
});

it('finds long runs although not all lines are anchors', () => {
  const index = new LineIndex();
  const random = (n: number, seed: number) =>
    Uint32Array.from({ length: n }, (_, i) => Math.imul(i + seed, 2654435761) ^ (i << 7));
  const large = random(1_200_000, 1);
  index.add(1, large);
  const copy = new Uint32Array(3000);
  copy.set(random(1000, 77_000_000));
  copy.set(large.subarray(800_000, 801_000), 1000);
  copy.set(random(1000, 99_000_000), 2000);
  expect(index.runsOf(copy)).toEqual([{ from: 1000, lines: 1000, other: 1, otherFrom: 800_000 }]);
});

it('a copy is found as well in a source that is looked through as in one that has anchors', () => {
  const random = (n: number, seed: number) =>
    Uint32Array.from({ length: n }, (_, i) => Math.imul(i + seed, 2654435761) ^ (i << 7));
  const [first, second] = [random(20_000, 1), random(20_000, 500_000)];
  // What both share is reported for the first.
  second.set(first.subarray(100, 400), 9000);
  const copy = random(1000, 77_000_000);
  copy.set(first.subarray(100, 400), 50);
  copy.set(second.subarray(12_000, 12_008), 600);
  const runs = [
    { from: 50, lines: 300, other: 1, otherFrom: 100 },
    { from: 600, lines: 8, other: 2, otherFrom: 12_000 },
  ];
  const index = new LineIndex();
  index.add(2, second);
  expect(index.runsOf(first)).toEqual([{ from: 100, lines: 300, other: 2, otherFrom: 9000 }]);
  index.add(1, first);
  for (let times = 0; times < 70; times++) expect(index.runsOf(copy)).toEqual(runs);
});

it('a copy is found among lines that both have in another order', () => {
  const text = Uint32Array.from({ length: 50 }, (_, i) => Math.imul(i + 1, 2654435761));
  const random = new Random(1);
  const mixed = (n: number) => Uint32Array.from({ length: n }, () => random.oneOf([...text]));
  const copied = Uint32Array.from({ length: 8 }, (_, i) => Math.imul(i + 1000, 2246822519));
  const [long, short] = [mixed(100_000), mixed(1000)];
  long.set(copied, 70_000);
  short.set(copied, 500);
  const index = new LineIndex();
  index.add(1, long);
  expect(index.runsOf(short)).toContainEqual({
    ...{ from: 500, lines: 8 },
    ...{ other: 1, otherFrom: 70_000 },
  });
});
