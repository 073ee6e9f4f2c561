/** AND, OR and NOT of conditions on rows. */

/** Keeps the rows of `rows[0, n)` that match, in order, at its start; returns how many they are. */
export type RowFilter = (rows: Int32Array, n: number) => number;

export const KEEP: RowFilter = (_, n) => n;
export const NONE: RowFilter = () => 0;

export function every(items: readonly RowFilter[]): RowFilter {
  const [first] = items;
  if (first === undefined) return KEEP;
  if (items.length === 1) return first;
  return (rows, n) => {
    let left = n;
    for (const item of items) {
      if (left === 0) return 0;
      left = item(rows, left);
    }
    return left;
  };
}

export function anyFilter(items: readonly RowFilter[], capacity: number): RowFilter {
  const [first] = items;
  if (first === undefined) return NONE;
  if (items.length === 1) return first;
  const marks = new Uint8Array(capacity);
  const asked = new Int32Array(capacity);
  return (rows, n) => {
    let found = 0;
    for (const item of items) {
      // Only rows that no condition has matched yet are tested.
      let left = 0;
      for (let i = 0; i < n; i++) if (marks[rows[i]!] === 0) asked[left++] = rows[i]!;
      if (left === 0) break;
      const more = item(asked, left);
      for (let i = 0; i < more; i++) marks[asked[i]!] = 1;
      found += more;
    }
    if (found === 0) return 0;
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (marks[row] === 0) continue;
      marks[row] = 0;
      rows[kept++] = row;
    }
    return kept;
  };
}

export function without(item: RowFilter, capacity: number): RowFilter {
  const asked = new Int32Array(capacity);
  return (rows, n) => {
    asked.set(rows.subarray(0, n));
    const found = item(asked, n);
    // Both lists ascend.
    let kept = 0;
    let next = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (next < found && asked[next] === row) next += 1;
      else rows[kept++] = row;
    }
    return kept;
  };
}

/** Rows for which a test holds that is made for each batch. */
export function each(make: () => (row: number) => boolean): RowFilter {
  // Notes which columns are read, before the first row is.
  make();
  return (rows, n) => {
    const test = make();
    let kept = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (test(row)) rows[kept++] = row;
    }
    return kept;
  };
}
