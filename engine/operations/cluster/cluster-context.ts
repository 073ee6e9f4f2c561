/** The planning context for queries on a cluster: the files of an attached hand-over take the role of segments. */
import { KINDS } from '../../contract/event.ts';
import { DaybookError } from '../../contract/errors.ts';
import { type CompileContext, OVERFLOW_COLUMN, type SegmentInfo } from '../../query/index.ts';
import { CaseLists, type FlowSource } from '../../search/index.ts';
import { cellText, type Cluster } from './cluster.ts';
import { materialisedColumns, MOST_ATTRIBUTES } from './attach/tables.ts';

export interface ClusterContext extends Pick<CompileContext, 'segments' | 'tags' | 'newestTs'> {
  readonly sources: () => readonly FlowSource[];
  /** Columns of attributes. */
  readonly materialised: ReadonlySet<string>;
  readonly lists: CaseLists;
}

/** The attached case, with people's changes since. */
export interface Attached {
  /** Name of its folder. */
  readonly name: string;
  /** Identifies the hand-over: each has a different text. */
  readonly handOver: string;
  /** Changes with the tags. */
  readonly tags: string;
  /** Changes with the notes, saved searches and ratings of findings. */
  readonly marks: string;
}

/** @throws DaybookError not-found if no case is attached; unreadable, cancelled */
export async function attachedCase(cluster: Cluster): Promise<Attached> {
  const { database, name } = cluster.address;
  const at = (table: string): string => `\`${database}\`.${table}`;
  const marks = (['notes', 'searches', 'findings'] as const).map(
    (table) => `(SELECT toString((count(), max(at))) FROM ${at(table)})`,
  );
  const [[caseName, id, writtenAt, tags, ...others] = []] = await cluster.rows(
    `SELECT case_name, case_id, written_at, (SELECT toString((count(), sum(cityHash64(event_id, tag)))) FROM ${at('tags')}), ${marks.join(', ')} FROM ${at('attached')}`,
  );
  if (caseName !== undefined)
    return {
      name: cellText(caseName),
      handOver: `${cellText(id)} ${cellText(writtenAt)}`,
      tags: cellText(tags),
      marks: others.map(cellText).join(' '),
    };
  throw new DaybookError(
    ...(['not-found', `${name} has no completely loaded case`] as const),
    'load it: daybook attach clickhouse://… FOLDER',
  );
}

/** @throws DaybookError not-found if no case is attached; unreadable, cancelled */
export async function clusterContext(cluster: Cluster): Promise<ClusterContext> {
  await attachedCase(cluster);
  return readContext(cluster);
}

/** @throws DaybookError not-found, unreadable, cancelled */
export async function readContext(cluster: Cluster): Promise<ClusterContext> {
  const database = `\`${cluster.address.database}\``;
  const files = await cluster.rows(
    `SELECT kind, day, rows, min_ts, max_ts, columns, attributes, source_ids, unflowed FROM ${database}.files ORDER BY path`,
  );
  const sources = await cluster.rows(
    `SELECT source_id, name, format, JSONExtractString(about, 'decisions', 'mapping'), JSONExtractRaw(about, 'metadata', 'totals') FROM ${database}.sources ORDER BY source_id`,
  );
  // A tag stays known after the last event has lost it.
  const tags = await cluster.rows(
    `SELECT DISTINCT tag FROM (SELECT tag FROM ${database}.tags UNION ALL SELECT tag FROM ${database}.findings WHERE tag != '') ORDER BY tag`,
  );
  const columns = await cluster.rows(materialisedColumns(cluster.address.database));
  const named = sources.map(([id, name, format, mapping, totals]): FlowSource => ({
    ...{ id: Number(id), name: String(name), format: String(format) },
    decisions: mapping === '' ? {} : { mapping: String(mapping) },
    metadata: totals === '' ? {} : { totals: JSON.parse(String(totals)) as unknown },
  }));
  const tagIds = new Set(tags.map((_, i) => i + 1));
  const sets = new Map<string, ReadonlySet<string>>();
  const segments = files.map(
    ([kind, day, rows, minTs, maxTs, stored, attributes, sourceIds, unflowed], i): SegmentInfo => {
      const known = KINDS.find((one) => one === kind) ?? 'other';
      return {
        ...{ id: i + 1, kind: known, day: String(day), rows: Number(rows) },
        ...{ minTs: numberOf(minTs), maxTs: numberOf(maxTs) },
        columns: columnsOf(textsOf(stored), textsOf(attributes), sets),
        ...{ hasDeletes: false, tags: tagIds, unflowedPackets: Number(unflowed) },
        sources: new Set(textsOf(sourceIds).map(Number)),
      };
    },
  );
  return {
    segments,
    lists: new CaseLists(),
    materialised: new Set(columns.map(([name]) => String(name))),
    sources: () => named,
    tags: tags.map(([name], i) => ({ id: i + 1, name: String(name) })),
    newestTs: segments.reduce<number | undefined>(
      (newest, { maxTs }) =>
        maxTs === undefined || (newest !== undefined && newest > maxTs) ? newest : maxTs,
      undefined,
    ),
  };
}

function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Columns as a segment of a case would have them; equal ones are one set. */
function columnsOf(
  columns: readonly string[],
  attributes: readonly string[],
  sets: Map<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const names = [...attributes].sort();
  const key = JSON.stringify([columns, names]);
  let known = sets.get(key);
  if (known === undefined) {
    known = new Set([
      ...columns.flatMap((name) => (name.endsWith('_ip') ? [`${name}4`, `${name}6`] : [name])),
      // With a number, a column has its attribute's name unchanged.
      ...names.map((name, i) => `a${i + 1}:${name}`),
      ...(names.length >= MOST_ATTRIBUTES ? [OVERFLOW_COLUMN] : []),
    ]);
    sets.set(key, known);
  }
  return known;
}
