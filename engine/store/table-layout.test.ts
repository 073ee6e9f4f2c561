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
});
