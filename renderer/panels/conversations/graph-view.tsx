/**
 * The node-link picture: hosts by what they sent and received, an arc for each way with something in
 * it. One host at a time has the focus; the arrow keys go to the next by size.
 */
import { useElementSize } from '@mantine/hooks';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { formatBytes, formatCount, counted } from '../../panel-api.ts';
import { visibleText } from '../../widgets/event-text.tsx';
import { placeBelow } from '../../widgets/value-menu.tsx';
import { addressClass, type AddressClass } from './addresses.ts';
import { arcOf } from './arcs.ts';
import css from './conversations.module.css';
import { graphOf } from './graph.ts';
import { placeLabels } from './labels.ts';
import { sharedText, type Measure, type Pair } from './pairs.ts';
import type { ConversationPivots } from './pivots.tsx';

const MOST_HOSTS = 60;
const CHARACTER = 6.4;
const LONGEST_NAME = 26;
const PAD_X = 62;
const PAD_Y = 26;

const COLORS: Readonly<Record<AddressClass, string>> = {
  inside: 'var(--db-series-1)',
  outside: 'var(--db-series-2)',
  group: 'var(--db-series-4)',
};
const CLASSES: readonly { readonly name: AddressClass; readonly label: string }[] = [
  { name: 'inside', label: 'private' },
  { name: 'outside', label: 'public' },
  { name: 'group', label: 'multicast' },
];

export function GraphView({
  pairs,
  measure,
  pivots,
}: {
  readonly pairs: readonly Pair[];
  readonly measure: Measure;
  readonly pivots: ConversationPivots;
}) {
  const { ref, width: outer, height: outerHeight } = useElementSize();
  const width = Math.max(420, outer);
  const height = Math.max(300, outerHeight - 2);
  const aspect = Math.round((4 * width) / height) / 4;
  const graph = useMemo(
    () => graphOf(pairs, measure, MOST_HOSTS, aspect),
    [pairs, measure, aspect],
  );
  const [focused, setFocused] = useState<string>();
  const [pointed, setPointed] = useState<string>();
  const group = useRef<SVGGElement>(null);
  const nodes = useMemo(() => {
    const marks = graph.nodes.map((node) => {
      const name = visibleText(node.address, LONGEST_NAME);
      return {
        ...node,
        name,
        px: PAD_X + node.x * (width - 2 * PAD_X),
        py: PAD_Y + node.y * (height - 2 * PAD_Y),
        radius: 4 + 8 * node.weight,
        form: addressClass(node.address),
      };
    });
    const places = placeLabels(
      marks.map(({ px, py, radius, name }) => ({
        x: px,
        y: py,
        radius: radius + 1,
        width: name.length * CHARACTER,
      })),
      width,
      height,
    );
    return marks.map((mark, i) => ({ ...mark, label: places[i] }));
  }, [graph, width, height]);
  const active = pointed ?? focused;
  const activeAt = nodes.findIndex(({ address }) => address === active);
  const near = useMemo(() => {
    if (activeAt < 0) return undefined;
    const found = new Set([activeAt]);
    for (const { from, to } of graph.links) {
      if (from === activeAt) found.add(to);
      if (to === activeAt) found.add(from);
    }
    return found;
  }, [graph, activeAt]);
  const shown = (amount: number): string =>
    measure === 'bytes' ? formatBytes(amount) : `${formatCount(amount)} ${measure}`;
  const one = nodes[activeAt];
  const tabStop = Math.max(
    0,
    nodes.findIndex(({ address }) => address === focused),
  );

  const focus = (index: number): void => {
    const element = group.current?.children[index];
    if (element instanceof SVGElement) element.focus();
  };
  const onKeyDown = (event: KeyboardEvent<SVGGElement>, index: number): void => {
    const next = MOVES[event.key]?.(index, nodes.length);
    if (next !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      focus(next);
      return;
    }
    const node = nodes[index];
    if ((event.key === 'Enter' || event.key === ' ') && node !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      pivots.host(node.address, placeBelow(event.currentTarget));
    }
  };

  return (
    <div className={css['picture']}>
      <div className={css['readout']}>
        <span className={css['said']} aria-live="polite">
          {one === undefined ? (
            <span className={css['muted']}>
              {counted(nodes.length, 'host')}. Hover over one, or move between them with Tab and the
              arrow keys.
            </span>
          ) : (
            <>
              <b className="mono">{one.address}</b> · {shown(one.size)} ·{' '}
              {counted(one.peers, 'peer')}
            </>
          )}
        </span>
        <span className={css['legend']}>
          {CLASSES.filter(({ name }) => nodes.some(({ form }) => form === name)).map(
            ({ name, label }) => (
              <span key={name}>
                <svg width={11} height={11} viewBox="-6 -6 12 12" aria-hidden>
                  <Shape form={name} radius={5} />
                </svg>{' '}
                {label}
              </span>
            ),
          )}
          {graph.leftOut + graph.weak > 0 && (
            <span
              title={`${counted(graph.weak, 'small pair')} shown when you hover over a host; ${formatCount(graph.leftOut)} involve hosts too small to be drawn`}
            >
              · {counted(graph.leftOut + graph.weak, 'pair')} not drawn
            </span>
          )}
        </span>
      </div>
      <div className={css['drawing']} ref={ref} style={{ overflow: 'hidden' }}>
        <svg
          className={css['svg']}
          width={width}
          height={height}
          role="group"
          aria-label="Hosts and what they sent each other"
        >
          <title>Hosts and what they sent each other</title>
          <desc>
            Each arc ends in an arrow at the receiver; the more was sent, the wider it is. The table
            has the same pairs.
          </desc>
          <g aria-hidden>
            {graph.links.map((link) => {
              const from = nodes[link.from];
              const to = nodes[link.to];
              if (from === undefined || to === undefined) return null;
              const lit = activeAt >= 0 && (link.from === activeAt || link.to === activeAt);
              if (!link.strong && !lit) return null;
              const arc = arcOf(
                { x: from.px, y: from.py, radius: from.radius },
                { x: to.px, y: to.py, radius: to.radius },
                0.8 + 4.4 * link.weight ** 2,
              );
              const color = COLORS[from.form];
              return (
                <g
                  key={`${link.from}/${link.to}/${link.pair.a}`}
                  opacity={near === undefined ? 0.2 + 0.6 * link.weight ** 2 : lit ? 0.95 : 0.06}
                  style={{ cursor: 'pointer' }}
                  onClick={(event) =>
                    pivots.pair(link.pair, { x: event.clientX, y: event.clientY })
                  }
                >
                  <title>
                    {`${from.address} → ${to.address}: ${shown(link.size)}${sharedText(link.pair, measure, shown)}`}
                  </title>
                  <path d={arc.line} fill="none" stroke="transparent" strokeWidth={9} />
                  <path
                    d={arc.line}
                    fill="none"
                    stroke={color}
                    strokeWidth={0.8 + 4.4 * link.weight ** 2}
                  />
                  <path d={arc.head} fill={color} />
                </g>
              );
            })}
          </g>
          <g ref={group}>
            {nodes.map((node, i) => (
              <g
                key={node.address}
                className={`${css['node']} ${near === undefined || near.has(i) ? '' : css['quiet']}`}
                role="button"
                aria-haspopup="menu"
                aria-label={`${node.name}${node.name === node.address ? '' : ` (${node.address})`}, ${shown(node.size)}, ${formatCount(node.peers)} peers`}
                tabIndex={i === tabStop ? 0 : -1}
                onFocus={() => setFocused(node.address)}
                onBlur={() => setFocused(undefined)}
                onMouseEnter={() => setPointed(node.address)}
                onMouseLeave={() => setPointed(undefined)}
                onClick={(event) =>
                  pivots.host(node.address, { x: event.clientX, y: event.clientY })
                }
                onKeyDown={(event) => onKeyDown(event, i)}
              >
                <g transform={`translate(${node.px} ${node.py})`}>
                  <circle r={node.radius + 5} fill="transparent" />
                  <Shape form={node.form} radius={node.radius} />
                </g>
                <Name node={node} always={near?.has(i) === true} />
              </g>
            ))}
          </g>
        </svg>
      </div>
    </div>
  );
}

const MOVES: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowDown: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  ArrowUp: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function Name({
  node,
  always,
}: {
  readonly node: {
    readonly name: string;
    readonly px: number;
    readonly py: number;
    readonly radius: number;
    readonly label: { readonly x: number; readonly y: number } | undefined;
  };
  readonly always: boolean;
}) {
  if (node.label !== undefined) {
    return (
      <text x={node.label.x} y={node.label.y}>
        {node.name}
      </text>
    );
  }
  if (!always) return null;
  return (
    <text x={node.px} y={node.py + node.radius + 13} textAnchor="middle">
      {node.name}
    </text>
  );
}

/** Circles, diamonds and triangles: told apart without their colours. */
function Shape({ form, radius }: { readonly form: AddressClass; readonly radius: number }) {
  const fill = COLORS[form];
  if (form === 'inside') return <circle className={css['shape']} r={radius} fill={fill} />;
  const r = radius * 1.2;
  const points =
    form === 'outside'
      ? `0,${-r} ${r},0 0,${r} ${-r},0`
      : `0,${-r} ${r},${r * 0.8} ${-r},${r * 0.8}`;
  return <polygon className={css['shape']} points={points} fill={fill} />;
}
