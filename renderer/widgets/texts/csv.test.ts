import { describe, expect, it } from 'vitest';
import { csvOf } from './csv.ts';

describe('csvOf', () => {
  it.each([
    [['a'], 'a'],
    [['a,b'], '"a,b"'],
    [['say "hi"'], '"say ""hi"""'],
    [['=1+1'], "'=1+1"],
    [['@SUM(A1)'], "'@SUM(A1)"],
    [['-2'], "'-2"],
    [[-2], '-2'],
    [[null], ''],
    [['two\nlines'], '"two\nlines"'],
  ])('writes %j as %s', (row, line) => {
    expect(csvOf(['h'], [row])).toBe(`h\r\n${line}\r\n`);
  });
});
