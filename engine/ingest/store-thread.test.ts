/**
 * What a storing thread makes of a source is what its worker would make of it: every column of every event, the
 * ledger, the quarantine; also when the import is cancelled in the middle. When the thread fails, so does the import.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventBatch } from '../contract/event-batch.ts';
import { rowSpan, textLength } from '../store/batch-rows.ts';
import { presentColumns } from '../store/column-types.ts';
import { borrowed, lend } from './lent-batch.ts';
import type { StorerHandle } from './store-feed.ts';
import { contents } from './testing/case-contents.ts';
import {
  importInProcess,
  type InProcessOptions,
  startInProcess,
  startStorerInProcess,
} from './testing/in-process.ts';
import { eveJson, pcapOf, rfc3164, zeekConn } from './testing/small-evidence.ts';

let folder: string;
let made = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-storer-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Storing threads that are watched or hindered; `rows` is how many batches they were given. */
function storers(wrap: (inner: StorerHandle) => StorerHandle = (inner) => inner) {
  const seen = { rows: 0 };
  const startStorer = (): StorerHandle => {
    const inner = wrap(startStorerInProcess());
    return {
      ...inner,
      post: (message) => {
        if (message.type === 'rows') seen.rows += 1;
        inner.post(message);
      },
    };
  };
  return { seen, startWorker: () => startInProcess(undefined, startStorer) };
}

async function importInto(path: string, evidence: string, how: InProcessOptions = {}) {
  await importInProcess(path, [evidence], how);
  return contents(path);
}

const newCase = (): string => join(folder, `${++made}.daybook`);

const days = Array.from(
  { length: 30_000 },
  (_, n) =>
    `2026-03-0${1 + Math.floor(n / 11_000)}T10:00:00.5Z gate evnt[${n}]: message ${n} of ${n % 7}\n`,
).join('');
const FILES: Record<string, Uint8Array | string> = {
  'days.log': days,
  'rfc3164.log': rfc3164(3000) + 'no header here\n' + rfc3164(500),
  // Enough for a segment of our own.
  'packets.pcap': pcapOf(24_000).subarray(0, -7),
  'zeek.log': zeekConn(12_000) + 'no\trow\n#path\tdns\n' + zeekConn(700, 1500),
  'eve.json': eveJson(1000) + 'not json\n' + eveJson(800),
};

describe.each(Object.keys(FILES))('%s', (name) => {
  it('is the same from a thread that stores as from one that reads and stores', async () => {
    const evidence = join(folder, name);
    writeFileSync(evidence, FILES[name]!);
    const want = await importInto(newCase(), evidence, { chunk: { storeBytes: Infinity } });
    expect(want.rows.length).toBeGreaterThan(1000);
    for (const rows of [1500, 1e6]) {
      const { seen, startWorker } = storers();
      const held = await importInto(newCase(), evidence, {
        chunk: { storeBytes: 1, rows },
        startWorker,
      });
      expect(seen.rows).toBeGreaterThan(0);
      expect(held.sources).toEqual(want.sources);
      expect(held.quarantine).toEqual(want.quarantine);
      expect(held.rows).toEqual(want.rows);
    }
  });
});

it('takes a large source also when rows of a small one before it are in no chunk yet', async () => {
  const [small, large] = [join(folder, 'a-small.log'), join(folder, 'b-large.log')];
  writeFileSync(small, rfc3164(300));
  writeFileSync(large, days);
  const how = { workers: 1, chunk: { storeBytes: days.length, rows: 4000, ms: 1e9 } };
  const { seen, startWorker } = storers();
  const path = newCase();
  const report = await importInProcess(path, [small, large], { ...how, startWorker });
  expect(report.total.quarantined).toBe(0);
  expect(seen.rows).toBeGreaterThan(0);
  const other = newCase();
  await importInProcess(other, [small, large], {
    ...how,
    chunk: { ...how.chunk, storeBytes: Infinity },
  });
  expect(await contents(path)).toEqual(await contents(other));
});

it('goes on to the same after a cancellation in the middle', async () => {
  const evidence = join(folder, 'cancelled.log');
  writeFileSync(evidence, days);
  const want = await importInto(newCase(), evidence, { chunk: { storeBytes: Infinity } });
  const path = newCase();
  const chunk = { storeBytes: 1, rows: 4000 };
  const controller = new AbortController();
  const cancelled = importInProcess(path, [evidence], {
    chunk,
    signal: controller.signal,
    startWorker: () => {
      const inner = startInProcess();
      return {
        ...inner,
        post: (message) => {
          if (message.type === 'committed') controller.abort();
          inner.post(message);
        },
      };
    },
  });
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  const held = await importInto(path, evidence, { chunk });
  expect(held.rows).toEqual(want.rows);
});

describe('a thread that fails', () => {
  /** Instead of hearing of the message of that number and type, it has no room on the disk, or is gone. */
  const failing = (type: 'rows' | 'finish', nth: number, how: 'full' | 'gone') =>
    storers((inner) => {
      let tell: Parameters<StorerHandle['onMessage']>[0] = () => undefined;
      let exit: Parameters<StorerHandle['onExit']>[0] = () => undefined;
      let count = 0;
      let failed = false;
      return {
        ...inner,
        post: (message) => {
          if (message.type === type && ++count === nth) {
            failed = true;
            setImmediate(() => {
              if (how === 'gone') exit(undefined);
              else tell({ type: 'failed', code: 'disk-full', message: 'full', hint: undefined });
            });
          }
          if (!failed) inner.post(message);
        },
        onMessage: (handler) => {
          tell = handler;
          inner.onMessage((message) => {
            if (!failed) handler(message);
          });
        },
        onExit: (handler) => {
          exit = handler;
        },
      };
    });

  it.each([
    ['rows', 1, 'full', 'disk-full'],
    ['rows', 3, 'full', 'disk-full'],
    ['rows', 1, 'gone', 'internal'],
    ['finish', 1, 'full', 'disk-full'],
    ['finish', 3, 'gone', 'internal'],
  ] as const)('at %s %i (%s) ends the import', async (type, nth, how, code) => {
    const evidence = join(folder, 'failing.log');
    writeFileSync(evidence, days);
    const { startWorker } = failing(type, nth, how);
    const running = importInProcess(newCase(), [evidence], {
      chunk: { storeBytes: 1, rows: 4000 },
      startWorker,
    });
    await expect(running).rejects.toMatchObject({ code });
  });
});

it('a batch that is lent has the values that it had', () => {
  const TEXTS = ['host', 'message'] as const;
  const NUMBERS = ['ts', 'src_port', 'src_ip4', 'tz_offset', 'proto', 'bytes'] as const;
  fc.assert(
    fc.property(
      fc.array(
        fc.record(
          {
            text: fc.string({ unit: 'grapheme', maxLength: 30 }),
            number: fc.nat(255),
            attribute: fc.string({ maxLength: 5 }),
            address: fc.uint8Array({ minLength: 16, maxLength: 16 }),
          },
          { requiredKeys: [] },
        ),
        { minLength: 1, maxLength: 60 },
      ),
      fc.boolean(),
      (rows, many) => {
        const batch = new EventBatch('log', () => undefined, 20_000);
        // Large columns are shared, small ones copied.
        for (let times = many ? 300 : 1; times > 0; times--)
          for (const { text, number, attribute, address } of rows) {
            const at = batch.length;
            if (text !== undefined) for (const name of TEXTS) batch[name].setString(at, text);
            if (number !== undefined) for (const name of NUMBERS) batch[name].set(at, number);
            if (attribute !== undefined) batch.setAttribute(`n${number}`, attribute);
            if (address !== undefined) batch.src_ip6.set(at, address, 0);
            batch.endRow();
          }
        const held = borrowed(structuredClone(lend(batch)));
        expect(held.length).toBe(batch.length);
        expect(held.capacity).toBe(batch.capacity);
        expect(valuesOf(held)).toEqual(valuesOf(batch));
      },
    ),
    { numRuns: 30 },
  );
});

/** By column, what its rows have. */
function valuesOf(batch: EventBatch): Map<string, unknown[]> {
  const rows = rowSpan(0, batch.length);
  return new Map(
    Array.from(presentColumns(batch, rows), ({ name, column }) => [
      name,
      Array.from({ length: batch.length }, (_, row) => {
        if (column.present[row] === 0) return undefined;
        if (column.type === 'text') {
          const start = column.starts[row]!;
          const end = start + 4 + textLength(column.data, start);
          return Buffer.from(column.data.subarray(start, end)).toString('hex');
        }
        if (column.type !== 'ip6') return column.values[row];
        return Buffer.from(column.values.subarray(row * 16, row * 16 + 16)).toString('hex');
      }),
    ]),
  );
}
