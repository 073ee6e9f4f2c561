/** The pairs as a table; only the rows that are seen are drawn. */
import { UnstyledButton } from '@mantine/core';
import { useElementSize, useMergedRef, useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type MouseEvent } from 'react';
import { formatBytes, formatCount, formatMs, counted } from '../../panel-api.ts';
import {
  ColumnWidths,
  figuresWidth,
  leastWidth,
  numberWidth,
} from '../../widgets/column-widths.tsx';
import { EventText, visibleText } from '../../widgets/event-text.tsx';
import { TimeText } from '../../widgets/time-text.tsx';
import { placeBelow, placeOf } from '../../widgets/value-menu.tsx';
import table from '../../widgets/result-table.module.css';
import css from './conversations.module.css';
import { sumOf, waysOf, type Measure, type Pair, type Ways } from './pairs.ts';
import type { ConversationPivots } from './pivots.tsx';

const ROW = 29;
const HEAD = 28;
/** In pixels. */
const TIME = 152;
/** Of services and ports: the first of them are seen, at least one port of them is. */
const PORTS = 140;
const LEAST_PORTS = 90;
/** Of the bars of both ways, with what is around them. */
const BARS = 100;
const LEAST_BARS = 44;
const CHARACTER = 7;
const LONGEST_HOST = 260;
/** An address of IPv4 is whole. */
const SHORTEST_HOST = 126;
/** On a laptop cells have less around them, as the tables' style says: so much. */
const SMALL = '(max-width: 1400px)';
const LESS_AROUND = 6;

export function PairTable({
  pairs,
  names,
  measure,
  pivots,
}: {
  readonly pairs: readonly Pair[];
  /** Names of addresses. */
  readonly names: ReadonlyMap<string, string>;
  readonly measure: Measure;
  readonly pivots: ConversationPivots;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const { ref: measured, width } = useElementSize();
  const ref = useMergedRef(scroll, measured);
  const less = useMediaQuery(SMALL, false, { getInitialValueInEffect: false }) ? LESS_AROUND : 0;
  const rows = useVirtualizer({
    count: pairs.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: 12,
    scrollMargin: HEAD,
  });
  const seen = rows.getVirtualItems();
  const above = (seen[0]?.start ?? HEAD) - HEAD;
  const below = rows.getTotalSize() - ((seen[seen.length - 1]?.end ?? HEAD) - HEAD);
  const shown = (n: number | undefined): string =>
    n === undefined ? '–' : measure === 'bytes' ? formatBytes(n) : formatCount(n);
  const each = pairs.map((pair) => waysOf(pair, measure));
  const ways = each.flatMap(({ ab, ba }) => [ab, ba]);
  const most = ways.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const totals = each.flatMap(({ both }) => (both === undefined ? [] : [both]));
  const volume = figuresWidth(['← received', ...ways.map(shown)]);
  const long = (address: string): number => address.length + (names.get(address)?.length ?? 0);
  const longest = pairs.reduce((n, { a, b }) => Math.max(n, long(a), long(b)), 12);
  const volumes = [
    ...(totals.length === 0 ? [] : [numberWidth(['both ways', ...totals.map(shown)])]),
    numberWidth(['flows', ...pairs.map(({ flows }) => formatCount(flows))]),
    numberWidth(['packets', ...pairs.map(packetsText)]),
  ];
  const duration = numberWidth(['duration', ...pairs.map(durationText)]);
  const others = [2 * volume + LEAST_BARS, ...volumes, LEAST_PORTS, TIME - less, duration];
  // Where there is no room for it, the first and the duration tell it.
  const hasLast =
    width === 0 || leastWidth(others) + TIME - less + 2 * (SHORTEST_HOST - less) <= width;
  const times = [TIME - less, ...(hasLast ? [TIME - less] : []), duration];
  const least = leastWidth(others) + (hasLast ? TIME - less : 0);
  // What is left is for services first, then for bars, then for long addresses: they give way before the table scrolls.
  const left = Math.max(0, width - least - 2 * (SHORTEST_HOST - less));
  const ports = Math.min(PORTS, LEAST_PORTS + left);
  const bars = Math.min(BARS, LEAST_BARS + left - (ports - LEAST_PORTS));
  const room = SHORTEST_HOST - less + (left - (ports - LEAST_PORTS) - (bars - LEAST_BARS)) / 2;
  const between = 2 * volume + bars;
  const after = [...volumes, ports, ...times];
  const host = Math.min(LONGEST_HOST, 20 + CHARACTER * longest, width === 0 ? Infinity : room);
  const widths = [host, between, host, ...after];
  const style = { minWidth: leastWidth(widths), '--volume': `${volume}px` };
  return (
    <div className={table['scroll']} ref={ref}>
      <table
        className={`${table['table']} ${css['table']}`}
        style={style}
        aria-rowcount={pairs.length + 1}
      >
        <ColumnWidths widths={widths} />
        <thead>
          <tr>
            <th title="The side that opened most of the connections">Client</th>
            <th title="Volume each way; bars grow with its square root">
              <span className={css['ways']}>
                <span className={css['volume']}>← received</span>
                <span className={css['halves']} style={{ visibility: 'hidden' }} />
                <span className={css['volume']}>sent →</span>
              </span>
            </th>
            <th>Server</th>
            {totals.length > 0 && (
              <th
                className={table['number']}
                title="From flows that give one total for both directions; counted as neither sent nor received"
              >
                both ways
              </th>
            )}
            <th className={table['number']}>flows</th>
            <th className={table['number']}>packets</th>
            <th title="Protocol, services and ports">services and ports</th>
            <th>first</th>
            {hasLast && <th>last</th>}
            <th
              className={table['number']}
              title="From the start of the first to the end of the last"
            >
              duration
            </th>
          </tr>
        </thead>
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {seen.map(({ index, key }) => {
            const pair = pairs[index];
            if (pair === undefined) return null;
            return (
              <PairRow
                key={key}
                row={index}
                pair={pair}
                names={names}
                measure={measure}
                most={most}
                hasTotals={totals.length > 0}
                hasLast={hasLast}
                shown={shown}
                pivots={pivots}
              />
            );
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

function packetsText({ packets }: Pair): string {
  const sum = sumOf(packets);
  return sum === undefined ? '–' : formatCount(sum);
}

function waysTitle({ a, b, bytes, packets }: Pair): string {
  const line = (who: string, way: keyof Ways): string => {
    const known = [
      ...(bytes[way] === undefined ? [] : [formatBytes(bytes[way])]),
      ...(packets[way] === undefined ? [] : [counted(packets[way], 'packet')]),
    ];
    return `${who}: ${known.length === 0 ? 'no flow states how much' : known.join(', ')}`;
  };
  const both =
    (bytes.both ?? packets.both) === undefined ? [] : [line('Both ways together', 'both')];
  return [line(`${a} → ${b}`, 'ab'), line(`${b} → ${a}`, 'ba'), ...both].join('\n');
}

function durationText({ duration }: Pair): string {
  return duration === undefined ? '–' : formatMs(duration * 1000);
}

function PairRow({
  row,
  pair,
  names,
  measure,
  most,
  hasTotals,
  hasLast,
  shown,
  pivots,
}: {
  readonly row: number;
  readonly pair: Pair;
  readonly names: ReadonlyMap<string, string>;
  readonly measure: Measure;
  readonly most: number;
  /** Whether there is a column of what is stated for both ways together. */
  readonly hasTotals: boolean;
  readonly hasLast: boolean;
  readonly shown: (n: number | undefined) => string;
  readonly pivots: ConversationPivots;
}) {
  const { ab, ba, both } = waysOf(pair, measure);
  const said = (n: number | undefined): string => (n === undefined ? 'unknown' : shown(n));
  const half = (n = 0): string =>
    most === 0 || n === 0 ? '0' : `${Math.max(1.5, 50 * Math.sqrt(n / most))}%`;
  const ports = [
    pair.services.split(',').slice(0, 2).join(', '),
    pair.ports.split(',').slice(0, 3).join(', '),
  ]
    .filter((text) => text !== '')
    .join(' · ');
  const onContextMenu = (event: MouseEvent<HTMLTableRowElement>): void => {
    event.preventDefault();
    pivots.pair(pair, placeOf(event));
  };
  const host = (address: string, name = names.get(address) ?? '') => (
    <td>
      <div className={css['end']}>
        <UnstyledButton
          className={css['host']}
          aria-haspopup="menu"
          title={[address, name]
            .map((text) => visibleText(text, 200))
            .join('\n')
            .trim()}
          onClick={(event) => pivots.host(address, placeBelow(event.currentTarget))}
          onContextMenu={(event) => {
            event.preventDefault();
            event.stopPropagation();
            pivots.host(address, placeOf(event));
          }}
        >
          <EventText text={address} max={60} />
        </UnstyledButton>
        {name !== '' && (
          <span className={css['name']}>
            <EventText text={name} max={80} />
          </span>
        )}
      </div>
    </td>
  );
  return (
    <tr aria-rowindex={row + 2} onContextMenu={onContextMenu}>
      {host(pair.a)}
      <td>
        <span
          className={css['ways']}
          role="img"
          aria-label={`Sent by the client: ${said(ab)}, received: ${said(ba)}${both === undefined ? '' : `, both ways together: ${said(both)}`}`}
          title={waysTitle(pair)}
        >
          <span className={css['volume']}>{shown(ba)}</span>
          <span className={css['halves']}>
            <span className={css['back']} style={{ width: half(ba) }} />
            <span className={css['forth']} style={{ width: half(ab) }} />
          </span>
          <span className={css['volume']}>{shown(ab)}</span>
        </span>
      </td>
      {host(pair.b)}
      {hasTotals && <td className={table['number']}>{shown(both)}</td>}
      <td className={table['number']}>
        <UnstyledButton
          className={`${css['host']} ${css['count']}`}
          aria-haspopup="menu"
          aria-label={`${counted(pair.flows, 'flow')} of ${pair.a} and ${pair.b}: pivots`}
          onClick={(event) => pivots.pair(pair, placeBelow(event.currentTarget))}
        >
          {formatCount(pair.flows)}
        </UnstyledButton>
      </td>
      <td className={table['number']}>{packetsText(pair)}</td>
      <td
        className={css['muted']}
        title={[pair.protos, pair.services, pair.ports].map((text) => visibleText(text)).join('\n')}
      >
        {visibleText(pair.protos.split(',').slice(0, 2).join(', '), 40)}{' '}
        <EventText text={ports} max={80} />
      </td>
      <td className="mono">
        <TimeText micros={pair.first} digits={0} />
      </td>
      {hasLast && (
        <td className="mono">
          <TimeText micros={pair.last} digits={0} />
        </td>
      )}
      <td className={table['number']}>{durationText(pair)}</td>
    </tr>
  );
}
