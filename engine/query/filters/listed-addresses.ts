/** Whether the text of a record has an IPv4 address of a list. */
import type { MatchList } from '../lists/match-list.ts';
import type { RecordTest } from './operator.ts';
import { someAddressIn } from './written-addresses.ts';

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
