/** Logs in CMTrace's format: their times, their texts over several lines, and what is no record. */
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { cmtraceImporter } from './index.ts';

const sniffed = (text: string): string | undefined =>
  cmtraceImporter.sniff(Buffer.from(text), { name: 'x', complete: true })?.format;
const collect = (text: string, timeZone?: string, block?: number): Promise<Collected> =>
  collectInput(cmtraceImporter, inputOf(Buffer.from(text), 'x', block), {
    ...{ format: 'cmtrace', timeZone },
  });
const record = (text: string, time: string, rest = 'file="agent.cpp:12"'): string =>
  `<![LOG[${text}]LOG]!><time="${time}" date="11-28-2026" component="Agent" context="" type="2" thread="874" ${rest}>\r\n`;
const T = (text: string): number => Date.parse(text) * 1000;

describe('a record', () => {
  it.each([
    ['19:33:19.766-330', '2026-11-28T14:03:19.766Z', 19_800],
    ['01:52:13.827+480', '2026-11-28T09:52:13.827Z', -28_800],
    ['04:20:47.594-60', '2026-11-28T03:20:47.594Z', 3600],
    ['04:20:47.594+000', '2026-11-28T04:20:47.594Z', 0],
  ])('of Configuration Manager has %s as %s', async (time, utc, offset) => {
    const text = record('started', time);
    expect(sniffed(text)).toBe('cmtrace');
    const got = await collect(text, 'Asia/Tokyo');
    expect(got.rows).toEqual([
      expect.objectContaining({
        ...{ kind: 'log', ts: T(utc), ts_digits: 3, ts_basis: 0, tz_offset: offset },
        ...{ message: 'started', program: 'Agent', severity: 4, seq: 1, offset: 0 },
        ...{ length: text.length - 2, attrs: { thread: '874', file: 'agent.cpp:12' } },
      }),
    ]);
    expect(got.decisions).not.toHaveProperty('tz');
    expect(got.notes).toEqual([]);
  });

  it('states a zone only where Configuration Manager wrote its offset', async () => {
    const got = await collect(
      record('by a script', '10:00:00.0000000+120', 'file="Install.ps1"') +
        record('by an agent', '10:00:00.1234567', 'file=""') +
        record('of any zone', '10:00:00.000+000', 'file="Install.ps1"') +
        record('with two signs', '10:00:00.000+-300', 'file=""') +
        record('in no form', '10 AM', 'file=""'),
      'Europe/Berlin',
    );
    expect(got.rows.map(({ ts, ts_basis }) => [ts, ts_basis])).toEqual([
      [T('2026-11-28T09:00:00Z'), TS_BASIS.zoneDecided],
      [T('2026-11-28T09:00:00Z') + 123_456, TS_BASIS.zoneDecided],
      [T('2026-11-28T09:00:00Z'), TS_BASIS.zoneDecided],
      [T('2026-11-28T09:00:00Z'), TS_BASIS.zoneDecided],
      [undefined, undefined],
    ]);
    expect(got.rows[1]).toMatchObject({ ts_ns: 700, ts_digits: 7, attrs: { thread: '874' } });
    expect(got.decisions).toMatchObject({ tz: 'Europe/Berlin', tzBasis: 'given' });
    expect(got.notes).toEqual([expect.stringMatching(/^3 of its times .* --tz/)]);
  });

  it.each([
    // An offset of 120 minutes without a sign; microseconds look the same.
    ['10:00:00.836120', 836_000, 3],
    ['10:00:00.836-300', 836_000, 3],
    // Milliseconds without zeros before them.
    ['10:00:00.7+000', 0, 0],
    ['10:00:00.123456+000', 123_456, 6],
  ])('of a script has of %s the digits that are certain', async (time, micros, digits) => {
    const { rows } = await collect(record('x', time, 'file=""'), 'UTC');
    expect(rows[0]).toMatchObject({ ts: T('2026-11-28T10:00:00Z') + micros, ts_digits: digits });
  });

  it.each([
    ['utf8', 0, 2],
    ['latin1', 0, 2],
    ['utf16le', 2, 4],
  ] as const)('is read in %s, with its place in the file', async (encoding, mark, lineEnd) => {
    const text = record('Gerät', '10:00:00.000-60');
    const bytes = Buffer.from(mark === 0 ? text : `\ufeff${text}`, encoding);
    const { rows } = await collectInput(cmtraceImporter, inputOf(bytes, 'x', 7), {
      format: 'cmtrace',
    });
    expect(rows).toEqual([
      expect.objectContaining({
        ...{ message: 'Gerät', offset: mark, length: bytes.length - mark - lineEnd },
      }),
    ]);
  });

  it('has its own time, whatever ends its text has', async () => {
    const forged = record('x', '01:02:03.000-60').trim().slice('<![LOG['.length);
    const { rows } = await collect(record(`ran ${forged} as asked`, '10:00:00.000-60'));
    expect(rows).toEqual([expect.objectContaining({ ts: T('2026-11-28T09:00:00Z') })]);
    expect(rows[0]!['message']).toBe(`ran ${forged} as asked`);
  });

  it('of a script on one line states no zone', async () => {
    const { rows } = await collect('a $$<S><11-28-2026 10:00:00.000+300><thread=12>\n', '+02:00');
    expect(rows[0]).toMatchObject({ ts: T('2026-11-28T08:00:00Z'), message: 'a', program: 'S' });
  });

  it.each([1, 7, 4096])('has a text of several lines, in blocks of %d', async (block) => {
    const text = record('Event:\r\n{\r\n\r\n\tA = 1;\r\n}', '10:00:00.000-60');
    const got = await collect(text + record('next', '10:00:01.000-60'), undefined, block);
    expect(got.rows.map(({ message, offset }) => [message, offset])).toEqual([
      ['Event:\n{\n\n\tA = 1;\n}', 0],
      ['next', text.length],
    ]);
  });

  it('of one line ends with its component, time and thread', async () => {
    const text =
      'Sent 3 files  $$<SMS_SENDER><11-28-2026 22:00:01.123+300><thread=2280 (0x8E8)>\n'.repeat(2);
    expect(sniffed(text)).toBe('cmtrace');
    const got = await collect(text);
    expect(got.rows).toHaveLength(2);
    expect(got.rows[1]).toMatchObject({
      ...{ message: 'Sent 3 files', program: 'SMS_SENDER', attrs: { thread: '2280' } },
      ...{ ts: T('2026-11-29T03:00:01.123Z'), ts_basis: 0, tz_offset: -18_000 },
    });
  });
});

describe('what is no whole record', () => {
  it('is an event without a time', async () => {
    const got = await collect(
      `the end of one\n\n<![LOG[was stopped\nhere\n${record('after', '10:00:00.000-60')}<![LOG[last`,
    );
    expect(got.rows.map(({ ts, message }) => [ts, message])).toEqual([
      [undefined, 'the end of one'],
      [undefined, 'was stopped\nhere'],
      [T('2026-11-28T09:00:00Z'), 'after'],
      [undefined, 'last'],
    ]);
    expect(got.skipped).toEqual({
      'blank line': 1,
      'continuation line, kept in the event before it': 1,
    });
    expect(got.read).toBe(6);
    expect(got.notes).toEqual(['2 of its records have no end, and no time']);
  });

  it('has the time that its end states', async () => {
    const got = await collect(record('end', '10:00:00.000-60').slice('<![LOG['.length));
    expect(got.rows).toEqual([
      expect.objectContaining({ ts: T('2026-11-28T09:00:00Z'), message: 'end', program: 'Agent' }),
    ]);
  });

  it('may have blanks up to the limit of a line', async () => {
    const line = `$$<${' '.repeat(1_000_000)}x`;
    expect((await collect(line)).rows[0]).toMatchObject({ message: line });
  });

  it('has no time of a day that there is not', async () => {
    const got = await collect(record('x', '10:00:00.000-60').replace('11-28', '02-30'));
    expect(got.rows[0]).not.toHaveProperty('ts');
    expect(got.rows[0]).toMatchObject({ message: 'x', program: 'Agent' });
  });

  it('is quarantined where a line is too long', async () => {
    const long = `${'y'.repeat(1_100_000)}\n`;
    const got = await collect(record('x', '10:00:00.000-60') + long + record('z', '10:00:00.000'));
    expect(got.rows.map(({ message }) => message)).toEqual(['x', 'z']);
    expect(got.quarantined[0]).toMatchObject({ reason: 'line longer than 1048576 bytes' });
    expect(got.quarantined[0]!.offset).toBe(record('x', '10:00:00.000-60').length);
  });
});

it.each(['Oct  1 00:00:00 h a: <![LOG[x]LOG]!>', '{"a":"<![LOG["}', 'price $$<5>', ''])(
  'does not take %j for such a log',
  (text) => {
    expect(sniffed(text)).toBeUndefined();
  },
);
