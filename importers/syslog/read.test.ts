/** Whole logs: multi-line records, frames, journals, years and zones, and bad input. */
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../engine/contract/errors.ts';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { LOST, type ReadOptions } from '../../engine/evidence/importer.ts';
import { collect, inputOf, type Collected } from '../shared/testing/collect.ts';
import { MAX_ENTRY } from '../shared/journal-entry.ts';
import { firstDate, syslogImporter } from './index.ts';
import { MAX_LINE } from './layout.ts';
import { CONTINUATION } from '../shared/lines.ts';

const utf8 = new TextEncoder();
const MODIFIED = Date.UTC(2026, 10, 21);

function bytesOf(content: string | Uint8Array): Uint8Array {
  // A Buffer's slices are views: the input must deliver copies.
  return typeof content === 'string' ? utf8.encode(content) : new Uint8Array(content);
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

async function read(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
  blockSize = 1 << 20,
): Promise<Collected> {
  const input = inputOf(bytesOf(content), 'evidence', blockSize, MODIFIED);
  const got = await collect(syslogImporter, input, options, 7);
  const skipped = Object.values(got.skipped).reduce((sum, n) => sum + n, 0);
  expect(got.records).toBe(got.rows.length);
  expect(got.read).toBe(got.records + got.quarantined.length + skipped);
  return got;
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === 10) lines++;
  return lines + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0);
}

function frame(message: string): string {
  return `${utf8.encode(message).length} ${message}`;
}

function journalBinary(name: string, value: string): Uint8Array {
  const data = utf8.encode(value);
  const out = new Uint8Array(name.length + 1 + 8 + data.length + 1);
  out.set(utf8.encode(`${name}\n`));
  new DataView(out.buffer).setBigUint64(name.length + 1, BigInt(data.length), true);
  out.set(data, name.length + 9);
  out[out.length - 1] = 10;
  return out;
}

const JOURNAL = Buffer.concat([
  utf8.encode(
    '__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1600000000123456\n__MONOTONIC_TIMESTAMP=5\n' +
      '_BOOT_ID=ab\nPRIORITY=4\nSYSLOG_FACILITY=10\nSYSLOG_IDENTIFIER=sshd\n_COMM=sshd-real\n' +
      '_PID=77\nSYSLOG_PID=76\n_HOSTNAME=host1\nMESSAGE_ID=fc2e\n',
  ),
  journalBinary('MESSAGE', 'two\nlines'),
  utf8.encode(
    '\n__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1600000001000000\n_COMM=cron\nMESSAGE=x\nTAG=a\nTAG=b\n\n',
  ),
]);

/** One small content of each kind. */
const SAMPLES: Record<string, string | Uint8Array> = {
  rfc5424:
    '<34>1 2003-10-11T22:14:15.003Z h su - ID47 [a@1 x="1" y="q\\"z"][b@1] m\n<165>1 2003-08-24T05:14:15.000003-07:00 h p 8710 - - n\n',
  rfc3164:
    "<34>Oct 11 22:14:15 m su: 'su root' failed\nFeb  6 00:00:01 h sshd[21]: a\n  more\n\nDec 31 23:59:59 h k: b\r\nJan  1 00:00:00 h k: c",
  iso8601: '2026-10-01T00:00:00.000Z h12 sshd[123]: a\n2026-10-01 10:11:12,123 b\n\tat x.y\n',
  cisco:
    '<189>000123: *Mar  1 00:00:00.123 UTC: %SYS-5-CONFIG_I: C\n<166>Oct 10 2018 12:34:56: %ASA-6-302013: B\n',
  kernel: '[    0.000000] Linux\n<6>[   12.345678] usb\n',
  access: '192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 1\n',
  epoch: '1428634687.123 x\n@400000004c91b044077a9e94 y\n',
  audit: 'type=A msg=audit(1373330716.415:4063): x\nnode=n type=B msg=audit(1373330716.5:1): y\n',
  fortinet: '<189>date=2020-04-23 time=01:16:08 devname="fw" tz="-0500" x=1\n',
  thunderbird: '- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond[2915]: s\n',
  text: 'plain\n\u00e9\u00e8\n{"a":1}\n',
  latin1: latin1(
    'Oct 11 22:14:15 h\u00f6st app: gr\u00fc\u00df\0e\n\0\0Oct 11 22:14:16 h a: b\0\n\0\0\n',
  ),
  framed: `${frame('<34>1 2003-10-11T22:14:15Z h su - - - a\nb')}${frame('<34>Oct 11 22:14:15 h x: y\n')}`,
  journald: JOURNAL,
};

describe('lines that belong together', () => {
  it('keeps continuation lines in the event before them', async () => {
    const got = await read(
      'Oct  1 00:00:00 h a: one\n  two\r\n\tiii\n\nOct  1 00:00:01 h a: next\n',
    );
    expect(got.rows.map((row) => row.message)).toEqual(['a: one\n  two\n\tiii', 'a: next']);
    expect(got.rows.map((row) => [row.seq, row.offset, row.length])).toEqual([
      [1, 0, 36],
      [5, 38, 25],
    ]);
    expect(got.skipped).toEqual({ [CONTINUATION]: 2, 'blank line': 1 });
  });

  it('keeps lines that have nothing to continue as events without a time', async () => {
    const got = await read('no header\n  indented\nOct  1 00:00:00 h a: b\n');
    expect(got.rows.map((row) => [row.message, row.ts === undefined])).toEqual([
      ['no header', true],
      ['  indented', true],
      ['a: b', false],
    ]);
  });

  it('bounds what one event gathers', async () => {
    const many = await read(`Oct  1 00:00:00 h a: b\n${'\tx\n'.repeat(2500)}`);
    expect(many.skipped[CONTINUATION]).toBe(2000);
    expect(many.rows).toHaveLength(501);
    const large = await read(`Oct  1 00:00:00 h a: b\n${`\t${'y'.repeat(300_000)}\n`.repeat(5)}`);
    expect(large.skipped[CONTINUATION]).toBe(3);
    expect(large.rows).toHaveLength(3);
  });

  it('keeps events whole that lie on both sides of a region', async () => {
    const parts: string[] = [];
    const wanted: [message: string, host: string, seq: number][] = [];
    let line = 0;
    for (let i = 0; i < 9000; i++) {
      const extra = Array.from(
        { length: i % 4 },
        (_, k) => `  at place ${k} of ${i} ${'\u00e9'.repeat(90)}`,
      );
      const message = [`app[${i}]: event ${i} ${'x'.repeat(i % 97)}`, ...extra].join('\n');
      const host = `host${i % 7}`;
      wanted.push([message, host, line + 1]);
      parts.push(`<34>1 2026-10-01T00:00:00Z ${host} a ${i} - [s@1 n="${i}"] ${message}\n`);
      line += 1 + extra.length;
    }
    const bytes = utf8.encode(parts.join(''));
    expect(bytes.length).toBeGreaterThan(3 << 20);
    const got = await read(bytes, {}, 300_000);
    expect(got.rows.map((row) => [row.message, row.host, row.seq])).toEqual(wanted);
    expect(got.rows.map((row) => [row.pid, row.attrs['s@1.n']])).toEqual(
      wanted.map((_, i) => [i, String(i)]),
    );
    const text = new TextDecoder();
    got.rows.forEach((row, i) => {
      const at = Number(row.offset);
      expect(`${text.decode(bytes.subarray(at, at + Number(row.length)))}\n`).toBe(parts[i]);
    });
  });

  it('quarantines a line beyond the bound, once, and goes on', async () => {
    const long = 'z'.repeat(MAX_LINE * 2 + 5);
    const got = await read(`Oct  1 00:00:00 h a: b\n${long}\nOct  1 00:00:01 h a: c\n`);
    expect(got.rows.map((row) => [row.seq, row.message])).toEqual([
      [1, 'a: b'],
      [3, 'a: c'],
    ]);
    expect(got.quarantined).toHaveLength(1);
    expect(got.quarantined[0]).toMatchObject({ offset: 23, line: 2 });
    expect(got.quarantined[0]!.raw.length).toBe(65_536);
  });

  it('reads a line of exactly the bound', async () => {
    const got = await read(`${'z'.repeat(MAX_LINE)}\nend`);
    expect(got.rows.map((row) => row.length)).toEqual([MAX_LINE, 3]);
  });
});

describe('bytes that are no plain ASCII', () => {
  it('reads invalid UTF-8 as Windows-1252 and valid text as it is', async () => {
    const got = await read(
      Buffer.concat([
        latin1('Oct  1 00:00:00 h a: gr\u00fc\u00df\n'),
        utf8.encode('Oct  1 00:00:00 h a: gr\u00fc\u00df\n'),
      ]),
    );
    expect(got.rows.map((row) => row.message)).toEqual(['a: gr\u00fc\u00df', 'a: gr\u00fc\u00df']);
  });

  it('reads past NUL bytes around a line', async () => {
    const got = await read('\0\0\0Oct  1 00:00:00 h a: b\0\n\0\0\n');
    expect(got.rows).toHaveLength(1);
    expect(got.rows[0]).toMatchObject({ host: 'h', message: 'a: b', offset: 0, length: 26 });
    expect(got.skipped).toEqual({ 'line of NUL bytes': 1 });
  });

  it('reads past a byte order mark and reads UTF-16 with one', async () => {
    const marked = await read('\u{feff}Oct  1 00:00:00 h a: b\n');
    expect(marked.rows[0]).toMatchObject({ host: 'h', offset: 3 });
    const wide = Buffer.from(
      '\u{feff}Oct  1 00:00:00 h a: b\nOct  1 00:00:01 h a: \u00fc\n',
      'utf16le',
    );
    const got = await read(new Uint8Array(wide));
    expect(got.rows.map((row) => [row.message, row.offset])).toEqual([
      ['a: b', 2],
      ['a: \u00fc', 48],
    ]);
  });

  it.each([
    ['a journal export', '__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1772618400000000\nMESSAGE=a\n'],
    ['counted frames', '38 <34>1 2026-03-04T10:00:00Z h p 1 - abc'],
  ])('%s in UTF-16 is lines: no byte of it is one of the format', async (_, text) => {
    const hint = { name: 'x', complete: true };
    expect(syslogImporter.sniff(Buffer.from(text), hint)?.score).toBeGreaterThanOrEqual(0.9);
    for (const mark of ['', '\u{feff}']) {
      const wide = new Uint8Array(Buffer.from(mark + text, 'utf16le'));
      const format = syslogImporter.sniff(wide, hint)?.format ?? 'none';
      const got = await collect(syslogImporter, inputOf(wide), { format });
      expect(got.quarantined).toEqual([]);
      expect(String(got.rows[0]!.message)).toContain(text.split('\n')[0]!.slice(-3));
    }
  });
});

describe('zones and years', () => {
  const log = 'Dec 31 23:30:00 h a: b\nJan  1 00:30:00 h a: c\n2026-07-01T12:00:00+02:00 h a: d\n';

  it('decides UTC and the year of the file when nothing is stated, and says so', async () => {
    const got = await read(log);
    expect(got.decisions).toEqual({
      ...{ tz: 'UTC', tzBasis: 'guessed: the records state none', year: 2026 },
      yearBasis: "guessed from the file's date of 2026-11-21",
    });
    expect(got.rows.map((row) => new Date(Number(row.ts) / 1000).toISOString())).toEqual([
      '2025-12-31T23:30:00.000Z',
      '2026-01-01T00:30:00.000Z',
      '2026-07-01T10:00:00.000Z',
    ]);
    const decided = TS_BASIS.zoneDecided | TS_BASIS.yearDecided;
    expect(got.rows.map((row) => row.ts_basis)).toEqual([decided, decided, 0]);
  });

  it('uses the zone it is given', async () => {
    const got = await read(log, { timeZone: 'Europe/Berlin', year: 2013 });
    expect(got.decisions).toEqual({
      ...{ tz: 'Europe/Berlin', tzBasis: 'given', year: 2013, yearBasis: 'given' },
    });
    expect(new Date(Number(got.rows[1]!.ts) / 1000).toISOString()).toBe('2012-12-31T23:30:00.000Z');
    expect(got.rows.map((row) => row.tz_offset)).toEqual([3600, 3600, 7200]);
  });

  it('lets the years of a rotated set run on', async () => {
    const newer = inputOf(utf8.encode('Jan  3 00:00:00 h a: b\n'), 'log', 100, MODIFIED);
    const options = { year: undefined, before: undefined, format: '' };
    const before = await firstDate(newer, options);
    expect(before).toEqual({ year: 2026, month: 1, day: 3 });
    const older = await read('Nov  3 00:00:00 h a: b\nDec 30 00:00:00 h a: b\n', { before });
    expect(older.decisions.year).toBe(2025);
    expect(older.metadata.first_date).toEqual({ year: 2025, month: 11, day: 3 });
    const stated = inputOf(utf8.encode('2026-07-01T12:00:00Z h a: d\n'));
    expect(await firstDate(stated, options)).toBeUndefined();
  });

  it('decides nothing when all is stated', async () => {
    const got = await read('2026-07-01T12:00:00Z h a: d\n1428634687 x\n');
    expect(got.decisions).toEqual({});
  });

  it('notes a year that is nothing but a stand-in', async () => {
    const got = await collect(syslogImporter, inputOf(utf8.encode('Oct  1 00:00:00 h a: b\n')));
    expect(got.decisions.year).toBe(1972);
    expect(got.notes).toHaveLength(1);
  });

  it('refuses an unknown zone before it reads', async () => {
    await expect(read(log, { timeZone: 'Nowhere/None' })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('octet-counted frames', () => {
  it('reads frames with line feeds in and between them', async () => {
    const first = frame('<34>1 2003-10-11T22:14:15Z h su - - - a\nb');
    const second = frame('<34>Oct 11 22:14:15 h x: y\n');
    const got = await read(`${first}${second}\n${first}`);
    expect(got.rows.map((row) => [row.seq, row.message, row.offset, row.length])).toEqual([
      [1, 'a\nb', 0, first.length],
      [2, 'x: y', first.length, second.length],
      [3, 'a\nb', first.length + second.length + 1, first.length],
    ]);
    expect(got.rows[0]).toMatchObject({ host: 'h', program: 'su', facility: 4 });
  });

  it('quarantines what is no frame and goes on at the next line', async () => {
    const good = frame('<34>1 2003-10-11T22:14:15Z h su - - - a');
    const got = await read(`${good}${good}broken\n${good}99 <34>cut`);
    expect(got.rows.map((row) => row.seq)).toEqual([1, 2, 4]);
    expect(got.quarantined.map((item) => [item.reason, item.offset])).toEqual([
      ['not a frame', good.length * 2],
      ['frame is cut short', good.length * 3 + 7],
    ]);
  });

  it('reads messages without a count among the frames', async () => {
    const good = frame('<34>1 2003-10-11T22:14:15Z h su - - - a');
    const got = await read(`${good}${good}<34>Oct 11 22:14:15 h x: y\r\n${good}`);
    expect(got.rows.map((row) => [row.seq, row.message])).toEqual([
      [1, 'a'],
      [2, 'a'],
      [3, 'x: y'],
      [4, 'a'],
    ]);
    expect(got.quarantined).toEqual([]);
  });

  it('does not take lines that begin with a number for frames', async () => {
    const got = await read('12 <34>apples are here and more\nnext\n');
    expect(got.rows).toHaveLength(2);
  });
});

describe('journal export', () => {
  it('reads text and binary fields', async () => {
    const got = await read(JOURNAL);
    expect(got.rows).toHaveLength(2);
    expect(got.rows[0]).toMatchObject({
      seq: 1,
      offset: 0,
      ts: 1600000000123456,
      ts_digits: 6,
      ts_basis: 0,
      severity: 4,
      facility: 10,
      program: 'sshd',
      pid: 77,
      host: 'host1',
      event_type: 'fc2e',
      message: 'two\nlines',
    });
    expect(got.rows[0]!.attrs).toMatchObject({
      _BOOT_ID: 'ab',
      _COMM: 'sshd-real',
      SYSLOG_PID: '76',
    });
    expect(got.rows[1]).toMatchObject({ program: 'cron', attrs: { TAG: 'a', 'TAG.2': 'b' } });
    const keys = got.rows.map((row) => Number(row.record_key));
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(Number.isSafeInteger(key)).toBe(true);
  });

  it('quarantines an entry that is cut short and keeps the others', async () => {
    const cut = JOURNAL.subarray(0, JOURNAL.indexOf('two') + 2);
    const got = await read(Buffer.concat([utf8.encode('__CURSOR=0\nMESSAGE=a\n\n'), cut]));
    expect(got.rows.map((row) => row.message)).toEqual(['a']);
    expect(got.quarantined.map((item) => item.reason)).toEqual(['journal entry is cut short']);
  });

  it('leaves out an entry beyond the bound and goes on', async () => {
    const large = Buffer.concat([
      utf8.encode('__CURSOR=1\n'),
      journalBinary('CORE', 'c'.repeat(MAX_ENTRY + 1)),
      utf8.encode('\n'),
    ]);
    const got = await read(Buffer.concat([large, JOURNAL]));
    expect(got.quarantined).toHaveLength(1);
    expect(got.rows).toHaveLength(2);
  });
});

describe('sniff', () => {
  const complete = { name: 'x', complete: true };
  it.each([
    ['rfc5424', 'rfc5424'],
    ['rfc3164', 'rfc3164'],
    ['iso8601', 'iso8601'],
    ['cisco', 'cisco'],
    ['kernel', 'kernel'],
    ['access', 'access'],
    ['epoch', 'epoch'],
    ['framed', 'rfc6587'],
    ['journald', 'journald-export'],
    ['text', 'text'],
  ])('knows %s by its content', (name, format) => {
    expect(syslogImporter.sniff(bytesOf(SAMPLES[name]!), complete)?.format).toBe(format);
  });

  it('leaves binary and empty contents alone', () => {
    const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 197 + (i >> 3)) & 255);
    expect(syslogImporter.sniff(noise, complete)).toBeUndefined();
    expect(syslogImporter.sniff(new Uint8Array(0), complete)).toBeUndefined();
  });

  it('gives way for tables and objects', () => {
    const table = '2026-10-01 10:11:12,a,b,c,d,e,f,g\n'.repeat(5);
    expect(syslogImporter.sniff(utf8.encode(table), complete)!.score).toBeLessThan(0.5);
    const json = '{"timestamp":"2026-10-01T10:11:12Z","event_type":"dns"}\n'.repeat(5);
    expect(syslogImporter.sniff(utf8.encode(json), complete)!.score).toBeLessThan(0.5);
  });
});

describe('every kind of log', () => {
  for (const [name, content] of Object.entries(SAMPLES)) {
    const bytes = new Uint8Array(bytesOf(content));
    const counted = name === 'framed' || name === 'journald';

    it(`${name}: gives the same in blocks of any size`, async () => {
      const whole = await read(bytes);
      expect(await read(bytes, {}, 1)).toEqual(whole);
      expect(await read(bytes, {}, 7)).toEqual(whole);
      expect(whole.rows.length).toBeGreaterThan(0);
      expect(whole.quarantined).toEqual([]);
    });

    it(`${name}: gives the same under another name`, async () => {
      const named = await collect(syslogImporter, inputOf(bytes, 'auth.log', 512, MODIFIED));
      const unnamed = await collect(syslogImporter, inputOf(bytes, 'x.bin', 512, MODIFIED));
      expect(unnamed).toEqual(named);
    });

    it(`${name}: survives every truncation`, async () => {
      for (let size = 0; size <= bytes.length; size++) {
        const part = bytes.subarray(0, size);
        syslogImporter.sniff(part, { name: '', complete: size % 2 === 0 });
        const got = await read(part);
        if (!counted) expect(got.read).toBe(countLines(part));
      }
    });

    it(`${name}: survives flipped bits`, async () => {
      let state = 0x2545f491;
      const random = (n: number) => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) % n;
      };
      for (let round = 0; round < 120; round++) {
        const broken = bytes.slice();
        for (let k = 0; k <= random(4); k++) broken[random(broken.length)]! ^= 1 << random(8);
        syslogImporter.sniff(broken, { name: '', complete: true });
        const got = await read(broken);
        if (!counted) expect(got.read).toBe(countLines(broken));
        // Also in its old dialect, whatever it looks like now.
        await read(broken, {
          format: name === 'framed' ? 'rfc6587' : name === 'journald' ? 'journald-export' : 'text',
        });
      }
    });
  }

  it('takes the time of a slow query from its SET statement where no line before states one', async () => {
    const statement = (user: string, at: number, query: string) =>
      `# User@Host: ${user}[${user}] @ localhost []\n# Query_time: 0.1\nSET timestamp=${at};\n${query}\n`;
    const text = [
      '# Time: 161209 14:37:59\n',
      statement('app', 1481294279, 'SELECT 1;'),
      statement('root', 1481294280, "SELECT '\nSET timestamp=999999999;';"),
      '# Time: 2016-12-09T14:38:01.500000Z\n',
      statement('app', 1481294270, 'SELECT 3;'),
    ].join('');
    const { rows, decisions } = await read(text);
    expect(rows.map(({ ts, ts_basis }) => [(ts as number) / 1e6, ts_basis])).toEqual([
      [1481294279, 0],
      [1481294280, 0],
      [1481294281.5, 0],
    ]);
    expect(decisions).not.toHaveProperty('tz');
  });

  it('survives noise', async () => {
    let state = 99;
    const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
    for (let round = 0; round < 40; round++) {
      const alphabet =
        round % 2 === 0 ? undefined : '<>[]{}: .,-/0123456789TZJanOctMon="\\\n\0%*@#';
      const noise = Uint8Array.from({ length: random() % 5000 }, () =>
        alphabet === undefined ? random() & 255 : alphabet.charCodeAt(random() % alphabet.length),
      );
      for (const format of ['', 'text', 'rfc6587', 'journald-export'])
        await read(noise, { format });
    }
  });

  it('reads nothing from nothing', async () => {
    expect((await read('')).read).toBe(0);
  });

  it('gives what came before a content that breaks off', async () => {
    const good = utf8.encode('Oct  1 00:00:00 h a: b\nOct  1 00:00:01 h a: c\n');
    for (const [content, format] of [
      [good, 'text'],
      [JOURNAL, 'journald-export'],
      [utf8.encode(frame('<34>Oct 11 22:14:15 h x: y').repeat(2)), 'rfc6587'],
    ] as const) {
      const seen: number[] = [];
      const input = {
        ...inputOf(new Uint8Array(content), 'x', 1 << 20, MODIFIED),
        async *blocks() {
          yield new Uint8Array(content);
          throw new SourceError('the compressed data ends early', content.length);
        },
      };
      const importer = {
        ...syslogImporter,
        async read(...args: Parameters<typeof syslogImporter.read>) {
          await expect(syslogImporter.read(...args)).rejects.toBeInstanceOf(SourceError);
        },
      };
      const got = await collect(importer, input, { format });
      seen.push(got.records);
      expect(seen).toEqual([2]);
    }
  });
});

describe('a content that is damaged in its middle', () => {
  const before =
    '2026-01-05T00:00:00Z h app[1]: a\n\tat one\n2026-01-05T00:00:01Z h app[2]: b\n\tat t';
  const after = 'wo\n\tat three\n2026-01-05T00:00:02Z h app[3]: c\n\tat four\n';

  async function readPieces(parts: readonly string[]): Promise<Collected> {
    const first = parts.findIndex((part) => part !== '');
    const error = new SourceError('damaged', 0);
    async function* pieces(stop: boolean) {
      for (const [i, part] of parts.entries()) {
        if (i > 0 && stop) throw error;
        if (i > 0) yield LOST;
        if (part !== '') yield bytesOf(part);
      }
    }
    expect(first).toBeGreaterThanOrEqual(0);
    const input = {
      ...{ name: 'evidence', size: undefined, modifiedMs: MODIFIED },
      blocks: () => pieces(true),
      pieces: () => pieces(false),
    };
    return collect(syslogImporter, input, {}, 7);
  }

  it('joins no record across damage, and keeps the parts of lines beside it', async () => {
    const got = await readPieces([before, after]);
    expect(got.rows.map(({ message }) => message)).toEqual([
      'app[1]: a\n\tat one',
      'app[2]: b',
      '\tat three',
      'app[3]: c\n\tat four',
    ]);
    expect(got.quarantined.map(({ offset, raw }) => [offset, Buffer.from(raw).toString()])).toEqual(
      [
        [before.length - 5, '\tat t'],
        [before.length, 'wo'],
      ],
    );
    expect(got.rows.at(-1)!.offset).toBe(before.length + after.indexOf('2026'));
  });

  it('reads one whose beginning is lost', async () => {
    const got = await readPieces(['', after, after]);
    expect(got.rows.map(({ message }) => message)).toEqual([
      ...['\tat three', 'app[3]: c\n\tat four'],
      ...['\tat three', 'app[3]: c\n\tat four'],
    ]);
    expect(got.quarantined).toHaveLength(2);
  });
});
