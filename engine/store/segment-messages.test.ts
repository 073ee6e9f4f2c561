/** Cut messages: a segment's view reproduces them, and so do their parts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import './keep-byte-order-marks.ts';
import { EventBatch } from '../columns/event-batch.ts';
import { rowSpan } from './parts/batch-rows.ts';
import { BYTES, MESSAGE, SHAPE, TEXTS, readShapes } from './messages/message-columns.ts';
import { wholeMessage } from './messages/whole-message.ts';
import { ParquetPart } from './parts/parquet-part.ts';
import { type BuiltSegment, SegmentBuilder } from './segment-builder.ts';
import { identifier, literal } from './table-layout.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let builder: SegmentBuilder;
let number = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-segment-messages-'));
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
  builder = await SegmentBuilder.create(folder, [], { memoryLimit: 5e8, threads: 1 });
});
afterAll(() => {
  builder.close();
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

interface Row {
  readonly message: string | null;
  readonly pid: number | null;
}

function dice(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * Messages with variables of every width; the constant part of each kind contains quotes and other special
 * characters.
 */
const KINDS: readonly ((roll: (limit: number) => number, pid: number) => string)[] = [
  (roll) => `port ${roll(256)} closed`,
  (roll) => `it's "${roll(70_000)}" \\ of ${roll(2 ** 32)}; NULL''`,
  (roll) => `gr${'ü'}ße an x${roll(2 ** 31).toString(36)}y1 – ${roll(9)}`,
  (roll, pid) => `worker[${pid}]: done with ${roll(2 ** 31).toString(16)}a1 in ${roll(5000)} ms`,
  () => 'nothing to see here',
  () => 'nothing to see there',
  (roll) => `127.0.${roll(256)}.${roll(256)} -> 10.${roll(256)}.0.${roll(256)}: 日本語 ${roll(99)}`,
];

interface Plan {
  readonly seed: number;
  readonly groups: readonly number[];
  /** Percentages: messages that fit no shape, and rows without one. */
  readonly odd: number;
  readonly absent: number;
}

function rowsOf({ seed, groups, odd, absent }: Plan): Row[] {
  const roll = dice(seed);
  return groups.flatMap((count, group) =>
    Array.from({ length: count }, (): Row => {
      const pid = roll(40_000);
      // The second group may have none, or few.
      const none = group === 1 ? [absent, 100, 95][seed % 3]! : absent;
      if (roll(100) < none) return { message: null, pid: null };
      if (roll(100) < odd) return { message: oddMessage(roll), pid };
      return { message: KINDS[roll(KINDS.length)]!(roll, pid), pid };
    }),
  );
}

function oddMessage(roll: (limit: number) => number): string {
  switch (roll(6)) {
    case 0:
      return '';
    case 1:
      return 'z'.repeat(roll(9000));
    case 2:
      return `\0${roll(9)}\u0001`;
    case 3:
      return '😀'.repeat(roll(50));
    default:
      return Array.from({ length: roll(12) }, () => roll(2 ** 31).toString(36)).join(' ');
  }
}

async function segmentOf({ groups }: Plan, rows: readonly Row[]): Promise<BuiltSegment> {
  const part = new ParquetPart(join(folder, `${(number += 1)}.parquet`));
  let from = 0;
  for (const count of groups) {
    const batch = new EventBatch('log', () => undefined, count);
    for (const [i, { message, pid }] of rows.slice(from, from + count).entries()) {
      batch.seq.set(i, from + i);
      if (message !== null) batch.message.setString(i, message);
      if (pid !== null) batch.pid.set(i, pid);
      batch.source_id.set(i, 1);
      batch.endRow();
    }
    from += count;
    part.addRowGroup(batch, rowSpan(0, count));
    batch.clear();
  }
  part.finish();
  return builder.build(`SELECT * FROM read_parquet(${literal(part.path)})`, {
    sorted: true,
    ...{ inputBytes: part.size, constants: part.constants(), messages: part.messages },
  });
}

/** A number without digits. */
function words(kind: number): string {
  return [...String(kind)].map((digit) => 'abcdefghij'[Number(digit)]).join('-');
}

async function read(sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRowsJS();
}

const PLAN: fc.Arbitrary<Plan> = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
  groups: fc.array(fc.constantFrom(700, 2048, 2049, 5000), { minLength: 1, maxLength: 3 }),
  odd: fc.constantFrom(0, 1, 10),
  absent: fc.constantFrom(0, 5, 50),
});

describe('messages of a segment', () => {
  it('are what was given, by its view and by their parts', async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(PLAN, async (plan) => {
        const rows = rowsOf(plan);
        const built = await segmentOf(plan, rows);
        const name = `s${number}`;
        await connection.run(`ATTACH ${literal(built.path)} AS ${name} (READ_ONLY)`);
        const given = rows.map(({ message }) => message);
        const found = await read(`SELECT message FROM ${name}.events ORDER BY rowid`);
        expect(found.map(([message]) => message)).toEqual(given);
        const some = given.filter((message) => message !== null);
        const one = literal(some[some.length >> 1]!.replaceAll('\0', ''));
        const counted = some.filter((message) => `'${message.replaceAll("'", "''")}'` === one);
        expect(
          await read(`SELECT count(*)::INTEGER FROM ${name}.events WHERE message = ${one}`),
        ).toEqual([[counted.length]]);
        if (built.shapes > 0) {
          cut += 1;
          expect(await putTogether(name)).toEqual(given);
        }
        await connection.run(`DETACH ${name}`);
        rmSync(built.path);
      }),
      { numRuns: 40 },
    );
    expect(cut).toBeGreaterThan(20);
  }, 120_000);

  it('of 400 shapes are put together', async () => {
    const messages = Array.from({ length: 4400 }, (_, i) => {
      const kind = (i % 440) + 1;
      return `${'ab '.repeat(kind % 7)}${words(kind)} has ${i} of ${'1.'.repeat(kind % 5)}`;
    });
    const rows = messages.map((message) => ({ message, pid: null }));
    // Those that fit no shape were recorded before any shape was found.
    const many = [...rows, ...rows, ...rows, ...rows, ...rows];
    const built = await segmentOf({ seed: 0, groups: [many.length], odd: 0, absent: 0 }, many);
    expect(built.shapes).toBe(400);
    const name = `s${number}`;
    await connection.run(`ATTACH ${literal(built.path)} AS ${name} (READ_ONLY)`);
    const found = await read(`SELECT message FROM ${name}.events ORDER BY rowid`);
    expect(found.map(([message]) => message)).toEqual(many.map(({ message }) => message));
    await connection.run(`DETACH ${name}`);
  });
});

/** Messages as the engine assembles them from a segment's shapes and variables. */
async function putTogether(name: string): Promise<unknown[]> {
  const [[comment]] = (await read(
    `SELECT comment FROM duckdb_tables() WHERE database_name = '${name}'`,
  )) as [[string]];
  const shapes = readShapes(comment)!;
  const columns = [SHAPE, BYTES, TEXTS, MESSAGE, 'pid'].map(identifier).join(', ');
  const rows = await read(`SELECT ${columns} FROM ${name}.stored ORDER BY rowid`);
  return rows.map(([shape, bytes, texts, whole, pid]) => {
    if (shape === null) return whole;
    const numbers = { bytes: (bytes ?? []) as number[] };
    return wholeMessage(shapes[Number(shape) - 1]!, {
      numbers,
      texts: (texts ?? []) as string[],
      pid,
    });
  });
}
