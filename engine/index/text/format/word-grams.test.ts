import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { SideFile, writeSideFile } from '../../side-file.ts';
import { foldedBytes } from '../../../util/fold.ts';
import { Glob } from '../search/glob.ts';
import { GRAMS } from './layout.ts';
import { WordGrams, WordGramsWriter } from './word-grams.ts';

const folder = mkdtempSync(join(tmpdir(), 'word-grams-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'one.idx');

/** The content of pages of words after reading it back; `long` ones are prefixes. */
function written(pages: readonly (readonly string[])[], long: readonly string[] = []): WordGrams {
  const writer = new WordGramsWriter();
  for (const words of pages) {
    let before: Uint8Array = new Uint8Array(0);
    for (const word of words) {
      const bytes = foldedBytes(word);
      let common = 0;
      while (common < Math.min(bytes.length, before.length) && bytes[common] === before[common])
        common += 1;
      if (long.includes(word)) writer.addAll();
      else writer.add(bytes, common);
      before = bytes;
    }
    writer.endPage();
  }
  writeSideFile(path, 1, [{ name: GRAMS, bytes: writer.bytes()! }]);
  const file = SideFile.open(path)!;
  try {
    return WordGrams.read(file, pages.length)!;
  } finally {
    file.close();
  }
}

const letter = fc.constantFrom(...'abcpl019_éЖß漢');
const word = fc.string({ unit: letter, minLength: 1, maxLength: 9 });
/** Each page in byte order, as pages are. */
const page = fc
  .uniqueArray(word, { minLength: 1, maxLength: 12 })
  .map((words) => words.sort((a, b) => Buffer.compare(foldedBytes(a), foldedBytes(b))));
const asked = fc.string({ unit: fc.oneof(letter, fc.constantFrom('*', '?')), maxLength: 6 });

describe('the runs of words', () => {
  it('miss no page that has a match', () => {
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 40 }), asked, (pages, rest) => {
        const glob = new Glob(`*${rest}`);
        const has = pages.flatMap((words, at) => {
          const some = words.some((one) => {
            const bytes = foldedBytes(one);
            return glob.matches(bytes, 0, bytes.length);
          });
          return some ? [at] : [];
        });
        expect(written(pages).pagesWith(glob)).toEqual(expect.arrayContaining(has));
      }),
      { numRuns: 120 },
    );
  });

  const pages = [['apple', 'example'], ['ample'], ['apples'], ['people', 'pple'], ['le', 'пример']];
  it.each([
    ['*pple', [0, 3]],
    ['*apple', [0]],
    ['*ample', [0, 1]],
    ['*pple*', [0, 2, 3]],
    ['?eo*ple', [3]],
    ['*le', [0, 1, 3, 4]],
    ['*мер', [4]],
    ['*', [0, 1, 2, 3, 4]],
    ['*zz*', []],
  ])('%s leaves out pages', (text, wanted) => {
    expect(written(pages).pagesWith(new Glob(text))).toEqual(wanted);
  });

  it('leave out no page with beginnings of longer words', () => {
    expect(written(pages, ['ample', 'apples']).pagesWith(new Glob('*zz*'))).toEqual([1, 2]);
  });

  it('leave out most pages of identifiers, by how a word ends', () => {
    const unit = fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz');
    const identifier = fc.string({ unit, minLength: 13, maxLength: 13 });
    const some = fc.sample(identifier, { numRuns: 10 * 1500, seed: 5 });
    const full = Array.from({ length: 10 }, (_, at) =>
      some.slice(at * 1500, (at + 1) * 1500).sort(),
    );
    const found = written(full).pagesWith(new Glob('*pple'));
    expect(found.length).toBeLessThan(5);
  });

  it('take damage for damage', () => {
    const writer = new WordGramsWriter();
    writer.add(foldedBytes('apple'), 0);
    writer.endPage();
    const bytes = writer.bytes()!;
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 0x10;
      writeSideFile(path, 1, [{ name: GRAMS, bytes: damaged }]);
      const file = SideFile.open(path)!;
      expect(() => WordGrams.read(file, 1)).toThrow(/damaged/);
      file.close();
    }
    writeSideFile(path, 1, [{ name: GRAMS, bytes }]);
    const file = SideFile.open(path)!;
    // More pages, or fewer, than the index has.
    expect(() => WordGrams.read(file, 2)).toThrow(/damaged/);
    expect(() => WordGrams.read(file, 0)).toThrow(/damaged/);
    file.close();
  });
});
