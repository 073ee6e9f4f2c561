/**
 * Queries as printed by `daybook sql --dialect clickhouse`, run in ClickHouse (chdb) on a handed-over case: answers
 * equal those of the case, for texts, numbers, lists, addresses and times that two engines might read differently.
 * `npm run oracle -- --clickhouse` tests random queries. Skipped where chdb cannot be fetched; the test's name says
 * why.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseModule, whyNot } from '../provision/index.ts';
import { HandedOverCase } from '../torture/handed-over.ts';
import { Commands, daybook, json, scratch } from './harness.ts';

const space = scratch();
const commands = new Commands();
const reason = whyNot('clickhouse');
const acme = path.join(space.folder, 'acme.daybook');
const MINUTES = 60_000;

/** Texts with signs of SQL and RE2, in several cases, numbers in many spellings, lists and addresses. */
const VALUES = [
  ...["it's", 'back\\slash', 'tick`tock', 'quote"d', 'new\nline', 'tab\there', '%41', 'a%b_c'],
  ...['(?i)x', '\\d+', '$1', '\u202eabc', '-- x', "'; DROP TABLE events; --", 'null', ''],
  ...['50', '5_0', ' 50 ', '+-50', 'inf', '-Infinity', '1e999', '0x1f', '.5', '5.', 'nan'],
  ...['K', '\u212a', 's', '\u017f', 'i', '\u0130', '\u0131', 'stra\u00dfe', 'STRASSE', '日本'],
  ...['["a","b"]', '[60,300]', `["it's","x\\"y"]`, '[ 50 , "7_0"]', '{"a":1}', '["10.0.0.9"]'],
  ...['[]', '[error] 5', '["\\u00e9\\/", -7, true, null, 0.25]', '[{"b" : "x/y"}, [1, [ ]]]', '[1'],
  ...['10.0.0.7', '::ffff:10.0.0.7', '2001:DB8::1', '2001:db8:0:0::1', '010.0.00.7', '10.0.0.256'],
  ...['::102:304', '::1.2.3.4', '::ffff:102:304', '0:0:0:0:0:0:ABCD:0', '::', '1:0:0:2:3:0:0:4'],
  ...[
    '1:2:3:4::5:6:7:8',
    '1:2:3:4:5:6:7::',
    '1:0:2:3:4:5:6:7',
    ':1',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
  ],
];

/** Objects and lists, text that is almost JSON, and objects that name a member twice. */
const JSONS = [
  '{"a":1,"a":2,"b":{"c":"x\\u0041\\/\u00e9","d":[1,"two",{"e":5}]},"n":1.50,"t":true,"z":null}',
  ...['{"a":1e5,"n":1E-7,"b":{"c":12345678901234567890}}', '[{"a":7},"x"]', '{"a":""}', '{'],
  ...['{"a":[1,2],"n":123456789012345678}', '{"b.c":"dotted","b":{"c":"nested"}}', 'a=5 n=x'],
  ...['{"a":"half \\ud800"}', '{"a":"ok \\ud83d\\ude00 \\\\ud800"}', '  {"a": 1.0 , "n" : 0.1}'],
  ...['{"a":"\\u0000x"}', '{"A":"big"}', '{"a":false,"n":-7.25}'],
];
/** Of 192.168.1.1:5001 and 8.8.8.8:7, TCP. */
const COMMUNITY_ID = '1:ZeD+C+7OYE/944pianRe5nUervI=';
const CODED = ['aGVsbG8=', 'YR==', '/w==', '616263', 'ff', 'C3A9', 'a%20b+c', '%zz%41', '%ff', '%'];

/** Events from the day before clocks are changed in Berlin to the day after, and one without a time. */
function evidence(): string {
  const first = Date.UTC(2026, 9, 24, 0, 20);
  const rows = VALUES.map((value, i) => ({
    timestamp: new Date(first + i * 61 * MINUTES).toISOString(),
    message: `odd ${value} end`,
    ...(i % 3 === 0 ? {} : { host: `Host${i % 5}` }),
    ...(i % 4 === 0 ? {} : { program: `host${i % 5}` }),
    src_ip: i % 2 === 0 ? `fe80::${i}` : `192.168.1.${i}`,
    dst_ip: i % 7 === 0 ? `192.168.1.${i}` : '8.8.8.8',
    value,
    [i % 2 === 0 ? 'mixed' : 'Mixed']: value,
    'Flow Bytes/s': i * 1.5,
    ...(i % 6 === 0 ? {} : { duration: i % 5 === 0 ? 2400 : i ** 3 / 7 }),
    ...(i % 4 === 1 ? {} : { bytes: i * i }),
    'od`d "name\'': `v${i % 3}`,
    ...{ proto: [1, 6, 17, 58, 132, 47][i % 6], dst_port: i % 8 === 0 ? undefined : (i * 7) % 20 },
    src_port: i % 6 === 0 ? 8 : 5000 + i,
    json: JSONS[i % JSONS.length],
    coded: CODED[i % CODED.length],
    ip: i % 5 === 0 ? `2001:db8:${i % 2}::${i}` : `10.0.${i % 3}.${i}`,
    n: i,
  }));
  const undated = { message: 'odd undated', host: 'host1', n: 1e15, value: 'x' };
  return [...rows, undated].map((row) => `${JSON.stringify(row)}\n`).join('');
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const OF_VALUES = VALUES.flatMap((value) => [
  `value:${quoted(value)}`,
  `attributes:${quoted(value)}`,
  ...(/\w/.test(value) ? [quoted(value), `message:${quoted(value)}`] : []),
]);

const FILTERS = [
  ...['community_id:*', `community_id:"${COMMUNITY_ID}"`, 'community_id:1:*=', 'community_id:1:A*'],
  ...['value:>=50', 'value:[-60 TO 60]', 'value:<0', 'value:>1e308', 'n:>1e14', 'n:1e15'],
  ...[
    'value:*a*',
    'value:?',
    'value:/^.$/',
    'value:/a.b/',
    'value:/A/i',
    'value:>m',
    'value:[a TO z]',
  ],
  ...['mixed:50', 'MIXED:*', 'NOT Mixed:*', '"Flow Bytes/s":>10', '"od`d \\"name\'":v1'],
  ...['value:10.0.0.0/8', 'attrs.ip:10.0.1.0/24', 'ip:10.0.0.0/16', 'ip:2001:db8::/32'],
  ...['ip:private', 'src_ip:linklocal', 'dst_ip:public', 'src_ip:fe80::/10', 'src_ip:192.168.*.7'],
  ...['host = program', 'host != program', 'src_ip = dst_ip', 'n > len(message)'],
  ...[
    'day:undated',
    'NOT day:undated',
    'hour:2',
    'weekday:sun',
    'last:6h',
    'tag:odd',
    'NOT tag:odd',
  ],
];

const TABLES = [
  ...['tag', 'tag, host', 'community_id', 'proto, community_id', 'date(ts)'],
  ...[
    'date(ts - n * 54321098)',
    // Before 1970.
    'bin(ts - n * 54321098, 1d)',
    'bin(ts - n * 54321098, 1w)',
    'bin(ts - n * 54321098, 6h)',
    'hour(ts - n * 54321098)',
    'weekday(ts - n * 54321098)',
    'year(ts + n * 98765432)',
    'month(ts - n * 34567890.25)',
  ],
  ...['monthday(ts + n * 34567890)', 'tostring(ts + 5m)', 'tostring(ts - 1.0000005)'],
  ...[
    'base64(coded)',
    'hexdecode(coded)',
    'urldecode(coded)',
    'replace(value, /[0-9]+/, "<$1\\\\x>")',
  ],
  ...['replace(message, /^odd|end$/i, "")', 'replace(value, /(?P<a>[a-z])./, ".")'],
  ...['value', '"od`d \\"name\'"', 'kind, day, source', 'ip', 'ip, host', 'len(value)'],
  ...['src_ip/24', 'substr(value, -3, 2)', 'substr(value, 2)', 'reverse(value)', 'trim(value)'],
  ...[
    'split(value, " ", 1)',
    'split(value, " ", -1)',
    'split(host, "o", 2)',
    'indexof(value, "a")',
  ],
  ...[
    'replace(value, "a", "$1")',
    'concat(host, value)',
    'tonumber(value)',
    'round(n / 7, 2)',
    'sqrt(hour(ts) - 3)',
    'abs(0 - n)',
    'if(src_ip:private, src_ip, dst_ip)',
  ],
  ...['floor(0 - n / 7), ceil(n / 3)', 'if(value:"K", 1, 0)', 'coalesce(program, host, "none")'],
  ...[
    'lower(value)',
    'upper(value)',
    'lower(concat(value, host))',
    'upper("\u03a3a\u03a3 \u1f80\ufb01\ua7dc \u00df\n")',
    'tostring(n / 7)',
    'tostring(ts)',
    'tostring(n)',
    'tostring(src_ip)',
    'tostring(if(host:*, n, 1))',
  ],
  ...[
    'concat(n * 1e15)',
    'concat(n / 1e6, ts)',
    'concat(n * -1e19)',
    'concat(n / 1e8)',
    'concat(n * 0)',
  ],
  ...[
    'n % 7',
    'abs(n) % 3',
    'n / 7 % 0.1',
    'n % (n - 3)',
    'value % 7',
    '7 % value',
    'n * 1e30 % 7',
  ],
  ...['n * 1e-5 % 3e-7', 'n * 1e15 % 0.3', 'value % 1e-9', 'n / 3 % (n / 9)'],
  ...['weekday(ts), hour(ts)', 'bin(ts, 7h)', 'bin(ts, 1d)', 'bin(n, 7)'],
].map((by) => `* | stats count() by ${by}`);

const STAGES = [
  ...['* | top 50 mixed', '* | values value', '* | top 3 host by sum(n)', '* | rare 3 host'],
  ...['* | top 5 ip', '* | fields ts, value, "od`d \\"name\'"', '* | sort value | fields value'],
  ...[
    '* | sort -src_ip',
    '* | tail 5',
    '* | head 7 | top 3 host',
    '* | where match(value, /^.o/) | count',
  ],
  '* | stats sum(value), avg(value), min(value), max(value), median(value), distinct(value)',
  '* | stats sum(n), stddev(n), p95(n), first(n), last(n), first(host), last(host) by host',
  '* | stats countif(host:host1) as a, countif(NOT value:*) as b, distinct(ip), min(ts), max(ts)',
  '* | stats count() as n by host | eval d = n * 2 | where d > 4 | sort -d, host | fields host, d',
  '* | stats count() as n by src_ip | where src_ip:192.168.0.0/16 | count',
  'value:nosuchvalue | stats count(), sum(n), min(n) | stats sum(count), max(min(n))',
  '* | stats values(value), values(n), values(src_ip), values(ts) by host',
  '* | stats values(n / 7), values(program) by n / 1e9',
  ...[
    '* | dedup host',
    '* | sort -n | dedup host, program | head 3',
    '* | dedup ip | fields ip, n',
  ],
  ...['* | dedup value | stats count() by host', '* | dedup source | fields ts, source'],
  '* | stats count() as c by host, program | sort -c | dedup host | fields program, c',
  ...['* | talkers', '* | talkers 3', '* | head 20 | talkers | where bytes:0 | count'],
  '* | talkers | stats sum(packets), max(events), values(ports) by src_ip',
  ...[
    '* | extract "odd {made} end" | stats count() by made',
    '* | extract "odd {host}" | fields n, host',
  ],
  ...[
    '* | extract /(?<a>\\w+)(?<b>.)/ from value | stats count() by a, b',
    '* | extract /(?<n>[0-9]+)/ | top 9 n',
  ],
  '* | extract /(?<a>(?:x|K)?)\\s(?<b>END)$/i | where b:* | fields a, b, n',
  '* | eval x = concat("a=1, K=\\"q w\\" n=", n, " host=h1;u=") | parse kv(x) | fields a, k, u, host, n',
  '* | extract /new(?<a>.)/ from value | stats count() by a',
  '* | eval x = concat("b=", value) | parse kv(x) | stats count() by b',
  '* | stats count() by value | extract /(?<first>^.)/ from value | fields first, value',
  '* | eval d = 0 - n * 0 | dedup d',
  ...['* | unnest value', '* | unnest value | fields value, n', '* | unnest value | top 50 value'],
  '* | stats values(value) as all, count() by host | unnest all',
  '* | stats count() by value, host | unnest value | where value:a',
  '* | eval x = "[1, 2.5, \\"a\\", null, [3, {}], []]" | head 3 | unnest x | sort -x | fields x, n, ts',
  '* | unnest value | where len(value) < 3 | dedup value | count',
  '* | rename value as v | stats count() by v',
  '* | eval v2 = len(value) | where v2 > 4 | fields v2, value',
  ...[
    '* | fields -message',
    '* | fields -ip',
    '* | fields -value, -tag',
    '* | fields -source, -MIXED',
  ],
  ...['* | fields tag, n', 'tag:odd | fields tag, value | head 3'],
  '* | fields ts, source, host, kind',
  ...[
    '* | session gap 61m',
    '* | session gap 1h',
    '* | session by host gap 5h',
    '* | session by ip gap 3h',
  ],
  '* | session by value, host gap 1d | sort -count, start | head 5',
  'value:*a* | session by src_ip gap 2h | stats count() as n, sum(duration) by src_ip',
  ...[
    'value:nosuchvalue | session by host gap 1h',
    '* | sort -n | head 20 | session by kind gap 1h',
  ],
  '* | unnest value | session by value gap 1w',
  ...[
    '* | sequence: host:host1 then host:host2',
    '* | sequence host:host1 x3',
    '* | sequence n:>3 then n:>3',
  ],
  '* | sequence within 4h: host:host1 x2 then host:* x2 then value:*',
  '* | sequence by host within 6h: n:>3 x2 then NOT value:*a*',
  '* | sequence by ip within 1d: n:* then host:host1',
  '* | sequence by dst_ip, host: n:>0 then n:>0 x3 | where matches > 1 | sort -end | fields end, first, last',
  'value:nosuchvalue | sequence by host: n:* then host:*',
  '* | eval gap = delta(ts) by host | fields ts, host, gap',
  '* | eval before = prev(value, 2) by ip | eval d = delta(n) | stats count() by before, d',
  '* | sort -n | eval a = prev(src_ip) | fields n, a',
  '* | sort host | eval a = prev(if(n > 7, "late", "soon")) by kind, program | where a = "late" | fields n, a',
  '* | eval d = if(prev(host) = host, delta(n), prev(len(value), 3)) | top 9 d',
  '* | stats count() as c by host | eval d = delta(c) | where d:* | sort -d | fields host, d',
  '* | stats count() as c, min(ts) as at by host, src_ip | sort at | eval d = delta(at) by host | eval other = prev(src_ip) | rename other as before',
  '* | stats count() as c by host | eval C = prev(c)',
  '* | sequence: n:>3 then n:>3 | eval wait = delta(start) | fields start, wait',
  '* | eval d = (0 - n) % 2.5 | stats count() by d',
  '* | extract "odd {src_ip} end" | fields n, src_ip',
  '* | extract "odd {dst_ip} end" | where dst_ip:10.0.0.0/8 OR dst_ip:2001:db8::/32 | stats count() by dst_ip',
  '* | extract "odd {src_ip} end" | top 50 src_ip',
  '* | extract "odd {src_ip} end" | sort -src_ip | stats distinct(src_ip), values(src_ip) by host',
  '* | extract "odd {dst_ip} end" | where src_ip != dst_ip | session by dst_ip gap 4h',
  '* | eval x = concat("src_ip=", value) | parse kv(x) | where src_ip:* | eval a = prev(src_ip) | fields src_ip, a, n',
  '* | where toip(value) = toip("::ffff:10.0.0.7") | fields n, value',
  '* | where match(value, /(?P<address>(?:\\d{1,3}(?:[.]\\d{1,3}){3}|[a-f]*:[a-f:]*:\\d*))$/) | fields value',
  ...[
    '* | patterns',
    '* | patterns 3',
    '* | patterns 2 desc',
    'host:* | patterns | sort -event_id',
  ],
  ...['* | patterns | where count > 1 | sort template', '* | patterns | top 4 event_id'],
  ...['value:* | patterns | stats count() by event_id', '* | patterns | where event_id:*'],
  ...[
    '* | head 9 | union (host:host1 | tail 4)',
    '* | sort -n | head 9 | union (tag:odd) | top host',
  ],
  '* | eval e = len(value) | head 5 | union (host:host2 | dedup program) | fields e, n',
  'n:<20 | union (n:>40 | head 3) | union (n:25) | stats count() by host, tag',
  ...[
    '* | parse json(json) | fields a, n, t, z',
    '* | parse json(json) | fields b.c, b.d.1, b.d.2.e, "0.a"',
  ],
  ...[
    '* | parse json(json) | where a:>=2 | stats count() by a',
    '* | parse json(json) | where b.c:*e*',
  ],
  ...['* | timeline 1d by tag', '* | top tag | where tag:odd', '* | values tag | sort -tag'],
  ...['* | rare 9 community_id', '* | stats distinct(community_id), values(community_id) by host'],
  ...[
    '* | stats first(src_ip), last(dst_ip), first(proto) by host',
    '* | sequence by host: n:* then n:>3 | top first',
  ],
  '* | sequence by host: n:* then n:>3 | sort -last, first | stats count() by last, host',
  // Columns of a table of a table.
  '* | stats count() as c by host, program | stats count() by program, host',
  '* | stats count() as c by host, program | top 5 program, host by sum(c)',
  '* | stats sum(n) as a, count() as b by host, program | stats sum(b), max(a) by program | stats max("max(a)"), sum("sum(b)")',
  '* | top 5 host, program | stats sum(count), sum(share) by program, host',
  '* | session by host, program gap 1h | stats count() by program, host, duration',
  '* | stats count() as c by host, src_ip | sort -src_ip | head 9 | stats sum(c) by src_ip, host',
  // A renamed column hides the column that had the name.
  '* | eval x = len(program) | rename host as program | fields x, program',
  '* | eval x = len(program) | rename host as program | where x > 4',
];

const TIMELINES = [
  '',
  'sum(n)',
  'by host',
  'distinct(host)',
  '1h',
  '1d distinct(host)',
  '15m',
  '7h',
  '1d',
  '1w',
  '1h by host',
  '1d sum(n)',
  '1d avg(n) by host',
  'spread',
  '1h spread',
  '1h spread n by host',
  '1d spread bytes',
  '1w spread by kind',
  '20m spread',
]
  .flatMap((interval) => [
    `* | timeline ${interval}`,
    `ts:<2026-10-25T02:00:00.123456 | timeline ${interval}`,
    `ts:[2026-10-20 TO 2026-10-28] | timeline ${interval}`,
    `ts:>=2026-10-25 | timeline ${interval}`,
  ])
  .concat('* | stats count() by bin(ts, 1d), hour(ts)', 'ts:[2027 TO 2025] | timeline 1d')
  .concat(
    'ts:[2027 TO 2025] | timeline',
    '* | head 1 | timeline',
    '* | head 2 | timeline | where count:>0',
  )
  .concat(
    'ts:2026-10-25T05:30 | timeline',
    'nosuchword | timeline',
    '* | timeline | stats sum(count), max(start)',
  );

/** Addresses, texts in both cases, flows, blocks, and a list that is too long for a statement. */
const LISTS: readonly { text: string; fields?: string[] }[] = [
  { text: '10.0.0.7\n192.168.1.3\n2001:db8::1\n10.0.1.0/24\nfe80::/64\nfe80::8/125\nhost' },
  { text: VALUES.filter((value) => /\w/.test(value) && !/\n/.test(value)).join('\n') },
  { text: '192.168.1.0/25\nfe80::8/125\n::ffff:8.8.8.8\n0.0.0.0/0\n::/0', fields: ['src_ip'] },
  { text: 'HOST1\nhost2\nnone', fields: ['host'] },
  { text: `community_id\n${COMMUNITY_ID}\n1:nosuch=` },
  { text: 'K\ns\n\u0130\nSTRASSE\nA\\B\n日本\n5_0', fields: ['value'] },
  { text: 'k\n(?i)x\n["A","b"]', fields: ['Mixed'] },
  { text: 'a\n"b"\n5\n10.0.0.1\nGR\u00d6SSE', fields: ['value'] },
  {
    text: `value,host\na,host1\nb,HOST2\n5,\n${Array.from({ length: 1100 }, (_, i) => `m${i},host${i % 5}`).join('\n')}`,
  },
  {
    text: 'src_ip,dst_ip\n192.168.1.1,8.8.8.8\n8.8.8.8,192.168.1.3\n*,192.168.1.7\nfe80::/64,8.0.0.0/8',
  },
  { text: "host,value\nhost1,K\nHOST2,it's\n-,\u017f\nhost4," },
  { text: 'n,host\n5,host0\n1e15,host1\n7.5,host2' },
  {
    text: Array.from({ length: 3000 }, (_, i) => `192.168.${i >> 8}.${i & 255}`).join('\n'),
    fields: ['ip'],
  },
  {
    text: `host,src_ip\n${Array.from({ length: 3000 }, (_, i) => `Host${(i + 4) % 5},192.168.${i >> 8}.${i & 255}`).join('\n')}`,
  },
  { text: `value\n${Array.from({ length: 1200 }, (_, i) => `k${i}`).join('\n')}\nK\n\u017f\n5_0` },
  {
    text: `value\n${Array.from({ length: 900 }, (_, i) => `${'long '.repeat(80)}${i}`).join('\n')}\nK\n50`,
  },
];

/** Files of lookups: texts in several cases, numbers and names of them, addresses and blocks, and long ones. */
const LOOKUPS: Readonly<Record<string, string>> = {
  hosts: `host,owner,rank\nHOST1,ann,1\nhost2,"O'Brien \\ Söhne",2.5\nHost3,,-3\nhost3,second,9\n`,
  values: `key,what\nK,kelvin\n\u017f,long s\n\u0130,dotted\nstrasse,street\nSTRA\u1e9eE,sharp\n日本,japan\n5_0,five\n(?i)x,pattern\n"it's",quoted\n`,
  numbers:
    'n,parity,value\n0,even,zero\n1,odd,one\n7.0,odd,seven\n1e15,large,many\n-2,even,minus\n',
  protocols: 'proto,name\ntcp,Transmission\n17,User\nicmp,Control\n',
  addresses:
    'net,zone,ttl\n0.0.0.0/0,world,1\n192.168.0.0/16,inside,64\n192.168.1.7,printer,32\nfe80::/64,link,255\nfe80::8/125,few,\n2001:db8::/32,documents,7\n::/0,six,0\n::ffff:8.8.8.8,resolver,9\n',
  empty: 'host,nothing\nhost1,\nhost2,\n',
  long: `value,number,text\n${Array.from({ length: 3000 }, (_, i) => `k${i},${i / 4},t${i % 7 === 0 ? '' : i}`).join('\n')}\nK,0.5,k\n50,-1,fifty\n`,
  texts: `host,text\n${Array.from({ length: 900 }, (_, i) => `host${i},${'long '.repeat(80)}${i}`).join('\n')}\n`,
  // Each column is short enough for a statement, but all of them together are not.
  wide: `host,${Array.from({ length: 24 }, (_, n) => `c${n}`).join()}\n${Array.from({ length: 450 }, (_, i) => `host${i},${Array.from({ length: 24 }, (_, n) => `value ${n} of ${i}`).join()}`).join('\n')}\n`,
  networks: `net,name\n${Array.from({ length: 3000 }, (_, i) => `192.168.${i >> 8}.${i & 255},h${i}`).join('\n')}\nfe80::c,twelve\n`,
};

const LOOKED_UP = [
  '* | lookup hosts on host | fields n, host, owner, rank',
  '* | lookup hosts on host | where rank > 1 | stats count(), sum(rank) by owner',
  '* | lookup hosts on program as host | sort -rank | head 9 | fields n, owner',
  '* | lookup hosts on host | lookup hosts on owner as host | count',
  '* | lookup hosts on host | dedup owner | fields owner, n',
  '* | stats count() as c by host | lookup hosts on host | sort host',
  '* | stats count() as c by host, src_ip | lookup addresses on src_ip as net | stats sum(c) by zone | eval z = upper(zone)',
  '* | values host | lookup hosts on host | fields host, owner',
  '* | lookup values on value as key | top 20 what',
  '* | lookup values on value as key | where what:* | fields value, what',
  '* | unnest value | lookup values on value as key | stats count() by what, value',
  '* | lookup numbers on n | stats count() by parity, value',
  '* | lookup protocols on proto | top 9 name',
  '* | lookup addresses on src_ip as net | stats count(), max(ttl) by zone',
  '* | lookup addresses on dst_ip as net | where zone:* | fields n, zone, ttl',
  '* | lookup addresses on value as net | stats count() by zone',
  '* | eval x = toip(value) | lookup addresses on x as net | stats count() by zone',
  '* | lookup empty on host | stats count() by nothing',
  '* | lookup long on value | where number:* | fields value, number, text',
  '* | lookup long on value | stats sum(number), count() by text',
  '* | lookup texts on host | where text:*7 OR text:*8 OR host:host1 | stats count() by text',
  '* | lookup wide on host | where c23:*7 OR c23:*1 | fields n, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23',
  '* | lookup networks on src_ip as net | top 9 name',
  '* | lookup networks on dst_ip as net | where name:* | fields n, name',
  '* | lookup hosts on host | timeline 1d by owner',
  'host:host1 | lookup hosts on host | session by owner gap 1d',
  'host:* | lookup hosts on host | eval before = prev(owner) | where before != owner | fields n, before, owner',
];

let both: HandedOverCase | undefined;

beforeAll(async () => {
  const module = clickhouseModule();
  if (reason !== undefined || module === undefined) return;
  mkdirSync(path.join(space.folder, 'evidence'));
  writeFileSync(path.join(space.folder, 'evidence/odd.json'), evidence());
  for (const args of [
    ['import', acme, path.join(space.folder, 'evidence'), '--recursive'],
    ['tag', acme, 'value:*a*', 'odd'],
  ]) {
    const { status, err } = await daybook(args);
    expect(status, err).toBe(0);
  }
  both = await HandedOverCase.open(module, acme, path.join(space.folder, 'handed-over'));
});
afterAll(async () => {
  await both?.close();
  await commands.close();
  space.remove();
});

/** Results of queries that were run. */
const asked = new Map<string, number>();

async function same(text: string, zone = 'UTC'): Promise<number> {
  const known = asked.get(`${zone} ${text}`);
  if (known !== undefined) return known;
  const compared = await both!.compare({ text, zone });
  if (compared.outcome !== 'same') expect.fail(`${compared.outcome}: ${compared.why}`);
  asked.set(`${zone} ${text}`, compared.rows);
  return compared.rows;
}

const title = reason === undefined ? 'queries in ClickHouse' : `queries in ClickHouse (${reason})`;

describe.skipIf(reason !== undefined)(title, () => {
  it.each([...OF_VALUES, ...FILTERS])('finds the events of %s', async (text) => {
    await same(text);
    await same(`NOT (${text})`);
  });

  it('finds some of them', async () => {
    let found = 0;
    for (const text of OF_VALUES) if ((await same(text)) > 0) found += 1;
    expect(found).toBeGreaterThan(OF_VALUES.length / 2);
  });

  it('stops where a list would be written in another way', async () => {
    for (const list of ['[1.0]', '[1,]', '[{"a": "\\\\u00e9"}]', '[1e5]']) {
      const text = `* | head 1 | eval x = ${quoted(list)} | unnest x | fields x`;
      expect(await both!.compare({ text }), list).toEqual({
        outcome: 'refused',
        why: 'when it is run',
      });
    }
  });

  it('stops where a text is read as JSON in another way', async () => {
    for (const written of ['{"a":1,}', '{"a":-0}', '{"a":NaN}', '{"a":100000000000000000000}']) {
      const text = `* | head 1 | eval x = ${quoted(written)} | parse json(x) | fields a`;
      expect(await both!.compare({ text }), written).toEqual({
        outcome: 'refused',
        why: 'when it is run',
      });
    }
  });

  it('finds what lists have', async () => {
    for (const [i, list] of LISTS.entries()) {
      let found = 0;
      for (const text of ['*', 'host:host1 OR value:*', '* | stats count() by host, src_ip']) {
        const compared = await both!.compare({ text, list });
        if (compared.outcome !== 'same')
          expect.fail(`list ${i}, ${text}: ${compared.outcome}: ${compared.why}`);
        found += compared.rows;
      }
      expect(found, `list ${i}`).toBeGreaterThan(0);
    }
  });

  it.each(LOOKED_UP)('adds columns of a file: %s', async (text) => {
    const compared = await both!.compare({ text, lookups: LOOKUPS });
    if (compared.outcome !== 'same') expect.fail(`${compared.outcome}: ${compared.why}`);
    expect(compared.rows).toBeGreaterThan(0);
  });

  it('finds what lists have among attributes without a column', async () => {
    const wide = path.join(space.folder, 'wide.daybook');
    const file = path.join(space.folder, 'wide.json');
    const rows = [0, 1, 2].map((i) =>
      Object.fromEntries<string>([
        ['timestamp', `2026-10-24T10:00:0${i}Z`],
        ['message', `wide ${i}`],
        ...Array.from(
          { length: 700 },
          (_, n) => [`own${n}`, n % 3 === i ? `["M${n}",7]` : `v${n}`] as const,
        ),
      ]),
    );
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { status, err } = await commands.run(['import', wide, file]);
    expect(status, err).toBe(0);
    const place = path.join(space.folder, 'wide-handed-over');
    const wideBoth = await HandedOverCase.open(clickhouseModule()!, wide, place);
    try {
      for (const [text, found] of [
        ['own1\nm1\nnone', 1],
        ['own1\nv1', 2],
        ['own1,own2\nm1,v2\n', 1],
      ] as const) {
        const compared = await wideBoth.compare({ text: '*', list: { text } });
        expect(compared).toEqual({ outcome: 'same', shape: 'rows', rows: found });
      }
    } finally {
      await wideBoth.close();
    }
  });

  it.each([...TABLES, ...STAGES])('makes the table of %s', async (text) => {
    await same(text);
    await same(text, 'Europe/Berlin');
  });

  it.each(TIMELINES)('counts by time: %s', async (text) => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', '+05:30'])
      await same(text, zone);
  });
});

describe('daybook sql with a query', () => {
  const small = path.join(space.folder, 'small.daybook');
  beforeAll(async () => {
    const file = path.join(space.folder, 'small.json');
    writeFileSync(file, evidence());
    const { status, err } = await commands.run(['import', small, file]);
    expect(status, err).toBe(0);
  });

  it('prints one statement, or a document', async () => {
    const query = 'host:host1 | top 3 program';
    const printed = await daybook(['sql', small, query, '--dialect', 'clickhouse']);
    expect(printed).toMatchObject({ status: 0, err: '' });
    expect(printed.out).toMatch(/^SELECT [^;]+\bFROM events\b[^;]+;\n$/);
    const made = await commands.run([
      ...['sql', small, query, '--dialect', 'clickhouse', '--json'],
      ...['--database', 'ac`me', '--from', '2026-10-24T12:00', '--tz', 'Europe/Berlin'],
    ]);
    const { sql, columns, notes } = json<{ sql: string; columns: string[]; notes: string[] }>(made);
    expect(columns).toEqual(['program', 'count', 'share']);
    expect(notes).toEqual([]);
    expect(sql).toContain('FROM `ac\\`me`.events\n');
    expect(sql).toContain("ts >= toDateTime64('2026-10-24 10:00:00', 6, 'UTC')");
  });

  it('takes lists, and puts long ones in tables of their own', async () => {
    const short = path.join(space.folder, 'short.txt');
    const long = path.join(space.folder, 'long.txt');
    writeFileSync(short, 'host1\nhost2\n');
    writeFileSync(long, Array.from({ length: 1500 }, (_, i) => `name${i}\n`).join(''));
    const field = ['--list-field', 'host', '--dialect', 'clickhouse'];
    const one = await commands.run(['sql', small, '*', '--list', short, ...field]);
    expect(one.out).toContain("IN ('host1', 'host2')");
    const two = await commands.run(['sql', small, '*', '--list-exclude', long, ...field]);
    expect(two.err).toBe('');
    expect(two.out).toMatch(
      /^CREATE OR REPLACE TEMPORARY TABLE daybook_list_1 \(k0 String\);\nINSERT INTO daybook_list_1 VALUES\n[^;]+;\nSELECT \*\n[^;]+NOT [^;]+ IN daybook_list_1\b[^;]*;\n$/,
    );
    const none = await commands.run(['sql', small, '--list', short]);
    expect(none).toMatchObject({ status: 2, out: '' });
    expect(none.err).toContain('--list needs a query');
  });

  it('says on standard error how a doubtful query was read', async () => {
    const { out, err } = await commands.run([
      ...['sql', small, 'odd and undated', '--dialect', 'clickhouse'],
    ]);
    expect(err).toContain('read as');
    expect(out).toContain('SELECT');
  });

  it.each([
    [['* | dedup tag', '--dialect', 'clickhouse'], 'an event may have several tags'],
    [['*', '--dialect', 'postgres'], 'unknown dialect: "postgres"'],
    [['*'], 'a QUERY needs --dialect'],
    [['--dialect', 'clickhouse'], '--dialect needs a query'],
    [['*', '--dialect', 'clickhouse', '--run', 'SELECT 1'], '--dialect needs a query'],
    [['--database', 'acme'], '--database needs a query'],
    [['*', '--dialect', 'clickhouse', '--database', ''], '--database is empty'],
    [['nosuch:5', '--dialect', 'clickhouse'], 'no event has a field'],
  ])('refuses %j', async (args, message) => {
    const { status, err, out } = await commands.run(['sql', small, ...args]);
    expect(status).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe('');
  });
});
