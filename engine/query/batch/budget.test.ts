/** Exceeding the budget is reported, and nothing more is stored. */
import { describe, expect, it } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import { Budget, growingWithin } from './budget.ts';
import { ByteDictionary } from '../../util/hash-table/byte-dictionary.ts';
import { firstOf } from './first-of.ts';
import { TupleDictionary } from '../../util/hash-table/tuple-dictionary.ts';
import { Counter, Totals } from './measures.ts';

describe('bounds', () => {
  it('of groups', () => {
    const table = new TupleDictionary(2, growingWithin(new Budget(1e6)));
    const words = [new Int32Array(1000), new Int32Array(1000)];
    const out = new Int32Array(1000);
    const fill = () => {
      for (let from = 0; from < 1e6; from += 1000) {
        for (let i = 0; i < 1000; i++) words[0]![i] = from + i;
        table.idsOf(words, 1000, out);
      }
    };
    expect(fill).toThrow(DaybookError);
    expect(table.size).toBeGreaterThan(1000);
  });

  it('of texts', () => {
    const texts = new ByteDictionary(growingWithin(new Budget(1e5)));
    const long = new Uint8Array(1000);
    const fill = () => {
      for (let i = 0; i < 1000; i++) texts.idOf(long.fill(i & 255).fill(i >>> 8, 500), 0, 1000);
    };
    expect(fill).toThrow(/more different values/);
  });

  it('of counts, which are given back when they are rebuilt', () => {
    const counter = new Counter(new Budget(200_000));
    const groups = Int32Array.from({ length: 8192 }, (_, i) => i);
    for (let time = 0; time < 20; time++) {
      counter.add(groups, groups.length, new Float64Array(8192).fill(1), 0);
      expect(counter.value(8191)).toBe(1);
      expect(counter.takeOut()[8191]).toBe(1);
    }
  });
});

describe('groups, texts and sums', () => {
  it('are told apart and found again, however many', () => {
    const table = new TupleDictionary(1, growingWithin(new Budget()));
    const texts = new ByteDictionary(growingWithin(new Budget()));
    const words = [Int32Array.from({ length: 50_000 }, (_, i) => Math.imul(i % 20_000, 65_536))];
    const out = new Int32Array(50_000);
    table.idsOf(words, 50_000, out);
    expect(table.size).toBe(20_000);
    const bytes = new TextEncoder();
    for (let i = 0; i < 50_000; i++) {
      expect(table.word(out[i]!, 0)).toBe(words[0]![i]);
      const text = bytes.encode(`value ${i % 20_000}`);
      expect(texts.idOf(text, 0, text.length)).toBe(i % 20_000);
    }
  });

  it('of the largest whole numbers are exact', () => {
    const totals = new Totals(new Budget());
    totals.reach(1);
    for (let i = 0; i < 1001; i++) totals.add(1, Number.MAX_SAFE_INTEGER);
    expect(totals.value(1)).toBe(1001n * BigInt(Number.MAX_SAFE_INTEGER));
    for (let i = 0; i < 2002; i++) totals.add(1, -Number.MAX_SAFE_INTEGER);
    expect(totals.value(1)).toBe(-1001n * BigInt(Number.MAX_SAFE_INTEGER));
  });

  it('the first of many are those that sorting gives', () => {
    const items = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003);
    for (const limit of [0, 1, 7, 1000, 4999, 9999])
      expect(firstOf(items, limit, (a, b) => b - a)).toEqual(
        [...items].sort((a, b) => b - a).slice(0, limit),
      );
  });
});
