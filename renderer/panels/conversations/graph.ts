/**
 * Hosts and the traffic between them as nodes and links. The layout is deterministic: the same pairs give the same
 * picture.
 */
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import { shade } from './matrix.ts';
import { drawnWays, hostsOf, sumOf, waysOf, type Measure, type Pair } from './pairs.ts';

export interface GraphNode {
  readonly address: string;
  readonly size: number;
  readonly peers: number;
  /** From 0 to 1, left to right and top to bottom. */
  readonly x: number;
  readonly y: number;
  /** From 0 to 1, by the logarithm of its size. */
  readonly weight: number;
}

export interface GraphLink {
  /** Positions in `nodes`. */
  readonly from: number;
  readonly to: number;
  readonly size: number;
  /** From 0 to 1, by the logarithm of its size. */
  readonly weight: number;
  readonly pair: Pair;
  /** Whether it is of the pairs with most: those that are always drawn, and that pull their hosts together. */
  readonly strong: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  /** One for each way that has something. */
  readonly links: readonly GraphLink[];
  /** Number of pairs with a host that is not among the nodes. */
  readonly leftOut: number;
  /** Pairs among the nodes that are not strong. */
  readonly weak: number;
}

interface Body extends SimulationNodeDatum {
  readonly weight: number;
}

interface Spring extends SimulationLinkDatum<Body> {
  readonly strong: boolean;
}

const TICKS = 320;
/** More arcs than these are a thicket. */
const STRONG_PAIRS = 90;

/** Mulberry32: the same numbers every time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** `aspect`: width divided by height of the space for the picture. */
export function graphOf(
  pairs: readonly Pair[],
  measure: Measure,
  mostHosts: number,
  aspect: number,
): Graph {
  const hosts = hostsOf(pairs, measure).slice(0, mostHosts);
  const at = new Map(hosts.map(({ address }, i) => [address, i]));
  const smallest = hosts.reduce((n, { size }) => (size > 0 ? Math.min(n, size) : n), Infinity);
  const largest = hosts[0]?.size ?? 0;
  const bodies: Body[] = hosts.map(({ size }) => ({ weight: shade(size, smallest, largest) }));
  const ways: Omit<GraphLink, 'weight'>[] = [];
  const springs: Spring[] = [];
  let leftOut = 0;
  let drawn = 0;
  const size = (pair: Pair): number => sumOf(waysOf(pair, measure)) ?? 0;
  for (const pair of [...pairs].sort((one, other) => size(other) - size(one))) {
    const a = at.get(pair.a);
    const b = at.get(pair.b);
    if (a === undefined || b === undefined) {
      leftOut += 1;
      continue;
    }
    const { ab, ba } = drawnWays(pair, measure);
    const strong = drawn < STRONG_PAIRS;
    drawn += 1;
    if (ab > 0) ways.push({ from: a, to: b, size: ab, pair, strong });
    if (ba > 0) ways.push({ from: b, to: a, size: ba, pair, strong });
    const [source, target] = [bodies[a], bodies[b]];
    if (a !== b && source !== undefined && target !== undefined)
      springs.push({ source, target, strong });
  }
  forceSimulation(bodies)
    .randomSource(numbers(20260101))
    .force(
      'link',
      forceLink(springs)
        .distance(80)
        .strength(({ strong }) => (strong ? 0.25 : 0.02)),
    )
    .force('charge', forceManyBody().strength(-420))
    .force('apart', forceCollide(44))
    .force('x', forceX(0).strength(0.12 / Math.max(0.5, aspect)))
    .force('y', forceY(0).strength(0.12 * Math.max(0.5, aspect)))
    .stop()
    .tick(TICKS);
  const least = ways.reduce((n, { size }) => Math.min(n, size), Infinity);
  const most = ways.reduce((n, { size }) => Math.max(n, size), 0);
  const x = spread(bodies.map((body) => body.x ?? 0));
  const y = spread(bodies.map((body) => body.y ?? 0));
  return {
    nodes: hosts.map((host, i) => ({
      ...host,
      x: x[i] ?? 0.5,
      y: y[i] ?? 0.5,
      weight: bodies[i]?.weight ?? 0,
    })),
    links: ways
      .map((way) => ({ ...way, weight: shade(way.size, least, most) }))
      .sort((one, other) => one.size - other.size),
    leftOut,
    weak: Math.max(0, drawn - STRONG_PAIRS),
  };
}

/** Moved and scaled to 0 to 1; if all are equal, they are in the middle. */
function spread(values: readonly number[]): number[] {
  const least = Math.min(...values);
  const most = Math.max(...values);
  return values.map((value) => (most - least < 1e-6 ? 0.5 : (value - least) / (most - least)));
}
