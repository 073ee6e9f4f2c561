/** `daybook fields` and `daybook sources` of a case that was attached to a cluster. */
import { KINDS } from '../../contract/event.ts';
import { identifier } from '../../query/dialect/clickhouse.ts';
import { TYPED_COLUMNS } from '../../store/typed-events.ts';
import { Fields, type FieldSummary, attributeField, fieldOfColumn } from '../case/fields.ts';
import { cellText, type Cluster } from './cluster.ts';
import { requireAttached } from './cluster-context.ts';

/** As `caseFields`. @throws DaybookError not-found, unreadable, cancelled */
export async function clusterFields(cluster: Cluster): Promise<FieldSummary[]> {
  await requireAttached(cluster);
  const events = `\`${cluster.address.database}\`.events`;
  const fields = new Fields();
  const names = TYPED_COLUMNS.map(({ name }) => name).filter((name) => name !== 'attributes');
  const counts = names.map((name) => `count(${identifier(name)})`).join(', ');
  for (const [kind, ...numbers] of await cluster.rows(
    `SELECT kind, ${counts} FROM ${events} GROUP BY kind ORDER BY kind`,
  ))
    names.forEach((name, i) => {
      const field = name === 'event_id' ? undefined : fieldOfColumn(name);
      if (field !== undefined)
        fields.add({ field, attribute: false }, Number(numbers[i]), kindOf(kind));
    });
  // An event that has several spellings of a name is counted once.
  const lower = "arrayMap(k -> lowerUTF8(replaceAll(k, 'İ', 'i')), mapKeys(own))";
  const attributes = await cluster.rows(
    [
      'SELECT kind, min(one.2), count() FROM (',
      `SELECT kind, mapFilter((k, v) -> v IS NOT NULL, attributes) AS own, ${lower} AS names, arrayJoin(arrayMap(name -> (name, arrayMin(arrayFilter((k, n) -> n = name, mapKeys(own), names))), arrayDistinct(names))) AS one`,
      `FROM ${events}) GROUP BY kind, one.1 ORDER BY kind, one.1`,
    ].join('\n'),
  );
  for (const [kind, name, count] of attributes)
    fields.add(
      { field: attributeField(String(name)), attribute: true },
      Number(count),
      kindOf(kind),
    );
  return fields.list();
}

function kindOf(value: unknown) {
  return KINDS.find((kind) => kind === value) ?? 'other';
}

interface ClusterSource {
  readonly id: number;
  readonly source: string;
  readonly path: string;
  readonly sha256: string | null;
  readonly dialect: string;
  readonly status: string;
  readonly read: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly quarantined: number;
  readonly skipped: number;
  /** Epoch microseconds. */
  readonly firstTs: number | undefined;
  readonly lastTs: number | undefined;
}

/** @throws DaybookError not-found, unreadable, cancelled */
export async function clusterSources(cluster: Cluster): Promise<ClusterSource[]> {
  await requireAttached(cluster);
  const rows = await cluster.rows(
    `SELECT source_id, name, path, raw_sha256, format, status, read, stored, duplicate, quarantined, skipped, first_ts, last_ts FROM \`${cluster.address.database}\`.sources ORDER BY source_id`,
  );
  const time = (value: unknown): number | undefined => (value === null ? undefined : Number(value));
  return rows.map(([id, name, path, sha256, format, status, ...counts]) => {
    const [read, stored, duplicate, quarantined, skipped] = counts.map(Number);
    return {
      ...{ id: Number(id), source: String(name), path: String(path), status: String(status) },
      ...{ sha256: sha256 === null ? null : cellText(sha256), dialect: String(format) },
      ...{ read: read!, stored: stored!, duplicate: duplicate! },
      ...{ quarantined: quarantined!, skipped: skipped! },
      ...{ firstTs: time(counts[5]), lastTs: time(counts[6]) },
    };
  });
}
