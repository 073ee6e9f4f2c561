/** Rows that `head`, `tail` and `sort ts` leave: all events that a query takes, but not all that match. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowSet } from '../../util/row-set.ts';
import { ALL } from '../../query/filters/filter.ts';
import { planQuery } from '../../query/plan/plan-query.ts';
import type { SegmentInfo } from '../../query/plan/scope.ts';
import { edgesOf, foundAtEdge } from './edge-rows.ts';
import type { FoundRows } from '../../query/plan/known-rows/found.ts';
import { countOf, rowsOf, sliceOf } from '../../query/plan/known-rows/rows.ts';

const DAY = 86_400e6;

interface Event {
  readonly segment: number;
  readonly row: number;
  readonly ts: number;
  /** Orders events with equal times. */
  readonly tie: number;
}

/** A segment's events by row: with few different times, so that many are equal. */
interface Made {
  readonly info: SegmentInfo;
  readonly events: readonly Event[];
  readonly found: FoundRows;
  readonly timed: boolean;
}

const made = (id: number) =>
  fc
    .record({
      day: fc.constantFrom(0, 0, 1, 2, -1),
      times: fc.array(fc.tuple(fc.nat(9), fc.nat(1e6)), { minLength: 1, maxLength: 40 }),
      chosen: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      exact: fc.boolean(),
      timed: fc.boolean(),
      several: fc.boolean(),
    })
    .map(({ day, times, chosen, exact, timed, several }): Made => {
      const undated = day < 0;
      const rows = times
        .map(([hour, tie]) => ({
          ts: undated ? NaN : day * DAY + hour * (several ? 6 : 1) * 3600e6,
          tie,
        }))
        .sort((a, b) => (undated ? 0 : a.ts - b.ts) || a.tie - b.tie);
      const dayOf = (ts: number) => (undated ? 'undated' : `2026-11-0${Math.floor(ts / DAY) + 1}`);
      const days = [...Map.groupBy(rows, ({ ts }) => dayOf(ts))].map(([name, ofDay]) => ({
        ...{ day: name, rows: ofDay.length },
      }));
      const numbers = rows.flatMap((_, row) => (chosen[row]! ? [row] : []));
      const set = RowSet.ofSorted(Uint32Array.from(numbers), rows.length);
      return {
        info: {
          ...{
            id,
            kind: 'log',
            day: days[0]!.day,
            days: days.length > 1 ? days : undefined,
            rows: rows.length,
          },
          ...{ minTs: undefined, maxTs: undefined, columns: new Set(['ts', 'host']) },
          ...{ hasDeletes: false, tags: new Set(), unflowedPackets: 0, sources: new Set([1]) },
        },
        events: numbers.map((row) => ({ segment: id, row, ...rows[row]! })),
        found: { rows: rowsOf(set), exact, rest: ALL, by: 'index' },
        timed,
      };
    });

const timeOf = ({ events, info }: Made) => {
  const times = new Map(events.map(({ row, ts }) => [row, ts]));
  // Times of rows outside the set lie between those of their neighbours.
  const at = (row: number) => {
    for (let i = row; i >= 0; i--) if (times.has(i)) return times.get(i)!;
    return -Infinity;
  };
  return {
    timeOf: (row: number) => times.get(row),
    rowAt: (ts: number) => {
      let row = 0;
      while (row < info.rows && at(row) < ts) row += 1;
      return row;
    },
  };
};

/** The stages' specification: applied to all events, one after the other. */
function taken(all: readonly Event[], stages: string): Event[] {
  const byRow = (a: Event, b: Event) =>
    (Number.isNaN(a.ts) ? Infinity : a.ts) === (Number.isNaN(b.ts) ? Infinity : b.ts)
      ? a.tie - b.tie || a.segment - b.segment || a.row - b.row
      : (Number.isNaN(a.ts) ? Infinity : a.ts) - (Number.isNaN(b.ts) ? Infinity : b.ts);
  let list = all.toSorted(byRow);
  for (const stage of stages.split('|').map((text) => text.trim())) {
    const [name, what] = stage.split(' ');
    if (name === 'head') list = list.slice(0, Number(what));
    else if (name === 'tail') list = list.slice(Math.max(0, list.length - Number(what)));
    else {
      const place = ({ ts }: Event) => (Number.isNaN(ts) ? Infinity : what === '-ts' ? -ts : ts);
      list = list.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
    }
  }
  return list;
}

const STAGES = [
  ...[
    'head 3',
    'tail 4',
    'sort ts | head 2',
    'sort -ts | head 3',
    'sort -ts | tail 5',
    'sort ts | tail 1',
  ],
  ...[
    'head 0',
    'head 30',
    'tail 25',
    'sort -ts | head 20',
    'sort ts | sort -ts | head 7',
    'head 9 | sort -ts | head 2',
  ],
];

it('hold all that is taken, whatever lies at one time', async () => {
  let fewer = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(made(1), made(2), made(3), made(4)),
      fc.constantFrom(...STAGES),
      async (all, stages) => {
        const segments = all.map(({ info }) => info);
        const plan = planQuery(`* | ${stages} | count`, {
          ...{ segments, sources: () => [], tags: [], newestTs: undefined, zone: 'UTC' },
        });
        const [edge] = edgesOf(plan).values();
        const asked: number[] = [];
        const found = await foundAtEdge(
          edge!,
          segments,
          async (some) => {
            asked.push(...some.map(({ id }) => id));
            return new Map(some.map(({ id }) => [id, all[id - 1]!.found]));
          },
          ({ id }) => (all[id - 1]!.timed ? timeOf(all[id - 1]!) : undefined),
        );
        expect(found.size).toBe(4);
        expect(new Set(asked).size).toBe(asked.length);
        for (const { segment, row } of taken(
          all.flatMap(({ events }) => events),
          stages,
        )) {
          const { rows } = found.get(segment)!;
          expect([stages, segment, row, sliceOf(rows, 40, 0, 40).includes(row)]).toEqual([
            stages,
            segment,
            row,
            true,
          ]);
        }
        for (const { info, found: before } of all)
          if (countOf(found.get(info.id)!.rows, info.rows) < countOf(before.rows, info.rows))
            fewer += 1;
      },
    ),
    { numRuns: 600 },
  );
  expect(fewer).toBeGreaterThan(300);
});

it.each([
  ['* | sort host | head 3', undefined],
  ['* | dedup host | head 3', undefined],
  ['* | where host:x', undefined],
  ['* | head 3 | sort host', { end: 'first', undatedFirst: false, count: 3, ties: false }],
  [
    '* | sort -ts | where host:x | head 3',
    { end: 'last', undatedFirst: false, count: 3, ties: true },
  ],
  [
    '* | sort -ts, host | tail 3 | dedup host',
    { end: 'first', undatedFirst: true, count: 3, ties: true },
  ],
])('%s', (text, edge) => {
  const columns = new Set(['ts', 'host']);
  const segment: SegmentInfo = {
    ...{ id: 1, kind: 'log', day: '2026-11-21', rows: 9, minTs: 1, maxTs: 2, columns },
    ...{ hasDeletes: false, tags: new Set(), unflowedPackets: 0, sources: new Set([1]) },
  };
  const plan = planQuery(`${text} | count`, {
    ...{ segments: [segment], sources: () => [], tags: [], newestTs: undefined, zone: 'UTC' },
  });
  expect([...edgesOf(plan).values()]).toEqual(edge === undefined ? [] : [edge]);
});
