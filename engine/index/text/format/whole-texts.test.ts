import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { SegmentIndexBuilder } from '../../builders.ts';
import { openers } from '../../openers.ts';
import { RowSet } from '../../../util/row-set.ts';
import { IndexFiles, type SegmentIndexes, type ValueLookup } from '../../segment-indexes.ts';
import { sideFilePath, writeSideFile } from '../../side-file.ts';
import { VALUES_SECTION } from '../../values/value-section.ts';
import { TextCache } from '../text-cache.ts';
import { indexRows, type TextRow } from '../testing/index-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-whole-texts-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** Queries the side file of these rows, which are in the segment in the order of `order`. */
function withIndex<T>(
  rows: readonly TextRow[],
  order: Uint32Array | undefined,
  use: (indexes: SegmentIndexes, sections: ReadonlyMap<string, number>) => T,
): T {
  const builder = new SegmentIndexBuilder('log');
  for (let at = 0; at < rows.length; at += 7) builder.add(indexRows(rows.slice(at, at + 7)));
  const sections = builder.finish(order);
  const segment = join(folder, `${(files += 1)}.duckdb`);
  writeSideFile(sideFilePath(segment), rows.length, sections);
  const indexes = new IndexFiles(openers(new TextCache()));
  try {
    const sizes = new Map(sections.map(({ name, bytes }) => [name, bytes.length]));
    return use(indexes.of(segment, rows.length), sizes);
  } finally {
    indexes.close();
    rmSync(sideFilePath(segment));
  }
}

const HOSTS = [
  'web01',
  'web1',
  'WEB01',
  'db',
  '',
  '\ufeffweb01',
  'a b',
  'é',
  'web02.example',
  '17',
];
const row = fc.record(
  {
    message: fc.constantFrom('failed', 'failed for user7', 'x 1 y', 'x 2 y', ''),
    host: fc.constantFrom(...HOSTS),
    program: fc.constantFrom('sshd', 'cron', 'su(pam)'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<TextRow>;

function withValues<T>(
  rows: readonly TextRow[],
  order: Uint32Array | undefined,
  use: (values: ValueLookup, sections: ReadonlyMap<string, number>) => T,
): T {
  return withIndex(rows, order, ({ values }, sections) => use(values!, sections));
}

it('has the rows of each host and program, exactly as stored', () => {
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 1, maxLength: 60 }),
      fc.boolean(),
      fc.subarray(HOSTS),
      (came, turned, wanted) => {
        const order = turned ? Uint32Array.from(came, (_, i) => came.length - 1 - i) : undefined;
        const rows = turned ? came.toReversed() : came;
        withValues(came, order, (values) => {
          for (const column of ['host', 'program'] as const) {
            const found = values.rowsOfText(column, (text) => wanted.includes(text))!;
            const expected = rows.flatMap((one, i) =>
              one[column] !== undefined && wanted.includes(one[column]) ? [i] : [],
            );
            expect([...found.slice(0, found.count)]).toEqual(expected);
            const every = values.rowsOfText(column, () => true)!;
            expect(every.count).toBe(rows.filter((one) => one[column] !== undefined).length);
            const third = rows.flatMap((_, i) => (i % 3 === 0 ? [i] : []));
            const some = RowSet.ofSorted(Uint32Array.from(third), rows.length);
            const { texts, counts } = values.countsOfText(column, some.toWords())!;
            const known = [...new Set(rows.flatMap((one) => one[column] ?? []))];
            known.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
            expect(texts).toEqual(known);
            expect([...counts]).toEqual(
              known.map((text) => third.filter((i) => rows[i]![column] === text).length),
            );
          }
        });
      },
    ),
    { numRuns: 60 },
  );
});

it('keeps rows of hosts once', () => {
  const rows = Array.from({ length: 4_000 }, (_, i) => ({
    message: `line ${i}`,
    host: `web${i % 197}`,
  }));
  withValues(rows, undefined, (values, sizes) => {
    expect(sizes.get(VALUES_SECTION)).toBeLessThan(400);
    expect(values.countsOfText('host', RowSet.all(4_000).toWords(), 1_000)).toBeUndefined();
    expect(values.rowsOfText('host', (text) => text === 'web1')!.count).toBe(
      rows.filter(({ host }) => host === 'web1').length,
    );
  });
});

it('leaves columns with too many values for shapes to the index of values', () => {
  const rows = Array.from({ length: 9_000 }, (_, i) => ({ message: 'x', host: `h${i % 4_500}.x` }));
  withValues(rows, undefined, (values, sizes) => {
    expect(sizes.get(VALUES_SECTION)).toBeGreaterThan(5_000);
    expect([...values.rowsOfText('host', (text) => text === 'h4321.x')!.slice(0, 3)]).toEqual([
      4_321, 8_821,
    ]);
  });
});

it('finds the values of columns beyond those that are kept by row', () => {
  const text = (row: number, column: number): string | undefined =>
    (row + column) % 3 === 0 ? undefined : `v ${(row * 7 + column) % 11}`;
  const rows = Array.from({ length: 60 }, (_, row) => {
    const out: Record<string, string> = {};
    for (let column = 0; column < 90; column++) {
      const value = text(row, column);
      const name = `a:${column}`;
      if (value !== undefined && (name < 'a:5' || row > 8)) out[name] = value;
    }
    return out;
  });
  const order = Uint32Array.from(rows, (_, i) => rows.length - 1 - i);
  withIndex(rows, order, ({ text: index }) => {
    for (let number = 0; number < 12; number++) {
      const tokens = [{ text: String(number), wildcard: false }];
      const { rows: found, exact } = index!.search({ tokens, between: [] })!;
      const expected = rows
        .toReversed()
        .flatMap((row, i) => (Object.values(row).includes(`v ${number}`) ? [i] : []));
      expect([exact, ...found.slice(0, found.count)]).toEqual([true, ...expected]);
    }
  });
});

it('has one shape for the times of a column that are too many to be shapes each', () => {
  const time = (i: number): string =>
    `2026-11-21 ${10 + (i % 13)}:${10 + (i % 47)}:${10 + (i % 49)}`;
  const rows = Array.from({ length: 3_000 }, (_, i): TextRow => ({ 'a:te': time(i) }));
  withIndex(rows, undefined, ({ text: index }) => {
    for (const word of ['2026', '11', '17', '49', '9']) {
      const tokens = [{ text: word, wildcard: false }];
      const { rows: found, exact } = index!.search({ tokens, between: [] })!;
      const expected = rows.flatMap((_, i) => (time(i).split(/[- :]/).includes(word) ? [i] : []));
      expect([exact, ...found.slice(0, found.count)]).toEqual([true, ...expected]);
    }
    const open = index!.patterns('a:te').filter(({ parts }) => parts?.length !== 1);
    expect(open.map(({ parts, count }) => [parts, count])).toEqual([
      [['2026-11-21 ', ':', ':', ''], 3_000 - 1_024],
    ]);
  });
});
