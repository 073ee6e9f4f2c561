/**
 * Where in a segment's file the values of its columns lie, so that known rows can be read without DuckDB
 * ([ADR 18](../../../docs/adr/0018-rows-read-from-the-file.md)). Made when the segment is built, kept in the catalog.
 *
 * Holds always: a map only says where; what it does not know (an encoding, a column) is left to DuckDB. Of every
 * page of the file it has the CRC-32, so bytes that are not what was written are not taken for values.
 */
import { crc32 } from 'node:zlib';
import type { ConstantColumn } from '../table-layout.ts';

/** Bytes that are read, and checked, at once. */
export const PAGE = 4096;

/** How DuckDB stores a piece of a column, by its own name; `?`: in a way that is not read here. */
export type Encoding =
  | 'Uncompressed'
  | 'Constant'
  | 'BitPacking'
  | 'RLE'
  | 'DICT_FSST'
  | 'Roaring'
  | 'Empty Validity'
  | '?';

/** Values of consecutive rows in one block: how many, how, the block, where in it; of a constant its value. */
export type Piece = readonly [
  count: number,
  encoding: Encoding,
  block: number,
  offset: number,
  value?: number,
];

/** A column's values in a group of rows. */
export interface Stored {
  readonly type: string;
  readonly data: readonly Piece[];
  readonly valid: readonly Piece[];
  /** Of a list: its elements, one behind the other. */
  readonly child?: Stored;
}

export interface SegmentMap {
  /** Bytes of a block. */
  readonly block: number;
  /** Rows of each group. */
  readonly groups: readonly number[];
  /** By name, then by group. */
  readonly columns: Readonly<Record<string, readonly Stored[]>>;
  /** Columns of one value. */
  readonly constants: Readonly<Record<string, number | string>>;
  /** Of a table with cut messages: its shapes, as its comment has them. */
  readonly shapes?: string | undefined;
  /** CRC-32 of each page of the file. */
  readonly sums: Uint32Array;
}

const READ: ReadonlySet<string> = new Set<Encoding>([
  ...(['Uncompressed', 'Constant', 'BitPacking', 'RLE'] as const),
  ...(['DICT_FSST', 'Roaring', 'Empty Validity'] as const),
]);

/** What `mapOf` is told, of each piece: DuckDB's `pragma_storage_info`. */
export function piecesSql(database: string, table: string): string {
  return `SELECT row_group_id::INTEGER, column_name, column_path, segment_type, compression, count::INTEGER, block_id::DOUBLE, block_offset::INTEGER, stats
    FROM pragma_storage_info('${database}.${table}') ORDER BY row_group_id, column_id, column_path, segment_id`;
}

interface Growing {
  type: string;
  data: Piece[];
  valid: Piece[];
  child?: Growing;
}

/** @param rows of `piecesSql` */
export function mapOf(
  rows: readonly (readonly unknown[])[],
  {
    constants,
    shapes,
    block,
    sums,
  }: Pick<SegmentMap, 'shapes' | 'block' | 'sums'> & { constants: readonly ConstantColumn[] },
): SegmentMap {
  const groups: number[] = [];
  const columns = new Map<string, Growing[]>();
  for (const [group, name, path, type, compression, count, id, offset, stats] of rows) {
    const own = columns.get(String(name)) ?? [];
    columns.set(String(name), own);
    // `[3]`: the column; `[3, 0]`: which of its values there are; `[3, 1]`: elements; `[3, 1, 0]`: which there are.
    const steps = (JSON.parse(String(path)) as number[]).slice(1);
    let stored = (own[Number(group)] ??= { type: '', data: [], valid: [] });
    if (steps[0] === 1) {
      stored = stored.child ??= { type: '', data: [], valid: [] };
      steps.shift();
    } else if (steps.length === 0 && own === columns.values().next().value) {
      groups[Number(group)] = (groups[Number(group)] ?? 0) + Number(count);
    }
    const isValidity = steps.length === 1 && steps[0] === 0;
    const encoding = READ.has(String(compression)) ? (compression as Encoding) : '?';
    const value = encoding === 'Constant' ? constantOf(isValidity, String(stats)) : undefined;
    const place = [Number(count), encoding, Number(id ?? -1), Number(offset ?? 0)] as const;
    const piece: Piece = value === undefined ? place : [...place, value];
    if (steps.length > 1 || steps.some((step) => step !== 0)) stored.data.push([0, '?', 0, 0]);
    else if (isValidity) stored.valid.push(piece);
    else {
      stored.type = String(type);
      stored.data.push(piece);
    }
  }
  return {
    ...{ block, groups, shapes, sums, columns: Object.fromEntries(columns) },
    constants: Object.fromEntries(
      constants.flatMap(({ name, value }) => {
        const known = literalOf(value);
        return known === undefined ? [] : [[name, known]];
      }),
    ),
  };
}

/** What an SQL text or number stands for; undefined of other expressions. */
function literalOf(sql: string): number | string | undefined {
  const [, text] = /^'((?:[^']|'')*)'$/.exec(sql) ?? [];
  if (text !== undefined) return text.replaceAll("''", "'");
  const number = Number(sql);
  return /^-?\d+$/.test(sql) && Number.isSafeInteger(number) ? number : undefined;
}

/** The value of a piece of one value, out of its statistics: of validity whether there is one. */
function constantOf(isValidity: boolean, stats: string): number | undefined {
  if (isValidity) {
    const [, some] = /Has Null: (true|false)/.exec(stats) ?? [];
    return some === undefined ? undefined : some === 'true' ? 0 : 1;
  }
  const [, low, high] = /\[Min: (-?\d+), Max: (-?\d+)\]/.exec(stats) ?? [];
  const value = Number(low);
  return low === high && Number.isSafeInteger(value) ? value : undefined;
}

/** As the catalog keeps it: JSON, its length before it, the sums behind it. */
export function packMap({ sums, ...rest }: SegmentMap): Uint8Array {
  const text = Buffer.from(JSON.stringify(rest));
  const out = Buffer.alloc(4 + text.length + sums.length * 4);
  out.writeUInt32LE(text.length, 0);
  text.copy(out, 4);
  out.set(new Uint8Array(sums.buffer, sums.byteOffset, sums.byteLength), 4 + text.length);
  return out;
}

/** Undefined where it is none: the segment is read by DuckDB. */
export function unpackMap(bytes: Uint8Array): SegmentMap | undefined {
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = 4 + view.getUint32(0, true);
    const rest = JSON.parse(Buffer.from(bytes.subarray(4, end)).toString('utf8')) as Omit<
      SegmentMap,
      'sums'
    > & { readonly pages?: number };
    const known = (bytes.length - end) >>> 2;
    // Maps of 2026-11-21 and 22 say how many pages there are: behind their sums they have bytes of the file.
    const pages = rest.pages ?? known;
    if (!isMap(rest) || !(pages >= 0 && pages <= known)) return undefined;
    const sums = new Uint32Array(pages);
    new Uint8Array(sums.buffer).set(bytes.subarray(end, end + pages * 4));
    return { ...rest, sums };
  } catch {
    return undefined;
  }
}

function isMap({ block, groups, columns, constants }: Omit<SegmentMap, 'sums'>): boolean {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
  return (
    isCount(block) &&
    block % PAGE === 0 &&
    Array.isArray(groups) &&
    groups.every(isCount) &&
    typeof columns === 'object' &&
    typeof constants === 'object'
  );
}

/** The CRC-32 of each page of a file, as its bytes come. */
export class PageSums {
  private readonly out: number[] = [];
  private sum = 0;
  private filled = 0;

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + PAGE - this.filled);
      this.sum = crc32(bytes.subarray(at, end), this.sum);
      this.filled += end - at;
      at = end;
      if (this.filled === PAGE) this.next();
    }
  }

  private next(): void {
    this.out.push(this.sum);
    this.sum = 0;
    this.filled = 0;
  }

  get sums(): Uint32Array {
    if (this.filled > 0) this.next();
    return Uint32Array.from(this.out);
  }
}
