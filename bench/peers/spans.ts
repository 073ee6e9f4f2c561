/** How the time of an operation divides into spans, by Daybook's own account. */

/** `execute 12 ms, plan 1 ms`, the longest first; what takes next to nothing is left out. */
export function spansText(spans: Readonly<Record<string, number>>): string {
  const parts = Object.entries(spans)
    .filter(([, ms]) => ms >= 0.1)
    .sort((a, b) => b[1] - a[1])
    .map(([name, ms]) => `${name} ${Number(ms.toPrecision(2))} ms`);
  return parts.length === 0 ? 'nothing takes 0.1 ms' : parts.join(', ');
}
