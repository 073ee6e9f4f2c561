/**
 * Adds `more` at the end of `list`. `list.push(...more)` has each as an argument: with some 100,000 of them the stack
 * overflows.
 */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one);
}
