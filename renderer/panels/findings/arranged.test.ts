import { expect, it } from 'vitest';
import type { Severity } from '../../../engine/contract/findings.ts';
import { arranged, type Finding, type Order } from './arranged.ts';

const finding = (tag: string, place: number, severity?: Severity): Finding => ({
  ...{ kind: 'tag', tag, place, count: 1, color: 'blue' },
  ...(severity === undefined ? {} : { severity }),
});
const FINDINGS = [
  finding('a', 1),
  finding('b', 2, 'low'),
  finding('c', 3, 'critical'),
  finding('d', 4, 'low'),
];
const names = (least: Severity | undefined, order: Order): string =>
  arranged(FINDINGS, least, order)
    .map((one) => (one.kind === 'tag' ? one.tag : one.event))
    .join('');

it('keeps the order of the report, or puts the most severe first', () => {
  expect(names(undefined, 'report')).toBe('abcd');
  expect(names(undefined, 'severity')).toBe('cbda');
});

it('leaves out what is less severe, and what was not rated', () => {
  expect(names('info', 'report')).toBe('bcd');
  expect(names('medium', 'severity')).toBe('c');
});
