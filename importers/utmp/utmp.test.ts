/** Records of utmp, wtmp, btmp and lastlog, in the layouts of several machines, sound and damaged. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { utmpImporter } from './index.ts';
import { lastlogOf, utmpOf, type Built } from './testing/build.ts';

const collect = (bytes: Uint8Array, format = 'utmp'): Promise<Collected> =>
  collectInput(utmpImporter, inputOf(bytes), { format });
const sniffed = (bytes: Uint8Array, name = 'x'): string | undefined =>
  utmpImporter.sniff(bytes, { name, complete: true })?.format;

const SECONDS = Date.UTC(2026, 10, 21, 10) / 1000;
const LOGIN: Built = {
  ...{ type: 7, pid: 712, line: 'pts/0', id: 'ts/0', user: 'alice', host: '192.0.2.17' },
  ...{ address: [192, 0, 2, 17], session: 5, seconds: SECONDS, micros: 250_000 },
};

const LAYOUTS = [true, false].flatMap((isLittle) =>
  [true, false].map((isLong) => ({ isLittle, isLong })),
);

it.each(LAYOUTS)('reads a log-in of a machine with %o', async (layout) => {
  const bytes = utmpOf([{ type: 0, seconds: 0 }, LOGIN], layout);
  expect(sniffed(bytes)).toBe('utmp');
  const { rows, quarantined, skipped } = await collect(bytes);
  expect(quarantined).toEqual([]);
  expect(skipped).toEqual({ 'empty record': 1 });
  const length = layout.isLong ? 400 : 384;
  expect(rows).toEqual([
    {
      kind: 'log',
      ...{ seq: 2, offset: length, length, pid: 712 },
      ...{ ts: SECONDS * 1e6 + 250_000, ts_digits: 6, src_ip4: 0xc0000211 },
      ...{ category: 'authentication', action: 'login', outcome: 'success', user: 'alice' },
      message: 'USER_PROCESS alice on pts/0 from 192.0.2.17',
      attrs: {
        ...{ type: 'USER_PROCESS', ut_line: 'pts/0', ut_id: 'ts/0', ut_user: 'alice' },
        ...{ ut_host: '192.0.2.17', ut_session: '5' },
      },
    },
  ]);
});

it.each<[string, Partial<Built>, object]>([
  ['a failed log-in', { type: 6, user: 'root' }, { user: 'root', outcome: 'failure' }],
  ['a terminal that waits', { type: 6, user: 'LOGIN' }, { action: undefined, outcome: undefined }],
  ['a log-out', { type: 8, user: '' }, { action: 'logout', outcome: undefined, user: undefined }],
  ['a start', { type: 2, user: 'reboot' }, { action: 'boot', user: undefined }],
  ['a stop', { type: 1, user: 'shutdown' }, { action: 'shutdown', category: 'host' }],
  ['a change of the clock', { type: 3, user: 'date' }, { action: 'time-changed' }],
  [
    'an IPv6 address',
    { address: [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
    { src_ip6: '20010db8000000000000000000000001' },
  ],
  ['an address as host alone', { address: [], host: '198.51.100.7' }, { src_ip4: 0xc6336407 }],
  [
    'a name as host',
    { address: [], host: 'client.example.com' },
    { src_ip4: undefined, src_domain: 'client.example.com' },
  ],
  ['a display as host', { address: [], host: ':0' }, { src_ip4: undefined, src_domain: undefined }],
])('%s', async (_, changed, expected) => {
  const { rows } = await collect(utmpOf([{ ...LOGIN, ...changed }]));
  expect(rows[0]).toMatchObject(
    Object.fromEntries(Object.entries(expected).filter(([, v]) => v !== undefined)),
  );
  for (const [name, value] of Object.entries(expected))
    if (value === undefined) expect(rows[0]).not.toHaveProperty(name);
});

it('reads last log-ins by the number of the account', async () => {
  const bytes = lastlogOf(
    {
      0: { seconds: SECONDS, line: 'tty1', host: '' },
      1000: { seconds: SECONDS + 60, line: 'pts/1', host: '2001:db8::7' },
    },
    1002,
  );
  expect(sniffed(bytes)).toBeUndefined();
  expect(sniffed(bytes, 'var/log/lastlog')).toBe('lastlog');
  const { rows, skipped } = await collect(bytes, 'lastlog');
  expect(skipped).toEqual({ 'account that never logged in': 1000 });
  expect(rows).toMatchObject([
    { user_id: '0', ts: SECONDS * 1e6, message: 'last login of uid 0 on tty1' },
    { user_id: '1000', src_ip6: '20010db8000000000000000000000007', offset: 292_000 },
  ]);
});

it('quarantines what is no record, and says where the file is cut off', async () => {
  const bytes = utmpOf([LOGIN, { ...LOGIN, type: 99 }, { ...LOGIN, micros: 1_000_000 }, LOGIN]);
  const { rows, quarantined, notes } = await collect(bytes.subarray(0, bytes.length - 100));
  expect(rows).toHaveLength(1);
  expect(quarantined.map(({ offset, reason }) => [offset, reason])).toEqual([
    [384, 'a record of unknown type 99'],
    [768, 'an invalid time'],
    [1152, 'ends within a record'],
  ]);
  expect(notes).toEqual(['ends within a record, at offset 1152']);
});

it('takes nothing else for such a file', () => {
  const zeros = new Uint8Array(4096);
  const text = Buffer.from('Nov 21 10:00:00 host sshd[1]: Failed password for root\n'.repeat(40));
  const numbers = Uint8Array.from({ length: 4096 }, (_, i) => (i * 37) & 255);
  for (const head of [zeros, text, numbers, new Uint8Array(0), utmpOf([LOGIN]).subarray(0, 200)])
    expect([sniffed(head), sniffed(head, 'lastlog')]).toEqual([undefined, undefined]);
});

it('loses no record, whatever bytes are changed', async () => {
  let state = 7;
  const random = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % most;
  };
  for (let run = 0; run < 200; run++) {
    const bytes = utmpOf(Array.from({ length: 9 }, () => LOGIN));
    for (let n = random(12); n >= 0; n--) bytes[random(bytes.length)] = random(256);
    const cut = bytes.subarray(0, bytes.length - random(2) * random(800));
    const { read } = await collect(cut);
    expect(read).toBe(Math.ceil(cut.length / 384));
  }
});

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared');
const REAL = path.join(SHARED, 'data/syslog/plaso/utmp');

describe.skipIf(!existsSync(REAL))(
  'real files (skipped where the shared evidence is absent)',
  () => {
    it.each([
      ['utmp_x86_64', 5, 0],
      ['utmp_s390', 5, 0],
      ['utmp_corrupted', 2, 3],
    ])('%s', async (name, events, bad) => {
      const bytes = readFileSync(path.join(REAL, name));
      expect(sniffed(bytes, name)).toBe('utmp');
      const { rows, quarantined } = await collect(bytes);
      expect([rows.length, quarantined.length]).toEqual([events, bad]);
    });
  },
);
