/** IPv6 addresses in the form of the index of values. */

/** The 16 bytes of an address, the first octets first. */
export function ip6Bytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  let rest = value;
  for (let i = 15; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}
