import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../engine/query/index.ts';
import type { Parsed } from './bar-state.ts';
import { conditionOf, OPERATORS, writeCondition } from './conditions.ts';

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

describe('conditions of the builder', () => {
  it.each([
    'host:web-02',
    'NOT host:"a b"',
    'user:adm*',
    'bytes:>1000',
    'bytes:<=5',
    'ts:>="2026-11-21 10:00"',
    'port:[1 TO 1023]',
    'port:[1024 TO *]',
    'ts:[* TO "2026-11-21 10:00"]',
    'user:*',
    'message:/^a.*[/]b\\/c/i',
    'failed',
    '"failed password"',
    'src_ip:10.0.0.0/8',
  ])('%s is written as it was read', (text) => {
    const condition = conditionOf(parsed(text).terms![0]!);
    expect(condition && writeCondition(condition)).toBe(text);
  });

  it.each(['(a OR b)', 'x:(a OR b)', 'x:{1 TO 2]', 'x:["*" TO 2]'])(
    '%s is edited as text',
    (text) => {
      expect(conditionOf(parsed(text).terms![0]!)).toBeUndefined();
    },
  );

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
