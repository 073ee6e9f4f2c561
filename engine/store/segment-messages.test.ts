/** Messages that are cut, in a segment that is written here: DuckDB gives them back, as of one it has made itself. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import './texts-as-they-are.ts';
import { EventBatch } from '../contract/event-batch.ts';
import { rowSpan } from './batch-rows.ts';
import { finishSegment } from './finish-segment.ts';
import {
  BYTES,
  MESSAGE,
  SHAPE,
  TEXTS,
  readShapes,
  shapesText,
} from './messages/message-columns.ts';
import { wholeMessage } from './messages/whole-message.ts';
import { BLOCK, SMALL_BLOCK } from './segment-blocks.ts';
import { EventColumns } from './segment-file/event-columns.ts';
import { Scratch } from './segment-file/pages.ts';
import { unpackMap } from './segment-file/segment-map.ts';
import { SegmentReader } from './segment-file/segment-reader.ts';
import { type SegmentDraft, selectedOf } from './segment-file/write/draft.ts';
import { SegmentPart } from './segment-part.ts';
import { literal, tableLayout } from './table-layout.ts';

let folder: string;
let instance: DuckDBInstance;
let connection: DuckDBConnection;
let number = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-segment-messages-'));
  instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  connection = await instance.connect();
});
afterAll(() => {
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

/** Messages with variables of every width; what is the same in all of a kind has quotes and more in it. */
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
  /** In percent: of messages that fit no shape, and of rows without one. */
  readonly odd: number;
  readonly absent: number;
  readonly block: number;
  readonly isAlone?: boolean;
}

function rowsOf({ seed, groups, odd, absent }: Plan): Row[] {
  const roll = dice(seed);
  return groups.flatMap((count, group) =>
    Array.from({ length: count }, (): Row => {
      const pid = roll(40_000);
      // Of the second group there may be none, or few.
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

/** Undefined where the part does not take the rows. */
function draftOf(plan: Plan, rows: readonly Row[]): SegmentDraft | undefined {
  const path = join(folder, `${(number += 1)}.duckdb`);
  const part = new SegmentPart(path, plan.block, plan.isAlone);
  let from = 0;
  for (const count of plan.groups) {
    const batch = new EventBatch('log', () => undefined, count);
    for (const [i, { message, pid }] of rows.slice(from, from + count).entries()) {
      batch.seq.set(i, from + i);
      if (message !== null) batch.message.setString(i, message);
      if (pid !== null) batch.pid.set(i, pid);
      batch.endRow();
    }
    from += count;
    if (!part.add(batch, rowSpan(0, count))) {
      part.abandon();
      return undefined;
    }
    batch.clear();
  }
  return part.finish(1);
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
  block: fc.constantFrom(BLOCK, SMALL_BLOCK),
});

const KNOWN = { minTs: undefined, maxTs: undefined, sources: [] };

describe('messages of a segment', () => {
  it('are what was given: by DuckDB, and out of the file', async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(PLAN, async (plan) => {
        const rows = rowsOf(plan);
        const draft = draftOf(plan, rows);
        if (draft?.shapes === undefined) return;
        cut += 1;
        const built = await finishSegment(structuredClone(draft), KNOWN);
        expect(built.shapes).toBe(draft.shapes.length);
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
        checkReader(built.path, built.map!, rows);
        await connection.run(`DETACH ${name}`);
        rmSync(built.path);
      }),
      { numRuns: 40 },
    );
    expect(cut).toBeGreaterThan(20);
  }, 120_000);

  it('are in a file whose catalog is as DuckDB makes it, which may be written', async () => {
    const plan = { seed: 5, groups: [5000], odd: 5, absent: 5, block: BLOCK };
    const rows = rowsOf(plan);
    const draft = draftOf(plan, rows)!;
    const built = await finishSegment(draft, KNOWN);
    const shapes = draft.shapes!;
    expect(shapes.length).toBeGreaterThan(5);
    const layout = tableLayout(
      { selected: selectedOf(draft), timeUnit: 1, rareMessages: false },
      [],
      { shapes, wholeShare: 0 },
    );
    const other = join(folder, 'other.duckdb');
    await connection.run(`ATTACH ${literal(other)} AS other (STORAGE_VERSION 'v1.5.0')`);
    await connection.run(`CREATE TABLE other.stored (${layout.definitions.join(', ')})`);
    await connection.run(layout.view!('other'));
    await connection.run(`ATTACH ${literal(built.path)} AS own (READ_ONLY)`);
    const about = async (name: string) => [
      await read(`DESCRIBE ${name}.events`),
      await read(`DESCRIBE ${name}.stored`),
      await read(`SELECT comment FROM duckdb_tables() WHERE database_name = '${name}'`),
      await read(
        `SELECT replace(sql, '${name}.', '') FROM duckdb_tables() WHERE database_name = '${name}'`,
      ),
      await read(
        `SELECT view_name, column_count, replace(replace(sql, '${name}.', ''), '"UINTEGER"', 'UINTEGER') FROM duckdb_views() WHERE database_name = '${name}'`,
      ),
      await read(
        `SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = '${name}' ORDER BY ALL`,
      ),
    ];
    expect(await about('own')).toEqual(await about('other'));
    expect(readShapes((await about('own'))[2]![0]![0])).toEqual(shapes);
    // What DuckDB parses of the view's own text is the same view.
    const [[, , sql]] = (await about('own'))[4] as [[string, number, string]];
    await connection.run('DETACH own');
    const copy = join(folder, 'copy.duckdb');
    copyFileSync(built.path, copy);
    await connection.run(`ATTACH ${literal(copy)} AS own`);
    await connection.run('USE own');
    await connection.run('DELETE FROM stored WHERE seq % 3 = 0');
    await connection.run(
      `UPDATE stored SET "message:shape" = NULL, "message:text" = ['changed'] WHERE seq % 3 = 1`,
    );
    await connection.run('CHECKPOINT own');
    await connection.run(`DROP VIEW events`);
    await connection.run(sql);
    await connection.run('USE memory');
    await connection.run('DETACH own');
    await connection.run(`ATTACH ${literal(copy)} AS own (READ_ONLY)`);
    const left = await read('SELECT seq::INTEGER, message FROM own.events ORDER BY seq');
    expect(left).toEqual(
      rows.flatMap(({ message }, seq) =>
        seq % 3 === 0 ? [] : [[seq, seq % 3 === 1 ? 'changed' : message]],
      ),
    );
    await connection.run('DETACH own');
    await connection.run('DETACH other');
  });

  it('of 400 shapes are put together', async () => {
    const messages = Array.from({ length: 4400 }, (_, i) => {
      const kind = (i % 440) + 1;
      return `${'ab '.repeat(kind % 7)}${words(kind)} has ${i} of ${'1.'.repeat(kind % 5)}`;
    });
    const plan = { seed: 0, groups: [4400], odd: 0, absent: 0, block: BLOCK };
    const rows = messages.map((message) => ({ message, pid: null }));
    // Those that fit no shape are told from before one has been found.
    const doubled = [...rows, ...rows, ...rows, ...rows, ...rows];
    const draft = draftOf({ ...plan, groups: [doubled.length] }, doubled);
    expect(draft?.shapes?.length).toBe(400);
    const built = await finishSegment(draft!, KNOWN);
    const name = `s${number}`;
    await connection.run(`ATTACH ${literal(built.path)} AS ${name} (READ_ONLY)`);
    const found = await read(`SELECT message FROM ${name}.events ORDER BY rowid`);
    expect(found.map(([message]) => message)).toEqual(doubled.map(({ message }) => message));
    await connection.run(`DETACH ${name}`);
  });

  it('that fit no shape are left to DuckDB, and end a part that has others', () => {
    const plan = { seed: 1, groups: [3000], odd: 100, absent: 0, block: BLOCK };
    expect(draftOf(plan, rowsOf(plan))).toBeUndefined();
    const some = { ...plan, odd: 60 };
    expect(draftOf(some, rowsOf(some))).toBeUndefined();
    const later = [
      ...rowsOf({ ...plan, odd: 0 }),
      ...rowsOf({ ...plan, odd: 30 }),
      ...rowsOf({ ...plan, odd: 90 }),
    ];
    expect(draftOf({ ...plan, groups: [3000, 3000] }, later)?.shapes).toBeDefined();
    expect(draftOf({ ...plan, groups: [3000, 3000, 3000] }, later)).toBeUndefined();
  });

  it('of few rows of one source are kept as they are, until many come', async () => {
    const plan = { seed: 3, groups: [100, 20, 200], odd: 100, absent: 0, block: SMALL_BLOCK };
    const rows = rowsOf(plan).map((row) => ({
      ...row,
      message: [...row.message!].slice(0, 50).join(''),
    }));
    expect(draftOf(plan, rows)).toBeUndefined();
    const draft = draftOf({ ...plan, isAlone: true }, rows)!;
    expect(draft.shapes).toBeUndefined();
    const built = await finishSegment(draft, KNOWN);
    const name = `s${number}`;
    await connection.run(`ATTACH ${literal(built.path)} AS ${name} (READ_ONLY)`);
    const found = await read(`SELECT message FROM ${name}.events ORDER BY rowid`);
    expect(found.map(([message]) => message)).toEqual(rows.map(({ message }) => message));
    await connection.run(`DETACH ${name}`);
    const more = [...rows, ...rowsOf({ ...plan, groups: [5000], odd: 0 })];
    expect(draftOf({ ...plan, groups: [100, 20, 200, 5000], isAlone: true }, more)).toBeUndefined();
  });
});

function checkReader(path: string, packed: Uint8Array, rows: readonly Row[]): void {
  const map = unpackMap(packed)!;
  const shapes = readShapes(map.shapes)!;
  expect(map.shapes).toBe(shapesText(shapes));
  const reader = new SegmentReader(path, map, new Scratch());
  try {
    const places = [...rows.keys()].filter((row) => row % 7 === 0);
    const columns = new EventColumns(reader, places);
    const [bytes, texts] = [columns.values(BYTES), columns.values(TEXTS)];
    const [pids, whole] = [reader.has('pid') ? columns.values('pid') : [], columns.values(MESSAGE)];
    const found = columns.values(SHAPE).map((shape, i) => {
      if (shape === null) return whole[i];
      const own = { numbers: { bytes: bytes[i] as number[] }, texts: texts[i] as string[] };
      return wholeMessage(shapes[Number(shape) - 1]!, { ...own, pid: pids[i] });
    });
    expect(found).toEqual(places.map((row) => rows[row]!.message));
  } finally {
    reader.close();
  }
}
