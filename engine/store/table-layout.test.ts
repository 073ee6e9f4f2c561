import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { areRare, tableLayout } from './table-layout.ts';

const selected = [
  { name: 'seq', type: 'BIGINT' },
  { name: 'message', type: 'VARCHAR' },
];

describe('tableLayout', () => {
  it.each([
    { messages: 0, rows: 100, definition: '"message" VARCHAR' },
    { messages: 12, rows: 100, definition: '"message" VARCHAR' },
    { messages: 13, rows: 100, definition: '"message" VARCHAR USING COMPRESSION zstd' },
    { messages: 100, rows: 100, definition: '"message" VARCHAR USING COMPRESSION zstd' },
  ])(
    'keeps messages of $messages in $rows rows as $definition',
    ({ messages, rows, definition }) => {
      const rareMessages = areRare(messages, rows);
      const { definitions } = tableLayout({ selected, timeUnit: 1, rareMessages }, [], undefined);
      expect(definitions).toEqual(['"seq" BIGINT', definition]);
    },
  );

  it.each([
    { unit: 1000, column: 'ts:ms', rests: [0, 999] },
    { unit: 1_000_000, column: 'ts:s', rests: [0, 1] },
  ] as const)('gives times of $unit microseconds back', async ({ unit, column, rests }) => {
    const units = [-62_135_596_800, -1, 0, 1, 1_790_812_800, 253_402_300_799];
    const micros = units.flatMap((seconds) =>
      rests.map((rest) => BigInt(seconds) * 1_000_000n + BigInt(rest * unit)),
    );
    const layout = tableLayout(
      {
        selected: [
          { name: 'ts', type: 'TIMESTAMP' },
          { name: 'tz_offset', type: 'INTEGER' },
          { name: 'proto', type: 'UTINYINT' },
        ],
        timeUnit: unit,
        rareMessages: true,
      },
      [
        { name: 'tz_offset', type: 'INTEGER', value: '-300' },
        { name: 'proto', type: 'UTINYINT', value: '255' },
      ],
      undefined,
    );
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(
      `CREATE TABLE events (${layout.definitions.join(', ')});
       INSERT INTO events (${layout.stored}) SELECT ${layout.values}
       FROM (SELECT make_timestamp(unnest([NULL, ${micros.join(', ')}]::BIGINT[])) AS ts)`,
    );
    const found = await connection.runAndReadAll(
      `SELECT epoch_us(ts), "${column}", tz_offset, proto, typeof(ts), typeof(tz_offset), typeof(proto)
       FROM events ORDER BY rowid`,
    );
    connection.closeSync();
    instance.closeSync();
    const constant = [-300, 255, 'TIMESTAMP', 'INTEGER', 'UTINYINT'];
    expect(found.getRowsJS()).toEqual([
      [null, null, ...constant],
      ...micros.map((time) => [time, time / BigInt(unit), ...constant]),
    ]);
  });
});
