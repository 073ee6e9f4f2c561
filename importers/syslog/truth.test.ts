/**
 * The reader against real logs and known facts about them: line counts, times, and fields that other tools parsed
 * from the same lines. The logs are not in the repository; without them these tests are skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { collect, inputOf, type Collected } from '../shared/testing/collect.ts';
import { utf16Of } from '../shared/utf16.ts';
import { syslogImporter } from './index.ts';

const SHARED = process.env.DAYBOOK_SHARED ?? path.resolve(import.meta.dirname, '../../../shared');
const DATA = path.join(SHARED, 'data');
const absent = !existsSync(path.join(DATA, 'syslog-truth.tsv'));
/** File time for inferring years: that of the suite from which the truth of fail2ban's logs comes. */
const FAIL2BAN_NOW = Date.UTC(2005, 7, 14, 10);
/** Line formats of the truth that have a date and a time which syslog software writes. */
const STAMPED = [
  'rfc3164-yearless',
  'bsd-syslog-with-year',
  'pri+rfc3164',
  'pri+kv/other',
  'bgl/thunderbird',
  'iso-space',
  'iso-T-no-zone',
  'iso8601+offset',
  'ctime-weekday',
  'web-access',
  'auditd',
  'epoch',
  'tai64n',
  'date8-compact',
  'dd-Mon-yyyy',
  'yy/mm/dd',
  'logcat/mm-dd',
  'dd/mm or mm/dd/yyyy',
];

interface Truth {
  name: string;
  lines: number;
  stamped: number;
  syslog: boolean;
  bytes: Uint8Array;
}

/** Members of a plain tar, by name. */
function untar(bytes: Uint8Array): Map<string, Uint8Array> {
  const out = new Map<string, Uint8Array>();
  const text = new TextDecoder();
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const name = text.decode(bytes.subarray(at, at + 100)).replace(/\0.*$/s, '');
    const size = parseInt(text.decode(bytes.subarray(at + 124, at + 136)), 8);
    if (bytes[at + 156] === 48 || bytes[at + 156] === 0) {
      out.set(name, bytes.subarray(at + 512, at + 512 + size));
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return out;
}

/** All logs of the truth; an archive's members concatenated, as the truth counts them. */
function truths(): Truth[] {
  const [head, ...rows] = readFileSync(path.join(DATA, 'syslog-truth.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return rows.map((cells) => {
    const cell = (name: string) => cells[head!.indexOf(name)] ?? '';
    let bytes: Uint8Array = readFileSync(path.join(DATA, cell('path')));
    if (cell('container').startsWith('gz')) bytes = gunzipSync(bytes);
    if (cell('container').includes('tar')) {
      const members = [...untar(bytes)].map(([name, content]) =>
        name.endsWith('.gz') ? gunzipSync(content) : content,
      );
      bytes = Buffer.concat(members);
    }
    const counts = cell('line_format_counts')
      .split('; ')
      .map((item) => /^(.*):(\d+)$/.exec(item));
    const stamped = counts
      .filter((match) => match !== null && STAMPED.includes(match[1]!))
      .reduce((sum, match) => sum + Number(match![2]), 0);
    return {
      name: cell('path').replace('syslog/', ''),
      // In UTF-16 the truth counts the half of the last line feed as a line.
      lines: Number(cell('lines')) - (utf16Of(bytes) !== undefined && bytes.at(-1) === 0 ? 1 : 0),
      stamped,
      syslog: STAMPED.includes(cell('format_guess')),
      bytes: new Uint8Array(bytes),
    };
  });
}

function micros(text: string): number {
  return Date.parse(`${text.slice(0, 19)}Z`) * 1000;
}

function dated(collected: Collected): number {
  return collected.rows.filter((row) => row.ts !== undefined).length;
}

/** Reads a CSV with a header and quoted cells. */
function csv(text: string): Record<string, string>[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const match of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (match[0] === '' && row.length === 0) break;
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') {
      rows.push(row);
      row = [];
    }
  }
  const [head, ...rest] = rows;
  return rest.map((cells) => Object.fromEntries(head!.map((name, i) => [name, cells[i] ?? ''])));
}

describe.skipIf(absent)('real logs (skipped without ../shared/data)', () => {
  it('reads every line once, and a time from at least 99 % of those that have one', async () => {
    let stamped = 0;
    let found = 0;
    let lines = 0;
    let undated = 0;
    const low: string[] = [];
    for (const truth of truths()) {
      const got = await collect(
        syslogImporter,
        inputOf(truth.bytes, truth.name, 1 << 16, Date.UTC(2020, 0, 1)),
      );
      expect(got.read, truth.name).toBe(truth.lines);
      expect(got.records, truth.name).toBe(got.rows.length);
      const skipped = Object.values(got.skipped).reduce((sum, n) => sum + n, 0);
      expect(got.records + got.quarantined.length + skipped, truth.name).toBe(truth.lines);
      const has = dated(got);
      stamped += truth.stamped;
      found += Math.min(has, truth.stamped);
      if (has < truth.stamped) low.push(`${truth.name}: ${has} of ${truth.stamped}`);
      if (truth.syslog) {
        lines += truth.lines;
        undated += got.rows.length - has + got.quarantined.length;
      }
    }
    if (low.length > 0) console.info(`fewer times than stamped lines:\n${low.join('\n')}`);
    console.info(`times on ${found} of ${stamped} stamped lines`);
    console.info(
      `lines of logs of a stamped kind that are in no dated event: ${undated} of ${lines}`,
    );
    expect(found / stamped).toBeGreaterThan(0.998);
    expect(1 - undated / lines).toBeGreaterThan(0.99);
  });

  it("agrees with fail2ban's times", async () => {
    const folder = path.join(DATA, 'other/fail2ban-truth');
    let same = 0;
    let total = 0;
    const off: string[] = [];
    for (const file of readdirSync(folder)) {
      const log = path.join(DATA, 'syslog/fail2ban-clean', file.replace('.jsonl', '.log'));
      if (!existsSync(log)) continue;
      const got = await collect(
        syslogImporter,
        inputOf(new Uint8Array(readFileSync(log)), 'x', 1 << 16, FAIL2BAN_NOW),
        { timeZone: 'Europe/Zurich' },
      );
      const rows = new Map(got.rows.map((row) => [row.seq, row]));
      for (const line of readFileSync(path.join(folder, file), 'utf8').trim().split('\n')) {
        const { line_no: number, time } = JSON.parse(line) as {
          line_no: number;
          time: string | null;
        };
        if (time === null) continue;
        total++;
        const row = rows.get(number);
        const offset = new Intl.DateTimeFormat('sv', {
          timeZone: 'Europe/Zurich',
          dateStyle: 'short',
          timeStyle: 'medium',
        });
        const own =
          typeof row?.ts === 'number'
            ? offset.format(new Date(Math.floor(row.ts / 1e6) * 1000)).replace(' ', 'T')
            : 'none';
        const inferred = (Number(row?.ts_basis) & TS_BASIS.yearDecided) !== 0;
        if (own === time || (inferred && own.slice(5) === time.slice(5))) same++;
        else off.push(`${file}:${number} ${own} instead of ${time}`);
      }
    }
    console.info(`fail2ban: ${same} of ${total} times equal\n${off.slice(0, 40).join('\n')}`);
    expect(same / total).toBeGreaterThan(0.97);
  });

  it.each([
    ['Linux', (r: Record<string, string>) => [r.Level, r.Component, r.PID, r.Content]],
    ['Mac', (r: Record<string, string>) => [r.User, r.Component, r.PID, r.Content]],
    ['Thunderbird', (r: Record<string, string>) => [r.User, r.Component, r.PID, r.Content]],
  ])("agrees with loghub's fields of %s", async (name, fields) => {
    const log = readFileSync(path.join(DATA, `syslog/loghub/${name}/${name}_2k.log`));
    const table = csv(
      readFileSync(
        path.join(DATA, `other/loghub-structured/${name}/${name}_2k.log_structured.csv`),
        'utf8',
      ),
    );
    const got = await collect(
      syslogImporter,
      inputOf(new Uint8Array(log), 'x', 1 << 16, Date.UTC(2020, 0, 1)),
    );
    const rows = new Map(got.rows.map((row) => [row.seq, row]));
    const equal = [0, 0, 0, 0];
    const off: string[] = [];
    table.forEach((line, i) => {
      const row = rows.get(i + 1);
      const [host, program, pid, content] = fields(line);
      const own = [row?.host ?? '', row?.program ?? '', String(row?.pid ?? '')];
      [host, program, pid].forEach((value, k) => {
        if (own[k] === value) equal[k]!++;
        else if (off.length < 20) off.push(`${i + 1}: ${String(own[k])} instead of ${value}`);
      });
      if (String(row?.message).trimEnd().endsWith(content!.trim())) equal[3]!++;
    });
    console.info(
      `loghub ${name}: host, program, pid, message equal: ${equal.join(' ')}\n${off.join('\n')}`,
    );
    expect(Math.min(...equal)).toBeGreaterThan(table.length * 0.9);
  });

  it.each([
    [
      'HDFS',
      (r: Record<string, string>) => `20${r.Date} ${r.Time}`,
      /^(\d{4})(\d\d)(\d\d) (\d\d)(\d\d)(\d\d)/,
    ],
    [
      'Hadoop',
      (r: Record<string, string>) => `${r.Date} ${r.Time}`,
      /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/,
    ],
    [
      'OpenStack',
      (r: Record<string, string>) => `${r.Date} ${r.Time}`,
      /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/,
    ],
    [
      'Windows',
      (r: Record<string, string>) => `${r.Date} ${r.Time}`,
      /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/,
    ],
    [
      'Zookeeper',
      (r: Record<string, string>) => `${r.Date} ${r.Time}`,
      /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/,
    ],
  ])("agrees with loghub's times of %s", async (name, time, pattern) => {
    const log = readFileSync(path.join(DATA, `syslog/loghub/${name}/${name}_2k.log`));
    const table = csv(
      readFileSync(
        path.join(DATA, `other/loghub-structured/${name}/${name}_2k.log_structured.csv`),
        'utf8',
      ),
    );
    const got = await collect(syslogImporter, inputOf(new Uint8Array(log)));
    const rows = new Map(got.rows.map((row) => [row.seq, row]));
    let equal = 0;
    table.forEach((line, i) => {
      const wanted = micros(time(line).replace(pattern, '$1-$2-$3T$4:$5:$6'));
      if (Math.floor(Number(rows.get(i + 1)?.ts) / 1e6) * 1e6 === wanted) equal++;
    });
    console.info(`loghub ${name}: ${equal} of ${table.length} times equal`);
    expect(equal).toBe(table.length);
  });
});
