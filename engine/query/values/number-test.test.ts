/** Values of numeric fields, and the messages about dubious ones. */
import { expect, it } from 'vitest';
import { tcpFlagLetters } from '../../contract/tcp-flags.ts';
import type { Test } from '../syntax/ast.ts';
import { knownField } from '../names/fields.ts';
import { numberRanges } from './number-test.ts';

function read(name: string, test: Test): { values: (number | undefined)[]; readings: string[] } {
  const field = knownField(name);
  if (field?.type !== 'number') throw new TypeError('no number');
  const readings = new Set<string>();
  const ranges = numberRanges(field, test, 0, readings);
  return { values: ranges.map(({ low }) => low), readings: [...readings] };
}

it.each([
  ['tcp_flags', 'S', [2]],
  ['tcp_flags', 'AS', [18]],
  ['tcp_flags', 'syn', [2]],
  ['tcp_flags', 'SYN+ACK', [18]],
  ['tcp_flags', '0x12', [18]],
  ['dst_port', '22,23', [22, 23]],
  ['port', 'SSH', [22]],
  ['proto', 'tcp,udp', [6, 17]],
])('%s:%s', (name, text, values) => {
  expect(read(name, { test: 'word', text }).values).toEqual(values);
});

it('finds a flag among others by wildcards, and writes sets as they are shown', () => {
  const { values } = read('tcp_flags', { test: 'word', text: '*S*' });
  expect(values).toHaveLength(256);
  expect(values.every((one) => tcpFlagLetters(one ?? 0).includes('S'))).toBe(true);
  expect([0, 2, 18, 24, 600].map(tcpFlagLetters)).toEqual(['-', 'S', 'SA', 'PA', '600']);
});

it('says what a severity above another is', () => {
  const compare = (op: '>=' | '<=') => ({ test: 'compare', op, value: 'err' }) as const;
  expect(read('severity', compare('>=')).readings[0]).toMatch(
    /err and less severe.*severity:<=err/,
  );
  expect(read('severity', compare('<=')).readings).toEqual([]);
});
