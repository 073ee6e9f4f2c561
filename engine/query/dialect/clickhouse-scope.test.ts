/** Which lists are inlined into a statement: however long they are, it is not longer than a server accepts. */
import { describe, expect, it } from 'vitest';
import { ListTables } from './clickhouse-scope.ts';

const rows = (count: number, text: string) => Array.from({ length: count }, () => [`'${text}'`]);

describe('rows of lists', () => {
  it.each([
    ['few', 1000, 'host', 1, undefined],
    ['many', 1001, 'host', 1, 'daybook_list_1'],
    ['long', 900, 'h'.repeat(100), 1, 'daybook_list_1'],
    ['long in bytes', 700, '\u{5024}'.repeat(40), 1, 'daybook_list_1'],
    ['several times in the statement', 700, 'host', 25, 'daybook_list_1'],
  ])('that are %s', (_, count, text, copies, table) => {
    expect(new ListTables().add(['String'], rows(count, text), copies)).toBe(table);
  });

  it('become tables where those before them are many', () => {
    const lists = new ListTables();
    const made = Array.from({ length: 40 }, (_, n) =>
      lists.add(['String'], rows(500, `value ${n + 10}`), 1),
    );
    expect(made.filter((name) => name === undefined)).toHaveLength(12);
    expect(new Set(made.slice(12)).size).toBe(28);
    expect(lists.add(['String'], rows(500, 'value 49'), 1)).toBe(made[39]);
  });
});
