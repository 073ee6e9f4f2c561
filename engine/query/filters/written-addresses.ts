/** The IPv4 addresses that are written in the text of a record, as numbers. */
import type { MatchList } from '../lists/match-list.ts';
import type { RecordTest } from './operator.ts';

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

/** Whether one of a list's IPv4 addresses is there; of a line by anything else the text does not say. */
export function listedAddresses({ groups }: MatchList): RecordTest {
  const keys = groups.flatMap((group) => group.keys);
  const blocks = keys.flatMap(({ key, values }) =>
    key.key === 'address4' || key.key === 'written4'
      ? [{ prefix: key.prefix, values: new Set(Array.from(values, Number)) }]
      : [],
  );
  const isKnown = groups.every((group) =>
    group.keys.some(({ key }) => key.key === 'address4' || key.key === 'written4'),
  );
  return (_, text) =>
    someAddressIn(text(), (address) =>
      blocks.some(({ prefix, values }) => values.has(address - (address % 2 ** (32 - prefix)))),
    ) || (isKnown ? false : undefined);
}
