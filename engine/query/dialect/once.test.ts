import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { once, onceClickHouse, operand } from './once.ts';

const padded = (sql: string): string => `${sql}${' '.repeat(50)}`;

it('is one operand, and so is what is put into it, however short they are', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const valueOf = async (sql: string): Promise<unknown> =>
    (await connection.runAndReadAll(`SELECT ${sql}`)).getRows()[0]?.[0];
  try {
    for (const sql of ['7 - 1', padded('7 - 1')]) {
      expect(await valueOf(once(sql, (v) => `${v} % 4`)), sql).toBe(2);
      expect(await valueOf(`10 - ${once(sql, (v) => `${v} - 1`)}`), sql).toBe(5);
    }
    // The case that was wrong: the remainder was computed for the second operand only.
    const floor = once('-90 - 0', (from) => `${from} - ((${from} % 60) + 60) % 60`);
    expect(await valueOf(`${floor} - 5`)).toBe(-125);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});

it('is one operand in ClickHouse, too', () => {
  expect(onceClickHouse('a - b', (x) => `${x} - ${x}`)).toBe('((a - b) - (a - b))');
  expect(onceClickHouse('a', (x) => `f(${x})`)).toBe('f(a)');
  expect(onceClickHouse(padded('a'), (x) => `${x} + 1`, 'k')).toBe(
    `arrayMap(k -> k + 1, [${padded('a')}])[1]`,
  );
});

it.each([
  ['ts'],
  ['e.ts'],
  ['42'],
  ['f()'],
  ["f(')', x)"],
  ["f('it''s (')"],
  ['(a - b)'],
  ['f(a)[1]'],
  ['list_transform([a - b], lambda v: v + 1)[1]'],
])('leaves %s as it is', (sql) => {
  expect(operand(sql)).toBe(sql);
});

it.each([
  ['-1'],
  ['a - b'],
  ['f(a) - f(b)'],
  ['(a) - (b)'],
  ['f(a)[1] + (b)'],
  ['f(a)::BIGINT'],
  ['a[1]'],
  ["f('(') - g(')')"],
  // One text in ClickHouse, one and the beginning of another in DuckDB.
  ["f('\\') - g('\\')"],
  ['f(a'],
])('puts %s into brackets', (sql) => {
  expect(operand(sql)).toBe(`(${sql})`);
});
