/** Binary journals in all their forms, intact and damaged, compared with the same entries in an export. */
import { describe, expect, it } from 'vitest';
import { MAX_ENTRY } from '../shared/journal-entry.ts';
import { collect as collectInput, inputOf, type Collected } from '../shared/testing/collect.ts';
import { jenkinsHash, sipHash } from './hashes.ts';
import { journalImporter } from './index.ts';
import { COMPRESSED } from './layout.ts';
import {
  BOOT_ID,
  type BuiltEntry,
  journalOf,
  lz4Field,
  SEQUENCE_ID,
  type StoredField,
  zstdField,
} from './testing/build.ts';

const collect = (bytes: Uint8Array, blockSize?: number): Promise<Collected> =>
  collectInput(journalImporter, inputOf(bytes, 'system.journal', blockSize));

const MICROS = Date.UTC(2026, 10, 21, 10) * 1000;
const COMMON = ['PRIORITY=5', '_HOSTNAME=host1', 'SYSLOG_IDENTIFIER=sshd', '_COMM=sshd-session'];
const ENTRIES: readonly BuiltEntry[] = [
  { realtime: MICROS, fields: [...COMMON, '_PID=77', 'MESSAGE=first'] },
  {
    realtime: MICROS + 1,
    fields: [...COMMON, '_PID=78', 'MESSAGE=two\nlines', Buffer.from('BYTES=\xff\0', 'latin1')],
  },
  { realtime: MICROS + 2, fields: [...COMMON, `_BOOT_ID=${BOOT_ID}`, 'TAG=a', 'MESSAGE=last'] },
];
const FORMS = [true, false].flatMap((isCompact) =>
  [true, false].map((isKeyedHash) => ({ isCompact, isKeyedHash })),
);
/** `abc ` 200 times, as `xz` writes it. */
const XZ =
  '/Td6WFoAAAD/EtlBAgAhARYAAAB0L+Wj4AMnABZdACaRRsDRlFfkkusrph/nKSiraqcpgAAAAAAAASqoBgAAAAZ5XgCoAAr8AgAAAAAAWVo=';
const LONG = Buffer.from(`MESSAGE=${'abc '.repeat(200)}`);

describe('a journal', () => {
  it.each(FORMS)('is read with %o', async (form) => {
    const { bytes, entries } = journalOf(ENTRIES, form);
    expect(journalImporter.sniff(bytes, { name: 'x', complete: true })?.format).toBe('journal');
    const got = await collect(bytes);
    expect(got.quarantined).toEqual([]);
    expect(got.notes).toEqual([]);
    const items = ENTRIES[0]!.fields.length;
    const { record_key: key, ...first } = got.rows[0]!;
    expect(Number.isSafeInteger(key)).toBe(true);
    expect(first).toEqual({
      ...{ kind: 'log', seq: 1, offset: entries[0] },
      length: 64 + items * (form.isCompact ? 4 : 16),
      ...{ ts: MICROS, ts_digits: 6, ts_basis: 0 },
      ...{ severity: 5, host: 'host1', program: 'sshd', pid: 77, message: 'first' },
      attrs: {
        __CURSOR: `s=${SEQUENCE_ID};i=1;b=${BOOT_ID};m=3e8;t=${MICROS.toString(16)};x=abc`,
        __MONOTONIC_TIMESTAMP: '1000',
        ...{ _BOOT_ID: BOOT_ID, _COMM: 'sshd-session' },
      },
    });
    expect(got.rows[1]).toMatchObject({ message: 'two\nlines', attrs: { BYTES: 'ÿ\0' } });
    expect(got.rows[2]!.attrs).toMatchObject({ _BOOT_ID: BOOT_ID, TAG: 'a' });
    expect(got.rows[2]!.attrs).not.toHaveProperty(['_BOOT_ID.2']);
  });

  it.each<[string, StoredField]>([
    ['ZSTD', zstdField(LONG)],
    ['LZ4', lz4Field(Buffer.from('MESSAGE=abcd'), 400)],
    ['LZ4 of lengths at their borders', lz4Field(Buffer.from('MESSAGE=abcdefg'), 19)],
    ['XZ', { content: LONG, stored: Buffer.from(XZ, 'base64'), flags: COMPRESSED.xz }],
  ])('has fields compressed with %s', async (_, field) => {
    const entries = [0, 1].map((i) => ({ realtime: MICROS + i, fields: [...COMMON, field] }));
    const got = await collect(journalOf(entries).bytes);
    const message = field.content.toString().replace('MESSAGE=', '');
    expect(got.rows.map((row) => row['message'])).toEqual([message, message]);
    expect(got.rows[0]!.attrs).not.toHaveProperty('problem');
  });

  it('says that it was not closed, and that entries are missing', async () => {
    const { bytes } = journalOf(ENTRIES, { state: 1, entries: 5 });
    const { notes, rows } = await collect(bytes);
    expect(rows).toHaveLength(3);
    expect(notes).toEqual([
      'the journal was not closed properly: its last entries may be missing',
      "the journal's header states 5 entries, 3 were found",
    ]);
  });
});

describe('a damaged journal', () => {
  const { bytes, entries, fields } = journalOf(ENTRIES);
  const changed = (at: number, ...values: number[]): Buffer => {
    const copy = Buffer.from(bytes);
    Buffer.from(values).copy(copy, at);
    return copy;
  };
  const messages = ({ rows }: Collected): unknown[] => rows.map((row) => row['message']);

  it('has events that say which of their fields were changed', async () => {
    const got = await collect(changed(fields.get('_HOSTNAME=host1')! + 64 + 14, 0x39));
    expect(got.rows.map((row) => row['host'])).toEqual(['host9', 'host9', 'host9']);
    for (const row of got.rows) {
      expect(row.attrs['problem']).toBe('a field has another hash than the journal states');
      expect(row).not.toHaveProperty('record_key');
    }
  });

  it('has events without a field that cannot be found', async () => {
    const got = await collect(changed(fields.get('MESSAGE=first')!, 0));
    expect(messages(got)).toEqual([undefined, 'two\nlines', 'last']);
    expect(got.rows[0]!.attrs['problem']).toBe('a field cannot be found');
    expect(got.quarantined).toHaveLength(1);
    expect(got.notes).toEqual(['the journal is damaged: entries may be missing']);
  });

  it.each([
    ['smaller', [20]],
    ['larger', [0, 1]],
    ['much larger', [0, 0, 0, 2]],
  ])('is read on after an object whose size is %s', async (_, size) => {
    const got = await collect(changed(fields.get('_PID=78')! + 8, ...size));
    expect(messages(got)).toEqual(['first', 'two\nlines', 'last']);
    expect(got.rows[1]!.attrs['problem']).toBe('a field cannot be found');
    expect(got.notes).not.toEqual([]);
  });

  it('is read on after an entry that is none', async () => {
    const got = await collect(changed(entries[1]! + 8, 0xff, 0xff, 0xff, 0xff));
    expect(messages(got)).toEqual(['first', 'last']);
    expect(got.quarantined).toHaveLength(1);
    expect(got.quarantined[0]).toMatchObject({ offset: entries[1] });
    expect(got.notes).toContain("the journal's header states 3 entries, 2 were found");
  });

  it('has a payload that cannot be decompressed', async () => {
    const field = { ...zstdField(LONG), stored: zstdField(LONG).stored.subarray(0, 12) };
    const got = await collect(journalOf([{ realtime: MICROS, fields: [...COMMON, field] }]).bytes);
    expect(got.rows[0]!.attrs['problem']).toBe('a field cannot be decompressed');
  });

  it('is partial where it is cut off, wherever that is', async () => {
    for (let size = 208; size < bytes.length; size += 8) {
      const got = await collect(bytes.subarray(0, size));
      expect(got.rows).toHaveLength(entries.filter((at, i) => at + entrySize(i) <= size).length);
      expect(got.notes).toContain(`ends before the journal does, at offset ${size}`);
    }
  });
  const entrySize = (i: number): number => 64 + 16 * ENTRIES[i]!.fields.length;

  it('survives a change of every byte', async () => {
    for (let at = 8; at < bytes.length - 512; at++)
      for (const value of [0, 0xff, bytes[at]! ^ 1]) {
        const got = await collect(changed(at, value));
        expect(got.rows.length + got.quarantined.length).toBeGreaterThan(0);
      }
  });

  it('reads none of an entry that is too large', async () => {
    const field = zstdField(Buffer.from(`CORE=${'c'.repeat(MAX_ENTRY)}`));
    const large = { realtime: MICROS, fields: [...COMMON, field] };
    const got = await collect(journalOf([large, ...ENTRIES]).bytes);
    expect(got.quarantined.map(({ reason }) => reason)).toEqual([
      `journal entry larger than ${MAX_ENTRY} bytes`,
    ]);
    expect(messages(got)).toEqual(['first', 'two\nlines', 'last']);
  });
});

it('gives the same in blocks of any size', async () => {
  const { bytes } = journalOf(ENTRIES, { isCompact: true });
  const whole = await collect(bytes);
  for (const size of [1, 7, 64, 1000]) expect(await collect(bytes, size)).toEqual(whole);
});

it('computes hashes as their authors do', () => {
  const key = Buffer.from(Array.from({ length: 16 }, (_, i) => i));
  const bytes = Buffer.from(Array.from({ length: 15 }, (_, i) => i));
  expect(sipHash(bytes, key)).toBe(0xa129ca6149be45e5n);
  expect(jenkinsHash(Buffer.from('Four score and seven years ago'))).toBe(0x17770551ce7226e6n);
});
