/** The columns of the table of pairs: their cells' texts, and their widths in the available space. */
import { formatBytes, formatCount, formatMs } from '../../panel-api.ts';
import { figuresWidth, leastWidth, numberWidth } from '../../widgets/column-widths.tsx';
import { sumOf, waysOf, type Measure, type Pair } from './pairs.ts';

/** In pixels. */
const TIME = 152;
/** Of services and ports: wide enough for at least one port. */
const PORTS = 140;
const LEAST_PORTS = 90;
/** Of the bars of both directions, with their margins. */
const BARS = 100;
const LEAST_BARS = 44;
const CHARACTER = 7;
const LONGEST_HOST = 260;
/** An address of IPv4 is whole. */
const SHORTEST_HOST = 126;

interface PairColumns {
  readonly widths: readonly number[];
  /** Width in pixels of a number next to the bars. */
  readonly volume: number;
  /** The largest amount of one way. */
  readonly most: number;
  /** Whether there is a column for totals of both directions together. */
  readonly hasTotals: boolean;
  readonly hasLast: boolean;
}

export function amountText(n: number | undefined, measure: Measure): string {
  if (n === undefined) return '–';
  return measure === 'bytes' ? formatBytes(n) : formatCount(n);
}

export function packetsText({ packets }: Pair): string {
  const sum = sumOf(packets);
  return sum === undefined ? '–' : formatCount(sum);
}

export function durationText({ duration }: Pair): string {
  return duration === undefined ? '–' : formatMs(duration * 1000);
}

/**
 * @param names of addresses
 * @param width of the table, 0 before it is known
 * @param less pixels that are missing around each cell
 */
export function pairColumns(
  pairs: readonly Pair[],
  names: ReadonlyMap<string, string>,
  measure: Measure,
  { width, less }: { readonly width: number; readonly less: number },
): PairColumns {
  const shown = (n: number | undefined): string => amountText(n, measure);
  const each = pairs.map((pair) => waysOf(pair, measure));
  const ways = each.flatMap(({ ab, ba }) => [ab, ba]);
  const most = ways.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const totals = each.flatMap(({ both }) => (both === undefined ? [] : [both]));
  const volume = figuresWidth(['← Received', ...ways.map(shown)]);
  const long = (address: string): number => address.length + (names.get(address)?.length ?? 0);
  const longest = pairs.reduce((n, { a, b }) => Math.max(n, long(a), long(b)), 12);
  const volumes = [
    ...(totals.length === 0 ? [] : [numberWidth(['Both ways', ...totals.map(shown)])]),
    numberWidth(['Flows', ...pairs.map(({ flows }) => formatCount(flows))]),
    numberWidth(['Packets', ...pairs.map(packetsText)]),
  ];
  const duration = numberWidth(['Duration', ...pairs.map(durationText)]);
  const others = [2 * volume + LEAST_BARS, ...volumes, LEAST_PORTS, TIME - less, duration];
  // If there is no room for it, it follows from the first and the duration.
  const hasLast =
    width === 0 || leastWidth(others) + TIME - less + 2 * (SHORTEST_HOST - less) <= width;
  const times = [TIME - less, ...(hasLast ? [TIME - less] : []), duration];
  const least = leastWidth(others) + (hasLast ? TIME - less : 0);
  // The remaining width goes to services first, then to bars, then to long addresses; they shrink before the table
  // scrolls.
  const left = Math.max(0, width - least - 2 * (SHORTEST_HOST - less));
  const ports = Math.min(PORTS, LEAST_PORTS + left);
  const bars = Math.min(BARS, LEAST_BARS + left - (ports - LEAST_PORTS));
  const room = SHORTEST_HOST - less + (left - (ports - LEAST_PORTS) - (bars - LEAST_BARS)) / 2;
  const host = Math.min(LONGEST_HOST, 20 + CHARACTER * longest, width === 0 ? Infinity : room);
  const widths = [host, 2 * volume + bars, host, ...volumes, ports, ...times];
  return { widths, volume, most, hasTotals: totals.length > 0, hasLast };
}
