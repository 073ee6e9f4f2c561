/**
 * A scan of a file finds what an import of it and the same query find: rows, counts, tops, timelines, tables. On
 * generated captures, logs and flow files, and on real captures if they are available.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanTools } from '../../../app/compose.ts';
import { writeCapture } from '../../../fixtures/evidence/capture.ts';
import { writeNfdumpCsv } from '../../../fixtures/evidence/flows.ts';
import { START } from '../../../fixtures/evidence/story.ts';
import { writeAuthLog } from '../../../fixtures/evidence/syslog.ts';
import { DaybookError } from '../../contract/errors.ts';
import { importInProcess } from '../../ingest/testing/in-process.ts';
import type { Answer, ShownRecord } from '../../query/index.ts';
import { CaseSession } from '../../search/session/case-session.ts';
import { shownRows, startQuery } from '../../search/query.ts';
import { startScan, type RunningScan, type ScanParameters } from './scan.ts';

const root = mkdtempSync(join(tmpdir(), 'daybook-scan-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const HOUR = 3600e6;

function scanOf(path: string, text: string, more: Partial<ScanParameters> = {}): RunningScan {
  return startScan(
    {
      path,
      text,
      from: undefined,
      to: undefined,
      zone: 'UTC',
      limit: undefined,
      signal: new AbortController().signal,
      format: undefined,
      timeZone: undefined,
      year: 2026,
      dateOrder: undefined,
      mapping: undefined,
      standardInput: Readable.from([]),
      onProgress: () => undefined,
      ...more,
    },
    scanTools,
  );
}

async function all(rows: AsyncGenerator<ShownRecord[]>): Promise<ShownRecord[]> {
  const out: ShownRecord[] = [];
  for await (const some of rows) out.push(...some);
  return out;
}

interface Imported {
  readonly path: string;
  ask(text: string, zone?: string): Promise<Answer | ShownRecord[]>;
}

const sessions: CaseSession[] = [];
afterAll(async () => {
  for (const session of sessions) await session.close();
});

async function imported(path: string, flows = true): Promise<Imported> {
  const folder = join(root, `${basename(path)}-${flows}.daybook`);
  await importInProcess(folder, [path], { options: { flows } });
  const session = CaseSession.open(folder, { memoryLimit: 3e8, threads: 2 });
  sessions.push(session);
  return {
    path,
    ask: async (text, zone = 'UTC') => {
      const running = startQuery(session, { text, zone });
      return running.plan.shape === 'rows' ? all(shownRows(running, zone)) : running.answer();
    },
  };
}

async function scanned(path: string, text: string, zone = 'UTC') {
  const running = scanOf(path, text, { zone });
  return running.plan.shape === 'rows' ? all(running.rows()) : running.answer();
}

/** Rows in a canonical order: a scan has that of the file. Sums of reals differ in the last digits. */
function settled(found: Answer | ShownRecord[]): unknown {
  const text = (record: ShownRecord) => JSON.stringify(record);
  if (Array.isArray(found)) return found.map(text).sort();
  return JSON.parse(
    JSON.stringify(found, (_, value: unknown) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value,
    ),
  );
}

async function same(of: Imported, text: string, zone?: string): Promise<void> {
  const wanted = settled(await of.ask(text, zone));
  expect(settled(await scanned(of.path, text, zone)), text).toEqual(wanted);
}

const ON_ALL = [
  '*',
  '* | count',
  'NOT host:* | count',
  '* | timeline',
  '* | timeline 1h',
  '* | timeline 7m',
  '* | timeline 1h | where count > 3 | sort -count | head 5',
  '* | timeline 1h | tail 3',
  'ts:[2026-11-01 TO 2026-12-01] | timeline | head 3',
  '* | top 5 event_type',
  '* | top 3 src_ip',
  '* | top 3 ip, port by sum(bytes)',
  '* | top 4 port by distinct(ip)',
  '* | top 3 dst_port by avg(bytes)',
  '* | top 3 src_ip by max(ts)',
  '* | top 3 kind by p95(bytes)',
  '* | top 5 host, program | where count > 1 | fields host, count',
  '* | stats count(), sum(bytes), avg(bytes), min(bytes), max(bytes), min(ts), max(ts), distinct(ip)',
  '* | stats p50(bytes), p95(length), p99(length), max(event_type), min(message), distinct(event_id)',
  '* | stats count(), sum(packets), distinct(port) by proto, day',
  '* | stats count() as n by source, kind | where n > 0 | sort n',
  'message:nothing | stats count(), sum(bytes)',
  'message:nothing | top 3 host',
  '* | values dst_port',
  '* | values proto | count',
  '* | values day | where day = "2026-11-17"',
  '* | timeline 2h by proto',
  '* | timeline 1h by ip | sort -count, ip | head 4',
  '* | timeline by ip | sort -count, start, ip | head 9',
  '* | talkers 5',
  '* | talkers | where packets > 3 | sort src_ip | head 3 | fields src_ip, dst_ip, packets',
  '* | patterns 4',
  '* | patterns desc',
  '* | patterns 6 | where count > 1 | sort -count | fields count, template, event_id',
  '* | fields ts, ip, flow, event_id, source, day',
  '* | fields ts, attributes',
  '(src_ip:10.0.0.0/8 OR dst_port:<1024) NOT proto:udp | count',
  'dst_port:22 | union (dst_port:443) | count',
  'bytes:>100 | where bytes < 1000 | top 2 bytes',
];

/** Every second query: formats differ in how values are read, not in what is done with them. */
const half = (from: 0 | 1) => ON_ALL.filter((_, i) => i % 2 === from);

/** One capture in each mode: packets alone, and with their flows. */
describe('a capture', () => {
  let packets: Imported;
  let flows: Imported;
  const path = join(root, 'bastion.pcap');
  beforeAll(async () => {
    writeCapture(path, {
      from: START,
      to: START + 0.4 * HOUR,
      format: 'pcap',
      snapLength: 400,
      conversations: 60,
      incident: 'brute-force',
      seed: 5,
    });
    packets = await imported(path, false);
    flows = await imported(path, true);
  });
  it.each(ON_ALL)('%s', (text) => same(packets, text));
  it('attributes beside one of them', () =>
    same(packets, 'proto:icmp | fields icmp_type, attributes'));
  it('* | timeline in milliseconds', () => same(packets, '* | timeline 250ms | where count > 4'));
  it.each([
    'kind:flow',
    'kind:flow | talkers',
    'kind:flow conn_state:S* | top 3 dst_port by sum(bytes)',
    'kind:flow | stats sum(duration), avg(duration), p50(duration), max(history), distinct(community_id)',
    'kind:flow duration:>0.1 | timeline 5m by conn_state',
    'kind:* | count',
    'kind:* | top 3 kind',
    'NOT kind:packet | count',
    'kind:packet flow_id:* | stats distinct(flow_id)',
    'kind:packet NOT flow_id:* | top 4 event_type',
    'kind:(flow OR packet) port:53 | count',
    'kind:log | count',
    'kind:flow | values community_id | count',
    'event_id:1:f2 kind:*',
  ])('%s', (text) => same(flows, text));
  it.each(['* | timeline 1d', '* | timeline 3h', '* | timeline 1w', '* | timeline 30m'])(
    'in another zone: %s',
    (text) => same(packets, text, 'Europe/Berlin'),
  );

  it('head stops reading', async () => {
    const running = scanOf(path, '* | head 5');
    expect(await all(running.rows())).toEqual(await packets.ask('* | head 5'));
    expect(running.ledger.read).toBeLessThan(12_000);
    const limited = scanOf(path, 'proto:tcp', { limit: 3 });
    expect(await all(limited.rows())).toHaveLength(3);
    const none = scanOf(path, '*', { limit: 0 });
    expect(await all(none.rows())).toEqual([]);
    expect(none.ledger.read).toBe(0);
  });

  it.each(['* | count', '* | top 2 dst_port', '* | timeline 1h'])(
    'a limit of rows is none of events: %s',
    async (text) => {
      const wanted = settled(await packets.ask(text));
      expect(settled(await scanOf(path, text, { limit: 0 }).answer())).toEqual(wanted);
    },
  );

  it('compressed, and from standard input', async () => {
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(path);
    const wanted = settled(await packets.ask('* | top 3 dst_port'));
    const packed = join(root, 'packed.pcap.gz');
    writeFileSync(packed, gzipSync(bytes));
    expect(settled(await scanned(packed, '* | top 3 dst_port'))).toEqual(wanted);
    for (const content of [bytes, gzipSync(bytes)]) {
      const parts = Array.from({ length: Math.ceil(content.length / 50_000) }, (_, i) =>
        content.subarray(i * 50_000, (i + 1) * 50_000),
      );
      const running = scanOf('-', '* | top 3 dst_port', { standardInput: Readable.from(parts) });
      expect(settled(await running.answer())).toEqual(wanted);
    }
  });

  it('cut short: what is there is found, and the rest counted', async () => {
    const { readFileSync } = await import('node:fs');
    const cut = join(root, 'cut.pcap');
    writeFileSync(cut, readFileSync(path).subarray(0, 20_011));
    const running = scanOf(cut, '* | count');
    expect(await running.answer()).toMatchObject({ shape: 'count' });
    const { read, stored, quarantined, problems } = running.ledger;
    expect(quarantined).toBe(1);
    expect(read).toBe(stored + 1);
    expect(problems[0]?.reason).toMatch(/truncated|goes on/);
  });
});

describe('a capture of the next generation', () => {
  let packets: Imported;
  beforeAll(async () => {
    const path = join(root, 'next.pcapng');
    writeCapture(path, {
      from: START,
      to: START + 0.2 * HOUR,
      format: 'pcapng',
      snapLength: 400,
      conversations: 40,
      incident: 'brute-force',
      seed: 6,
    });
    packets = await imported(path, false);
  });
  it.each(half(1))('%s', (text) => same(packets, text));
});

describe('messages that are hard to cut', () => {
  let records: Imported;
  beforeAll(async () => {
    const messages = [
      undefined,
      '',
      ' -- ',
      '1 2 3',
      `${'q'.repeat(64)} ${'q'.repeat(65)} ${'q'.repeat(63)}é`,
      'naïve Üser \u{1f600}a <*> a\u0000b _x_ 9_',
      '7 '.repeat(6000),
      'x'.repeat(5000),
    ];
    const lines = Array.from({ length: 500 }, (_, n) => ({
      ...(n % 9 === 4 ? {} : { timestamp: new Date(START / 1000 + (n % 60) * 1e3).toISOString() }),
      message:
        n % 3 === 0 ? messages[(n / 3) % messages.length] : `job ${n} of u${n % 7} ${n % 5}x`,
    }));
    const path = join(root, 'hard.json');
    writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    records = await imported(path);
  });
  it.each(['* | patterns', '* | patterns 3 desc', 'job | patterns', 'absent | patterns'])(
    '%s',
    (text) => same(records, text),
  );
});

describe('a log', () => {
  let log: Imported;
  beforeAll(async () => {
    const path = join(root, 'auth.log');
    writeAuthLog(path, { linesPerDay: 800, from: START, to: START + 48 * HOUR, seed: 3 });
    const end = (START + 48 * HOUR) / 1e6;
    utimesSync(path, end, end);
    log = await imported(path);
  });
  it.each([
    ...half(0),
    'failed',
    '"failed password" -root | top 3 host',
    'fail* OR accept* | timeline 6h by program',
    'message:/port \\d+ ssh2$/ | count',
    'program:ssh* severity:<=info | top 3 severity, facility',
    'sshd 10.* | count',
    'host:>b | values host',
  ])('%s', (text) => same(log, text));
});

it('attributes that are called as columns', async () => {
  const path = join(root, 'named.log');
  writeFileSync(path, '<13>1 2026-11-21T00:00:00Z web01 app 1 - [message][host] hello\n');
  const log = await imported(path);
  const text = '* | fields attrs.message, host, message, attrs.host';
  await same(log, text);
  expect(await log.ask(text)).toEqual([
    { 'attrs.message': '', host: 'web01', message: 'hello', 'attrs.host': '' },
  ]);
});

describe('a flow file', () => {
  let flows: Imported;
  beforeAll(async () => {
    const path = join(root, 'border.csv');
    writeNfdumpCsv(path, { connectionsPerDay: 150, seed: 3 });
    flows = await imported(path);
  });
  it.each([...half(1), 'flow:*:443/tcp | count', 'attributes:* | count', 'kind:flow | talkers 10'])(
    '%s',
    (text) => same(flows, text),
  );
});

describe('evidence that is not whole', () => {
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => {
      const time = new Date(Date.UTC(2026, 0, 5) + (from + i) * 1000).toISOString();
      return `${time} host app[7]: message ${from + i} of ${((from + i) * 2654435761) % 1_000_003}\n`;
    }).join('');
  const damaged = (): Buffer => {
    const members = [0, 1, 2].map((n) => gzipSync(lines(n * 1000, (n + 1) * 1000)));
    members[1]![500]! ^= 0x5a;
    return Buffer.concat(members);
  };
  const cut = (): Buffer => {
    const whole = gzipSync(lines(0, 3000));
    return whole.subarray(0, whole.length - 5000);
  };

  it.each([
    ['a damaged member', 'damaged.log.gz', damaged(), /gzip data is damaged from its byte/],
    ['the end cut off', 'cut.log.gz', cut(), /gzip data is cut off/],
    ['a limit', 'limit.log.gz', gzipSync(lines(0, 20_000)), /--max-bytes/],
  ])('is scanned as it is imported: %s', async (_, name, bytes, reason) => {
    const path = join(root, name);
    writeFileSync(path, bytes);
    const limits = name.startsWith('limit') ? { maxBytes: 700_000 } : {};
    const folder = join(root, `${name}.case`);
    const { sources } = await importInProcess(folder, [path], { limits });
    const running = scanOf(path, '* | count', { limits });
    expect(await running.answer()).toMatchObject({ shape: 'count', count: sources[0]!.stored });
    expect(sources[0]!.stored).toBeGreaterThan(500);
    expect(running.ledger.broken).toEqual([
      { source: name, reason: expect.stringMatching(reason) as string },
    ]);
    const rows = scanOf(path, '*', { limits });
    expect(await all(rows.rows())).toHaveLength(sources[0]!.stored);
    expect(rows.ledger.broken).toHaveLength(1);
  });

  it('is an error where nothing of it can be read', async () => {
    const path = join(root, 'nothing.log.gz');
    const bytes = gzipSync(lines(0, 100));
    bytes[60]! ^= 0x5a;
    writeFileSync(path, bytes);
    await expect(scanOf(path, '* | count').answer()).rejects.toMatchObject({
      code: 'source-damaged',
    });
  });
});

describe('what a scan does not do is said', () => {
  const path = join(root, 'few.log');
  beforeAll(() => writeFileSync(path, '2026-11-21T00:00:00Z web01 sshd[1]: hello user=bob\n'));
  it.each([
    ['* | sort bytes', 'query-syntax', /not support sort of events/],
    ['* | tail 3', 'query-syntax', /not support tail/],
    ['* | dedup host', 'query-syntax', /not support dedup/],
    ['last:24h', 'query-syntax', /newest event/],
    ['tag:x', 'query-syntax', /not support tags/],
    ['* | head 3 | count', 'query-syntax', /order of stages/],
    ['* | timeline 1h spread bytes', 'query-syntax', /spreads/],
    ['nosuch:1', 'unknown-field', /no event that was read has a field "?nosuch/],
    ['* | top 3 nosuch', 'unknown-field', /nosuch/],
    ['(', 'query-syntax', /./],
  ] as const)('%s', async (text, code, message) => {
    const error = await (async () => scanned(path, text))().catch((one: unknown) => one);
    expect(error).toBeInstanceOf(DaybookError);
    if (!(error instanceof DaybookError)) return;
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
  it('a file that is not there, or that nothing reads', async () => {
    await expect(scanned(join(root, 'none'), '*')).rejects.toMatchObject({ code: 'not-found' });
    mkdirSync(join(root, 'folder'));
    await expect(scanned(join(root, 'folder'), '*')).rejects.toMatchObject({ code: 'unreadable' });
    writeFileSync(
      join(root, 'noise'),
      Uint8Array.from({ length: 999 }, (_, i) => (i * 89) % 256),
    );
    await expect(scanned(join(root, 'noise'), '*')).rejects.toMatchObject({
      code: 'unknown-format',
    });
  });
  it('ends when it is cancelled', async () => {
    const controller = new AbortController();
    controller.abort();
    const running = scanOf(path, '* | count', { signal: controller.signal });
    await expect(running.answer()).rejects.toMatchObject({ code: 'cancelled' });
  });
});

it('says which of several values under one name counts, as a query does', async () => {
  const path = join(root, 'several.json');
  const records = [
    { note: 'yy', Note: 'Z5', hostname: 'host1', host: 'host2', source: 'HTTP', only: 1 },
    { Note: 'Z5', only: 2 },
  ];
  writeFileSync(path, records.map((one) => JSON.stringify(one)).join('\n'));
  const first = (of: string, names: string): string =>
    `${of}: an event may have several of ${names}; it counts with the first, and a filter finds it by each`;
  const notesOf = async (text: string): Promise<string[]> => {
    const running = scanOf(path, text);
    if (running.plan.shape === 'rows') await all(running.rows());
    else await running.answer();
    return running.notes();
  };
  for (const text of ['* | top note', '* | stats distinct(note)', '* | fields note'])
    expect(await notesOf(text), text).toEqual([first('note', '"Note", "note"')]);
  expect(await notesOf('* | top host')).toEqual([first('host', '"host", "attrs.host"')]);
  expect(await notesOf('* | top source')).toEqual([
    'source: the column of that name; events have an attribute of it, too: attrs.source',
  ]);
  for (const text of ['note:yy', '* | top only', '* | count'])
    expect(await notesOf(text), text).toEqual([]);
});

it('says of totals of both ways that talkers count as sent what a query says', async () => {
  const flow = { src_ip: '192.0.2.1', dst_ip: '192.0.2.2', src_port: 5, dst_port: 6, proto: 'tcp' };
  const time = '2026-11-21T10:00:00Z';
  const files = {
    'both.csv': `time,source ip,dest ip,source port,dest port,protocol,totbytes\n${time},192.0.2.1,192.0.2.2,5,6,tcp,900\n`,
    'one.csv': `ts,src_ip,src_port,dst_ip,dst_port,proto,bytes\n${time},192.0.2.1,5,192.0.2.2,6,tcp,70\n`,
    // Not in the first of its records.
    'later.json': [
      ...Array.from({ length: 300 }, () => ({ time, message: 'none' })),
      { '@timestamp': time, event: { kind: 'event', category: 'network' }, ...flow },
      {
        '@timestamp': time,
        event: { kind: 'event', category: 'network_traffic', action: 'network_flow' },
        source: { ip: '192.0.2.3', port: 4000 },
        destination: { ip: '192.0.2.4', port: 443 },
        network: { transport: 'tcp', bytes: 500, packets: 7 },
      },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(''),
  };
  const notes = async (name: string, text: string): Promise<readonly string[]> => {
    const path = join(root, name);
    const running = scanOf(path, text);
    await running.answer();
    const scanned = running.notes();
    const folder = join(root, `${name}-totals.daybook`);
    await importInProcess(folder, [path]);
    const session = CaseSession.open(folder, { memoryLimit: 3e8, threads: 2 });
    try {
      const asked = startQuery(session, { text, zone: 'UTC' });
      await asked.answer();
      expect(scanned, name).toEqual(asked.notes());
    } finally {
      await session.close();
    }
    return scanned;
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  for (const name of ['both.csv', 'later.json'])
    expect(await notes(name, 'bytes:* | talkers')).toEqual([
      `${name}: flows that state one number of bytes for both ways count as sent by the side that opened them`,
    ]);
  expect(await notes('one.csv', '* | talkers')).toEqual([]);
  const count = scanOf(join(root, 'both.csv'), '* | count');
  await count.answer();
  expect(count.notes()).toEqual([]);
});

const shared = process.env['DAYBOOK_SHARED'] ?? join(import.meta.dirname, '../../../../shared');
const real = join(shared, 'data/pcap/tcpdump');

describe.skipIf(!existsSync(real))('real captures (skipped where there are none)', () => {
  const names = existsSync(real)
    ? readdirSync(real).filter(
        (name) => /atm|fr|ppp|isis|ospf|mpls|vxlan|geneve/.test(name) && /[.]pcap$/.test(name),
      )
    : [];
  it('are found as they are imported', async () => {
    expect(names.length).toBeGreaterThan(10);
    for (const name of names.slice(0, 6)) {
      const path = join(real, name);
      const scan = scanOf(path, '* | top 3 event_type, src_ip').answer();
      const of = await imported(path, false);
      expect(settled(await scan), name).toEqual(
        settled(await of.ask('* | top 3 event_type, src_ip')),
      );
      expect(settled(await scanned(path, '*')), name).toEqual(settled(await of.ask('*')));
    }
  }, 30_000);
});
