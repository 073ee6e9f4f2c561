/** Logs of device installation: sections with the time of their start, and what is no whole section. */
import { describe, expect, it } from 'vitest';
import { TS_BASIS } from '../../engine/contract/event.ts';
import { cutFields } from '../../engine/fields/cutting/cut-fields.ts';
import { shippedCutter } from '../../engine/fields/cutting/extractors.ts';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { setupApiImporter } from './index.ts';

const sniffed = (text: string): string | undefined =>
  setupApiImporter.sniff(Buffer.from(text), { name: 'x', complete: true })?.format;
const collect = (text: string, timeZone?: string, block?: number): Promise<Collected> =>
  collectInput(setupApiImporter, inputOf(Buffer.from(text), 'x', block), {
    ...{ format: 'setupapi', timeZone },
  });
const T = (text: string): number => Date.parse(text) * 1000;

const HEADING =
  '[Device Install Log]\r\n     OS Version = 10.0.19045\r\n     Suite = 0x0100\r\n\r\n[BeginLog]\r\n\r\n';
const BOOT = '[Boot Session: 2026/05/13 09:58:03.498]\r\n\r\n';
const section = (title: string, body: string, status = 'SUCCESS'): string =>
  `>>>  [${title}]\r\n>>>  Section start 2026/05/13 10:00:01.123\r\n${body}<<<  Section end 2026/05/13 10:00:02.500\r\n<<<  [Exit status: ${status}]\r\n\r\n`;
const USB = 'USBSTOR\\Disk&Ven_Example&Prod_Stick&Rev_1.00\\4C530001&0';
const INSTALL = section(
  `Device Install (Hardware initiated) - ${USB}`,
  '     cmd: C:\\Windows\\system32\\services.exe\r\n     dvi: {Build Driver List} 10:00:01.176\r\n     dvi:      Error = 0x1\r\n',
);

describe('a section', () => {
  it('has the time of its start, the device, the command and the status', async () => {
    const text = HEADING + BOOT + INSTALL;
    expect(sniffed(text)).toBe('setupapi');
    const got = await collect(text, '+02:00');
    expect(got.rows).toHaveLength(4);
    expect(got.rows[3]).toMatchObject({
      ...{ ts: T('2026-05-13T08:00:01.123Z'), ts_basis: TS_BASIS.zoneDecided, ts_digits: 3 },
      ...{ program: 'setupapi', event_type: 'Device Install (Hardware initiated)' },
      ...{ category: 'host', action: 'install', outcome: 'success' },
      command: 'C:\\Windows\\system32\\services.exe',
      ...{ offset: HEADING.length + BOOT.length, length: INSTALL.length - 4 },
      attrs: { device_id: USB, serial: '4C530001', section_end: '2026/05/13 10:00:02.500' },
    });
    expect(String(got.rows[3]!['message']).split('\n')).toHaveLength(7);
    expect(got.decisions).toMatchObject({ tz: '+02:00', tzBasis: 'given' });
    expect(got.notes).toEqual([]);
  });

  it('has what is around it as events of their own', async () => {
    const { rows, skipped, read } = await collect(HEADING + BOOT + INSTALL);
    expect(rows.slice(0, 3).map(({ ts, message }) => [ts, message])).toEqual([
      [undefined, '[Device Install Log]\n     OS Version = 10.0.19045\n     Suite = 0x0100'],
      [undefined, '[BeginLog]'],
      [T('2026-05-13T09:58:03.498Z'), BOOT.trim()],
    ]);
    expect(rows[2]).toMatchObject({ category: 'host', action: 'boot' });
    expect(skipped).toEqual({
      'blank line': 4,
      'continuation line, kept in the event before it': 8,
    });
    expect(read).toBe(16);
  });

  it.each([1, 7, 4096])('is read alike in blocks of %d', async (block) => {
    expect(await collect(HEADING + INSTALL, undefined, block)).toEqual(
      await collect(HEADING + INSTALL),
    );
  });

  it('that failed has the code of its error', async () => {
    const { rows } = await collect(
      section('Setup Import Driver Package - C:\\Temp\\x.inf', '', 'FAILURE(0xe0000242)'),
    );
    expect(rows[0]).toMatchObject({
      ...{ outcome: 'failure', error_code: '0xe0000242', category: 'driver' },
      ...{ file_path: 'C:\\Temp\\x.inf', event_type: 'Setup Import Driver Package' },
    });
  });

  it('of a device without a serial number has none', async () => {
    const { rows } = await collect(section('Device Install - USB\\VID_0000\\5&bd89ed7&0&2', ''));
    expect(rows[0]!.attrs).toMatchObject({ device_id: 'USB\\VID_0000\\5&bd89ed7&0&2' });
    expect(rows[0]!.attrs).not.toHaveProperty('serial');
  });

  it('takes no fields from its text', async () => {
    const { rows } = await collect(section('x', '     inf: src = 198.51.100.9, user = root\r\n'));
    expect(cutFields(shippedCutter(), 'setupapi', String(rows[0]!['message']))).toEqual({});
  });

  it('of very many lines is several events with its time', async () => {
    const { rows } = await collect(
      section(`Device Install - ${USB}`, '     x: y\r\n'.repeat(2500)),
    );
    expect(rows.map(({ ts, outcome }) => [ts, outcome])).toEqual([
      [T('2026-05-13T10:00:01.123Z'), undefined],
      [T('2026-05-13T10:00:01.123Z'), 'success'],
    ]);
    expect(rows[1]).toMatchObject({ attrs: { device_id: USB }, action: 'install' });
    expect(rows[1]!['ts_basis']).toBe(TS_BASIS.zoneDecided | TS_BASIS.inherited);
  });
});

it.each(['     cmd: *\r\n', '>>>  Section start *\r\n', '<<<  Section end *\r\n'])(
  'a long line of blanks in %j takes no more than linear time',
  async (line) => {
    const { rows } = await collect(section('x', line.replace('*', `${' '.repeat(400_000)}x`)));
    expect(rows).toHaveLength(1);
  },
);

it('a separator in a title makes no section part of another', async () => {
  const { rows } = await collect(section('a - b', '') + section('a - b\u2028c', ''));
  expect(rows.map(({ ts }) => ts)).toEqual(new Array(2).fill(T('2026-05-13T10:00:01.123Z')));
});

describe('what is no whole section', () => {
  it('is an event with the time of its start, if it has one', async () => {
    const cut = INSTALL.slice(0, INSTALL.indexOf('<<<'));
    const got = await collect(`     dvi: rest\r\n<<<  [Exit status: SUCCESS]\r\n${cut}${INSTALL}`);
    expect(got.rows.map(({ ts, outcome }) => [ts, outcome])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [T('2026-05-13T10:00:01.123Z'), undefined],
      [T('2026-05-13T10:00:01.123Z'), 'success'],
    ]);
    expect(got.notes).toEqual(['1 of its sections has no end']);
  });

  it('has no time of a day that there is not', async () => {
    const { rows } = await collect(INSTALL.replace('start 2026/05/13', 'start 2026/99/99'));
    expect(rows[0]).not.toHaveProperty('ts');
    expect(rows[0]).toMatchObject({ outcome: 'success' });
  });

  it('accounts for every line wherever it is cut off', async () => {
    const text = HEADING + BOOT + INSTALL;
    for (let size = 0; size < text.length; size += 11) {
      const lines = text.slice(0, size).split('\n');
      if (lines.at(-1) === '') lines.pop();
      expect((await collect(text.slice(0, size))).read).toBe(lines.length);
    }
  });
});

it.each(['>>>  [x]\n', '[Device Install]\n', 'a\n', ''])('%j is no such log', (text) => {
  expect(sniffed(text)).toBeUndefined();
});
