/** The pairs as a table; only the rows that are seen are drawn. */
import { UnstyledButton } from '@mantine/core';
import { useElementSize, useMergedRef, useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, type MouseEvent } from 'react';
import { formatBytes, formatCount, counted } from '../../panel-api.ts';
import { ColumnWidths, leastWidth } from '../../widgets/column-widths.tsx';
import { EventText, visibleText } from '../../widgets/texts/event-text.tsx';
import { TimeText } from '../../widgets/texts/time-text.tsx';
import { placeBelow, placeOf } from '../../widgets/value-menu.tsx';
import table from '../../widgets/result-table.module.css';
import css from './conversations.module.css';
import { amountText, durationText, packetsText, pairColumns } from './pair-columns.ts';
import { waysOf, type Measure, type Pair, type Ways } from './pairs.ts';
import type { ConversationPivots } from './pivots.tsx';

const ROW = 29;
const HEAD = 28;
/** On a laptop cells have smaller margins, as the tables' style sheet says. */
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
  const { widths, volume, most, hasTotals, hasLast } = useMemo(
    () => pairColumns(pairs, names, measure, { width, less }),
    [pairs, names, measure, width, less],
  );
  const style = { minWidth: leastWidth(widths), '--volume': `${volume}px` };
  return (
    <div className={table['scroll']} ref={ref}>
      <table
        className={`${table['table']} ${css['table']}`}
        style={style}
        aria-rowcount={pairs.length + 1}
      >
        <ColumnWidths widths={widths} />
        <Heading hasTotals={hasTotals} hasLast={hasLast} />
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
                hasTotals={hasTotals}
                hasLast={hasLast}
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

interface Columns {
  /** Whether there is a column for totals of both directions together. */
  readonly hasTotals: boolean;
  readonly hasLast: boolean;
}

function Heading({ hasTotals, hasLast }: Columns) {
  return (
    <thead>
      <tr>
        <th title="The side that opened most of the connections">Client</th>
        <th title="Volume each way; bars grow with its square root">
          <span className={css['ways']}>
            <span className={css['volume']}>← Received</span>
            <span className={css['halves']} style={{ visibility: 'hidden' }} />
            <span className={css['volume']}>Sent →</span>
          </span>
        </th>
        <th>Server</th>
        {hasTotals && (
          <th
            className={table['number']}
            title="From flows that give one total for both directions; counted as neither sent nor received"
          >
            Both ways
          </th>
        )}
        <th className={table['number']}>Flows</th>
        <th className={table['number']}>Packets</th>
        <th title="Protocol, services and ports">Services and ports</th>
        <th>First</th>
        {hasLast && <th>Last</th>}
        <th className={table['number']} title="From the start of the first to the end of the last">
          Duration
        </th>
      </tr>
    </thead>
  );
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

interface RowProps extends Columns {
  readonly row: number;
  readonly pair: Pair;
  readonly names: ReadonlyMap<string, string>;
  readonly measure: Measure;
  /** The largest amount of one way. */
  readonly most: number;
  readonly pivots: ConversationPivots;
}

function PairRow({ row, pair, names, measure, most, hasTotals, hasLast, pivots }: RowProps) {
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
  return (
    <tr aria-rowindex={row + 2} onContextMenu={onContextMenu}>
      <HostCell address={pair.a} name={names.get(pair.a)} pivots={pivots} />
      <td>
        <WaysBars pair={pair} measure={measure} most={most} />
      </td>
      <HostCell address={pair.b} name={names.get(pair.b)} pivots={pivots} />
      {hasTotals && (
        <td className={table['number']}>{amountText(waysOf(pair, measure).both, measure)}</td>
      )}
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

function HostCell({
  address,
  name = '',
  pivots,
}: {
  readonly address: string;
  readonly name: string | undefined;
  readonly pivots: ConversationPivots;
}) {
  return (
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
}

/** Volume in each direction, with bars proportional to its square root. */
function WaysBars({
  pair,
  measure,
  most,
}: {
  readonly pair: Pair;
  readonly measure: Measure;
  readonly most: number;
}) {
  const { ab, ba, both } = waysOf(pair, measure);
  const said = (n: number | undefined): string =>
    n === undefined ? 'unknown' : amountText(n, measure);
  const half = (n = 0): string =>
    most === 0 || n === 0 ? '0' : `${Math.max(1.5, 50 * Math.sqrt(n / most))}%`;
  return (
    <span
      className={css['ways']}
      role="img"
      aria-label={`Sent by the client: ${said(ab)}, received: ${said(ba)}${both === undefined ? '' : `, both ways together: ${said(both)}`}`}
      title={waysTitle(pair)}
    >
      <span className={css['volume']}>{amountText(ba, measure)}</span>
      <span className={css['halves']}>
        <span className={css['back']} style={{ width: half(ba) }} />
        <span className={css['forth']} style={{ width: half(ab) }} />
      </span>
      <span className={css['volume']}>{amountText(ab, measure)}</span>
    </span>
  );
}
