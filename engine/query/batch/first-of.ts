/** The first few of many in an order, without sorting all. */

/** The first `limit` of `items` by `compare`, in order. */
export function firstOf(
  items: readonly number[],
  limit: number,
  compare: (a: number, b: number) => number,
): number[] {
  if (limit * 4 >= items.length) return [...items].sort(compare).slice(0, limit);
  // A heap of the kept rows with the last one on top.
  const heap: number[] = [];
  const down = (from: number) => {
    let at = from;
    for (;;) {
      let last = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && compare(heap[child]!, heap[last]!) > 0) last = child;
      }
      if (last === at) return;
      [heap[at], heap[last]] = [heap[last]!, heap[at]!];
      at = last;
    }
  };
  for (const item of items) {
    if (heap.length < limit) {
      heap.push(item);
      if (heap.length === limit) for (let i = limit >>> 1; i >= 0; i--) down(i);
    } else if (limit > 0 && compare(item, heap[0]!) < 0) {
      heap[0] = item;
      down(0);
    }
  }
  return heap.sort(compare);
}
