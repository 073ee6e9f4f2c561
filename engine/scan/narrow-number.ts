/** Rows by numbers and times. Bounds are compared as doubles, which hold every stored number exactly. */
import type { Column } from '../contract/event-batch.ts';
import { membersOf } from '../query/filters/members.ts';
import type { NumberFilter, NumberRange } from '../query/filters/number.ts';
import type { TimeFilter } from '../query/filters/time.ts';
import { type Narrow, some } from './narrow-logic.ts';
import { type RowScope, overflowNamed, textOf } from './row-scope.ts';
import { textNumber } from './text-number.ts';

export function narrowNumber({ field, ranges }: NumberFilter, scope: RowScope): Narrow {
  if (field.type === 'attribute') {
    const test = testOf(ranges);
    scope.attributesNamed(field.key);
    return (rows, n) => {
      const columns = scope.attributesNamed(field.key);
      const overflow = scope.overflow();
      if (columns.length === 0 && overflow === undefined) return 0;
      const isMet = (text: string): boolean => {
        const value = textNumber(text);
        return value !== undefined && test(value);
      };
      const meets = (text: string | undefined): boolean =>
        text !== undefined && (isMet(text) || membersOf(text)?.some(isMet) === true);
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const found =
          columns.some((column) => meets(textOf(column, row))) ||
          (overflow?.present[row] === 1 && overflowNamed(overflow, row, field.key).some(meets));
        if (found) rows[kept++] = row;
      }
      return kept;
    };
  }
  return some(
    field.refs.flatMap((ref) => {
      const column = scope.column(ref);
      return column === undefined ? [] : [narrowColumn(column, ranges)];
    }),
    scope.capacity,
  );
}

function narrowColumn(column: Column, ranges: readonly NumberRange[]): Narrow {
  if (column.type === 'text' || column.type === 'ip6') return () => 0;
  const { values, present } = column;
  const [only] = ranges;
  if (ranges.length === 1 && only !== undefined) {
    const { low = -Infinity, high = Infinity, lowIncluded, highIncluded } = only;
    if (low === high && lowIncluded && highIncluded) {
      return (rows, n) => {
        let kept = 0;
        for (let i = 0; i < n; i++) {
          const row = rows[i]!;
          if (values[row] === low && present[row] === 1) rows[kept++] = row;
        }
        return kept;
      };
    }
    const strictLow = !lowIncluded && only.low !== undefined;
    const strictHigh = !highIncluded && only.high !== undefined;
    return (rows, n) => {
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        const value = values[row]!;
        if (present[row] === 0 || value < low || value > high) continue;
        if ((strictLow && value === low) || (strictHigh && value === high)) continue;
        rows[kept++] = row;
      }
      return kept;
    };
  }
  const test = testOf(ranges);
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 1 && test(values[row]!)) rows[kept++] = row;
    }
    return kept;
  };
}

function testOf(ranges: readonly NumberRange[]): (value: number) => boolean {
  const points = new Set<number>();
  const wide: NumberRange[] = [];
  for (const range of ranges) {
    const { low, high, lowIncluded, highIncluded } = range;
    if (low !== undefined && low === high && lowIncluded && highIncluded) points.add(low);
    else wide.push(range);
  }
  return (value) =>
    points.has(value) ||
    wide.some(
      ({ low, high, lowIncluded, highIncluded }) =>
        (low === undefined || (lowIncluded ? value >= low : value > low)) &&
        (high === undefined || (highIncluded ? value <= high : value < high)),
    );
}

export function narrowTime({ ref, from, to }: TimeFilter, scope: RowScope): Narrow {
  const column = scope.column(ref);
  if (column === undefined || column.type === 'text' || column.type === 'ip6') return () => 0;
  const { values, present } = column;
  const low = from ?? -Infinity;
  const high = to ?? Infinity;
  return (rows, n) => {
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (present[row] === 1 && values[row]! >= low && values[row]! < high) rows[kept++] = row;
    }
    return kept;
  };
}
