/** Steps through earlier queries, with the current text as the newest. */

interface PastQueries {
  /** Queries, the last first. The list that is walked through is replaced. */
  fill(queries: readonly string[]): void;
  /** The text after `current` in a direction; undefined at the end. */
  step(direction: 'older' | 'newer', current: string): string | undefined;
  /** Back to the current text. */
  reset(): void;
}

export function createPastQueries(): PastQueries {
  let queries: readonly string[] = [];
  let at = -1;
  let draft = '';
  return {
    fill(list) {
      if (at >= 0) return;
      queries = list;
    },
    step(direction, current) {
      if (at < 0) draft = current;
      const way = direction === 'older' ? 1 : -1;
      let next = at + way;
      // An entry equal to the current text is not a step.
      while (next >= 0 && next < queries.length && queries[next] === current) next += way;
      if (next < -1 || next >= queries.length || (next === -1 && at === -1)) return undefined;
      at = next;
      return next === -1 ? draft : queries[next];
    },
    reset() {
      at = -1;
    },
  };
}
