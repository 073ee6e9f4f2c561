import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SegmentStore } from './segment-store.ts';

/** A case's folder. */
let folder: string;
const stores: SegmentStore[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-store-'));
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

/** A store that is closed after the test. */
function openStore(options = { memoryLimit: 1e8, threads: 1 }): SegmentStore {
  const store = new SegmentStore(folder, options);
  stores.push(store);
  return store;
}

/** Puts segments without rows into the case. */
async function emptySegments(count: number) {
  const files = Array.from({ length: count }, (_, id) => ({ id, file: `days/${id}.duckdb` }));
  mkdirSync(join(folder, 'days'));
  const first = join(folder, 'days/0.duckdb');
  const instance = await DuckDBInstance.create(first);
  instance.closeSync();
  for (const { file } of files.slice(1)) copyFileSync(first, join(folder, file));
  return files;
}

it.each([
  [1e300, 'DOUBLE', 1e300],
  [-1e300, 'DOUBLE', -1e300],
  [2 ** 60, 'DOUBLE', 2 ** 60],
  [2 ** 53 - 1, 'BIGINT', 2 ** 53 - 1],
  [0.5, 'DOUBLE', 0.5],
  [-7, 'INTEGER', -7],
])('binds %d as %s', async (value, type, expected) => {
  const store = openStore();
  expect(await store.rows(`SELECT CAST($1 AS ${type})`, [value])).toEqual([[expected]]);
});

it('attaches segments while others are attached and lists are made', async () => {
  const files = await emptySegments(12);
  const values = Float64Array.from({ length: 100_000 }, (_, n) => n);
  const list = (name: string) => ({
    ...{ name, rows: values.length },
    columns: [{ name: 'v', type: 'UINTEGER', values }],
  });
  const store = openStore({ memoryLimit: 3e8, threads: 2 });
  const attaching = async (): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      await store.attach(files);
      await store.keepOnly(new Set());
    }
  };
  const making = async (name: string): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      await store.createList(list(name));
      await store.dropLists([name]);
    }
  };
  await Promise.all([attaching(), attaching(), making('a'), making('b')]);
  await store.createList(list('a'));
  expect(await store.rows('SELECT count(*) FROM lists.main.a')).toEqual([[1e5]]);
});

it('names the segment that cannot be attached, and attaches the others', async () => {
  const files = await emptySegments(20);
  rmSync(join(folder, files[13]!.file));
  const store = openStore();
  const gone = { code: 'not-found', message: expect.stringContaining('13.duckdb') as string };
  const both = [store.attach(files), store.attach(files.slice(9))];
  // It shares a statement with requests that fail, and does not fail with them.
  const beside = store.attach([files[14]!]);
  for (const one of both) await expect(one).rejects.toMatchObject(gone);
  await beside;
  const attached = await store.rows(
    `SELECT count(*) FROM duckdb_databases() WHERE database_name LIKE 'seg\\_%' ESCAPE '\\'`,
  );
  expect(attached).toEqual([[16]]);
  copyFileSync(join(folder, files[12]!.file), join(folder, files[13]!.file));
  await store.attach(files);
  await store.attach(files);
});

it('leaves what it is still to attach when it is closed', async () => {
  const files = await emptySegments(40);
  const store = new SegmentStore(folder, { memoryLimit: 1e8, threads: 1 });
  await store.attach([]);
  store.attachSoon(files);
  const attaching = expect(store.attach(files)).rejects.toMatchObject({ code: 'cancelled' });
  await store.close();
  await attaching;
  await expect(store.rows('SELECT 1')).rejects.toThrow();
  const unused = new SegmentStore(folder, { memoryLimit: 1e8, threads: 1 });
  await unused.close();
  await expect(unused.attach(files)).rejects.toMatchObject({ code: 'cancelled' });
});

it('can be closed although DuckDB could not be started', async () => {
  const store = openStore({ memoryLimit: 1e8, threads: 0 });
  await expect(store.rows('SELECT 1')).rejects.toThrow();
});

it('tries again to start DuckDB where it could not be started before', async () => {
  const options = { memoryLimit: 1e8, threads: 0 };
  const store = openStore(options);
  await expect(store.rows('SELECT 1')).rejects.toThrow();
  options.threads = 1;
  expect(await store.rows('SELECT 1')).toEqual([[1]]);
});

it('reads the shapes of segments once, and forgets them with the segments', async () => {
  const shape = { constants: ['user ', " o'clock"], widths: [1] };
  const notes = [[shape], [shape, { constants: ['quiet'], widths: [] }], { no: 'list' }, undefined];
  const files = notes.map((_, id) => ({ id, file: `days/${id}.duckdb` }));
  mkdirSync(join(folder, 'days'));
  for (const { id, file } of files) {
    const instance = await DuckDBInstance.create(join(folder, file));
    const connection = await instance.connect();
    await connection.run('CREATE TABLE stored (a INTEGER)');
    const note = JSON.stringify(notes[id])?.replaceAll("'", "''");
    if (note !== undefined) await connection.run(`COMMENT ON TABLE stored IS '${note}'`);
    connection.closeSync();
    instance.closeSync();
  }
  const store = openStore();
  await store.attach(files);
  const asked = vi.spyOn(store, 'rows');
  const first = await store.messageShapes([0, 1, 2, 3]);
  expect([...first]).toEqual([0, 1].map((id) => [id, notes[id]]));
  expect(first.get(1)![0]).toBe(first.get(0)![0]);
  expect(await store.messageShapes([1, 0])).toEqual(first);
  expect(asked).toHaveBeenCalledTimes(1);
  await store.keepOnly(new Set([0]));
  expect([...(await store.messageShapes([0, 1]))]).toEqual([[0, notes[0]]]);
  expect(asked).toHaveBeenCalledTimes(2);
});

it('reads columns of numbers whole, with what has no value', async () => {
  const sizes = [5000, 1, 300_000];
  const files = sizes.map((rows, id) => ({ id, file: `days/${id}.duckdb`, rows, cut: id === 1 }));
  mkdirSync(join(folder, 'days'));
  for (const { id, file, rows, cut } of files) {
    const instance = await DuckDBInstance.create(join(folder, file));
    const connection = await instance.connect();
    await connection.run(
      `CREATE TABLE ${cut ? 'stored' : 'events'} AS SELECT
         CASE WHEN i % 7 <> 3 THEN 4294967295 - i END::UINTEGER AS a, (i % 256)::UTINYINT AS b,
         (i % 65536)::USMALLINT AS c, (${id} - i)::INTEGER AS d FROM range(${rows}) AS r(i)`,
    );
    connection.closeSync();
    instance.closeSync();
  }
  const store = openStore({ memoryLimit: 3e8, threads: 2 });
  await store.attach(files);
  const columns = [
    { name: 'a', type: 'UINTEGER' },
    { name: 'b', type: 'UTINYINT' },
    { name: 'c', type: 'USMALLINT' },
    { name: 'd', type: 'INTEGER' },
  ];
  const numbers = await store.numbers(files, columns);
  for (const { id, rows } of files) {
    const [a, b, c, d] = numbers.get(id)!;
    let different = 0;
    for (let row = 0; row < rows; row++) {
      const has = row % 7 !== 3;
      if (a!.nulls !== undefined && (a!.nulls[row] === 0) !== has) different += 1;
      if (has && a!.values[row] !== 4294967295 - row) different += 1;
      if (b!.values[row] !== row % 256 || c!.values[row] !== row % 65536) different += 1;
      if (d!.values[row] !== id - row) different += 1;
    }
    expect(different).toBe(0);
    expect([a, b, c, d].map((column) => column!.nulls?.length)).toEqual([
      ...[rows > 1 ? rows : undefined, undefined, undefined, undefined],
    ]);
  }
  for (const rows of [5001, 4999, 1])
    await expect(store.numbers([{ ...files[0]!, rows }], columns)).rejects.toMatchObject({
      code: 'case-damaged',
      hint: 'run: daybook verify CASE',
    });
});
