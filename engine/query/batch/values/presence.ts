/** Rows of a batch that have a value in any of some columns. */
import type { Ref } from '../../names/fields.ts';
import type { RowFilter } from '../row-filter.ts';
import type { RowScope } from '../row-scope.ts';

export function presentIn(refs: readonly (Ref | undefined)[], scope: RowScope): RowFilter {
  const presences = () =>
    refs.flatMap((ref): Uint8Array[] => {
      const column = ref === undefined ? undefined : (scope.coded(ref) ?? scope.column(ref));
      return column === undefined ? [] : [column.present];
    });
  // Notes which columns are read, before the first row is.
  presences();
  return (rows, n) => keepPresent(rows, n, presences());
}

function keepPresent(rows: Int32Array, n: number, presences: readonly Uint8Array[]): number {
  const [first, second] = presences;
  if (first === undefined) return 0;
  let kept = 0;
  if (presences.length <= 2) {
    const other = second ?? first;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if ((first[row]! | other[row]!) !== 0) rows[kept++] = row;
    }
    return kept;
  }
  for (let i = 0; i < n; i++) {
    const row = rows[i]!;
    if (presences.some((present) => present[row] === 1)) rows[kept++] = row;
  }
  return kept;
}
