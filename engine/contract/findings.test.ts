import { expect, it } from 'vitest';
import { arrangedFindings, type Severity } from './findings.ts';

const FINDINGS: readonly { name: string; severity?: Severity }[] = [
  { name: 'a' },
  { name: 'b', severity: 'low' },
  { name: 'c', severity: 'critical' },
  { name: 'd', severity: 'low' },
];
const names = (least: Severity | undefined, order: 'place' | 'severity'): string =>
  arrangedFindings(FINDINGS, least, order)
    .map(({ name }) => name)
    .join('');

it('keeps the report order, or puts the most severe first', () => {
  expect(names(undefined, 'place')).toBe('abcd');
  expect(names(undefined, 'severity')).toBe('cbda');
});

it('leaves out less severe and unrated findings', () => {
  expect(names('info', 'place')).toBe('bcd');
  expect(names('medium', 'severity')).toBe('c');
});
