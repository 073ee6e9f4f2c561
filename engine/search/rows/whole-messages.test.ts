/** Messages in rows are those of the evidence, whether SQL or the engine assembled them. */
import { afterAll, beforeAll, expect, it, type MockInstance, vi } from 'vitest';
import { evidence } from '../../../app/compose.ts';
import { cell, columnOf, type ColumnBatch } from '../../contract/wire/column-batch.ts';
import type { DaybookError } from '../../contract/errors.ts';
import { MAX_CELL } from '../../query/statements/event-list.ts';
import { CaseSession } from '../session/case-session.ts';
import type { Client } from '../../operations/handler.ts';
import { openList } from '../../operations/query/open-results.ts';
import { startQuery } from '../query.ts';
import { type SmallCase, smallCase } from '../../operations/testing/small-case.ts';
import { putTogether } from './whole-messages.ts';

const ROWS = 3000;
/** Longer than a cell, half of its characters two UTF-16 units each. */
const LONG = '𝔸x'.repeat(MAX_CELL);
/** The message of a row; few contain `quasar`. */
const MESSAGES: readonly ((i: number) => string)[] = [
  (i) => `Failed password for user${i % 70} from 10.${i % 3}.0.${i % 250} port ${i * 20} ssh2`,
  (i) => `(root) CMD (it's "quoted" \\ %s {} ${i % 2})`,
  (i) =>
    `key SHA256:${(i * 7919).toString(36)} für Bénédicte${i % 9} 日本 ${String(i).padStart(6, '0')}`,
  (i) => `process ${i} reads ${4_294_967_290 + i} of ${i * 1000}`,
  (i) => (i % 350 === 34 ? `quasar ${LONG} ${i}` : `${'-'.repeat(i % 70)}quiet`),
  (i) => `sensor quasar${i % 400} of unit ${i % 64}`,
];
const lines = Array.from({ length: ROWS }, (_, i) => MESSAGES[i % MESSAGES.length]!(i));

let small: SmallCase;
let session: CaseSession;
/** Called whenever the engine assembles messages. */
let together: MockInstance<CaseSession['store']['messageShapes']>;

beforeAll(async () => {
  // Otherwise small segments have no index.
  vi.stubEnv('DAYBOOK_INDEX_ROWS', '25');
  // Segments without shapes next to others.
  const log = (from: number, to: number) =>
    lines
      .slice(from, to)
      .map((line, i) => {
        const time = new Date(Date.UTC(2026, 10, 1) + (from + i) * 10_000).toISOString();
        return `${time} web01 app[${from + i}]: ${line}\n`;
      })
      .join('');
  // With an attribute that has the column's name.
  const other = Array.from(
    { length: 30 },
    (_, i) => `<13>1 2026-11-01T00:00:${10 + i}Z web01 app ${i} - [message] one quasar3 alone\n`,
  ).join('');
  small = await smallCase(
    { 'a.log': log(0, ROWS / 2), 'b.log': log(ROWS / 2, ROWS), 'c.log': other },
    evidence,
    { workers: 1, chunk: { rows: 1200 } },
  );
  session = CaseSession.open(small.folder, { memoryLimit: 3e8, threads: 2 });
  together = vi.spyOn(session.store, 'messageShapes');
}, 60_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await session.close();
  await small.dispose();
});

async function queried(text: string, path?: 'scan'): Promise<unknown[]> {
  const running = startQuery(session, { text, zone: 'UTC', path });
  const rows: unknown[] = [];
  for await (const batch of running.rows()) {
    expect(batch.rows.every((row) => row.every((value) => !Array.isArray(value)))).toBe(true);
    const names = batch.columns.map(({ name, parts }) => [name, parts[0]!.at] as const);
    // Which columns without values exist depends on the segments that a statement reads.
    for (const row of batch.rows)
      rows.push(names.map(([name, at]) => [name, row[at]]).filter(([, value]) => value !== null));
  }
  return rows;
}

async function listed(query: string, descending: boolean, sort = 'ts', path?: 'scan') {
  const client: Client = { kept: new Map() };
  let first: ColumnBatch | undefined;
  const parameters = { query, zone: 'UTC', first: 100, fields: ['pid', 'message'], path };
  await openList(
    session,
    small.folder,
    { ...parameters, sort: { field: sort, descending } },
    client,
    new AbortController().signal,
    async (batch) => void (first = batch),
  );
  for (const one of client.kept.values()) one.dispose();
  const { rows } = first!;
  return ['event_id', 'pid', 'message'].map((name) =>
    Array.from({ length: rows }, (_, row) => cell(columnOf(first!, name)!, row)),
  );
}

const QUERIES = ['quasar', 'quasar3', 'quasar*', 'pid:17', 'pid:>=2600 pid:<2612', 'SHA256', '*'];

it.each(QUERIES)('rows of %s', async (query) => {
  expect(session.snapshot().segments.some(({ shapes }) => shapes > 0)).toBe(true);
  const chosen = ['message, pid', 'attrs.message, message', 'attrs.message'];
  for (const fields of ['', ...chosen.map((names) => `| fields ${names}`)]) {
    const text = `${query} ${fields} | head 40`;
    const read = await queried(text);
    // Numbers have no index.
    const expected = !query.startsWith('pid') && fields !== '| fields attrs.message';
    expect(together.mock.calls.length > 0).toBe(expected);
    together.mockClear();
    expect(read).toEqual(await queried(text, 'scan'));
    expect(together.mock.calls.length).toBe(0);
  }
});

it.each(QUERIES)('the list of %s', async (query) => {
  for (const descending of [false, true]) {
    const events = await listed(query, descending);
    expect(events).toEqual(await listed(query, descending, 'ts', 'scan'));
    // The row's message is its line.
    for (const [i, id] of events[0]!.entries()) {
      const [source, record] = String(id).split(':').map(Number);
      if (source === 3) continue;
      const line = lines[record! - 1 + (source === 2 ? ROWS / 2 : 0)]!;
      const whole = String(events[2]![i]);
      expect(whole.slice(whole.indexOf(': ') + 2)).toBe(
        [...`app[${events[1]![i]}]: ${line}`]
          .slice(0, MAX_CELL)
          .join('')
          .replace(/^app\[\d+\]: /, ''),
      );
    }
  }
  expect(await listed(query, true, 'host')).toEqual(await listed(query, true, 'host', 'scan'));
});

const PARTS = { message: 4, shape: 5, bytes: undefined, lists: [], texts: 7, pid: 8, most: 10 };

it.each([
  ['as bytes', { ...PARTS, bytes: 6 }, [7, 0, 1]],
  ['in lists by width', { ...PARTS, lists: [6, 9, 10] }, [7]],
])('numbers %s; a shape that is not there is damage, not a message', (_, parts, numbers) => {
  const row = () => [3, 0, 1, 1, null, 2, numbers, ['é'], null, [256], []];
  const shape = { constants: ['a ', ' b ', ' ', ' 𝔸𝔸𝔸𝔸𝔸𝔸𝔸'], widths: [0, 3, 1] as const };
  expect(() => putTogether(row(), parts, new Map([[3, [{ ...shape, widths: [] }]]]))).toThrow(
    expect.objectContaining({ code: 'case-damaged' } satisfies Partial<DaybookError>),
  );
  const [whole, cut] = [
    { ...shape, widths: [] },
    { ...shape, widths: [...shape.widths] },
  ];
  const good = row();
  putTogether(good, parts, new Map([[3, [whole, cut]]]));
  expect(good).toEqual([3, 0, 1, 1, 'a 7 b é 25', 2].slice(0, 5));
});
