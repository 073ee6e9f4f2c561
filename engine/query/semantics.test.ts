/**
 * Random queries over random events: the compiled SQL, run by DuckDB, against the plain evaluator. Rows, `count`,
 * `timeline` and `top` of one query must agree with it and therefore with each other.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../contract/event.ts';
import { mentionsKind } from './plan/analyse.ts';
import { parseQuery } from './syntax/parse.ts';
import { evaluate } from './testing/evaluate.ts';
import { DAY1 } from './testing/fixture.ts';
import { type TestEvent, openTestCase } from './testing/test-case.ts';

const WORDS = [
  'failed',
  'Fail',
  'root',
  'ſsh',
  'Kelvin',
  'kelvin',
  'naïve',
  'a_b',
  'fail_x',
  '10',
  'x1',
  'É',
];
const JOINTS = [' ', '.', ' - ', '@', '/', ': ', '\n', '  '];
const IPS = ['10.0.0.1', '10.0.0.2', '10.1.0.9', '192.168.7.7'];

const message = fc
  .array(fc.tuple(fc.constantFrom(...WORDS, ...IPS), fc.constantFrom(...JOINTS)), { maxLength: 6 })
  .map((parts) => parts.flat().join(''));
const ip4 = fc
  .constantFrom(...IPS)
  .map((text) => text.split('.').reduce((n, o) => n * 256 + Number(o), 0));
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined });

function present<V>(record: Readonly<Record<string, V | undefined>>): Record<string, V> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

const event: fc.Arbitrary<Omit<TestEvent, 'seq'>> = fc
  .record({
    kind: fc.constantFrom(...KINDS.slice(0, 4)),
    source: fc.integer({ min: 1, max: 3 }),
    ts: fc.option(
      fc.integer({ min: 0, max: 3 * 86_400 * 4 }).map((n) => DAY1 + n * 250_000),
      {
        nil: undefined,
        freq: 12,
      },
    ),
    fields: fc
      .record({
        message: maybe(message),
        host: maybe(fc.constantFrom('web01', 'WEB02', 'db.K', 'É')),
        severity: maybe(fc.integer({ min: 0, max: 7 })),
        proto: maybe(fc.constantFrom(1, 6, 17)),
        src_ip4: maybe(ip4),
        dst_ip4: maybe(ip4),
        src_port: maybe(fc.constantFrom(22, 443, 60_000)),
        dst_port: maybe(fc.constantFrom(22, 443, 53)),
        bytes: maybe(fc.integer({ min: 0, max: 2000 })),
        flow_id: maybe(fc.constant(1)),
      })
      .map(present),
    attributes: fc
      .record({
        user: maybe(fc.constantFrom('root', 'Root', 'alice', 'bob smith')),
        status: maybe(fc.constantFrom('200', '404', 'n/a', '')),
      })
      .map(present),
    overflow: maybe(fc.record({ extra: fc.constantFrom('failed login', '7', 'root') })),
    tags: fc.constantFrom<readonly number[]>([], [], [], [1], [1, 2]),
    deleted: fc.constantFrom(false, false, false, false, true),
  })
  .map(({ overflow, ...rest }) => (overflow === undefined ? rest : { ...rest, overflow }));

const word = fc.constantFrom(
  ...WORDS,
  ...IPS,
  'fail*',
  '*e*',
  '?oot',
  '*?',
  '10.0.*',
  '10.0.0.0/24',
);
const leaf = fc.oneof(
  { weight: 4, arbitrary: word },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...WORDS), fc.constantFrom(...JOINTS), fc.constantFrom(...WORDS))
      .map((parts) => JSON.stringify(parts.join('')).replaceAll('\\n', '\n')),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...[
        'kind:flow',
        'kind:(log OR dns)',
        'kind:*',
        'day:2026-11-21',
        'day:undated',
        'tag:lateral',
      ],
      ...['tag:*', 'source:fw.log', 'source:*.log', 'ts:*', 'src_ip:10.0.0.0/8', 'ip:10.0.0.1'],
      ...['dst_ip:*', 'id.orig_h:10.1.0.9', 'port:443', 'dest_port:[22 TO 443}', 'bytes:>500'],
      ...['bytes:[100 TO 900]', 'bytes:{100 TO *]', 'severity:<=err', 'severity:7', 'proto:tcp'],
      ...['proto:(udp OR icmp)', 'host:web01', 'host.name:web*', 'host:*', 'host:"db.k"', 'host:é'],
      ...[
        'message:root',
        'message:"failed root"',
        'message:*',
        'message:/ro+t/',
        'message:/^fail/i',
      ],
      ...['user:root', 'user:*', 'user:b*h', 'user:/^R/', 'status:404', 'status:>=300', 'extra:7'],
      ...['status:[1 TO 300]', 'status:""', 'extra:*', 'ts:[2026-11-20T06:00 TO 2026-11-21T12:00]'],
    ),
  },
);
const { query } = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(leaf, { minLength: 2, maxLength: 5 }).map((all) => `(${all.join(' OR ')})`),
    fc.tuple(tie('query'), tie('query')).map(([a, b]) => `${a} ${b}`),
    fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} OR ${b})`),
    tie('query').map((a) => `NOT (${a})`),
  ),
}));

describe('the compiled SQL and the plain meaning', () => {
  it.each([1, 2, 3])('agree (data set %i)', async (seed) => {
    const [drawn] = fc.sample(fc.array(event, { minLength: 40, maxLength: 60 }), {
      seed,
      numRuns: 1,
    });
    const events: TestEvent[] = drawn!.map((one, i) => ({ ...one, seq: i + 1 }));
    const test = await openTestCase(events);
    const order = (a: TestEvent, b: TestEvent) =>
      (a.ts ?? Infinity) - (b.ts ?? Infinity) || a.source - b.source || a.seq - b.seq;
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { filter } = parseQuery(text);
        const expected = evaluate(filter, events, mentionsKind(filter));
        expected.sort((a, b) =>
          a.ts === b.ts ? a.source - b.source || a.seq - b.seq : order(a, b),
        );
        const ids = expected.map(({ source, seq }) => `${source}:${seq}`);
        expect(await test.ids(text), 'rows').toEqual(ids);

        const count = await test.answer(test.plan(`${text} | count`));
        expect(count, 'count').toMatchObject({ shape: 'count', count: ids.length });

        const timeline = await test.answer(test.plan(`${text} | timeline 6h`));
        if (timeline.shape !== 'timeline') throw new Error(timeline.shape);
        const buckets = new Map<string, number>();
        for (const { ts } of expected) {
          if (ts === undefined) continue;
          const start = new Date(Math.floor(ts / 21_600e6) * 21_600e3).toISOString();
          buckets.set(start, (buckets.get(start) ?? 0) + 1);
        }
        const seen = timeline.buckets.filter(({ count: n }) => n !== 0);
        expect(
          Object.fromEntries(
            seen.map((one) => [String(one.start).replace('000Z', 'Z'), one.count]),
          ),
          'timeline',
        ).toEqual(Object.fromEntries(buckets));

        const even = await test.answer(test.plan(`${text} | timeline`));
        if (even.shape !== 'timeline') throw new Error(even.shape);
        const total = even.buckets.reduce((n, one) => n + Number(one.count), 0);
        expect(total, 'even timeline').toBe(expected.filter(({ ts }) => ts !== undefined).length);

        const top = await test.answer(test.plan(`${text} | top 2 host, kind`));
        if (top.shape !== 'top') throw new Error(top.shape);
        const groups = new Map<string, number>();
        for (const { fields, kind } of expected) {
          const key = `${fields.host ?? '\uffff'} ${kind}`;
          groups.set(key, (groups.get(key) ?? 0) + 1);
        }
        const sorted = [...groups].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
        expect(
          top.rows.map((row) => `${String(row.host ?? '\uffff')} ${String(row.kind)}`),
        ).toEqual(sorted.slice(0, 2).map(([key]) => key));
        expect(top.rest).toEqual({
          count: sorted.slice(2).reduce((n, [, one]) => n + one, 0),
          groups: Math.max(0, sorted.length - 2),
        });
      }),
      { seed, numRuns: 10 },
    );
    test.close();
  });
});
