import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Kind } from '../../../contract/event.ts';
import { IndexDamaged } from '../../segment-indexes.ts';
import { SideFile, writeSideFile } from '../../side-file.ts';
import type { DimensionName } from '../../values/dimensions.ts';
import { mergeTop } from '../merge.ts';
import type { Restriction, RollupQuestion } from '../rollup-groups.ts';
import { RollupIndex } from '../rollup-index.ts';
import { MEASURES, SETS } from '../sets.ts';
import { rowsArbitrary } from '../testing/arbitrary-rows.ts';
import { sectionsOf, type TestRow } from '../testing/rows.ts';
import { NodeFile, nodeFileName, TOP, writeNode } from './node-file.ts';
import { type Covering, coverBy, largestFirst, plannedNodes } from './plan.ts';
import { RollupNodes } from './rollup-nodes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-tree-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Side files of segments, open. */
function opened(kind: Kind, segments: readonly TestRow[][]): RollupIndex[] {
  return segments.map((rows, i) => {
    const path = join(folder, `${i}.idx`);
    writeSideFile(path, rows.length, sectionsOf(kind, rows, 50));
    return RollupIndex.open(SideFile.open(path)!)!;
  });
}

const parts = (n: number) =>
  Array.from({ length: n }, (_, id) => ({ id, sha256: String(id).padStart(64, '0') }));
const LARGEST_OF_ALL = 5;

/** A node of these segments. */
function nodeOf(kind: Kind, indexes: readonly RollupIndex[], level = 1): NodeFile {
  const making = { kind, level, segments: parts(indexes.length) };
  const path = join(folder, nodeFileName(making));
  writeNode(path, making, indexes, level === TOP ? () => indexes : undefined);
  return NodeFile.open(path)!;
}

const question = fc.record({
  dims: fc.oneof(
    fc.constantFrom(...SETS),
    fc.constantFrom<DimensionName[]>(['dst_port'], ['dst_ip', 'src_ip'], ['proto', 'dst_port']),
  ),
  measures: fc.subarray([...MEASURES]),
  unflowed: fc.boolean(),
});

const asked = (kind: Kind, one: RollupQuestion): RollupQuestion =>
  kind === 'packet' ? one : { ...one, unflowed: false };

it('answers as its segments do together, and as a part of another node', () => {
  fc.assert(
    fc.property(
      fc.array(rowsArbitrary, { minLength: 1, maxLength: 5 }),
      fc.constantFrom<Kind>('flow', 'packet'),
      fc.array(question, { minLength: 1, maxLength: 8 }),
      fc.oneof(fc.nat(6), fc.constant(Infinity)),
      (segments, kind, questions, limit) => {
        const indexes = opened(kind, segments);
        const lower = nodeOf(kind, indexes.slice(0, 2));
        const upper = nodeOf(kind, [lower.rollup, ...indexes.slice(2)], 2);
        for (const one of questions) {
          const where = asked(kind, one);
          const all = indexes.flatMap((index) => index.groups(where)!);
          const own = upper.rollup.groups(where);
          expect(own).toBeDefined();
          for (const by of ['count' as const, ...where.measures!.map((_, i) => i)]) {
            const ask = { dims: where.dims, limit, by };
            expect(mergeTop(own!, ask)).toEqual(mergeTop(all, ask));
          }
        }
        expect(upper.rollup.rows()).toBe(segments.flat().length);
        expect(upper.isWhole()).toBe(true);
        lower.close();
        upper.close();
      },
    ),
    { numRuns: 25 },
  );
});

/** Pairs that hardly repeat. */
const scattered = (n: number, from: number): TestRow[] =>
  Array.from({ length: n }, (_, i): TestRow => ({
    ...{ ts: i * 1000, src_ip4: (i * i) % 4099, bytes: i, host: `h${i % 3}` },
    ...(i % 7 === 0 ? {} : { dst_ip4: (from + i) % 5003 }),
    ...(i % 50 === 0 ? { src_ip4: 7, dst_ip4: 9 } : {}),
  }));

describe('pairs that hardly repeat', () => {
  it('are in no list; of the top their number and the largest are known', () => {
    const indexes = opened('flow', [scattered(9000, 0), scattered(8000, 3000)]);
    const dims = ['src_ip', 'dst_ip'] as const;
    const node = nodeOf('flow', indexes);
    const top = nodeOf('flow', indexes, TOP);
    expect(node.rollup.covers({ dims })).toBe(false);
    expect(node.largest(3)).toBeUndefined();
    expect(node.rollup.covers({ dims: ['src_ip'] })).toBe(true);
    expect(node.rollup.covers({ dims: ['host'], measures: ['bytes'] })).toBe(true);
    expect(top.rollup.covers({ dims })).toBe(false);
    const { groups, total } = top.largest(SETS.findIndex((set) => set.join() === dims.join()))!;
    const ask = { dims, limit: LARGEST_OF_ALL, by: 'count' } as const;
    const all = mergeTop(
      indexes.flatMap((index) => index.groups({ dims })!),
      ask,
    );
    expect(total).toMatchObject({ groups: all.groups, count: all.count });
    expect(mergeTop([groups], ask).top).toEqual(all.top);
    expect(mergeTop([groups], { ...ask, dims: ['dst_ip', 'src_ip'] }).top.length).toBe(5);
  });
});

describe('pairs of frequent first values', () => {
  const types = ['Drop', 'Alert', 'Flow'];
  const ip6 = 'fe'.repeat(16);
  /** Two sources that many have, and many that few have. */
  const frequent = (n: number, from: number, typed = true): TestRow[] =>
    Array.from({ length: n }, (_, i): TestRow => ({
      ...{ ts: i * 1000, bytes: i, proto: i % 2 },
      ...(i % 4 === 0 ? { src_ip6: ip6 } : { src_ip4: i % 4 === 1 ? 7 : 100 + ((i * i) % 4099) }),
      ...(i % 4 > 1
        ? { dst_ip4: (from + i) % 5003 }
        : i % 12 < 2
          ? {}
          : { dst_ip4: from + (i % 90) }),
      ...(typed && i % 5 > 0 ? { event_type: types[(i >>> 3) % 3]! } : {}),
      ...(!typed ? { event_type: 'Flow' } : {}),
    }));
  const withoutSource = ({ src_ip4: _, src_ip6: __, ...row }: TestRow): TestRow => row;
  const withoutTarget = ({ dst_ip4: _, ...row }: TestRow): TestRow => row;
  const one = (list: 'numbers' | 'ip6', value: number | string): Restriction => ({
    ...{ dim: 'src_ip', isOne: true },
    choose(values) {
      const { numbers, ip6: long } = values();
      const at =
        list === 'numbers'
          ? numbers.indexOf(Number(value))
          : numbers.length + Number(Buffer.from(long).toString('hex').indexOf(String(value))) / 32;
      return at < 0 || (list === 'ip6' && long.length === 0)
        ? { from: 0, to: 0 }
        : { from: at, to: at + 1 };
    },
  });
  const typesAre = (...wanted: (string | undefined)[]): Restriction => ({
    dim: 'event_type',
    choose: (values, size) =>
      Uint8Array.from({ length: size + 1 }, (_, place) => {
        const text = values().texts[place];
        return Number(wanted.includes(text && Buffer.from(text).toString()));
      }),
  });

  it('are what the segments say of them, by type too', () => {
    const indexes = opened('flow', [
      frequent(9000, 0),
      frequent(8000, 40),
      frequent(2000, 9, false),
      frequent(3000, 9).map(withoutSource),
    ]);
    const top = nodeOf('flow', indexes, TOP);
    expect(nodeOf('flow', indexes).head.frequent).toEqual([]);
    expect(top.head.frequent).toMatchObject([{ which: 3, sections: 4 }]);
    for (const dims of [['dst_ip'], ['src_ip', 'dst_ip'], ['dst_ip', 'src_ip'], []] as const)
      for (const source of [one('numbers', 7), one('ip6', ip6)])
        for (const more of [
          [],
          [typesAre('Alert')],
          [typesAre('Drop', undefined)],
          [typesAre(undefined)],
          [typesAre('Flow')],
          [typesAre('none of them')],
        ]) {
          const ask = { dims, where: [source, ...more] };
          const found = { dims, limit: Infinity, by: 'count' } as const;
          const all = indexes.flatMap((index) => rowsOf(index, ask));
          expect(mergeTop(top.groups(ask)!, found)).toEqual(mergeTop(all, found));
          expect(top.covers(ask)).toBe(true);
        }
  });

  /** Groups of a segment, whether or not it keeps types beside its pairs. */
  const rowsOf = (
    index: RollupIndex,
    ask: { dims: RollupQuestion['dims']; where: Restriction[] },
  ) => {
    const known = index.groups(ask);
    if (known !== undefined) return known;
    const [source, type] = ask.where;
    const isFlow = (
      type!.choose(() => ({ ...EMPTY, texts: [Buffer.from('Flow')] }), 1) as Uint8Array
    )[0];
    return isFlow === 1 ? index.groups({ ...ask, where: [source!] })! : [];
  };
  const EMPTY = { numbers: new Uint32Array(0), ip6: new Uint8Array(0), texts: [] };

  it('leave to the segments what they do not know', () => {
    const top = nodeOf('flow', opened('flow', [frequent(9000, 0), frequent(8000, 40)]), TOP);
    const dims = ['dst_ip'] as const;
    const covers = (asked: RollupQuestion) => top.covers(asked);
    const seven = one('numbers', 7);
    expect(covers({ dims, where: [seven] })).toBe(true);
    expect(covers({ dims, where: [one('numbers', 101)] })).toBe(false);
    expect(covers({ dims, where: [{ ...seven, isOne: false }] })).toBe(false);
    expect(covers({ dims, where: [seven, { ...seven, dim: 'proto' }] })).toBe(false);
    expect(covers({ dims, where: [seven], measures: ['bytes'] })).toBe(false);
    expect(covers({ dims: ['dst_ip', 'event_type'], where: [seven] })).toBe(false);
    expect(covers({ dims: ['proto'], where: [seven] })).toBe(false);
  });

  it('are without types where a segment has too many of them', () => {
    const many = frequent(9000, 0).map((row, i) => ({ ...row, event_type: `t${i % 300}` }));
    const dims = ['dst_ip'] as const;
    const where = [one('numbers', 7)];
    for (const other of [many, frequent(3000, 9).map(withoutTarget)]) {
      const indexes = opened('flow', [frequent(8000, 40), other, frequent(9000, 0)]);
      const top = nodeOf('flow', indexes, TOP);
      expect(top.head.frequent).toMatchObject([{ third: -1, sections: 1 }]);
      const found = { dims, limit: Infinity, by: 'count' } as const;
      const all = indexes.flatMap((index) => index.groups({ dims, where })!);
      expect(mergeTop(top.groups({ dims, where })!, found)).toEqual(mergeTop(all, found));
      expect(top.covers({ dims, where: [...where, typesAre('Flow')] })).toBe(false);
    }
  });
});

describe('what nodes there are', () => {
  const plan = (n: number, there: readonly Covering[] = [], from = 0): Covering[] =>
    plannedNodes(
      Array.from({ length: n }, (_, i) => from + i),
      there,
      3,
    );

  it('runs of the fan-out, runs of those, the top', () => {
    expect(plan(1)).toEqual([]);
    expect(plan(2)).toEqual([{ level: TOP, segments: [0, 1] }]);
    expect(plan(10).map(({ level, segments }) => [level, segments.length])).toEqual([
      [1, 3],
      [1, 3],
      [1, 3],
      [2, 9],
      [TOP, 10],
    ]);
  });

  it('what is there stays, whatever comes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60), { maxLength: 40 }), fc.nat(40), (ids, gone) => {
        const before = plannedNodes(ids, [], 3);
        const left = ids.filter((_, i) => i % 7 !== gone % 7);
        const fit = before.filter(({ segments }) => segments.every((id) => left.includes(id)));
        const now = [...left, 100, 101, 102, 103];
        const after = plannedNodes(now, fit, 3);
        for (const node of fit) if (node.level !== TOP) expect(after).toContainEqual(node);
        for (const level of new Set(after.map((node) => node.level))) {
          const all = after.filter((node) => node.level === level).flatMap((node) => node.segments);
          expect(new Set(all).size).toBe(all.length);
        }
        const top = after.filter((node) => node.level === TOP);
        expect(top).toEqual([{ level: TOP, segments: now }]);
        const { nodes, rest } = coverBy(now, largestFirst(after.filter((node) => node.level > 0)));
        expect([...nodes.flatMap((node) => node.segments), ...rest].sort()).toEqual(
          [...now].sort(),
        );
        expect(plannedNodes(now, after, 3)).toEqual(expect.arrayContaining(after));
      }),
    );
  });
});

describe('nodes of a case', () => {
  const segments = [scattered(600, 0), scattered(500, 900)];
  const ask = { dims: ['src_ip'] } as const;
  const now = parts(2);
  const other = { sha256: 'f'.repeat(64) };
  const made = () => {
    const making = { kind: 'flow' as const, level: 1, segments: parts(2) };
    mkdirSync(join(folder, 'rollups'));
    const path = join(folder, 'rollups', nodeFileName(making));
    writeNode(path, making, opened('flow', segments), undefined);
    return path;
  };

  it('are those of segments that are there and as they were', () => {
    made();
    const nodes = new RollupNodes(folder);
    expect(nodes.of(now)).toHaveLength(1);
    expect(nodes.of([...now, { id: 2, ...other }])).toHaveLength(1);
    expect(nodes.of(now.slice(0, 1))).toEqual([]);
    expect(nodes.of([now[0]!, { id: 1, ...other }])).toEqual([]);
    expect(nodes.of([now[0]!, { ...now[1]!, index: other }])).toEqual([]);
    expect(nodes.of([now[0]!, { id: 1, ...other, index: now[1]! }])).toHaveLength(1);
    nodes.close();
  });

  it('that have the name of another are damaged, though whole in themselves', () => {
    const path = made();
    const others = join(
      folder,
      'rollups',
      nodeFileName({ kind: 'all', level: TOP, segments: parts(2) }),
    );
    renameSync(path, others);
    expect(() => NodeFile.open(others)).toThrow('damaged');
    const nodes = new RollupNodes(folder);
    expect(nodes.of(now)).toEqual([]);
    expect(nodes.damaged).toBe(1);
    nodes.close();
  });

  it('that are damaged are said to be, once, and then not used', () => {
    const path = made();
    const whole = readFileSync(path);
    const right = mergeTop(new RollupNodes(folder).of(now)[0]!.groups(ask)!, {
      ...{ dims: ask.dims, limit: 9, by: 'count' },
    });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.boolean(), (at, cut) => {
        const bytes = Buffer.from(whole);
        bytes[at]! ^= 0x5a;
        writeFileSync(path, cut ? bytes.subarray(0, at) : bytes);
        const nodes = new RollupNodes(folder);
        let groups;
        try {
          groups = nodes.of(now)[0]?.groups(ask);
        } catch (error) {
          expect(error).toBeInstanceOf(IndexDamaged);
          expect(nodes.of(now)).toEqual([]);
          expect(nodes.damaged).toBe(1);
        }
        if (groups !== undefined)
          expect(mergeTop(groups, { dims: ask.dims, limit: 9, by: 'count' })).toEqual(right);
        nodes.close();
      }),
      { numRuns: 100 },
    );
  });
});
