/** Rows by addresses: single ones, blocks and masks, of either version and on either side. */
import type { Ip6Column, U32Column } from '../contract/event-batch.ts';
import type { AddressFilter } from '../query/filters/address.ts';
import { type Narrow, some } from './narrow-logic.ts';
import type { RowScope } from './row-scope.ts';

export function narrowAddress({ field, ranges }: AddressFilter, scope: RowScope): Narrow {
  const parts: Narrow[] = [];
  for (const side of field.sides) {
    const v4 = side.v4 === undefined ? undefined : scope.column(side.v4);
    const v6 = side.v6 === undefined ? undefined : scope.column(side.v6);
    if (v4?.type === 'u32') parts.push(narrow4(v4, ranges));
    if (v6?.type === 'ip6') parts.push(narrow6(v6, ranges));
  }
  return some(parts, scope.capacity);
}

function narrow4({ values, present }: U32Column, ranges: AddressFilter['ranges']): Narrow {
  const single = new Set<number>();
  const blocks: { low: number; high: number }[] = [];
  const masks: { mask: number; value: number }[] = [];
  for (const range of ranges) {
    if (range.version === 'mask') masks.push({ mask: range.mask | 0, value: range.value | 0 });
    else if (range.version === 4) {
      if (range.low === range.high) single.add(range.low);
      else blocks.push({ low: range.low, high: range.high });
    }
  }
  const [one] = single;
  const [block] = blocks;
  if (masks.length === 0 && single.size + blocks.length === 1) {
    const low = one ?? block?.low ?? 0;
    const high = one ?? block?.high ?? 0;
    return (rows, n) => {
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const value = values[row]!;
        if (value >= low && value <= high && present[row] === 1) rows[kept++] = row;
      }
      return kept;
    };
  }
  if (single.size + blocks.length + masks.length === 0) return () => 0;
  const has = (value: number): boolean =>
    single.has(value) ||
    blocks.some(({ low, high }) => value >= low && value <= high) ||
    masks.some(({ mask, value: wanted }) => (value & mask) === wanted);
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 1 && has(values[row]!)) rows[kept++] = row;
    }
    return kept;
  };
}

function narrow6({ values, present }: Ip6Column, ranges: AddressFilter['ranges']): Narrow {
  const blocks = ranges.flatMap((range) =>
    range.version === 6 ? [{ low: bytesOf(range.low), high: bytesOf(range.high) }] : [],
  );
  if (blocks.length === 0) return () => 0;
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 0) continue;
      for (const { low, high } of blocks) {
        if (compare(values, row * 16, low) < 0 || compare(values, row * 16, high) > 0) continue;
        rows[kept++] = row;
        break;
      }
    }
    return kept;
  };
}

function bytesOf(address: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(address.toString(16).padStart(32, '0'), 'hex'));
}

function compare(values: Uint8Array, at: number, other: Uint8Array): number {
  for (let i = 0; i < 16; i++) {
    const difference = values[at + i]! - other[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
