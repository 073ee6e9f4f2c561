/**
 * The node-link diagram: hosts sized by what they sent and received, and an arc for each direction with traffic.
 * One host at a time has the focus; the arrow keys move to the next by size.
 */
import { useElementSize } from '@mantine/hooks';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { formatBytes, formatCount, counted } from '../../panel-api.ts';
import { visibleText } from '../../widgets/texts/event-text.tsx';
import { placeBelow } from '../../widgets/value-menu.tsx';
import { addressClass, type AddressClass } from './addresses.ts';
import { arcOf } from './arcs.ts';
import css from './conversations.module.css';
import { graphOf, type Graph, type GraphLink, type GraphNode } from './graph.ts';
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

/** A host in its place, in pixels. */
interface Host extends GraphNode {
  /** Its address, shortened if it is long. */
  readonly name: string;
  readonly px: number;
  readonly py: number;
  readonly radius: number;
  readonly form: AddressClass;
  /** Undefined: there is no room for its name. */
  readonly label: { readonly x: number; readonly y: number } | undefined;
}

/** The host under the pointer or with the focus, and its neighbours, by number. */
interface Active {
  readonly at: number;
  readonly near: ReadonlySet<number>;
}

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
  const hosts = useMemo(() => placed(graph, width, height), [graph, width, height]);
  const [focused, setFocused] = useState<string>();
  const [pointed, setPointed] = useState<string>();
  const activeAt = hosts.findIndex(({ address }) => address === (pointed ?? focused));
  const active = useMemo(() => activeOf(graph, activeAt), [graph, activeAt]);
  const format = (amount: number): string =>
    measure === 'bytes' ? formatBytes(amount) : `${formatCount(amount)} ${measure}`;
  return (
    <div className={css['picture']}>
      <Readout graph={graph} hosts={hosts} host={hosts[activeAt]} format={format} />
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
            Each arc ends in an arrow at the receiver, and is wider the more was sent. The table has
            the same pairs.
          </desc>
          <g aria-hidden>
            {graph.links.map((link) => (
              <Arc
                key={`${link.from}/${link.to}/${link.pair.a}`}
                link={link}
                from={hosts[link.from]}
                to={hosts[link.to]}
                active={active}
                title={`${format(link.size)}${sharedText(link.pair, measure, format)}`}
                pivots={pivots}
              />
            ))}
          </g>
          <Hosts
            hosts={hosts}
            near={active?.near}
            focused={focused}
            onFocused={setFocused}
            onPointed={setPointed}
            format={format}
            pivots={pivots}
          />
        </svg>
      </div>
    </div>
  );
}

function placed(graph: Graph, width: number, height: number): Host[] {
  const marks = graph.nodes.map((node) => ({
    ...node,
    name: visibleText(node.address, LONGEST_NAME),
    px: PAD_X + node.x * (width - 2 * PAD_X),
    py: PAD_Y + node.y * (height - 2 * PAD_Y),
    radius: 4 + 8 * node.weight,
    form: addressClass(node.address),
  }));
  const labels = placeLabels(
    marks.map(({ px, py, radius, name }) => ({
      x: px,
      y: py,
      radius: radius + 1,
      width: name.length * CHARACTER,
    })),
    width,
    height,
  );
  return marks.map((mark, i) => ({ ...mark, label: labels[i] }));
}

function activeOf({ links }: Graph, at: number): Active | undefined {
  if (at < 0) return undefined;
  const near = new Set([at]);
  for (const { from, to } of links) {
    if (from === at) near.add(to);
    if (to === at) near.add(from);
  }
  return { at, near };
}

/** Describes the active host in words, and explains the diagram's shapes. */
function Readout({
  graph,
  hosts,
  host,
  format,
}: {
  readonly graph: Graph;
  readonly hosts: readonly Host[];
  readonly host: Host | undefined;
  readonly format: (amount: number) => string;
}) {
  const notDrawn = graph.leftOut + graph.weak;
  return (
    <div className={css['readout']}>
      <span className={css['said']} aria-live="polite">
        {host === undefined ? (
          <span className={css['muted']}>
            {counted(hosts.length, 'host')}. Hover over one, or move between them with Tab and the
            arrow keys.
          </span>
        ) : (
          <>
            <b className="mono">{host.address}</b> · {format(host.size)} ·{' '}
            {counted(host.peers, 'peer')}
          </>
        )}
      </span>
      <span className={css['legend']}>
        {CLASSES.filter(({ name }) => hosts.some(({ form }) => form === name)).map(
          ({ name, label }) => (
            <span key={name}>
              <svg width={11} height={11} viewBox="-6 -6 12 12" aria-hidden>
                <Shape form={name} radius={5} />
              </svg>{' '}
              {label}
            </span>
          ),
        )}
        {notDrawn > 0 && (
          <span
            title={`${counted(graph.weak, 'small pair')} shown when you hover over a host; ${formatCount(graph.leftOut)} involve hosts too small to be drawn`}
          >
            · {counted(notDrawn, 'pair')} not drawn
          </span>
        )}
      </span>
    </div>
  );
}

/** The arc from a sender to a receiver; weak links are drawn only for the active host. */
function Arc({
  link,
  from,
  to,
  active,
  title,
  pivots,
}: {
  readonly link: GraphLink;
  readonly from: Host | undefined;
  readonly to: Host | undefined;
  readonly active: Active | undefined;
  readonly title: string;
  readonly pivots: ConversationPivots;
}) {
  if (from === undefined || to === undefined) return null;
  const isLit = active !== undefined && (link.from === active.at || link.to === active.at);
  if (!link.strong && !isLit) return null;
  const weight = link.weight ** 2;
  const width = 0.8 + 4.4 * weight;
  const arc = arcOf(
    { x: from.px, y: from.py, radius: from.radius },
    { x: to.px, y: to.py, radius: to.radius },
    width,
  );
  const color = COLORS[from.form];
  return (
    <g
      opacity={active === undefined ? 0.2 + 0.6 * weight : isLit ? 0.95 : 0.06}
      style={{ cursor: 'pointer' }}
      onClick={(event) => pivots.pair(link.pair, { x: event.clientX, y: event.clientY })}
    >
      <title>{`${from.address} → ${to.address}: ${title}`}</title>
      <path d={arc.line} fill="none" stroke="transparent" strokeWidth={9} />
      <path d={arc.line} fill="none" stroke={color} strokeWidth={width} />
      <path d={arc.head} fill={color} />
    </g>
  );
}

/** One tab stop; the arrow keys go to the next host. */
function Hosts({
  hosts,
  near,
  focused,
  onFocused,
  onPointed,
  format,
  pivots,
}: {
  readonly hosts: readonly Host[];
  readonly near: ReadonlySet<number> | undefined;
  readonly focused: string | undefined;
  readonly onFocused: (address: string | undefined) => void;
  readonly onPointed: (address: string | undefined) => void;
  readonly format: (amount: number) => string;
  readonly pivots: ConversationPivots;
}) {
  const group = useRef<SVGGElement>(null);
  const tabStop = Math.max(
    0,
    hosts.findIndex(({ address }) => address === focused),
  );
  const onKeyDown = (event: KeyboardEvent<SVGGElement>, index: number): void => {
    const next = MOVES[event.key]?.(index, hosts.length);
    if (next === undefined && event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    if (next === undefined) {
      pivots.host(hosts[index]!.address, placeBelow(event.currentTarget));
      return;
    }
    const element = group.current?.children[next];
    if (element instanceof SVGElement) element.focus();
  };
  return (
    <g ref={group}>
      {hosts.map((host, i) => (
        <g
          key={host.address}
          className={`${css['node']} ${near === undefined || near.has(i) ? '' : css['quiet']}`}
          role="button"
          aria-haspopup="menu"
          aria-label={`${host.name}${host.name === host.address ? '' : ` (${host.address})`}, ${format(host.size)}, ${formatCount(host.peers)} peers`}
          tabIndex={i === tabStop ? 0 : -1}
          onFocus={() => onFocused(host.address)}
          onBlur={() => onFocused(undefined)}
          onMouseEnter={() => onPointed(host.address)}
          onMouseLeave={() => onPointed(undefined)}
          onClick={(event) => pivots.host(host.address, { x: event.clientX, y: event.clientY })}
          onKeyDown={(event) => onKeyDown(event, i)}
        >
          <g transform={`translate(${host.px} ${host.py})`}>
            <circle r={host.radius + 5} fill="transparent" />
            <Shape form={host.form} radius={host.radius} />
          </g>
          <Name host={host} always={near?.has(i) === true} />
        </g>
      ))}
    </g>
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

function Name({ host, always }: { readonly host: Host; readonly always: boolean }) {
  if (host.label !== undefined) {
    return (
      <text x={host.label.x} y={host.label.y}>
        {host.name}
      </text>
    );
  }
  if (!always) return null;
  return (
    <text x={host.px} y={host.py + host.radius + 13} textAnchor="middle">
      {host.name}
    </text>
  );
}

/** Circles, diamonds and triangles: distinguishable without their colours. */
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
