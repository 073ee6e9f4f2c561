/**
 * Real evidence through the command line, compared with its ground truth (../shared/data, which is not part of the
 * repository): each source's ledger, and the answers to queries.
 *
 * Differences from the truth are in a table here, with reasons; a difference that is not listed fails, and so does
 * a listed one that does not occur. The importers' own truth tests compare packet by packet
 * (importers/pcap/truth.test.ts, docs/importers/pcap-differences.md).
 *
 * The 1,820 captures are spread over 1,200 days; without DAYBOOK_SHARED_ALL=1 only some folders of them are
 * imported, to keep this below a minute.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Commands,
  daybook,
  HOOK_PATIENCE_MS,
  json,
  ledgerLines,
  ndjson,
  scratch,
  type SourceLine,
  type TotalLine,
} from './harness.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const DATA = path.join(SHARED, 'data');
const absent = !existsSync(path.join(DATA, 'pcap-truth.tsv'));
const ALL = process.env['DAYBOOK_SHARED_ALL'] === '1';

/** Folders of captures that are imported. */
const CAPTURES = ALL
  ? ['pcap']
  : [
      'pcap/ndpi-history',
      'pcap/pcapplusplus',
      'pcap/slips',
      'pcap/zeek/tcp',
      'pcap/zeek/tls',
      'pcap/zeek/trunc',
      'pcap/zeek/http',
    ];

type Row = Readonly<Record<string, string>>;

/** A truth's rows, by column name; `path` is below the folder `below`. */
function truth(file: string, below: string): Map<string, Row> {
  const [head, ...rows] = readFileSync(path.join(DATA, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return new Map(
    rows
      .map((cells) => Object.fromEntries(head!.map((name, i) => [name, cells[i] ?? ''])))
      .map((row) => [row['path']!.slice(below.length + 1), row]),
  );
}

interface Imported {
  folder: string;
  sources: SourceLine[];
  total: TotalLine['total'];
  status: number | null;
}

const space = absent ? undefined : scratch();
const cases = new Map<string, Imported>();
const commands = new Commands();

async function importInto(name: string, folders: readonly string[]): Promise<Imported> {
  const folder = path.join(space!.folder, `${name}.daybook`);
  const paths = folders.map((each) => path.join(DATA, each));
  // In a hook, two at once.
  const outcome = await daybook(['import', folder, ...paths, '--recursive', '--json'], {
    patienceMs: HOOK_PATIENCE_MS,
  });
  const { sources, total } = ledgerLines(outcome);
  return { folder, sources, total: total.total, status: outcome.status };
}

const imported = (name: string): Imported => cases.get(name)!;

/** The file of a source: the part before the member of an archive. */
const fileOf = (source: string): string => source.split('!')[0]!;

async function countOf(folder: string, query: string): Promise<number> {
  const outcome = await commands.run(['count', folder, query, '--json']);
  expect(outcome.err).toBe('');
  return json<{ count: number }>(outcome).count;
}

function sumOfKinds(ledger: { byKind: Record<string, number> }): number {
  return Object.values(ledger.byKind).reduce((sum, n) => sum + n, 0);
}

/** Sums over a table's rows by source. */
async function bySource(
  folder: string,
  measures: string,
  filter = 'kind:*',
): Promise<Map<string, Row>> {
  const outcome = await commands.run([
    'query',
    folder,
    `${filter} | stats ${measures} by source`,
    '--json',
  ]);
  expect(outcome.status, outcome.err).toBe(0);
  const { rows } = json<{ rows: (Row & { source: string })[] }>(outcome);
  return new Map(rows.map((row) => [row.source, row]));
}

/** The truth's seconds with nine digits, as RFC 3339 with microseconds; undefined when out of range. */
function isoMicros(seconds: string): string | undefined {
  const [whole, fraction] = seconds.split('.') as [string, string];
  const time = new Date(Number(whole) * 1000);
  if (Number.isNaN(time.getTime()) || Number(whole) < 0) return undefined;
  return `${time.toISOString().slice(0, 19)}.${fraction.slice(0, 6)}Z`;
}

/** Its content is there in another compression, too, which is read first. */
const OTHER_COMPRESSION = /PcapExamples\/pcapng-example\.pcapng$/;

/** Invariants of every case, whatever it was made from. */
function always(name: string, folders: readonly string[]): void {
  it('every ledger adds up, and so does the whole', () => {
    const { sources, total } = imported(name);
    const sums = { read: 0, stored: 0, duplicate: 0, quarantined: 0, skipped: 0 };
    for (const each of [...sources, { source: 'total', ...total }]) {
      expect([each.source, each.stored + each.duplicate + each.quarantined + each.skipped]).toEqual(
        [each.source, each.read],
      );
    }
    for (const each of sources) {
      for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += each[key];
    }
    expect(total).toMatchObject(sums);
  });

  it('holds as many events as the ledgers say, of each kind, and is intact', async () => {
    const { folder, sources, total } = imported(name);
    const kinds: Record<string, number> = {};
    for (const each of sources) {
      for (const [kind, n] of Object.entries(each.byKind)) kinds[kind] = (kinds[kind] ?? 0) + n;
    }
    expect(total.byKind).toEqual(kinds);
    expect(await countOf(folder, 'kind:*')).toBe(sumOfKinds(total));
    const top = await commands.run(['top', folder, 'kind', 'kind:*', '--n', '50', '--json']);
    const { rows } = json<{ rows: { kind: string; count: number }[] }>(top);
    expect(Object.fromEntries(rows.map((row) => [row.kind, row.count]))).toEqual(kinds);
    const verified = await daybook(['verify', folder, '--sample', 'all', '--json']);
    expect(verified.err).toBe('');
    // Some of the files are truncated, which is reported.
    expect(JSON.parse(verified.out)).toMatchObject({
      ...{ case: { intact: true }, sample: { differing: 0 } },
      evidence: { changed: 0, missing: 0, notChecked: 0 },
    });
  });

  it('stores nothing when all is imported again', async () => {
    const { folder, total } = imported(name);
    const again = await importInto(name, folders);
    expect(again.folder).toBe(folder);
    expect(again.total).toMatchObject({ stored: 0, byKind: {} });
    expect(again.total.duplicate + again.total.skipped).toBe(again.total.read);
    for (const each of again.sources) expect(['duplicate', 'ignored']).toContain(each.status);
    // A duplicate source counts everything as duplicate, except for records that are skipped each time.
    expect(again.total.read).toBe(total.read);
    expect(await countOf(folder, 'kind:*')).toBe(sumOfKinds(total));
  });

  it('is a duplicate exactly where an earlier source has the same bytes, or the same content', () => {
    const { sources } = imported(name);
    const original = new Set(
      sources.filter((each) => each.status === 'complete').map((each) => each.sha256),
    );
    const otherBytes = sources
      .filter((each) => each.status === 'duplicate' && !original.has(each.sha256))
      .map((each) => each.source);
    expect(otherBytes.filter((source) => !OTHER_COMPRESSION.test(source))).toEqual([]);
    for (const each of sources.filter((source) => source.status === 'duplicate')) {
      expect(each.duplicate + each.skipped).toBe(each.read);
    }
    const whole = sources.filter((each) => each.status === 'complete');
    expect(new Set(whole.map((each) => each.sha256)).size).toBe(whole.length);
  });
}

describe.skipIf(absent)('real evidence (skipped without ../shared/data)', () => {
  beforeAll(async () => {
    await Promise.all([
      importInto('pcap', CAPTURES).then((made) => cases.set('pcap', made)),
      importInto('syslog', ['syslog'])
        .then((made) => cases.set('syslog', made))
        .then(() => importInto('flows', ['flows']))
        .then((made) => cases.set('flows', made)),
    ]);
  });
  afterAll(async () => {
    await commands.close();
    space!.remove();
  });

  describe('captures', () => {
    const TSHARK_SIGNED = 'a fraction of a second or more: tshark does not carry it';
    const BEYOND = 'times beyond the year 2200 are stored undated';
    const SKIPPED = 'a block that holds no packet is read and skipped';
    const TRUNCATED = 'the end of a packet is missing: read and quarantined';

    /** By the end of the path: our ledger's figures instead of the truth's. */
    const DIFFERENCES: Readonly<Record<string, { what: Record<string, unknown>; why: string }>> = {
      'ndpi/default/pcap/fuzz-2021-06-07-c6c72a0a56.pcap': {
        what: { first: '2031-11-28T12:30:50.562680Z', last: '2031-11-28T12:30:50.562680Z' },
        why: TSHARK_SIGNED,
      },
      'ndpi/default/pcap/fuzz-2021-10-13.pcap': { what: { read: 2 }, why: TRUNCATED },
      'ndpi/default/pcap/mpeg.pcap': { what: { read: 20 }, why: SKIPPED },
      'PcapExamples/file_heuristics/pcapng-example.pcapng.zst': {
        what: { last: '2061-09-21T12:39:57.938836Z' },
        why: BEYOND,
      },
      'PcapExamples/pcapng-example.pcapng': {
        what: { last: '2061-09-21T12:39:57.938836Z' },
        why: BEYOND,
      },
      'tcpdump/atm-oam-loopback-print-overrun.pcap': {
        what: { first: '2018-12-11T00:55:36.821166Z', last: '2018-12-11T00:55:36.821166Z' },
        why: TSHARK_SIGNED,
      },
      'tcpdump/rx_serviceid_oobr.pcap': {
        what: { first: '1970-01-01T01:04:01.916976Z' },
        why: TSHARK_SIGNED,
      },
      'tcpdump/timestamp_invalid_micro.pcap': {
        what: { last: '2014-12-09T17:51:57.483648Z' },
        why: TSHARK_SIGNED,
      },
      'tcpdump/timestamp_invalid_nano.pcap': {
        what: { first: '2014-12-09T17:16:09.999999Z', last: '2014-12-09T17:16:12.147483Z' },
        why: TSHARK_SIGNED,
      },
    };

    let rows: Map<string, Row>;
    /** The source's name below `pcap`: sources are named relative to their argument. */
    const named = new Map<string, SourceLine>();

    beforeAll(() => {
      const all = truth('pcap-truth.tsv', 'pcap');
      rows = new Map(
        [...all].filter(([name]) => CAPTURES.some((one) => `pcap/${name}`.startsWith(`${one}/`))),
      );
      const bySha = new Map<string, string[]>();
      for (const line of readFileSync(path.join(DATA, 'MANIFEST.tsv'), 'utf8').split(/\r?\n/)) {
        const cells = line.split('\t');
        const name = cells[0]!.replace(/^pcap\//, '');
        if (!rows.has(name)) continue;
        const sha = cells.at(-1)!;
        bySha.set(sha, [...(bySha.get(sha) ?? []), name]);
      }
      for (const source of imported('pcap').sources) {
        const names = bySha.get(source.sha256 ?? '') ?? [];
        const name = names.find((each) => each.endsWith(source.source));
        if (name !== undefined) named.set(name, source);
      }
    });

    it('every capture is a source', () => {
      expect([...rows.keys()].filter((name) => !named.has(name))).toEqual([]);
      expect(imported('pcap').sources.length).toBe(rows.size);
    });

    it('packets and first and last times agree with capinfos', () => {
      const unexplained: string[] = [];
      let differing = 0;
      for (const [name, row] of rows) {
        const source = named.get(name)!;
        const known = row['readable_by_tshark'] === 'yes';
        const found: Record<string, unknown> = {};
        // For captures that tshark cannot read, record headers were counted.
        if (String(source.read) !== row[known ? 'packets_capinfos' : 'records_raw_walk']) {
          found['read'] = source.read;
        }
        if (known && ['complete', 'duplicate'].includes(source.status)) {
          for (const end of ['first', 'last'] as const) {
            const stated = row[`${end}_ts`]!;
            const wanted = stated === '' ? undefined : isoMicros(stated);
            if ((source[end] ?? undefined) !== wanted) found[end] = source[end];
          }
        }
        const listed = Object.entries(DIFFERENCES).find(([end]) => name.endsWith(end))?.[1].what;
        if (JSON.stringify(found) !== JSON.stringify(listed ?? {})) {
          unexplained.push(`${name}: ${JSON.stringify(found)}`);
        }
        if (listed !== undefined) differing += 1;
      }
      expect(unexplained).toEqual([]);
      console.info(`${rows.size - differing} of ${rows.size} captures agree in the ledger`);
    });

    it('a packet is stored for each that was read, and bytes agree with capinfos', async () => {
      const { folder } = imported('pcap');
      const [events, sums] = await Promise.all([
        bySource(folder, 'count() as n'),
        bySource(folder, 'sum(bytes) as original, sum(captured) as captured', 'kind:packet'),
      ]);
      const off: string[] = [];
      for (const [name, row] of rows) {
        const source = named.get(name)!;
        if (source.status !== 'complete') continue;
        const found = sums.get(source.source);
        if (Number(events.get(source.source)?.['n'] ?? 0) !== sumOfKinds(source))
          off.push(`${name}: events`);
        if (row['readable_by_tshark'] !== 'yes') continue;
        const original = Number(found?.['original'] ?? 0);
        const captured = Number(found?.['captured'] ?? 0);
        if (original !== Number(row['data_bytes_capinfos']))
          off.push(`${name}: ${original} bytes, not ${row['data_bytes_capinfos']}`);
        if (captured !== Number(row['captured_bytes']))
          off.push(`${name}: ${captured} captured, not ${row['captured_bytes']}`);
      }
      expect(off).toEqual([]);
    });

    it('the earliest packet has the nanoseconds that tshark states', async () => {
      const sample = [...rows]
        .filter(([, row]) => !row['first_ts']!.endsWith('000') && row['first_ts'] !== '')
        .filter(([name]) => named.get(name)!.status === 'complete')
        .slice(0, 6);
      expect(sample.length).toBeGreaterThan(2);
      await Promise.all(
        sample.map(async ([name, row]) => {
          const outcome = await commands.run([
            'query',
            imported('pcap').folder,
            `kind:packet source:"${named.get(name)!.source}" | sort ts | head 1 | fields ts`,
            '--json',
          ]);
          const [first] = ndjson<{ ts: string }>(outcome);
          const stated = row['first_ts']!;
          expect([name, first?.ts]).toEqual([
            name,
            isoMicros(stated)!.replace(/\.\d+Z$/, `.${stated.split('.')[1]}Z`),
          ]);
        }),
      );
    });

    always('pcap', CAPTURES);
  });

  describe('logs', () => {
    /** Lines read instead of the truth's number, by file. */
    const LINES: Readonly<Record<string, { read: number; why: string }>> = {
      'lnav/books.json': { read: 1, why: 'one JSON object over many lines is one record' },
      'plaso/bash_history': { read: 4, why: 'commands, with the lines of their times' },
      'plaso/bash_history_desync': { read: 5, why: 'commands, with the lines of their times' },
      'plaso/powershell_transcript.txt': { read: 3, why: 'commands, with what they printed' },
      'plaso/powershell_transcript_ger.txt': { read: 9, why: 'commands, with what they printed' },
      'plaso/zsh_extended_history.txt': { read: 4, why: 'a command has two lines' },
      'plaso/utmp/utmp_corrupted': { read: 5, why: 'records of 384 bytes' },
      'plaso/utmp/utmp_s390': { read: 6, why: 'records of 400 bytes' },
      'plaso/utmp/utmp_x86_64': { read: 6, why: 'records of 384 bytes' },
      'plaso/wincc_sys.log': { read: 769, why: 'UTF-16: half of the last line feed is no line' },
    };

    it('every line of every file is read, or the file is refused as a whole', () => {
      const rows = truth('syslog-truth.tsv', 'syslog');
      const read = new Map<string, { read: number; status: string }>();
      for (const source of imported('syslog').sources) {
        const known = read.get(fileOf(source.source));
        read.set(fileOf(source.source), {
          read: (known?.read ?? 0) + source.read,
          status: source.status,
        });
      }
      const off: string[] = [];
      const refused: string[] = [];
      for (const [name, row] of rows) {
        const found = read.get(name);
        if (found?.status === 'ignored') refused.push(name);
        else if (found?.read !== (LINES[name]?.read ?? Number(row['lines'])))
          off.push(`${name}: ${found?.read} of ${row['lines']} lines`);
      }
      expect(off).toEqual([]);
      // Binary formats of other tools, and one of an unsupported program.
      expect(refused.sort()).toEqual([
        'plaso/2019.09.26.asl',
        'plaso/applesystemlog.asl',
        'plaso/ivanti_vc0/log.access.vc0',
        'plaso/ivanti_vc0/log.admin.vc0',
        'plaso/ivanti_vc0/log.diagnosticlog.vc0',
        'plaso/ivanti_vc0/log.events.vc0',
        'plaso/ivanti_vc0/log.policytrace.vc0',
        'plaso/rp.log',
        'plaso/windefender_history/6AFE33A0-19BA-4FFF-892F-B700539D7D63',
        'plaso/windefender_history/FC380697-A68D-4C94-B67F-9B6449039463',
        'plaso/xchatscrollback.log',
      ]);
      expect([...read.keys()].filter((name) => !rows.has(name))).toEqual([]);
    });

    it('words of logs are found as often as they stand there', async () => {
      // One line each in a file without continuation lines, so that events and lines are the same.
      const log = 'fail2ban-clean/selinux-ssh.log';
      const lines = readFileSync(path.join(DATA, 'syslog', log), 'utf8').split('\n');
      for (const word of ['failed', 'password', 'root', 'sshd']) {
        const wanted = lines.filter((line) => new RegExp(`\\b${word}\\b`, 'i').test(line)).length;
        const found = await countOf(imported('syslog').folder, `source:"${log}" ${word}`);
        expect([word, found]).toEqual([word, wanted]);
        expect(wanted).toBeGreaterThan(0);
      }
    });

    always('syslog', ['syslog']);
  });

  describe('flow files', () => {
    const SUMMARY = 'lines of the summary below the rows are read and skipped';
    /** Rows read beyond the truth's, by the end of the path. */
    const BEYOND: readonly { end: RegExp; more: number; why: string }[] = [
      { end: /nfdump\/ctu-test1\.fmt-addrport\.csv$/, more: 4, why: SUMMARY },
      { end: /nfdump\/[^/]*\.txt$/, more: 4, why: SUMMARY },
      { end: /\/test1-malicious\.nfdump$/, more: 4597, why: 'records that nfdump -v counts' },
      { end: /nfdump\/[^/]*\.csv$/, more: 3, why: SUMMARY },
    ];
    /** A row without its separators. */
    const DAMAGED = ['slips/test10-mixed-zeek-dir/notice.log'];
    /** A report for people whose times are relative. */
    const REFUSED = ['tool-generated/tshark/arkime-v6.conversations.txt'];

    it('every row of every file is read', () => {
      const rows = truth('flows-truth.tsv', 'flows');
      const off: string[] = [];
      for (const source of imported('flows').sources) {
        const row = rows.get(source.source);
        if (row === undefined) {
          off.push(`${source.source}: not in the truth`);
          continue;
        }
        rows.delete(source.source);
        if (REFUSED.includes(source.source)) {
          expect(source.status).toBe('ignored');
          continue;
        }
        const more = BEYOND.find(({ end }) => end.test(source.source))?.more ?? 0;
        if (source.read !== Number(row['flow_rows']) + more)
          off.push(`${source.source}: ${source.read} of ${row['flow_rows']}`);
        if (source.quarantined !== (DAMAGED.includes(source.source) ? 1 : 0))
          off.push(`${source.source}: ${source.quarantined} quarantined`);
      }
      expect(off).toEqual([]);
      expect([...rows.keys()]).toEqual([]);
    });

    it('sums of bytes and packets agree with sums over the files themselves', async () => {
      const rows = truth('flows-truth.tsv', 'flows');
      const sums = await bySource(
        imported('flows').folder,
        'sum(bytes) as b, sum(bytes_rev) as br, sum(packets) as p, sum(packets_rev) as pr',
      );
      const off: string[] = [];
      let stated = 0;
      let computed = 0;
      for (const source of imported('flows').sources) {
        // Rows that another file holds, too, are stored once: compared as a whole below.
        if (source.status !== 'complete' || source.duplicate > 0) continue;
        const row = rows.get(source.source)!;
        const found = sums.get(source.source);
        const bytes = Number(found?.['b'] ?? 0) + Number(found?.['br'] ?? 0);
        const packets = Number(found?.['p'] ?? 0) + Number(found?.['pr'] ?? 0);
        if (row['sum_bytes'] !== '') {
          stated += 1;
          if (bytes !== Number(row['sum_bytes']))
            off.push(`${source.source}: ${bytes} bytes, not ${row['sum_bytes']}`);
        }
        const own = countedSums(row, path.join(DATA, 'flows', source.source));
        if (own === undefined) continue;
        computed += 1;
        if (own.bytes !== bytes || own.packets !== packets)
          off.push(`${source.source}: ${bytes}/${packets}, not ${own.bytes}/${own.packets}`);
      }
      expect(off).toEqual([]);
      console.info(`sums of ${stated} files as stated, of ${computed} as computed here`);
      expect(computed).toBeGreaterThan(50);
    });

    it('one file by its name gives the same sums as all of them by source', async () => {
      const name = 'tool-generated/nfdump/slips-test7.csv';
      const outcome = await commands.run([
        'query',
        imported('flows').folder,
        `source:"${name}" | stats count(), sum(bytes), sum(packets)`,
        '--json',
      ]);
      const { rows } = json<{ rows: Record<string, number>[] }>(outcome);
      const all = await bySource(imported('flows').folder, 'count(), sum(bytes), sum(packets)');
      expect({ source: name, ...rows[0] }).toEqual(all.get(name));
    });

    it('a connection that several Zeek logs hold is stored once', async () => {
      // Zeek connections name themselves: the same bytes anywhere are one record.
      const repeated = imported('flows').sources.filter((each) => each.duplicate > 0);
      expect(repeated.length).toBeGreaterThan(0);
      const sums = await bySource(imported('flows').folder, 'count() as n, distinct(uid) as uids');
      for (const each of repeated) {
        expect(each.dialect).toMatch(/^zeek/);
        expect([each.source, Number(sums.get(each.source)?.['n'] ?? 0)]).toEqual([
          each.source,
          each.stored,
        ]);
      }
      const lines = new Set<string>();
      let stored = 0;
      for (const each of imported('flows').sources) {
        if (each.dialect !== 'zeek-tsv' || !each.source.endsWith('/conn.log')) continue;
        stored += each.stored;
        const text = readFileSync(path.join(DATA, 'flows', each.source), 'utf8');
        for (const line of text.split('\n')) {
          if (line !== '' && !line.trimStart().startsWith('#')) lines.add(line);
        }
      }
      expect(stored).toBe(lines.size);
    });

    always('flows', ['flows']);
  });
});

it.skipIf(!absent)('is skipped: the shared evidence is not on this machine', () => {
  expect(absent).toBe(true);
});

interface Sums {
  bytes: number;
  packets: number;
}

const number = (cell: unknown): number => (Number.isFinite(Number(cell)) ? Number(cell) : 0);

/** Sums over a file by plain splitting; undefined for forms that are not so plain. */
function countedSums(row: Row, file: string): Sums | undefined {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const sum = (
    records: readonly Record<string, unknown>[],
    bytes: readonly string[],
    packets: readonly string[],
  ): Sums => {
    const total = (names: readonly string[]) =>
      records.reduce((all, record) => all + names.reduce((s, n) => s + number(record[n]), 0), 0);
    return { bytes: total(bytes), packets: total(packets) };
  };
  const table = (header: readonly string[], rest: readonly string[], delimiter: string) =>
    rest.map((line) => {
      const cells = line.split(delimiter);
      return Object.fromEntries(header.map((name, i) => [name, cells[i]]));
    });
  const ZEEK = [['orig_ip_bytes', 'resp_ip_bytes'] as const, ['orig_pkts', 'resp_pkts'] as const];
  switch (row['format']) {
    case 'binetflow':
      return sum(table(lines[0]!.split(','), lines.slice(1), ','), ['TotBytes'], ['TotPkts']);
    case 'nfdump-csv':
      return sum(
        table(lines[0]!.split(','), lines.slice(1, lines.indexOf('Summary')), ','),
        ['ibyt', 'obyt'],
        ['ipkt', 'opkt'],
      );
    case 'json-array':
      return sum(
        JSON.parse(text) as Record<string, unknown>[],
        ['in_bytes', 'out_bytes'],
        ['in_packets', 'out_packets'],
      );
    case 'zeek-json':
      if (!path.basename(file).startsWith('conn')) return undefined;
      return sum(
        lines.map((line) => JSON.parse(line) as Record<string, unknown>),
        ZEEK[0]!,
        ZEEK[1]!,
      );
    case 'zeek-tsv': {
      const header = lines.find((line) => line.startsWith('#fields'))?.split('\t');
      if (header?.includes('conn_state') !== true) return undefined;
      const rest = lines.filter((line) => !line.trimStart().startsWith('#'));
      return sum(table(header.slice(1), rest, '\t'), ZEEK[0]!, ZEEK[1]!);
    }
    default:
      return undefined;
  }
}
