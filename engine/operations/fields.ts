/** `case.fields`: which fields events have, how many events have each, and of which kinds. */
import type { Kind } from '../contract/event.ts';
import { Stopwatch } from '../measure/operation-log.ts';
import { ATTRIBUTE_PREFIX } from '../store/column-types.ts';
import { identifier } from '../store/segment-builder.ts';
import type { CaseSession } from './case-session.ts';

export interface FieldSummary {
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
      // Names that differ in case are one column, as in every query.
      const columns = new Map<string, string>();
      for (const column of group.flatMap((segment) => segment.columns)) {
        if (column in SHOWN_AS && SHOWN_AS[column] === undefined) continue;
        if (!columns.has(column.toLowerCase())) columns.set(column.toLowerCase(), column);
      }
      const rows = group.map((segment) => {
        const deleted = snapshot.marks.get(segment.id)?.has(0) ?? false;
        const where = deleted
          ? ` WHERE rowid NOT IN (SELECT row FROM marks.deleted WHERE segment = ${segment.id})`
          : '';
        // That there is a message is seen without putting it together.
        return segment.shapes === 0
          ? `SELECT * FROM seg_${segment.id}.events${where}`
          : `SELECT * REPLACE (coalesce(message, "message:shape"::VARCHAR) AS message) FROM seg_${segment.id}.stored${where}`;
      });
      const counts = [...columns.values()].map((column) => `count(${identifier(column)})`);
      const [row] = await watch.spanAsync('execute', () =>
        session.store.rows(
          `SELECT ${counts.join(', ')} FROM (${rows.join(' UNION ALL BY NAME ')})`,
          [],
          signal,
        ),
      );
      [...columns.values()].forEach((column, i) => {
        const attribute = column.startsWith(ATTRIBUTE_PREFIX);
        const field = attribute
          ? column.slice(ATTRIBUTE_PREFIX.length)
          : (SHOWN_AS[column] ?? column);
        const key = `${attribute ? 'a' : 'c'}:${field.toLowerCase()}`;
        const events = Number(row?.[i] ?? 0);
        if (events === 0) return;
        const known = fields.get(key) ?? { field, attribute, events: 0, kinds: [] };
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
