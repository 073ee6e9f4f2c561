import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Collected, collect, inputOf } from '../shared/testing/collect.ts';
import { nfcapdImporter } from './index.ts';
import { decompressLz4 } from './lz4.ts';
import { BadBlock, decompressLzo } from './lzo.ts';
import { FILES } from './testing/files.ts';

const read = (bytes: Uint8Array): Promise<Collected> =>
  collect(nfcapdImporter, inputOf(bytes), { format: 'nfcapd' });

const none = FILES['none']!;
/** Position and content of the only block of flows. */
const BLOCK = 40;
const blockBytes = none.readUInt32LE(BLOCK + 4);

describe.each(Object.entries(FILES))('compression %s', (name, bytes) => {
  it('gives the flows', async () => {
    expect(nfcapdImporter.sniff(bytes, { name: 'x', complete: true })).toEqual({
      ...{ score: 1, format: 'nfcapd' },
    });
    const { rows, notes, quarantined } = await read(bytes);
    expect([notes, quarantined]).toEqual([[], []]);
    expect(
      rows.map(({ offset, length, ...row }) => ({ ...row, placed: offset !== length })),
    ).toEqual(
      (await read(none)).rows.map(({ offset, length, ...row }) => ({
        ...row,
        placed: offset !== length,
      })),
    );
    expect(rows[0]).toMatchObject({
      ...{ ts: Date.UTC(2026, 9, 13, 1, 30, 5, 330) * 1000, duration: 0 },
      ...{ src_ip4: 0xc633_640f, src_port: 9200, dst_ip4: 0xc000_0250, dst_port: 10_002 },
      ...{ proto: 6, tcp_flags: 0x14, packets: 1, bytes: 40 },
      attrs: { in_src_mac: '02:00:c6:33:64:0f', out_dst_mac: '02:00:c0:00:02:50' },
    });
    expect(rows[2]).toMatchObject({ proto: 17, dst_port: 53, bytes: 82 });
    expect(String(rows[2]!['src_ip6'])).toMatch(/^20010db8/);
    // An echo request.
    expect(rows[4]).toMatchObject({ proto: 1, src_port: 8, dst_port: 0, bytes: 84 });
    if (name !== 'none') expect(rows.map(({ offset }) => offset)).toEqual([40, 40, 40, 40, 40]);
  });

  it('ends, and adds up, wherever it is cut off', async () => {
    for (let end = 0; end < bytes.length; end++) {
      const { rows, notes } = await read(bytes.subarray(0, end));
      expect(rows.length).toBeLessThanOrEqual(5);
      expect([end, notes.length]).not.toEqual([end, 0]);
    }
  });

  it('ends, and adds up, whatever byte is changed', async () => {
    for (let at = 4; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x5a;
      await read(changed);
    }
  });
});

it('reads blocks of zstd', async () => {
  const packed = zstdCompressSync(none.subarray(BLOCK + 12, BLOCK + 12 + blockBytes));
  const head = Buffer.from(none.subarray(0, BLOCK + 12));
  head[16] = 4;
  head.writeUInt32LE(packed.length, BLOCK + 4);
  // The bytes after the flows are not compressed.
  const rest = Buffer.from(none.subarray(BLOCK + 12 + blockBytes));
  rest.writeUInt16LE(1, 10);
  const { rows, notes } = await read(Buffer.concat([head, packed, rest]));
  expect([rows.length, notes]).toEqual([5, []]);
});

it('says when the file has another number of flows than it says', async () => {
  const other = Buffer.from(none);
  other.writeBigUInt64LE(7n, none.length - 144);
  expect((await read(other)).notes).toEqual(['the file states 7 flows; 5 were found']);
});

it('does not read what is encrypted', async () => {
  const locked = Buffer.from(none);
  locked[17] = 1;
  const { rows, notes } = await read(locked);
  expect([rows, notes]).toEqual([[], [expect.stringContaining('it is encrypted')]]);
});

/** A file of layout 1 with a map and one flow: 64-bit packets, 32-bit bytes, interfaces, AS, next hop. */
function fileOfV1(little: boolean, long: boolean): Buffer {
  const bytes = Buffer.alloc(1000);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const u8 = (value: number): unknown => view.setUint8(at++, value);
  const u16 = (value: number): void => {
    view.setUint16(at, value, little);
    at += 2;
  };
  const u32 = (value: number): void => {
    view.setUint32(at, value, little);
    at += 4;
  };
  const u64 = (value: bigint): void => {
    view.setBigUint64(at, value, little);
    at += 8;
  };
  u16(0xa50c);
  u16(1);
  u32(0);
  u32(1);
  bytes.write('router 7', at);
  at = 140;
  u64(1n);
  at = 276;
  const flowBytes = 32 + (long ? 32 : 8) + 8 + 4 + 4 + 8 + 4;
  u32(2);
  u32(16 + flowBytes);
  u16(2);
  u16(0);
  // The map.
  for (const value of [2, 16, 5, 16, 4, 7, 9, 0]) u16(value);
  for (const value of [10, flowBytes, 2 | (long ? 1 : 0), 5, 250, 750]) u16(value);
  u32(1_700_000_000);
  u32(1_700_000_002);
  for (const value of [0, 0x12, 6, 0x10]) u8(value);
  for (const value of [40_000, 443, 1, 0]) u16(value);
  if (long) for (const value of [0x2001_0db8n << 32n, 1n, 0x2001_0db8n << 32n, 2n]) u64(value);
  else for (const value of [0xc000_0201, 0xc633_6402]) u32(value);
  u64(3n);
  u32(1500);
  u16(11);
  u16(12);
  u32(64_500);
  u32(64_501);
  u32(0xc000_02fe);
  return bytes.subarray(0, at);
}

describe.each([
  ['little-endian', true],
  ['big-endian', false],
])('layout 1, %s', (_, little) => {
  it.each([
    ['IPv4', false],
    ['IPv6', true],
  ])('%s', async (__, long) => {
    const bytes = fileOfV1(little, long);
    const { rows, notes, skipped, metadata } = await read(bytes);
    expect([notes, skipped]).toEqual([[], { 'map of extensions': 1 }]);
    expect(metadata).toMatchObject({ ident: 'router 7' });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      ...{ ts: 1_700_000_000_250_000, duration: 2.5, proto: 6, tcp_flags: 0x12 },
      ...{ src_port: 40_000, dst_port: 443, packets: 3, bytes: 1500 },
      attrs: {
        ...{ src_tos: '16', input_snmp: '11', output_snmp: '12', src_as: '64500', dst_as: '64501' },
        ip4_next_hop: '192.0.2.254',
      },
      ...(long
        ? { src_ip6: `20010db8${'0'.repeat(23)}1`, dst_ip6: `20010db8${'0'.repeat(23)}2` }
        : { src_ip4: 0xc000_0201, dst_ip4: 0xc633_6402 }),
    });
    for (let end = 0; end < bytes.length; end++)
      expect((await read(bytes.subarray(0, end))).rows).toEqual([]);
  });

  it('quarantines a flow whose map did not come', async () => {
    const bytes = fileOfV1(little, false);
    bytes[276 + 12 + 16 + (little ? 6 : 7)] = 9;
    const { rows, quarantined } = await read(bytes);
    expect(rows).toEqual([]);
    expect(quarantined[0]!.reason).toBe('a record whose map did not come before it');
  });
});

it.each([
  ['LZO', decompressLzo],
  ['LZ4', decompressLz4],
])('%s ends with any bytes, within its bounds', (_, decompress) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
      const to = new Uint8Array(1000);
      try {
        expect(decompress(bytes, to)).toBeLessThanOrEqual(1000);
      } catch (error) {
        expect(error).toBeInstanceOf(BadBlock);
      }
    }),
    { numRuns: 5000 },
  );
});
