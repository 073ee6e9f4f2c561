/**
 * A capture in pieces is what it is in one, wherever it is cut and whatever is damaged; or a piece says
 * that it cannot tell, and then all before it is right.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { EventSink, LedCut, LedPlan } from '../../engine/contract/importer.ts';
import {
  collect,
  collectFrom,
  DEFAULT_OPTIONS,
  inputOf,
  type Collected,
} from '../shared/collect.ts';
import { cat, classicHeader, classicRecord, hex, n32, type Bytes } from './build.ts';
import { pcapImporter } from './index.ts';
import { TRUNCATION_FILES } from './variants.ts';

interface InPieces {
  /** Undefined: it met too many records without a place to cut, and one worker reads the rest. */
  readonly lead: Collected | undefined;
  /** Those that could be read, in order. */
  readonly pieces: Collected[];
  readonly complete: boolean;
}

async function inPieces(bytes: Uint8Array, lines: number): Promise<InPieces | undefined> {
  const input = inputOf(bytes, 'x', 997);
  const plan = await pcapImporter.pieces!.plan(input, DEFAULT_OPTIONS);
  if (plan === undefined) return undefined;
  const cuts: LedCut[] = [];
  const goOver = async (sink: EventSink): Promise<void> => {
    const size = { lines, bytes: 1 << 20 };
    for await (const cut of (plan as LedPlan).lead(input, sink, size)) cuts.push(cut);
  };
  const lead = await collectFrom(goOver, 7);
  const pieces: Collected[] = [];
  let from = { offset: 0, line: 0, records: 0, state: '' };
  for (const { next, known } of cuts) {
    const until = next?.offset ?? bytes.length;
    const piece = { shared: plan.shared, from, until, known };
    let end: typeof from | undefined;
    const read = async (sink: EventSink): Promise<void> => {
      end = await pcapImporter.pieces!.read(input, sink, DEFAULT_OPTIONS, piece);
    };
    const got = await collectFrom(read, 5);
    if (end === undefined) return { lead, pieces, complete: false };
    pieces.push(got);
    if (next !== undefined) expect(end).toEqual(next);
    from = end;
  }
  const last = cuts.at(-1);
  if (last === undefined || last.next !== undefined)
    return { lead: undefined, pieces, complete: false };
  expect(from.offset).toBe(bytes.length);
  return { lead, pieces, complete: true };
}

/** @returns how many pieces there were; 0 when the content is read in one, or from some place on */
async function expectAlike(bytes: Uint8Array, lines: number): Promise<number> {
  const read = await inPieces(bytes, lines);
  if (read === undefined) return 0;
  const { lead, pieces, complete } = read;
  const whole = await collect(pcapImporter, inputOf(bytes), {}, 50);
  const packets = whole.rows.filter(({ kind }) => kind === 'packet');
  const rows = pieces.flatMap((piece) => piece.rows);
  const quarantined = pieces.flatMap((piece) => piece.quarantined);
  if (lead !== undefined) {
    expect(lead.read).toBe(0);
    expect(lead.rows).toEqual(whole.rows.filter(({ kind }) => kind === 'flow'));
    expect(lead.notes).toEqual(whole.notes);
    expect(lead.metadata).toEqual(whole.metadata);
  }
  expect(rows).toEqual(packets.slice(0, rows.length));
  expect(quarantined).toEqual(whole.quarantined.slice(0, quarantined.length));
  for (const { notes, metadata } of pieces)
    expect({ notes, metadata }).toEqual({ notes: [], metadata: {} });
  if (!complete) return 0;
  expect(rows).toHaveLength(packets.length);
  expect(quarantined).toHaveLength(whole.quarantined.length);
  const skipped: Record<string, number> = {};
  for (const piece of pieces)
    for (const [why, n] of Object.entries(piece.skipped)) skipped[why] = (skipped[why] ?? 0) + n;
  expect(skipped).toEqual(whole.skipped);
  return pieces.length;
}

/** mulberry32: the same numbers every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function repeated(name: string, file: Bytes, times: number): Bytes {
  // Classic files have one header; sections of pcapng may follow one another as they are.
  const header = name.startsWith('pcapng') ? 0 : 24;
  const body = file.subarray(header);
  return cat(file.subarray(0, header), ...Array.from({ length: times }, () => body));
}

it.each(TRUNCATION_FILES)('%s', async (name, file) => {
  const next = random(20_261_121);
  const many = repeated(name, file, 30);
  expect(await expectAlike(many, 7)).toBeGreaterThan(8);
  let inOne = 0;
  for (let round = 0; round < 60; round++) {
    const bytes = many.slice(0, many.length - Math.floor(next() * next() * many.length));
    for (let flips = Math.floor(next() * 4); flips > 0; flips--) {
      const at = Math.floor(next() * bytes.length);
      bytes[at] = bytes[at]! ^ (1 << Math.floor(next() * 8));
    }
    if (round % 3 === 0) {
      // Sectors that were lost: fewer or more zeros than are taken for records.
      const at = Math.floor(next() * bytes.length);
      bytes.fill(0, at, at + Math.floor(next() * 2000));
    }
    if ((await expectAlike(bytes, 3 + Math.floor(next() * 20))) === 0) inOne += 1;
  }
  expect(inOne).toBeLessThan(30);
});

it('a piece that begins with damage knows the time of the record before it', async () => {
  const record = (seconds: number) =>
    classicRecord({}, { seconds, fraction: 1, bytes: hex('00'.repeat(20)) });
  const broken = cat(n32(1_700_000_000, true), n32(0, true), n32(0xffff_ffff, true), n32(60, true));
  // What looks like records of another year is none.
  const elsewhere = [1, 2, 3, 4].map((n) => record(1_600_000_000 + n));
  const good = [5, 6, 7, 8].map((n) => record(1_700_000_000 + n));
  const bytes = cat(classicHeader({}), ...good, broken, ...elsewhere, ...good);
  expect(await expectAlike(bytes, 1)).toBeGreaterThan(4);
});

it('what has no rows of packets, or is none of these formats, is read in one', async () => {
  const plan = (bytes: Uint8Array, options = {}) =>
    pcapImporter.pieces!.plan(inputOf(bytes), { ...DEFAULT_OPTIONS, ...options });
  const capture = TRUNCATION_FILES[0]![1];
  expect(await plan(capture)).toBeDefined();
  expect(await plan(capture, { packets: false })).toBeUndefined();
  expect(await plan(Buffer.from('snoop\0\0\0\0\0\0\u0002\0\0\0\u0004'))).toBeUndefined();
  expect(await plan(new Uint8Array(0))).toBeUndefined();
});

const SHARED = process.env['DAYBOOK_SHARED'] ?? join(import.meta.dirname, '../../../shared');
const REAL = join(SHARED, 'data/pcap/tcpdump');
const MOST_BYTES = 40_000;

it.skipIf(!existsSync(REAL))('real captures (skipped without the shared evidence)', async () => {
  let inPieces = 0;
  for (const name of readdirSync(REAL)) {
    const path = join(REAL, name);
    const { size } = statSync(path);
    if (!/[.]pcap(ng)?$/.test(name) || size > MOST_BYTES) continue;
    if ((await expectAlike(readFileSync(path), 4)) > 1) inPieces += 1;
  }
  expect(inPieces).toBeGreaterThan(50);
});
