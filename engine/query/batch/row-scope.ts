/**
 * Where conditions and values are read from: the columns of a batch of events, or of a table that a stage made.
 * Readers are requested again for every batch: columns of attributes appear as evidence is read.
 */
import {
  type CodedColumn,
  type Column,
  Ip6Column,
  NumberColumn,
  TextColumn,
  U32Column,
} from '../../columns/columns.ts';
import type { ColumnName, Kind } from '../../contract/event.ts';
import type { RawValue } from '../values/raw-value.ts';
import type { ClickHouseScope } from '../dialect/clickhouse-scope.ts';
import { IP6_TYPE } from '../dialect/duckdb.ts';
import type { Scope } from '../plan/scope.ts';

/**
 * One part of the value of an expression, in SQL and of rows in memory. Two with the same text are the same.
 */
interface Computation {
  /** The whole expression, with the definitions of the names in it, and which part of its value this is. */
  readonly text: string;
  sql(scope: Scope): string;
  /** The whole value in ClickHouse; absent: it is refused. */
  clickhouse?: ((scope: ClickHouseScope) => string) | undefined;
  /** Call it once per batch; times are microseconds, IPv6 addresses are UUID text. */
  reader(scope: RowScope): (row: number) => RawValue;
}

/** A stored column, a column that a stage computed (by its name in SQL), or the value of an expression. */
export type Ref =
  | { readonly column: ColumnName }
  | { readonly computed: string; readonly sqlType: string }
  | { readonly computation: Computation; readonly sqlType: string };

export interface RowScope {
  /** Rows at most. */
  readonly capacity: number;
  /** Undefined: a table. */
  readonly kind: Kind | undefined;
  column(ref: Ref): Column | undefined;
  /**
   * The codes of a text column, or of an attribute. If there are any, its texts need not be read; they appear as
   * evidence is read, so request them again for every batch.
   */
  coded(ref: Ref): CodedColumn | undefined;
  codedAttribute(name: string): CodedColumn | undefined;
  /** A stored column that need not be filled for this. */
  peek(name: ColumnName): Column | undefined;
  /** Every spelling of the attribute of this name, in one order. */
  attributesNamed(name: string): readonly TextColumn[];
  attributes(): readonly TextColumn[];
  /** Texts that a word without a field is searched in, without attributes. */
  texts(): readonly TextColumn[];
  /** JSON objects of attributes that have no column. */
  overflow(): TextColumn | undefined;
}

/** A table's columns by their SQL names; `texts` are those that words are searched in. */
export function tableColumns(
  columns: ReadonlyMap<string, Column>,
  texts: readonly TextColumn[],
  rows: number,
): RowScope {
  const computed = new ComputedColumns(rows);
  const scope: RowScope = {
    capacity: rows,
    kind: undefined,
    column: (ref) =>
      'computed' in ref
        ? columns.get(ref.computed)
        : 'computation' in ref
          ? computed.column(ref, rows, scope)
          : undefined,
    coded: () => undefined,
    codedAttribute: () => undefined,
    peek: () => undefined,
    attributesNamed: () => [],
    attributes: () => [],
    texts: () => texts,
    overflow: () => undefined,
  };
  return scope;
}

type ComputedRef = Extract<Ref, { computation: Computation }>;

/** Columns of computed values, filled for all rows of a batch or a table when first requested. */
export class ComputedColumns {
  private readonly capacity: number;
  private readonly columns = new Map<
    string,
    { readonly ref: ComputedRef; readonly column: Column }
  >();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  column(ref: ComputedRef, rows: number, scope: RowScope): Column {
    const known = this.columns.get(ref.computation.text);
    if (known !== undefined) return known.column;
    const column = columnOf(ref.sqlType, this.capacity);
    // A column that an expression reads is filled before its own.
    fillColumn(column, ref.computation.reader(scope), rows);
    this.columns.set(ref.computation.text, { ref, column });
    return column;
  }

  /** The rows of another filling. */
  refill(rows: number, scope: RowScope): void {
    for (const { ref, column } of this.columns.values()) {
      column.clear();
      fillColumn(column, ref.computation.reader(scope), rows);
    }
  }
}

export function columnOf(sqlType: string, rows: number): Column {
  switch (sqlType) {
    case 'VARCHAR':
      return new TextColumn(rows);
    case IP6_TYPE:
      return new Ip6Column(rows);
    case 'UINTEGER':
      return new U32Column(rows);
    default:
      return new NumberColumn(rows, 'f64');
  }
}

function fillColumn(column: Column, read: (row: number) => RawValue, rows: number): void {
  for (let row = 0; row < rows; row++) setValue(column, row, read(row));
}

/** Sets what is there. */
export function setValue(column: Column, row: number, value: RawValue): void {
  if (value === null || value === undefined) return;
  if (column.type === 'text') column.setString(row, String(value));
  else if (column.type === 'ip6')
    column.set(row, Buffer.from(String(value).replaceAll('-', ''), 'hex'), 0);
  else column.set(row, Number(value));
}

// -- single values -------------------------------------------------------------------------------

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Where a text begins and ends in its column's `data`. The row must be present. */
export function textStart(column: TextColumn, row: number): number {
  return column.starts[row]! + 4;
}
export function textEnd({ data, starts }: TextColumn, row: number): number {
  const at = starts[row]!;
  const length = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
  return at + 4 + length;
}

export function textOf(column: TextColumn | undefined, row: number): string | undefined {
  if (column === undefined || column.present[row] !== 1) return undefined;
  return utf8.decode(column.data.subarray(textStart(column, row), textEnd(column, row)));
}

/** The attributes of a row that are stored as JSON. */
export function overflowOf(column: TextColumn | undefined, row: number): Record<string, string> {
  const text = textOf(column, row);
  const out: Record<string, string> = {};
  if (text === undefined) return out;
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null) return out;
  for (const [name, value] of Object.entries(parsed)) {
    Object.defineProperty(out, name, {
      value: String(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return out;
}

/** The values of a name among a row's attributes that are stored as JSON, in any case. */
export function overflowNamed(
  column: TextColumn | undefined,
  row: number,
  name: string,
): readonly string[] {
  if (column === undefined || column.present[row] !== 1) return [];
  const lower = name.toLowerCase();
  return Object.entries(overflowOf(column, row)).flatMap(([other, value]) =>
    other.toLowerCase() === lower ? value : [],
  );
}

/** The attribute of each row with a given name; the first of several spellings. Call it once per batch. */
export function attributeReader(
  scope: RowScope,
  name: string,
): (row: number) => string | undefined {
  const columns = scope.attributesNamed(name);
  const overflow = scope.overflow();
  return (row) => {
    for (const column of columns) {
      const text = textOf(column, row);
      if (text !== undefined) return text;
    }
    return overflowNamed(overflow, row, name)[0];
  };
}

export function numberAt(column: Column | undefined, row: number): number | undefined {
  if (column === undefined || column.type === 'text' || column.type === 'ip6') return undefined;
  return column.present[row] === 1 ? column.values[row] : undefined;
}

/** 16 bytes in network order. */
export function ip6At(column: Column | undefined, row: number): Uint8Array | undefined {
  if (column?.type !== 'ip6' || column.present[row] !== 1) return undefined;
  return column.values.subarray(row * 16, row * 16 + 16);
}

export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const DAY = 86_400e6;

/** `2026-11-21`, or `undated`. */
export function dayText(micros: number | undefined): string {
  if (micros === undefined) return 'undated';
  const date = new Date(Math.floor(micros / DAY) * (DAY / 1000));
  return date.toISOString().slice(0, 10);
}
