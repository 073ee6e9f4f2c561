import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../engine/query/index.ts';
import {
  outermostItems,
  parseQuery,
  quoteValue,
  type Expression,
} from '../../engine/query/syntax/index.ts';
import {
  dissect,
  fieldTerm,
  oppositeOf,
  timelineOf,
  withFilter,
  withoutStage,
  withoutTerm,
  withTerm,
  withTermReplaced,
} from './query-text.ts';

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

  it.each([
    // The last word would be an operator before a term.
    ['user not', 'a:b', false, '(user not) a:b'],
    ['x and', 'a:b', false, '(x and) a:b'],
    ['x or', 'a:b', false, '(x or) a:b'],
    ['!', 'a:b', false, '(!) a:b'],
    // Base64 would be a comparison with the term.
    ['YWJj=', 'a:b', false, '(YWJj=) a:b'],
    ['m contains', 'a:b', false, '(m contains) a:b'],
    // A path would be a pattern up to a slash in the term.
    ['/a.b*', 'h:"x/ y"', false, '(h:"x/ y") (/a.b*)'],
    // Nothing is made right that was wrong.
    ['a OR', 'a:b', false, '(a OR) a:b'],
    ['a) OR (b', 'a:b', false, 'a) OR (b'],
    ['user: | head 3', 'a:b', false, '(user:) a:b | head 3'],
    ['x | tpo', 'a:b', false, 'x a:b | tpo'],
    ['x -(a:b)', 'a:b', false, 'x a:b'],
    ['a:b OR c', 'a:b', true, '(a:b OR c) NOT a:b'],
  ])('%s and %s (exclude: %s)', (query, term, exclude, expected) => {
    expect(withTerm(query, term, exclude)).toBe(expected);
  });

  it.each([
    ['a', 0, ''],
    ['a b', 0, 'b'],
    ['a AND b', 1, 'a'],
    ['a AND NOT b c | top x', 1, 'a c | top x'],
    ['a"b"c', 1, 'a c'],
    ['(a OR b) c:d', 0, 'c:d'],
    ['a | count', 0, '| count'],
    ['* AND a', 0, ''],
    ['a', 1, 'a'],
    // What is left would be an operator.
    ['user not found', 0, '(not) found'],
    ['a and b not c:d', 0, 'b not c:d'],
    ['a -( b', 0, 'a -( b'],
  ])('%s without condition %d', (query, at, expected) => {
    expect(withoutTerm(query, at)).toBe(expected);
  });

  it.each([
    ['a', 'NOT a'],
    ['NOT a', 'a'],
    ['-a', 'a'],
    ['!a', 'a'],
    ['NOT NOT a', 'NOT a'],
    ['NOT(a OR b)', '(a OR b)'],
    ['NOT"a b"', '"a b"'],
    ['NOTE', 'NOT NOTE'],
    ['(NOT a)', 'NOT (NOT a)'],
    ['a OR x:[1 TO 2]', 'NOT (a OR x:[1 TO 2])'],
    ['a b', 'NOT (a b)'],
    ['p!=22', 'NOT p!=22'],
    ['p not in (1, 2)', 'NOT p not in (1, 2)'],
  ])('the opposite of %s is %s', (text, expected) => {
    expect(oppositeOf(text)).toBe(expected);
  });

  it.each([
    ['a | top x', 0, 'a'],
    ['a | where x:"|" | head 3', 0, 'a | head 3'],
    ['| count', 0, ''],
    ['a|union (b | head 1)|head 2', 0, 'a|head 2'],
  ])('%s without stage %d', (text, at, expected) => {
    expect(withoutStage(text, outlineOf(text).stages[at]!)).toBe(expected);
  });

  /** Pieces of queries that mean something else beside others. */
  const piece = fc.constantFrom(
    ...['a', 'b:c', '"q | r"', "'s'", "don't", 'x:/p|q/', 'x:(a OR b)', 'x:[1 TO 2]', '-y', "'"],
    ...['NOT z', 'NOT b:c', 'AND', 'OR', '(', ')', '| top a', '| where n > 3', '*', '-b:c', '!'],
    ...['| union (a | head 1)', '"f g":h', '2001:db8::1', 'not', 'and', 'or', 'user', '-', '/a.b*'],
    ...['YWJj=', 'm contains', 'p in', 'p in (1, 2)', 'a=b', 'n > 5', 'n!=5', '/x/ y', '"x/ y"'],
    ...['&&', '||', '/etc/', '/p.*|q/i', 'm like w%', 'x10', 'then', ',', '"', '\\', 'é:ß', '['],
    ...[
      'm =~ /p q/',
      'p not in {1 2}',
      'src_ip in [ a | values src_ip ]',
      '| eval x = b',
      '(NOT d)',
    ],
  );
  const query = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(' '));
  const term = fc.constantFrom(
    ...['new:term', 'NOT new:term', 'new:"p q"', '"f new":h', 'new', 'new:"x/ y"', 'new:(1 OR 2)'],
    ...['new OR old', '/new.*|old/', 'new > 5', '(new)', 'new:[1 TO 2]', "'new'", 'new AND old'],
  );

  it('adds a condition to any query, and takes it away again', () => {
    let accepted = 0;
    fc.assert(
      fc.property(query, term, fc.nat(), (text, one, seed) => {
        const before = outlineOf(text);
        if (before.error !== undefined) return;
        accepted += 1;
        const added = withTerm(text, one);
        const after = outlineOf(added);
        expect(after.error, added).toBeUndefined();
        const [old, condition] = [before.ast!.filter, parseQuery(one).filter];
        for (let world = seed; world < seed + 30; world++)
          expect(holds(after.ast!.filter, world), added).toBe(
            holds(old, world) && holds(condition, world),
          );
        expect(dissect(added).stages).toBe(dissect(text).stages);
        expect(withTerm(added, one)).toBe(added);
        const items = outermostItems(after.ast!.filter).filter(({ node }) => node !== 'all');
        const words = items.map(({ start, end }) => added.slice(start, end));
        const at = words.findIndex((written) => /new/.test(written));
        if (/ AND /.test(one)) return;
        const again = outlineOf(withoutTerm(added, at));
        expect(again.error, added).toBeUndefined();
        for (let world = seed; world < seed + 30; world++)
          expect(holds(again.ast!.filter, world), added).toBe(holds(old, world));
      }),
      { numRuns: 1500 },
    );
    expect(accepted).toBeGreaterThan(300);
  });

  it('removes, replaces and turns around any condition', () => {
    let accepted = 0;
    fc.assert(
      fc.property(query, term, fc.nat(6), fc.nat(), (text, written, at, seed) => {
        const { error, terms, ast } = outlineOf(text);
        const one = terms?.[at];
        if (error !== undefined || one === undefined) return;
        accepted += 1;
        const items = outermostItems(ast!.filter).filter(({ node }) => node !== 'all');
        const replaced = parseQuery(written).filter;
        const turned = parseQuery(one.text).filter;
        for (const [changed, inPlace] of [
          [withoutTerm(text, at), () => true],
          [withTermReplaced(text, one, written), (world: number) => holds(replaced, world)],
          [
            withTermReplaced(text, one, oppositeOf(one.text)),
            (world: number) => !holds(turned, world),
          ],
        ] as const) {
          const after = outlineOf(changed);
          expect(after.error, changed).toBeUndefined();
          for (let world = seed; world < seed + 30; world++) {
            const others = items.every((item, i) => i === at || holds(item, world));
            expect(holds(after.ast!.filter, world), changed).toBe(others && inPlace(world));
          }
          expect(after.stages).toHaveLength(outlineOf(text).stages.length);
        }
        expect(outlineOf(withFilter(text, 'a:b')).terms).toHaveLength(1);
      }),
      { numRuns: 1500 },
    );
    expect(accepted).toBeGreaterThan(150);
  });
});

describe('the timeline of a query', () => {
  it.each([
    ['* | timeline 1h', { isMeasured: false, adds: true, by: undefined }],
    ['* | timeline 1h count() by host', { isMeasured: false, adds: true, by: 'host' }],
    ['* | timeline 1h sum(bytes) by proto', { isMeasured: true, adds: true, by: 'proto' }],
    ['* | timeline avg(bytes) as b', { isMeasured: true, adds: false, by: undefined }],
    ['* | timeline spread', { isMeasured: true, adds: true, by: undefined }],
    ['* | top src_ip', undefined],
    ['* | timeline (', undefined],
  ])('%s', (query, expected) => {
    expect(timelineOf(query)).toEqual(expected);
  });
});

/** Whether a filter holds in one of many worlds, in each of which every test holds or does not. */
function holds(node: Expression, world: number): boolean {
  switch (node.node) {
    case 'all':
      return true;
    case 'not':
      return !holds(node.item, world);
    case 'and':
      return node.items.every((item) => holds(item, world));
    case 'or':
      return node.items.some((item) => holds(item, world));
    case 'field-or-text':
      // One of both, which the case decides.
      return holds(world % 2 === 0 ? node.field : node.text, world);
    default: {
      const leaf = JSON.stringify(node, (key, value: unknown) =>
        /^(?:start|end|at)$/.test(key) ? undefined : value,
      );
      let hash = world;
      for (let i = 0; i < leaf.length; i++) hash = Math.imul(hash ^ leaf.charCodeAt(i), 0x01000193);
      return ((hash ^ (hash >>> 15)) & 1) === 1;
    }
  }
}
