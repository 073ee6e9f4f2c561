/** Lines of a log among JSON records: each line is judged by itself. */
import { expect, it } from 'vitest';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { flowCsvImporter, importers } from '../registry.ts';

const at = (second: number) => Date.UTC(2026, 10, 21, 10, 0, second) * 1000;
const record = (second: number) =>
  JSON.stringify({
    ...{ timestamp: `2026-11-21T10:00:0${second}Z`, user: 'alice', src_ip: '192.0.2.7' },
    message: `login ${second}`,
  });
const LINES = [
  record(1),
  'starting worker 3',
  '2026-11-21 10:00:02 sshd[7]: accepted',
  record(3),
  'java.lang.IllegalStateException: closed',
  '\tat com.example.Pool.get(Pool.java:10)',
  '',
  'Nov 21 10:00:04 host1 cron[9]: run',
  record(5),
];

const bytesOf = (lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`);

/** The importer that reads the lines. */
function importerOf(lines: readonly string[]) {
  const hint = { name: 'x', complete: true };
  const scores = importers.map((one) => one.sniff(bytesOf(lines), hint)?.score ?? 0);
  return importers[scores.indexOf(Math.max(...scores))]!.id;
}

async function read(lines: readonly string[], blockSize?: number) {
  const input = inputOf(bytesOf(lines), 'x', blockSize);
  const got = await collect(flowCsvImporter, input, { format: 'json-lines', year: 2026 }, 7);
  return { ...got, rows: got.rows.toSorted((a, b) => Number(a['seq']) - Number(b['seq'])) };
}

it('reads lines that are no JSON as a log, with their own times', async () => {
  for (const blockSize of [undefined, 1, 50]) {
    const { rows, quarantined, notes, read: all } = await read(LINES, blockSize);
    expect(quarantined).toEqual([]);
    expect(all).toBe(LINES.length);
    expect(rows).toMatchObject([
      { kind: 'log', seq: 1, ts: at(1), user: 'alice', message: 'login 1' },
      { kind: 'log', seq: 2, message: 'starting worker 3' },
      { kind: 'log', seq: 3, ts: at(2), program: 'sshd', pid: 7 },
      { kind: 'log', seq: 4, ts: at(3), user: 'alice' },
      { seq: 5, message: `${LINES[4]!}\n${LINES[5]!}` },
      { seq: 6, ts: at(4), host: 'host1', program: 'cron' },
      { seq: 7, ts: at(5), user: 'alice' },
    ]);
    expect(rows[1]).not.toHaveProperty('ts');
    const text = LINES.join('\n');
    expect(rows.map((row) => row['offset'])).toEqual(
      [0, 1, 2, 3, 4, 7, 8].map((line) => text.indexOf(LINES[line]!)),
    );
    expect(notes).toEqual([expect.stringContaining('4 events from lines that are not JSON')]);
  }
});

it('begins with lines of a log, where most are records', async () => {
  const banner = ['Listening on port 80', 'Nov 21 10:00:00 host1 app[1]: ready'];
  const lines = [...banner, record(1), record(2), record(3)];
  expect(importerOf(lines)).toBe('flow-csv');
  expect(importerOf([...lines, ...banner])).toBe('syslog');
  const { rows, quarantined } = await read(lines);
  expect(quarantined).toEqual([]);
  expect(rows[0]).toMatchObject({ kind: 'log', seq: 1, message: 'Listening on port 80' });
  expect(rows[2]).toMatchObject({ seq: 3, user: 'alice' });
});

it('keeps what is JSON, but no record, in quarantine', async () => {
  const cut = record(2).slice(0, 40);
  const { rows, quarantined, notes } = await read([record(1), cut, '[1,2]', '"a"', '{', record(3)]);
  expect(quarantined.map(({ reason }) => reason)).toEqual([
    'not valid JSON',
    'not a JSON object',
    'not a JSON object',
    'not valid JSON',
  ]);
  expect(rows.map((row) => row['seq'])).toEqual([1, 6]);
  expect(notes).toEqual([]);
});

it('takes a record between the NULs that a crash left', async () => {
  const records = Array.from({ length: 8 }, (_, n) => record(n));
  const lines = [...records, `\0\0\0${record(8)}\0`, '\0\0\0', record(9)];
  const { rows, quarantined, skipped } = await read(lines);
  expect(rows.map((row) => row['user'])).toEqual(Array(10).fill('alice'));
  expect(quarantined).toEqual([]);
  expect(skipped).toEqual({ 'line of NUL bytes': 1 });
});

it('reads records that a separator precedes (RFC 7464)', async () => {
  const lines = [1, 2, 3].map((second) => `\x1e${record(second)}`);
  expect(importerOf(lines)).toBe('flow-csv');
  for (const blockSize of [undefined, 1]) {
    const { rows, quarantined } = await read(lines, blockSize);
    expect(quarantined).toEqual([]);
    expect(rows).toMatchObject(
      [1, 2, 3].map((n) => ({ kind: 'log', seq: n, ts: at(n), message: `login ${n}` })),
    );
    expect(rows[1]).toMatchObject({ offset: lines[0]!.length + 1, length: lines[1]!.length });
  }
});
