/** Whether the text of a record has an IPv4 address of a list. */
import type { MatchList } from '../lists/match-list.ts';
import type { RecordTest } from './operator.ts';
import { someAddressIn } from './written-addresses.ts';

/** Whether a text contains one of a list's IPv4 addresses; other values of a list cannot be decided. */
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
