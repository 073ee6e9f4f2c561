/** Traffic as a square matrix of the hosts that have most of it: rows send, columns receive. */
import { addressKey } from './addresses.ts';
import { drawnWays, hostsOf, type Measure, type Pair } from './pairs.ts';

export type HostOrder = 'size' | 'address';

export interface MatrixCell {
  /** Positions in `hosts`: the sender and the receiver. */
  readonly row: number;
  readonly column: number;
  readonly size: number;
  readonly pair: Pair;
}

export interface Matrix {
  readonly hosts: readonly string[];
  /** Only those with something in them; of equal place there is one. */
  readonly cells: readonly MatrixCell[];
  /** Smallest and largest size of a cell; 0 without any. */
  readonly least: number;
  readonly most: number;
  /** Number of pairs with a host that is not among `hosts`. */
  readonly leftOut: number;
}

export function matrixOf(
  pairs: readonly Pair[],
  measure: Measure,
  mostHosts: number,
  order: HostOrder,
): Matrix {
  const hosts = hostsOf(pairs, measure)
    .slice(0, mostHosts)
    .map(({ address }) => address);
  if (order === 'address') {
    hosts.sort((x, y) => (addressKey(x) < addressKey(y) ? -1 : 1));
  }
  const at = new Map(hosts.map((host, i) => [host, i]));
  const cells = new Map<number, MatrixCell>();
  const put = (row: number, column: number, size: number, pair: Pair): void => {
    if (size <= 0) return;
    const place = row * hosts.length + column;
    const before = cells.get(place)?.size ?? 0;
    cells.set(place, { row, column, size: before + size, pair });
  };
  let leftOut = 0;
  for (const pair of pairs) {
    const a = at.get(pair.a);
    const b = at.get(pair.b);
    if (a === undefined || b === undefined) {
      leftOut += 1;
      continue;
    }
    const { ab, ba } = drawnWays(pair, measure);
    put(a, b, ab, pair);
    put(b, a, ba, pair);
  }
  const list = [...cells.values()];
  return {
    hosts,
    cells: list,
    least: list.reduce((n, { size }) => Math.min(n, size), list[0]?.size ?? 0),
    most: list.reduce((n, { size }) => Math.max(n, size), 0),
    leftOut,
  };
}

/** The position of a size between the smallest and the largest on a logarithmic scale: 0 to 1. */
export function shade(size: number, least: number, most: number): number {
  if (size <= 0) return 0;
  if (most <= least) return 1;
  return Math.min(1, Math.max(0, Math.log(size / least) / Math.log(most / least)));
}
