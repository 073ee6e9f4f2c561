/** `case.fields`: which fields events have, how many events have each, and of which kinds. */
import type { Kind } from '../contract/event.ts';
import { Stopwatch } from '../measure/operation-log.ts';
import { attributesOf, isAttributeColumn } from '../query/attribute-names.ts';
import { knownField } from '../query/index.ts';
import { identifier } from '../store/segment-builder.ts';
import type { CaseSession } from '../search/index.ts';

export interface FieldSummary {
  /** As queries name it. */
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

/** Segments whose columns one statement counts. */
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
  watch.path = 'scan';
  const snapshot = session.snapshot();
  const fields = new Map<string, FieldSummary>();
  const { segments } = snapshot;
  for (let at = 0; at < segments.length; at += AT_ONCE) {
    const some = segments.slice(at, at + AT_ONCE);
    await watch.spanAsync('attach', () => session.prepare(some, snapshot));
    for (const [kind, group] of Map.groupBy(some, (segment) => segment.kind)) {
      const named = namedColumns(group.flatMap((segment) => segment.columns));
      const rows = group.map((segment) => {
        const deleted = snapshot.marks.get(segment.id)?.has(0) ?? false;
        const where = deleted
          ? ` WHERE rowid NOT IN (SELECT row FROM marks.deleted WHERE segment = ${segment.id})`
          : '';
        const own = namedColumns(segment.columns);
        // That there is a message is seen without putting it together.
        const stored = segment.shapes === 0 ? 'events' : 'stored';
        const there = Array.from(named.keys(), (name) => {
          const columns = (own.get(name)?.columns ?? []).flatMap((column) =>
            stored === 'stored' && column === 'message' ? [column, 'message:shape'] : column,
          );
          const tests = columns.map((column) => `${identifier(column)} IS NOT NULL`);
          return tests.length === 0 ? 'FALSE' : tests.join(' OR ');
        });
        const list = there.map((test, i) => `(${test}) AS c${i}`).join(', ');
        return `SELECT ${list} FROM seg_${segment.id}.${stored}${where}`;
      });
      const counts = Array.from(named.keys(), (_, i) => `count(*) FILTER (WHERE c${i})`);
      const [row] = await watch.spanAsync('execute', () =>
        session.store.rows(
          `SELECT ${counts.join(', ')} FROM (${rows.join(' UNION ALL ')})`,
          [],
          signal,
        ),
      );
      [...named].forEach(([key, { field, attribute }], i) => {
        const events = Number(row?.[i] ?? 0);
        if (events === 0) return;
        const known = fields.get(key) ?? { field, attribute, events: 0, kinds: [] };
        // A name that evidence spells in several ways is shown in one, whichever segment comes first.
        if (attribute ? known.attribute && field < known.field : known.attribute)
          known.field = field;
        known.attribute &&= attribute;
        known.events += events;
        if (!known.kinds.includes(kind)) known.kinds.push(kind);
        fields.set(key, known);
      });
    }
  }
  watch.segments = segments.length;
  watch.rowsExamined = segments.reduce((sum, segment) => sum + segment.rows, 0);
  session.record(watch, 'done');
  return [...fields.values()].sort(
    (a, b) =>
      Number(a.attribute) - Number(b.attribute) ||
      b.events - a.events ||
      (a.field < b.field ? -1 : 1),
  );
}

interface NamedColumns {
  readonly field: string;
  readonly attribute: boolean;
  readonly columns: string[];
}

/**
 * Columns by the names that queries have for them, in lower case: the spellings of an attribute are one, and an
 * attribute that has the name of a column of texts is one with it.
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
    if (isAttributeColumn(column) || (column in SHOWN_AS && SHOWN_AS[column] === undefined))
      continue;
    add(SHOWN_AS[column] ?? column, false, column);
  }
  for (const spellings of attributesOf(new Set(columns)).values())
    for (const { column, name } of spellings) {
      const field = knownField(name);
      const isOne = field === undefined || field.type === 'text';
      add(isOne ? name : `attrs.${name}`, true, column);
    }
  return out;
}
