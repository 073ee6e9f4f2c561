/** Whether the text of a record has an IPv4 address of a list. */
import type { MatchList } from '../lists/match-list.ts';
import type { RecordTest } from './operator.ts';

const QUAD = /(?<![\w\u0080-\uffff])\d{1,3}(?:\.\d{1,3}){3,}(?![\w\u0080-\uffff])/g;

/** The IPv4 addresses and texts of a list; its other keys are columns. */
export function listedAddresses({ groups }: MatchList): RecordTest {
  const blocks = groups.flatMap(({ keys }) =>
    keys.flatMap(({ key, values }) =>
      key.key === 'address4' || key.key === 'written4'
        ? [{ prefix: key.prefix, values: new Set(Array.from(values, Number)) }]
        : [],
    ),
  );
  return (_, text) => {
    for (const [run] of text().matchAll(QUAD)) {
      const octets = run.split('.').map(Number);
      for (let at = 0; at + 4 <= octets.length; at++) {
        const quad = octets.slice(at, at + 4);
        if (quad.some((octet) => octet > 255)) continue;
        const value = quad.reduce((sum, octet) => sum * 256 + octet, 0);
        for (const { prefix, values } of blocks)
          if (values.has(value - (value % 2 ** (32 - prefix)))) return true;
      }
    }
    return false;
  };
}
