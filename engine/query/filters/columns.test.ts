/**
 * Every kind of filter, as SQL run by DuckDB and as a function over the columns of a batch: both find
 * the same events.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY1, EVENTS } from '../testing/fixture.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';
import { batchScope } from '../batch/batch-scope.ts';
import { batchesOf } from '../testing/batches.ts';
import { allOf, filterColumns } from './filter.ts';

/** Ids of the events that the filters of a plan keep. */
function kept(test: TestCase, text: string): string[] {
  const plan = test.plan(text);
  const filter = allOf(plan.filters);
  return batchesOf(test.events).flatMap((batch) => {
    const select = filterColumns(filter, batchScope(batch, undefined));
    const rows = Int32Array.from({ length: batch.length }, (_, i) => i);
    const n = select(rows, batch.length);
    return [...rows.subarray(0, n)].map(
      (row) => `${batch.source_id.values[row]}:${batch.seq.values[row]}`,
    );
  });
}

// Conditions decided by the catalog, and tags, do not matter here: a scan has neither.
const QUERIES = [
  '*',
  'failed',
  'fail*',
  '*word',
  'f?iled',
  '*?',
  '"failed password"',
  '/etc/passwd',
  'a@b.c',
  'naïve_user',
  'NOT failed',
  'failed OR kind:flow',
  '10.0.0.1',
  '192.168.*',
  'needle',
  'K',
  'ssh2 -root',
  'kind:*',
  'kind:packet',
  'NOT kind:log',
  'src_ip:10.0.0.0/8',
  'ip:10.0.0.1',
  'ip:192.168.*',
  'ip:*.168.*.7',
  'dst_ip:(10.0.0.1 OR 10.9.9.9)',
  'NOT src_ip:*',
  'src_ip:>10.0.0.1',
  'src_ip:2001:db8::/32',
  'dst_ip:2001:db8::ff',
  'ip:(2001:db8::1 OR 10.0.0.1)',
  'ip:[2001:db8::1 TO 2001:db8::f]',
  'src_ip6:*',
  'bytes:100',
  'bytes:>100',
  'bytes:>=100',
  'bytes:<50',
  'bytes:[5 TO 100]',
  'bytes:{50 TO 100}',
  'bytes:(50 OR 100 OR 7)',
  'bytes:>1.5',
  'bytes:1.5',
  'NOT bytes:>50',
  'port:22',
  'port:(22 OR >5000)',
  'NOT port:22',
  'proto:udp',
  'proto:t*',
  'severity:<=err',
  'severity:[err TO info]',
  'facility:auth*',
  'duration:>0.4',
  'duration:*',
  'NOT duration:*',
  'ts_ns:>7',
  'length:*',
  'host:web01',
  'host:WEB*',
  'host:"db-2"',
  'host:d?-*',
  'host:>m',
  'host:[a TO n]',
  'host:{db-2 TO mx]',
  'NOT host:[a TO n]',
  'message:password',
  'message:"root from"',
  'message:/^Fa.*ssh2$/',
  'message:/NAÏVE/i',
  'message:/na.ve/',
  'user:root',
  'user:/^a/i',
  'user:>a',
  'status:404',
  'status:>=300',
  'status:[200 TO 404]',
  'status:>100',
  'NOT status:>300',
  '"Flow \\"ID\\"":a-b.c',
  '"Flow \\"ID\\"":*',
  '"odd/key":*',
  '"odd/key":/needle/i',
  'n:>11',
  'n:12',
  'NOT n:*',
  'attributes:root',
  'attributes:*',
  'attributes:/overflow$/',
  'NOT attributes:*',
  'day:2026-11-20',
  'day:2026-11-2*',
  'day:undated',
  'day:>=2026-11-21',
  'NOT day:>2026-11-20',
  'day:[2026-11-01 TO 2026-11-20]',
  'ts:*',
  'NOT ts:*',
  'ts:[2026-11-20 TO 2026-11-21]',
  'ts:>=2026-11-21T00:06',
  'ts:<2026-11-20T01:01',
  'source:fw.log',
  'source:*.log',
  'source:auth.log',
  'event_id:1:2',
  'event_id:3:f1',
  'flow:*',
  'flow:10.0.0.1:4444-10.9.9.9:443/tcp',
  'flow:10.9.9.9-10.0.0.1',
  'flow:*:22',
  'flow:*/udp',
  'NOT flow:*',
  'flow:[2001:db8::1]:5353-*',
  'community_id:*',
  'NOT community_id:*',
  'community_id:1:*=',
  'NOT (failed OR NOT host:web01)',
  '(failed OR NOT severity:>3) -kind:flow',
  'message:*',
  'program:*',
  'event_type:smtp',
  'kind:packet flow_id:*',
  'kind:packet NOT flow_id:1',
  'tcp_flags:*',
  'seq:>3',
  'NOT (src_ip:10.0.0.1 bytes:>10)',
];

describe('filters over columns find what SQL finds', () => {
  let test: TestCase;
  beforeAll(async () => {
    test = await openTestCase(EVENTS);
  });
  afterAll(() => test.close());

  it.each(QUERIES)('%s', async (text) => {
    expect(kept(test, text).sort()).toEqual((await test.ids(text)).sort());
  });

  it('a Community ID', async () => {
    const plan = test.plan('kind:flow | fields community_id');
    const { records } = await test.rows(plan);
    for (const { community_id: id } of records) {
      const text = `community_id:${String(id)}`;
      expect(kept(test, text).length).toBeGreaterThan(0);
      expect(kept(test, text).sort()).toEqual((await test.ids(text)).sort());
    }
  });
});

describe('numbers in attributes are those that DuckDB takes for numbers', () => {
  const TEXTS = [
    '1',
    '+1',
    '-1',
    ' 1 ',
    '1.',
    '.5',
    '.',
    '',
    '1e3',
    '1e400',
    '1e-400',
    '0x10',
    '1_000',
    '1__0',
    '_1',
    '1_',
    '1,5',
    'inf',
    '-Infinity',
    'nan',
    'NaN',
    '1 2',
    '१',
    '1e',
    'e5',
    '\t7\n',
    '1f',
    '1.5.2',
    '--1',
    '+-1',
    '١',
    '1e+05',
    '00012',
    '1._5',
    '1_.5',
    '1e1_0',
    'infinit',
    '+inf',
    '\u00a01',
    '',
  ];
  it('and no others', async () => {
    const events = TEXTS.map((status, i): TestEvent => ({
      kind: 'log',
      source: 2,
      seq: i + 1,
      ts: DAY1,
      fields: {},
      attributes: { status },
    }));
    const test = await openTestCase(events);
    for (const text of [
      'status:>=0',
      'status:<0',
      'status:>1e15',
      'status:[0.4 TO 12]',
      'status:<=1e-300',
    ])
      expect(kept(test, text).sort(), text).toEqual((await test.ids(text)).sort());
    test.close();
  });
});

describe('NOT, AND and OR of anything', () => {
  it('keep what SQL keeps', async () => {
    const test = await openTestCase(EVENTS);
    const plain = QUERIES.filter((text) => !/ (?:OR|AND) |^-| -|^\*$/.test(text));
    const { query } = fc.letrec<{ query: string }>((tie) => ({
      query: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(...plain),
        fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} ${b})`),
        fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} OR ${b})`),
        tie('query').map((a) => `NOT (${a})`),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        expect(kept(test, text).sort()).toEqual((await test.ids(text)).sort());
      }),
      { seed: 3, numRuns: 120 },
    );
    test.close();
  });
});
