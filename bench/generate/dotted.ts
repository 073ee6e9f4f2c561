/** Addresses as text. */

/** An IPv4 address as people write it. */
export function dotted(address: number): string {
  return `${(address >>> 24) & 255}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}
