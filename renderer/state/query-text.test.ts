import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../engine/query/index.ts';
import { dissect, fieldTerm, quoteValue, withFilter, withTerm } from './query-text.ts';

describe('values and terms', () => {
  it.each([
    ['web-02', 'web-02'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['a b', '"a b"'],
    ['AND', '"AND"'],
    ['-x', '"-x"'],
    [-5, '-5'],
    ['/etc/', '"/etc/"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['5*', '"5*"'],
    ['', '""'],
    ['2001:db8::1', '2001:db8::1'],
  ])('quotes %s where it must', (value, expected) => {
    expect(quoteValue(value)).toBe(expected);
  });

  it.each([
    ['host', null, 'NOT host:*'],
    ['Flow Bytes/s', 5, '"Flow Bytes/s":5'],
    ['ab', 'cd::1', 'ab:"cd::1"'],
    ['1st', 'x', '"1st":x'],
    ['C', '\\x', 'C:"\\\\x"'],
    ['src_ip', 'fe80::1', 'src_ip:fe80::1'],
  ])('%s is %s', (field, value, expected) => {
    expect(fieldTerm(field, value)).toBe(expected);
  });

  it('finds any value of any field again', () => {
    const name = fc.oneof(
      fc.constantFrom('host', 'src_ip', 'a b', '1x', 'ab', 'C', 'f:', '@t', "'", 'é'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
    );
    const value = fc.oneof(
      fc.constantFrom('AND', 'cd::1', '//x', '/a/', '[1 TO 2]', '(', 'a,b', '>5', "'", '*', '\\'),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ maxLength: 20 }),
    );
    fc.assert(
      fc.property(name, value, (field, text) => {
        const { error, terms } = outlineOf(fieldTerm(field, text));
        expect(error).toBeUndefined();
        expect(terms).toHaveLength(1);
        expect(terms?.[0]).toMatchObject({ type: 'field', field, value: text, negated: false });
      }),
      { numRuns: 3000 },
    );
  });
});

describe('changing a query', () => {
  it.each([
    ['', 'a:b', false, 'a:b'],
    ['*', 'a:b', true, 'NOT a:b'],
    ['x', 'a:b', false, 'x a:b'],
    ['x | top c', 'a:b', false, 'x a:b | top c'],
    ['| count', 'a:b', false, 'a:b | count'],
    ['x OR y', 'a:b', false, '(x OR y) a:b'],
    ['(x OR y)', 'a:b', false, '(x OR y) a:b'],
    ['x:/a|b/ | count', 'a:b', false, 'x:/a|b/ a:b | count'],
    ["don't | count", 'a:b', false, "don't a:b | count"],
    ['x a:b', 'a:b', false, 'x a:b'],
    ['"x a:b y"', 'a:b', false, '"x a:b y" a:b'],
    ['x a:b', 'a:b', true, 'x NOT a:b'],
    ['x NOT a:b AND y', 'a:b', false, 'x y a:b'],
    ['x -a:b', 'a:b', false, 'x a:b'],
    ['x NOT a:b', 'a:b', true, 'x NOT a:b'],
    ['x', 'NOT a:*', true, 'x a:*'],
  ])('%s and %s (exclude: %s)', (query, term, exclude, expected) => {
    expect(withTerm(query, term, exclude)).toBe(expected);
  });

  it('leaves a query that parses one that parses, with the term in it', () => {
    const piece = fc.constantFrom(
      ...['a', 'b:c', '"q | r"', "'s'", "don't", 'x:/p|q/', 'x:(a OR b)', 'x:[1 TO 2]', '-y'],
      ...['NOT z', 'NOT b:c', 'AND', 'OR', '(', ')', '| top a', '| where n > 3', '*', '-b:c'],
      ...['| union (a | head 1)', '"f g":h', '2001:db8::1'],
    );
    const query = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(' '));
    const term = fc.constantFrom('b:c', 'NOT b:c', 'x:"p q"', '"f g":h', 'a');
    let accepted = 0;
    fc.assert(
      fc.property(query, term, fc.boolean(), (text, one, exclude) => {
        if (outlineOf(text).error !== undefined) return;
        accepted += 1;
        const added = withTerm(text, one, exclude);
        const after = outlineOf(added);
        expect(after.error, added).toBeUndefined();
        const wanted = !exclude ? one : one.startsWith('NOT ') ? one.slice(4) : `NOT ${one}`;
        expect(after.terms?.map((each) => each.text)).toContain(wanted);
        expect(dissect(added).stages).toBe(dissect(text).stages);
        expect(withTerm(added, one, exclude)).toBe(added);
        expect(outlineOf(withFilter(text, one)).terms).toHaveLength(1);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});
