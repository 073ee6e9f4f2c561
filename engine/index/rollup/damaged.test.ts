import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import type { Section } from '../side-file.ts';
import { TimeIndex } from '../time/time-index.ts';
import { ValueIndex } from '../values/value-index.ts';
import { mergeTop } from './merge.ts';
import { RollupIndex } from './rollup-index.ts';
import { SETS } from './sets.ts';
import { sectionsOf, type TestRow, withSideFile } from './testing/rows.ts';

const rows = Array.from({ length: 3_000 }, (_, i): TestRow => ({
  ...{ ts: i * 2_000_000 + (i % 7), src_ip4: (i * i) % 1_009, dst_ip4: i % 5 },
  ...(i % 9 === 0 ? { src_ip6: (i % 50).toString(16).padStart(32, '0') } : {}),
  ...(i % 4 === 0 ? { flow_id: i } : {}),
  ...{ host: `host${i % 17}`, program: 'sshd', proto: i % 3, source_id: 1, bytes: i },
}));
const sections = sectionsOf('packet', rows, 1_000);

/** Everything that can be asked, as text. */
function answers(damaged: readonly Section[]): string {
  return withSideFile(rows.length, damaged, (file) => {
    const time = TimeIndex.open(file);
    const values = ValueIndex.open(file);
    const rollup = RollupIndex.open(file);
    const tops = SETS.map((dims) => {
      const question = { dims, measures: ['bytes'] as const };
      const sources = [rollup?.groups({ dims }), rollup?.groups(question)];
      return sources.map((groups) => groups && mergeTop(groups, { dims, limit: 5, by: 'count' }));
    });
    const all = Buffer.alloc(16, 255);
    const found = [
      values?.rowsOfIp4('src_ip4', 0, 0xffff_ffff),
      values?.rowsOfIp4('dst_ip4', 3, 3),
      values?.rowsOfIp6('src_ip6', Buffer.alloc(16), all),
      values?.rowsOfText('host', (text) => text.endsWith('7')),
      values?.rowsOfText('program', () => true),
      values?.unflowed(),
    ].map((set) => set && [...set.toWords()]);
    const times = rows.map((_, row) => time?.timeOf(row));
    return JSON.stringify([tops, found, times, time?.rowAt(1_234_567_890)]);
  });
}

it('says that an index is damaged, whatever byte of it is another', () => {
  const whole = answers(sections);
  fc.assert(
    fc.property(
      fc.nat(sections.length - 1),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
      fc.boolean(),
      (which, place, change, cut) => {
        const damaged = sections.map(({ name, bytes }, i) => {
          if (i !== which) return { name, bytes };
          const at = Math.floor(place * bytes.length);
          if (cut) return { name, bytes: bytes.slice(0, at) };
          const copy = bytes.slice();
          copy[at]! ^= change;
          return { name, bytes: copy };
        });
        let said: string | undefined;
        try {
          said = answers(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(DaybookError);
          expect(error).toMatchObject({ code: 'case-damaged' });
        }
        if (said !== undefined) expect(said).toBe(whole);
      },
    ),
    { numRuns: 150 },
  );
});

it('reads no index that is of another number of rows', () => {
  for (const open of [TimeIndex.open, ValueIndex.open, RollupIndex.open])
    expect(() => withSideFile(7, sections, (file) => open(file))).toThrow(/damaged/);
});
