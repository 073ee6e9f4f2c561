import { describe, expect, it } from 'vitest';
import { makeColumn } from '../../../engine/contract/wire/column-batch.ts';
import { arcOf } from './arcs.ts';
import { graphOf } from './graph.ts';
import { placeLabels } from './labels.ts';
import { matrixOf, shade } from './matrix.ts';
import { csvRows, drawnWays, hostsOf, measureOf, pairsOf, type Pair } from './pairs.ts';

const pair = (a: string, b: string, ab: number, ba = 0): Pair => ({
  a,
  b,
  flows: 1,
  bytes: { ab, ba, both: undefined },
  packets: { ab: 1, ba: ba > 0 ? 1 : 0, both: undefined },
  protos: 'tcp',
  ports: '443',
  services: '',
  states: '',
  first: 1_700_000_000_000_001,
  last: undefined,
  duration: undefined,
});
const PAIRS = [
  pair('10.0.0.2', '10.0.0.1', 1000, 10),
  pair('10.0.0.10', '10.0.0.1', 400),
  pair('10.0.0.3', '10.0.0.2', 5),
];

describe('pairsOf', () => {
  it('reads a batch, with what it has no value of', () => {
    const batch = {
      rows: 1,
      columns: [
        makeColumn('a', 1, () => '10.0.0.1'),
        makeColumn('b', 1, () => '10.0.0.2'),
        makeColumn('bytes_ab', 1, () => 7),
        makeColumn('first', 1, () => null),
        makeColumn('services', 1, () => null),
      ],
    };
    expect(pairsOf(batch)).toMatchObject([
      {
        ...{ a: '10.0.0.1', b: '10.0.0.2', first: undefined, services: '' },
        bytes: { ab: 7, ba: undefined, both: undefined },
      },
    ]);
  });
});

describe('hosts and measures', () => {
  it('adds up both ways, largest first', () => {
    expect(hostsOf(PAIRS, 'bytes')).toEqual([
      { address: '10.0.0.1', size: 1410, peers: 2 },
      { address: '10.0.0.2', size: 1015, peers: 2 },
      { address: '10.0.0.10', size: 400, peers: 1 },
      { address: '10.0.0.3', size: 5, peers: 1 },
    ]);
  });
  it('takes packets where no bytes are known', () => {
    expect(measureOf([pair('a', 'b', 0)], 'bytes')).toBe('packets');
    expect(measureOf(PAIRS, 'last')).toBe('bytes');
  });
  it('counts what is stated for both ways once, and draws it each way', () => {
    const totals = { ...pair('a', 'b', 0), bytes: { ab: 2, ba: undefined, both: 5 } };
    const self = { ...totals, b: 'a' };
    expect(hostsOf([totals], 'bytes').map(({ size }) => size)).toEqual([7, 7]);
    expect(hostsOf([self], 'bytes').map(({ size }) => size)).toEqual([7]);
    expect(drawnWays(totals, 'bytes')).toEqual({ ab: 7, ba: 5 });
    expect(drawnWays(self, 'bytes')).toEqual({ ab: 7, ba: 0 });
    expect(csvRows([totals], new Map())[0]?.slice(3, 9)).toEqual([2, null, 5, 1, 0, null]);
  });
  it('counts a host that talks to itself once', () => {
    expect(hostsOf([pair('127.0.0.1', '127.0.0.1', 6, 4)], 'bytes')).toEqual([
      { address: '127.0.0.1', size: 10, peers: 1 },
    ]);
  });
});

describe('matrixOf', () => {
  it('puts the largest hosts first, senders in rows', () => {
    const { hosts, cells, leftOut } = matrixOf(PAIRS, 'bytes', 40, 'size');
    expect(hosts).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.10', '10.0.0.3']);
    expect(cells.map(({ row, column, size }) => [row, column, size])).toEqual([
      [1, 0, 1000],
      [0, 1, 10],
      [2, 0, 400],
      [3, 1, 5],
    ]);
    expect(leftOut).toBe(0);
  });
  it('orders the same hosts by address', () => {
    const { hosts, cells, leftOut } = matrixOf(PAIRS, 'bytes', 3, 'address');
    expect(hosts).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.10']);
    expect(cells).toContainEqual({ row: 2, column: 0, size: 400, pair: PAIRS[1] });
    expect(leftOut).toBe(1);
  });
  it('is empty of nothing', () => {
    expect(matrixOf([], 'bytes', 40, 'size')).toMatchObject({ hosts: [], cells: [], most: 0 });
  });
});

describe('shade', () => {
  it.each([
    [1, 1, 100, 0],
    [10, 1, 100, 0.5],
    [100, 1, 100, 1],
    [0, 1, 100, 0],
    [5, 5, 5, 1],
  ])('%d between %d and %d', (size, least, most, expected) => {
    expect(shade(size, least, most)).toBeCloseTo(expected);
  });
});

describe('graphOf', () => {
  it('is the same every time and within its frame', () => {
    const graph = graphOf(PAIRS, 'bytes', 60, 1.5);
    expect(graphOf(PAIRS, 'bytes', 60, 1.5)).toEqual(graph);
    expect(graph.nodes).toHaveLength(4);
    expect(graph.links.map(({ size }) => size)).toEqual([5, 10, 400, 1000]);
    for (const { x, y } of graph.nodes) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(1);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(1);
    }
  });
  it('leaves out what is not among the largest, and says so', () => {
    const graph = graphOf(PAIRS, 'bytes', 2, 1.5);
    expect(graph.nodes.map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(graph.leftOut).toBe(2);
  });
});

describe('placeLabels', () => {
  it('covers neither nodes nor other names, and leaves out what has no room', () => {
    const at = (x: number, y: number) => ({ x, y, radius: 4, width: 60 });
    const [first, second] = placeLabels([at(100, 50), at(110, 50)], 200, 100);
    expect(first).toEqual({ x: 70, y: 67 });
    expect(second?.y).toBeLessThan(50);
    expect(placeLabels([at(10, 10)], 20, 20)).toEqual([undefined]);
  });
});

describe('arcOf', () => {
  it('bends the two ways to different sides', () => {
    const a = { x: 0, y: 0, radius: 5 };
    const b = { x: 100, y: 0, radius: 5 };
    const bend = (line: string): number => Number(/Q\S+ (\S+)/.exec(line)?.[1]);
    expect(bend(arcOf(a, b, 2).line)).toBeLessThan(0);
    expect(bend(arcOf(b, a, 2).line)).toBeGreaterThan(0);
  });
  it('draws a loop from a node to itself', () => {
    const a = { x: 50, y: 50, radius: 5 };
    expect(arcOf(a, a, 2).line).not.toContain('NaN');
  });
});

describe('csvRows', () => {
  it('writes times in UTC with all their digits, the duration and names', () => {
    const names = new Map([['b', 'b.example']]);
    expect(csvRows([{ ...pair('a', 'b', 1), duration: 1.5 }], names)[0]?.slice(-5)).toEqual([
      ...['2023-11-14T22:13:20.000001Z', null, 1.5, null, 'b.example'],
    ]);
  });
});
