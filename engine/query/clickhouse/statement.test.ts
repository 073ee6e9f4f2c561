/**
 * Queries as ClickHouse statements, and what is refused. e2e/cli/clickhouse-queries.test.ts compares the answers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DaybookError } from '../../contract/errors.ts';
import { clickhouseStatement } from './statement.ts';
import { eventFields } from '../names/fields.ts';
import type { CompileContext } from '../index.ts';
import { readList } from '../lists/match-list.ts';
import { EVENTS } from '../testing/fixture.ts';
import { type TestCase, openTestCase } from '../testing/test-case.ts';

let test: TestCase;
beforeAll(async () => {
  // Without a list of the attributes' names, every test would also search for them.
  test = await openTestCase(EVENTS.map(({ overflow: _, ...event }) => event));
});
afterAll(() => test.close());

function statement(text: string, more?: Partial<CompileContext>, database?: string): string {
  const plan = test.plan(text, more);
  const { before, sql } = clickhouseStatement(plan, { database });
  return [...before, sql].join(';\n');
}

function columnNames(text: string): string[] | undefined {
  return clickhouseStatement(test.plan(text)).columns?.map(({ name }) => name);
}

/** The condition of a query for events. */
function condition(text: string, more?: Partial<CompileContext>): string | undefined {
  return /^WHERE (.*)$/m.exec(statement(text, more))?.[1];
}

describe('conditions on events', () => {
  it.each([
    ['kind:flow', `kind = 'flow'`],
    ['kind:(flow OR dns)', `kind = 'flow' OR kind = 'dns'`],
    ['kind:*', undefined],
    ['*', `kind != 'packet' OR flow_id IS NULL`],
    ['NOT kind:flow', `NOT ifNull(kind = 'flow', false)`],
    ['event_id:1:f3', `event_id = '1:f3'`],
    [
      'kind:* ts:2026-11-20',
      `ts >= toDateTime64('2026-11-20 00:00:00', 6, 'UTC') AND ts < toDateTime64('2026-11-21 00:00:00', 6, 'UTC')`,
    ],
    ['kind:* day:>=2026-11-20', `day != 'undated' AND day >= '2026-11-20'`],
    [
      'kind:* day:2026-11-*',
      `match(day, '(?i)^2026\\\\x{2d}11\\\\x{2d}[\\\\x{0}-\\\\x{10ffff}]*$')`,
    ],
    ['kind:* tag:lateral', `event_id IN (SELECT event_id FROM tags WHERE tag = 'lateral')`],
    ['kind:* tag:nosuch*', 'false'],
    ['kind:* source:auth.log', 'source_id = 2'],
    ['kind:* dst_port:22,443', 'dst_port IN (22, 443)'],
    ['kind:* bytes:[1 TO 2.5}', 'bytes >= 1 AND bytes < 2.5'],
    ['kind:* port:53', 'src_port = 53 OR dst_port = 53'],
    ['kind:* src_ip:10.0.0.1', `src_ip = '10.0.0.1'`],
    ['kind:* src_ip:2001:DB8:0::1', `src_ip = '2001:db8::1'`],
    [
      'kind:* src_ip:10.0.0.0/8',
      `toIPv4OrNull(src_ip) BETWEEN toIPv4('10.0.0.0') AND toIPv4('10.255.255.255')`,
    ],
    ['kind:* src_ip:10.*.0.1', 'bitAnd(toUInt32(toIPv4OrNull(src_ip)), 4278255615) = 167772161'],
    [
      'kind:* src_ip:2001:db8::/32',
      `toIPv6OrNull(src_ip) BETWEEN toIPv6('2001:db8::') AND toIPv6('2001:db8:ffff:ffff:ffff:ffff:ffff:ffff')`,
    ],
    [
      'kind:* src_ip:::/0',
      `toIPv6OrNull(src_ip) BETWEEN toIPv6('::') AND toIPv6('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff') AND isIPv6String(src_ip)`,
    ],
    ['kind:* src_ip = dst_ip', 'src_ip = dst_ip'],
    ['kind:* bytes > packets', 'toFloat64(bytes) > toFloat64(packets)'],
    ['kind:* src_ip:*', 'src_ip IS NOT NULL'],
    [
      'kind:* flow:10.0.0.1:4444-*/tcp',
      `src_ip IS NOT NULL AND dst_ip IS NOT NULL AND proto = 6 AND ((src_ip = '10.0.0.1' AND src_port = 4444) OR (dst_ip = '10.0.0.1' AND dst_port = 4444))`,
    ],
    ['kind:* message:/a.b/i', `match(message, '(?i-s)a.b')`],
    [
      'kind:* hour:9',
      'toFloat64(intDiv(positiveModulo(toUnixTimestamp64Micro(ts), toInt64(86400000000)), 3600000000)) = 9',
    ],
  ])('%s', (text, sql) => {
    expect(condition(text)).toBe(sql);
  });

  it('tests what is missing as Daybook does', () => {
    expect(condition('kind:* NOT severity:3')).toBe('NOT ifNull(severity = 3, false)');
    expect(condition('kind:* NOT service:*')).toBe('NOT ifNull(service IS NOT NULL, false)');
  });

  it('asks for each spelling of an attribute', () => {
    const sql = condition('kind:* attrs.user:root')!;
    expect(sql).toContain(`match(attributes['user'], '(?i)^root$')`);
    expect(sql).toContain(`startsWith(attributes['user'], '[')`);
  });

  it('takes the range of a request, in its zone', () => {
    const from = Date.UTC(2026, 10, 20) * 1000;
    expect(condition('kind:flow', { from })).toBe(
      `ts >= toDateTime64('2026-11-20 00:00:00', 6, 'UTC') AND kind = 'flow'`,
    );
    expect(condition('kind:* ts:>=2026-11-20', { zone: 'Europe/Berlin' })).toBe(
      `ts >= toDateTime64('2026-11-19 23:00:00', 6, 'UTC')`,
    );
  });

  it.each([`it's`, 'a\\', `'); DROP TABLE events; --`, 'a\nb', '\u202e', '`', '\0'])(
    'keeps %j within a literal',
    (value) => {
      const quoted = `"${value.replaceAll('\\', '\\\\')}"`;
      const sql = statement(`kind:* host:${quoted} OR host:>${quoted}`);
      // Without its literals nothing of the value remains.
      const rest = sql.replaceAll(/'(?:[^'\\]|\\.)*'/gs, '');
      expect(rest).not.toMatch(/['`\\\0\u202e]|DROP|--/);
    },
  );
});

describe('lists', () => {
  const listed = (text: string) => {
    const resolve = eventFields(test.plan('*').context.segments);
    return { list: readList({ text, digest: '0a', resolve }) };
  };

  it.each([
    ['src_ip\n10.0.0.1\n10.0.0.2', `src_ip IN ('10.0.0.1', '10.0.0.2')`],
    [
      'src_ip\n10.0.0.0/8\n2001:db8::/100',
      `bitAnd(toUInt32(toIPv4OrNull(src_ip)), 4278190080) IN (167772160) OR if(isIPv6String(ifNull(src_ip, '')), IPv6CIDRToRange(toIPv6OrNull(src_ip), 100).1, NULL) IN (toIPv6('2001:db8::'))`,
    ],
    [
      'host\nMail\nm\u00e4il',
      `lower(translateUTF8(host, '\u00e4', '\u00c4')) IN ('mail', 'm\u00c4il')`,
    ],
    ['dst_port,proto\n443,tcp\n53,udp', '(dst_port, proto) IN ((443, 6), (53, 17))'],
    [
      'src_ip,dst_ip\n10.0.0.1,',
      `(dst_ip IS NOT NULL AND src_ip IN ('10.0.0.1')) OR (src_ip IS NOT NULL AND dst_ip IN ('10.0.0.1'))`,
    ],
    [
      'text\nroot\nfailed password',
      /^arrayExists\(v -> ifNull\(match\(v, '[^']*root\|failed[^']*'\), false\), arrayConcat\(\[message, /,
    ],
  ])('%j', (text, sql) => {
    const found = condition('kind:*', listed(text));
    if (typeof sql === 'string') expect(found).toBe(sql);
    else expect(found).toMatch(sql);
  });

  it('leaves out what a list has', () => {
    const { list } = listed('dst_port\n443');
    expect(condition('kind:*', { exclude: list })).toBe('NOT ifNull(dst_port IN (443), false)');
  });

  it('puts long lists in tables', () => {
    const ports = Array.from({ length: 1001 }, (_, i) => `${i}\n`).join('');
    const sql = statement('kind:*', listed(`dst_port\n${ports}`));
    expect(sql).toMatch(
      /^CREATE OR REPLACE TEMPORARY TABLE daybook_list_1 \(k0 UInt16\);\nINSERT INTO daybook_list_1 VALUES\n\(0\),\n\(1\),/,
    );
    expect(sql).toMatch(/;\nSELECT \*\nFROM events\nWHERE dst_port IN daybook_list_1\n/);
  });

  it('says of letters beyond ASCII once what others become them', () => {
    const hosts = Array.from({ length: 5000 }, (_, i) => `k\u00f6ln-${i}\n`).join('');
    const sql = statement('kind:*', listed(`host\n${hosts}`));
    expect(sql.slice(sql.lastIndexOf(';\n'))).toContain(
      "WHERE lower(translateUTF8(host, '\u212a\u00f6', 'k\u00d6')) IN daybook_list_1",
    );
  });

  it('computes Community IDs', () => {
    expect(condition('kind:*', listed('community_id\n1:abc='))).toMatch(
      /SHA1\([^]+ IN \('1:abc='\)/,
    );
  });
});

describe('stages', () => {
  it('names tables of a database', () => {
    expect(statement('kind:* tag:lateral | values source', {}, 'ac`me')).toBe(
      [
        'SELECT s0.name AS source, t.n AS count',
        'FROM (',
        '  SELECT source_id AS c0, count() AS n',
        '  FROM `ac\\`me`.events',
        `  WHERE event_id IN (SELECT event_id FROM \`ac\\\`me\`.tags WHERE tag = 'lateral')`,
        '  GROUP BY c0',
        '  HAVING c0 IS NOT NULL',
        ') AS t',
        'LEFT JOIN `ac\\`me`.sources AS s0 ON s0.source_id = t.c0',
        'ORDER BY t.n DESC, t.c0',
      ].join('\n'),
    );
  });

  it('makes one statement of what is chosen, counted, filtered and put in order', () => {
    expect(
      statement(
        'kind:flow | head 9 | stats sum(bytes) as b by src_ip | where b > 5 | sort -b | head 3',
      ),
    ).toBe(
      [
        'SELECT t.c0 AS src_ip, t.s0 AS b',
        'FROM (',
        '  SELECT *',
        '  FROM (',
        '    SELECT src_ip AS c0, sum(toInt128(bytes)) AS s0',
        '    FROM (',
        '      SELECT *',
        '      FROM events',
        `      WHERE kind = 'flow'`,
        '      ORDER BY ts, ifNull(ts_ns, 0), source_id, seq',
        '      LIMIT 9',
        '    )',
        '    GROUP BY c0',
        '  )',
        '  WHERE s0 > 5',
        '  ORDER BY s0 DESC, toIPv4OrNull(c0), toIPv6OrNull(c0)',
        '  LIMIT 3',
        ') AS t',
        'ORDER BY t.s0 DESC, toIPv4OrNull(t.c0), toIPv6OrNull(t.c0)',
      ].join('\n'),
    );
  });

  it('keeps the first of each combination', () => {
    expect(statement('kind:log | sort -host | dedup program, ip')).toContain(
      'ORDER BY host DESC, ts, ifNull(ts_ns, 0), source_id, seq\n  LIMIT 1 BY program, src_ip\n',
    );
  });

  it('makes rows of lists', () => {
    const { sql, columns } = clickhouseStatement(
      test.plan('kind:log | unnest user | fields user, host'),
    );
    expect(columns?.map(({ name }) => name)).toEqual(['user', 'host']);
    expect(sql).toContain('arrayJoin(arrayZip(u11_0, arrayEnumerate(u11_0))) AS u11_0_each');
    expect(sql).toMatch(/ORDER BY t\.k0, t\.k1, t\.k2, t\.k3, t\.k4$/);
    expect(statement('* | stats count() by user | unnest user')).toMatch(
      /^SELECT t\.x28_0 AS user, t\.s0 AS count\n/,
    );
  });

  it('divides whole numbers and fractions exactly', () => {
    const sql = statement('* | eval rest = bytes % 7 | fields rest');
    expect(sql).toMatch(/accurateCastOrNull\(.+, 'UInt64'\) % accurateCastOrNull/);
    expect(sql).toContain('toUInt256(');
  });

  it('counts runs of events', () => {
    const sql = statement('kind:log | session by host gap 30m');
    expect(sql).toContain(
      'PARTITION BY c0 ORDER BY m ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) > 1800000000',
    );
    expect(sql).toContain('PARTITION BY c0 ORDER BY m RANGE UNBOUNDED PRECEDING');
    expect(sql).toContain("WHERE kind = 'log' AND ts IS NOT NULL");
  });

  it('finds sequences of events in one read', () => {
    const sql = statement('* | sequence by host within 5m: failed x3 then accepted');
    expect(sql.match(/FROM events/g)).toHaveLength(1);
    expect(sql).toContain('lagInFrame(e, 2) OVER (PARTITION BY c0, f0 ORDER BY e.1');
    expect(sql).toContain('WHERE a.1 > 0 AND e.2 - a.2 <= 300000000');
  });

  it('translates values of the previous row', () => {
    expect(statement('* | eval gap = delta(ts) by host | fields gap')).toContain(
      'lagInFrame(toNullable(ts), 1) OVER (PARTITION BY host ORDER BY ts, ifNull(ts_ns, 0), source_id, seq ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS p4_0_0',
    );
    const { columns } = clickhouseStatement(
      test.plan('* | stats count() as n by host | eval d = prev(n, 2) | eval n = 1'),
    );
    expect(columns?.map(({ name }) => name)).toEqual(['host', 'n', 'd']);
  });

  it('cuts fields out of texts', () => {
    expect(statement('* | extract /u=(?<who>.)/i from host | fields who')).toContain(
      `nullIf(regexpExtract(host, '(?i-s)u=(.)', 1), '') AS o0`,
    );
    expect(statement('* | parse kv(message) | fields level')).toContain(
      'coalesce(nullIf(regexpExtract(message, ',
    );
  });

  it('says which columns there are', () => {
    expect(columnNames('*')).toBeUndefined();
    expect(columnNames('* | fields ts, ip')).toEqual(['ts', 'src_ip', 'dst_ip']);
    expect(columnNames('* | top 3 host by sum(bytes)')).toEqual(['host', 'sum(bytes)', 'share']);
    expect(columnNames('* | count')).toEqual(['count']);
  });

  it('computes what is shown under names that nothing else has', () => {
    const sql = statement(
      'kind:* | eval x = len(program) | rename host as program | fields x, program',
    );
    expect(sql).toMatch(/^SELECT t\.o0 AS x, t\.o1 AS program\nFROM \(\n {2}SELECT \*, /);
    expect(statement('kind:flow | fields ts, ip')).toBe(
      [
        'SELECT ts, src_ip, dst_ip',
        'FROM events',
        `WHERE kind = 'flow'`,
        'ORDER BY ts, ifNull(ts_ns, 0), source_id, seq',
      ].join('\n'),
    );
  });

  it('fills a timeline between the ends that are named', () => {
    const sql = statement('ts:[2026-11-20T01:30 TO 2026-11-21] | timeline 1h');
    const [from, to] = [Date.UTC(2026, 10, 20, 1) * 1000, Date.UTC(2026, 10, 21) * 1000];
    expect(sql).toContain(`ORDER BY b WITH FILL FROM ${from} TO ${to} STEP 3600000000`);
    expect(statement('* | timeline 1h by host')).not.toContain('FILL');
  });

  it('spreads numbers over the buckets that events span', () => {
    const sql = statement('kind:flow | timeline 1h spread bytes');
    expect(sql).toContain('countIf(b = f) AS n');
    expect(sql).toContain(
      'if(z > a, x * (least(z, (b + 3600000000)) - greatest(a, b)) / (z - a), x)',
    );
    expect(sql).toContain('WITH FILL STEP 3600000000');
  });

  it('asks where even buckets begin and end, unless they are named', () => {
    const sql = statement('kind:log | timeline');
    expect(sql).toContain(
      'SELECT toInt64(min(toUnixTimestamp64Micro(assumeNotNull(ts)))) AS a, toInt64(max(toUnixTimestamp64Micro(assumeNotNull(ts))) + 1) AS z, count() AS c',
    );
    expect(statement('ts:2026-11-20 | timeline')).toContain(
      `SELECT toInt64(${Date.UTC(2026, 10, 20)}000) AS a, toInt64(${Date.UTC(2026, 10, 21)}000) AS z, 1 AS c\n`,
    );
    expect(statement('* | timeline by host')).not.toContain('LEFT JOIN');
  });

  it('leaves out columns and attributes that are hidden', () => {
    expect(statement('* | fields -ip, -Source')).toMatch(
      /^SELECT \* EXCEPT \(src_ip, dst_ip, source_id\)\nFROM events\n/,
    );
    expect(statement('* | fields -message, -USER')).toMatch(
      /^SELECT \* EXCEPT \(message, user\) REPLACE \(mapFilter\(\(k, v\) -> .* NOT IN \('user'\), attributes\) AS attributes\)\n/,
    );
  });

  it('reads texts as numbers exactly', () => {
    expect(statement('kind:* attrs.user:>5')).toMatch(/\nSETTINGS precise_float_parsing = 1$/);
    expect(statement('kind:* bytes:>5')).not.toContain('SETTINGS');
  });
});

describe('what is refused', () => {
  it.each([
    ['* | stats count() by host | patterns', 'patterns needs events'],
    ['* | stats count() by host | session gap 1m', 'session needs events'],
    ['* | stats count() by host | sequence: a then b', 'sequence needs events'],
    ['* | dedup tag', 'an event may have several tags'],
    ['* | eval r = replace(message, /x*|^/, "")', 'which may match nothing at all'],
    ['* | eval r = replace(message, /a/, "\\\\1")', 'a backslash before a digit'],
    ['* | stats count() by host | timeline 1h', 'timeline needs events'],
  ])('%s', (text, message) => {
    let thrown: unknown;
    try {
      statement(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(DaybookError);
    expect((thrown as DaybookError).message).toContain(message);
  });

  it('more SQL than ClickHouse takes', () => {
    const names = (n: number) => Array.from({ length: n }, (_, i) => `name${i}`).join(' OR ');
    expect(statement(`attrs.user:(${names(100)})`)).toContain('name99');
    expect(() => statement(`attrs.user:(${names(1000)})`)).toThrow('bytes of SQL');
  });

  it('buckets that a change of the clocks cuts', () => {
    const more = { zone: 'Europe/Berlin', from: Date.UTC(2026, 9, 1) * 1000 };
    expect(() => statement('* | timeline 7m', more)).toThrow('timeline 7m in Europe/Berlin');
    expect(statement('* | timeline 15m', more)).toContain('FILL');
    expect(statement('* | timeline 1d', more)).toContain('CASE WHEN');
  });
});
