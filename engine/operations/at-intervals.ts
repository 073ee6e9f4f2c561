/** Reports progress at most ten times a second. */
const TELL_MS = 100;

export function atIntervals<T>(part: (one: T) => Promise<void>): (one: T) => Promise<void> {
  let last = -Infinity;
  return async (one) => {
    const now = performance.now();
    if (now - last < TELL_MS) return;
    last = now;
    await part(one);
  };
}
