/** Order of the events after a click on a column's heading. */

export interface HeadingSort {
  readonly field: string;
  readonly descending: boolean;
}

/** By time: newest first, then oldest first again. By another field: ascending, descending, then by time again. */
export function nextSort(name: string, sort: HeadingSort | undefined): HeadingSort | undefined {
  if (name === 'ts') {
    const oldestFirst = sort === undefined || (sort.field === 'ts' && !sort.descending);
    return oldestFirst ? { field: 'ts', descending: true } : undefined;
  }
  if (sort?.field !== name) return { field: name, descending: false };
  return sort.descending ? undefined : { field: name, descending: true };
}
