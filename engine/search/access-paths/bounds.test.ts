import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowSet } from '../../util/row-set.ts';
import { Params } from '../../query/dialect/duckdb.ts';
import type { Filter } from '../../query/filters/filter.ts';
import { textFilter } from '../../query/filters/text.ts';
import type { SegmentInfo } from '../../query/plan/scope.ts';
import { boundsOf } from './bounds.ts';
import type { SegmentAccess } from './segment-access.ts';
import { type Rows, sliceOf } from '../../query/plan/known-rows/rows.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta'];

/** What an index knows about a word: its exact rows, a superset of them, or nothing. */
interface Lookup {
  readonly rows: readonly number[];
  readonly more: readonly number[];
  readonly served: boolean;
}

const total = 70;
const numbers = fc.uniqueArray(fc.nat(total - 1), { maxLength: total });
const lookup: fc.Arbitrary<Lookup> = fc.record({
  rows: numbers,
  more: fc.oneof(fc.constant([]), fc.uniqueArray(fc.nat(total - 1), { maxLength: 9 })),
  served: fc.boolean(),
});
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...WORDS).map((word): Filter => textFilter(word, true, 0, undefined)),
    fc.constant<Filter>({ filter: 'all' }),
    fc.constantFrom<Filter>(
      { filter: 'kind', kinds: ['log'], ref: undefined },
      { filter: 'kind', kinds: ['flow'], ref: undefined },
    ),
    tie('filter').map((item): Filter => ({ filter: 'not', item })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 4 }))
      .map(([kind, items]): Filter => ({ filter: kind, items })),
  ),
}));

const segment: SegmentInfo = {
  ...{ id: 1, kind: 'log', day: '2026-11-21', rows: total, minTs: 1, maxTs: 2 },
  ...{ columns: new Set(['message', 'ts']), hasDeletes: false, tags: new Set<number>() },
  ...{ unflowedPackets: 0, sources: new Set([1]) },
};

function holds(
  node: Filter,
  row: number,
  words: ReadonlyMap<string, ReadonlySet<number>>,
): boolean {
  switch (node.filter) {
    case 'all':
      return true;
    case 'and':
      return node.items.every((item) => holds(item, row, words));
    case 'or':
      return node.items.some((item) => holds(item, row, words));
    case 'not':
      return !holds(node.item, row, words);
    case 'kind':
      return node.kinds.includes('log');
    case 'text':
      return words.get(node.tokens[0]!.text)!.has(row);
    default:
      throw new TypeError(node.filter);
  }
}

const setOf = (rows: Iterable<number>) =>
  RowSet.ofSorted(Uint32Array.from([...new Set(rows)].sort((a, b) => a - b)), total);
const members = (rows: Rows) => new Set(sliceOf(rows, total, 0, total));

it('holds every filter between what is sure and what may be, and says what is left to ask', () => {
  const lookups = fc.tuple(...WORDS.map(() => lookup));
  fc.assert(
    fc.property(filter, lookups, (node, found) => {
      const words = new Map(WORDS.map((word, i) => [word, new Set(found[i]!.rows)]));
      const known: SegmentAccess = {
        kept: (_, lookUp) => lookUp(),
        keptBytes: 0,
        marked: () => RowSet.none(total),
        indexes: {
          text: {
            hasAllTexts: true,
            close: () => undefined,
            patterns: () => [],
            rowsOfText: () => undefined,
            countsOfText: () => undefined,
            search: ({ tokens }) => {
              const one = found[WORDS.indexOf(tokens[0]!.text)]!;
              if (!one.served) return undefined;
              const rows = setOf([...one.rows, ...one.more]);
              return { rows, exact: rows.count === one.rows.length };
            },
          },
        },
      };
      const { sure, maybe, exact, rest } = boundsOf(node, segment, known, new Params());
      const certain = members(sure);
      const possible = members(maybe);
      for (let row = 0; row < total; row++) {
        const matches = holds(node, row, words);
        if (certain.has(row)) expect(matches).toBe(true);
        if (!possible.has(row)) expect(matches).toBe(false);
        else if (exact) expect(matches).toBe(true);
        else expect(holds(rest, row, words)).toBe(matches);
      }
    }),
    { seed: 7, numRuns: 2000 },
  );
});
