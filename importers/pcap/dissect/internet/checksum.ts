/** The internet checksum (RFC 1071), and how a field shows whether it is right. */
import { hex16 } from '../text.ts';

/** One's complement sum of `bytes[start, end)` as 16-bit words, on top of `sum`; not yet folded. */
export function sumWords(bytes: Uint8Array, start: number, end: number): number {
  let total = 0;
  let at = start;
  for (; at + 1 < end; at += 2) total += (bytes[at]! << 8) | bytes[at + 1]!;
  if (at < end) total += bytes[at]! << 8;
  return total;
}

/** The checksum of a sum: folded to 16 bits and inverted. */
export function fold(sum: number): number {
  let total = sum;
  while (total > 0xffff) total = (total & 0xffff) + Math.floor(total / 65_536);
  return ~total & 0xffff;
}

/** `0x1c46 [correct]`; 0 and 0xffff are the same number here. */
export function checksumText(stated: number, right: number, hint = ''): string {
  if (stated === right || ((stated ^ right) === 0xffff && (stated === 0 || right === 0))) {
    return `${hex16(stated)} [correct]`;
  }
  return `${hex16(stated)} [incorrect, should be ${hex16(right)}${hint}]`;
}

export function unverified(stated: number, why: string): string {
  return `${hex16(stated)} [unverified: ${why}]`;
}
