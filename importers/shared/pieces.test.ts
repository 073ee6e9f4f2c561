/**
 * A content that is read in pieces gives what it gives when it is read in one, wherever it is cut; and
 * the position that a plan foresees is the one that the piece before it ends at, in all usual content.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Importer, ReadOptions, ReadPosition } from '../../engine/contract/importer.ts';
import { importers } from '../registry.ts';
import { collect, collectFrom, DEFAULT_OPTIONS, inputOf, type Collected } from './collect.ts';

const syslogImporter = importers.find(({ id }) => id === 'syslog')!;
const flowCsvImporter = importers.find(({ id }) => id === 'flow-csv')!;
const MODIFIED = Date.UTC(2026, 10, 21);
const START: ReadPosition = { offset: 0, line: 0, records: 0, state: '' };

function optionsFor(importer: Importer, bytes: Uint8Array): ReadOptions {
  const format = importer.sniff(bytes.subarray(0, 65_536), { name: 'x', complete: true })?.format;
  return { ...DEFAULT_OPTIONS, format: format ?? importer.id };
}

/** Reads up to each of `cuts` (ascending) from where the piece before really ended. */
async function inPieces(
  importer: Importer,
  bytes: Uint8Array,
  cuts: readonly number[],
): Promise<{ got: Collected; ends: ReadPosition[]; planned: boolean }> {
  const options = optionsFor(importer, bytes);
  const input = inputOf(bytes, 'x', 37, MODIFIED);
  const pieces = importer.pieces!;
  const plan = await pieces.plan(input, options);
  const ends: ReadPosition[] = [];
  const got = await collectFrom(async (sink) => {
    if (plan === undefined) {
      await importer.read(input, sink, options);
      return;
    }
    let from = START;
    for (const until of [...cuts, bytes.length]) {
      if (until < from.offset) continue;
      const piece = { shared: plan.shared, from, until };
      const end = await pieces.read(input, sink, options, piece);
      expect(end).toBeDefined();
      from = end!;
      ends.push(from);
    }
    expect(from.offset).toBe(bytes.length);
  }, 5);
  return { got, ends, planned: plan !== undefined };
}

/** Notes are kept once each; who keeps them sees to that. */
function comparable({ rows, notes, ...rest }: Collected): unknown {
  return {
    ...rest,
    rows: rows.map((row) => ({ ...row, attrs: { ...row.attrs } })),
    notes: [...new Set(notes)],
  };
}

async function expectAlike(
  importer: Importer,
  text: string,
  at: readonly number[],
  planned: boolean,
): Promise<void> {
  const bytes = new Uint8Array(Buffer.from(text, 'latin1'));
  const cuts = [...new Set(at.map((n) => n % (bytes.length + 1)))].sort((a, b) => a - b);
  const whole = await collect(
    importer,
    inputOf(bytes, 'x', 64, MODIFIED),
    optionsFor(importer, bytes),
    5,
  );
  const { got, ...how } = await inPieces(importer, bytes, cuts);
  if (planned) expect(how.planned).toBe(true);
  expect(comparable(got)).toEqual(comparable(whole));
}

const logLine = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'Dec 30 10:00:00 h sshd[1]: a',
      'Jan  2 03:04:05 h su: b',
      'Feb 29 00:00:00 h x: c',
      '<34>Jul 17 01:02:03 h y: d',
    ),
  },
  fc.constantFrom(
    '2026-03-04T10:00:00Z h prog: stated',
    '<165>1 2026-03-04T10:00:00.5Z gate evnt 7 ID1 [x@32473 iut="1"] text',
    '\tat a.b.C(D.java:1)',
    '   an indented line',
    'no header at all',
    '',
    '   ',
    '\0\0\0',
    '{"a":1}',
    'something at 2026-03-04 10:00:00 inside',
    'a word then 10:00:00.123 more and 2025-01-01T00:00:00Z far',
    'h\xe4sslich \xff\xfe',
    '[Mon Mar 02 10:00:00 2026] bracket',
  ),
);
const tableLine = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('10.0.0.1,80,3/4/2026 10:00,5', '10.0.0.2,443,14/4/2026 10:01,6'),
  },
  fc.constantFrom(
    'src_ip,src_port,time,bytes',
    '"quoted, cell",1,3/4/2026 10:00,7',
    '"over',
    'lines",2,3/4/2026 10:00,8',
    'a stray " quote,1,2,3',
    '"never closed,1,2,3',
    'too,few',
    '1,2,3,4,5,6',
    '',
    '  ',
    'Summary',
    '10.0.0.1,80,3/4/2026 10:00,5,',
    '\xff\xfe,1,2,3',
  ),
);
const zeekLine = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('1772618400.25\t10.0.0.1\t80\t-', '1772618401.25\t10.0.0.2\t81\tx'),
  },
  fc.constantFrom(
    '#fields\tts\tid.orig_h\tid.orig_p\tuid',
    '#fields\tts\tuid\tid.orig_h\tid.orig_p',
    '#path\tconn',
    '#path\tdns',
    '#unset_field\t~',
    '#separator \\x09',
    '#separator \\x2c',
    '#close\t2026-03-04-10-00-00',
    '#open\t2026-03-04-11-00-00',
    'bad row',
    '',
    '~\t~\t~\t~',
  ),
);
const jsonLine = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '{"timestamp":"2026-03-04T10:00:00+0000","event_type":"flow","src_ip":"10.0.0.1","flow":{"pkts_toserver":3}}',
      '{"timestamp":"2026-03-04T10:00:01+0000","event_type":"alert","src_ip":"10.0.0.2"}',
    ),
  },
  fc.constantFrom(
    '',
    'not json',
    '[1]',
    '{"a":{"b":1},"a.b":2}',
    '\xff',
    '{"timestamp":1772618400.5,"id":12345678901234567890}',
  ),
);

const cases = [
  { name: 'a log', importer: syslogImporter, head: '', line: logLine },
  {
    name: 'a log without years',
    importer: syslogImporter,
    head: 'Dec 30 10:00:00 h sshd[1]: a\n',
    line: logLine,
  },
  {
    name: 'a table',
    importer: flowCsvImporter,
    head: 'src_ip,src_port,time,bytes\n10.0.0.1,80,3/4/2026 10:00,5\n',
    line: tableLine,
  },
  {
    name: 'a log of Zeek',
    importer: flowCsvImporter,
    head: '#separator \\x09\n#unset_field\t-\n#path\tconn\n#fields\tts\tid.orig_h\tid.orig_p\tuid\n',
    line: zeekLine,
  },
  {
    name: 'JSON lines',
    importer: flowCsvImporter,
    head: '{"timestamp":"2026-03-04T10:00:00+0000","event_type":"flow","src_ip":"10.0.0.1"}\n',
    line: jsonLine,
  },
];

describe.each(cases)('$name in pieces', ({ importer, head, line }) => {
  it('is what it is in one, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 40 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.array(fc.nat(4000), { maxLength: 6 }),
        async (lines, ending, ended, cuts) => {
          const text = head + lines.join(ending) + (ended ? ending : '');
          if (text !== '') await expectAlike(importer, text, cuts, head !== '');
        },
      ),
      { numRuns: 150 },
    );
  });
});

it('a member beyond those that are remembered means the same', async () => {
  const names = (n: number): string => Array.from({ length: 9 }, (_, i) => `"m${n}.${i}":1`).join();
  const text = Array.from(
    { length: 700 },
    (_, n) =>
      `{"ts":${1_772_618_400 + n},"id.orig_h":"10.0.0.1",${n < 600 ? names(n) : `"id.orig_p":${n}`}}\n`,
  ).join('');
  await expectAlike(flowCsvImporter, text, [30_000, 60_000, 90_000, 120_000], true);
});

it.each(['utf16le', 'utf16be'])(
  '%s is read in one, wherever its first lines end',
  async (encoding) => {
    for (const text of ['a\n', '']) {
      const wide = Buffer.from(
        `${text}${'long '.repeat(40_000)}\nOct  1 00:00:00 h a: b\n`,
        'utf16le',
      );
      if (encoding === 'utf16be') wide.swap16();
      const options = { ...DEFAULT_OPTIONS, format: 'text' };
      expect(
        await syslogImporter.pieces!.plan(inputOf(new Uint8Array(wide)), options),
      ).toBeUndefined();
    }
  },
);

/** Lines of usual content, many enough for several pieces. */
const usual: [string, Importer, string][] = [
  [
    'a log with years',
    syslogImporter,
    many(
      (n) =>
        `2026-03-${two(1 + (n >> 7))}T10:00:${two(n % 60)}Z h p[${n}]: m\n${n % 9 === 0 ? '\tat x\n' : ''}`,
    ),
  ],
  [
    'a log without years',
    syslogImporter,
    many(
      (n) =>
        `${n < 500 ? 'Nov' : 'Jan'} ${String(1 + (n >> 6)).padStart(2)} 10:00:${two(n % 60)} h p: m${n}\n`,
    ),
  ],
  [
    'a table',
    flowCsvImporter,
    'src_ip,src_port,bytes\n' + many((n) => `10.0.0.${n % 250},${n},7\n`),
  ],
  [
    'a table with lines in cells',
    flowCsvImporter,
    'src_ip,note,bytes\n' + many((n) => `10.0.0.${n % 250},"one${n % 5 === 0 ? '\ntwo' : ''}",7\n`),
  ],
  [
    'Zeek',
    flowCsvImporter,
    '#separator \\x09\n#path\tconn\n#fields\tts\tid.orig_h\tid.orig_p\n' +
      many((n) => `${1772618400 + n}.5\t10.0.0.1\t${n}\n`),
  ],
  [
    'JSON lines',
    flowCsvImporter,
    many((n) => `{"timestamp":"2026-03-04T10:00:00+0000","event_type":"flow","src_port":${n}}\n`),
  ],
];

function two(n: number): string {
  return String(n).padStart(2, '0');
}
function many(line: (n: number) => string): string {
  return Array.from({ length: 1000 }, (_, n) => line(n)).join('');
}

it.each(usual)('%s: positions are foreseen', async (name, importer, text) => {
  const bytes = new Uint8Array(Buffer.from(text));
  const options = optionsFor(importer, bytes);
  const plan = await importer.pieces!.plan(inputOf(bytes, 'x', 4096, MODIFIED), options);
  if (plan === undefined || 'lead' in plan) throw new Error('no positions are foreseen');
  const foreseen: ReadPosition[] = [];
  let line = 0;
  for (let at = 0; at < bytes.length;) {
    const lf = bytes.indexOf(10, at);
    if (line % 97 > 90 && at > 0 && plan.begins(bytes, at, lf))
      foreseen.push(plan.positionAt(at, line));
    at = lf + 1;
    line += 1;
  }
  const { ends } = await inPieces(
    importer,
    bytes,
    foreseen.map(({ offset }) => offset),
  );
  expect(foreseen.length).toBeGreaterThan(20);
  for (const [i, position] of foreseen.entries()) {
    // How many records there are is known once all before is read.
    const records = name === 'a table with lines in cells' ? ends[i]!.records : position.records;
    expect({ ...position, records }, name).toEqual(ends[i]);
  }
});
