/**
 * Writes batches of events as the segment itself, in DuckDB's own form: the columns are typed arrays already, so
 * nobody has to read and analyse them again ([ADR 19](../../docs/adr/0019-segments-written-by-ourselves.md)).
 *
 * Holds always: rows are stored in the order given, or not at all: what cannot be stored well (`add` says so) is
 * another part's. What the file ends with is written by whoever has its draft (`segment-file/write/segment-end.ts`).
 */
import type { Column, EventBatch, TextColumn } from '../contract/event-batch.ts';
import {
  type BatchRows,
  rowSpan,
  textBytesOf,
  textLength,
  valuesOf,
  wideValuesOf,
} from './batch-rows.ts';
import { type CodedTexts, codedTexts } from './coded-texts.ts';
import {
  CAPTURED,
  MAX_CONSTANT_TEXT,
  type PresentColumn,
  RECORD,
  SQL_TYPES,
  VALUE_BYTES,
  headerOf,
  onlyValue,
  presentColumns,
} from './column-types.ts';
import { MessageParts } from './messages/cut-messages.ts';
import type { TextLists } from './messages/cut-rows.ts';
import type { CutRowGroup } from './messages/message-cutter.ts';
import {
  BYTES,
  type CutMessages,
  MESSAGE,
  MESSAGE_PARTS,
  SHAPE,
  TEXTS,
  groupShapes,
} from './messages/message-columns.ts';
import { type EncodedPiece, NO_BYTES } from './segment-file/encode/pieces.ts';
import { encodeBytes, encodeEnds, encodeNumbers } from './segment-file/encode/numbers.ts';
import { encodeReals } from './segment-file/encode/reals.ts';
import { SymbolTable } from './segment-file/encode/symbols.ts';
import { encodeEach, encodeTexts, numberTexts } from './segment-file/encode/texts.ts';
import { emptyValidity, encodeValidity } from './segment-file/encode/validity.ts';
import { encodeWide } from './segment-file/encode/wide.ts';
import { BLOCK_HEAD, BlockFile } from './segment-file/write/block-file.ts';
import type {
  DraftColumn,
  PlacedGroup,
  PlacedPiece,
  SegmentDraft,
} from './segment-file/write/draft.ts';
import { BLOCK } from './segment-blocks.ts';
import { type TimeUnit, TIME_UNITS, areRare } from './table-layout.ts';

/** A column of texts that takes more DuckDB stores better: it compresses texts that are different. */
const MOST_TEXT_BYTES_A_ROW = 4;

/** Of rows with a message, the share that must be cut: of a part's first rows, and of those behind them. */
const LEAST_CUT = 0.75;
const LEAST_CUT_LATER = 0.5;
/**
 * Messages of so many rows at most are stored as they are, where they cannot be cut: DuckDB takes longer than all else.
 * Not where rows of other sources follow: theirs would not go on with the part.
 */
const FEW_ROWS = 4096;
/** Of the texts among the variables, the share above which each is stored by itself. */
const MANY_DIFFERENT = 0.4;

/** Values of a group of rows that are stored at the end, when it is known in which form. */
interface Kept {
  readonly values: Float64Array | Uint32Array | Uint16Array;
  readonly present: Uint8Array | undefined;
}

interface Growing {
  readonly type: Column['type'];
  /** Of values of this type. */
  readonly isList: boolean;
  /** By number of the group; none where no row has a value, or where it is kept. */
  readonly groups: (PlacedGroup | undefined)[];
  readonly kept: (Kept | undefined)[];
  /** The one text that all rows have, its length before it. */
  text: Uint8Array | undefined;
}

/** What a group of rows is before it is known that all of it can be stored. */
interface Made {
  readonly name: string;
  readonly type: Column['type'];
  readonly data?: readonly EncodedPiece[];
  readonly valid?: readonly EncodedPiece[];
  /** Of a list: its values. */
  readonly child?: Pick<Made, 'data' | 'valid'>;
  readonly kept?: Kept;
  readonly text?: Uint8Array;
  /** Bytes of its values, each by itself. */
  readonly size: number;
}

/** Every source ends with a group of its own: of more small ones than these, DuckDB makes few large ones. */
const SMALL_GROUP = 2048;
export const MOST_SMALL_GROUPS = 16;

export class SegmentPart {
  readonly path: string;
  /** Bytes of each. */
  readonly block: number;
  rows = 0;
  /** Bytes of what was added, each value by itself. */
  size = 0;
  /** Of the last group of rows: columns of texts of which few are different, by name in the file. */
  readonly coded = new Map<string, CodedTexts>();
  /** How the messages of the last group of rows were cut; lent until the next, of whichever part. */
  cut: CutRowGroup | undefined;
  private readonly messages = new MessageParts();
  private messageRows = 0;
  private wholeRows = 0;
  /** Of the last texts that were stored by themselves. */
  private symbols: SymbolTable | undefined;
  private readonly file: BlockFile;
  private readonly groups: number[] = [];
  private smallGroups = 0;
  private readonly growing = new Map<string, Growing>();
  /** What `captured` is less than `length` in all rows so far; undefined where that is not one number. */
  private header: number | undefined;
  /** What a piece may take. */
  private readonly most: number;
  private readonly isAlone: boolean;

  /**
   * @param block bytes of each: `SMALL_BLOCK` of few rows
   * @param isAlone its rows are of one source
   */
  constructor(path: string, block = BLOCK, isAlone = false) {
    this.path = path;
    this.block = block;
    this.isAlone = isAlone;
    this.file = new BlockFile(path, block);
    this.most = block - BLOCK_HEAD;
  }

  /** Names of the columns that have a value in some row so far. */
  get columns(): string[] {
    return [...this.growing.keys()].flatMap((name) => {
      if (name === SHAPE) return [MESSAGE];
      return MESSAGE_PARTS.has(name) ? [] : [name];
    });
  }
  /** How messages are cut, by the numbers of shapes that the draft has; undefined when all are whole. */
  get cutMessages(): CutMessages | undefined {
    if (!this.growing.has(SHAPE)) return undefined;
    const { shapes } = groupShapes(this.messages.shapes);
    return { shapes, wholeShare: this.wholeRows / this.messageRows };
  }

  /**
   * Adds these rows, copied, as a group; false, and nothing is added, where they are better stored by DuckDB.
   * @param unit the coarsest of all times so far, these included
   */
  add(
    batch: EventBatch,
    rows: BatchRows = rowSpan(0, batch.length),
    unit: TimeUnit = 1_000_000,
  ): boolean {
    this.coded.clear();
    this.cut = undefined;
    const n = rows.to - rows.from;
    if (n === 0) return true;
    const columns = storedColumns(batch, rows);
    if (columns === undefined || !this.takesNames(columns)) return false;
    const small = n < SMALL_GROUP ? 1 : 0;
    if (this.smallGroups + small > MOST_SMALL_GROUPS) return false;
    const header = this.headerWith(batch, rows);
    const made: Made[] = [];
    let size = 0;
    for (const column of columns) {
      const some =
        column.name === MESSAGE
          ? this.makeMessages(batch, column, rows)
          : this.make(column, rows, header, unit);
      if (some === undefined) return false;
      for (const one of some) {
        made.push(one);
        size += one.size;
      }
    }
    this.header = header;
    const names = new Set(made.map(({ name }) => name));
    for (const [name, growing] of this.growing) if (!names.has(name)) this.breakUp(growing);
    for (const one of made) this.take(one);
    if (this.cut !== undefined) {
      this.messageRows += this.messages.cut + this.messages.whole;
      this.wholeRows += this.messages.whole;
    }
    this.groups.push(n);
    this.smallGroups += small;
    this.rows += n;
    this.size += size;
    return true;
  }

  /** Whether no two columns differ in the case of letters only: DuckDB would not have them. */
  private takesNames(columns: readonly PresentColumn[]): boolean {
    const names = new Set([...this.growing.keys(), ...columns.map(({ name }) => name)]);
    return new Set([...names].map(folded)).size === names.size;
  }

  /** What `captured` is less than `length` in all rows, these included. */
  private headerWith(batch: EventBatch, rows: BatchRows): number | undefined {
    const isFirst = this.groups.length === 0;
    if (!isFirst && this.header === undefined) return undefined;
    const header = headerOf(batch, rows);
    return isFirst || header === this.header ? header : undefined;
  }

  /** Messages that are cut, or texts as others where few rows have one, or where there are few rows. */
  private makeMessages(
    batch: EventBatch,
    column: PresentColumn,
    rows: BatchRows,
  ): readonly Made[] | undefined {
    const n = rows.to - rows.from;
    const wereCut = this.growing.has(SHAPE);
    const areCut = wereCut || !(this.growing.has(MESSAGE) || areRare(column.count, n));
    const cut = areCut ? this.makeCut(batch, column.count, rows) : undefined;
    const areKept = !areCut || (this.isAlone && !wereCut && n <= FEW_ROWS);
    if (cut !== undefined || !areKept) return cut;
    return this.make(column, rows, undefined, 1);
  }

  /** Messages as shapes and variables; those that are whole are the one text of their rows. */
  private makeCut(batch: EventBatch, count: number, rows: BatchRows): Made[] | undefined {
    const { messages } = this;
    const n = rows.to - rows.from;
    const own = messages.take(batch, rows);
    const least = this.growing.has(SHAPE) ? LEAST_CUT_LATER : LEAST_CUT;
    if (messages.cut === 0 || messages.cut < count * least) return undefined;
    const texts = messages.textsAndWhole(own);
    const different = this.makeDifferent(texts);
    if (different === undefined) return undefined;
    this.cut = own;
    const { values, used, counts } = messages.bytes(n);
    const bytes = encodeBytes(values.subarray(0, used), this.most);
    const kept = { values: own.shapeOf, present: messages.shaped };
    return [
      { name: SHAPE, type: 'u16', kept, size: messages.cut * VALUE_BYTES.u32 },
      this.list(BYTES, 'u8', counts, n, bytes, used * VALUE_BYTES.u32),
      this.list(TEXTS, 'text', texts.counts, n, different, texts.size),
    ];
  }

  private list(
    name: string,
    type: Column['type'],
    counts: Uint16Array,
    rows: number,
    values: readonly EncodedPiece[],
    size: number,
  ): Made {
    const count = values.reduce((sum, piece) => sum + piece.rows, 0);
    return {
      ...{ name, type, size },
      data: encodeEnds(counts, rows, this.most),
      valid: encodeValidity(undefined, rows, this.most),
      child: { data: values, valid: encodeValidity(undefined, count, this.most) },
    };
  }

  private makeDifferent({ data, size, used }: TextLists): EncodedPiece[] | undefined {
    if (used === 0) return [];
    const texts = data.subarray(0, size);
    const numbered = numberTexts(texts, used);
    if (numbered.starts.length > used * MANY_DIFFERENT) {
      this.symbols = SymbolTable.for(texts, this.symbols);
      const each = encodeEach(texts, this.symbols, this.most);
      if (each !== undefined) return each;
    }
    return encodeTexts(numbered, undefined, used, this.most);
  }

  private make(
    column: PresentColumn,
    rows: BatchRows,
    header: number | undefined,
    unit: TimeUnit,
  ): [Made] | undefined {
    const made = this.makeOne(column, rows, header, unit);
    return made && [made];
  }

  private makeOne(
    { name, column, count }: PresentColumn,
    rows: BatchRows,
    header: number | undefined,
    unit: TimeUnit,
  ): Made | undefined {
    const n = rows.to - rows.from;
    const { type } = column;
    const size = count * VALUE_BYTES[type];
    const present = count === n ? undefined : valuesOf(column.present, rows);
    switch (column.type) {
      case 'text':
        return this.makeTexts(name, column, present, count, rows);
      case 'ip6': {
        const data = encodeWide(wideValuesOf(column.values, 16, rows), present, n, this.most);
        return { name, type, data, valid: encodeValidity(present, n, this.most), size };
      }
      case 'f64': {
        const data = encodeReals(valuesOf(column.values, rows), present, n, this.most);
        return { name, type, data, valid: encodeValidity(present, n, this.most), size };
      }
      default: {
        const values = valuesOf(column.values, rows);
        // There is no finer unit: what times are stored as is known.
        if ((name === 'ts' && unit !== 1) || (name === CAPTURED && header !== undefined)) {
          // The batch is filled again.
          const kept = { values: values.slice() as Kept['values'], present: present?.slice() };
          return { name, type, kept, size };
        }
        const data = encodeNumbers(wholeType(column.type), values, present, n, this.most);
        return { name, type, data, valid: encodeValidity(present, n, this.most), size };
      }
    }
  }

  private makeTexts(
    name: string,
    column: TextColumn,
    present: Uint8Array | undefined,
    count: number,
    rows: BatchRows,
  ): Made | undefined {
    const n = rows.to - rows.from;
    const texts = textBytesOf(column, rows);
    const size = texts.length;
    const only = count === n ? onlyText(texts, n) : undefined;
    const growing = this.growing.get(name);
    const before = growing === undefined ? this.groups.length === 0 : growing.text !== undefined;
    if (
      only !== undefined &&
      before &&
      (growing?.text === undefined || Buffer.compare(growing.text, only) === 0)
    )
      return { name, type: 'text', text: only.slice(), size };
    const coded = only === undefined ? codedTexts(texts, count) : undefined;
    if (coded !== undefined) this.coded.set(name, coded);
    const data = encodeTexts(coded ?? numberTexts(texts, count), present, n, this.most);
    if (data === undefined) return undefined;
    const bytes = data.reduce((sum, piece) => sum + piece.bytes.length, 0);
    if (bytes > BLOCK && bytes > n * MOST_TEXT_BYTES_A_ROW) return undefined;
    return { name, type: 'text', data, valid: [emptyValidity(present, n)], size };
  }

  private take({ name, type, data, valid, child, kept, text }: Made): void {
    let growing = this.growing.get(name);
    if (growing === undefined) {
      growing = { type, isList: child !== undefined, groups: [], kept: [], text };
      this.growing.set(name, growing);
    }
    const group = this.groups.length;
    if (text === undefined) this.breakUp(growing);
    if (kept !== undefined) growing.kept[group] = kept;
    else if (growing.kept.length > 0) this.storeKept(growing);
    if (data === undefined || valid === undefined) return;
    const placed = this.place(data, valid);
    const { data: values, valid: present } = child ?? {};
    growing.groups[group] =
      values === undefined || present === undefined
        ? placed
        : { ...placed, child: this.place(values, present) };
  }

  private place(data: readonly EncodedPiece[], valid: readonly EncodedPiece[]): PlacedGroup {
    return {
      data: data.map((one) => this.placed(one)),
      valid: valid.map((one) => this.placed(one)),
    };
  }

  private placed({ rows, encoding, stats, bytes }: EncodedPiece): PlacedPiece {
    const size = bytes.length;
    const { block, offset } = size === 0 ? { block: -1, offset: 0 } : this.file.place(bytes);
    return { rows, encoding, block, offset, size, stats };
  }

  /** Stores the one text of all groups so far row by row. */
  private breakUp(growing: Growing): void {
    const { text } = growing;
    if (text === undefined) return;
    growing.text = undefined;
    this.groups.forEach((n, group) => {
      const same = { data: text, starts: Uint32Array.of(0), codes: new Uint16Array(n) };
      const data = encodeTexts(same, undefined, n, this.most);
      if (data === undefined) throw new Error('a text was not stored');
      growing.groups[group] = this.place(data, [emptyValidity(undefined, n)]);
    });
  }

  private storeKept(growing: Growing, unit: TimeUnit = 1): void {
    growing.kept.forEach((one, group) => {
      if (one === undefined) return;
      const { values, present } = one;
      if (unit !== 1) for (let i = 0; i < values.length; i++) values[i]! /= unit;
      const type = wholeType(growing.type);
      const data = encodeNumbers(type, values, present, values.length, this.most);
      const valid = encodeValidity(present, values.length, this.most);
      growing.groups[group] = this.place(data, valid);
    });
    growing.kept.length = 0;
  }

  /** @param unit the coarsest of all times */
  finish(unit: TimeUnit): SegmentDraft {
    const columns: DraftColumn[] = [];
    const { numbers, shapes } = groupShapes(this.messages.shapes);
    for (const [name, growing] of this.growing) {
      const own = SQL_TYPES[growing.type];
      const type = growing.isList ? `${own}[]` : own;
      if (growing.text !== undefined) {
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(growing.text.subarray(4));
        columns.push({ name, type, value: { kind: 'text', text } });
        continue;
      }
      if (name === CAPTURED && growing.kept.length > 0 && this.header !== undefined) {
        columns.push({ name, type, value: { kind: 'less', column: RECORD, by: this.header } });
        continue;
      }
      if (name === SHAPE) {
        for (const { values } of growing.kept.filter((one) => one !== undefined))
          for (let i = 0; i < values.length; i++) values[i] = numbers[values[i]!] ?? 0;
        columns.push({ name: MESSAGE, type: SQL_TYPES.text, value: { kind: 'whole' } });
      }
      if (growing.kept.length > 0) this.storeKept(growing, name === 'ts' ? unit : 1);
      const groups = this.groups.map((n, group) => growing.groups[group] ?? this.none(growing, n));
      if (name === 'ts' && unit !== 1) {
        const stored = TIME_UNITS[unit];
        columns.push({ name: stored, type: 'BIGINT', groups });
        columns.push({ name, type, value: { kind: 'time', column: stored, unit } });
      } else columns.push({ name, type, groups });
    }
    this.file.finish();
    const { path, block, file } = this;
    const draft = { path, block, pieces: file.pieces, groups: this.groups, columns };
    return this.growing.has(SHAPE) ? { ...draft, shapes } : draft;
  }

  /** A group in which no row has a value. */
  private none({ type, isList }: Growing, n: number): PlacedGroup {
    if (isList) {
      const { data = [], valid = [] } = this.list('', type, new Uint16Array(n), n, [], 0);
      return { ...this.place(data, valid), child: this.place([], []) };
    }
    const absent = new Uint8Array(n);
    if (type === 'text') {
      const nothing = { data: NO_BYTES, starts: new Uint32Array(0), codes: new Uint16Array(0) };
      const data = encodeTexts(nothing, absent, n, this.most);
      if (data === undefined) throw new Error('nothing was not stored');
      return this.place(data, [emptyValidity(absent, n)]);
    }
    const stats =
      type === 'ip6'
        ? ({ kind: 'wide', min: 0n, max: 0n } as const)
        : ({ kind: 'number', min: 0, max: 0 } as const);
    const data = { encoding: 'Constant', rows: n, bytes: NO_BYTES, stats } as const;
    return this.place([data], encodeValidity(absent, n, this.most));
  }

  abandon(): void {
    this.file.abandon();
  }
}

/** The columns with a value in some of the rows; undefined where some are to be stored otherwise. */
function storedColumns(batch: EventBatch, rows: BatchRows): PresentColumn[] | undefined {
  const out: PresentColumn[] = [];
  for (const column of presentColumns(batch, rows)) {
    const { name } = column;
    // Which of these rows are in the case already, DuckDB finds out.
    if (name === 'record_key') return undefined;
    // Several names would be one.
    if (!name.isWellFormed()) return undefined;
    out.push(column);
  }
  return out;
}

function folded(name: string): string {
  return name.toLowerCase();
}

function wholeType(type: Column['type']): 'u8' | 'u16' | 'u32' | 'i32' | 'i64' {
  switch (type) {
    case 'u8':
    case 'u16':
    case 'u32':
    case 'i32':
      return type;
    default:
      return 'i64';
  }
}

/** The text that all `count` of `texts` are, its length before it; undefined when they differ. */
function onlyText(texts: Uint8Array, count: number): Uint8Array | undefined {
  const step = 4 + textLength(texts, 0);
  const only = step > 4 + MAX_CONSTANT_TEXT ? undefined : onlyValue(texts, step, count);
  // A table's definition cannot be shown with it.
  return only?.includes(0, 4) === true ? undefined : only;
}
