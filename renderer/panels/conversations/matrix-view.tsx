/**
 * The matrix: rows send, columns receive, the shade is how much by its logarithm. The pointer or the
 * arrow keys read a cell, a click or Enter opens its pivots.
 */
import { useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useElementSize } from '@mantine/hooks';
import { formatBytes, formatCount, counted } from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import css from './conversations.module.css';
import { matrixOf, shade, type HostOrder, type Matrix, type MatrixCell } from './matrix.ts';
import { sharedText, type Measure, type Pair } from './pairs.ts';
import type { ConversationPivots } from './pivots.tsx';

const MOST_HOSTS = 40;
const SMALLEST = 11;
const LARGEST = 26;
/** The width of a character of the names, in pixels. */
const CHARACTER = 6.35;
const LONGEST_NAME = 24;
/** Right of the cells and below them, in pixels. */
const PAD_X = 90;
const PAD_Y = 16;

const RAMP = [0, 0.2, 0.4, 0.6, 0.8, 1];
const ramp = (place: number): number => 0.1 + 0.9 * place ** 1.6;

interface Place {
  readonly row: number;
  readonly column: number;
}

/** Positions of the squares, in pixels. */
interface Layout {
  /** Names of the hosts, shortened if they are long. */
  readonly names: readonly string[];
  /** Above and left of the cells: room for the names. */
  readonly margin: number;
  /** Height and width of a cell. */
  readonly size: number;
  readonly wide: number;
}

export function MatrixView({
  pairs,
  measure,
  order,
  pivots,
}: {
  readonly pairs: readonly Pair[];
  readonly measure: Measure;
  readonly order: HostOrder;
  readonly pivots: ConversationPivots;
}) {
  const matrix = useMemo(
    () => matrixOf(pairs, measure, MOST_HOSTS, order),
    [pairs, measure, order],
  );
  const { hosts, cells } = matrix;
  const { ref, width, height } = useElementSize();
  const [cursor, setCursor] = useState<Place>();
  const n = hosts.length;
  const layout = layoutOf(hosts, width, height);
  const found = new Map(cells.map((one) => [one.row * n + one.column, one]));
  const at =
    cursor !== undefined && cursor.row < n && cursor.column < n
      ? cursor
      : (cells[0] ?? { row: 0, column: 0 });
  const current = found.get(at.row * n + at.column);
  return (
    <div className={css['picture']}>
      <Readout matrix={matrix} at={at} current={current} measure={measure} />
      <div className={css['drawing']} ref={ref}>
        <Grid
          matrix={matrix}
          layout={layout}
          found={found}
          at={at}
          onMove={setCursor}
          pivots={pivots}
        />
      </div>
    </div>
  );
}

function layoutOf(hosts: readonly string[], width: number, height: number): Layout {
  const n = Math.max(1, hosts.length);
  const names = hosts.map((host) => visibleText(host, LONGEST_NAME));
  const longest = Math.max(...names.map((name) => name.length), 8);
  const margin = 14 + CHARACTER * Math.min(LONGEST_NAME + 1, longest);
  const [across, down] = [width - margin - PAD_X, height - margin - PAD_Y];
  const size = Math.min(LARGEST, Math.max(SMALLEST, Math.floor(Math.min(across, down) / n)));
  // Cells are as wide as the panel permits, up to twice their height.
  const wide = Math.max(size, Math.min(2 * size, Math.floor(across / n)));
  return { names, margin, size, wide };
}

/** The cell at the cursor in words, and the scale of the shades. */
function Readout({
  matrix: { hosts, least, most, leftOut },
  at,
  current,
  measure,
}: {
  readonly matrix: Matrix;
  readonly at: Place;
  readonly current: MatrixCell | undefined;
  readonly measure: Measure;
}) {
  const format = (amount: number): string =>
    measure === 'bytes' ? formatBytes(amount) : `${formatCount(amount)} ${measure}`;
  return (
    <div className={css['readout']}>
      <span className={css['said']} aria-live="polite">
        <b className="mono">{hosts[at.row]}</b> → <b className="mono">{hosts[at.column]}</b>
        {' · '}
        {current === undefined ? 'nothing' : <b>{format(current.size)}</b>}
        {current !== undefined &&
          `${sharedText(current.pair, measure, format)} of ${counted(current.pair.flows, 'flow')} · ${[
            current.pair.protos,
            current.pair.services,
            current.pair.ports,
          ]
            .filter((text) => text !== '')
            .map((text) => visibleText(text.replace(/,/g, ', '), 60))
            .join(' · ')}`}
      </span>
      <span className={css['legend']}>
        <span>{format(least)}</span>
        <svg width={90} height={9} aria-hidden>
          {RAMP.map((place, i) => (
            <rect
              key={place}
              x={i * 15}
              width={15}
              height={9}
              fill="var(--db-series-1)"
              fillOpacity={ramp(place)}
            />
          ))}
        </svg>
        <span>{format(most)}</span>
        {leftOut > 0 && <span>· {counted(leftOut, 'pair')} with other hosts</span>}
      </span>
    </div>
  );
}

/** The squares, with a cursor that the pointer and the arrow keys move. */
function Grid({
  matrix: { hosts, cells, least, most },
  layout,
  found,
  at,
  onMove,
  pivots,
}: {
  readonly matrix: Matrix;
  readonly layout: Layout;
  /** Cells by row and column as one number. */
  readonly found: ReadonlyMap<number, MatrixCell>;
  readonly at: Place;
  readonly onMove: (at: Place) => void;
  readonly pivots: ConversationPivots;
}) {
  const svg = useRef<SVGSVGElement>(null);
  const n = hosts.length;
  const { margin, size, wide } = layout;
  const [across, down] = [n * wide, n * size];

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    const current = found.get(at.row * n + at.column);
    if (step !== undefined) onMove(event.ctrlKey ? jump(found, n, at, step) : moved(n, at, step));
    else if ((event.key === 'Enter' || event.key === ' ') && current !== undefined) {
      const box = svg.current?.getBoundingClientRect();
      pivots.pair(current.pair, {
        x: (box?.left ?? 0) + margin + (at.column + 0.5) * wide,
        y: (box?.top ?? 0) + margin + (at.row + 1) * size,
      });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onMouseMove = (event: MouseEvent): void => {
    const next = placeAt(event, layout, n);
    if (next === undefined || (next.row === at.row && next.column === at.column)) return;
    onMove(next);
  };
  const open = (event: MouseEvent): void => {
    const next = placeAt(event, layout, n);
    const one = next === undefined ? undefined : found.get(next.row * n + next.column);
    if (one === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    pivots.pair(one.pair, { x: event.clientX, y: event.clientY });
  };
  return (
    <svg
      ref={svg}
      className={css['svg']}
      width={margin + across + PAD_X}
      height={margin + down + PAD_Y}
      role="application"
      aria-roledescription="matrix"
      aria-label={`Who sent how much to whom, among ${counted(n, 'host')}. Arrow keys move between cells, with Control to the next filled one; Enter opens the pivots of a cell.`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseMove={onMouseMove}
      onClick={open}
      onContextMenu={open}
    >
      <title>Who sent how much to whom</title>
      <desc>Rows send, columns receive. The table has the same pairs.</desc>
      <Axes hosts={hosts} layout={layout} at={at} />
      <Cells cells={cells} wide={wide} size={size} margin={margin} least={least} most={most} />
      <rect
        className={css['cursor']}
        x={margin + at.column * wide}
        y={margin + at.row * size}
        width={wide}
        height={size}
        fill="none"
        stroke="var(--db-text)"
        strokeWidth={1.2}
      />
    </svg>
  );
}

/** The field of the squares: the row and the column of the cursor, and the names of both sides. */
function Axes({
  hosts,
  layout: { names, margin, size, wide },
  at,
}: {
  readonly hosts: readonly string[];
  readonly layout: Layout;
  readonly at: Place;
}) {
  const [across, down] = [hosts.length * wide, hosts.length * size];
  return (
    <>
      <rect
        x={margin}
        y={margin}
        width={across}
        height={down}
        fill="var(--db-raised)"
        stroke="var(--db-line)"
      />
      <rect
        x={margin}
        y={margin + at.row * size}
        width={across}
        height={size}
        fill="var(--db-selected)"
      />
      <rect
        x={margin + at.column * wide}
        y={margin}
        width={wide}
        height={down}
        fill="var(--db-selected)"
      />
      {names.map((name, i) => (
        <g key={hosts[i]}>
          <text
            x={margin - 6}
            y={margin + (i + 0.5) * size + 3.5}
            textAnchor="end"
            className={i === at.row ? css['named'] : undefined}
          >
            {name}
          </text>
          <text
            transform={`translate(${margin + (i + 0.5) * wide + 3.5} ${margin - 6}) rotate(-90)`}
            className={i === at.column ? css['named'] : undefined}
          >
            {name}
          </text>
        </g>
      ))}
    </>
  );
}

/** The cell that the pointer is on. */
function placeAt(event: MouseEvent, { margin, size, wide }: Layout, n: number): Place | undefined {
  const box = event.currentTarget.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - margin) / wide);
  const row = Math.floor((event.clientY - box.top - margin) / size);
  return column >= 0 && column < n && row >= 0 && row < n ? { row, column } : undefined;
}

const STEPS: Readonly<Record<string, Place>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

/** The neighbouring cell; at an edge the cell itself. */
function moved(n: number, from: Place, step: Place): Place {
  return {
    row: Math.min(n - 1, Math.max(0, from.row + step.row)),
    column: Math.min(n - 1, Math.max(0, from.column + step.column)),
  };
}

/** The next cell in a direction that is not empty; the current cell if there is none. */
function jump(found: ReadonlyMap<number, MatrixCell>, n: number, from: Place, step: Place): Place {
  let row = from.row + step.row;
  let column = from.column + step.column;
  while (row >= 0 && row < n && column >= 0 && column < n) {
    if (found.has(row * n + column)) return { row, column };
    row += step.row;
    column += step.column;
  }
  return from;
}

function Cells({
  cells,
  wide,
  size,
  margin,
  least,
  most,
}: {
  readonly cells: readonly MatrixCell[];
  readonly wide: number;
  readonly size: number;
  readonly margin: number;
  readonly least: number;
  readonly most: number;
}) {
  return useMemo(
    () => (
      <g>
        {cells.map((one) => (
          <rect
            key={`${one.row}/${one.column}`}
            x={margin + one.column * wide + 1}
            y={margin + one.row * size + 1}
            width={wide - 2}
            height={size - 2}
            rx={1.5}
            fill="var(--db-series-1)"
            fillOpacity={ramp(shade(one.size, least, most))}
          />
        ))}
      </g>
    ),
    [cells, wide, size, margin, least, most],
  );
}
