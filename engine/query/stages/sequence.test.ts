/** Sequences and sessions against loops that are as plain as can be, in SQL and in memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersOfBatches } from '../testing/answers-of-batches.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';

const START = Date.UTC(2026, 10, 20) * 1000;
const SECOND = 1e6;

function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Events of three users and of none, with ties in time, out of order, some without a time. */
function logs(): TestEvent[] {
  const next = chance(3);
  return Array.from({ length: 400 }, (_, i): TestEvent => {
    const word = ['failed', 'failed', 'failed', 'accepted', 'sudo', 'failed accepted'][
      Math.floor(next() * 6)
    ]!;
    const ts = START + Math.floor(next() * 1200) * SECOND;
    const host = [undefined, 'a', 'b', 'c'][Math.floor(next() * 4)];
    return {
      ...{
        kind: 'log',
        source: i % 3 === 0 ? 1 : 2,
        seq: i + 1,
        ts: i % 50 === 0 ? undefined : ts,
      },
      fields: {
        ...{ message: `${word} password`, ts_ns: i % 7 === 0 ? 500 : 0 },
        ...(host === undefined ? {} : { host }),
      },
      attributes: {},
    };
  });
}

const EVENTS = logs();
let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

/** Events with a time, by host, in order. */
function groups(by: boolean): Map<string, TestEvent[]> {
  const out = new Map<string, TestEvent[]>();
  const order = (event: TestEvent) =>
    [event.ts!, event.fields.ts_ns ?? 0, event.source, event.seq].map(Number);
  const sorted = EVENTS.filter(({ ts }) => ts !== undefined).sort((a, b) => {
    const [left, right] = [order(a), order(b)];
    const at = left.findIndex((value, i) => value !== right[i]);
    return at < 0 ? 0 : left[at]! - right[at]!;
  });
  for (const event of sorted) {
    const key = by ? String(event.fields.host ?? '') : '';
    out.set(key, [...(out.get(key) ?? []), event]);
  }
  return out;
}

const idOf = ({ source, seq }: TestEvent): string => `${source}:${seq}`;
const time = (micros: number): string =>
  new Date(micros / 1000).toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');

interface Step {
  readonly word: string;
  readonly times: number;
}

/** For each event that may be the last, the nearest events before it. */
function expected(steps: readonly Step[], within: number, by: boolean): string[] {
  const out: string[] = [];
  for (const [key, list] of groups(by)) {
    const runs: { first: number; last: number; n: number }[] = [];
    for (let end = 0; end < list.length; end++) {
      let at = end;
      let first = -1;
      const wanted = steps.flatMap(({ word, times }) => Array.from({ length: times }, () => word));
      const isMet = (word: string, place: number): boolean =>
        String(list[place]?.fields.message).split(' ').includes(word);
      if (!isMet(wanted.at(-1)!, end)) continue;
      for (const word of wanted.toReversed()) {
        while (at >= 0 && !isMet(word, at)) at -= 1;
        first = at;
        at -= 1;
      }
      if (first < 0 || list[end]!.ts! - list[first]!.ts! > within * SECOND) continue;
      const last = runs.at(-1);
      if (last !== undefined && first <= last.last) {
        last.last = end;
        last.n += 1;
      } else runs.push({ first, last: end, n: 1 });
    }
    for (const { first, last, n } of runs) {
      const [a, z] = [list[first]!, list[last]!];
      const seconds = (z.ts! - a.ts!) / SECOND;
      out.push(
        [...(by ? [key] : []), time(a.ts!), time(z.ts!), seconds, n, idOf(a), idOf(z)].join(' '),
      );
    }
  }
  return out.sort();
}

const SEQUENCES: readonly (readonly [string, readonly Step[], number, boolean])[] = [
  [
    'by host within 5m: failed x3 then accepted',
    [
      { word: 'failed', times: 3 },
      { word: 'accepted', times: 1 },
    ],
    300,
    true,
  ],
  ['within 40s by host: failed x4', [{ word: 'failed', times: 4 }], 40, true],
  [
    'by host within 2m: failed then accepted then sudo',
    [
      { word: 'failed', times: 1 },
      { word: 'accepted', times: 1 },
      { word: 'sudo', times: 1 },
    ],
    120,
    true,
  ],
  [
    'within 10s: failed x2 then accepted x2',
    [
      { word: 'failed', times: 2 },
      { word: 'accepted', times: 2 },
    ],
    10,
    false,
  ],
  ['by host: sudo x12', [{ word: 'sudo', times: 12 }], Infinity, true],
  ['by host within 1m: failed then failed then failed', [{ word: 'failed', times: 3 }], 60, true],
  ['within 1s: accepted', [{ word: 'accepted', times: 1 }], 1, false],
  [
    'within 1s: nothing then accepted',
    [
      { word: 'nothing', times: 1 },
      { word: 'accepted', times: 1 },
    ],
    1,
    false,
  ],
];

async function rows(text: string): Promise<string[]> {
  const found = await test.answer(test.plan(text));
  if (!('rows' in found)) throw new Error(found.shape);
  return found.rows.map((row) =>
    Object.values(row)
      .map((value) => value ?? '')
      .join(' '),
  );
}

describe.each(SEQUENCES)('sequence %s', (text, steps, within, by) => {
  it('is what looking back from each event finds', async () => {
    const wanted = expected(steps, within, by);
    if (text.includes('nothing')) expect(wanted).toEqual([]);
    else expect(wanted.length).toBeGreaterThan(1);
    expect((await rows(`| sequence ${text}`)).sort()).toEqual(wanted);
  });

  it('is the same of batches', async () => {
    const plan = test.plan(`| sequence ${text}`);
    expect(answersOfBatches(test, plan)).toEqual(await test.answer(plan));
  });
});

describe.each([
  ['by host gap 20s', 20, true],
  ['gap 3s', 3, false],
  ['gap 1h by host', 3600, true],
])('session %s', (text, gap, by) => {
  it('is what a loop finds', async () => {
    const wanted: string[] = [];
    for (const [key, list] of groups(by)) {
      let session = 0;
      let [low, high, n] = [0, -Infinity, 0];
      const end = (): void => {
        if (n > 0)
          wanted.push(
            [...(by ? [key] : []), session, time(low), time(high), (high - low) / SECOND, n].join(
              ' ',
            ),
          );
      };
      for (const { ts } of list) {
        if (ts! - high > gap * SECOND) {
          end();
          [session, low, n] = [session + 1, ts!, 0];
        }
        [high, n] = [ts!, n + 1];
      }
      end();
    }
    expect((await rows(`| session ${text}`)).sort()).toEqual(wanted.sort());
  });

  it('is the same of batches', async () => {
    const plan = test.plan(`| session ${text} | where count > 1`);
    expect(answersOfBatches(test, plan)).toEqual(await test.answer(plan));
  });
});

describe('the events that a sequence names', () => {
  const SEQUENCE = '| sequence by host within 5m: failed then accepted';

  it.each([
    ...['sort last', 'sort first desc', 'where first = "2:8" or last = "1:1"'],
    ...['rename first as begin | sort begin', 'rename last as end2 | where end2 = "2:8"'],
  ])('are the same in batches for the stage %s', async (stage) => {
    const plan = test.plan(`${SEQUENCE} | ${stage}`);
    expect(answersOfBatches(test, plan)).toEqual(await test.answer(plan));
  });

  it('are found by their ids, and grouped by them', async () => {
    const all = await rows(SEQUENCE);
    const ids = all.map((row) => row.split(' ').at(-2)!);
    for (const id of new Set(ids))
      expect(await rows(`${SEQUENCE} | where first = "${id}"`)).toEqual(
        all.filter((_, i) => ids[i] === id),
      );
    for (const stage of [
      'stats count() by first',
      'top 1000 first',
      'dedup first | fields first',
    ]) {
      const counts = await rows(`${SEQUENCE} | ${stage} | fields first`);
      expect(counts.sort()).toEqual([...new Set(ids)].sort());
    }
  });
});

it('reads events only that a step is about', () => {
  expect(test.plan('| sequence within 5m: kind:flow x3 then kind:dns').segmentsUsed).toEqual([]);
});

it('takes words that end a step in quotes or in brackets', async () => {
  const steps = (text: string) => {
    const [stage] = test.plan(`| sequence ${text}`).ast.stages;
    return stage?.stage === 'sequence' ? stage.steps.map(({ times }) => times) : [];
  };
  expect(steps('within 5m: (failed then) x2 then "then" or "x3"')).toEqual([2, 1]);
  expect(steps('within 5m failed X2 THEN accepted')).toEqual([2, 1]);
});

it.each([
  ['| sequence within 5m: then accepted', 'expected a filter'],
  ['| sequence within 5m: failed then', 'expected a filter'],
  ['| sequence within 5m: failed x0', 'x1 to x10000'],
  ['| sequence within: failed', 'expected an interval'],
  ['| stats count() by host | sequence failed', 'events, not a table'],
  ['| stats count() by host | session gap 5m', 'events, not a table'],
  ['| session by host', 'gap and an interval'],
  ['| sequence within 5m: host in [ failed | values host ]', 'cannot be used there'],
])('says what is wrong in %s', (text, message) => {
  expect(() => test.plan(text)).toThrow(message);
});
