/** The pairs of addresses in an answer of `conversations.run`, and the hosts in them. */
import { cell, columnOf, type ColumnBatch } from '../../../engine/contract/wire/column-batch.ts';
import { addressKey } from './addresses.ts';

/** Volume in each direction; undefined where no flow states it. */
export interface Ways {
  readonly ab: number | undefined;
  readonly ba: number | undefined;
  /** Of flows that state one number for both directions. */
  readonly both: number | undefined;
}

export interface Pair {
  /** The host that originated most of it. */
  readonly a: string;
  readonly b: string;
  readonly flows: number;
  readonly bytes: Ways;
  readonly packets: Ways;
  /** Lists by comma, most frequent first. */
  readonly protos: string;
  readonly ports: string;
  readonly services: string;
  readonly states: string;
  /** UTC microseconds; undefined of events without a time. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Seconds from `first` to the latest end. */
  readonly duration: number | undefined;
}

export type Order = 'bytes' | 'flows' | 'packets' | 'last';
export type Measure = 'bytes' | 'flows' | 'packets';

interface Host {
  readonly address: string;
  /** Sum of both ways. */
  readonly size: number;
  readonly peers: number;
}

export function pairsOf(batch: ColumnBatch): Pair[] {
  const columns = new Map(batch.columns.map(({ name }) => [name, columnOf(batch, name)]));
  const value = (name: string, row: number): string | number | null => {
    const column = columns.get(name);
    return column === undefined ? null : cell(column, row);
  };
  const text = (name: string, row: number): string => String(value(name, row) ?? '');
  const known = (name: string, row: number): number | undefined => {
    const one = value(name, row);
    return typeof one === 'number' ? one : undefined;
  };
  const ways = (name: string, row: number): Ways => ({
    ab: known(`${name}_ab`, row),
    ba: known(`${name}_ba`, row),
    both: known(`${name}_both`, row),
  });
  return Array.from({ length: batch.rows }, (_, row) => ({
    a: text('a', row),
    b: text('b', row),
    flows: Number(value('flows', row) ?? 0),
    bytes: ways('bytes', row),
    packets: ways('packets', row),
    protos: text('protos', row),
    ports: text('ports', row),
    services: text('services', row),
    states: text('states', row),
    first: known('first', row),
    last: known('last', row),
    duration: known('duration', row),
  }));
}

/** The measure of a picture: that of the order, or the one that the pairs have. */
export function measureOf(pairs: readonly Pair[], order: Order): Measure {
  const wanted: Measure = order === 'last' ? 'bytes' : order;
  const candidates: readonly Measure[] = [wanted, 'bytes', 'packets', 'flows'];
  const has = (measure: Measure): boolean =>
    pairs.some((pair) => (sumOf(waysOf(pair, measure)) ?? 0) > 0);
  return candidates.find(has) ?? wanted;
}

/** A flow counts in the direction in which it was opened. */
export function waysOf(pair: Pair, measure: Measure): Ways {
  if (measure === 'flows') return { ab: pair.flows, ba: undefined, both: undefined };
  return pair[measure];
}

/** Undefined where nothing is stated. */
export function sumOf({ ab, ba, both }: Ways): number | undefined {
  if (ab === undefined && ba === undefined && both === undefined) return undefined;
  return (ab ?? 0) + (ba ?? 0) + (both ?? 0);
}

/** The volume that a picture shows in each direction: totals of both may have gone either way. */
export function drawnWays(pair: Pair, measure: Measure): { ab: number; ba: number } {
  const { ab = 0, ba = 0, both = 0 } = waysOf(pair, measure);
  return { ab: ab + both, ba: pair.a === pair.b ? ba : ba + both };
}

/** Appended to what a picture says of one direction. */
export function sharedText(pair: Pair, measure: Measure, shown: (n: number) => string): string {
  const { both } = waysOf(pair, measure);
  return both === undefined ? '' : ` (${shown(both)} of it stated for both ways together)`;
}

/** Largest first; of equals the lower address. */
export function hostsOf(pairs: readonly Pair[], measure: Measure): Host[] {
  const found = new Map<string, { size: number; peers: Set<string> }>();
  const add = (address: string, peer: string, size: number): void => {
    const host = found.get(address) ?? { size: 0, peers: new Set() };
    host.size += size;
    host.peers.add(peer);
    found.set(address, host);
  };
  for (const pair of pairs) {
    const size = sumOf(waysOf(pair, measure)) ?? 0;
    add(pair.a, pair.b, size);
    if (pair.a !== pair.b) add(pair.b, pair.a, size);
  }
  return [...found]
    .map(([address, { size, peers }]) => ({ address, size, peers: peers.size }))
    .sort((x, y) => y.size - x.size || (addressKey(x.address) < addressKey(y.address) ? -1 : 1));
}

export const PAIR_COLUMNS = [
  'a',
  'b',
  'flows',
  'bytes_ab',
  'bytes_ba',
  'bytes_both',
  'packets_ab',
  'packets_ba',
  'packets_both',
  'protos',
  'ports',
  'services',
  'states',
  'first',
  'last',
  'duration',
  'a_name',
  'b_name',
] as const;

/** Rows of PAIR_COLUMNS; times as RFC 3339 in UTC. */
export function csvRows(
  pairs: readonly Pair[],
  names: ReadonlyMap<string, string>,
): (string | number | null)[][] {
  const time = (micros: number | undefined): string | null => {
    if (micros === undefined) return null;
    const seconds = new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, -5);
    return `${seconds}.${String(((micros % 1e6) + 1e6) % 1e6).padStart(6, '0')}Z`;
  };
  return pairs.map((pair) => [
    pair.a,
    pair.b,
    pair.flows,
    ...[pair.bytes, pair.packets].flatMap(({ ab, ba, both }) => [
      ...[ab ?? null, ba ?? null, both ?? null],
    ]),
    pair.protos,
    pair.ports,
    pair.services,
    pair.states,
    time(pair.first),
    time(pair.last),
    pair.duration ?? null,
    names.get(pair.a) ?? null,
    names.get(pair.b) ?? null,
  ]);
}
