/** A capture that several threads read in pieces has the answers of one that is read as a whole. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanTools } from '../../../app/compose.ts';
import { writeCapture } from '../../../fixtures/evidence/capture.ts';
import { START } from '../../../fixtures/evidence/story.ts';
import { EventBatch } from '../../contract/event-batch.ts';
import type { EventSink } from '../../contract/importer.ts';
import { scanPart } from './scan-parts.ts';
import { startScan, type ScanParameters, type ScanTools } from './scan.ts';

const root = mkdtempSync(join(tmpdir(), 'daybook-parts-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const capture = join(root, 'capture.pcap');
let bytes: Buffer;
beforeAll(() => {
  writeCapture(capture, {
    from: START,
    to: START + 3600e6,
    format: 'pcap',
    snapLength: 400,
    conversations: 20,
    incident: undefined,
    seed: 5,
  });
  bytes = readFileSync(capture);
});

const PIECE = 2_300;

/** Whether the pieces of a capture join, each found by itself. */
async function joined(path: string, count: number): Promise<boolean> {
  const { size } = statSync(path);
  let end = 24;
  for (let i = 0; i < count; i++) {
    const range = { from: i * PIECE, until: Math.min(size, (i + 1) * PIECE), size };
    const piece = await scanTools.parts?.readPiece(path, range, NOWHERE, { packets: true });
    if (piece?.begin !== end) return false;
    end = piece.end;
  }
  return end === size;
}

const rows = new EventBatch('packet', (batch) => batch.clear(), 512);
const NOWHERE: EventSink = {
  batch: () => rows,
  record: () => undefined,
  quarantine: () => undefined,
  skip: () => undefined,
  note: () => undefined,
  metadata: () => undefined,
  decide: () => undefined,
  drain: () => undefined,
};

/** Threads of this process, and how many were started and found something. */
function toolsWith(started: { threads: number; pieces: number }): ScanTools {
  const { parts } = scanTools;
  if (parts === undefined) throw new Error('no parts');
  const { readPiece } = parts;
  return {
    ...scanTools,
    parts: {
      readPiece: async (...of) => {
        const piece = await readPiece(...of);
        if (piece !== undefined) started.pieces += 1;
        return piece;
      },
      startThread: (task) => {
        started.threads += 1;
        return { found: scanPart(task, readPiece), stop: () => undefined };
      },
    },
  };
}

function of(path: string, text: string, threads: number, pieceBytes: number): ScanParameters {
  return {
    ...{ path, text, threads, pieceBytes, from: undefined, to: undefined, zone: 'UTC' },
    ...{ limit: undefined, format: undefined, timeZone: undefined, year: undefined },
    signal: new AbortController().signal,
    mapping: undefined,
    dateOrder: undefined,
    standardInput: Readable.from([]),
    onProgress: () => undefined,
  };
}

async function scan(path: string, text: string, threads: number, pieceBytes: number) {
  const started = { threads: 0, pieces: 0 };
  const running = startScan(of(path, text, threads, pieceBytes), toolsWith(started));
  const answer = await running.answer();
  return { found: { answer, ledger: running.ledger }, ...started };
}

const MERGED = [
  '* | count',
  'tcp_flags:2 | count',
  '* | stats count(), sum(bytes), avg(bytes), min(ts), max(length), distinct(ip)',
  '* | stats count(), sum(bytes), distinct(dst_port) by src_ip, proto',
  'src_ip:* | stats count() by event_type | where count > 1',
  '* | top 5 ip, port by sum(bytes)',
  '* | top 3 event_type by distinct(ip)',
  '* | values dst_port',
  '* | timeline',
  '* | timeline 7m by proto',
  '* | timeline by ip | sort -count, ip | head 4',
  'nothing | stats count(), sum(bytes), min(ts)',
];

/** Whose rows must come in their order, or are no packets. */
const WHOLE = [
  '* | stats p95(bytes)',
  '* | stats distinct(event_id)',
  '* | stats max(event_type)',
  '* | talkers 5',
  'kind:flow | count',
];

describe.each([
  [2, 2_300],
  [3, 1_500],
  [8, 700],
])('%i threads, %i bytes a piece', (threads, pieceBytes) => {
  it.each(MERGED)('%s', async (text) => {
    const whole = await scan(capture, text, 1, pieceBytes);
    const parts = await scan(capture, text, threads, pieceBytes);
    expect(whole.threads).toBe(0);
    expect(parts.found).toEqual(whole.found);
    expect(parts.threads).toBeGreaterThan(0);
  });
});

it.each(WHOLE)('%s is answered by one thread', async (text) => {
  const parts = await scan(capture, text, 4, 2300);
  expect(parts.threads).toBe(0);
  expect(parts.found).toEqual((await scan(capture, text, 1, 2300)).found);
});

describe('a capture that is not as it should be', () => {
  const QUERY = '* | stats count(), sum(bytes), max(ts) by proto';
  const at = (share: number) => Math.floor(bytes.length * share);
  const changed = (change: (copy: Buffer) => void): Buffer => {
    const copy = Buffer.from(bytes);
    change(copy);
    return copy;
  };
  it.each<[string, () => Buffer]>([
    ['cut in a record', () => bytes.subarray(0, -30)],
    ['cut in the head of a record', () => bytes.subarray(0, lastRecord() + 5)],
    ['with a capture behind it', () => Buffer.concat([bytes, bytes.subarray(0, at(0.5))])],
    ['damaged in the middle', () => changed((copy) => copy.fill(0xff, at(0.5), at(0.5) + 5000))],
    ['damaged at its end', () => changed((copy) => copy.fill(0xff, at(0.98)))],
    ['damaged at its beginning', () => changed((copy) => copy.fill(0xff, 24, 3000))],
    ['with zeros in it', () => changed((copy) => copy.fill(0, at(0.3), at(0.6)))],
    ['with few zeros in it', () => changed((copy) => copy.fill(0, at(0.4), at(0.4) + 700))],
    ['with few zeros behind it', () => Buffer.concat([bytes, Buffer.alloc(1000)])],
    ['with many zeros behind it', () => Buffer.concat([bytes, Buffer.alloc(5000)])],
    ['of an older version', () => changed((copy) => copy.writeUInt16LE(3, 6))],
    [
      'with a packet that holds a capture',
      () => Buffer.concat([bytes, packet(bytes.subarray(24, 40_000)), bytes.subarray(24)]),
    ],
  ])('%s', async (name, make) => {
    const path = join(root, `${name.replaceAll(' ', '-')}.pcap`);
    writeFileSync(path, make());
    const whole = await scan(path, QUERY, 1, 9000);
    for (const pieceBytes of [1100, 2300])
      expect((await scan(path, QUERY, 3, pieceBytes)).found).toEqual(whole.found);
  });

  /** A record of bytes. */
  function packet(content: Buffer): Buffer {
    const head = Buffer.from(bytes.subarray(24, 40));
    head.writeUInt32LE(content.length, 8);
    head.writeUInt32LE(content.length, 12);
    return Buffer.concat([head, content]);
  }
  function lastRecord(): number {
    let place = 24;
    for (;;) {
      const next = place + 16 + bytes.readUInt32LE(place + 8);
      if (next >= bytes.length) return place;
      place = next;
    }
  }
});

it('reads a whole capture in pieces, not twice', async () => {
  // Zeros in packets look like heads of records.
  const path = join(root, 'zeros.pcap');
  const frames = Array.from({ length: 300 }, (_, i) => {
    const head = Buffer.from(bytes.subarray(24, 40));
    head.writeUInt32LE(1000 + i, 8);
    head.writeUInt32LE(1000 + i, 12);
    return Buffer.concat([head, Buffer.alloc(1000 + i)]);
  });
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 24), ...frames]));
  for (const file of [capture, path]) {
    const count = Math.ceil(statSync(file).size / PIECE);
    const { pieces } = await scan(file, '* | count', 2, PIECE);
    // Of the thread that asks; what the other took is not counted twice, nor is anything read again.
    expect(pieces).toBeGreaterThan(0);
    expect(pieces).toBeLessThanOrEqual(count);
    expect(await joined(file, count)).toBe(true);
  }
});

it('runs in a thread of its own', async () => {
  const { size } = statSync(capture);
  const count = Math.ceil(size / PIECE);
  const thread = scanTools.parts?.startThread({
    request: { text: '* | count', zone: 'UTC', from: undefined, to: undefined, sources: [] },
    ...{ path: capture, name: 'capture.pcap', size, limit: undefined, pieceBytes: PIECE },
    budget: 1e8,
    next: new Int32Array(new SharedArrayBuffer(4)),
  });
  try {
    const found = await thread?.found;
    expect(found?.pieces.map(({ index }) => index)).toEqual([...Array(count).keys()]);
    const whole = await scan(capture, '* | count', 1, PIECE);
    expect(found?.part.stage.count).toBe(whole.found.ledger.stored);
  } finally {
    thread?.stop();
  }
});

it('does without a thread that fails, or that nobody waits for', async () => {
  const { parts } = scanTools;
  if (parts === undefined) throw new Error('no parts');
  const { found } = await scan(capture, '* | count', 1, PIECE);
  for (const when of ['at once', 'afterwards'] as const) {
    const failing = Promise.withResolvers<never>();
    if (when === 'at once') failing.reject(new Error('ended'));
    failing.promise.catch(() => undefined);
    const running = startScan(of(capture, '* | count', 2, PIECE), {
      ...scanTools,
      parts: {
        readPiece: parts.readPiece,
        startThread: () => ({
          // A promise of its own, so that one that nobody handles fails the run of the tests.
          found: failing.promise.then(),
          stop: () => undefined,
        }),
      },
    });
    expect(await running.answer()).toEqual(found.answer);
    failing.reject(new Error('ended'));
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
});
