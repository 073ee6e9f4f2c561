/**
 * Reading packets back: the result for a packet's event must equal what the importer saw. Checked on captures of
 * every container format, including damaged ones, on all captures of the shared evidence, and on some of them
 * against tshark.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SourceError } from '../../../engine/contract/errors.ts';
import type { SourceLocation } from '../../../engine/contract/source-location.ts';
import type { EventSink } from '../../../engine/evidence/importer.ts';
import { zipOf } from '../../shared/testing/archives.ts';
import { openItem } from '../../shared/archives/walk.ts';
import { collect, inputOf } from '../../shared/testing/collect.ts';
import {
  ascii,
  cat,
  classicFile,
  ethernet,
  hex,
  n32,
  Section,
  type Bytes,
} from '../testing/build.ts';
import { pcapImporter, readCapture } from '../index.ts';
import { PcapngSlice, type SlicedPacket } from './pcapng-slice.ts';
import { EventBatch } from '../../../engine/columns/event-batch.ts';
import { PacketReader, type RecordPlace } from './record.ts';
import { TRUNCATION_FILES } from '../testing/variants.ts';

const SHARED =
  process.env['DAYBOOK_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');
const DATA = path.join(SHARED, 'data');
const TRUTH = path.join(DATA, 'pcap-truth.tsv');
const TSHARK = '/usr/bin/tshark';

interface Seen {
  place: RecordPlace;
  frame: Buffer;
  linkType: number;
  wireLength: number;
}

/** What the importer sees of each packet that becomes an event. */
async function seen(input: ReturnType<typeof inputOf>): Promise<Seen[]> {
  const frames: Omit<Seen, 'place'>[] = [];
  const places: RecordPlace[] = [];
  const batch = new EventBatch(
    'packet',
    (full) => {
      for (let row = 0; row < full.length; row++) {
        places.push({
          offset: full.offset.values[row]!,
          length: full.record_length.values[row]!,
        });
      }
      full.clear();
    },
    500,
  );
  const sink: EventSink = {
    batch: () => batch,
    record() {},
    quarantine() {},
    skip() {},
    note() {},
    metadata() {},
    decide() {},
    drain: () => undefined,
  };
  await readCapture(
    input,
    sink,
    { packets: true },
    {
      packet(p) {
        const frame = Buffer.from(p.bytes.subarray(p.start, p.end));
        frames.push({ frame, linkType: p.linkType, wireLength: p.wire });
        return 0;
      },
      finish() {},
    },
  ).catch((error: unknown) => {
    // In a capture whose compression is truncated, everything before is good.
    if (!(error instanceof SourceError)) throw error;
  });
  for (let row = 0; row < batch.length; row++) {
    places.push({ offset: batch.offset.values[row]!, length: batch.record_length.values[row]! });
  }
  return frames.map((one, i) => ({ ...one, place: places[i]! }));
}

/** Positions as returned by a query. */
async function* later(places: readonly RecordPlace[]): AsyncGenerator<RecordPlace> {
  for (const place of places) yield await Promise.resolve(place);
}

/** Reads every packet back and compares; returns their number. */
async function checkAll(location: SourceLocation, packets: readonly Seen[]): Promise<number> {
  let n = 0;
  const places = packets.map((one) => one.place);
  for await (const packet of new PacketReader().readPackets(location, later(places))) {
    const { place, ...wanted } = packets[n]!;
    const { frame, linkType, wireLength, headerLength, record } = packet;
    const isSame =
      linkType === wanted.linkType &&
      wireLength === wanted.wireLength &&
      wanted.frame.equals(frame);
    // To expect it of each takes longer than reading it.
    if (!isSame) expect({ n, linkType, wireLength, frame }).toEqual({ n, ...wanted });
    if (packet.frameOffset !== place.offset + headerLength || record.length !== place.length)
      expect([n, packet.frameOffset, record.length]).toEqual([
        ...[n, place.offset + headerLength, place.length],
      ]);
    n += 1;
  }
  expect(n).toBe(packets.length);
  return n;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'daybook-packets-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function stored(name: string, bytes: Uint8Array): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  return file;
}

const FRAME = ethernet(0x0800, ascii('what a frame holds'));
const SNOOP = cat(
  ascii('snoop'),
  '000000',
  n32(2),
  n32(4),
  ...[FRAME, cat(FRAME, '00')].map((frame) => {
    const pad = new Uint8Array((4 - (frame.length % 4)) % 4);
    return cat(
      n32(99),
      n32(frame.length),
      n32(24 + frame.length + pad.length),
      n32(0),
      n32(1),
      n32(2),
      frame,
      pad,
    );
  }),
);

function manySections(): Bytes {
  const at = 1_700_000_000_000_000n;
  const one = new Section(true);
  const two = new Section(false);
  return cat(
    one.header(),
    one.interface(1, 0),
    one.packet(0, at, FRAME),
    one.interface(101, 20),
    one.packet(1, at, FRAME, 1000),
    one.block(0xbad, new Uint8Array(600_000)),
    one.packet(0, at, FRAME),
    two.header(),
    two.interface(113, 12),
    two.interface(1, 0),
    two.simple(FRAME),
    two.packet(1, at, FRAME),
    two.obsolete(0, at, FRAME),
  );
}

function damaged(): Bytes {
  const s = new Section(true);
  const packet = () => s.packet(1, 1_700_000_000_000_000n, FRAME);
  const start = cat(s.header(), s.interface(1, 0), s.interface(9, 0), packet());
  return cat(start, hex('ffffffff ffffffff 00'.repeat(5)), packet(), packet(), packet());
}

const FILES: [string, Bytes][] = [
  ...TRUNCATION_FILES,
  ['snoop', SNOOP],
  ['pcapng of several sections', manySections()],
  ['damaged pcapng', damaged()],
  [
    'pcap 2.3 with swapped lengths',
    classicFile({ minor: 3 }, [{ seconds: 1, fraction: 2, bytes: FRAME, wire: 20 }]).map(
      (b, i, all) =>
        // The captured length is the longer one as it was written.
        i >= 32 && i < 36 ? all[i + 4]! : i >= 36 && i < 40 ? all[i - 4]! : b,
    ),
  ],
  [
    'pcap with an FCS length above the link type',
    classicFile({ linkType: 0x2400_0001 }, [{ seconds: 1, fraction: 2, bytes: FRAME, wire: 90 }]),
  ],
];

describe.each(FILES)('%s', (name, bytes) => {
  const wanted = () => seen(inputOf(bytes));

  it('plain, in any order', async () => {
    const file = await stored('plain', bytes);
    const packets = await wanted();
    expect(packets.length).toBeGreaterThan(0);
    await checkAll({ path: file, members: [] }, packets);
    await checkAll({ path: file, members: [] }, packets.toReversed());
    const last = packets.at(-1)!;
    const alone = await new PacketReader().readPacket(
      { path: file, members: [] },
      last.place.offset,
      last.place.length,
    );
    expect(Buffer.compare(alone.frame, last.frame)).toBe(0);
  });

  it('compressed, and in an archive', async () => {
    const packets = await wanted();
    await checkAll({ path: await stored('gz', gzipSync(bytes)), members: [] }, packets);
    const zip = await stored('zip', zipOf([{ name, content: bytes }]));
    await checkAll({ path: zip, members: [name] }, packets);
    await checkAll({ path: zip, members: [name] }, packets.toReversed());
  });

  it('says that there is no packet where there is none', async () => {
    const file = await stored('plain', bytes);
    for (const [offset, length] of [
      [3, 40],
      [1, 12],
      [0, 24],
      [20, 1 << 30],
      [bytes.length, 20],
    ] as const) {
      await expect(
        new PacketReader().readPacket({ path: file, members: [] }, offset, length),
      ).rejects.toMatchObject({
        code: 'source-damaged',
      });
    }
  });
});

it('finds no packet in what is no capture', async () => {
  for (const bytes of [
    new Uint8Array(0),
    ascii('no capture, but long enough to be one'.repeat(4)),
  ]) {
    const file = await stored('none', bytes);
    await expect(
      new PacketReader().readPacket({ path: file, members: [] }, 24, 60),
    ).rejects.toMatchObject({
      code: 'source-damaged',
    });
  }
});

it('finds the evidence gone', async () => {
  const gone = new PacketReader().readPacket(
    { path: path.join(folder, 'gone'), members: [] },
    24,
    60,
  );
  await expect(gone).rejects.toMatchObject({ code: 'not-found' });
});

const rows = () =>
  readFileSync(TRUTH, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));

it.skipIf(!existsSync(TRUTH))(
  'gives what the importer saw of the shared captures (skipped without the shared evidence)',
  async () => {
    let packets = 0;
    for (const [file, size] of rows()) {
      // Enough packets, quickly read.
      if (Number(size) > 100_000) continue;
      const location = { path: path.join(DATA, file!), members: [] };
      const opened = await openItem(location, { temporary: folder });
      const wanted = await seen(opened.evidence.input);
      await opened.close();
      packets += await checkAll(location, wanted);
    }
    expect(packets).toBeGreaterThan(20_000);
  },
  120_000,
);

/** The bytes of every frame as tshark -x prints them. */
function tsharkFrames(file: string): string[] {
  const out = execFileSync(TSHARK, ['-n', '-r', file, '-x', '--hexdump', 'frames'], {
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString('latin1');
  return out
    .split(/\n\n+/)
    .map((dump) =>
      dump
        .split('\n')
        .map((line) => /^[0-9a-f]{4,8} {2}((?:[0-9a-f]{2} ?)+)/.exec(line)?.[1] ?? '')
        .join('')
        .replaceAll(' ', ''),
    )
    .filter((frame) => frame !== '');
}

const SAMPLES = [
  'pcap/ndpi-history/cfgs/default/pcap/hangout.pcap',
  'pcap/ndpi-history/cfgs/default/pcap/mgcp.pcapng',
  'pcap/ndpi-history/cfgs/default/pcap/mysql-8.pcap',
  'pcap/zeek/ftp/ftp-many-port-expected.pcap.gz',
  'pcap/zeek/http/1000-requests-one-dropped-response.pcap.gz',
  'pcap/tcpdump/802.1ad_QinQ.pcap',
];

it.skipIf(!existsSync(TRUTH) || !existsSync(TSHARK))(
  'gives the bytes that tshark shows (skipped without tshark or the shared evidence)',
  async () => {
    for (const sample of SAMPLES) {
      const file = path.join(DATA, sample);
      const location = { path: file, members: [] };
      const opened = await openItem(location, { temporary: folder });
      const places = (await seen(opened.evidence.input)).map((one) => one.place);
      await opened.close();
      const ours: string[] = [];
      for await (const packet of new PacketReader().readPackets(location, places)) {
        ours.push(Buffer.from(packet.frame).toString('hex'));
      }
      expect(ours.length).toBeGreaterThan(0);
      expect(ours).toEqual(tsharkFrames(file));
      if (file.endsWith('.gz')) continue;
      const zip = await stored(
        'sample.zip',
        zipOf([{ name: sample, content: readFileSync(file) }]),
      );
      const zipped: string[] = [];
      for await (const packet of new PacketReader().readPackets(
        { path: zip, members: [sample] },
        places,
      )) {
        zipped.push(Buffer.from(packet.frame).toString('hex'));
      }
      expect(zipped).toEqual(ours);
    }
  },
  60_000,
);

describe('slices', () => {
  const slicePcapng = (packets: readonly SlicedPacket[]): Buffer => {
    const slice = new PcapngSlice();
    return Buffer.concat([slice.start(), ...packets.map((packet) => slice.packet(packet))]);
  };

  const SLICE: SlicedPacket[] = [
    { frame: FRAME, linkType: 1, wireLength: FRAME.length, ts: 1_700_000_000_123_456, ts_ns: 789 },
    {
      frame: FRAME.slice(14, 17),
      linkType: 101,
      wireLength: 1500,
      ts: 1_600_000_000_000_000,
      ts_ns: 0,
    },
    { frame: FRAME, linkType: 1, wireLength: 0, ts: undefined, ts_ns: 0 },
    { frame: new Uint8Array(0), linkType: 1, wireLength: 60, ts: 0, ts_ns: 1 },
  ];

  it('are read by the importer as they were', async () => {
    const bytes = slicePcapng(SLICE);
    const result = await collect(pcapImporter, inputOf(bytes), { flows: false });
    expect(result.notes).toEqual([]);
    expect(result.quarantined).toEqual([]);
    expect(result.metadata['application']).toBe('Daybook');
    expect(
      result.rows.map((row) => [
        row['ts'],
        row['ts_ns'],
        row['captured'],
        row['bytes'],
        row.attrs['comment'],
      ]),
    ).toEqual([
      [1_700_000_000_123_456, 789, FRAME.length, FRAME.length, undefined],
      [1_600_000_000_000_000, 0, 3, 1500, undefined],
      [0, 0, FRAME.length, FRAME.length, 'this packet has no usable time in its source'],
      [0, 1, 0, 60, undefined],
    ]);
    const packets = await seen(inputOf(bytes));
    expect(packets.map((one) => one.linkType)).toEqual([1, 101, 1, 1]);
    packets.forEach((one, i) => expect(one.frame).toEqual(Buffer.from(SLICE[i]!.frame)));
  });

  it('are a file without packets', async () => {
    const result = await collect(pcapImporter, inputOf(slicePcapng([])));
    expect([result.read, result.notes]).toEqual([0, []]);
  });

  it.skipIf(!existsSync(TSHARK))('are read by tshark (skipped without it)', async () => {
    const file = await stored('slice.pcapng', slicePcapng(SLICE));
    const out = execFileSync(
      TSHARK,
      [
        '-n',
        '-r',
        file,
        '-T',
        'fields',
        '-e',
        'frame.time_epoch',
        '-e',
        'frame.cap_len',
        '-e',
        'frame.len',
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    ).toString();
    expect(out.trim().split('\n')).toEqual([
      `1700000000.123456789\t${FRAME.length}\t${FRAME.length}`,
      '1600000000.000000000\t3\t1500',
      `0.000000000\t${FRAME.length}\t${FRAME.length}`,
      '0.000000001\t0\t60',
    ]);
    expect(tsharkFrames(file).at(0)).toBe(Buffer.from(FRAME).toString('hex'));
  });
});
