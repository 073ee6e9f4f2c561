/** The IPv4 addresses that are written in the text of a record, as numbers. */

const QUAD = /(?<![\w\u0080-\uffff])\d{1,3}(?:\.\d{1,3}){3,}(?![\w\u0080-\uffff])/g;

/** Whether a condition holds for any of them. */
export function someAddressIn(text: string, holds: (address: number) => boolean): boolean {
  for (const [run] of text.matchAll(QUAD)) {
    const octets = run.split('.').map(Number);
    for (let at = 0; at + 4 <= octets.length; at++) {
      const quad = octets.slice(at, at + 4);
      if (quad.some((octet) => octet > 255)) continue;
      if (holds(quad.reduce((sum, octet) => sum * 256 + octet, 0))) return true;
    }
  }
  return false;
}
