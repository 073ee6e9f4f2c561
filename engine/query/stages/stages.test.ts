/** The result of each stage on the fixture's events, through SQL on real DuckDB. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import type { Answer } from '../index.ts';
import { completeEvents, rowFieldNames } from '../statements/shown-events.ts';
import { EVENTS } from '../testing/fixture.ts';
import { type TestCase, openTestCase } from '../testing/test-case.ts';

let test: TestCase;
beforeAll(async () => {
  test = await openTestCase(EVENTS);
});
afterAll(() => test.close());

const answer = (text: string): Promise<Answer> => test.answer(test.plan(text));
async function table(text: string): Promise<unknown[][]> {
  const found = await answer(text);
  if (!('rows' in found)) throw new Error(found.shape);
  return found.rows.map((row) => Object.values(row));
}

describe('count', () => {
  it.each([
    ['', 12, 'catalog'],
    ['kind:flow', 5, 'catalog'],
    ['kind:log', 6, 'scan'],
    ['day:2026-11-20 kind:flow', 2, 'catalog'],
    ['kind:*', 14, 'scan'],
    ['failed', 2, 'scan'],
    ['kind:dns', 0, 'catalog'],
    ['ts:2031', 0, 'catalog'],
  ])('%s', async (filter, count) => {
    const counted = await answer(`${filter} | count`);
    expect(counted).toEqual({ shape: 'count', columns: ['count'], count });
    expect((await test.ids(filter)).length).toBe(count);
  });

  it('takes the catalog where no event need be looked at', () => {
    expect(test.plan('kind:flow | count').path).toBe('catalog');
    expect(test.plan('kind:flow ts:2026-11-20 | count').path).toBe('catalog');
    expect(test.plan('kind:flow ts:[2026-11-20T01:01 TO *] | count').path).toBe('scan');
    // Deleted rows are in a segment's number of rows.
    expect(test.plan('kind:log | count').path).toBe('scan');
    expect(test.plan('kind:log day:2026-11-20 | count').path).toBe('catalog');
  });
});

describe('top', () => {
  it('gives exact groups, their share and the rest', async () => {
    expect(await answer('kind:flow | top 1 src_ip')).toEqual({
      shape: 'top',
      columns: ['src_ip', 'count', 'share'],
      rows: [{ src_ip: '192.168.1.7', count: 2, share: 0.4 }],
      rest: { count: 3, groups: 3 },
      total: { count: 5, groups: 4 },
    });
  });
  it('orders equals by value, v4 before v6, and a missing value last', async () => {
    expect(await table('| top 9 src_ip | fields src_ip, count')).toEqual([
      [null, 7],
      ['192.168.1.7', 2],
      ['10.0.0.1', 1],
      ['10.9.9.9', 1],
      ['2001:db8::1', 1],
    ]);
  });
  it('groups by several fields', async () => {
    expect(await table('kind:flow | top 2 dst_port, proto')).toEqual([
      [22, 'tcp', 2, 0.4],
      [53, 'udp', 1, 0.2],
    ]);
  });
  it('measures by sum, with its share and rest', async () => {
    expect(await answer('kind:flow | top 1 src_ip by sum(bytes) as b')).toEqual({
      shape: 'top',
      columns: ['src_ip', 'b', 'share'],
      rows: [{ src_ip: '2001:db8::1', b: 300, share: 300 / 517 }],
      rest: { count: 4, groups: 3, b: 217 },
      total: { count: 5, groups: 4, b: 517 },
    });
  });
  it.each([
    [[0.1, 0.2, 0.3], 9, 0],
    // A whole number in all, of fractions.
    [[0.5, 0.5], 1, 0.5],
  ])('leaves what is not shown of a sum of fractions %s', async (durations, most, left) => {
    const events = durations.map((duration, n) => ({
      ...{ kind: 'flow' as const, source: 1, seq: n, ts: 1e15 + n, attributes: {} },
      fields: { duration, dst_port: n },
    }));
    const fractions = await openTestCase(events);
    try {
      const asked = `kind:flow | top ${most} dst_port by sum(duration) as d`;
      expect(await fractions.answer(fractions.plan(asked))).toMatchObject({
        rest: { groups: durations.length - Math.min(most, durations.length), d: left },
      });
    } finally {
      fractions.close();
    }
  });
  it('measures by what has no share', async () => {
    expect(await table('kind:flow | top 1 dst_ip by distinct(src_ip)')).toEqual([['10.0.0.1', 2]]);
    expect(await table('kind:flow | top 1 proto by max(duration)')).toEqual([['tcp', 60]]);
    expect(await table('kind:log | top 1 program by avg(status)')).toEqual([['auditd', 1000]]);
  });
  it('counts an event once for each end of `ip` and each `tag`', async () => {
    expect(await table('kind:flow | top 2 ip')).toEqual([
      ['10.0.0.1', 4, 0.4],
      ['10.9.9.9', 2, 0.2],
    ]);
    expect(await table('tag:* | top tag')).toEqual([
      ['lateral', 2, 2 / 3],
      ['ioc-domain', 1, 1 / 3],
    ]);
  });
  it('groups by names', async () => {
    expect(await table('| top 9 source, kind | fields source, kind, count')).toEqual([
      ['auth.log', 'log', 6],
      ['bundle/fw.log', 'flow', 4],
      ['bundle.zip!cap/a.pcap', 'flow', 1],
      ['bundle.zip!cap/a.pcap', 'packet', 1],
    ]);
    expect(await table('severity:* | top 9 severity by min(host) | fields severity')).toEqual(
      [['notice'], ['err'], ['info'], ['debug']].sort(
        (a, b) => ORDER.indexOf(a[0]!) - ORDER.indexOf(b[0]!),
      ),
    );
  });
  it('has no groups when nothing matches', async () => {
    expect(await answer('kind:dns | top 5 host')).toEqual({
      shape: 'top',
      columns: ['host', 'count', 'share'],
      rows: [],
      rest: { count: 0, groups: 0 },
      total: { count: 0, groups: 0 },
    });
  });
});
/** By smallest host, from large to small: `web01`, `db-2`, `WEB01`, none. */
const ORDER = ['err', 'notice', 'info', 'debug'];

describe('timeline', () => {
  it('has empty buckets, from the first event to the last', async () => {
    const found = await answer('kind:flow ts:2026-11-21 | timeline 1m');
    expect(found.shape === 'timeline' && found.buckets.length).toBe(1440);
    expect(await answer('kind:flow day:2026-11-21 | timeline 30s')).toEqual({
      shape: 'timeline',
      columns: ['start', 'count'],
      interval: '30s',
      from: '2026-11-21T00:05:00.000000Z',
      to: '2026-11-21T00:06:30.000000Z',
      buckets: [
        { start: '2026-11-21T00:05:00.000000Z', count: 2 },
        { start: '2026-11-21T00:05:30.000000Z', count: 0 },
        { start: '2026-11-21T00:06:00.000000Z', count: 1 },
      ],
    });
  });
  it('makes 30 even buckets without an interval', async () => {
    const found = await answer('ts:[2026-11-21 TO 2026-11-21T00:30] | timeline');
    if (found.shape !== 'timeline') throw new Error(found.shape);
    expect(found.buckets.length).toBe(30);
    expect(found.buckets.filter(({ count }) => count !== 0)).toEqual([
      { start: '2026-11-21T00:05:00.000000Z', count: 2 },
      { start: '2026-11-21T00:06:00.000000Z', count: 1 },
      { start: '2026-11-21T00:07:00.000000Z', count: 1 },
    ]);
  });
  it.each([
    ['| timeline', undefined, undefined],
    ['kind:flow | timeline', undefined, undefined],
    ['kind:flow | timeline spread', undefined, undefined],
    ['ts:>=2026-11-19T01:02:03.000456 | timeline', 456, undefined],
    ['ts:<2026-11-22T01:02:03.000456 | timeline', undefined, 456],
  ])('begins even buckets at whole seconds where an end is open: %s', async (text, from, to) => {
    const found = await answer(text);
    if (found.shape !== 'timeline') throw new Error(found.shape);
    expect(found.buckets.length).toBe(30);
    for (const { start } of found.buckets)
      expect(String(start)).toMatch(`.${String(from ?? to ?? 0).padStart(6, '0')}Z`);
    // The first and the last bucket hold the events that set the open ends.
    const counts = found.buckets.map(({ count }) => Number(count));
    if (from === undefined) expect(counts[0]).toBeGreaterThan(0);
    if (to === undefined && !text.includes('spread')) expect(counts.at(-1)).toBeGreaterThan(0);
    const counted = await answer(text.replace('| timeline', 'ts:* | count').replace('spread', ''));
    expect(counts.reduce((a, b) => a + b)).toBe(counted.shape === 'count' ? counted.count : -1);
  });
  it('has series', async () => {
    const found = await answer('day:2026-11-21 | timeline 1h by kind');
    expect(found.shape === 'timeline' && found.buckets).toEqual([
      {
        start: '2026-11-21T00:00:00.000000Z',
        count: 7,
        series: { flow: 3, log: 3, packet: 1 },
      },
    ]);
  });
  it('spreads bytes over durations', async () => {
    const found = await answer(
      'ts:[2026-11-20T01:00 TO 2026-11-20T01:03] kind:flow | timeline 30s spread',
    );
    if (found.shape !== 'timeline') throw new Error(found.shape);
    expect(found.buckets.map(({ count, bytes }) => [count, bytes])).toEqual([
      [1, 50],
      [0, 50],
      [1, 25],
      [0, 25],
      [0, 0],
      [0, 0],
    ]);
  });
  it('is empty without events, and full of empty buckets over a range', async () => {
    expect(await answer('kind:dns | timeline 1h')).toMatchObject({ buckets: [] });
    const found = await answer('kind:dns ts:2026-11-20 | timeline 1h');
    expect(found.shape === 'timeline' && found.buckets.length).toBe(24);
  });
  it('takes the range of the request', async () => {
    const from = Date.UTC(2026, 10, 20) * 1000;
    const plan = test.plan('| timeline 12h', { from, to: from + 86_400e6 });
    const found = await test.answer(plan);
    expect(found.shape === 'timeline' && found.buckets.map(({ count }) => count)).toEqual([4, 0]);
  });
  it('is a table to the stages after it', async () => {
    expect(await table('kind:flow | timeline 1d | where count > 2 | fields count')).toEqual([[3]]);
  });
});

describe('stats', () => {
  it('computes every measure', async () => {
    expect(
      await answer(
        'kind:flow | stats count(), sum(bytes) as b, avg(bytes) as a, min(bytes), max(ts), p50(bytes), distinct(ip), distinct(port)',
      ),
    ).toEqual({
      shape: 'stats',
      columns: [
        'count',
        'b',
        'a',
        'min(bytes)',
        'max(ts)',
        'p50(bytes)',
        'distinct(ip)',
        'distinct(port)',
      ],
      rows: [
        {
          count: 5,
          b: 517,
          a: 103.4,
          'min(bytes)': 7,
          'max(ts)': '2026-11-21T00:06:00.000000Z',
          'p50(bytes)': 60,
          'distinct(ip)': 5,
          'distinct(port)': 6,
        },
      ],
    });
  });
  it('groups, and its columns can be filtered, sorted and grouped again', async () => {
    expect(
      await table(
        'kind:flow | stats sum(bytes) as b, count() by dst_ip | where b > 50 | sort b desc | head 2 | fields b, dst_ip',
      ),
    ).toEqual([
      [300, '2001:db8::ff'],
      [117, '10.0.0.1'],
    ]);
    expect(await table('kind:flow | stats count() as n by src_ip | top 1 n')).toEqual([
      [1, 3, 0.75],
    ]);
    expect(await table('kind:flow | stats count() by src_ip | count')).toEqual([[4]]);
    expect(
      await table('| stats count() by src_ip | where src_ip:10.0.0.0/8 | fields src_ip'),
    ).toEqual([['10.0.0.1'], ['10.9.9.9']]);
    expect(await table('| stats count() by proto | where proto:tcp | fields count')).toEqual([[3]]);
    expect(await table('| stats count() by source | where source:auth.log')).toEqual([
      ['auth.log', 6],
    ]);
  });
  it('has one row without groups, even of nothing', async () => {
    expect(await table('kind:dns | stats count(), sum(bytes)')).toEqual([[0, null]]);
  });
});

describe('values, talkers', () => {
  it('values lists what there is', async () => {
    expect(await table('kind:log | values host')).toEqual([
      ['web01', 2],
      ['WEB01', 1],
      ['db-2', 1],
      ['mx', 1],
    ]);
    expect(await table('| values user')).toEqual([
      ['Alice', 1],
      ['root', 1],
    ]);
  });
  it('talkers joins both directions of a pair', async () => {
    expect(await table('kind:flow | talkers')).toEqual([
      [
        '10.0.0.1',
        '<->',
        '10.9.9.9',
        2,
        3,
        3,
        105,
        1050,
        '2026-11-20T01:00:00.000000Z',
        '2026-11-20T01:01:00.000000Z',
        120,
        2,
        '443,4444',
      ],
      [
        '2001:db8::1',
        '->',
        '2001:db8::ff',
        1,
        0,
        0,
        300,
        400,
        '2026-11-21T00:06:00.000000Z',
        '2026-11-21T00:06:00.000000Z',
        0,
        1,
        '53',
      ],
      [
        '192.168.1.7',
        '->',
        '10.0.0.1',
        2,
        3,
        2,
        67,
        48,
        '2026-11-21T00:05:00.000000Z',
        '2026-11-21T00:05:00.000000Z',
        60,
        1,
        '22',
      ],
    ]);
    expect(
      await table('kind:packet | talkers | fields src_ip, packets, packets_rev, bytes'),
    ).toEqual([['10.0.0.1', 1, 1, 40]]);
    expect(await table('kind:flow | talkers 1 | fields dst_ip')).toEqual([['10.9.9.9']]);
  });
  it('talkers counts no port where an event has none', async () => {
    const [first] = EVENTS;
    const { dst_port: _, ...without } = first!.fields;
    const portless = await openTestCase([
      first!,
      { ...first!, seq: 900, fields: without },
      { ...first!, seq: 901, fields: { ...without, dst_ip4: 1 } },
    ]);
    try {
      const found = await portless.answer(
        portless.plan('* | talkers | sort -port_count | fields events, port_count, ports'),
      );
      expect('rows' in found && found.rows.map((row) => Object.values(row))).toEqual([
        [2, 1, '443'],
        [1, 0, null],
      ]);
    } finally {
      portless.close();
    }
  });
});

describe('stages that shape rows', () => {
  it.each([
    ['kind:log | head 2', ['2:1', '2:2']],
    ['kind:log | head 5 | head 1', ['2:1']],
    ['kind:log | tail 2', ['2:7', '2:5']],
    ['kind:flow | sort bytes', ['1:3', '1:2', '3:-1', '1:1', '1:4']],
    ['kind:flow | sort bytes desc | head 2', ['1:4', '1:1']],
    ['kind:flow | sort src_ip, bytes desc', ['1:1', '1:2', '3:-1', '1:3', '1:4']],
    ['kind:log | sort host | fields host', ['2:2', '2:3', '2:4', '2:1', '2:5', '2:7']],
    ['kind:log | sort program | dedup program', ['2:3', '2:1', '2:4']],
    ['kind:flow | dedup src_ip', ['1:1', '1:2', '1:3', '1:4']],
    ['kind:log | head 4 | where password', ['2:1', '2:2']],
    ['kind:log | tail 3 | where needle OR user:* OR no OR tag:*', ['2:5']],
    ['kind:log | head 3 | where needle tag:* OR extra:* OR "odd/key":*', ['2:3']],
    ['kind:log | head 3 | where tag:lateral', ['2:2']],
    ['| head 3 | where kind:log', ['2:1', '2:2']],
    ['kind:flow | head 2 | where flow:10.0.0.1-*', ['1:1', '1:2']],
    ['kind:flow | sort bytes desc | where proto:tcp', ['1:1', '3:-1', '1:3']],
    ['smtp | union (needle)', ['2:3', '2:4']],
    ['kind:log | head 1 | union (kind:log | head 2)', ['2:1', '2:2']],
    ['kind:flow | sort bytes desc | head 2 | union (kind:flow | head 1)', ['1:1', '1:4']],
    ['smtp | union (kind:packet src_port:5555)', ['3:1', '2:4']],
    ['smtp | union (needle | union (failed | head 1)) | tail 2', ['2:3', '2:4']],
  ])('%s', async (query, ids) => {
    expect(await test.ids(query)).toEqual(ids);
  });

  it('count after them counts them', async () => {
    expect(await answer('kind:log | head 2 | count')).toEqual({
      shape: 'count',
      columns: ['count'],
      count: 2,
    });
    expect(await answer('kind:log | head 4 | top 1 host')).toMatchObject({
      rows: [{ host: 'WEB01', count: 1, share: 0.25 }],
      rest: { count: 3, groups: 3 },
    });
  });

  it.each(['* | sort tag', '* | dedup host, tag', '* | eval a = prev(host) by tag'])(
    'refuses the order of tags in %s',
    async (query) => {
      await expect(test.ids(query)).rejects.toThrow('an event may have several tags');
    },
  );

  it('gives rows with their fields as people see them', async () => {
    const { records } = await test.rows(
      test.plan('failed root | fields ts, host, user, tag, severity, ip'),
    );
    expect(records).toEqual([
      { ts: '2026-11-20T01:00:00.000000007Z', host: 'web01', user: 'root', severity: 'err' },
    ]);
    const whole = await test.rows(test.plan('event_id:2:3'));
    expect(whole.records).toEqual([
      {
        ts: '2026-11-21T00:30:00.000000Z',
        kind: 'log',
        event_id: '2:3',
        source: 'auth.log',
        host: 'db-2',
        program: 'auditd',
        severity: 'notice',
        message: 'open("/etc/passwd") by naïve_user; fail_count=3',
        attrs: { 'Flow "ID"': 'a-b.c', status: '1e3', 'odd/key': 'Needle in overflow', n: '12' },
      },
    ]);
    const tagged = await test.rows(test.plan('tag:ioc* | fields tag, event_id, community_id'));
    expect(tagged.records).toEqual([{ tag: ['lateral', 'ioc-domain'], event_id: '2:2' }]);
  });

  it.each([
    ['event_id:2:3 | fields -program, -ts', 'kind event_id source host severity message attrs'],
    [
      'event_id:2:3 | fields -attrs.N, -status, -"odd/key"',
      'ts kind event_id source host program severity message attrs: Flow "ID"',
    ],
    ['event_id:2:3 | fields -attributes', 'ts kind event_id source host program severity message'],
    [
      'event_id:1:2 | fields -ip, -port',
      'ts kind event_id source proto bytes packets bytes_rev packets_rev duration',
    ],
    [
      'event_id:1:2 | fields -id.orig_h',
      'ts kind event_id source dst_ip src_port dst_port proto bytes packets bytes_rev packets_rev duration',
    ],
    ['event_id:1:2 | fields ip, proto | fields -src_ip', 'dst_ip proto'],
    ['event_id:1:2 | fields -src_ip | fields ip, proto | fields -proto', 'src_ip dst_ip'],
    ['event_id:1:2 | fields sport, proto | rename src_port as from', 'proto from'],
    [
      'event_id:1:2 | rename sport as from | fields -ip, -ts, -source',
      'kind event_id dst_port proto bytes packets bytes_rev packets_rev duration from',
    ],
    [
      'event_id:2:3 | fields host, attributes | fields -N, -status, -"odd/key"',
      'host attrs: Flow "ID"',
    ],
    [
      'event_id:2:3 | fields -N, -status, -"odd/key" | fields host, attributes',
      'host attrs: Flow "ID"',
    ],
    ['event_id:2:3 | fields -attributes | fields host, attributes', 'host attrs'],
  ])('%s leaves out what its names stand for', async (query, left) => {
    const plan = test.plan(query);
    const { records } = await test.rows(plan);
    completeEvents(records, plan);
    const names = records.flatMap((record) => {
      const attrs = Object.keys(record['attrs'] ?? {});
      return Object.keys(record).map((name) =>
        name === 'attrs' && attrs.length === 1 ? `attrs: ${attrs[0]}` : name,
      );
    });
    expect(names.join(' ')).toBe(left);
  });

  it.each([
    ['', 'community_id'],
    ['| fields -bytes', 'community_id'],
    ['| eval mb = bytes / 1e6 | eval Zone = "x"', 'mb Zone community_id'],
    ['| rename packets as count', 'count community_id'],
    ['| rename dport as service_port', 'service_port'],
    ['| fields -kind', ''],
    ['| fields -src_port', ''],
    ['| eval proto = 17', 'proto'],
    ['| fields -community_id', ''],
  ])('names what rows of kind:flow %s have beside stored columns', async (stages, added) => {
    const plan = test.plan(`kind:flow ${stages}`);
    const { records } = await test.rows(plan);
    completeEvents(records, plan);
    const stored = new Set(rowFieldNames(test.plan('kind:flow')));
    stored.delete('community_id');
    for (const { name } of plan.computed) stored.delete(name);
    const beside = (names: readonly string[]): string =>
      names.filter((name) => !stored.has(name) && name !== 'attrs').join(' ');
    expect(beside(rowFieldNames(plan))).toBe(added);
    expect(beside([...new Set(records.flatMap((record) => Object.keys(record)))])).toBe(added);
  });
});

describe('a timeline up to a time', () => {
  it('has buckets from the first event on', async () => {
    const found = await table('kind:flow ts:<2026-11-21 | timeline 1h | where count:>0');
    expect(found).toEqual([['2026-11-20T01:00:00.000000Z', 2]]);
  });
});

describe('stages in the wrong place', () => {
  it.each([
    ['| count | talkers', 'talkers needs events'],
    ['| count | timeline', 'timeline needs events'],
    ['| count | union (a)', 'union works on events'],
    ['| stats sum(host)', 'sum cannot be computed of host'],
    ['| stats sum(port)', 'sum cannot be computed of port'],
    ['| top 5 flow', 'flow cannot be used as a value'],
    ['| stats count() by host | where hots:x', 'the stage before gives no column "hots"'],
    ['| stats count() as host by host', 'a second column named "host"'],
    ['a | union (b | count)', 'count inside union'],
    ['| timeline spread host', 'host is not a number to spread'],
    ['ts:2026 | timeline 1ms', 'makes more than 100000 buckets'],
  ])('%s', (query, message) => {
    expect(() => test.plan(query)).toThrow(DaybookError);
    expect(() => test.plan(query)).toThrow(message);
  });
});
