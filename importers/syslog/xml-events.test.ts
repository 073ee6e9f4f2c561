/** Windows events in XML: one a line, over several lines, and in one document as the Event Viewer saves them. */
import { describe, expect, it, vi } from 'vitest';
import { collect, collectFrom, DEFAULT_OPTIONS, inputOf } from '../shared/testing/collect.ts';
import { syslogImporter } from './index.ts';

const NAMESPACE = 'http://schemas.microsoft.com/win/2004/08/events/event';
/** As far before its time as in events of Security. */
const event = (second: number): string =>
  `<Event xmlns='${NAMESPACE}'><System><Provider Name='Microsoft-Windows-Security-Auditing' Guid='{54849625-5478-4994-a5ba-3e3b0328c30d}'/>` +
  '<EventID>4624</EventID><Version>2</Version><Level>0</Level><Task>12544</Task><Opcode>0</Opcode><Keywords>0x8020000000000000</Keywords>' +
  `<TimeCreated SystemTime='2022-10-01T11:25:0${second}.620689000Z'/><EventRecordID>5301${second}</EventRecordID>` +
  `<Computer>pc1</Computer></System><EventData><Data Name='Text'>2001-01-01T00:00:00Z</Data></EventData></Event>`;
const EVENTS = [0, 1, 2, 3].map(event);
const DECLARATION = `<?xml version="1.0" encoding="utf-8" standalone="yes"?>`;
const TIMES = [0, 1, 2, 3].map((n) => Date.UTC(2022, 9, 1, 11, 25, n) * 1000 + 620_689);
const pretty = (text: string): string => text.replaceAll('><', '>\r\n  <');

const FORMS: readonly [string, string, string][] = [
  ['an event a line', 'text', `${EVENTS.join('\n')}\n`],
  ['over several lines', 'windows-xml', `${EVENTS.map(pretty).join('\n')}\n`],
  [
    'saved by the Event Viewer',
    'windows-xml',
    `${DECLARATION}\r\n<Events>${EVENTS.join('')}</Events>`,
  ],
  ['an event a line in a root', 'windows-xml', `\ufeff<Events>\n${EVENTS.join('\n')}\n</Events>\n`],
  ['all of it over several lines', 'windows-xml', pretty(`<Events>${EVENTS.join('')}</Events>`)],
  ['in a root of another name', 'windows-xml', `<root>\r\n${EVENTS.join('\r\n')}\r\n</root>\r\n`],
  [
    'with a comment',
    'windows-xml',
    `<!-- 3 of 9 --><Events>${EVENTS.join('<!-- x > y -->')}</Events>`,
  ],
];

describe.each(FORMS)('%s', (_, format, text) => {
  const bytes = new TextEncoder().encode(text);

  it('is read event by event, each at its time', async () => {
    expect(syslogImporter.sniff(bytes, { name: 'a', complete: true })?.format).toBe(format);
    const { rows } = await collect(syslogImporter, inputOf(bytes));
    expect(rows.map(({ ts }) => ts)).toEqual(TIMES);
    for (const size of [1, 7, 700])
      expect((await collect(syslogImporter, inputOf(bytes, 'a', size))).rows).toEqual(rows);
    for (const [i, { offset, length, message }] of rows.entries()) {
      const raw = Buffer.from(bytes).subarray(Number(offset), Number(offset) + Number(length));
      expect(raw.toString().replaceAll(/\r\n {2}/g, '')).toBe(EVENTS[i]);
      expect(message).toBe(raw.toString());
    }
  });

  it('loses no whole event when it is cut anywhere', async () => {
    for (let end = 40; end < bytes.length; end += 13) {
      const whole = text.slice(0, 1 + end).split('</Event>').length - 1;
      const { rows } = await collect(syslogImporter, inputOf(bytes.subarray(0, end)));
      expect(rows.length, String(end)).toBeGreaterThanOrEqual(Math.min(whole, 4) - 1);
      expect(rows.slice(0, Math.max(0, whole - 1)).map(({ ts }) => ts)).toEqual(
        TIMES.slice(0, Math.max(0, whole - 1)),
      );
    }
  });
});

it.each([
  ['an event a line', `${EVENTS.join('\r\n')}\r\n`],
  ['over several lines', `${EVENTS.map(pretty).join('\r\n')}\r\n`],
  ['in a root element', `${DECLARATION}\r\n<Events>\r\n${EVENTS.join('\r\n')}\r\n</Events>\r\n`],
])('reads events of lines in UTF-16, as PowerShell writes them: %s', async (_, text) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  const { rows } = await collect(syslogImporter, inputOf(bytes));
  expect(rows.flatMap(({ ts }) => (ts === undefined ? [] : [ts]))).toEqual(TIMES);
});

it('reads a document in UTF-16 event by event, and says where each lies', async () => {
  const [first, second] = [EVENTS[0]!.replace('pc1', 'größe😀'), EVENTS[1]!];
  const text = `\ufeff<Events>${first}rubbish é${second}</Events>`;
  const little = Buffer.from(text, 'utf16le');
  const big = Buffer.from(little).swap16();
  for (const [bytes, decoder] of [
    [little, new TextDecoder('utf-16le')],
    [big, new TextDecoder('utf-16be')],
  ] as const) {
    expect(syslogImporter.sniff(bytes, { name: 'a', complete: true })?.format).toBe('windows-xml');
    const got = await collect(syslogImporter, inputOf(bytes));
    expect(got.rows.map(({ ts }) => ts)).toEqual(TIMES.slice(0, 2));
    expect(got.quarantined).toMatchObject([
      { offset: 2 * text.indexOf('rubbish'), reason: 'not a Windows event' },
    ]);
    for (const { offset, length, message } of got.rows)
      expect(decoder.decode(bytes.subarray(Number(offset), Number(offset) + Number(length)))).toBe(
        message,
      );
    expect(got.rows.map(({ message }) => message)).toEqual([first, second]);
    for (const size of [1, 7, 700])
      expect(await collect(syslogImporter, inputOf(bytes, 'a', size))).toEqual(got);
  }
});

const NO_EVENT = 'not a Windows event';
const NO_END = 'an event without an end';
const ALERTS = '<alert src="192.0.2.1"/><alert src="192.0.2.2"/>';
const CUT = EVENTS[1]!.slice(0, 300);

it.each([
  ['text between events', [EVENTS[0], 'rubbish ', EVENTS[1]], [0, 1], [[NO_EVENT, 'rubbish ']]],
  ['another element', [EVENTS[0], ALERTS, EVENTS[1]], [0, 1], [[NO_EVENT, ALERTS]]],
  ['a tag that is cut off', [EVENTS[0], '<Ev', EVENTS[1]], [0, 1], [[NO_EVENT, '<Ev']]],
  ['an event that is cut off', [EVENTS[0], CUT, EVENTS[2]], [0, 2], [[NO_END, CUT]]],
  ['the beginning of an event', [EVENTS[0], CUT], [0], [[NO_END, CUT]]],
])('gives %s to the quarantine, and no event with it', async (_, parts, events, bad) => {
  const bytes = new TextEncoder().encode(`<Events>${parts.join('')}`);
  const { rows, quarantined } = await collect(syslogImporter, inputOf(bytes));
  expect(rows.map(({ message }) => message)).toEqual(events.map((n) => EVENTS[n]));
  expect(quarantined.map(({ reason, raw }) => [reason, Buffer.from(raw).toString()])).toEqual(bad);
});

it('keeps an event whose first bytes end a block, after what is none', async () => {
  const text = `<Events>${EVENTS[0]}${'x'.repeat(600_000)}${EVENTS[1]}${EVENTS[2]}</Events>`;
  const start = text.indexOf(EVENTS[1]!);
  for (const size of [1, 3, 6]) {
    const input = inputOf(new TextEncoder().encode(text), 'a', start + size);
    expect((await collect(syslogImporter, input)).rows).toHaveLength(3);
  }
});

it('looks for the end of an event once, however many begin', async () => {
  const count = 200_000;
  const text = `<Events>${EVENTS[0]}${'<Event '.repeat(count)}`;
  const indexOf = vi.spyOn(Buffer.prototype, 'indexOf');
  try {
    const { quarantined } = await collect(syslogImporter, inputOf(new TextEncoder().encode(text)));
    expect(quarantined).toHaveLength(count);
    const searched = indexOf.mock.calls.reduce((sum, [what, from], i) => {
      const { length } = indexOf.mock.contexts[i] as Buffer;
      return what instanceof Uint8Array ? sum + length - Number(from) : sum;
    }, 0);
    expect(searched).toBeLessThan(10 * text.length);
  } finally {
    indexOf.mockRestore();
  }
});

it('says that a document ends before its root does', async () => {
  const broken: unknown[] = [];
  const whole = `<Events>${EVENTS[0]}${EVENTS[1]}</Events>`;
  for (const text of [whole, EVENTS.map(pretty).join('\n'), whole.slice(0, -'</Events>'.length)])
    await collectFrom((sink) =>
      syslogImporter.read(
        inputOf(new TextEncoder().encode(text)),
        Object.assign(sink, { broken: (...args: unknown[]) => broken.push(args) }),
        DEFAULT_OPTIONS,
      ),
    );
  expect(broken).toEqual([
    [
      'partial',
      whole.length - '</Events>'.length,
      expect.stringMatching(/^ends at offset \d+, inside the document$/),
    ],
  ]);
});

it('takes no time from beyond the part of an event that has its own', async () => {
  const text = `${event(0).replace(/<TimeCreated[^>]*>/, '')}\n`;
  const { rows } = await collect(syslogImporter, inputOf(new TextEncoder().encode(text)));
  expect(rows).toHaveLength(1);
  expect(rows[0]).not.toHaveProperty('ts');
});
