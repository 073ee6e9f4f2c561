/**
 * Encodes values of fields as words of a key, and decodes them: `top`, `stats`, `values` and `timeline` group by
 * such keys.
 *
 * A field may have several values in an event (`ip`, `port`): the event is then in one group for each different
 * value, as in the engine's SQL (engine/query/values/values.ts, which defines the shapes).
 */
import { IP6_TYPE } from '../../dialect/duckdb.ts';
import type { CodedColumn, Column, TextColumn } from '../../../columns/columns.ts';
import { eventIdRefs, type Field, type Ref } from '../../names/fields.ts';
import type { RawValue } from '../../values/raw-value.ts';
import type { Part, ValueShape } from '../../values/values.ts';
import { type Budget, growingWithin } from '../budget.ts';
import { CodeMemo } from './code-memo.ts';
import { communityReader } from './community.ts';
import { ByteDictionary } from '../../../util/hash-table/byte-dictionary.ts';
import type { TupleDictionary } from '../../../util/hash-table/tuple-dictionary.ts';
import {
  type RowScope,
  dayText,
  numberAt,
  overflowNamed,
  textEnd,
  textStart,
  uuidOf,
} from '../row-scope.ts';

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { ignoreBOM: true });

/** One part of a value. */
interface PartReader {
  readonly words: number;
  /** Called before rows of another batch. */
  begin(): void;
  /** Writes the words of a row's value as word `at` of key `i`; returns false, without writing, if it has none. */
  read(row: number, out: readonly Int32Array[], at: number, i: number): boolean;
  /** The same for all of `rows[0, n)`: sets `bit` of `there` if there is a value, otherwise words to 0. */
  readAll?(
    rows: Int32Array,
    n: number,
    out: readonly Int32Array[],
    at: number,
    there: Int32Array,
    bit: number,
  ): void;
}

/** Decodes the words of a part; the same for every side and batch. */
interface PartCodec {
  readonly words: number;
  value(table: TupleDictionary, group: number, at: number): RawValue;
}

const pair = new Int32Array(2);
const real = new Float64Array(pair.buffer);

/** The parts of one field, the same in all batches. */
class FieldCodec {
  readonly field: Field;
  readonly shape: ValueShape;
  readonly codecs: readonly PartCodec[];
  private readonly texts: ByteDictionary;

  constructor(field: Field, shape: ValueShape, budget: Budget) {
    this.field = field;
    this.shape = shape;
    this.texts = new ByteDictionary(growingWithin(budget));
    this.codecs = shape.parts.map((part) => this.codecOf(part));
  }

  private codecOf({ sqlType }: Part): PartCodec {
    const { texts } = this;
    switch (sqlType) {
      case 'VARCHAR':
        return {
          words: 1,
          value: (table, group, at) => text.decode(texts.bytesOf(table.word(group, at))),
        };
      case IP6_TYPE:
        return {
          words: 1,
          value: (table, group, at) => uuidOf(texts.bytesOf(table.word(group, at))),
        };
      case 'UTINYINT':
      case 'USMALLINT':
      case 'UINTEGER':
        return { words: 1, value: (table, group, at) => table.word(group, at) >>> 0 };
      case 'INTEGER':
        return { words: 1, value: (table, group, at) => table.word(group, at) };
      default:
        return {
          words: 2,
          value: (table, group, at) => {
            pair[0] = table.word(group, at);
            pair[1] = table.word(group, at + 1);
            return real[0];
          },
        };
    }
  }

  /** Readers of one side's parts in a scope. */
  readers(side: number, scope: RowScope): PartReader[] {
    const { field, shape, texts } = this;
    const of = (ref: Ref | undefined, part: number): PartReader =>
      columnReader(ref === undefined ? undefined : scope.column(ref), this.codecs[part]!, texts);
    switch (field.type) {
      case 'number':
        return [of(field.refs[side], 0)];
      case 'text': {
        const coded = scope.coded(field.ref);
        const column = coded === undefined ? of(field.ref, 0) : codedReader(coded, texts);
        const { attribute } = field;
        return [
          attribute === undefined ? column : sharedReader(column, attribute.key, scope, texts),
        ];
      }
      case 'time':
        return [of(field.ref, 0)];
      case 'address': {
        const ends = field.sides[side];
        return shape.parts.map(({ role }, i) => of(role === 'v4' ? ends?.v4 : ends?.v6, i));
      }
      case 'attribute':
        return [attributeKeys(field.key, scope, texts)];
      case 'virtual':
        if (field.name === 'event_id') return eventIdRefs(field).map(of);
        if (field.ref !== undefined) return [of(field.ref, 0)];
        switch (field.name) {
          case 'kind': {
            const bytes = utf8.encode(scope.kind ?? '');
            return [computedReader(() => () => texts.idOf(bytes, 0, bytes.length))];
          }
          case 'day':
            return [dayReader(scope, texts)];
          case 'community_id':
            return [
              computedReader(() => {
                const read = communityReader(scope);
                return (row) => idOfText(read(row), texts);
              }),
            ];
          case 'source':
            return [of({ column: 'source_id' }, 0)];
          default:
            // Rows of a scan have no tags.
            return shape.parts.map(() => computedReader(() => () => undefined));
        }
    }
  }

  get sides(): number {
    if (this.field.type === 'number') return this.field.refs.length;
    return this.field.type === 'address' ? this.field.sides.length : 1;
  }
}

function idOfText(value: string | undefined, texts: ByteDictionary): number | undefined {
  if (value === undefined) return undefined;
  const bytes = utf8.encode(value);
  return texts.idOf(bytes, 0, bytes.length);
}

function columnReader(
  column: Column | undefined,
  codec: PartCodec,
  texts: ByteDictionary,
): PartReader {
  const { words } = codec;
  const begin = () => undefined;
  if (column === undefined) return { words, begin, read: () => false };
  const { present } = column;
  if (column.type === 'text') {
    return {
      words,
      begin,
      read: (row, out, at, i) => {
        if (present[row] !== 1) return false;
        out[at]![i] = texts.idOf(column.data, textStart(column, row), textEnd(column, row));
        return true;
      },
    };
  }
  const { values } = column;
  if (column.type === 'ip6') {
    return {
      words,
      begin,
      read: (row, out, at, i) => {
        if (present[row] !== 1) return false;
        out[at]![i] = texts.idOf(column.values, row * 16, row * 16 + 16);
        return true;
      },
    };
  }
  if (words === 1) {
    return {
      words,
      begin,
      read: (row, out, at, i) => {
        if (present[row] !== 1) return false;
        out[at]![i] = values[row]!;
        return true;
      },
      readAll: (rows, n, out, at, there, bit) => {
        const to = out[at]!;
        for (let i = 0; i < n; i++) {
          const row = rows[i]!;
          if (present[row] === 1) {
            to[i] = values[row]!;
            there[i]! |= bit;
          } else to[i] = 0;
        }
      },
    };
  }
  return {
    words,
    begin,
    read: (row, out, at, i) => {
      if (present[row] !== 1) return false;
      // -0 is 0.
      real[0] = values[row]! + 0;
      out[at]![i] = pair[0]!;
      out[at + 1]![i] = pair[1]!;
      return true;
    },
  };
}

function codedReader(coded: CodedColumn, texts: ByteDictionary): PartReader {
  const { values, present, bytesOf } = coded;
  const ids = new CodeMemo((code) => {
    const bytes = bytesOf(code);
    return texts.idOf(bytes, 0, bytes.length);
  });
  return {
    words: 1,
    begin: () => undefined,
    read: (row, out, at, i) => {
      if (present[row] !== 1) return false;
      out[at]![i] = ids.of(values[row]!);
      return true;
    },
    readAll: (rows, n, out, at, there, bit) => {
      const to = out[at]!;
      for (let i = 0; i < n; i++) {
        const row = rows[i]!;
        if (present[row] === 1) {
          to[i] = ids.of(values[row]!);
          there[i]! |= bit;
        } else to[i] = 0;
      }
    },
  };
}

/** A text computed of a row, as its number in the dictionary. */
function computedReader(make: () => (row: number) => number | undefined): PartReader {
  let read = make();
  return {
    words: 1,
    begin: () => {
      read = make();
    },
    read: (row, out, at, i) => {
      const id = read(row);
      if (id === undefined) return false;
      out[at]![i] = id;
      return true;
    },
  };
}

function attributeKeys(key: string, scope: RowScope, texts: ByteDictionary): PartReader {
  let coded: PartReader | undefined;
  let columns: readonly TextColumn[] = [];
  let overflow: TextColumn | undefined;
  const begin = (): void => {
    if (coded !== undefined) return;
    const codes = scope.codedAttribute(key);
    if (codes !== undefined) {
      coded = codedReader(codes, texts);
      return;
    }
    columns = scope.attributesNamed(key);
    overflow = scope.overflow();
  };
  begin();
  const idOf = (row: number): number | undefined => {
    for (const column of columns)
      if (column.present[row] === 1)
        return texts.idOf(column.data, textStart(column, row), textEnd(column, row));
    return overflow?.present[row] === 1
      ? idOfText(overflowNamed(overflow, row, key)[0], texts)
      : undefined;
  };
  return {
    words: 1,
    begin,
    read: (row, out, at, i) => {
      if (coded !== undefined) return coded.read(row, out, at, i);
      const id = idOf(row);
      if (id === undefined) return false;
      out[at]![i] = id;
      return true;
    },
    readAll: (rows, n, out, at, there, bit) => {
      if (coded?.readAll !== undefined) {
        coded.readAll(rows, n, out, at, there, bit);
        return;
      }
      const to = out[at]!;
      for (let i = 0; i < n; i++) {
        const id = idOf(rows[i]!);
        to[i] = id ?? 0;
        if (id !== undefined) there[i]! |= bit;
      }
    },
  };
}

/** The text of a column, or that of the attribute with its name if a row has none. */
function sharedReader(
  column: PartReader,
  key: string,
  scope: RowScope,
  texts: ByteDictionary,
): PartReader {
  const attribute = attributeKeys(key, scope, texts);
  return {
    words: 1,
    begin: () => {
      column.begin();
      attribute.begin();
    },
    read: (row, out, at, i) => column.read(row, out, at, i) || attribute.read(row, out, at, i),
  };
}

function dayReader(scope: RowScope, texts: ByteDictionary): PartReader {
  return computedReader(() => {
    const column = scope.column({ column: 'ts' });
    let last = -1;
    let id = 0;
    return (row) => {
      const ts = numberAt(column, row);
      const day = ts === undefined ? NaN : Math.floor(ts / 86_400e6);
      if (day !== last) {
        last = day;
        id = idOfText(dayText(ts), texts) ?? 0;
      }
      return id;
    };
  });
}

/** Number of parts whose presence fits in one word. */
const MAX_PARTS = 31;

/**
 * The key of some fields: words of all parts, then one word for the presence of each part. Callers fill `before`
 * words at the front.
 */
export class Key {
  readonly width: number;
  private readonly before: number;
  private readonly fields: readonly FieldCodec[];

  constructor(
    fields: readonly { readonly field: Field; readonly shape: ValueShape }[],
    budget: Budget,
    before = 0,
  ) {
    this.fields = fields.map(({ field, shape }) => new FieldCodec(field, shape, budget));
    this.before = before;
    const parts = this.fields.flatMap(({ codecs }) => codecs);
    if (parts.length > MAX_PARTS) throw new RangeError('a key of too many fields');
    this.width =
      before + parts.reduce((sum, { words }) => sum + words, 0) + (parts.length > 0 ? 1 : 0);
  }

  /** The values of a group, part after part, as results carry them. */
  values(table: TupleDictionary, group: number): RawValue[] {
    const out: RawValue[] = [];
    const there = this.width > this.before ? table.word(group, this.width - 1) : 0;
    let at = this.before;
    let bit = 0;
    for (const { codecs } of this.fields) {
      for (const codec of codecs) {
        out.push(((there >>> bit) & 1) === 1 ? codec.value(table, group, at) : null);
        bit += 1;
        at += codec.words;
      }
    }
    return out;
  }

  /** For each combination of the fields' sides: fills keys for rows of a scope. */
  fillers(scope: RowScope): KeyFiller[] {
    let out: SideReaders[][] = [[]];
    for (const codec of this.fields) {
      const sides = Array.from({ length: codec.sides }, (_, side) => codec.readers(side, scope));
      const choices = sides.map((first, side): SideReaders => ({
        side,
        first,
        other: sides[1 - side],
      }));
      out = out.flatMap((left) => choices.map((choice) => [...left, choice]));
    }
    return out.map((sides) => new KeyFiller(sides, this.before, this.width, scope.capacity));
  }
}

interface SideReaders {
  readonly side: number;
  readonly first: readonly PartReader[];
  /** The other side, if there are two. */
  readonly other: readonly PartReader[] | undefined;
}

export class KeyFiller {
  private readonly sides: readonly SideReaders[];
  private readonly before: number;
  private readonly width: number;
  private readonly plain: boolean;
  private readonly readers: readonly PartReader[];
  private readonly spare: readonly Int32Array[];
  private readonly noParts: Int32Array;

  constructor(sides: readonly SideReaders[], before: number, width: number, capacity: number) {
    this.sides = sides;
    this.before = before;
    this.width = width;
    this.plain = sides.every(({ other }) => other === undefined);
    this.readers = sides.flatMap(({ first }) => first);
    this.spare = Array.from({ length: width }, () => new Int32Array(1));
    this.noParts = new Int32Array(capacity);
  }

  /**
   * Writes the keys of `rows[0, n)` to `words`, and the rows that have one to `kept`.
   * @returns the number of these rows
   */
  fill(rows: Int32Array, n: number, words: readonly Int32Array[], kept: Int32Array): number {
    const there = this.readers.length === 0 ? this.noParts : words[this.width - 1]!;
    there.fill(0, 0, n);
    let at = this.before;
    for (const [part, reader] of this.readers.entries()) {
      const bit = 1 << part;
      reader.begin();
      if (reader.readAll !== undefined) reader.readAll(rows, n, words, at, there, bit);
      else {
        for (let i = 0; i < n; i++) {
          if (reader.read(rows[i]!, words, at, i)) there[i]! |= bit;
          else for (let w = 0; w < reader.words; w++) words[at + w]![i] = 0;
        }
      }
      at += reader.words;
    }
    if (this.plain) {
      kept.set(rows.subarray(0, n));
      return n;
    }
    for (const { other } of this.sides) for (const reader of other ?? []) reader.begin();
    let k = 0;
    for (let i = 0; i < n; i++) {
      const row = rows[i]!;
      if (!this.counts(row, words, i, there[i]!)) continue;
      for (let w = 0; w < this.width; w++) words[w]![k] = words[w]![i]!;
      kept[k] = row;
      k += 1;
    }
    return k;
  }

  /**
   * The first value counts unless it is missing and there is a second; the second counts if it exists and differs.
   */
  private counts(row: number, words: readonly Int32Array[], i: number, there: number): boolean {
    let at = this.before;
    let bit = 0;
    for (const { side, first, other } of this.sides) {
      const present = ((there >>> bit) & ((1 << first.length) - 1)) !== 0;
      if (other !== undefined) {
        if (side === 0) {
          if (!present && other.some((reader) => reader.read(row, this.spare, this.before, 0)))
            return false;
        } else if (!present || this.equals(row, other, words, at, i, there >>> bit)) return false;
      }
      for (const reader of first) at += reader.words;
      bit += first.length;
    }
    return true;
  }

  /** Whether the other side's value equals the one whose words begin at `from`. */
  private equals(
    row: number,
    other: readonly PartReader[],
    words: readonly Int32Array[],
    from: number,
    i: number,
    there: number,
  ): boolean {
    let at = from;
    for (const [part, reader] of other.entries()) {
      const present = reader.read(row, this.spare, at, 0);
      if (present !== (((there >>> part) & 1) === 1)) return false;
      for (let w = at; present && w < at + reader.words; w++) {
        if (this.spare[w]![0] !== words[w]![i]) return false;
      }
      at += reader.words;
    }
    return true;
  }
}
