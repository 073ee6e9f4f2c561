/**
 * The end of a segment's file: what DuckDB must know of its blocks (statistics, groups of rows, the catalog), written
 * behind them, and the headers before them. Afterwards it is a database as DuckDB writes it with
 * `STORAGE_VERSION 'v1.5.0'`.
 * https://github.com/duckdb/duckdb, src/storage/single_file_block_manager.cpp, src/storage/checkpoint
 *
 * Holds always: the headers come last, so that a file whose end is missing is no database.
 */
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import type { PieceStats } from '../encode/pieces.ts';
import { BLOCK_HEAD, HEADERS_BYTES, writeAt } from './block-file.ts';
import { putSum } from './block-sum.ts';
import { catalogBytes, putPlace } from './catalog-entries.ts';
import {
  type PlacedGroup,
  type PlacedPiece,
  type SegmentDraft,
  type StoredColumn,
  elementType,
  isList,
  isStored,
} from './draft.ts';
import { type MetadataPlace, MetadataBlocks } from './metadata-blocks.ts';
import { Serializer } from './serializer.ts';

const HEADER = 4096;
const MAGIC = 'DUCK';
/** The file's version, and that of what is in it, which DuckDB 1.5.0 introduced. */
const FILE_VERSION = 68;
const CONTENT_VERSION = 7;
const WRITER = 'v1.5.0';
const WRITER_BYTES = 32;
const VECTOR_ROWS = 2048;
const NONE = 0xffff_ffff_ffff_ffffn;

const CODES: Readonly<Record<string, number>> = {
  ...{ Uncompressed: 1, Constant: 2, RLE: 3, BitPacking: 6, ALP: 10 },
  ...{ Roaring: 13, 'Empty Validity': 14, DICT_FSST: 15 },
};

/** The least and the greatest of each type: of no value DuckDB writes the one for the other, and answers `min` by it. */
const EXTREMES: Readonly<Record<string, readonly [number | bigint, number | bigint]>> = {
  UTINYINT: [0, 2 ** 8 - 1],
  USMALLINT: [0, 2 ** 16 - 1],
  UINTEGER: [0, 2 ** 32 - 1],
  INTEGER: [-(2 ** 31), 2 ** 31 - 1],
  BIGINT: [-(2n ** 63n), 2n ** 63n - 1n],
  // The least and the greatest of 64 bits stand for infinity.
  TIMESTAMP: [-(2n ** 63n) + 2n, 2n ** 63n - 2n],
  DOUBLE: [-Infinity, Infinity],
  UUID: [-(2n ** 127n), 2n ** 127n - 1n],
};

/** Makes a file whose blocks are written a database with the table `events`; returns its size. */
export function finishFile(draft: SegmentDraft): number {
  const metadata = new MetadataBlocks(draft.block, draft.pieces.length);
  const catalog = metadata.stream();
  const start = catalog.place;
  const table = tableOf(metadata, draft);
  const rows = draft.groups.reduce((sum, count) => sum + count, 0);
  catalog.write(catalogBytes(draft, table, rows));
  const freeList = metadata.stream();
  const unused = freeList.place;
  freeList.write(freeListBytes(draft.pieces, metadata.unused()));
  const blocks = metadata.finish();
  const count = draft.pieces.length + blocks.length;
  const fd = openSync(draft.path, 'r+');
  try {
    let at = HEADERS_BYTES + draft.pieces.length * draft.block;
    for (const block of blocks) {
      writeAt(fd, block, at);
      at += draft.block;
    }
    ftruncateSync(fd, at);
    writeAt(fd, headers(draft.block, start, unused, count), 0);
    return at;
  } finally {
    closeSync(fd);
  }
}

/** Statistics and groups of rows; returns where they begin. */
function tableOf(metadata: MetadataBlocks, { columns, groups }: SegmentDraft): MetadataPlace {
  const stored = columns.filter(isStored);
  const stream = metadata.stream();
  const places = groups.map((_, group) =>
    stored.map((column) => {
      const { place } = stream;
      stream.write(groupBytes(column, column.groups[group]!));
      return place;
    }),
  );
  const { place } = stream;
  const out = new Serializer();
  out.field(100).unsigned(stored.length);
  for (const column of stored) putTableStatistics(out, column);
  out.end();
  out.u64(groups.length);
  let row = 0;
  groups.forEach((rows, group) => {
    out.field(100).unsigned(row).field(101).unsigned(rows);
    out.field(102).unsigned(stored.length);
    for (const one of places[group]!) putPlace(out, one);
    // No rows are deleted.
    out.field(103).unsigned(0).end();
    row += rows;
  });
  stream.write(out.take());
  return place;
}

function groupBytes({ type }: StoredColumn, group: PlacedGroup): Uint8Array {
  const out = new Serializer();
  putGroup(out, type, group);
  return out.take();
}

function putGroup(out: Serializer, type: string, group: PlacedGroup): void {
  const { data, valid, child } = group;
  const own = statisticsOf(type, [group]);
  putPieces(out, data, type, ({ stats }) => (isList(type) ? own : { ...own, values: stats }));
  out.field(101);
  putPieces(out, valid, type, (piece) => ({ ...presenceOf([piece]), values: undefined }));
  out.end();
  if (child !== undefined) putGroup(out.field(102), elementType(type), child);
  out.end();
}

/** What DuckDB is told of a column's values, or of those of a piece. */
interface Statistics {
  readonly hasNull: boolean;
  readonly hasNoNull: boolean;
  readonly values: PieceStats | undefined;
  /** Of a list: of its values. */
  readonly child?: Statistics;
}

function statisticsOf(type: string, groups: readonly PlacedGroup[]): Statistics {
  const there = presenceOf(groups.flatMap(({ valid }) => valid));
  if (isList(type)) {
    const children = groups.flatMap(({ child }) => child ?? []);
    return { ...there, values: undefined, child: statisticsOf(elementType(type), children) };
  }
  const known = groups.filter(({ valid }) => presenceOf(valid).hasNoNull);
  const pieces = (known.length > 0 ? known : groups).flatMap(({ data }) => data);
  const all = pieces.map(({ stats }) => stats);
  return { ...there, values: merged(all.length > 0 ? all : [nothingOf(type)]) };
}

function presenceOf(valid: readonly PlacedPiece[]): Pick<Statistics, 'hasNull' | 'hasNoNull'> {
  let hasNull = false;
  let hasNoNull = false;
  for (const { stats } of valid) {
    if (stats.kind !== 'validity') continue;
    hasNull ||= stats.hasNull;
    hasNoNull ||= stats.hasNoNull;
  }
  return { hasNull, hasNoNull };
}

/** Of no values at all. */
function nothingOf(type: string): PieceStats {
  if (type !== 'VARCHAR') return { kind: 'number', min: 0, max: 0 };
  const [min, max] = [new Uint8Array(8).fill(0xff), new Uint8Array(8)];
  return { kind: 'text', min, max, hasUnicode: false, maxLength: 0 };
}

function putPieces(
  out: Serializer,
  pieces: readonly PlacedPiece[],
  type: string,
  statistics: (piece: PlacedPiece) => Statistics,
): void {
  if (pieces.length === 0) return;
  out.field(100).unsigned(pieces.length);
  for (const piece of pieces) {
    const { rows, block, offset, encoding } = piece;
    out.field(101).unsigned(rows);
    out.field(102).field(100).signed(block);
    if (offset !== 0) out.field(101).unsigned(offset);
    out.end();
    out.field(103).unsigned(CODES[encoding]!);
    putStatistics(out.field(104), type, statistics(piece));
    out.end();
  }
}

function putStatistics(
  out: Serializer,
  type: string,
  { hasNull, hasNoNull, values, child }: Statistics,
): void {
  out.field(100).bool(hasNull).field(101).bool(hasNoNull);
  // How many are different is not known.
  out.field(102).unsigned(0);
  out.field(103);
  if (child !== undefined) putStatistics(out.field(200), elementType(type), child);
  switch (values?.kind) {
    case 'number':
    case 'wide':
      putBound(out.field(200), type, hasNoNull ? values.min : EXTREMES[type]![1]);
      putBound(out.field(201), type, hasNoNull ? values.max : EXTREMES[type]![0]);
      break;
    case 'text':
      out.field(200).text(values.min).field(201).text(values.max);
      out.field(202).bool(values.hasUnicode);
      out.field(203).bool(true).field(204).unsigned(values.maxLength);
      break;
    default:
  }
  out.end().end();
}

function putBound(out: Serializer, type: string, value: number | bigint): void {
  out.field(100).bool(true).field(101);
  putNumber(out, type, value);
  out.end();
}

function putNumber(out: Serializer, type: string, value: number | bigint): void {
  switch (type) {
    case 'UUID': {
      const wide = BigInt(value);
      out.signed(wide >> 64n).unsigned(BigInt.asUintN(64, wide));
      break;
    }
    case 'DOUBLE':
      out.f64(Number(value));
      break;
    case 'BIGINT':
    case 'INTEGER':
    case 'TIMESTAMP':
      out.signed(value);
      break;
    default:
      out.unsigned(value);
  }
}

function putTableStatistics(out: Serializer, { type, groups }: StoredColumn): void {
  out.bool(true);
  putStatistics(out.field(100), type, statisticsOf(type, groups));
  out.end();
}

function merged(all: readonly PieceStats[]): PieceStats {
  return all.reduce((a, b) => {
    if (a.kind === 'number' && b.kind === 'number')
      return { kind: 'number', min: leastOf(a.min, b.min), max: Math.max(a.max, b.max) };
    if (a.kind === 'wide' && b.kind === 'wide')
      return {
        kind: 'wide',
        min: a.min < b.min ? a.min : b.min,
        max: a.max > b.max ? a.max : b.max,
      };
    if (a.kind === 'text' && b.kind === 'text')
      return {
        kind: 'text',
        min: Buffer.compare(a.min, b.min) <= 0 ? a.min : b.min,
        max: Buffer.compare(a.max, b.max) >= 0 ? a.max : b.max,
        hasUnicode: a.hasUnicode || b.hasUnicode,
        maxLength: Math.max(a.maxLength, b.maxLength),
      };
    return a;
  });
}

/** NaN is greater than any, which `Math.max` has, too. */
function leastOf(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.min(a, b);
}

/** No block is free; those of several pieces; which sub-blocks of metadata are unused. */
function freeListBytes(pieces: readonly number[], unused: readonly [number, bigint][]): Uint8Array {
  const out = new Serializer();
  out.u64(0);
  const shared = pieces.flatMap((count, block) => (count > 1 ? [[block, count] as const] : []));
  out.u64(shared.length);
  for (const [block, count] of shared) {
    out.u64(block);
    out.u32(count);
  }
  out.u64(unused.length);
  for (const [block, bits] of unused) {
    out.u64(block);
    out.u64(bits);
  }
  return out.take();
}

function headers(
  block: number,
  catalog: MetadataPlace,
  unused: MetadataPlace,
  blocks: number,
): Uint8Array {
  const out = new Uint8Array(HEADERS_BYTES);
  const main = new Serializer();
  main.raw(new TextEncoder().encode(MAGIC));
  main.u64(FILE_VERSION);
  // Four flags, of which none is set.
  for (let i = 0; i < 4; i++) main.u64(0);
  const writer = new Uint8Array(WRITER_BYTES);
  writer.set(new TextEncoder().encode(WRITER));
  main.raw(writer);
  out.set(main.take(), BLOCK_HEAD);
  const current = { iteration: 1, catalog: catalog.pointer, unused: unused.pointer, blocks };
  const earlier = { iteration: 0, catalog: NONE, unused: NONE, blocks: 0 };
  [current, earlier].forEach((state, i) => {
    const own = new Serializer();
    own.u64(state.iteration);
    own.u64(state.catalog);
    own.u64(state.unused);
    own.u64(state.blocks);
    own.u64(block);
    own.u64(VECTOR_ROWS);
    own.u64(CONTENT_VERSION);
    out.set(own.take(), (i + 1) * HEADER + BLOCK_HEAD);
  });
  for (let i = 0; i < 3; i++) putSum(out.subarray(i * HEADER, (i + 1) * HEADER));
  return out;
}
