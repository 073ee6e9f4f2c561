/** Fields and sources of a case that was attached to a cluster. */
import { DaybookError } from '../../contract/errors.ts';
import { handedOverSource, type HandedOverSource } from '../../contract/hand-over.ts';
import type { Result } from '../../contract/operations.ts';
import { membersOf } from '../case/handlers.ts';
import { KINDS } from '../../contract/event.ts';
import { identifier } from '../../query/dialect/clickhouse.ts';
import { TYPED_COLUMNS } from '../../store/index.ts';
import { Fields, type FieldSummary, attributeField, fieldOfColumn } from '../case/fields/fields.ts';
import { cellText, type Cluster } from './cluster.ts';

/** Like `caseFields`, for an attached case. @throws DaybookError not-found, unreadable, cancelled */
export async function clusterFields(cluster: Cluster): Promise<FieldSummary[]> {
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

/**
 * For an attached case.
 * @param only the number of the requested one
 * @throws DaybookError not-found, unreadable, cancelled
 */
export async function clusterSources(cluster: Cluster, only?: number): Promise<HandedOverSource[]> {
  const { database, name } = cluster.address;
  const where = only === undefined ? '' : ` WHERE source_id = ${only}`;
  const rows = await cluster.rows(
    `SELECT about FROM \`${database}\`.sources${where} ORDER BY source_id`,
  );
  return rows.map(([about]) => {
    const text = cellText(about ?? null);
    // An older Daybook did not keep it.
    const read = handedOverSource.safeParse(text === '' ? undefined : JSON.parse(text));
    if (read.success) return read.data;
    throw new DaybookError(
      ...([
        'unreadable',
        `this version of Daybook cannot read the description of the sources in ${name}`,
      ] as const),
      `attach it again with this one: daybook attach clickhouse://…/${database} FOLDER`,
    );
  });
}

/** The same in the form that windows list. */
export function sourceListOf(
  sources: readonly HandedOverSource[],
): Result<'case.sources'>['sources'] {
  return sources.map((source) => ({
    ...{
      id: source.source_id,
      name: source.name,
      path: source.path,
      members: membersOf(source.location),
    },
    ...{ bytes: source.raw_size ?? undefined, sha256: source.raw_sha256 ?? undefined },
    contentBytes: source.content_size ?? undefined,
    contentSha256: source.content_sha256 ?? undefined,
    ...{ importer: source.importer, importerVersion: source.importer_version },
    ...{ dialect: source.format, options: source.options, decisions: source.decisions },
    ...{ metadata: source.metadata, notes: source.notes, status: source.status },
    error: source.error ?? undefined,
    ...(source.broken === null || source.broken === undefined ? {} : { broken: source.broken }),
    listedHashes: [],
    ...{ read: source.read, stored: source.stored, duplicate: source.duplicate },
    ...{ quarantined: source.quarantined, skipped: source.skipped },
    ...{ skippedReasons: source.skipped_reasons, byKind: source.by_kind },
    ...{ first: source.first_ts ?? undefined, last: source.last_ts ?? undefined },
    importId: source.import_id,
  }));
}
