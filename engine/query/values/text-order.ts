/** Texts in the order of their UTF-8 bytes, which is that of DuckDB, without making these bytes. */

export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const one = a.charCodeAt(i);
    const other = b.charCodeAt(i);
    if (one === other) continue;
    // A surrogate belongs to a character beyond all those of one unit.
    const high = (one & 0xf800) === 0xd800;
    const otherHigh = (other & 0xf800) === 0xd800;
    return high === otherHigh ? one - other : Number(high) - Number(otherHigh);
  }
  return a.length - b.length;
}
