/** Flags of a dimension's values, and of rows without one at the end. */
export function keyFlags(size: number, holds: (place: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: size + 1 }, (_, place) => Number(holds(place)));
}
