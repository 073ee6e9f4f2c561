/**
 * `case.fields`: the fields that events have, the number of events with each, and their kinds.
 *
 * The catalog has the counts of each segment. Rows are counted only where these are not enough: in segments with
 * deleted events or by an earlier version, where several columns of a segment hold one field, and for attributes
 * without a column of their own.
 */
import type { Kind } from '../../../contract/event.ts';
import { Stopwatch } from '../../../measure/operation-log.ts';
import { notDeleted } from '../../../query/dialect/duckdb.ts';
import { attributesOf, isAttributeColumn } from '../../../query/names/attribute-names.ts';
import { knownField } from '../../../query/index.ts';
import { OVERFLOW_COLUMN } from '../../../query/plan/scope.ts';
import type { SegmentRow } from '../../../catalog/index.ts';
import {
  ADDRESS_COLUMNS,
  type ValueCounts,
  countOverflow,
  countOverflowOnce,
  countRowsWith,
  valueCount,
} from '../../../store/index.ts';
import type { CaseSession } from '../../../search/index.ts';

export interface FieldSummary {
  /** Its name in queries. */
  field: string;
  /** An attribute: named by its source rather than by Daybook. */
  attribute: boolean;
  events: number;
  kinds: Kind[];
}

/** Columns that are parts of a field or describe another. */
const SHOWN_AS: Readonly<Record<string, string | undefined>> = {
  src_ip4: 'src_ip',
  src_ip6: 'src_ip',
  dst_ip4: 'dst_ip',
  dst_ip6: 'dst_ip',
  source_id: 'source',
  seq: 'event_id',
  ts_ns: undefined,
  ts_digits: undefined,
  ts_basis: undefined,
  tz_offset: undefined,
  record_key: undefined,
  attrs: undefined,
};

/** Number of segments that are attached at the same time to count rows. */
const AT_ONCE = 100;

export async function caseFields(
  session: CaseSession,
  signal?: AbortSignal,
): Promise<FieldSummary[]> {
  const release = session.store.hold();
  try {
    return await countFields(session, signal);
  } finally {
    release();
  }
}

async function countFields(
  session: CaseSession,
  signal: AbortSignal | undefined,
): Promise<FieldSummary[]> {
  const watch = new Stopwatch('case.fields');
  const snapshot = session.snapshot();
  const { segments } = snapshot;
  const kept = watch.span('catalog', () => session.catalog.segments.valueCounts());
  const open: OpenCount[] = [];
  const fields = new Fields();
  for (const segment of segments) {
    const named = [...namedColumns(segment.columns).values()];
    const deleted = snapshot.marks.get(segment.id)?.has(0) ?? false;
    const counts = deleted ? undefined : kept.get(segment.id);
    const unknown: NamedColumns[] = [];
    for (const one of named) {
      const events = counts && knownCount(segment, counts, one);
      if (events === undefined) unknown.push(one);
      else fields.add(one, events, segment.kind);
    }
    if (unknown.length > 0 || segment.columns.includes(OVERFLOW_COLUMN))
      open.push({ segment, deleted, named: unknown });
  }
  watch.path = open.length === 0 ? 'catalog' : 'scan';
  for (let at = 0; at < open.length; at += AT_ONCE) {
    const portion = open.slice(at, at + AT_ONCE);
    await watch.spanAsync('attach', () =>
      session.prepare(
        portion.map(({ segment }) => segment),
        snapshot,
      ),
    );
    for (const { segment, deleted, named } of portion) {
      const where = deleted ? ` WHERE ${notDeleted(String(segment.id))}` : '';
      const counted = await watch.spanAsync('execute', () =>
        countRowsWith(
          (sql) => session.store.rows(sql, [], signal),
          `seg_${segment.id}`,
          segment.shapes,
          named.map(({ columns }) => columns),
          where,
        ),
      );
      named.forEach((one, i) => fields.add(one, counted[i]!, segment.kind));
      if (!segment.columns.includes(OVERFLOW_COLUMN)) continue;
      await watch.spanAsync('execute', () =>
        addOverflow(fields, (sql) => session.store.rows(sql, [], signal), segment, where),
      );
    }
  }
  watch.segments = open.length;
  watch.rowsExamined = open.reduce((sum, { segment }) => sum + segment.rows, 0);
  session.record(watch, 'done');
  return fields.list();
}

/** Fields of a segment whose events must be counted. */
interface OpenCount {
  readonly segment: SegmentRow;
  readonly deleted: boolean;
  readonly named: readonly NamedColumns[];
}

/**
 * Adds attributes beyond those that have columns: an event counts once for a name, even if it has several spellings
 * there, or a column as well.
 */
async function addOverflow(
  fields: Fields,
  rows: (sql: string) => Promise<unknown[][]>,
  { id, kind, shapes, columns: stored }: SegmentRow,
  where: string,
): Promise<void> {
  const segment = `seg_${id}`;
  const named = namedColumns(stored);
  const counted = await countOverflow(rows, segment, shapes, where);
  const spellings = new Map<string, string[]>();
  for (const name of counted.keys())
    spellings.set(name.toLowerCase(), [...(spellings.get(name.toLowerCase()) ?? []), name]);
  const all = [...spellings].map(([key, names]) => {
    const field = attributeField(names.toSorted()[0]!);
    return { key, names, field, columns: named.get(field.toLowerCase())?.columns ?? [] };
  });
  const isSpelled = ({ names, columns }: (typeof all)[number]): boolean =>
    names.length > 1 || columns.length > 0;
  const once = await countOverflowOnce(rows, segment, shapes, all.filter(isSpelled), where);
  for (const one of all) {
    const events = isSpelled(one) ? once.get(one.key) : counted.get(one.names[0]!);
    fields.add({ field: one.field, attribute: true }, events ?? 0, kind);
  }
}

/** How many of a segment's rows have a field, if the counts of its columns tell. */
function knownCount(
  { columns: all, rows }: SegmentRow,
  counts: ValueCounts,
  { field, attribute, columns }: NamedColumns,
): number | undefined {
  const one = columns.length === 1 ? columns[0]! : attribute ? undefined : addressOf(field);
  if (one !== undefined) return valueCount(counts, all, one);
  // An event may have several spellings at once.
  return columns.some((column) => valueCount(counts, all, column) === rows) ? rows : undefined;
}

function addressOf(field: string): string | undefined {
  return Object.hasOwn(ADDRESS_COLUMNS, field) ? field : undefined;
}

/** Collects the fields of segments. */
export class Fields {
  private readonly fields = new Map<string, FieldSummary>();

  add(
    { field, attribute }: Pick<NamedColumns, 'field' | 'attribute'>,
    events: number,
    kind: Kind,
  ): void {
    if (events === 0) return;
    const key = field.toLowerCase();
    let known = this.fields.get(key);
    if (known === undefined) {
      known = { field, attribute, events: 0, kinds: [] };
      this.fields.set(key, known);
    }
    // A name with several spellings in the evidence is shown in one, regardless of the order of segments.
    if (attribute ? known.attribute && field < known.field : known.attribute) known.field = field;
    known.attribute &&= attribute;
    known.events += events;
    if (!known.kinds.includes(kind)) known.kinds.push(kind);
  }

  list(): FieldSummary[] {
    for (const { kinds } of this.fields.values()) kinds.sort();
    return [...this.fields.values()].sort(
      (a, b) =>
        Number(a.attribute) - Number(b.attribute) ||
        b.events - a.events ||
        (a.field < b.field ? -1 : 1),
    );
  }
}

interface NamedColumns {
  readonly field: string;
  readonly attribute: boolean;
  readonly columns: string[];
}

/**
 * Columns by their names in queries, in lower case: the spellings of an attribute share one, and so do an attribute
 * and a text column of the same name.
 */
function namedColumns(columns: readonly string[]): Map<string, NamedColumns> {
  const out = new Map<string, NamedColumns>();
  const add = (field: string, attribute: boolean, column: string) => {
    const key = field.toLowerCase();
    const known = out.get(key);
    if (known === undefined) out.set(key, { field, attribute, columns: [column] });
    else if (!known.columns.includes(column)) known.columns.push(column);
  };
  for (const column of columns) {
    const field = isAttributeColumn(column) ? undefined : fieldOfColumn(column);
    if (field !== undefined) add(field, false, column);
  }
  for (const spellings of attributesOf(new Set(columns)).values())
    for (const { column, name } of spellings) add(attributeField(name), true, column);
  return out;
}

/** The name of a stored column in queries; undefined: it is part of another column's field. */
export function fieldOfColumn(column: string): string | undefined {
  return column in SHOWN_AS ? SHOWN_AS[column] : column;
}

/** The name of an attribute in queries. */
export function attributeField(name: string): string {
  const field = knownField(name);
  return field === undefined || field.type === 'text' ? name : `attrs.${name}`;
}
