/** Lazy constant: `make` runs at the first call; every call gives its result. Not for what depends on anything else. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
