/** What a plan reads, what it skips, and how it explains that. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explain } from '../index.ts';
import { DAY1, DAY2, EVENTS } from '../testing/fixture.ts';
import { type TestCase, type TestEvent, openTestCase } from '../testing/test-case.ts';

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

const used = (text: string) =>
  test.plan(text).segmentsUsed.map(({ day, kind }) => `${day.slice(-2)} ${kind}`);

describe('pruning', () => {
  it.each([
    ['kind:flow', ['20 flow', '21 flow'], ['kind']],
    ['ts:2026-11-20', ['20 flow', '20 log'], ['time']],
    ['ts:2026-11-20 kind:flow', ['20 flow'], ['time', 'kind']],
    ['ts:2026-11-20 OR kind:flow', ['20 flow', '20 log', '21 flow'], ['time']],
    ['NOT ts:* kind:*', ['ed log'], ['time']],
    // Logs of the 21st have attributes without a list of names.
    ['dst_port:443', ['20 flow', '21 flow', '21 log', '21 packet'], ['column']],
    ['tag:ioc*', ['20 log'], ['tag']],
    ['source:a.pcap', ['21 flow', '21 packet'], ['source']],
    ['message:x', ['20 log', '21 log', 'ed log'], ['column']],
    ['service:ssh', ['21 flow', '21 log'], ['column']],
    ['last:1h', ['21 flow', '21 log', '21 packet'], ['time']],
  ])('%s', (text, segments, reasons) => {
    expect(used(text)).toEqual(segments);
    const seen = new Set(test.plan(text).prunedSegments.map(({ reason }) => reason));
    expect([...seen].sort()).toEqual([...reasons].sort());
  });

  it('leaves out packet segments of which every packet belongs to a flow', () => {
    const segments = test.context.segments.map((segment) =>
      segment.kind === 'packet' ? { ...segment, unflowedPackets: 0 } : segment,
    );
    const plan = test.plan('', { segments });
    expect(plan.segmentsUsed.some(({ kind }) => kind === 'packet')).toBe(false);
    expect(plan.packetsBeneath).toEqual({ packets: 3, exact: true });
  });
});

describe('what a plan says', () => {
  it('counts the packets beneath', () => {
    expect(test.plan('').packetsBeneath).toEqual({ packets: 2, exact: true });
    expect(test.plan('port:22').packetsBeneath).toEqual({ packets: 2, exact: false });
    expect(test.plan('kind:*').packetsBeneath).toBeUndefined();
    expect(test.plan('ts:2026-11-20').packetsBeneath).toBeUndefined();
  });
  it('streams only what keeps the order of time', () => {
    expect(test.plan('a | fields host | where b | head 5')).toMatchObject({
      streaming: true,
      limit: 5,
    });
    expect(test.plan('a | sort host').streaming).toBe(false);
    expect(test.plan('a | tail 5').streaming).toBe(false);
    expect(test.plan('a | head 5 | where b').streaming).toBe(false);
  });
  it('names columns, days and range', () => {
    const plan = test.plan('port:443 ts:[2026-11-20 TO 2026-11-21] | top src_ip by sum(bytes)');
    expect(plan.needs).toEqual(['bytes', 'dst_port', 'src_ip4', 'src_port']);
    expect(plan.days).toEqual({ total: 3, used: 1 });
    expect(plan.range).toEqual({ from: 1_795_132_800e6, to: 1_795_219_200e6 });
    expect(plan.tableColumns.map(({ name }) => name)).toEqual(['src_ip', 'sum(bytes)', 'share']);
    expect(plan.filters[0]).toMatchObject({ filter: 'and' });
  });
  it('explains itself', () => {
    const lines = explain(test.plan('failed | timeline'));
    expect(lines).toContain('path: scan');
    expect(lines.join('\n')).toContain('packets beneath: up to 2');
    expect(lines.join('\n')).not.toContain('CAST(failed');
    expect(explain(test.plan('kind:flow | count'))).toContain('path: catalog');
  });
});

describe('an empty case', () => {
  const nothing = { segments: [], newestTs: undefined };
  it.each(['', 'failed', 'host:x', 'last:24h', 'ip:10.0.0.1 | tail 5', 'a | sort host'])(
    '%s has no rows',
    async (text) => {
      expect(await test.rows(test.plan(text, nothing))).toEqual({ ids: [], records: [] });
    },
  );
  it.each([
    ['| count', { count: 0 }],
    ['| top host', { rows: [], rest: { count: 0, groups: 0 } }],
    ['| timeline', { buckets: [] }],
    ['| talkers', { rows: [] }],
    ['| stats count(), sum(bytes)', { rows: [{ count: 0, 'sum(bytes)': null }] }],
    ['| values ip', { rows: [] }],
    ['| patterns', { rows: [], rest: { count: 0, groups: 0 } }],
    ['| head 1 | count', { count: 0 }],
  ])('%s', async (text, expected) => {
    expect(await test.answer(test.plan(text, nothing))).toMatchObject(expected);
  });
});

describe('names that differ in case', () => {
  it('are one attribute', async () => {
    const log = (seq: number, ts: number, attributes: Record<string, string>): TestEvent => ({
      kind: 'log',
      source: 2,
      seq,
      ts,
      fields: {},
      attributes,
    });
    const other = await openTestCase([log(1, DAY1, { User: 'a' }), log(2, DAY2, { user: 'A' })]);
    expect(await other.ids('USER:a')).toEqual(['2:1', '2:2']);
    expect((await other.rows(other.plan('| tail 5'))).records.map(({ attrs }) => attrs)).toEqual([
      { User: 'a' },
      { user: 'A' },
    ]);
    expect(await other.answer(other.plan('| values user'))).toMatchObject({
      rows: [{ count: 1 }, { count: 1 }],
    });
    other.close();
  });
});

describe('absurd ranges', () => {
  it.each([
    'ts:[0001 TO 9999] | timeline',
    'ts:>=9998 | timeline',
    'last:999999999w | timeline 5000w',
  ])('%s', async (text) => {
    for (const zone of ['UTC', 'Europe/Rome']) {
      const plan = test.plan(text, { zone });
      expect((await test.answer(plan)).shape).toBe('timeline');
    }
  });
});

describe('unknown names', () => {
  it.each([
    ['hsot:x', 'unknown-field', 'no event has a field "hsot" (column 1)', /host/],
    ['a | top 5 dst_prot', 'unknown-field', '"dst_prot" (column 11)', /dst_port/],
    ['proto:tpc', 'query-syntax', 'proto has no value "tpc"', /tcp/],
    ['severity:eror', 'query-syntax', 'severity has no value "eror"', /error/],
    ['kind:flwo', 'query-syntax', 'unknown kind "flwo"', /flow/],
    ['source:aut.log', 'unknown-name', 'no source is named "aut.log"', /auth\.log/],
    ['tag:latteral', 'unknown-name', 'there is no tag "latteral"', /lateral/],
    ['src_ip:10.0.0.256', 'query-syntax', '"10.0.0.256" is not an IP address', /10\.0\.0\.0\/8/],
    ['bytes:many', 'query-syntax', 'bytes has no value "many"', /bytes:>1000/],
    ['ts:2026-13', 'query-syntax', '"2026-13" is not a time', /2026-11-21/],
    ['last:soon', 'query-syntax', 'last takes a duration', /last:24h/],
    ['flow:nonsense', 'query-syntax', '"nonsense" is not a flow', /10\.1\.2\.3/],
    ['"---"', 'query-syntax', '"---" has no letter or digit to search for at column 1', /pattern/],
    ['bytes:/1/', 'query-syntax', 'takes no pattern', /bytes/],
  ])('%s', (text, code, message, hint) => {
    const segments = test.context.segments.map((segment) => {
      const columns = new Set(segment.columns);
      columns.delete('attrs');
      return { ...segment, columns };
    });
    expect(() => test.plan(text, { segments })).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringContaining(message) as string,
        hint: expect.stringMatching(hint) as string,
      }),
    );
  });
});
