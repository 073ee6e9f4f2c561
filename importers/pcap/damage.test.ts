/** Flipped bits, with a fixed seed: nothing crashes, everything ends, and the ledger adds up. */
import { expect, it } from 'vitest';
import { collect, inputOf } from '../shared/testing/collect.ts';
import { cat } from './testing/build.ts';
import { pcapImporter } from './index.ts';
import { TRUNCATION_FILES } from './testing/variants.ts';

/** mulberry32: the same numbers every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

it.each(TRUNCATION_FILES)('%s', async (_, original) => {
  const next = random(20_261_121);
  for (let round = 0; round < 1500; round++) {
    const bytes = original.slice();
    const flips = 1 + Math.floor(next() * 8);
    for (let i = 0; i < flips; i++) {
      const at = Math.floor(next() * bytes.length);
      bytes[at] = bytes[at]! ^ (1 << Math.floor(next() * 8));
    }
    const whole = await collect(pcapImporter, inputOf(bytes.slice()), {}, 5);
    const skipped = Object.values(whole.skipped).reduce((sum, n) => sum + n, 0);
    expect(whole.read).toBe(whole.records + whole.quarantined.length + skipped);
    expect(whole.rows.filter((row) => row.kind === 'packet')).toHaveLength(whole.records);
    // No record claims bytes outside the file or of another record.
    let end = 0;
    for (const row of whole.rows.filter((row) => row.kind === 'packet')) {
      expect(row['offset']).toBeGreaterThanOrEqual(end);
      end = Number(row['offset']) + Number(row['length']);
    }
    expect(end).toBeLessThanOrEqual(bytes.length);
    if (round % 10 === 0) {
      // The division into blocks makes no difference.
      const pieces = await collect(pcapImporter, inputOf(bytes.slice(), 'x', 13), {}, 5);
      expect(pieces).toEqual(whole);
    }
  }
});

it('finds its way back after damage in the middle of many records', async () => {
  const next = random(7);
  for (const [name, file] of TRUNCATION_FILES) {
    // Classic files have one header; sections of pcapng can simply be concatenated.
    const header = name.startsWith('pcapng') ? 0 : 24;
    const body = file.subarray(header);
    const many = cat(file.subarray(0, header), ...Array.from({ length: 50 }, () => body));
    for (let round = 0; round < 20; round++) {
      const bytes = many.slice();
      const at = 200 + Math.floor(next() * (bytes.length / 2));
      for (let i = 0; i < 40; i++) bytes[at + i] = Math.floor(next() * 256);
      const { records } = await collect(pcapImporter, inputOf(bytes), {}, 50);
      // Forty bytes reach into two records at most; a section's or interface's header takes its
      // three packets along.
      expect(records).toBeGreaterThanOrEqual(150 - 8);
    }
  }
});
