/**
 * Rows of events in the form of results: columns with their types, and functions that fill them from a batch. The
 * columns are those of the engine's statement (engine/query/statements/statements.ts).
 */
import type { EventBatch } from '../columns/event-batch.ts';
import { COLUMNS, type ColumnName } from '../contract/event.ts';
import { compareNaturally } from '../contract/words/natural-order.ts';
import type { Name } from '../query/syntax/ast.ts';
import { HIDDEN_COLUMNS, isOther, otherNames } from '../query/names/default-columns.ts';
import { type Field, chosenName, expandedNames, knownField } from '../query/names/fields.ts';
import type { RawValue } from '../query/values/raw-value.ts';
import type { Plan } from '../query/plan/plan.ts';
import type { OutputColumn } from '../query/statements/outputs.ts';
import { OVERFLOW_COLUMN } from '../query/plan/scope.ts';
import { shapeOf } from '../query/values/values.ts';
import { type Read, numberRead, readsOf, textRead } from '../query/batch/values/field-values.ts';
import { type Wanted, batchScope } from '../query/batch/batch-scope.ts';
import type { RowScope } from '../query/batch/row-scope.ts';

interface Shown {
  readonly column: OutputColumn;
  readonly reads: readonly Read[];
}

export interface ShownRows {
  readonly columns: readonly OutputColumn[];
  readonly rows: readonly (readonly RawValue[])[];
}

/** Reads the rows of a batch; make it again when the batch is full, since attributes appear with evidence. */
export function shownRows(
  batch: EventBatch,
  rows: Int32Array,
  n: number,
  plan: Plan,
  wanted: Wanted,
): ShownRows {
  const scope = batchScope(batch, wanted);
  const columns = new Collected();
  if (plan.projection === undefined) defaults(columns, batch, scope, plan);
  else for (const name of plan.projection) chosen(columns, batch, scope, plan, name);
  const reads = columns.shown.flatMap((one) => one.reads);
  return {
    columns: columns.shown.map(({ column }) => column),
    rows: Array.from(rows.subarray(0, n), (row) => reads.map((read) => read(row))),
  };
}

class Collected {
  readonly shown: Shown[] = [];
  private next = 0;

  add(
    name: string,
    type: OutputColumn['type'],
    parts: readonly { role: OutputColumn['parts'][number]['role']; read: Read }[],
  ): void {
    if (this.shown.some(({ column }) => column.name === name && column.type === type)) return;
    const at = parts.map(({ role }) => ({ role, at: this.next++ }));
    this.shown.push({ column: { name, type, parts: at }, reads: parts.map(({ read }) => read) });
  }
}

function defaults(columns: Collected, batch: EventBatch, scope: RowScope, plan: Plan): void {
  const others = otherNames(plan);
  if (!others.has('ts')) instant(columns, scope);
  for (const name of ['kind', 'event_id', 'source', 'src_ip', 'dst_ip', ...Object.keys(COLUMNS)]) {
    const field = knownField(name);
    if (others.has(name)) continue;
    if (field !== undefined && !HIDDEN_COLUMNS.has(name))
      fieldColumn(columns, scope, plan, field, name);
  }
  for (const name of plan.computed) chosen(columns, batch, scope, plan, name);
  attributes(columns, batch, scope, others);
}

function chosen(
  columns: Collected,
  batch: EventBatch,
  scope: RowScope,
  plan: Plan,
  name: Name,
): void {
  const field = plan.resolve(name);
  const others = expandedNames(field);
  if (field.type === 'virtual' && field.name === 'attributes')
    attributes(columns, batch, scope, plan.hidden);
  else if (field.type === 'virtual' && field.name === 'tag')
    columns.add('tag', 'tags', [{ role: 'value', read: () => null }]);
  else if (others !== undefined) {
    for (const other of others) chosen(columns, batch, scope, plan, { ...name, name: other });
  } else if (field.type === 'time' && field.name === 'ts') instant(columns, scope);
  else fieldColumn(columns, scope, plan, field, chosenName(field));
}

function instant(columns: Collected, scope: RowScope): void {
  const of = (column: ColumnName) => numberRead(scope.column({ column }));
  const nanos = of('ts_ns');
  columns.add('ts', 'instant', [
    { role: 'value', read: of('ts') },
    { role: 'nanos', read: (row) => nanos(row) ?? 0 },
    { role: 'digits', read: of('ts_digits') },
  ]);
}

function attributes(
  columns: Collected,
  batch: EventBatch,
  scope: RowScope,
  others: ReadonlySet<string>,
): void {
  // Dictionary-encoded attributes become texts, and columns.
  scope.attributes();
  const named = [...batch.attributes].filter(([name]) => !isOther(others, name));
  for (const [name, column] of named.sort(([a], [b]) => compareNaturally(a, b)))
    columns.add(name, 'attribute', [{ role: 'value', read: textRead(column) }]);
  columns.add(OVERFLOW_COLUMN, 'overflow', [{ role: 'value', read: textRead(batch.overflow) }]);
}

function fieldColumn(
  columns: Collected,
  scope: RowScope,
  plan: Plan,
  field: Field,
  name: string,
): void {
  const shape = shapeOf(field, 0, plan.extent);
  const reads = readsOf(field, scope);
  columns.add(
    name,
    shape.type,
    shape.parts.map(({ role }, i) => ({
      role,
      read: field.type === 'address' ? reads[role === 'v4' ? 0 : 1]! : reads[i]!,
    })),
  );
}
