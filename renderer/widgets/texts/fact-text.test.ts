import { expect, it } from 'vitest';
import { describeDecisions } from '../../../engine/contract/time/decisions.ts';
import { decisionLine, factName, factText } from './fact-text.ts';

it.each([
  ['tz', 'Time zone'],
  ['snap_length', 'Snap length'],
  ['leaveOutOverlap', 'Leave out overlap'],
])('names %s', (key, name) => {
  expect(factName(key)).toBe(name);
});

it.each([
  ['Linux 6.1', 'Linux 6.1'],
  [262144, '262144'],
  [true, 'yes'],
  [['ts', 'uid'], 'ts, uid'],
  [{ year: 2026, month: 3, day: 4 }, '2026-03-04'],
  [{ number: 0, link_type: 'ETHERNET' }, 'number 0, link type ETHERNET'],
  [{ fields: { ts: 'time', message: 'text' } }, 'fields (ts time, message text)'],
])('writes %j', (value, text) => {
  expect(factText(value)).toBe(text);
});

it('says each decision with what it rests on', () => {
  const decisions = {
    tz: 'UTC',
    tzBasis: 'guessed: the records state none',
    year: 2026,
    dateOrder: 'dmy',
    mapping: '{"ts":"time","src_ip":"peer"}',
  } as const;
  expect(describeDecisions(decisions).map(decisionLine)).toEqual([
    'Time zone UTC (guessed: the records state none)',
    'Year 2026',
    'Order of dates day/month/year',
    'Columns read ts from time, src_ip from peer',
  ]);
});
