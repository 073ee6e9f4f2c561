/**
 * An event from its importer and from the case in one form, so that every field of the two can be compared.
 *
 * In segments of an earlier version DuckDB has numbered attributes whose names differ only in case (`note`,
 * `NOTE_1`), even those of different sources: where names differ, they are compared without numbers.
 */
import { evidenceNames, isAttributeColumn } from '../../util/attribute-columns.ts';
import type { Column } from '../../columns/columns.ts';
import type { EventBatch } from '../../columns/event-batch.ts';
import { COLUMNS, type ColumnName, type Kind } from '../../contract/event.ts';
import { CUT_COLUMNS } from '../../fields/cutting/cutter.ts';
import { OVERFLOW_COLUMN, identifier, type Plain, epochMicros } from '../../store/index.ts';

type Value = string | number | bigint;

export interface EventValues {
  readonly kind: Kind;
  readonly seq: number;
  readonly columns: ReadonlyMap<string, Value>;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface Difference {
  readonly field: string;
  readonly inCase: Value | undefined;
  readonly inEvidence: Value | undefined;
}

const text = new TextDecoder('utf-8', { ignoreBOM: true });

/** The values of one row of a batch. */
export function emittedEvent(batch: EventBatch, row: number): EventValues {
  const columns = new Map<string, Value>();
  for (const [name, column] of batch.columns()) {
    const value = column.present[row] === 1 ? valueOf(column, row) : undefined;
    if (value !== undefined && name !== 'source_id') columns.set(name, value);
  }
  const attributes = new Map<string, string>();
  for (const [name, column] of batch.attributes)
    if (column.present[row] === 1) attributes.set(name, textOf(column, row));
  if (batch.overflow.present[row] === 1) addOverflow(attributes, textOf(batch.overflow, row));
  return { kind: batch.kind, seq: batch.seq.values[row]!, columns, attributes };
}

function valueOf(column: Column, row: number): Value | undefined {
  switch (column.type) {
    case 'text':
      return textOf(column, row);
    case 'ip6':
      return Buffer.from(column.values.subarray(row * 16, row * 16 + 16)).toString('hex');
    default: {
      const value = column.values[row]!;
      return Number.isNaN(value) ? undefined : value;
    }
  }
}

function textOf(column: Extract<Column, { type: 'text' }>, row: number): string {
  const at = column.starts[row]!;
  const size = new DataView(column.data.buffer, column.data.byteOffset).getUint32(at, true);
  return text.decode(column.data.subarray(at + 4, at + 4 + size));
}

/** The SELECT list for columns of a segment. */
export function selected(columns: readonly string[]): string {
  return columns
    .map((name) => (name === 'ts' ? `${epochMicros('ts')} AS ts` : identifier(name)))
    .join(', ');
}

/** The values of a row that `selected` has selected. */
export function storedEvent(
  kind: Kind,
  names: readonly string[],
  row: readonly Plain[],
): EventValues {
  const columns = new Map<string, Value>();
  const attributes = new Map<string, string>();
  const evidence = evidenceNames(names);
  for (const [i, name] of names.entries()) {
    const value = row[i];
    if (value === null || value === undefined) continue;
    if (name === OVERFLOW_COLUMN) addOverflow(attributes, String(value));
    else if (isAttributeColumn(name)) attributes.set(evidence.get(name) ?? name, String(value));
    else if (name in COLUMNS && name !== 'source_id') columns.set(name, plain(name, value));
  }
  return { kind, seq: Number(columns.get('seq')), columns, attributes };
}

function plain(name: string, value: Plain): Value {
  if (COLUMNS[name as ColumnName] === 'ip6') return String(value).replaceAll('-', '');
  return typeof value === 'string' || typeof value === 'bigint' ? value : Number(value);
}

function addOverflow(attributes: Map<string, string>, json: string): void {
  const more = JSON.parse(json) as Record<string, unknown>;
  for (const [name, value] of Object.entries(more)) attributes.set(name, String(value));
}

/** Every field in which the event of the case differs from that of the evidence. */
export function differences(inCase: EventValues, inEvidence: EventValues): Difference[] {
  const out: Difference[] = [];
  const compare = (field: string, a: Value | undefined, b: Value | undefined): void => {
    if (!same(a, b)) out.push({ field, inCase: a, inEvidence: b });
  };
  compare('kind', inCase.kind, inEvidence.kind);
  // Values by another version of an extractor, or without one, are derived differently: the evidence does not
  // contradict them.
  const isCutAlike = inCase.columns.get('extractor') === inEvidence.columns.get('extractor');
  for (const name of Object.keys(COLUMNS))
    if (name !== 'source_id' && (isCutAlike || !CUT_COLUMNS.has(name)))
      compare(name, inCase.columns.get(name), inEvidence.columns.get(name));
  const stored = byLowerCase(inCase.attributes);
  const emitted = byLowerCase(inEvidence.attributes);
  const columns = out.length;
  for (const [lower, { name, value }] of emitted)
    compare(`attrs.${name}`, stored.get(lower)?.value, value);
  for (const [lower, { name, value }] of stored)
    if (!emitted.has(lower)) compare(`attrs.${name}`, value, undefined);
  if (out.length > columns && unnumbered(inCase) === unnumbered(inEvidence)) out.length = columns;
  return out;
}

/** Attributes without the numbers that DuckDB adds to names that differ only in case. */
function unnumbered({ attributes }: EventValues): string {
  const pairs = [...attributes].map(([name, value]) =>
    JSON.stringify([name.toLowerCase().replace(/(?:_\d+)+$/, ''), value]),
  );
  return pairs.sort().join();
}

function byLowerCase(
  attributes: ReadonlyMap<string, string>,
): Map<string, { name: string; value: string }> {
  return new Map([...attributes].map(([name, value]) => [name.toLowerCase(), { name, value }]));
}

function same(a: Value | undefined, b: Value | undefined): boolean {
  if (typeof a === 'bigint' || typeof b === 'bigint')
    return a !== undefined && b !== undefined && BigInt(a) === BigInt(b);
  return a === b;
}
