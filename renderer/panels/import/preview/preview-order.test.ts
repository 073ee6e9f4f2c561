import { expect, it } from 'vitest';
import { HASH_LIST } from '../../../../engine/contract/left-out.ts';
import { inOrder, lookOf } from './preview-order.ts';

const CLEAR = { problem: undefined, format: 'pcap', quarantined: [], notes: [], decisions: {} };
const GUESSED = {
  ...CLEAR,
  format: 'syslog',
  decisions: { tz: 'UTC', tzBasis: 'guessed: the records state none' },
};
const GIVEN = { ...GUESSED, decisions: { tz: 'Europe/Berlin', tzBasis: 'given' } };
const UNREAD = { ...CLEAR, format: undefined };
const BROKEN = { ...CLEAR, quarantined: [{ offset: 0, reason: 'not a JSON object' }] };

it.each([
  [CLEAR, 'clear'],
  [GUESSED, 'guess'],
  [GIVEN, 'clear'],
  [UNREAD, 'problem'],
  [BROKEN, 'problem'],
  [{ ...CLEAR, problem: 'permission denied' }, 'problem'],
  [{ ...CLEAR, problem: HASH_LIST, format: undefined }, 'clear'],
  [{ ...GUESSED, notes: ['all its times are in 1970'] }, 'problem'],
])('%j is %s', (preview, look) => {
  expect(lookOf(preview)).toBe(look);
});

it('puts problems first and keeps the order within each kind', () => {
  expect(inOrder([CLEAR, GUESSED, UNREAD, GIVEN, BROKEN], lookOf)).toEqual([
    ...[UNREAD, BROKEN, GUESSED, CLEAR, GIVEN],
  ]);
});
