/**
 * Lazy constant: `make` runs at the first call; every call returns its result. Only for results that depend on
 * nothing else.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
