import { describe, expect, it } from 'vitest';
import { ColumnMaker } from '../../../engine/contract/wire/column-batch.ts';
import { groupsOf, isComputed, nextOrder, orderedRows, restText, timeOf } from './table.ts';

describe('timeOf', () => {
  it.each([
    ['start', '1970-01-01T00:00:01.000002Z', 1_000_002],
    ['end', '1970-01-01T02:00:01.000002+02:00', 1_000_002],
    ['end', 'of file', undefined],
    ['end', 5, undefined],
    ['first', 5, 5],
    ['first', '47:391', undefined],
    ['message', '1970-01-01T00:00:01.000002Z', undefined],
  ])('%s %s', (name, value, expected) => {
    expect(timeOf(name, value)).toBe(expected);
  });
});

describe('groupsOf', () => {
  it.each([
    ['top 10 src_ip, dst_ip by sum(bytes)', ['src_ip', 'dst_ip']],
    ['top src_ip', ['src_ip']],
    ['values "attrs.user name"', ['attrs.user name']],
    ['stats count() as n, sum(bytes) as b by src_ip', ['src_ip']],
    ['stats count()', []],
    ['patterns 50', []],
  ])('%s', (text, fields) => {
    expect(groupsOf([{ name: text.split(' ')[0] ?? '', text }])).toEqual(fields);
  });

  it('is empty when a stage before takes events away', () => {
    const stages = [
      { name: 'dedup', text: 'dedup host' },
      { name: 'top', text: 'top host' },
    ];
    expect(groupsOf(stages)).toEqual([]);
  });
});

it('tells numbers that were computed from those that events have', () => {
  expect(isComputed('sum(bytes)', ['src_ip'])).toBe(true);
  expect(isComputed('b', ['src_ip'])).toBe(true);
  expect(isComputed('dst_port', ['dst_port'])).toBe(false);
});

it('orders rows by a heading, those without a value last, and gives the first order back', () => {
  const maker = new ColumnMaker();
  [3, 10, 2].forEach((n, row) => maker.add(row, n));
  const batch = { rows: 4, columns: [maker.finish('n', 4)] };
  const down = nextOrder('n', true, undefined);
  const up = nextOrder('n', true, down);
  expect(orderedRows(batch, down)).toEqual([1, 0, 2, 3]);
  expect(orderedRows(batch, up)).toEqual([2, 0, 1, 3]);
  expect(nextOrder('n', true, up)).toBeUndefined();
  expect(orderedRows(batch, undefined)).toEqual([0, 1, 2, 3]);
});

it('says what is beside the groups shown', () => {
  expect(restText({ count: 94, groups: 48 })).toBe('48 more groups, 94 events');
  expect(restText({ count: 1, groups: 1, 'sum(bytes)': 4096 })).toBe(
    '1 more group, 1 event, sum(bytes) 4,096',
  );
  expect(restText({ count: 0, groups: 0, 'sum(bytes)': 0 })).toBeUndefined();
});
