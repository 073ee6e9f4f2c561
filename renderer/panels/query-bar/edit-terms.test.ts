import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../engine/query/index.ts';
import type { Parsed } from './bar-state.ts';
import { conditionOf, OPERATORS, writeCondition } from './conditions.ts';
import {
  oppositeOf,
  withoutStage,
  withoutTerm,
  withTermAdded,
  withTermReplaced,
} from './edit-terms.ts';

/** Parses as `query.parse` does without a case. */
function parsed(text: string): Parsed {
  const { ast: _, terms, error, ...outline } = outlineOf(text);
  return {
    filter: outline.filter,
    events: outline.events,
    stages: outline.stages.map((stage) => ({ ...stage })),
    ...(terms === undefined ? {} : { terms: terms.map((term) => ({ ...term })) }),
    ...(error === undefined ? {} : { error }),
  };
}
const termsOf = (text: string): string[] | undefined =>
  parsed(text).terms?.map((term) => term.text);

describe('editing a query by its terms', () => {
  it.each([
    ['a', 0, ''],
    ['a b', 0, 'b'],
    ['a AND b', 1, 'a'],
    ['a AND NOT b c | top x', 1, 'a c | top x'],
    ['a"b"c', 1, 'a c'],
    ['(a OR b) c:d', 0, 'c:d'],
    ['a | count', 0, '| count'],
    ['* AND a', 0, ''],
  ])('%s without term %d', (text, at, expected) => {
    expect(withoutTerm(text, parsed(text), at)).toBe(expected);
  });

  it.each([
    ['a', 'NOT a'],
    ['NOT a', 'a'],
    ['-a', 'a'],
    ['NOT NOT a', 'NOT a'],
    ['NOT(a OR b)', '(a OR b)'],
    ['NOT"a b"', '"a b"'],
    ['NOTE', 'NOT NOTE'],
  ])('the opposite of %s is %s', (text, expected) => {
    expect(oppositeOf(parsed(text).terms![0]!)).toBe(expected);
  });

  it.each([
    ['a | top x', 0, 'a'],
    ['a | where x:"|" | head 3', 0, 'a | head 3'],
    ['| count', 0, ''],
    ['a|union (b | head 1)|head 2', 0, 'a|head 2'],
  ])('%s without stage %d', (text, at, expected) => {
    expect(withoutStage(text, parsed(text), at)).toBe(expected);
  });

  it('leaves the other terms as they were', () => {
    const term = fc.constantFrom(
      ...['a', 'b:c', '-d', 'NOT e:f', '"g h"', 'i:"j"', '(k OR l)', 'm:[1 TO 2]', 'n:/o|p/'],
      ...['q:(r OR s)', 'NOT NOT t', '"u v":w', 'x:>=5', 'y:*', "'z'", '*'],
    );
    const glue = fc.constantFrom(' ', ' AND ', '  ', '\n');
    const query = fc
      .tuple(fc.array(fc.tuple(term, glue), { minLength: 1, maxLength: 6 }), fc.boolean())
      .map(([parts, stage]) => {
        const text = parts.map(([one, by], i) => (i === 0 ? one : by + one)).join('');
        return stage ? `${text} | top 5 a` : text;
      });
    fc.assert(
      fc.property(query, fc.nat(5), (text, at) => {
        const before = parsed(text);
        const terms = termsOf(text)!;
        const term = before.terms?.[at];
        if (term === undefined) return;
        const others = terms.filter((_, i) => i !== at);
        const without = withoutTerm(text, before, at);
        expect(parsed(without).error).toBeUndefined();
        expect(termsOf(without)).toEqual(others);
        const turned = withTermReplaced(text, term, oppositeOf(term));
        expect(parsed(turned).terms?.[at]?.negated).toBe(!term.negated);
        expect(termsOf(turned)).toHaveLength(terms.length);
        expect(termsOf(withTermAdded(text, 'new:term'))).toEqual([...terms, 'new:term']);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('conditions of the builder', () => {
  it.each([
    'host:web-02',
    'NOT host:"a b"',
    'user:adm*',
    'bytes:>1000',
    'bytes:<=5',
    'ts:>="2026-11-21 10:00"',
    'port:[1 TO 1023]',
    'user:*',
    'message:/^a.*[/]b\\/c/i',
    'failed',
    '"failed password"',
    'src_ip:10.0.0.0/8',
  ])('%s is written as it was read', (text) => {
    const condition = conditionOf(parsed(text).terms![0]!);
    expect(condition && writeCondition(condition)).toBe(text);
  });

  it.each(['(a OR b)', 'x:(a OR b)', 'x:{1 TO 2]'])('%s is edited as text', (text) => {
    expect(conditionOf(parsed(text).terms![0]!)).toBeUndefined();
  });

  it('writes one term or nothing, whatever is entered', () => {
    const text = fc.oneof(
      fc.constantFrom('a b', '/x/', 'a/b', '*', '"', 'TO', 'AND', '[a', '>5', 'a,b', 'NOT', '-5'),
      fc.string({ maxLength: 12 }),
    );
    const condition = fc.record({
      field: fc.oneof(fc.constant(undefined), fc.constantFrom('host', 'a b', 'ab', '"')),
      operator: fc.constantFrom(...OPERATORS.map(({ value }) => value)),
      value: text,
      upper: text,
      negated: fc.boolean(),
    });
    fc.assert(
      fc.property(condition, (one) => {
        const written = writeCondition(one);
        if (written === undefined) return;
        // A pattern may be invalid itself; the engine says so.
        if (one.operator === 'pattern' && one.field !== undefined) return;
        expect(parsed(written).error, written).toBeUndefined();
        expect(termsOf(written), written).toEqual([written]);
        expect(parsed(written).terms?.[0]?.negated).toBe(one.negated);
        const [term] = parsed(written).terms!;
        // A list of several values is a group.
        if (term?.type !== 'group') expect(term?.field, written).toBe(one.field);
        else expect(one.operator).toBe('any');
      }),
      {
        numRuns: 4000,
        examples: [
          // Found by a random test: a bracket requires quotes, in which a backslash must be kept.
          [{ field: 'host', operator: 'range', value: '.]\\', upper: '!', negated: false }],
          // `ab:::` would be an address.
          [{ field: 'ab', operator: 'is', value: ':', upper: 'a b', negated: false }],
        ],
      },
    );
  });
});
