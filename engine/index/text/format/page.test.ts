import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Page } from './page.ts';
import { ListWriter, PageWriter } from '../write/page-writer.ts';

const ROWS = 1000;
const NOTHING = { rows: new Uint32Array(0), from: 0, to: 0 };

interface Key {
  readonly text: string;
  readonly long: boolean;
}

/** A page of words after reading it back, each in the row of its position. */
function pageOf(keys: readonly Key[]): Page {
  const writer = new PageWriter(new ListWriter(), ROWS, 0);
  keys.forEach(({ text, long }, row) => {
    writer.word(Buffer.from(text), long);
    writer.entry({ rows: Uint32Array.of(row), from: 0, to: 1 }, 1, NOTHING);
  });
  writer.finish();
  const place = { index: 0, at: 0, bytes: 0, listsFrom: 0, number: 0, entries: keys.length };
  const content = writer.parts[0]!.subarray(0, -4);
  return new Page('words', content, { ...place, key: new Uint8Array(0) }, ROWS, 0);
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '1'), minLength: 1, maxLength: 6 });
const keys = fc
  .uniqueArray(fc.record({ text, long: fc.boolean() }), {
    minLength: 1,
    maxLength: 80,
    selector: ({ text: key, long }) => `${key} ${long}`,
  })
  .map((all) =>
    all.sort(
      (a, b) =>
        Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)) || Number(a.long) - Number(b.long),
    ),
  );

it('a key is found in a page by what is written, and its rows in any order', () => {
  fc.assert(
    fc.property(keys, fc.array(text, { maxLength: 40 }), (known, asked) => {
      const page = pageOf(known);
      for (const key of [...asked, ...known.map((one) => one.text).reverse()]) {
        const found: number[] = [];
        const beyond = page.find(Buffer.from(key), (entry, long) => {
          expect(long).toBe(known[entry]!.long);
          const { rows } = page.entry(entry);
          found.push('inline' in rows ? rows.inline[0]! : -1);
        });
        expect(found).toEqual(known.flatMap((one, at) => (one.text === key ? [at] : [])));
        const last = Buffer.from(known.at(-1)!.text);
        expect(beyond).toBe(Buffer.compare(last, Buffer.from(key)) > 0);
      }
      const { keys: all, starts } = page.readWords();
      const texts = known.map((_, i) =>
        Buffer.from(all.subarray(starts[i], starts[i + 1]! - 1)).toString(),
      );
      expect(texts).toEqual(known.map((one) => one.text));
    }),
    { numRuns: 150 },
  );
});
